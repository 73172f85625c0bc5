"""Players and chats as they were last seen."""

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, bindparam, delete, exists, func, or_, select, text, update

from bot.admin.private_replies import queries as private
from bot.database import Tx, build_insert_if_new, build_upsert, parse_object
from bot.database.schema import (
    HAS_CHOSEN_SECRET,
    attempts,
    chats,
    duels,
    lost_messages,
    meta,
    players,
    practised,
    races,
    rounds,
    stops,
    tallies,
    tries,
    votes,
)
from bot.modes.daily import queries as daily
from bot.queue import scheduled_posts
from bot.standings import tallies as tallied
from bot.standings.leaderboard import queries as boards

WEBHOOK_FACT = "webhook was set"  # The fact that a bot on this database has told Telegram where to post
USERNAME_FACT = "username"  # The fact which username the bot has, for links in messages that are drawn later
FULL_BUDGET = 2.0  # Posts beside the deals that a chat bears to begin with
BUDGET_PER_DEAL = 0.25  # … and what each deal adds: a long evening stays under 1.3 posts a round
# Where a person is named who plays; other rows of theirs come with one of these.
PLAYED = (
    rounds.c.dealer_id,
    tries.c.player_id,
    votes.c.player_id,
    tallies.c.player_id,
    attempts.c.player_id,
    practised.c.player_id,
    stops.c.player_id,
    duels.c.challenger_id,
    duels.c.opponent_id,
)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat and what its people chose."""

    id: int
    kind: str  # private, group or supergroup
    language: str | None = None  # Chosen for all; None follows whoever speaks
    settings: dict[str, Any] = field(default_factory=dict)
    budget: float = FULL_BUDGET  # Posts beside the deals that it bears now

    @property
    def private(self) -> bool:
        """Whether it is a person alone with the bot."""
        return self.kind == "private"


@dataclass(frozen=True, slots=True)
class Player:
    """A person."""

    id: int
    name: str  # First name as last seen, whole and unescaped
    username: str | None = None
    masked: bool = True


# Statements that every update needs are built once: that costs more than running them.
CHAT = select(chats).where(chats.c.id == bindparam("number"))
SETTINGS = select(chats.c.settings).where(chats.c.id == bindparam("number"))
CHANGED_CHAT = update(chats).where(chats.c.id == bindparam("number"))
SEEN_CHAT = CHANGED_CHAT.values(gone=0)
SPENT = CHANGED_CHAT.where(chats.c.patience >= bindparam("least")).values(patience=chats.c.patience - 1.0)
REGAINED = CHANGED_CHAT.values(patience=chats.c.patience + BUDGET_PER_DEAL)
PLAYER = select(players).where(players.c.id == bindparam("number"))
RENAMED = update(players).where(players.c.id == bindparam("number"))
NAMES = select(players.c.id, players.c.name).where(players.c.id.in_(bindparam("ids")))
OTHERS_OF_THAT_NAME = (
    update(players)
    .where(func.lower(players.c.username) == bindparam("held"), players.c.id != bindparam("number"))
    .values(username=None)
)
# A person who never played nor chose anything.
STRANGER = delete(players).where(
    *(players.c.id == bindparam("number"), players.c.masked == 1),
    ~or_(*(exists().where(column == players.c.id) for column in PLAYED)),
)
# The private chat of a person who is not kept, in which nobody played nor chose anything.
STRANGE_CHAT = delete(chats).where(
    chats.c.id == bindparam("number"),
    *(chats.c.kind == "private", chats.c.settings == "{}", chats.c.language.is_(None)),
    ~exists().where(players.c.id == chats.c.id),
    ~exists().where(rounds.c.chat_id == chats.c.id),
)
WITH_SECRET_ANSWERS = select(chats.c.id).where(text(HAS_CHOSEN_SECRET), chats.c.gone == 0)
FACT = select(meta.c.value).where(meta.c.key == bindparam("name"))


def load_chat(tx: Tx, chat_id: int, kind: str) -> Chat:
    """The chat as stored, or as a new one would be."""
    return _chat(tx.execute(CHAT, {"number": chat_id}).first(), chat_id, kind)


def is_chat_known(tx: Tx, chat_id: int) -> bool:
    """Whether anything is known of a chat by that id."""
    return tx.execute(CHAT, {"number": chat_id}).first() is not None


def load_or_insert_chat(tx: Tx, chat_id: int, kind: str) -> Chat:
    """The chat, made known if it is new."""
    row = tx.execute(CHAT, {"number": chat_id}).first()
    if row is None:
        tx.execute(build_insert_if_new(tx.dialect.name, chats), {"id": chat_id, "kind": kind})
    elif row.kind != kind or row.gone:
        tx.execute(SEEN_CHAT, {"number": chat_id, "kind": kind})
    return _chat(row, chat_id, kind)


def mark_chat_back(tx: Tx, chat_id: int) -> None:
    """A chat that was closed is open again, with what was chosen there; of a new one nothing is kept."""
    row = tx.execute(CHAT, {"number": chat_id}).first()
    if row is not None and row.gone:
        tx.execute(SEEN_CHAT, {"number": chat_id, "kind": row.kind})


def _chat(row: Row[Any] | None, chat_id: int, kind: str) -> Chat:
    if row is None:
        return Chat(chat_id, kind)
    return Chat(chat_id, kind, row.language, parse_object(row.settings), row.patience)


def insert_or_update_player(tx: Tx, player: Player) -> bool:
    """Keep the person's present name, and who holds their username; whether nothing was kept of them."""
    known = update_known_player(tx, player)
    if not known:
        now = {"id": player.id, "name": player.name, "username": player.username}
        tx.execute(build_insert_if_new(tx.dialect.name, players), now)
    return not known


