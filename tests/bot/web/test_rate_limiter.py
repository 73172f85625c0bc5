"""Rate limits."""

import pytest

from bot.web.server import Rate, RateLimiter, make_retry_after_header


def test_bucket_empties_and_refills() -> None:
    buckets = RateLimiter(Rate(3, 0.5))
    assert [buckets.take_token(1, 0.0) for _ in range(4)] == [0, 0, 0, 2.0]
    assert buckets.take_token(2, 0.0) == 0
    assert buckets.take_token(1, 1.0) == 1.0
    assert buckets.take_token(1, 2.0) == 0
    assert buckets.take_token(1, 2.0) == 2.0
    assert [buckets.take_token(1, 1000.0) for _ in range(4)] == [0, 0, 0, 2.0]


def test_clock_going_back_takes_no_tokens() -> None:
    buckets = RateLimiter(Rate(1, 1))
    assert buckets.take_token(1, 10.0) == 0
    assert buckets.take_token(1, 5.0) == 1.0


@pytest.mark.parametrize(("seconds", "expected"), [(0.01, "1"), (1.0, "1"), (1.2, "2"), (59.9, "60")])
def test_retry_after_is_rounded_up(seconds: float, expected: str) -> None:
    assert make_retry_after_header(seconds) == {"Retry-After": expected}
