"""The time up to which all updates have arrived, and the error of this machine's clock."""

import asyncio
import logging

import pytest

from bot.queue.updates import CLOCK_ADVICE, Watermark, resolve_sent_time


async def test_request_is_met_by_a_fetch_that_started_late_enough() -> None:
    watermark = Watermark()
    watermark.request_until(100.0)
    await asyncio.wait_for(watermark.wait_for_request(), 60)
    watermark.mark_received(99.0)
    assert watermark.is_awaited
    watermark.mark_received(100.0)
    assert watermark.received_until == 100.0
    assert not watermark.is_awaited


async def test_request_before_the_watermark_is_met_at_once() -> None:
    watermark = Watermark()
    watermark.mark_received(100.0)
    watermark.request_until(90.0)
    assert not watermark.is_awaited
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watermark.wait_for_request(), 0.01)


def test_watermark_follows_a_clock_that_is_set_back() -> None:
    watermark = Watermark()
    watermark.mark_received(7200.0)
    watermark.mark_received(60.0)
    assert watermark.received_until == 60.0


def test_update_up_to_a_minute_ahead_advances_the_watermark() -> None:
    watermark = Watermark()
    watermark.observe_update(1060.0, 1000.0)
    assert watermark.received_until == 1060.0
    watermark.observe_update(1061.0, 1000.0)
    assert watermark.received_until == 1060.0


@pytest.mark.parametrize(
    ("lag", "is_right"), [(61.0, True), (61.1, False), (-60.0, True), (-60.1, False), (400 * 86_400.0, False)]
)
def test_clock_that_is_a_minute_off_is_wrong_and_logged(
    lag: float, is_right: bool, caplog: pytest.LogCaptureFixture
) -> None:
    watermark = Watermark()
    assert not watermark.is_clock_right
    watermark.observe_response(10_000.0, 10_000.0 + lag)
    assert watermark.is_clock_right == is_right
    assert bool(watermark.clock_error) == bool(caplog.messages) == (not is_right)


def test_dates_of_posts_overrule_dates_of_responses() -> None:
    """A local Bot API server dates its responses by this machine's clock."""
    watermark = Watermark()
    watermark.observe_response(1e9, 1e9)
    watermark.observe_post(1e9 - 3600, 1e9 + 1)
    watermark.observe_response(1e9, 1e9)
    assert watermark.clock_ahead == 3600.0
    assert not watermark.is_clock_right


@pytest.mark.parametrize(("lag", "is_compared"), [(59.0, True), (-60.0, True), (61.0, False), (-61.0, False)])
def test_recent_message_compares_the_clocks(lag: float, is_compared: bool) -> None:
    watermark = Watermark()
    watermark.observe_message(1e9, 1e9 + lag)
    assert watermark.is_compared == is_compared


def test_clock_that_is_set_right_is_right_at_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    watermark = Watermark()
    watermark.observe_uptime(1e9 + 400 * 86_400, 50.0)
    watermark.observe_response(1e9, 1e9 + 400 * 86_400)
    assert not watermark.is_clock_right
    watermark.observe_uptime(1e9 + 1, 51.0)
    assert watermark.is_clock_right
    assert caplog.messages[-1] == "this machine's clock agrees with Telegram's again"


def test_clock_was_set_if_it_moved_by_more_than_a_second() -> None:
    watermark = Watermark()
    watermark.observe_uptime(1000.0, 0.0)
    watermark.observe_uptime(1001.0, 0.0)
    assert watermark.clock_ahead == 0.0
    watermark.observe_uptime(1001.5, 0.0)
    assert watermark.clock_ahead == 1.5


@pytest.mark.parametrize(
    ("dated", "expected"),
    [
        (1e9 - 172_800, 1e9 - 172_800),
        (1e9 - 172_801, 1e9),
        (1e9, 1e9),
        (1e9 - 172_800.0 - 1, 1e9),
        (1e9 + 60, 1e9 + 60),
    ],
)
def test_date_is_believed_within_two_days(dated: float, expected: float) -> None:
    assert resolve_sent_time(dated, 1e9) == expected


@pytest.mark.parametrize(
    ("lags", "ahead"),
    [
        ([], 0.0),
        ([0.3, 1.0], 0.0),
        ([12.4, 11.2, 40.0], 10.2),
        ([-30.0, 2.0], -30.0),
        ([0.2, 0.9], 0.0),
        ([3601.0], 3600.0),
        ([-3600.0], -3600.0),
        ([-1e9], -1e9),
        ([1e9 + 1], 1e9),
    ],
)
def test_fastest_post_shows_how_far_the_clock_is_ahead(lags: list[float], ahead: float) -> None:
    watermark = Watermark()
    for lag in lags:
        watermark.observe_post(1e9, 1e9 + lag)
    assert watermark.clock_ahead == pytest.approx(ahead)


