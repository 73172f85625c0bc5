"""Whose an address is."""

import pytest

from bot.web.peers import household, is_inner


@pytest.mark.parametrize(
    ("address", "inner", "whose"),
    [
        ("93.184.216.34", False, "93.184.216.34"),
        ("127.0.0.1", True, "127.0.0.1"),
        ("10.0.0.2", True, "10.0.0.2"),
        ("::ffff:10.0.0.2", True, "10.0.0.2"),
        ("::ffff:93.184.216.34", False, "93.184.216.34"),
        ("2a01:4f8:1:2:3:4:5:6", False, "2a01:4f8:1:2::"),
        ("fe80::1%eth0", True, "fe80::"),
        ("", False, "?"),
        ("nonsense", False, "?"),
    ],
)
def test_an_address_is_inner_or_a_households(address: str, inner: bool, whose: str) -> None:
    assert (is_inner(address), household(address)) == (inner, whose)
