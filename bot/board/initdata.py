"""Who opens the page from within Telegram: its `initData`, checked.

Telegram signs what it hands to a page twice: with a key that is made of the bot's token, for the bot itself,
and by Ed25519, for whoever does not have the token. https://core.telegram.org/bots/webapps#validating-data
Whatever is wrong with it, the error is the same and says nothing of what was sent.
"""

import binascii
import hashlib
import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from bot.board.rules import Person

# Telegram's public keys, of its own servers and of those for tests.
TEST_PUBLIC_KEY = bytes.fromhex("40055058a4ee38156a06562e52eece92a771bcd8346a8c4615cb7376eddf72ec")


class InitDataError(Exception):
    """It was not made by Telegram for this bot, or not lately."""


class MissingPackageError(Exception):
    """The package that checks Telegram's signature is missing: `pip install 'twentyfour[board]'`."""


@dataclass(frozen=True, slots=True)
class InitData:
    """The parts of a sound `initData`."""

    person: Person
    start_param: str  # what stood behind `startapp=` in the link; empty without
    # Of the chat in which the link was: private, group, supergroup, channel, or sender; empty if untold.
    chat_type: str
    chat_instance: str  # stands for that chat, and is not its id
    auth_date: int  # when it was made, in seconds since 1970
    digest: str  # the same for the same content, however that is written: by it a second use is known


HASH, SIGNATURE = re.compile(r"[0-9a-f]{64}"), re.compile(r"[A-Za-z0-9_-]{86}")


def verify_init_data(raw: str, token: str, now: float) -> InitData:
    """Return what `raw` says if Telegram made it for the bot with this token. Raises InitDataError."""
    pairs = _parse_pairs(raw)
    given = pairs.pop("hash", "")
    key = hmac.digest(b"WebAppData", token.encode(), "sha256")
    right = hmac.digest(key, _lines(pairs).encode(), "sha256").hex()
    if not HASH.fullmatch(given) or not hmac.compare_digest(given.encode(), right.encode()):
        raise InitDataError
    return _make_init_data(pairs, now)


PRODUCTION_PUBLIC_KEY = bytes.fromhex("e7bf03a2fa4602af4580703d88dda5bb59f32ed8b02a56c187fe7d34caed242d")


def verify_init_data_by_public_key(
    raw: str, bot_id: int, now: float, key: bytes = PRODUCTION_PUBLIC_KEY
) -> InitData:
    """Return the same for whoever knows the bot's id alone, by Telegram's public key (32 bytes).

    Raises InitDataError, and LackingError where the extra `board` is not installed.
    """
    verify = _make_verifier(key)
    pairs = _parse_pairs(raw)
    given, _ = pairs.get("signature", ""), pairs.pop("hash", "")
    said = f"{bot_id}:WebAppData\n{_lines(pairs, 'signature')}".encode()
    if not SIGNATURE.fullmatch(given) or not verify(_signature(given), said):
        raise InitDataError
    return _make_init_data(pairs, now)


def _make_verifier(key: bytes) -> Callable[[bytes, bytes], bool]:
    """Return a function that says whether a signature is this key's. Raises LackingError."""
    try:
        from cryptography.exceptions import InvalidSignature  # here: it is an extra
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise MissingPackageError from None
    public = Ed25519PublicKey.from_public_bytes(key)

    def verify(signature: bytes, said: bytes) -> bool:
        try:
            public.verify(signature, said)
        except InvalidSignature:
            return False
        return True

    return verify


def _signature(given: str) -> bytes:
    try:
        raw = urlsafe_b64decode(f"{given}==")
    except (binascii.Error, ValueError):
        raise InitDataError from None
    if urlsafe_b64encode(raw).decode().rstrip("=") != given:
        raise InitDataError
    return raw


PAIR = re.compile(r"([a-z][a-z0-9_]{0,31})=((?:[^%&=\s]|%[0-9A-Fa-f]{2})*)", re.ASCII)
MOST_PAIRS = 32
MAX_INIT_DATA_CHARS = 4096  # characters of it at most; Telegram's have some five hundred


def _parse_pairs(raw: str) -> dict[str, str]:
    """Return keys and decoded values. Raises InitDataError for anything that could be read in two ways."""
    if len(raw) > MAX_INIT_DATA_CHARS or not raw.isascii():
        raise InitDataError
    found = dict[str, str]()
    parts = raw.split("&")
    for part in parts[: MOST_PAIRS + 1]:
        pair = PAIR.fullmatch(part)
        if pair is None or pair[1] in found:
            raise InitDataError
        found[pair[1]] = _decoded(pair[2])
    if len(parts) > MOST_PAIRS:
        raise InitDataError
    return found


# What stands in no value: a line's end would let one pair pass for two, or two for one.
UNSEEN = re.compile(r"[\x00-\x1f\x7f]")


def _decoded(value: str) -> str:
    try:
        text = unquote_to_bytes(value.replace("+", " ")).decode()
    except UnicodeDecodeError:
        raise InitDataError from None
    if UNSEEN.search(text):
        raise InitDataError
    return text


def _lines(pairs: Mapping[str, str], without: str = "") -> str:
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()) if key != without)


KINDS = {"", "sender", "private", "group", "supergroup", "channel"}
START = re.compile(r"[A-Za-z0-9_-]{0,512}")
MOMENT = re.compile(r"[1-9][0-9]{0,11}")
MAX_CLOCK_LEAD = 60.0  # seconds by which Telegram's clock may be ahead of this one
MAX_AGE = 3600.0  # seconds after which it opens nothing any more


def _make_init_data(pairs: Mapping[str, str], now: float) -> InitData:
    """Return the parts of a sound one. Raises InitDataError if it is too old."""
    made, kind, start = pairs.get("auth_date", ""), pairs.get("chat_type", ""), pairs.get("start_param", "")
    if not MOMENT.fullmatch(made) or not -MAX_CLOCK_LEAD <= now - int(made) <= MAX_AGE:
        raise InitDataError
    if kind not in KINDS or not START.fullmatch(start):
        raise InitDataError
    said = hashlib.sha256(_lines(pairs, "signature").encode()).hexdigest()
    person, instance = _make_person(pairs.get("user", "")), pairs.get("chat_instance", "")
    return InitData(person, start, kind, instance, int(made), said)


USERNAME = re.compile(r"[A-Za-z0-9_]{1,64}")
LANGUAGE = re.compile(r"[A-Za-z0-9_-]{1,35}")
MAX_NAME_CHARS = 128
LARGEST_ID = 2**52  # telegram's ids are smaller: https://core.telegram.org/bots/api#user


def _make_person(user: str) -> Person:
    """Return the person; other bots open nothing. Raises InitDataError."""
    try:
        known = json.loads(user)
    except (ValueError, RecursionError):
        raise InitDataError from None
    if not isinstance(known, dict) or known.get("is_bot"):
        raise InitDataError
    number = known.get("id")
    if type(number) is not int or not 0 < number < LARGEST_ID:
        raise InitDataError
    name, username = _text(known, "first_name")[:MAX_NAME_CHARS], _text(known, "username")
    language = _text(known, "language_code")
    return Person(
        number,
        name,
        username if USERNAME.fullmatch(username) else None,
        language if LANGUAGE.fullmatch(language) else "",
    )


def _text(known: Mapping[str, Any], key: str) -> str:
    value = known.get(key)
    return value.encode("utf-8", "ignore").decode() if isinstance(value, str) else ""
