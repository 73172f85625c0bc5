"""What was told to one person of a group, what waits for one, and where ephemeral messages work."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, Row, and_, bindparam, delete, exists, func, or_, select, update

from bot.database import Tx, delete_some, latest_rows, new_rows, read_number, read_object
from bot.database.schema import NOBODY, ephemeral_chats, private_words
from bot.durations import DAY

# The chat in whose row stands which server posted an ephemeral message for all to read, and when.
ANYWHERE = 0
"""Seconds after which such a server is tried again: it may have been updated."""
KEPT = 30 * DAY  # Seconds for which it is known where a message stands that was told to one person
WAITS_FOR = 2 * DAY  # Seconds for which a word waits for its person
# How the keys begin of words about a round, and of those about nothing in particular.
ROUND, WORD = "round", "word"


@dataclass(frozen=True, slots=True)
class Told:
    """A message to one person, where it stands."""

    place_id: int  # Its chat: the group, where it is ephemeral, or the person's own
    message_id: int  # 0 for an ephemeral one
    ephemeral_id: int


@dataclass(frozen=True, slots=True)
class Waiting:
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
WORDS = select(private_words.c.key).where(OF_PERSON, private_words.c.key.startswith(f"{WORD}:"))
SEEN = select(ephemeral_chats.c.server).where(ephemeral_chats.c.chat_id == bindparam("chat"))
TOLD = select(private_words).where(THIS)
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
WAITING = (
    select(private_words)
    .where(private_words.c.player_id == bindparam("player"), WAITS)
    .order_by(private_words.c.at)
)


def key_of(round_id: int) -> str:
    """The key under which a round's words to a person wait."""
    return f"{ROUND}:{round_id}"


def next_word(tx: Tx, chat_id: int, player_id: int) -> str:
    """A key for one word more about nothing in particular: all of them wait."""
    keys = tx.scalars(WORDS, {"chat": chat_id, "player": player_id})
    return f"{WORD}:{max((number_of(key) or 0 for key in keys), default=0) + 1}"


def number_of(key: str) -> int | None:
    """The round of such a key, or which word it is; None where nobody can tell."""
    return read_number(key.partition(":")[2])


def works(tx: Tx, chat_id: int, server: str, now: float) -> bool | None:
    """Whether ephemeral messages are such in that chat by that server; None where that was never seen."""
    without, _, at = _seen(tx, ANYWHERE).rpartition(" ")
    if without == server and at.isdecimal() and 0 <= now - float(at) < DAY:
        return False
    return True if _seen(tx, chat_id) == server else None


def _seen(tx: Tx, chat_id: int) -> str:
    return tx.scalar(SEEN, {"chat": chat_id}) or ""


def seen_to_work(tx: Tx, chat_id: int, server: str) -> None:
    """An ephemeral message was one."""
    row = {"chat_id": chat_id, "server": server}
    tx.execute(latest_rows(tx.dialect.name, ephemeral_chats, "server"), row)


def seen_to_fail(tx: Tx, server: str, now: float) -> None:
    """An "ephemeral" message was public: that server knows of none."""
    tx.execute(delete(ephemeral_chats))
    seen_to_work(tx, ANYWHERE, f"{server} {now:.0f}")


def told(tx: Tx, chat_id: int, player_id: int, key: str) -> Told | None:
    """Where the message with that key stands."""
    row = tx.execute(TOLD, _which(chat_id, player_id, key)).first()
    if row is None or row.place_id is None:
        return None
    return Told(row.place_id, row.message_id, row.ephemeral_id)


def remember_message(tx: Tx, chat_id: int, player_id: int, key: str, message: Told, now: float) -> None:
    """The message with that key arrived; nothing of it waits any more."""
    where = {"place_id": message.place_id, "message_id": message.message_id}
    _keep(
        tx,
        chat_id,
        player_id,
        key,
        {**where, "ephemeral_id": message.ephemeral_id, "waiting": None, "at": now},
    )


