"""Who gets a worker next: rules without a clock or a process."""

import pytest

from bot.workers.slots import Slots, Ticket

ANN, BOB, CAT = 1, 2, 3


def served(slots: Slots, *tickets: Ticket) -> list[Ticket]:
    """Who begins at once of those who ask now."""
    for ticket in tickets:
        slots.ask(ticket)
    begun = []
    while (ticket := slots.next()) is not None:  # type: ignore[assignment]
        begun.append(ticket)
    return begun


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_person_has_one_task_at_work(workers: int) -> None:
    slots = Slots(workers)
    mine = [Ticket(ANN) for _ in range(5)]
    assert served(slots, *mine) == mine[:1]
    slots.over(mine[0])
    assert served(slots) == mine[1:2]


def test_the_bot_itself_may_have_many() -> None:
    own = [Ticket(0) for _ in range(3)]
    assert served(Slots(2), *own) == own[:2]


def test_short_tasks_go_first() -> None:
    slots = Slots(1)
    now, search, deal = Ticket(0), Ticket(ANN, long=True), Ticket(BOB)
    assert served(slots, now, search, deal) == [now]
    slots.over(now)
    assert served(slots) == [deal]


def test_people_take_turns() -> None:
    slots = Slots(1)
    race = [Ticket(ANN) for _ in range(3)]
    bobs, cats = Ticket(BOB), Ticket(CAT)
    assert served(slots, *race, bobs, cats) == race[:1]
    order = []
    last = race[0]
    for _ in range(4):
        slots.over(last)
        (last,) = served(slots)
        order.append(last)
    assert order == [bobs, cats, race[1], race[2]]


def test_long_tasks_leave_a_worker_free() -> None:
    slots = Slots(2)
    first, second, deal = Ticket(ANN, long=True), Ticket(BOB, long=True), Ticket(CAT)
    assert served(slots, first, second) == [first]
    assert not slots.pressing
    assert served(slots, deal) == [deal]


def test_with_one_worker_a_long_task_has_to_make_way() -> None:
    slots = Slots(1)
    search, deal = Ticket(ANN, long=True), Ticket(BOB)
    assert served(slots, search) == [search]
    assert not slots.pressing
    assert served(slots, deal) == []
    assert slots.pressing
    slots.over(search)
    assert served(slots) == [deal]
    assert not slots.pressing


def test_ones_own_search_makes_way_for_ones_deal() -> None:
    slots = Slots(2)
    search, deal = Ticket(ANN, long=True), Ticket(ANN)
    assert served(slots, search) == [search]
    assert served(slots, deal) == []
    assert slots.pressing
    slots.over(search)
    assert served(slots, Ticket(ANN, long=True)) == [deal]
    assert not slots.pressing


def test_when_nobody_is_left_nobody_is_remembered() -> None:
    slots = Slots(2)
    first, last = Ticket(ANN), Ticket(BOB)
    served(slots, first, last)
    slots.over(first)
    assert slots._served
    slots.over(last)
    assert not slots._served


def test_who_leaves_the_line_is_not_served() -> None:
    slots = Slots(1)
    first, gone, after = Ticket(ANN), Ticket(BOB), Ticket(CAT)
    served(slots, first, gone, after)
    slots.over(gone)
    slots.over(first)
    assert served(slots) == [after]
