"""Which of a chat's requests goes next, and when."""

from typing import Any

import pytest

from bot.queue.pacing import Lane, Pace, describe_lane
from bot.queue.private_delivery import EPHEMERAL
from bot.queue.queries import TELL_PRIVATELY, QueuedRequest

GROUP, ANN = -100, 1
PACE = Pace()


def request(
    number: int, method: str = "sendMessage", lane: int = GROUP, at: float = 0.0, **body: Any
) -> QueuedRequest:
    return QueuedRequest(number, lane, {"method": method, "params": {"text": "x"}, **body}, at, 1)


def show(number: int, round_: int = 7, **body: Any) -> QueuedRequest:
    return request(number, "show", round=round_, **body)


def lane(*waiting: QueuedRequest, key: int = GROUP) -> Lane:
    return Lane(key, list(waiting))


def crowded(at: float, posts: int = PACE.posts_a_minute) -> Lane:
    this = Lane(GROUP)
    for _ in range(posts):
        this.posts.add(at)
    return this


def test_what_may_go_goes_at_once_and_in_order() -> None:
    first, second = request(1), request(2)
    assert lane(first, second).choose_next(PACE, 50.0, 0.0) == (first, 0.0)


@pytest.mark.parametrize(
    "waits", [request(1), request(1, lane=ANN), show(1), request(1, aside=True, at=-61.0)]
)
def test_right_after_the_machine_was_switched_on_nothing_waits(waits: QueuedRequest) -> None:
    assert lane(waits, key=waits.lane).choose_next(PACE, 0.0, 0.0) == (waits, 0.0)


def test_what_belongs_to_a_round_goes_first() -> None:
    question, deal = request(1, aside=True), show(2, new=True)
    assert lane(question, deal).choose_next(PACE, 50.0, 0.0) == (deal, 0.0)


def test_a_blocked_chat_waits_for_all_but_what_nobody_wants_any_more() -> None:
    late = request(2, aside=True, at=0.0)
    this = lane(request(1), request(3, "editMessageText"))
    this.blocked_until = 58.0
    assert this.choose_next(PACE, 50.0, 61.0) == (this.waiting[0], 8.0)
    assert this.choose_next(PACE, 58.0, 61.0) == (this.waiting[0], 0.0)
    this.waiting = [this.waiting[1], late]
    assert this.choose_next(PACE, 50.0, 61.0) == (late, 0.0)
    assert this.choose_next(PACE, 50.0, 60.0) == (this.waiting[0], 8.0)


def test_what_nobody_wants_any_more_waits_behind_a_post_that_waits() -> None:
    this = lane(request(1), request(2, aside=True, at=0.0))
    this.blocked_until = 58.0
    assert this.choose_next(PACE, 50.0, 61.0) == (this.waiting[0], 8.0)


def test_what_may_go_just_now_goes_before_what_might_have_gone() -> None:
    this = lane(show(1), request(2, "editMessageText"))
    this.drawn_at = {7: 49.0}
    assert this.choose_next(PACE, 50.0, 0.0) == (this.waiting[0], 0.0)


def test_a_full_minute_keeps_posts_waiting_and_nothing_else() -> None:
    this = crowded(10.0)
    this.waiting = [request(1), request(2, "editMessageText")]
    assert this.choose_next(PACE, 50.0, 0.0) == (this.waiting[1], 0.0)
    del this.waiting[1]
    assert this.choose_next(PACE, 50.0, 0.0) == (this.waiting[0], 20.0)
    assert this.choose_next(PACE, 70.0, 0.0) == (this.waiting[0], 0.0)


def test_a_private_chat_has_no_such_minute() -> None:
    this = crowded(10.0)
    this.key = ANN
    this.waiting = [request(1, lane=ANN)]
    assert this.choose_next(PACE, 50.0, 0.0) == (this.waiting[0], 0.0)


def test_no_post_overtakes_one_that_waits_but_an_aside_is_overtaken() -> None:
    this = crowded(10.0, PACE.asides_a_minute + 2)
    this.waiting = [request(1, aside=True), request(2)]
    assert this.choose_next(PACE, 50.0, 0.0) == (this.waiting[1], 0.0)
    full = crowded(10.0)
    full.waiting = [show(1, new=True), request(2)]
    full.posts.posts.pop()
    full.blocked_until = 51.0
    assert full.choose_next(PACE, 50.0, 0.0) == (full.waiting[0], 1.0)


