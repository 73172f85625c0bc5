"""Session keys and one-time keys of the board."""

import json
from contextlib import suppress

import pytest
from starlette.exceptions import HTTPException

from bot.board import authentication
from bot.board.authentication import (
    OneTimeKeys,
    Session,
    SessionKeys,
)
from bot.board.rules import Person, Place
from bot.board.tokens import InvalidTokenError
from tests.bot.board.mutants import make_mutants

ANN = Person(7, "Ann 🙂" * 10, "ann", "zh-hant")
TABLE = Session(ANN, Place(-5, 3, 9), 1000)
SECRET = b"made up"


@pytest.mark.parametrize(
    "session",
    [
        TABLE,
        Session(None, Place(-5, 3, 9, watch_only=True), 1000),
        Session(Person(7, "", None, ""), Place(7), 1000),
        Session(Person(2**52 - 1, "😀" * 128, "u" * 64, "x" * 35), Place(-(2**52), 2**31, 2**60), 2**33),
    ],
)
def test_session_key_round_trips(session: Session) -> None:
    key = SessionKeys(SECRET).encode_session(session)
    assert SessionKeys(SECRET).decode_session(key, session.expires_at - 1) == session
    with pytest.raises(InvalidTokenError):
        SessionKeys(SECRET).decode_session(key, session.expires_at)
    with pytest.raises(InvalidTokenError):
        SessionKeys(b"another").decode_session(key, 0)


def test_mutated_session_keys_are_refused() -> None:
    kept, accepted = SessionKeys(SECRET), []
    for text in make_mutants(kept.encode_session(TABLE), 1000):
        with suppress(InvalidTokenError):
            accepted.append((text, kept.decode_session(text, 0)))
    assert accepted == []


def test_session_key_hides_its_content() -> None:
    key = SessionKeys(SECRET).encode_session(TABLE)
    assert json.dumps("Ann") not in key
    assert "ann" not in key.lower()[:20]


def test_one_time_key_opens_once() -> None:
    keys = OneTimeKeys()
    key, other = keys.create_key(ANN, Place(-24), 0), keys.create_key(ANN, Place(-24), 0)
    assert key != other
    assert len(key) >= 22
    assert keys.use_key(key, 1) == (ANN, Place(-24))
    with pytest.raises(HTTPException, match="403"):
        keys.use_key(key, 1)
    assert keys.use_key(other, 1) == (ANN, Place(-24))


def test_one_time_key_expires() -> None:
    keys = OneTimeKeys()
    key = keys.create_key(ANN, Place(-24), 0)
    with pytest.raises(HTTPException, match="401"):
        keys.use_key(key, authentication.ONE_TIME_KEY_SECONDS)


def test_made_up_one_time_keys_are_refused() -> None:
    keys = OneTimeKeys()
    key = keys.create_key(ANN, Place(-24), 0)
    for text in [*make_mutants(key, 1000), "", "\ud800", "x" * 5000]:
        with pytest.raises(HTTPException, match="401"):
            keys.use_key(text, 1)
    assert keys.use_key(key, 1)
