"""What is known of updates that may still arrive."""

import asyncio

import pytest

from bot.arrivals import BELIEVED, MOST_AHEAD, POSTS, Arrivals, when


async def test_who_wants_to_know_waits_for_a_look_that_began_late_enough() -> None:
    arrivals = Arrivals()
    arrivals.want(100.0)
    waiting = asyncio.create_task(arrivals.caught_up())
    await asyncio.wait_for(arrivals.asked(), 60)
    arrivals.complete(99.0)
    await asyncio.sleep(0)
    assert arrivals.awaited
    assert not waiting.done()
    arrivals.complete(100.0)
    await asyncio.wait_for(waiting, 60)
    assert arrivals.through == 100.0
    assert not arrivals.awaited


async def test_what_is_known_already_is_not_asked_for() -> None:
    arrivals = Arrivals()
    arrivals.complete(100.0)
    arrivals.want(90.0)
    assert not arrivals.awaited
    await asyncio.wait_for(arrivals.caught_up(), 60)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(arrivals.asked(), 0.01)


def test_a_clock_that_was_set_back_voids_what_was_known() -> None:
    arrivals = Arrivals()
    arrivals.complete(7200.0)
    arrivals.complete(60.0)
    assert arrivals.through == 60.0


@pytest.mark.parametrize(("dated", "taken"), [(1e9, 1e9), (1e9 - BELIEVED - 1, 1e9), (1e9 + 60, 1e9 + 60)])
def test_a_date_is_believed_within_two_days(dated: float, taken: float) -> None:
    assert when(dated, 1e9) == taken


@pytest.mark.parametrize(
    ("lags", "ahead"),
    [
        ([], 0.0),
        ([0.3, 1.0], 0.0),
        ([12.4, 11.2, 40.0], 10.2),
        ([-30.0, 2.0], -30.0),
        ([0.2, 0.9], 0.0),
        ([-1e9], -MOST_AHEAD),
        ([1e9], MOST_AHEAD),
    ],
)
def test_the_quickest_post_tells_how_far_the_clock_is_ahead(lags: list[float], ahead: float) -> None:
    arrivals = Arrivals()
    for lag in lags:
        arrivals.posted(1e9, 1e9 + lag)
    assert arrivals.ahead == pytest.approx(ahead)


def test_a_clock_that_was_set_right_is_believed_after_some_posts() -> None:
    arrivals = Arrivals()
    for lag in [50.0] * POSTS + [0.2]:
        arrivals.posted(1e9, 1e9 + lag)
    assert arrivals.ahead == 0.0
