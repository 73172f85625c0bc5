"""What was told to one person of a group, what waits for one, and where ephemeral messages work."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, Row, and_, bindparam, delete, exists, func, or_, select, update

from bot.database import Tx, build_insert_if_new, build_upsert, delete_batch, parse_number, parse_object
from bot.database.schema import FORGOTTEN_PLAYER, ephemeral_chats, private_words
from bot.durations import DAY

# The chat in whose row stands which server posted an ephemeral message for all to read, and when.
ANYWHERE = 0
"""Seconds after which such a server is tried again: it may have been updated."""
MESSAGE_LIFETIME = (
    30 * DAY
)  # Seconds for which it is known where a message stands that was told to one person
WAITING_LIFETIME = 2 * DAY  # Seconds for which a word waits for its person
# How the keys begin of words about a round, and of those about nothing in particular.
ROUND_KEY, UNRELATED_KEY = "round", "word"


@dataclass(frozen=True, slots=True)
class SentReply:
    """A message to one person, where it stands."""

    place_id: int  # Its chat: the group, where it is ephemeral, or the person's own
    message_id: int  # 0 for an ephemeral one
    ephemeral_id: int


@dataclass(frozen=True, slots=True)
class WaitingReply:
    """What waits for a person."""

    chat_id: int  # The group that it belongs to
    key: str
    text: str  # HTML, in which names are still to be put
    markup: dict[str, Any] | None


# Built once: building takes longer than the database does

OF_PERSON = and_(
    private_words.c.chat_id == bindparam("chat"), private_words.c.player_id == bindparam("player")
)
THIS = and_(OF_PERSON, private_words.c.key == bindparam("word"))
WAITS = private_words.c.waiting.is_not(None)
UNRELATED_KEYS = select(private_words.c.key).where(
    OF_PERSON, private_words.c.key.startswith(f"{UNRELATED_KEY}:")
)
SEEN = select(ephemeral_chats.c.server).where(ephemeral_chats.c.chat_id == bindparam("chat"))
SENT_MESSAGE = select(private_words).where(THIS)
FORGOTTEN = delete(private_words).where(THIS)
UNTOLD = FORGOTTEN.where(private_words.c.place_id.is_(None))
HEARD = update(private_words).where(THIS).values(waiting=None)
WAITING_FOR = (
    select(private_words.c.player_id)
    .where(private_words.c.chat_id == bindparam("chat"), private_words.c.key == bindparam("word"), WAITS)
    .order_by(private_words.c.at, private_words.c.player_id)
)
PUT_BY = select(private_words.c.at).where(
    *(OF_PERSON, WAITS, private_words.c.at > bindparam("since")),
    or_(
        private_words.c.key == bindparam("word"),
        func.substr(private_words.c.key, 1, bindparam("length", type_=Integer)) == bindparam("begins"),
    ),
)
WAITING_REPLIES = (
    select(private_words)
    .where(private_words.c.player_id == bindparam("player"), WAITS)
    .order_by(private_words.c.at)
)


def make_round_key(round_id: int) -> str:
    """The key under which a round's words to a person wait."""
    return f"{ROUND_KEY}:{round_id}"


def find_unrelated_key(tx: Tx, chat_id: int, player_id: int) -> str:
    """A key for one word more about nothing in particular: all of them wait."""
    keys = tx.scalars(UNRELATED_KEYS, {"chat": chat_id, "player": player_id})
    return f"{UNRELATED_KEY}:{max((parse_key_number(key) or 0 for key in keys), default=0) + 1}"


def parse_key_number(key: str) -> int | None:
    """The round of such a key, or which word it is; None where nobody can tell."""
    return parse_number(key.partition(":")[2])


def is_ephemeral_supported(tx: Tx, chat_id: int, server: str, now: float) -> bool | None:
    """Whether ephemeral messages are such in that chat by that server; None where that was never seen."""
    without, _, at = _seen(tx, ANYWHERE).rpartition(" ")
    if without == server and at.isdecimal() and 0 <= now - float(at) < DAY:
        return False
    return True if _seen(tx, chat_id) == server else None


def _seen(tx: Tx, chat_id: int) -> str:
    return tx.scalar(SEEN, {"chat": chat_id}) or ""


def record_ephemeral_success(tx: Tx, chat_id: int, server: str) -> None:
    """An ephemeral message was one."""
    row = {"chat_id": chat_id, "server": server}
    tx.execute(build_upsert(tx.dialect.name, ephemeral_chats, "server"), row)


def record_ephemeral_failure(tx: Tx, server: str, now: float) -> None:
    """An "ephemeral" message was public: that server knows of none."""
    tx.execute(delete(ephemeral_chats))
    record_ephemeral_success(tx, ANYWHERE, f"{server} {now:.0f}")


def load_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> SentReply | None:
    """Where the message with that key stands."""
    row = tx.execute(SENT_MESSAGE, _which(chat_id, player_id, key)).first()
    if row is None or row.place_id is None:
        return None
    return SentReply(row.place_id, row.message_id, row.ephemeral_id)