def update_known_player(tx: Tx, player: Player) -> bool:
    """As `saw`, but nothing is kept of a stranger; whether the person is known."""
    row = tx.execute(PLAYER, {"number": player.id}).first()
    if row is not None and (row.name, row.username) == (player.name, player.username):
        return True
    clear_username_of_others(tx, player.id, player.username)
    if row is not None:
        tx.execute(RENAMED, {"number": player.id, "name": player.name, "username": player.username})
    return row is not None


def is_name_masked(tx: Tx, player_id: int) -> bool:
    """Whether the board of all chats shows only the first letter of the person's name."""
    row = tx.execute(PLAYER, {"number": player_id}).first()
    return row is None or bool(row.masked)


def delete_inactive_player(tx: Tx, player_id: int) -> None:
    """Delete what is kept of a person who never played nor chose anything."""
    for statement in (STRANGER, STRANGE_CHAT):
        tx.execute(statement, {"number": player_id})


def clear_username_of_others(tx: Tx, player_id: int, username: str | None) -> None:
    """Somebody, perhaps no player, was seen with that username: whoever had it before has it no longer."""
    if username:
        tx.execute(OTHERS_OF_THAT_NAME, {"held": username.lower(), "number": player_id})


def load_username(tx: Tx, player_id: int) -> str | None:
    """The username of somebody who is known."""
    row = tx.execute(PLAYER, {"number": player_id}).first()
    return None if row is None else row.username


def load_names(tx: Tx, ids: list[int]) -> dict[int, str]:
    """First names by id, for those who are known."""
    return {row.id: row.name for row in tx.execute(NAMES, {"ids": list(set(ids))})}


def spend_budget(tx: Tx, chat_id: int, *, reserve: float = 0.0) -> bool:
    """Take one post from what the chat bears; False when fewer than `leaving` would be left."""
    return bool(tx.execute(SPENT, {"number": chat_id, "least": 1.0 + reserve}).rowcount)


def regain_budget(tx: Tx, chat_id: int) -> None:
    """A deal makes room for a little more beside it."""
    tx.execute(REGAINED, {"number": chat_id})


def store_setting(tx: Tx, chat_id: int, key: str, value: object) -> None:
    """Store one setting of a chat; None takes it back to the default."""
    chosen = parse_object(tx.scalar(SETTINGS, {"number": chat_id}))
    chosen[key] = value
    kept = json.dumps({k: v for k, v in chosen.items() if v is not None})
    tx.execute(CHANGED_CHAT, {"number": chat_id, "settings": kept})


def store_language(tx: Tx, chat_id: int, language: str | None) -> None:
    """Store the chat's language; None follows whoever speaks."""
    tx.execute(CHANGED_CHAT, {"number": chat_id, "language": language})