def forget_message(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """Let go of the message with that key: the next text of it is a new message."""
    tx.execute(FORGOTTEN, _which(chat_id, player_id, key))


def keep_waiting(tx: Tx, chat_id: int, player_id: int, key: str, waiting: dict[str, Any], now: float) -> None:
    """Keep `said` (`text`, perhaps `markup`) until its person asks for it, in the place of what waited."""
    _keep(tx, chat_id, player_id, key, {"waiting": json.dumps(waiting, ensure_ascii=False), "at": now})


def _keep(tx: Tx, chat_id: int, player_id: int, key: str, values: dict[str, Any]) -> None:
    row = {"chat_id": chat_id, "player_id": player_id, "key": key, **values}
    tx.execute(latest_rows(tx.dialect.name, private_words, *values), row)


def point(tx: Tx, chat_id: int, key: str, now: float) -> bool:
    """Note that the group is told that words of that key wait; False where it was told before."""
    row = {"chat_id": chat_id, "player_id": NOBODY, "key": key, "at": now}
    return bool(tx.execute(new_rows(tx.dialect.name, private_words), row).rowcount)


def waiting_for(tx: Tx, chat_id: int, key: str) -> list[int]:
    """The people for whom a word of that key waits, the longest first."""
    return [int(who) for who in tx.scalars(WAITING_FOR, {"chat": chat_id, "word": key})]


def waits_since(tx: Tx, chat_id: int, player_id: int, key: str, since: float) -> bool:
    """Whether a word of that key, or of one that it begins, was put by for the person later than that."""
    about = {**_which(chat_id, player_id, key), "begins": f"{key}:", "length": len(key) + 1}
    return tx.execute(PUT_BY, {**about, "since": since}).first() is not None


def waiting(tx: Tx, player_id: int, *which: tuple[int, str]) -> list[Waiting]:
    """What waits for a person, the oldest first; only of the groups and keys in `which`, if any are given."""
    rows = tx.execute(WAITING, {"player": player_id}).all()
    asked = (_waiting(row) for row in rows if not which or (row.chat_id, row.key) in which)
    return [word for word in asked if word is not None]


def _waiting(row: Row[Any]) -> Waiting | None:
    """A word that waits; None for one that can't be read, which costs that word and no other."""
    waiting = read_object(row.waiting)
    text, markup = waiting.get("text"), waiting.get("markup")
    if text is None:
        return None
    return Waiting(row.chat_id, row.key, str(text), markup if isinstance(markup, dict) else None)


def heard(tx: Tx, player_id: int, words: Collection[Waiting]) -> None:
    """These wait no more."""
    for word in words:
        this = _which(word.chat_id, player_id, word.key)
        tx.execute(UNTOLD, this)
        tx.execute(HEARD, this)


def let_go(tx: Tx, chat_id: int, player_id: int, key: str) -> None:
    """What waits for the person under that key is no news any more."""
    heard(tx, player_id, waiting(tx, player_id, (chat_id, key)))


def _which(chat_id: int, player_id: int, key: str) -> dict[str, Any]:
    return {"chat": chat_id, "player": player_id, "word": key}


def sweep(tx: Tx, now: float) -> bool:
    """Let go of what nobody asked for in time, and of messages of long ago; whether there may be more."""
    old, unasked = private_words.c.at < now - WAITS_FOR, private_words.c.waiting.is_not(None)
    over = or_(unasked, private_words.c.player_id == NOBODY, private_words.c.at < now - KEPT)
    return delete_some(tx, private_words, old, over)


def move(tx: Tx, old: int, new: int) -> None:
    """Chat `old` is `new` now: what waits there goes along, and messages stay behind with their numbers."""
    there, here = private_words.c.chat_id == old, private_words.alias()
    same = (here.c.player_id == private_words.c.player_id, here.c.key == private_words.c.key)
    known = exists().where(here.c.chat_id == new, *same)
    tx.execute(delete(private_words).where(there, or_(private_words.c.waiting.is_(None), known)))
    tx.execute(
        update(private_words).where(there).values(chat_id=new, place_id=None, message_id=0, ephemeral_id=0)
    )
    tx.execute(delete(ephemeral_chats).where(ephemeral_chats.c.chat_id == old))
