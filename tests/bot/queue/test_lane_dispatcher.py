"""Which update is handled when: the order of a line, lines beside each other, and what waits for what."""

import asyncio

from bot.queue.admission import UpdateKind
from bot.queue.lane_dispatcher import LaneDispatcher
from bot.queue.queries import QueuedUpdate
from tests.jumping import START, jumping, now, passed

GROUP, ANN, BOB = -100, 1, 2


class Served:
    """Handles each update in `takes` seconds, and notes which was begun, refused and done when."""

    def __init__(self, takes: float = 1.0) -> None:
        self.takes = takes
        self.begun: list[tuple[float, int]] = []
        self.refused: list[int] = []
        self.done: list[int] = []
        self.most = self._now = 0
        self.dispatcher = LaneDispatcher(
            self._serve, lambda incoming: self.done.append(incoming.update_id), now
        )

    async def _serve(self, incoming: QueuedUpdate) -> None:
        self.begun.append((round(now() - START, 6), incoming.update_id))
        if incoming.is_refused:
            self.refused.append(incoming.update_id)
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(self.takes)
        self._now -= 1

    def add(self, *updates: QueuedUpdate) -> None:
        for incoming in updates:
            self.dispatcher.add(incoming)


def update(
    number: int, lane: int = GROUP, kind: UpdateKind = UpdateKind.ANSWER, person: int = ANN, body: str = "{}"
) -> QueuedUpdate:
    return QueuedUpdate(number, lane, body, kind=kind, person_id=person)


@jumping
async def test_a_chat_keeps_its_order_one_at_a_time() -> None:
    served = Served()
    served.add(update(1), update(2, person=BOB), update(3))
    await served.dispatcher.wait_until_idle()
    assert served.begun == [(0.0, 1), (1.0, 2), (2.0, 3)]
    assert served.done == [1, 2, 3]


@jumping
async def test_what_comes_later_is_served_as_well() -> None:
    served = Served()
    served.add(update(1))
    await passed(5.0)
    served.add(update(2))
    await served.dispatcher.wait_until_idle()
    assert served.begun == [(0.0, 1), (5.0, 2)]


@jumping
async def test_so_many_chats_are_served_at_once() -> None:
    served = Served()
    served.add(*(update(n, lane=-n) for n in range(1, 50)))
    await served.dispatcher.wait_until_idle()
    assert served.most == 32
    assert [n for at, n in served.begun if at == 0.0] == list(range(1, 33))
    assert now() - START == 2.0


@jumping
async def test_so_many_searches_are_served_beside_them() -> None:
    served = Served()
    served.add(
        *(update(n, n, UpdateKind.SEARCH, n) for n in range(1, 20)),
        *(update(50 + n, -n) for n in range(1, 5)),
    )
    await passed()
    assert served.most == 8 + 4
    await served.dispatcher.wait_until_idle()


@jumping
async def test_a_search_keeps_nobody_waiting() -> None:
    served = Served()
    served.add(update(1, kind=UpdateKind.SEARCH))
    await passed(0.25)
    served.add(update(2, person=BOB), update(3))
    await served.dispatcher.wait_until_idle()
    assert served.begun == [(0.0, 1), (0.25, 2), (1.25, 3)]


@jumping
async def test_a_search_waits_for_what_its_person_said_there_before() -> None:
    served = Served()
    served.add(update(1), update(2, person=BOB), update(3))
    await passed(0.25)
    served.add(update(4, kind=UpdateKind.LOOKUP))
    await passed(0.25)
    served.add(update(5))
    await served.dispatcher.wait_until_idle()
    assert sorted(served.begun) == [(0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4), (3.0, 5)]


@jumping
async def test_a_search_waits_for_nobody_else() -> None:
    served = Served()
    served.add(update(1, person=BOB), update(2, kind=UpdateKind.LOOKUP))
    await passed()
    assert [n for _, n in served.begun] == [1, 2]
    await served.dispatcher.wait_until_idle()


@jumping
async def test_a_search_that_waited_for_two_seconds_is_refused() -> None:
    served = Served(takes=1.5)
    served.add(*(update(n, kind=UpdateKind.SEARCH) for n in (1, 2, 3)))
    await passed(0.25)
    served.add(update(4), update(5))
    await served.dispatcher.wait_until_idle()
    assert served.refused == [3]


@jumping
async def test_what_waits_is_counted() -> None:
    served = Served()
    assert (served.dispatcher.waiting_count, served.dispatcher.waiting_size) == (0, 0)
    served.add(update(1, body="12345"), update(2, body="123"))
    assert (served.dispatcher.waiting_count, served.dispatcher.waiting_size) == (2, 8)
    await passed(1.0)
    assert (served.dispatcher.waiting_count, served.dispatcher.waiting_size) == (1, 3)
    await served.dispatcher.wait_until_idle()
    assert (served.dispatcher.waiting_count, served.dispatcher.waiting_size) == (0, 0)
    assert now() - START == 2.0


@jumping
async def test_idle_is_all_that_waits() -> None:
    served = Served()
    served.add(update(1), update(2, lane=-7), update(3, lane=-7))
    idle = asyncio.create_task(served.dispatcher.wait_until_idle())
    await passed(1.5)
    assert not idle.done()
    await passed(0.5)
    assert idle.done()


@jumping
async def test_closing_lets_what_is_under_way_finish_and_the_rest_go() -> None:
    served = Served(takes=2.0)
    served.add(update(1), update(2), update(3, kind=UpdateKind.LOOKUP))
    await passed(0.5)
    await served.dispatcher.close(3.0)
    assert now() - START == 2.0
    assert served.done == [1]
    assert served.dispatcher.closing
    assert asyncio.all_tasks() == {asyncio.current_task()}


@jumping
async def test_closing_waits_so_long_and_no_longer() -> None:
    served = Served(takes=100.0)
    served.add(update(1))
    await passed(0.5)
    await served.dispatcher.close(3.0)
    assert now() - START == 3.5
    assert served.done == []
    assert asyncio.all_tasks() == {asyncio.current_task()}


@jumping
async def test_closing_without_work_takes_no_time() -> None:
    await Served().dispatcher.close(3.0)
    assert now() == START
