"""Seals: what was put in comes out again, by the same key for the same purpose alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.board.seals import Seal, SealError
from tests.bot.web.board.mutants import mutants


@given(st.binary(max_size=200))
def test_what_was_closed_opens(content: bytes) -> None:
    seal = Seal(b"key", "one")
    text = seal.close(content)
    assert seal.open(text, 400) == content
    assert Seal(b"key", "one").close(content) == text, "after a restart, and at every bot on the database"
    for other in (Seal(b"key", "two"), Seal(b"yek", "one")):
        with pytest.raises(SealError):
            other.open(text, 400)


@pytest.mark.parametrize("size", range(7))
def test_bits_that_mean_nothing_are_none(size: int) -> None:
    """However many bytes there are, a text has one last letter."""
    seal = Seal(b"key", "one")
    text = seal.close(b"x" * size)
    opened = []
    for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        try:
            opened.append((last, seal.open(text[:-1] + last, 400)))
        except SealError:
            continue
    assert opened == [(text[-1], b"x" * size)]


def test_a_mutant_opens_nothing() -> None:
    seal = Seal(b"key", "one")
    for text in mutants(seal.close(b"a little text that is sealed"), 1000):
        with pytest.raises(SealError):
            seal.open(text, 400)


@pytest.mark.parametrize("text", ["", "A", "A" * 24, "A" * 23, "é" * 24, "A" * 401])
def test_what_is_none(text: str) -> None:
    with pytest.raises(SealError):
        Seal(b"key", "one").open(text, 400)
