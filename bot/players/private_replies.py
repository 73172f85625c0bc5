"""Stored replies to one person of a group that wait, and which servers support ephemeral messages.
A reply has the key of its round (`round:7`), or a new one if it is about no round (`word:…`).
"""

import json
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, exists, or_, select, update

from bot.database import Tx, build_insert_if_new, build_upsert, delete_batch, parse_number, parse_object
from bot.database.schema import FORGOTTEN_PLAYER, ephemeral_chats, private_words
from bot.durations import DAY

ROUND_KEY, UNRELATED_KEY = "round", "word"  # The parts of keys before the colon


def make_round_key(round_id: int) -> str:
    return f"{ROUND_KEY}:{round_id}"


def parse_round_key(key: str) -> int | None:
    """Return the id in the key of a round; None for any other key."""
    kind, _, number = key.partition(":")
    return parse_number(number) if kind == ROUND_KEY else None


IS_WAITING = private_words.c.waiting.is_not(None)


@dataclass(frozen=True, slots=True)
class WaitingReply:
    chat_id: int  # The group that it belongs to
    key: str
    text: str  # HTML with mentions in place of names
    markup: object = None  # Its buttons, as Telegram's JSON


def store_waiting_reply(tx: Tx, player_id: int, reply: WaitingReply, now: float) -> None:
    """Store a reply in place of the one that waits under its key."""
    waiting = json.dumps({"text": reply.text, "markup": reply.markup}, ensure_ascii=False)
    row = {"chat_id": reply.chat_id, "player_id": player_id, "key": reply.key, "waiting": waiting, "at": now}
    tx.execute(build_upsert(tx.dialect.name, private_words, updated=("waiting", "at")), row)


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
    for reply in replies:
        discard_waiting_reply(tx, reply.chat_id, player_id, reply.key)


def discard_waiting_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    of_player = (private_words.c.chat_id == chat_id, private_words.c.player_id == player_id)
    tx.execute(delete(private_words).where(*of_player, private_words.c.key == key))


def record_group_notice(tx: Tx, chat_id: int, now: float) -> bool:
    """Store that the group is told that replies without a round wait; False if it was told lately."""
    # The row of a notice names no player. It is deleted with old replies, so that others get a notice again
    row = {"chat_id": chat_id, "player_id": FORGOTTEN_PLAYER, "key": UNRELATED_KEY, "at": now}
    inserted_count: int = tx.execute(build_insert_if_new(tx.dialect.name, private_words), row).rowcount
    return inserted_count == 1


# Ephemeral messages: old Bot API servers post them for everybody to read

ALL_CHATS = 0  # The row of the last server that did so, and when


def is_ephemeral_supported(tx: Tx, chat_id: int, server: str, now: float) -> bool | None:
    """Whether ephemeral messages work in that chat and on that server, as tried; None if not known."""
    # The failure that `record_ephemeral_failure` stored; both parts are empty without one
    failed_server, _, failed_at = _load_server(tx, ALL_CHATS).rpartition(" ")
    if failed_server == server and now - float(failed_at) < DAY:  # Later it may have been updated
        return False
    return True if _load_server(tx, chat_id) == server else None


def _load_server(tx: Tx, chat_id: int) -> str:
    """Return the server on which ephemeral messages worked in a chat; "" if none is known."""
    return tx.scalar(select(ephemeral_chats.c.server).where(ephemeral_chats.c.chat_id == chat_id)) or ""


def record_ephemeral_success(tx: Tx, chat_id: int, server: str) -> None:
    """Store that an ephemeral message worked in that chat and on that server."""
    row = {"chat_id": chat_id, "server": server}
    tx.execute(build_upsert(tx.dialect.name, ephemeral_chats, updated=("server",)), row)


def record_ephemeral_failure(tx: Tx, server: str, now: float) -> None:
    """Store that the server posted an ephemeral message for all to read; forget the chats where it worked."""
    tx.execute(delete(ephemeral_chats))
    record_ephemeral_success(tx, ALL_CHATS, f"{server} {now:.0f}")


# Cleaning up and moving

WAITING_LIFETIME = 2 * DAY  # Waiting replies and notices are deleted after it


def delete_old_replies(tx: Tx, now: float) -> bool:
    """Delete some old replies and notices; return whether there may be more."""
    return delete_batch(tx, private_words, private_words.c.at < now - WAITING_LIFETIME)


def move_replies(tx: Tx, old: int, new: int) -> None:
    """Move what waits in chat `old` to `new`, unless the same waits there; delete all else kept of `old`."""
    in_old = private_words.c.chat_id == old
    other = private_words.alias()
    is_same = (other.c.player_id == private_words.c.player_id, other.c.key == private_words.c.key)
    is_in_new = exists().where(other.c.chat_id == new, *is_same)
    tx.execute(delete(private_words).where(in_old, or_(private_words.c.waiting.is_(None), is_in_new)))
    tx.execute(update(private_words).where(in_old).values(chat_id=new))
    tx.execute(delete(ephemeral_chats).where(ephemeral_chats.c.chat_id == old))
