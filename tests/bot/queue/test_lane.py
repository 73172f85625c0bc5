"""Choice of the next request of a chat, and when it may be sent."""

from dataclasses import replace
from typing import Any

import pytest

from bot.queue.outgoing import TELL_PRIVATELY, Way
from bot.queue.pacing import Lane, Pace, describe_lane
from bot.queue.queries import QueuedRequest
from tests.bot.queue.queue_database import make_outgoing

GROUP, ANN = -100, 1
PACE = Pace()


def make_request(
    number: int, method: str = "sendMessage", lane: int = GROUP, at: float = 0.0, **body: Any
) -> QueuedRequest:
    return QueuedRequest(
        number, make_outgoing(lane, {"method": method, "params": {"text": "x"}, **body}), at, 1
    )


def make_show_request(number: int, round_: int = 7, **body: Any) -> QueuedRequest:
    return make_request(number, "show", round=round_, **body)


def make_lane(*waiting: QueuedRequest, key: int = GROUP) -> Lane:
    return Lane(key, list(waiting))


def make_lane_with_posts(at: float, posts: int = PACE.posts_a_minute) -> Lane:
    lane = Lane(GROUP)
    for _ in range(posts):
        lane.posts.add(at)
    return lane


def test_requests_are_sent_at_once_and_in_order() -> None:
    first, second = make_request(1), make_request(2)
    assert make_lane(first, second).choose_next(PACE, 50.0, 0.0) == (first, 0.0)


@pytest.mark.parametrize(
    "waits",
    [make_request(1), make_request(1, lane=ANN), make_show_request(1), make_request(1, aside=True, at=-61.0)],
)
def test_nothing_waits_right_after_the_machine_started(waits: QueuedRequest) -> None:
    assert make_lane(waits, key=waits.lane).choose_next(PACE, 0.0, 0.0) == (waits, 0.0)


def test_blocked_chat_chooses_only_expired_asides() -> None:
    expired = make_request(2, aside=True, at=0.0)
    lane = make_lane(make_request(1), make_request(3, "editMessageText"))
    lane.blocked_until = 58.0
    assert lane.choose_next(PACE, 50.0, 61.0) == (lane.waiting[0], 8.0)
    assert lane.choose_next(PACE, 58.0, 61.0) == (lane.waiting[0], 0.0)
    lane.waiting = [lane.waiting[1], expired]
    assert lane.choose_next(PACE, 50.0, 61.0) == (expired, 0.0)
    assert lane.choose_next(PACE, 50.0, 60.0) == (lane.waiting[0], 8.0)
    lane.waiting = [make_request(1), expired]
    assert lane.choose_next(PACE, 50.0, 61.0) == (lane.waiting[0], 8.0)


def test_first_of_the_sendable_requests_is_chosen() -> None:
    lane = make_lane(make_show_request(1), make_request(2, "editMessageText"))
    lane.drawn_at = {7: 49.0}
    assert lane.choose_next(PACE, 50.0, 0.0) == (lane.waiting[0], 0.0)


def test_full_minute_delays_posts_and_no_edits() -> None:
    lane = make_lane_with_posts(10.0)
    lane.waiting = [make_request(1), make_request(2, "editMessageText")]
    assert lane.choose_next(PACE, 50.0, 0.0) == (lane.waiting[1], 0.0)
    del lane.waiting[1]
    assert lane.choose_next(PACE, 50.0, 0.0) == (lane.waiting[0], 20.0)
    assert lane.choose_next(PACE, 70.0, 0.0) == (lane.waiting[0], 0.0)


def test_private_chat_has_no_limit_of_posts() -> None:
    lane = make_lane_with_posts(10.0)
    lane.key = ANN
    lane.waiting = [make_request(1, lane=ANN)]
    assert lane.choose_next(PACE, 50.0, 0.0) == (lane.waiting[0], 0.0)


def test_posts_overtake_asides_and_no_other_posts() -> None:
    lane = make_lane_with_posts(10.0, PACE.asides_a_minute + 2)
    lane.waiting = [make_request(1, aside=True), make_request(2)]
    assert lane.choose_next(PACE, 50.0, 0.0) == (lane.waiting[1], 0.0)
    other_lane = make_lane_with_posts(10.0)
    other_lane.waiting = [make_show_request(1, new=True), make_request(2)]
    other_lane.posts.posts.pop()
    other_lane.blocked_until = 51.0
    assert other_lane.choose_next(PACE, 50.0, 0.0) == (other_lane.waiting[0], 1.0)