def store_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str, message: SentReply, now: float) -> None:
    """The message with that key arrived; nothing of it waits any more."""
    where = {"place_id": message.place_id, "message_id": message.message_id}
    _keep(
        tx,
        chat_id,
        player_id,
        key,
        {**where, "ephemeral_id": message.ephemeral_id, "waiting": None, "at": now},
    )


def delete_sent_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """Let go of the message with that key: the next text of it is a new message."""
    tx.execute(FORGOTTEN, _which(chat_id, player_id, key))


def store_waiting_reply(
    tx: Tx, chat_id: int, player_id: int, key: str, waiting: dict[str, Any], now: float
) -> None:
    """Keep `said` (`text`, perhaps `markup`) until its person asks for it, in the place of what waited."""
    _keep(tx, chat_id, player_id, key, {"waiting": json.dumps(waiting, ensure_ascii=False), "at": now})


def _keep(tx: Tx, chat_id: int, player_id: int, key: str, values: dict[str, Any]) -> None:
    row = {"chat_id": chat_id, "player_id": player_id, "key": key, **values}
    tx.execute(build_upsert(tx.dialect.name, private_words, *values), row)


def record_group_notice(tx: Tx, chat_id: int, key: str, now: float) -> bool:
    """Note that the group is told that words of that key wait; False where it was told before."""
    row = {"chat_id": chat_id, "player_id": FORGOTTEN_PLAYER, "key": key, "at": now}
    return bool(tx.execute(build_insert_if_new(tx.dialect.name, private_words), row).rowcount)


def load_waiting_players(tx: Tx, chat_id: int, key: str) -> list[int]:
    """The people for whom a word of that key waits, the longest first."""
    return [int(who) for who in tx.scalars(WAITING_FOR, {"chat": chat_id, "word": key})]


def has_reply_waiting_since(tx: Tx, chat_id: int, player_id: int, key: str, since: float) -> bool:
    """Whether a word of that key, or of one that it begins, was put by for the person later than that."""
    about = {**_which(chat_id, player_id, key), "begins": f"{key}:", "length": len(key) + 1}
    return tx.execute(PUT_BY, {**about, "since": since}).first() is not None


def load_waiting_replies(tx: Tx, player_id: int, *which: tuple[int, str]) -> list[WaitingReply]:
    """What waits for a person, the oldest first; only of the groups and keys in `which`, if any are given."""
    rows = tx.execute(WAITING_REPLIES, {"player": player_id}).all()
    asked = (_waiting(row) for row in rows if not which or (row.chat_id, row.key) in which)
    return [word for word in asked if word is not None]


def _waiting(row: Row[Any]) -> WaitingReply | None:
    """A word that waits; None for one that can't be read, which costs that word and no other."""
    waiting = parse_object(row.waiting)
    text, markup = waiting.get("text"), waiting.get("markup")
    if text is None:
        return None
    return WaitingReply(row.chat_id, row.key, str(text), markup if isinstance(markup, dict) else None)


def delete_waiting_replies(tx: Tx, player_id: int, words: Collection[WaitingReply]) -> None:
    """These wait no more."""
    for word in words:
        this = _which(word.chat_id, player_id, word.key)
        tx.execute(UNTOLD, this)
        tx.execute(HEARD, this)


def discard_waiting_reply(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """What waits for the person under that key is no news any more."""
    delete_waiting_replies(tx, player_id, load_waiting_replies(tx, player_id, (chat_id, key)))


def _which(chat_id: int, player_id: int, key: str) -> dict[str, Any]:
    return {"chat": chat_id, "player": player_id, "word": key}


def delete_old_replies(tx: Tx, now: float) -> bool:
    """Let go of what nobody asked for in time, and of messages of long ago; whether there may be more."""
    old, unasked = private_words.c.at < now - WAITING_LIFETIME, private_words.c.waiting.is_not(None)
    over = or_(
        unasked, private_words.c.player_id == FORGOTTEN_PLAYER, private_words.c.at < now - MESSAGE_LIFETIME
    )
    return delete_batch(tx, private_words, old, over)


def move_replies(tx: Tx, old: int, new: int) -> None:
    """Chat `old` is `new` now: what waits there goes along, and messages stay behind with their numbers."""
    there, here = private_words.c.chat_id == old, private_words.alias()
    same = (here.c.player_id == private_words.c.player_id, here.c.key == private_words.c.key)
    known = exists().where(here.c.chat_id == new, *same)
    tx.execute(delete(private_words).where(there, or_(private_words.c.waiting.is_(None), known)))
    tx.execute(
        update(private_words).where(there).values(chat_id=new, place_id=None, message_id=0, ephemeral_id=0)
    )
    tx.execute(delete(ephemeral_chats).where(ephemeral_chats.c.chat_id == old))
