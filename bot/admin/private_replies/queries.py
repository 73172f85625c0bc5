"""Stored replies to one person of a group: where they were sent, which ones wait; and ephemeral support.
A reply has a key: its own, its round's (`round:7`), or one of the person's keys for unrelated replies
(`word:1`).
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, and_, bindparam, delete, exists, or_, select, update

from bot.database import Tx, build_insert_if_new, build_upsert, delete_batch, parse_number, parse_object
from bot.database.schema import FORGOTTEN_PLAYER, ephemeral_chats, private_words
from bot.durations import DAY

ROUND_KEY, UNRELATED_KEY = "round", "word"  # How keys begin


def make_round_key(round_id: int) -> str:
    return f"{ROUND_KEY}:{round_id}"


def parse_key_number(key: str) -> int | None:
    """Return the number in a key, such as the round's; None if there is none."""
    return parse_number(key.partition(":")[2])


# Statements are built once: building one takes longer than running it
OF_PLAYER = and_(
    private_words.c.chat_id == bindparam("chat"), private_words.c.player_id == bindparam("player")
)
IS_REPLY = and_(OF_PLAYER, private_words.c.key == bindparam("word"))
IS_WAITING = private_words.c.waiting.is_not(None)
UNRELATED_KEYS = select(private_words.c.key).where(
    OF_PLAYER, private_words.c.key.startswith(f"{UNRELATED_KEY}:")
)


def find_unrelated_key(tx: Tx, chat_id: int, player_id: int) -> str:
    """Return a new key for a reply that replaces no other one."""
    keys = tx.scalars(UNRELATED_KEYS, {"chat": chat_id, "player": player_id})
    return f"{UNRELATED_KEY}:{max((parse_key_number(key) or 0 for key in keys), default=0) + 1}"


def _make_parameters(chat_id: int, player_id: int, key: str) -> dict[str, Any]:
    return {"chat": chat_id, "player": player_id, "word": key}


def _upsert_reply(tx: Tx, chat_id: int, player_id: int, key: str, values: dict[str, Any]) -> None:
    row = {"chat_id": chat_id, "player_id": player_id, "key": key, **values}
    tx.execute(build_upsert(tx.dialect.name, private_words, *values), row)


# Sent replies


@dataclass(frozen=True, slots=True)
class SentReply:
    """The message of a reply."""

    place_id: int  # Its chat: the group if it is ephemeral, else the person's private chat
    message_id: int  # 0 if it is ephemeral
    ephemeral_id: int


SENT_REPLY = select(private_words).where(IS_REPLY)


def load_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> SentReply | None:
    """Return the message of the reply with that key; None if there is none."""
    row = tx.execute(SENT_REPLY, _make_parameters(chat_id, player_id, key)).first()
    if row is None or row.place_id is None:
        return None
    return SentReply(row.place_id, row.message_id, row.ephemeral_id)


def store_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str, message: SentReply, now: float) -> None:
    """Store the message of a reply that arrived; nothing waits under its key any more."""
    place = {"place_id": message.place_id, "message_id": message.message_id}
    values = {**place, "ephemeral_id": message.ephemeral_id, "waiting": None, "at": now}
    _upsert_reply(tx, chat_id, player_id, key, values)


DELETE_REPLY = delete(private_words).where(IS_REPLY)


def delete_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """Delete the message of a reply, so that its next text is a new message."""
    tx.execute(DELETE_REPLY, _make_parameters(chat_id, player_id, key))


# Waiting replies


@dataclass(frozen=True, slots=True)
class WaitingReply:
    """A reply that waits until its person asks for it."""

    chat_id: int  # The group that it belongs to
    key: str
    text: str  # HTML with mentions in place of names
    markup: dict[str, Any] | None


def store_waiting_reply(
    tx: Tx, chat_id: int, player_id: int, key: str, waiting: dict[str, Any], now: float
) -> None:
    """Store a reply (`text`, `markup`) in place of the one that waits under its key."""
    values = {"waiting": json.dumps(waiting, ensure_ascii=False), "at": now}
    _upsert_reply(tx, chat_id, player_id, key, values)


WAITING_REPLIES = (
    select(private_words)
    .where(private_words.c.player_id == bindparam("player"), IS_WAITING)
    .order_by(private_words.c.at)
)


def load_waiting_replies(tx: Tx, player_id: int, *which: tuple[int, str]) -> list[WaitingReply]:
    """Return what waits for a player, the oldest first; with `which`, only of these groups and keys."""
    rows = tx.execute(WAITING_REPLIES, {"player": player_id}).all()
    replies = (_read_waiting(row) for row in rows if not which or (row.chat_id, row.key) in which)
    return [reply for reply in replies if reply is not None]