def test_clock_that_was_set_right_is_noticed_after_some_posts() -> None:
    watermark = Watermark()
    for lag in [50.0] * 20 + [0.2]:
        watermark.observe_post(1e9, 1e9 + lag)
    assert watermark.clock_ahead == 0.0


def test_update_does_not_cover_its_own_second() -> None:
    watermark, deadline = Watermark(), 1000.0
    watermark.request_until(deadline + 2.0)
    watermark.observe_update(deadline, 1030.0)
    assert watermark.is_awaited  # other updates of that second may follow
    watermark.observe_update(deadline + 2.0, 1030.0)
    assert not watermark.is_awaited


def test_update_from_the_past_or_far_future_leaves_the_watermark() -> None:
    watermark = Watermark()
    watermark.mark_received(1000.0)
    watermark.observe_update(900.0, 1000.0)
    watermark.observe_update(90_000.0, 1000.0)
    assert watermark.received_until == 1000.0


@pytest.mark.parametrize(("jump", "ahead"), [(60.0, 59.5), (3600.0, 3599.5), (-60.0, -59.5), (1.5, 1.0)])
def test_clock_that_is_set_is_noticed_at_the_next_check(jump: float, ahead: float) -> None:
    watermark = Watermark()
    watermark.observe_uptime(1e9, 50.0)
    for _ in range(20):
        watermark.observe_post(1e9, 1e9 + 0.5)
    watermark.observe_uptime(1e9 + 10, 60.0)
    assert watermark.clock_ahead == 0.0
    watermark.observe_uptime(1e9 + 20 + jump, 70.0)
    assert watermark.clock_ahead == ahead
    watermark.observe_uptime(1e9 + 30 + jump, 80.0)  # once
    assert watermark.clock_ahead == ahead
    watermark.observe_uptime(1e9 + 40, 90.0)  # and set right again
    assert watermark.clock_ahead == 0.0


def test_clock_set_right_after_a_pause_is_noticed_at_the_next_response() -> None:
    """The machine and its uptime stood still for an hour; then its clock was set."""
    watermark = Watermark()
    watermark.observe_uptime(1e9, 50.0)
    watermark.observe_post(1e9, 1e9)
    watermark.observe_uptime(1e9 + 3600, 50.0)
    assert not watermark.is_clock_right
    watermark.observe_response(1e9 + 3600, 1e9 + 3600)
    assert watermark.is_clock_right
    assert watermark.clock_ahead == 0.0


def test_small_steps_of_a_clock_add_up() -> None:
    watermark = Watermark()
    watermark.observe_post(1e9, 1e9 + 0.5)
    for step in range(11):
        watermark.observe_uptime(1e9 + step * 0.9, 50.0)
    assert watermark.clock_ahead == 8.5  # ten steps, less the half second of the post


@pytest.mark.parametrize(("before", "jump", "after"), [(0, 60, 60), (0, -60, 0), (60, -60, 0), (-60, 60, 0)])
def test_jump_before_any_comparison_closes_nothing_early(before: float, jump: float, after: float) -> None:
    """Nobody knows whether the clock was right before or is right since."""
    watermark = Watermark()
    watermark.clock_ahead = before
    watermark.observe_uptime(1e9, 50.0)
    watermark.observe_uptime(1e9 + jump, 50.0)
    assert watermark.clock_ahead == after


@pytest.mark.parametrize(
    ("ahead", "lag", "after"),
    [
        (60.0, 0.5, 0.5),  # the clock was set right before
        (60.0, 3600.0, 60.0),  # the message was delayed
        (0.0, -30.0, -30.0),
        (0.0, -1e9, 0.0),
    ],
)
def test_message_limits_how_far_the_clock_is_ahead(ahead: float, lag: float, after: float) -> None:
    watermark = Watermark()
    watermark.clock_ahead = ahead
    watermark.observe_message(1e9, 1e9 + lag)
    assert watermark.clock_ahead == after


@pytest.mark.parametrize(("lag", "expected"), [(3601.0, "3600 s ahead of"), (-1e9, "1000000000 s behind")])
def test_wrong_clock_is_logged_once(lag: float, expected: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    watermark = Watermark()
    for _ in range(3):
        watermark.observe_post(1e9, 1e9 + lag)
    assert caplog.messages == [f"this machine's clock is {expected} Telegram's: {CLOCK_ADVICE}"]


def test_watermark_is_corrected_by_the_error_of_the_clock() -> None:
    watermark = Watermark()
    watermark.mark_received(1e9 + 3600)
    watermark.observe_post(1e9, 1e9 + 3601)
    assert watermark.received_until == 1e9
    watermark.observe_post(1e9, 1e9)
    assert watermark.received_until == 1e9
