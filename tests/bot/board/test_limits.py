"""Limits: so much at once, so much on end, and never more memory than is set."""

import pytest

from bot.board.limits import Buckets, Rate, retry_after


def test_a_bucket_empties_and_fills_again() -> None:
    buckets = Buckets(Rate(3, 0.5))
    assert [buckets.take(1, 0.0) for _ in range(4)] == [0, 0, 0, 2.0]
    assert buckets.take(2, 0.0) == 0
    assert buckets.take(1, 1.0) == 1.0
    assert buckets.take(1, 2.0) == 0
    assert buckets.take(1, 2.0) == 2.0
    assert [buckets.take(1, 1000.0) for _ in range(4)] == [0, 0, 0, 2.0]


def test_a_clock_that_goes_back_takes_nothing() -> None:
    buckets = Buckets(Rate(1, 1))
    assert buckets.take(1, 10.0) == 0
    assert buckets.take(1, 5.0) == 1.0


def test_memory_is_bounded() -> None:
    buckets = Buckets(Rate(1, 1), most=100)
    for number in range(10_000):
        buckets.take(number, 0.0)
    assert len(buckets) == 100
    assert buckets.take(9_999, 0.0) > 0, "who came last is remembered"


@pytest.mark.parametrize(("seconds", "said"), [(0.01, "1"), (1.0, "1"), (1.2, "2"), (59.9, "60")])
def test_when_to_come_again(seconds: float, said: str) -> None:
    assert retry_after(seconds) == {"Retry-After": said}
