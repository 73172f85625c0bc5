"""Limits: so much at once, so much on end, and never more memory than is set."""

import pytest
from starlette.requests import Request

from bot.web.board.limits import Buckets, Rate, address_of, retry_after


def test_a_bucket_empties_and_fills_again() -> None:
    buckets = Buckets(Rate(3, 0.5))
    assert [buckets.take("ann", 0.0) for _ in range(4)] == [0, 0, 0, 2.0]
    assert buckets.take("bob", 0.0) == 0
    assert buckets.take("ann", 1.0) == 1.0
    assert buckets.take("ann", 2.0) == 0
    assert buckets.take("ann", 2.0) == 2.0
    assert [buckets.take("ann", 1000.0) for _ in range(4)] == [0, 0, 0, 2.0]


def test_a_clock_that_goes_back_takes_nothing() -> None:
    buckets = Buckets(Rate(1, 1))
    assert buckets.take("ann", 10.0) == 0
    assert buckets.take("ann", 5.0) == 1.0


def test_memory_is_bounded() -> None:
    buckets = Buckets(Rate(1, 1), most=100)
    for number in range(10_000):
        buckets.take(number, 0.0)
    assert len(buckets) == 100
    assert buckets.take(9_999, 0.0) > 0, "who came last is remembered"


@pytest.mark.parametrize(("seconds", "said"), [(0.01, "1"), (1.0, "1"), (1.2, "2"), (59.9, "60")])
def test_when_to_come_again(seconds: float, said: str) -> None:
    assert retry_after(seconds) == {"Retry-After": said}


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("93.184.216.34", [], "93.184.216.34"),
        ("93.184.216.34", ["1.2.3.4"], "93.184.216.34"),  # a stranger's word
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("10.0.0.2", ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        ("172.18.0.5", ["6.6.6.6, 1.2.3.4, 172.18.0.1"], "172.18.0.1"),  # whoever has an inner address
        ("127.0.0.1", ["6.6.6.6, 10.0.0.7"], "10.0.0.7"),
        ("127.0.0.1", ["6.6.6.6, 1.2.3.4:56789"], "1.2.3.4"),
        ("127.0.0.1", ["[2a00:1450:1:2:3:4:5:6]:443"], "2a00:1450:1:2::"),
        ("127.0.0.1", ["[2a00:1450:1:2:3:4:5:6]"], "2a00:1450:1:2::"),
        ("127.0.0.1", ["1.2.3.4:"], "?"),
        ("127.0.0.1", ["2a00:1450:1:2:3:4:5:6:443"], "?"),
        ("127.0.0.1", ["6.6.6.6", "1.2.3.4"], "1.2.3.4"),
        ("127.0.0.1", ["192.168.1.20"], "192.168.1.20"),
        ("127.0.0.1", ["1.2.3.4, nonsense"], "?"),
        ("127.0.0.1", [", ,"], "127.0.0.1"),
        ("::1", ["2a00:1450:1:2:3:4:5:6"], "2a00:1450:1:2::"),
        ("2a01:4f8:1:2:3:4:5:6", [], "2a01:4f8:1:2::"),
        ("::ffff:93.184.216.34", [], "93.184.216.34"),
        ("::ffff:127.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("fe80::1%eth0", [], "fe80::"),
        ("", [], "?"),
    ],
)
def test_whose_address_it_is(peer: str, forwarded: list[str], address: str) -> None:
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    request = Request({"type": "http", "headers": headers, "client": (peer, 1) if peer else None})
    assert address_of(request) == address
