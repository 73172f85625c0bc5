"""Tokens: readable only with the same key and for the same purpose."""

import random
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.board import tokens
from bot.board.rules import Place
from bot.board.tokens import (
    BoardLinks,
    InvalidTokenError,
    PlaceTokens,
    TokenCipher,
)
from tests.bot.board.mutants import make_mutants


@given(st.binary(max_size=200))
def test_encrypted_content_decrypts_with_the_same_key_and_purpose(content: bytes) -> None:
    seal = TokenCipher(b"key", "one")
    text = seal.encrypt(content)
    assert seal.decrypt(text) == content
    assert TokenCipher(b"key", "one").encrypt(content) == text, (
        "after a restart, and at every bot on the database"
    )
    for other in (TokenCipher(b"key", "two"), TokenCipher(b"yek", "one")):
        with pytest.raises(InvalidTokenError):
            other.decrypt(text)


def test_mutated_ciphertexts_are_refused() -> None:
    seal = TokenCipher(b"key", "one")
    for text in make_mutants(seal.encrypt(b"a little text that is sealed"), 1000):
        with pytest.raises(InvalidTokenError):
            seal.decrypt(text)


@pytest.mark.parametrize("length", range(7))
def test_ciphertext_has_one_spelling(length: int) -> None:
    seal = TokenCipher(b"key", "one")
    text = seal.encrypt(b"x" * length)
    for last in set(string.ascii_letters + string.digits + "_-") - {text[-1]}:
        with pytest.raises(InvalidTokenError):
            seal.decrypt(text[:-1] + last)


@pytest.mark.parametrize("text", ["", "A", "A" * 24, "A" * 23, "é" * 24, "A" * 401])
def test_invalid_ciphertexts_are_refused(text: str) -> None:
    with pytest.raises(InvalidTokenError):
        TokenCipher(b"key", "one").decrypt(text)


TOKENS = PlaceTokens(b"made up")
GROUP_ROUND = -1001234567890, 17, 4711
GROUP = Place(*GROUP_ROUND)
PLACES = st.builds(
    Place,
    st.integers(-(2**52) + 1, 2**52 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**63),
    st.booleans(),
)


@pytest.mark.long
@given(PLACES, st.integers(1, 2**32 - 1))
def test_place_token_round_trips_until_it_expires(place: Place, until: int) -> None:
    token = TOKENS.make_token(place, until)
    assert len(token) == 56
    assert set(token) <= set(string.ascii_letters + string.digits + "_-")
    assert TOKENS.read_token(token, until - 1, watch_only=place.watch_only) == place
    with pytest.raises(InvalidTokenError):
        TOKENS.read_token(token, until, watch_only=place.watch_only)
    with pytest.raises(InvalidTokenError):
        TOKENS.read_token(token, until - 1, watch_only=not place.watch_only)
    with pytest.raises(InvalidTokenError):
        PlaceTokens(b"another").read_token(token, until - 1, watch_only=place.watch_only)


@pytest.mark.parametrize("watches", [False, True])
def test_mutated_place_tokens_are_refused(watches: bool) -> None:
    token = TOKENS.make_token(Place(-5, 0, 7, watches), 100)
    accepted = []
    for text in make_mutants(token, 1000):
        for either in (False, True):
            with suppress(InvalidTokenError):
                accepted.append((text, TOKENS.read_token(text, 0, watch_only=either)))
    assert accepted == []


def test_guessed_place_tokens_are_refused() -> None:
    chance = random.Random(7)
    letters = string.ascii_letters + string.digits + "_-"
    accepted = []
    for _ in range(1000):
        with suppress(InvalidTokenError):
            accepted.append(TOKENS.read_token("".join(chance.choices(letters, k=56)), 0))
    assert accepted == []


@given(st.text(max_size=100))
def test_any_text_is_refused_with_invalid_link_error(text: str) -> None:
    with pytest.raises(InvalidTokenError):
        TOKENS.read_token(text, 0)


@pytest.mark.parametrize("ending", ["\n", " ", "A", "AA", "AAAA"])
def test_tokens_have_one_spelling(ending: str) -> None:
    token = TOKENS.make_token(GROUP, 100)
    assert TOKENS.read_token(token, 0) == GROUP
    for text in (token + ending, ending + token, token.replace("-", "+").replace("_", "/") + ending):
        with pytest.raises(InvalidTokenError):
            TOKENS.read_token(text, 0)


def test_tokens_hide_their_place() -> None:
    # Nobody can read a chat's number from a link, or compare the links of two rounds.
    one, other = (TOKENS.make_token(Place(-1001234567890, 0, n), 100) for n in (1, 2))
    assert sum(a == b for a, b in zip(one, other, strict=True)) < 10


def test_links_of_rounds_and_spectators() -> None:
    made = BoardLinks(TOKENS, "https://bot.example.org/board", "TwentyFourBot", "play")
    start, _, token = made.make_round_link(*GROUP_ROUND, 0).partition("=")
    assert start == "https://t.me/TwentyFourBot/play?startapp"
    assert TOKENS.read_token(token, tokens.LINK_SECONDS) == GROUP
    assert (
        made.make_round_link(*GROUP_ROUND, tokens.DAY - 1)
        == made.make_round_link(*GROUP_ROUND, 0)
        != made.make_round_link(*GROUP_ROUND, tokens.DAY)
    )
    with pytest.raises(InvalidTokenError):
        TOKENS.read_token(token, tokens.LINK_SECONDS + tokens.DAY)
    assert made.make_round_link(7, 0, 0, 0) == "https://bot.example.org/board/"
    own = BoardLinks(TOKENS, "http://127.0.0.1:8080", "TwentyFourBot")
    assert own.make_round_link(7, 0, 0, 0) == "", "Telegram opens https alone"
    assert own.make_round_link(*GROUP_ROUND, 0).startswith("https://t.me/")
    assert len(token) < 80
    main = BoardLinks(TOKENS, "https://bot.example.org", "TwentyFourBot")
    assert main.make_round_link(*GROUP_ROUND, 0).startswith("https://t.me/TwentyFourBot?startapp=")
    address, _, shown = made.make_spectator_link(GROUP, 0).partition("#watch=")
    assert address == "https://bot.example.org/board/"
    assert TOKENS.read_token(shown, 0, watch_only=True) == Place(-1001234567890, 17, 4711, True)
