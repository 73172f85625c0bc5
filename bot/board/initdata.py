"""Verify the `initData` with which Telegram opens a page.

Telegram signs it twice: with a key made of the bot's token, for the bot itself, and by Ed25519, for everybody
else. https://core.telegram.org/bots/webapps#validating-data
All invalid data raises the same error, which repeats nothing of the data.
"""

import hashlib
import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from bot.board.rules import Person


class InitDataError(Exception):
    """The data was not made by Telegram for this bot, or is too old."""


class MissingPackageError(Exception):
    """The package `cryptography` is missing: `pip install 'twentyfour[board]'`."""


@dataclass(frozen=True, slots=True)
class InitData:
    """The content of a valid `initData`."""

    person: Person
    start_param: str  # the value of `startapp` in the link; empty without
    chat_type: str  # of the link's chat: private, group, supergroup, channel, sender, or empty
    chat_instance: str  # an opaque name of that chat
    auth_date: int  # when it was made, in seconds since 1970
    digest: str  # of the content, however it was encoded: the same when it is used again


HASH = re.compile(r"[0-9a-f]{64}")


def verify_init_data(raw: str, token: str, now: float) -> InitData:
    """Return the content of `raw` if Telegram made it for the bot with this token. Raises InitDataError."""
    pairs = _parse_pairs(raw)
    given_hash = pairs.pop("hash", "")
    key = hmac.digest(b"WebAppData", token.encode(), "sha256")
    right_hash = hmac.digest(key, _join_pairs(pairs).encode(), "sha256").hex()
    if not HASH.fullmatch(given_hash) or not hmac.compare_digest(given_hash, right_hash):
        raise InitDataError
    return _make_init_data(pairs, now)


# Telegram's public keys, of its own servers and of those for tests.
PRODUCTION_PUBLIC_KEY = bytes.fromhex("e7bf03a2fa4602af4580703d88dda5bb59f32ed8b02a56c187fe7d34caed242d")


TEST_PUBLIC_KEY = bytes.fromhex("40055058a4ee38156a06562e52eece92a771bcd8346a8c4615cb7376eddf72ec")
SIGNATURE = re.compile(r"[A-Za-z0-9_-]{86}")


def verify_init_data_by_public_key(
    raw: str, bot_id: int, now: float, key: bytes = PRODUCTION_PUBLIC_KEY
) -> InitData:
    """Return the content of `raw` if Telegram made it for the bot with this id; needs no token.

    Raises InitDataError, and MissingPackageError if the extra `board` is not installed.
    """
    try:
        from cryptography.exceptions import InvalidSignature  # here, since it is an extra
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise MissingPackageError from None
    pairs = _parse_pairs(raw)
    pairs.pop("hash", "")
    signature = pairs.get("signature", "")
    if not SIGNATURE.fullmatch(signature):
        raise InitDataError
    signature_bytes = urlsafe_b64decode(f"{signature}==")
    if urlsafe_b64encode(signature_bytes).decode() != f"{signature}==":
        raise InitDataError
    signed = f"{bot_id}:WebAppData\n{_join_pairs(pairs, without='signature')}"
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature_bytes, signed.encode())
    except InvalidSignature:
        raise InitDataError from None
    return _make_init_data(pairs, now)


PAIR = re.compile(r"([a-z][a-z0-9_]{0,31})=((?:[^%&=\s]|%[0-9A-Fa-f]{2})*)", re.ASCII)
MAX_PAIRS = 32
MAX_INIT_DATA_CHARS = 4096  # Telegram sends about 500


def _parse_pairs(raw: str) -> dict[str, str]:
    """Return the decoded values by key. Raises InitDataError for anything that could be read in two ways."""
    if len(raw) > MAX_INIT_DATA_CHARS or not raw.isascii() or raw.count("&") >= MAX_PAIRS:
        raise InitDataError
    pairs = dict[str, str]()
    for part in raw.split("&"):
        pair = PAIR.fullmatch(part)
        if pair is None or pair[1] in pairs:
            raise InitDataError
        pairs[pair[1]] = _decode_value(pair[2])
    return pairs


CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")  # with a line feed one pair could pass for two


def _decode_value(value: str) -> str:
    try:
        text = unquote_to_bytes(value.replace("+", " ")).decode()
    except UnicodeDecodeError:
        raise InitDataError from None
    if CONTROL_CHARACTER.search(text):
        raise InitDataError
    return text


def _join_pairs(pairs: Mapping[str, str], without: str = "") -> str:
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()) if key != without)


CHAT_TYPES = {"", "sender", "private", "group", "supergroup", "channel"}
START_PARAM = re.compile(r"[A-Za-z0-9_-]{0,512}")
AUTH_DATE = re.compile(r"[1-9][0-9]{0,11}")
MAX_CLOCK_LEAD = 60.0  # seconds by which Telegram's clock may be ahead of this one
MAX_AGE = 3600.0  # seconds


def _make_init_data(pairs: Mapping[str, str], now: float) -> InitData:
    """Return the content of signed pairs. Raises InitDataError if they are too old."""
    auth_date, chat_type = pairs.get("auth_date", ""), pairs.get("chat_type", "")
    start_param = pairs.get("start_param", "")
    if not AUTH_DATE.fullmatch(auth_date) or not -MAX_CLOCK_LEAD <= now - int(auth_date) <= MAX_AGE:
        raise InitDataError
    if chat_type not in CHAT_TYPES or not START_PARAM.fullmatch(start_param):
        raise InitDataError
    return InitData(
        person=_parse_user(pairs.get("user", "")),
        start_param=start_param,
        chat_type=chat_type,
        chat_instance=pairs.get("chat_instance", ""),
        auth_date=int(auth_date),
        digest=hashlib.sha256(_join_pairs(pairs, without="signature").encode()).hexdigest(),
    )


USERNAME = re.compile(r"[A-Za-z0-9_]{1,64}")
LANGUAGE = re.compile(r"[A-Za-z0-9_-]{1,35}")
MAX_NAME_CHARS = 128
MAX_USER_ID = 2**52  # https://core.telegram.org/bots/api#user


def _parse_user(user: str) -> Person:
    """Return the user of a JSON object. Raises InitDataError, for bots as well."""
    try:
        values = json.loads(user)
    except (ValueError, RecursionError):
        raise InitDataError from None
    if not isinstance(values, dict) or values.get("is_bot"):
        raise InitDataError
    user_id = values.get("id")
    if type(user_id) is not int or not 0 < user_id < MAX_USER_ID:
        raise InitDataError
    username, language = _get_text(values, "username"), _get_text(values, "language_code")
    return Person(
        user_id,
        _get_text(values, "first_name")[:MAX_NAME_CHARS],
        username if USERNAME.fullmatch(username) else None,
        language if LANGUAGE.fullmatch(language) else "",
    )


def _get_text(values: Mapping[str, Any], key: str) -> str:
    """Return a text without lone surrogates, which no database stores; empty if there is none."""
    value = values.get(key)
    return value.encode("utf-8", "ignore").decode() if isinstance(value, str) else ""