def _read_waiting(row: Row[Any]) -> WaitingReply | None:
    """Read a reply; None for a broken one."""
    waiting = parse_object(row.waiting)
    text, markup = waiting.get("text"), waiting.get("markup")
    if text is None:
        return None
    return WaitingReply(row.chat_id, row.key, str(text), markup if isinstance(markup, dict) else None)


WAITING_PLAYERS = (
    select(private_words.c.player_id)
    .where(private_words.c.chat_id == bindparam("chat"), private_words.c.key == bindparam("word"), IS_WAITING)
    .order_by(private_words.c.at, private_words.c.player_id)
)


def load_waiting_players(tx: Tx, chat_id: int, key: str) -> list[int]:
    """Return the players for whom a reply with that key waits, the longest waiting first."""
    return list(tx.scalars(WAITING_PLAYERS, {"chat": chat_id, "word": key}))


DELETE_UNSENT = DELETE_REPLY.where(private_words.c.place_id.is_(None))
CLEAR_WAITING = update(private_words).where(IS_REPLY).values(waiting=None)


def delete_waiting_replies(tx: Tx, player_id: int, replies: Collection[WaitingReply]) -> None:
    """Delete replies that no longer wait; the messages of those sent before stay stored."""
    for reply in replies:
        parameters = _make_parameters(reply.chat_id, player_id, reply.key)
        tx.execute(DELETE_UNSENT, parameters)
        tx.execute(CLEAR_WAITING, parameters)


def discard_waiting_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    delete_waiting_replies(tx, player_id, load_waiting_replies(tx, player_id, (chat_id, key)))


def record_group_notice(tx: Tx, chat_id: int, key: str, now: float) -> bool:
    """Note that the group is told that replies with that key wait; False if it was told before."""
    row = {"chat_id": chat_id, "player_id": FORGOTTEN_PLAYER, "key": key, "at": now}
    return bool(tx.execute(build_insert_if_new(tx.dialect.name, private_words), row).rowcount)


# Ephemeral messages: old Bot API servers post them for everybody to read

ALL_CHATS = 0  # The row of the last server that did so, and when
SERVER = select(ephemeral_chats.c.server).where(ephemeral_chats.c.chat_id == bindparam("chat"))


def is_ephemeral_supported(tx: Tx, chat_id: int, server: str, now: float) -> bool | None:
    """Whether ephemeral messages work in that chat and on that server; None if that is not known.

    A server without support is tried again after a day, since it may have been updated.
    """
    old_server, _, at = _load_server(tx, ALL_CHATS).rpartition(" ")
    if old_server == server and at.isdecimal() and 0 <= now - float(at) < DAY:
        return False
    return True if _load_server(tx, chat_id) == server else None


def _load_server(tx: Tx, chat_id: int) -> str:
    return tx.scalar(SERVER, {"chat": chat_id}) or ""


def record_ephemeral_success(tx: Tx, chat_id: int, server: str) -> None:
    """Note that an ephemeral message worked in that chat and on that server."""
    row = {"chat_id": chat_id, "server": server}
    tx.execute(build_upsert(tx.dialect.name, ephemeral_chats, "server"), row)


def record_ephemeral_failure(tx: Tx, server: str, now: float) -> None:
    """Note that the server posted an ephemeral message for everybody to read."""
    tx.execute(delete(ephemeral_chats))
    record_ephemeral_success(tx, ALL_CHATS, f"{server} {now:.0f}")


# Cleaning up and moving

WAITING_LIFETIME = 2 * DAY  # A waiting reply is deleted after it
MESSAGE_LIFETIME = 30 * DAY  # The message of a reply is forgotten after it


def delete_old_replies(tx: Tx, now: float) -> bool:
    """Delete some old replies, messages and notices; return whether there may be more."""
    is_old = private_words.c.at < now - WAITING_LIFETIME
    is_notice = private_words.c.player_id == FORGOTTEN_PLAYER
    is_ended = or_(IS_WAITING, is_notice, private_words.c.at < now - MESSAGE_LIFETIME)
    return delete_batch(tx, private_words, is_old, is_ended)


def move_replies(tx: Tx, old: int, new: int) -> None:
    """Move what waits in chat `old` to chat `new`; messages are forgotten, since their numbers change."""
    in_old, other = private_words.c.chat_id == old, private_words.alias()
    is_same = (other.c.player_id == private_words.c.player_id, other.c.key == private_words.c.key)
    is_in_new = exists().where(other.c.chat_id == new, *is_same)
    tx.execute(delete(private_words).where(in_old, or_(private_words.c.waiting.is_(None), is_in_new)))
    moved = {"chat_id": new, "place_id": None, "message_id": 0, "ephemeral_id": 0}
    tx.execute(update(private_words).where(in_old).values(moved))
    tx.execute(delete(ephemeral_chats).where(ephemeral_chats.c.chat_id == old))