def load_chats_with_secret_answers(tx: Tx) -> list[int]:
    """The groups that chose secret answers and still have the bot."""
    return [int(chat_id) for chat_id in tx.scalars(WITH_SECRET_ANSWERS)]


def can_write_to_player(tx: Tx, player_id: int) -> bool:
    """Whether the bot may write to the person in private: they have opened that chat, and not closed it."""
    row = tx.execute(CHAT, {"number": player_id}).first()
    return row is not None and row.kind == "private" and not row.gone


def mark_chat_gone(tx: Tx, chat_id: int) -> None:
    """The bot can't write there any more."""
    tx.execute(CHANGED_CHAT, {"number": chat_id, "gone": 1})


def load_fact(tx: Tx, key: str) -> str | None:
    """A remembered fact about this installation."""
    value = tx.scalar(FACT, {"name": key})
    return None if value is None else str(value)


def store_fact(tx: Tx, key: str, value: str) -> None:
    """Keep a fact about this installation."""
    tx.execute(build_upsert(tx.dialect.name, meta, "value"), {"key": key, "value": value})


def record_webhook_setup(tx: Tx) -> bool:
    """Note that Telegram is told where to post; whether that is the first thing that happens here at all."""
    before = load_fact(tx, WEBHOOK_FACT)
    if before is None:
        store_fact(tx, WEBHOOK_FACT, "1")
    return before is None and tx.scalar(select(chats.c.id).limit(1)) is None


def move_chat(tx: Tx, old: int, new: int) -> None:
    """Everything of chat `old` belongs to chat `new` from here on. Twice does no harm."""
    row = tx.execute(select(chats).where(chats.c.id == old)).first()
    if old == new or row is None:
        return
    _move_choices(tx, row, new)
    already = select(rounds.c.topic).where(rounds.c.chat_id == new, rounds.c.state == "open")
    clash = (rounds.c.chat_id == old, rounds.c.state == "open", rounds.c.topic.in_(already))
    tx.execute(update(rounds).where(*clash).values(state="skipped", closed=rounds.c.opened))
    # a message keeps its old number only in the old chat: the deal is shown again in the new one
    tx.execute(
        update(rounds).where(rounds.c.chat_id == old).values(chat_id=new, message_id=None, asked_id=None)
    )
    tx.execute(update(races).where(races.c.chat_id == old).values(chat_id=new))
    tx.execute(update(duels).where(duels.c.chat_id == old).values(chat_id=new, message_id=None))
    tx.execute(delete(lost_messages).where(lost_messages.c.chat_id == old))
    boards.move_awards(tx, old, new)
    daily.move_seats(tx, old, new)
    scheduled_posts.move_posts(tx, old, new)
    private.move_replies(tx, old, new)
    tallied.move_tallies(tx, old, new)
    tx.execute(delete(chats).where(chats.c.id == old))


def move_topic_to_chat(tx: Tx, chat_id: int, topic: int) -> None:
    """What was played in a topic of the chat was played in no topic. An open hand gives way to one there."""
    here = (rounds.c.chat_id == chat_id, rounds.c.state == "open")
    stands = tx.execute(select(rounds.c.id).where(*here, rounds.c.topic == 0)).first() is not None
    if stands:
        over = update(rounds).where(*here, rounds.c.topic == topic)
        tx.execute(over.values(state="skipped", closed=rounds.c.opened))
    for table in (rounds, races, duels):
        moved = update(table).where(table.c.chat_id == chat_id, table.c.topic == topic)
        tx.execute(moved.values(topic=0))


def _move_choices(tx: Tx, old: Row[Any], new: int) -> None:
    """What chat `old` chose holds in `new`, but for what was chosen there already.

    Either chat may be heard of first, and a word from the old one makes it known again, empty.
    """
    there = tx.execute(select(chats).where(chats.c.id == new)).first()
    before = parse_object(old.settings)
    before.pop("asked", None)  # that menu is a message of the old chat
    settings = before | parse_object(there.settings if there else None)
    kept = {
        "kind": "supergroup",
        "language": (there.language if there else None) or old.language,
        "settings": json.dumps(settings),
        "patience": there.patience if there else old.patience,
    }
    tx.execute(build_upsert(tx.dialect.name, chats, *kept), {"id": new, **kept})
