"""Verify the `initData` with which Telegram opens a page.

https://core.telegram.org/bots/webapps#validating-data
All invalid data raises the same error, which repeats nothing of the data.
"""

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl

from bot.board.rules import Person


class InitDataError(Exception):
    """The data was not made by Telegram for this bot, or is too old."""


@dataclass(frozen=True, slots=True)
class InitData:
    person: Person
    start_param: str  # the value of `startapp` in the link; empty without
    auth_date: int  # when it was made, in seconds since 1970
    digest: str  # of the content, however it was encoded: the same when it is used again


MAX_CLOCK_LEAD = 60.0  # seconds by which Telegram's clock may be ahead of this one
MAX_AGE = 3600.0  # seconds


def verify_init_data(raw: str, token: str, now: float) -> InitData:
    """Return the content of `raw`. Raises InitDataError if it is forged, for another bot, or too old."""
    pairs = _parse_pairs(raw)
    given_hash = pairs.pop("hash", "")  # is of all other pairs
    key = hmac.digest(b"WebAppData", token.encode(), "sha256")
    right_hash = hmac.digest(key, _join_pairs(pairs).encode(), "sha256").hex()
    if not hmac.compare_digest(given_hash.encode(), right_hash.encode()):
        raise InitDataError
    pairs.pop("signature", None)  # of Telegram for third parties; not part of the digest
    try:
        auth_date = int(pairs["auth_date"])
        person = _parse_user(pairs["user"])
    except (LookupError, TypeError, ValueError):
        raise InitDataError from None
    age = now - auth_date
    if age < -MAX_CLOCK_LEAD or age > MAX_AGE:
        raise InitDataError
    digest = hashlib.sha256(_join_pairs(pairs).encode()).hexdigest()
    return InitData(person, pairs.get("start_param", ""), auth_date, digest)


def _parse_user(text: str) -> Person:
    """Return the person in Telegram's JSON. Raises LookupError, TypeError or ValueError for other texts."""
    user = json.loads(text)
    return Person(int(user["id"]), user["first_name"], user.get("username"), user.get("language_code", ""))


VALID_KEY = re.compile(r"[a-z0-9_]+")
MAX_PAIRS = 32
MAX_INIT_DATA_CHARS = 4096  # Telegram sends about 500


def _parse_pairs(raw: str) -> dict[str, str]:
    """Return the decoded values by key. Raises InitDataError for anything that could be read in two ways."""
    if len(raw) > MAX_INIT_DATA_CHARS or not raw.isascii():
        raise InitDataError
    try:
        parsed = parse_qsl(
            raw, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=MAX_PAIRS
        )
    except ValueError:
        raise InitDataError from None
    pairs = dict(parsed)
    if len(pairs) < len(parsed):  # a key came twice
        raise InitDataError
    # With a line feed, one pair could pass for two.
    if any(not VALID_KEY.fullmatch(key) or "\n" in value for key, value in pairs.items()):
        raise InitDataError
    return pairs


def _join_pairs(pairs: dict[str, str]) -> str:
    """Return the pairs as Telegram signs them: sorted by key, one on a line."""
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()))