def test_aside_over_a_persons_share_does_not_delay_others() -> None:
    lane = make_lane_with_posts(10.0, PACE.asides_a_minute)
    first, other = (
        make_request(1, aside=True),
        replace(make_request(2, aside=True), caused_by=2),
    )
    lane.posts.add(40.0, 1)
    lane.waiting = [first, other]
    assert lane.choose_next(PACE, 50.0, 0.0) == (other, 0.0)


def test_request_with_the_shortest_wait_is_chosen() -> None:
    lane = make_lane(make_show_request(1, 7), make_show_request(2, 8))
    lane.drawn_at = {7: 50.0, 8: 49.5}
    assert lane.choose_next(PACE, 50.25, 0.0) == (lane.waiting[1], 0.25)
    lane.drawn_at = {7: 49.5, 8: 50.0}
    assert lane.choose_next(PACE, 50.25, 0.0) == (lane.waiting[0], 0.25)


def test_round_is_redrawn_once_a_second() -> None:
    lane = make_lane(make_show_request(1))
    assert lane.choose_next(PACE, 50.0, 0.0)[1] == 0.0
    lane.drawn_at = {7: 49.0}
    assert lane.choose_next(PACE, 49.75, 0.0)[1] == 0.25
    assert lane.choose_next(PACE, 50.0, 0.0)[1] == 0.0
    lane.blocked_until = 55.0
    assert lane.choose_next(PACE, 50.0, 0.0)[1] == 5.0


def test_pauses_double_up_to_15_seconds() -> None:
    lane, blocked = make_lane(), []
    for _ in range(6):
        lane.back_off(100.0)
        blocked.append(lane.blocked_until - 100.0)
    assert blocked == [1.0, 2.0, 4.0, 8.0, 15.0, 15.0]


def test_only_the_same_request_object_is_removed() -> None:
    """SQLite may give a new request the id of one that has just been deleted."""
    old, new = make_request(1), make_request(1)
    lane = make_lane(old, new, make_request(2))
    lane.failures = {1: 3, 2: 1}
    lane.recheck_at = {1: 70.0, 2: 80.0}
    lane.remove([old])
    assert [id(one) for one in lane.waiting] == [id(new), id(lane.waiting[-1])]
    assert (lane.failures, lane.recheck_at) == ({2: 1}, {2: 80.0})
    lane.remove([make_request(9)])
    assert len(lane.waiting) == 2


@pytest.mark.parametrize(
    ("change", "idle"),
    [
        ({}, True),
        ({"waiting": [make_request(1)]}, False),
        ({"task": object()}, False),
        ({"blocked_until": 100.0}, True),
        ({"blocked_until": 100.1}, False),
    ],
)
def test_lane_is_over_when_nothing_waits_or_blocks(change: dict[str, Any], idle: bool) -> None:
    lane = make_lane()
    for name, value in change.items():
        setattr(lane, name, value)
    assert lane.is_over(100.0) is idle


def test_lane_with_a_post_in_the_last_minute_is_not_over() -> None:
    lane = make_lane_with_posts(50.0, 1)
    assert not lane.is_over(100.0)
    assert lane.is_over(110.0)


def test_log_names_groups_only() -> None:
    assert (describe_lane(ANN), describe_lane(GROUP), describe_lane(0)) == (
        "a private chat",
        "chat -100",
        "chat 0",
    )


@pytest.mark.parametrize(("blocked", "wait"), [(0.0, 0.0), (55.0, 5.0), (100.0, 10.0)])
def test_ephemeral_message_waits_only_within_its_window(blocked: float, wait: float) -> None:
    """Ten seconds are left; then the next way is tried."""
    lane = make_lane(make_request(1, TELL_PRIVATELY, to=ANN, ways=[Way.EPHEMERAL], until=70.0))
    lane.blocked_until = blocked
    assert lane.choose_next(PACE, 50.0, 60.0) == (lane.waiting[0], wait)


def test_search_for_an_ephemeral_message_ignores_its_window() -> None:
    lane = make_lane(
        make_request(
            1, TELL_PRIVATELY, to=ANN, ways=[Way.EPHEMERAL], until=62.0, left={"after": 60, "at": 50.0}
        )
    )
    lane.blocked_until = 58.0
    assert lane.choose_next(PACE, 50.0, 60.0) == (lane.waiting[0], 8.0)