def test_an_aside_that_waits_keeps_no_later_post_waiting() -> None:
    this = crowded(10.0, PACE.asides_a_minute)
    asked, other = (
        request(1, aside=True),
        QueuedRequest(2, GROUP, {"method": "sendMessage", "aside": True}, 0.0, 2),
    )
    this.posts.add(40.0, 1)
    this.waiting = [asked, other]
    assert this.choose_next(PACE, 50.0, 0.0) == (other, 0.0)


def test_the_soonest_is_waited_for() -> None:
    this = lane(show(1, 7), show(2, 8))
    this.drawn_at = {7: 50.0, 8: 49.5}
    assert this.choose_next(PACE, 50.25, 0.0) == (this.waiting[1], 0.25)
    this.drawn_at = {7: 49.5, 8: 50.0}
    assert this.choose_next(PACE, 50.25, 0.0) == (this.waiting[0], 0.25)


def test_a_round_is_redrawn_once_a_second() -> None:
    this = lane(show(1))
    assert this.choose_next(PACE, 50.0, 0.0)[1] == 0.0
    this.drawn_at = {7: 49.0}
    assert this.choose_next(PACE, 49.75, 0.0)[1] == 0.25
    assert this.choose_next(PACE, 50.0, 0.0)[1] == 0.0
    this.blocked_until = 55.0
    assert this.choose_next(PACE, 50.0, 0.0)[1] == 5.0


def test_pauses_double_up_to_a_quarter_of_a_minute() -> None:
    this, blocked = lane(), []
    for _ in range(6):
        this.back_off(100.0)
        blocked.append(this.blocked_until - 100.0)
    assert blocked == [1.0, 2.0, 4.0, 8.0, 15.0, 15.0]


def test_only_the_very_request_is_dropped() -> None:
    """SQLite may give a new request the id of one that has just been deleted."""
    old, new = request(1), request(1)
    this = lane(old, new, request(2))
    this.failures = {1: 3, 2: 1}
    this.recheck_at = {1: 70.0, 2: 80.0}
    this.remove([old])
    assert [id(one) for one in this.waiting] == [id(new), id(this.waiting[-1])]
    assert (this.failures, this.recheck_at) == ({2: 1}, {2: 80.0})
    this.remove([request(9)])
    assert len(this.waiting) == 2


@pytest.mark.parametrize(
    ("change", "over"),
    [
        ({}, True),
        ({"waiting": [request(1)]}, False),
        ({"task": object()}, False),
        ({"blocked_until": 100.0}, True),
        ({"blocked_until": 100.1}, False),
    ],
)
def test_when_nothing_needs_remembering(change: dict[str, Any], over: bool) -> None:
    this = lane()
    for name, value in change.items():
        setattr(this, name, value)
    assert this.is_over(100.0) is over


def test_a_post_of_the_last_minute_is_remembered() -> None:
    this = crowded(50.0, 1)
    assert not this.is_over(100.0)
    assert this.is_over(110.0)


def test_a_log_names_groups_alone() -> None:
    assert (describe_lane(ANN), describe_lane(GROUP), describe_lane(0)) == (
        "a private chat",
        "chat -100",
        "chat 0",
    )


@pytest.mark.parametrize(("blocked", "wait"), [(0.0, 0.0), (55.0, 5.0), (100.0, 10.0)])
def test_what_may_be_ephemeral_waits_only_within_its_window(blocked: float, wait: float) -> None:
    """Ten seconds are left: then it goes another way, whatever the group is like."""
    this = lane(request(1, TELL_PRIVATELY, ways=[EPHEMERAL], until=70.0))
    this.blocked_until = blocked
    assert this.choose_next(PACE, 50.0, 60.0) == (this.waiting[0], wait)


def test_what_may_have_left_is_looked_for_first_and_no_window_hurries_that() -> None:
    this = lane(request(1, TELL_PRIVATELY, ways=[EPHEMERAL], until=62.0, left={"after": 60, "at": 50.0}))
    this.blocked_until = 58.0
    assert this.choose_next(PACE, 50.0, 60.0) == (this.waiting[0], 8.0)


def test_what_changes_the_same_message_before_or_behind_a_request() -> None:
    edits = [request(n, "editMessageText", params={"message_id": 5, "text": "x"}) for n in (1, 2, 3)]
    other, post = request(4, "editMessageText", params={"message_id": 6, "text": "x"}), request(5)
    this = lane(*edits, other, post)
    first, second, third = edits
    assert this.find_edits_of_same_message(second, later=True) == [third]
    assert this.find_edits_of_same_message(second, later=False) == [first]
    assert (
        this.find_edits_of_same_message(other, later=True)
        == this.find_edits_of_same_message(other, later=False)
        == []
    )
    assert this.find_edits_of_same_message(post, later=False) == []
