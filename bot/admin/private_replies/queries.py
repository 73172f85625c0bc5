"""Stored replies to one person of a group: where they were sent, which ones wait; and ephemeral support.
A reply has a key: its own, its round's (`round:7`), or a new one for a reply about nothing else (`word:…`).
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, or_, select, update

from bot.database import Tx, build_insert_if_new, build_upsert, delete_batch, parse_number, parse_object
from bot.database.schema import FORGOTTEN_PLAYER, ephemeral_chats, private_words
from bot.durations import DAY

ROUND_KEY, UNRELATED_KEY = "round", "word"  # How keys begin


def make_round_key(round_id: int) -> str:
    return f"{ROUND_KEY}:{round_id}"


def parse_key_number(key: str) -> int | None:
    """Return the number in a key, such as the round's; None if there is none."""
    return parse_number(key.partition(":")[2])


IS_WAITING = private_words.c.waiting.is_not(None)


def _is_reply(chat_id: int, player_id: int, key: str) -> ColumnElement[bool]:
    """Build the condition that a row is the reply with that key."""
    of_player = (private_words.c.chat_id == chat_id, private_words.c.player_id == player_id)
    return and_(*of_player, private_words.c.key == key)


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


def load_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> SentReply | None:
    """Return the message of a reply; None if none was sent."""
    row = tx.execute(select(private_words).where(_is_reply(chat_id, player_id, key))).first()
    if row is None or row.place_id is None:
        return None
    return SentReply(row.place_id, row.message_id, row.ephemeral_id)


def store_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str, message: SentReply, now: float) -> None:
    """Store the message of a reply that arrived; nothing waits under its key any more."""
    _upsert_reply(tx, chat_id, player_id, key, {**asdict(message), "waiting": None, "at": now})


def delete_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """Delete the message of a reply, so that its next text is a new message."""
    tx.execute(delete(private_words).where(_is_reply(chat_id, player_id, key)))


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


def load_waiting_replies(tx: Tx, player_id: int, *which: tuple[int, str]) -> list[WaitingReply]:
    """Return what waits for a player, the oldest first; with `which`, only of these groups and keys."""
    waiting_for_player = select(private_words).where(private_words.c.player_id == player_id, IS_WAITING)
    replies = []
    for row in tx.execute(waiting_for_player.order_by(private_words.c.at)):
        waiting = parse_object(row.waiting)
        if waiting and (not which or (row.chat_id, row.key) in which):
            replies.append(WaitingReply(row.chat_id, row.key, waiting["text"], waiting.get("markup")))
    return replies


# Built once, since each message of a round in a group needs it
WAITING_PLAYERS = (
    select(private_words.c.player_id)
    .where(private_words.c.chat_id == bindparam("chat"), private_words.c.key == bindparam("word"), IS_WAITING)
    .order_by(private_words.c.at, private_words.c.player_id)
)


def load_waiting_players(tx: Tx, chat_id: int, key: str) -> list[int]:
    """Return the players for whom a reply with that key waits, the longest waiting first."""
    return list(tx.scalars(WAITING_PLAYERS, {"chat": chat_id, "word": key}))


def delete_waiting_replies(tx: Tx, player_id: int, replies: Collection[WaitingReply]) -> None:
    """Let replies wait no longer; the messages of those sent before stay stored, for their next edit."""
    for reply in replies:
        is_reply = _is_reply(reply.chat_id, player_id, reply.key)
        tx.execute(delete(private_words).where(is_reply, private_words.c.place_id.is_(None)))
        tx.execute(update(private_words).where(is_reply).values(waiting=None))


def discard_waiting_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    delete_waiting_replies(tx, player_id, load_waiting_replies(tx, player_id, (chat_id, key)))


def record_group_notice(tx: Tx, chat_id: int, key: str, now: float) -> bool:
    """Store that the group is told that replies with that key wait; False if it was told before."""
    row = {"chat_id": chat_id, "player_id": FORGOTTEN_PLAYER, "key": key, "at": now}
    return bool(tx.execute(build_insert_if_new(tx.dialect.name, private_words), row).rowcount)


# Ephemeral messages: old Bot API servers post them for everybody to read

ALL_CHATS = 0  # The row of the last server that did so, and when


def is_ephemeral_supported(tx: Tx, chat_id: int, server: str, now: float) -> bool | None:
    """Whether ephemeral messages work in that chat and on that server, as tried; None if not known."""
    old_server, _, at = _load_server(tx, ALL_CHATS).rpartition(" ")
    if old_server == server and now - float(at) < DAY:  # Later it may have been updated
        return False
    return True if _load_server(tx, chat_id) == server else None


def _load_server(tx: Tx, chat_id: int) -> str:
    return tx.scalar(select(ephemeral_chats.c.server).where(ephemeral_chats.c.chat_id == chat_id)) or ""


def record_ephemeral_success(tx: Tx, chat_id: int, server: str) -> None:
    """Store that an ephemeral message worked in that chat and on that server."""
    row = {"chat_id": chat_id, "server": server}
    tx.execute(build_upsert(tx.dialect.name, ephemeral_chats, "server"), row)


def record_ephemeral_failure(tx: Tx, server: str, now: float) -> None:
    """Store that the server posted an ephemeral message for all to read; forget the chats where it worked."""
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
    in_old = private_words.c.chat_id == old
    other = private_words.alias()
    is_same = (other.c.player_id == private_words.c.player_id, other.c.key == private_words.c.key)
    is_in_new = exists().where(other.c.chat_id == new, *is_same)
    tx.execute(delete(private_words).where(in_old, or_(private_words.c.waiting.is_(None), is_in_new)))
    moved = {"chat_id": new, "place_id": None, "message_id": 0, "ephemeral_id": 0}
    tx.execute(update(private_words).where(in_old).values(moved))
    tx.execute(delete(ephemeral_chats).where(ephemeral_chats.c.chat_id == old))
