"""Reads an update, as Telegram sent it, into the row that is stored, and back. Nothing here raises."""

import hmac
import json
import re
import zlib
from collections.abc import Collection
from typing import Any

from bot.database import MAX_INTEGER, parse_object
from bot.queue.queries import QueuedUpdate
from bot.queue.watermark import resolve_sent_time

# The kinds of updates that name their chat.
CHATTED = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "message_reaction",
)
# The key under which a message says which tap on a page of the bot's own it is; Telegram's have none
BOARD_KEY = "board"
# Telegram's ids of chats and people have 52 significant bits at most
# (https://core.telegram.org/bots/api#chat); beyond that, lanes have meanings of their own (see
# `replicas.queries`).
MAX_CHAT_ID = 2**53


def make_queued_update(raw: Any, now: float, key: bytes) -> QueuedUpdate:
    """The row of an update that was accepted at `now`; `key` hashes what tells a press.

    Where the update's own id can't be used, the row has a negative one, made of its content.
    """
    try:
        body = json.dumps(raw)
    except (ValueError, RecursionError):
        body = json.dumps({"unreadable": type(raw).__name__})
    number = find_update_id(raw)
    if number is None:
        return QueuedUpdate(-1 - zlib.crc32(body.encode()), 0, body, accepted_at=now)
    return QueuedUpdate(number, find_lane(raw), body, press_hash=_press(raw, key), accepted_at=now)


def decode_update(incoming: QueuedUpdate) -> dict[str, Any]:
    """The update as it came; empty for a row that can't be read, which its handling then dead-letters."""
    return parse_object(incoming.body)


def strip_board_marks(raw: Any) -> Any:
    """The update without what says that it is a tap on a page of the bot's own: Telegram has none such."""
    if not isinstance(raw, dict):
        return raw
    press = raw.get("callback_query")
    if isinstance(press, dict) and _is_tap(press.get("message")):
        return {**raw, "callback_query": {**press, "message": _untapped(press["message"])}}
    taps = [key for key in CHATTED if _is_tap(raw.get(key))]
    return {**raw, **{key: _untapped(raw[key]) for key in taps}} if taps else raw


def find_board_press(raw: Any) -> tuple[int, str] | None:
    """Who tapped on a page of the bot's own, and what the page calls that; None for any other update."""
    part = (raw.get("callback_query") or raw.get("message")) if isinstance(raw, dict) else None
    message = part.get("message", part) if isinstance(part, dict) else None
    said = message.get(BOARD_KEY) if isinstance(message, dict) else None
    if not isinstance(part, dict) or not isinstance(said, dict):
        return None
    return _id(part.get("from")), str(said.get("press", ""))


def _is_tap(message: Any) -> bool:
    return isinstance(message, dict) and BOARD_KEY in message


def _untapped(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != BOARD_KEY}


def find_update_id(raw: Any) -> int | None:
    """The update's id, if it has one that can be stored."""
    number = raw.get("update_id") if isinstance(raw, dict) else None
    return number if type(number) is int and 0 <= number <= MAX_INTEGER else None


def find_lane(raw: dict[str, Any]) -> int:
    """The chat whose order the update keeps, else the person, else 0."""
    for key, value in raw.items():
        if not isinstance(value, dict):
            continue
        if key in CHATTED:
            return _id(value.get("chat"))
        if key == "callback_query" and isinstance(value.get("message"), dict):
            return _id(value["message"].get("chat"))
        if isinstance(value.get("from"), dict):
            return _id(value["from"])
    return 0


def find_message_date(raw: Any) -> float | None:
    """The date of the message that an update is, in seconds since 1970; None for everything else."""
    message = raw.get("message") if isinstance(raw, dict) else None
    date = message.get("date") if isinstance(message, dict) else None
    return float(date) if type(date) is int and abs(date) <= MAX_INTEGER else None


def find_sent_time(incoming: QueuedUpdate) -> float:
    """When the update was sent: a message says it, everything else counts from when it was accepted."""
    date = find_message_date(decode_update(incoming))
    return incoming.accepted_at if date is None else resolve_sent_time(date, incoming.accepted_at)


def _id(value: Any) -> int:
    number = value.get("id") if isinstance(value, dict) else None
    return number if type(number) is int and abs(number) < MAX_CHAT_ID else 0


def _press(raw: dict[str, Any], key: bytes) -> str | None:
    """What tells a press. Its id holds the id of whoever pressed, so it is hashed with the bot's own key."""
    query = raw.get("callback_query")
    number = query.get("id") if isinstance(query, dict) else None
    if not isinstance(number, str) or not number.isascii():
        return None
    return hmac.digest(key, number.encode(), "sha256").hex()[:32]


NAME = re.compile(r"/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{1,32})?")
# Digits as Chinese and Japanese keyboards type them. Telegram sees no command where one stands behind it.
WIDE_DIGITS = "０-９"
PLAIN = str.maketrans("０１２３４５６７８９　，", "0123456789 ,")
# Digits right behind a name. Telegram takes them for a part of it, which they are where a bot is named.
GLUED_DIGITS = "[0-9][0-9AJQKajqkxX]*(?![A-Za-z0-9_@])"
GLUED = re.compile(f"/([A-Za-z_]{{1,32}})(?={GLUED_DIGITS})")


def normalize_command(text: str, names: Collection[str] = ()) -> str:
    """The command with a space before what stands behind it, which is in plain digits and spaces.

    `/play１３` and `/play　１３` are `/play 13`, and so is `/play13` where `play` is among the `names` of
    commands; whatever is no command stays as it is.
    """
    glued = GLUED.match(text)
    named = glued if glued and glued[1].lower() in names else NAME.match(text)
    if named is None:
        return text
    behind = text[named.end() :]
    gap = " " if named is glued or re.match(f"[{WIDE_DIGITS}]", behind) else ""
    return named[0] + gap + behind.translate(PLAIN)
