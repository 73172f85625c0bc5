"""Reads updates as Telegram sent them. No function here raises, whatever the update looks like."""

import hmac
import json
import re
import zlib
from collections.abc import Collection
from typing import Any

from bot.database import MAX_INTEGER, parse_object
from bot.queue.queries import QueuedUpdate
from bot.queue.watermark import resolve_sent_time

# The key of a message by which a board update says which press on the board it is
BOARD_KEY = "board"
# Telegram's ids of chats and people have 52 significant bits at most
# (https://core.telegram.org/bots/api#chat); lanes beyond that have a meaning of their own, see
# `replicas.queries`.
MAX_CHAT_ID = 2**53


def make_queued_update(raw: Any, now: float, key: bytes) -> QueuedUpdate:
    """Make the row of an update; `key` hashes a press's id. Without a usable id it gets a negative one."""
    try:
        body = json.dumps(raw)
    except (ValueError, RecursionError):
        body = json.dumps({"unreadable": type(raw).__name__})
    update_id = find_update_id(raw)
    if update_id is None:
        negative_id = -1 - zlib.crc32(body.encode())  # the same whenever this update comes again
        return QueuedUpdate(negative_id, lane=0, body=body, accepted_at=now)
    return QueuedUpdate(update_id, find_lane(raw), body, press_hash=_hash_press(raw, key), accepted_at=now)


def decode_update(queued: QueuedUpdate) -> dict[str, Any]:
    """Return the update as it came; empty if the row can't be read."""
    return parse_object(queued.body)


def find_update_id(raw: Any) -> int | None:
    """Return the update's id; None if it has none that can be stored."""
    number = raw.get("update_id") if isinstance(raw, dict) else None
    return number if type(number) is int and 0 <= number <= MAX_INTEGER else None


# The types of updates that name their chat
TYPES_WITH_CHAT = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "message_reaction",
)


def find_lane(raw: dict[str, Any]) -> int:
    """Return the chat whose order the update keeps, else its sender, else 0."""
    for key, value in raw.items():
        if not isinstance(value, dict):
            continue
        if key in TYPES_WITH_CHAT:
            return _get_id(value.get("chat"))
        if key == "callback_query" and isinstance(value.get("message"), dict):
            return _get_id(value["message"].get("chat"))
        if isinstance(value.get("from"), dict):
            return _get_id(value["from"])
    return 0


def _get_id(value: Any) -> int:
    """Return the id of a chat or person; 0 if it has none that Telegram may give."""
    number = value.get("id") if isinstance(value, dict) else None
    return number if type(number) is int and abs(number) < MAX_CHAT_ID else 0


def _hash_press(raw: dict[str, Any], key: bytes) -> str | None:
    """Hash the id of a press, since it contains the id of the person; None if the update is no press."""
    query = raw.get("callback_query")
    number = query.get("id") if isinstance(query, dict) else None
    if not isinstance(number, str) or not number.isascii():
        return None
    return hmac.digest(key, number.encode(), "sha256").hex()[:32]


def find_message_date(raw: Any) -> float | None:
    """Return the date of a message, in seconds since 1970; None for any other update."""
    message = raw.get("message") if isinstance(raw, dict) else None
    date = message.get("date") if isinstance(message, dict) else None
    return float(date) if type(date) is int and abs(date) <= MAX_INTEGER else None


def find_sent_time(queued: QueuedUpdate) -> float:
    """Return when a message was sent; for another update, or a date days off, when it was accepted."""
    date = find_message_date(decode_update(queued))
    return queued.accepted_at if date is None else resolve_sent_time(date, queued.accepted_at)


def strip_board_marks(raw: Any) -> Any:
    """Return a copy of an update without the keys that would make it a board update."""
    if not isinstance(raw, dict):
        return raw
    stripped = {key: _strip_board_key(value) for key, value in raw.items()}
    press = stripped.get("callback_query")
    if isinstance(press, dict) and "message" in press:
        stripped["callback_query"] = {**press, "message": _strip_board_key(press["message"])}
    return stripped


def _strip_board_key(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    return {key: value for key, value in message.items() if key != BOARD_KEY}


def find_board_press(raw: Any) -> tuple[int, str] | None:
    """Return the person and the board's id of the press; None unless it is a board update."""
    if not isinstance(raw, dict):
        return None
    part = raw.get("callback_query") or raw.get("message")
    if not isinstance(part, dict):
        return None
    message = part.get("message", part)  # the message of the button, or the message itself
    mark = message.get(BOARD_KEY) if isinstance(message, dict) else None
    if not isinstance(mark, dict):
        return None
    return _get_id(part.get("from")), str(mark.get("press", ""))


# Commands

# Digits of Chinese and Japanese keyboards. Telegram does not recognise a command with one right behind it.
WIDE_DIGITS = "０-９"
TO_PLAIN = str.maketrans("０１２３４５６７８９　，", "0123456789 ,")
# Digits right behind a command's name, which Telegram takes for a part of the name
GLUED_DIGITS = "[0-9][0-9AJQKajqkxX]*(?![A-Za-z0-9_@])"
COMMAND_NAME = re.compile(r"/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{1,32})?")
GLUED_COMMAND = re.compile(f"/([A-Za-z_]{{1,32}})(?={GLUED_DIGITS})")


def normalize_command(text: str, names: Collection[str] = ()) -> str:
    """Put a space between a command and its argument, and use plain digits and spaces in the argument.

    `/play１３` and `/play　１３` become `/play 13`, and so does `/play13` if `play` is among the `names`. A
    text that is no command is returned as it is.
    """
    glued = GLUED_COMMAND.match(text)
    command = glued if glued and glued[1].lower() in names else COMMAND_NAME.match(text)
    if command is None:
        return text
    argument = text[command.end() :]
    gap = " " if command is glued or re.match(f"[{WIDE_DIGITS}]", argument) else ""
    return command[0] + gap + argument.translate(TO_PLAIN)
