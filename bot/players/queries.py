"""Players and chats as they were last seen, and facts about this installation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, bindparam, delete, exists, func, or_, select, text, update

from bot.database import Tx, build_insert_if_new, build_upsert
from bot.database.schema import (
    HAS_CHOSEN_SECRET,
    attempts,
    chats,
    duels,
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
from bot.levels import normalize_word
from bot.players.choices import NO_CHOICES, StoredChoices

# Chats. The column `patience` holds the budget for posts.

BUDGET_PER_DEAL = 0.25  # Posts beside the deals that a chat bears after each deal


@dataclass(frozen=True, slots=True)
class Chat:
    id: int
    kind: str  # private, group or supergroup
    language: str | None = None  # Of a group, that of its first user; None follows the person who writes
    settings: StoredChoices = NO_CHOICES

    @property
    def private(self) -> bool:
        """Whether one person is alone with the bot here."""
        return self.kind == "private"


# Statements are built once: building one takes longer than running it, and each update needs them
CHAT = select(chats).where(chats.c.id == bindparam("number"))
UPDATE_CHAT = update(chats).where(chats.c.id == bindparam("number"))  # Sets the columns among its parameters
MARK_SEEN = UPDATE_CHAT.values(gone=0)


def load_chat(tx: Tx, chat_id: int, kind: str) -> Chat:
    """Return the chat as stored, or a new one of that kind with the default choices."""
    return _make_chat(tx.execute(CHAT, {"number": chat_id}).first(), chat_id, kind)


def _make_chat(row: Row[Any] | None, chat_id: int, kind: str) -> Chat:
    if row is None:
        return Chat(chat_id, kind)
    return Chat(chat_id, kind, row.language, StoredChoices.parse(row.settings))


def load_group(tx: Tx, chat_id: int) -> Chat:
    """Return the group as stored, or a new one with the default choices."""
    return load_chat(tx, chat_id, "supergroup")


def is_chat_known(tx: Tx, chat_id: int) -> bool:
    return tx.execute(CHAT, {"number": chat_id}).first() is not None


ANY_GROUP = select(chats.c.id).where(chats.c.kind != "private", chats.c.gone == 0).limit(1)


def is_any_group_known(tx: Tx) -> bool:
    """Whether the bot is in a group, as far as it has been told."""
    return tx.execute(ANY_GROUP).first() is not None


def load_or_insert_chat(tx: Tx, chat_id: int, kind: str) -> Chat:
    """Return the chat, stored if it is new, with its present kind; it is no longer marked as gone."""
    row = tx.execute(CHAT, {"number": chat_id}).first()
    if row is None:
        tx.execute(build_insert_if_new(tx.dialect.name, chats), {"id": chat_id, "kind": kind})
    elif row.kind != kind or row.gone:
        tx.execute(MARK_SEEN, {"number": chat_id, "kind": kind})
    return _make_chat(row, chat_id, kind)


def mark_chat_gone(tx: Tx, chat_id: int) -> None:
    """Record that the bot can no longer write in a stored chat; turn its daily reminder off."""
    store_setting(tx, chat_id, "reminder", value=None)
    tx.execute(UPDATE_CHAT, {"number": chat_id, "gone": 1})


MARK_BACK = MARK_SEEN.where(chats.c.gone != 0)


def mark_chat_back(tx: Tx, chat_id: int) -> None:
    """Record that the bot can write in a stored chat again."""
    tx.execute(MARK_BACK, {"number": chat_id})


def can_write_to_player(tx: Tx, player_id: int) -> bool:
    """Whether the player has opened a private chat with the bot and not closed it."""
    row = tx.execute(CHAT, {"number": player_id}).first()
    return row is not None and row.kind == "private" and not row.gone


SPEND = UPDATE_CHAT.where(chats.c.patience >= 1.0).values(patience=chats.c.patience - 1.0)
REGAIN = UPDATE_CHAT.values(patience=chats.c.patience + BUDGET_PER_DEAL)


def spend_budget(tx: Tx, chat_id: int) -> bool:
    """Take one post from the chat's budget; False if there is none left."""
    return bool(tx.execute(SPEND, {"number": chat_id}).rowcount)


def regain_post_budget(tx: Tx, chat_id: int) -> None:
    """Add one deal's share to the chat's budget for posts."""
    tx.execute(REGAIN, {"number": chat_id})


def store_setting(tx: Tx, chat_id: int, key: str, value: object) -> None:
    """Store one setting of a stored chat; None deletes it, which restores the default."""
    row = tx.execute(CHAT, {"number": chat_id}).first()
    settings = StoredChoices.parse(row.settings if row else None).replace(key, value)
    tx.execute(UPDATE_CHAT, {"number": chat_id, "settings": str(settings)})


def store_language(tx: Tx, chat_id: int, language: str | None) -> None:
    """Store the chat's language; None follows the person who writes."""
    tx.execute(UPDATE_CHAT, {"number": chat_id, "language": language})


FORBIDDEN_KEY = "forbidden_reactions"  # A setting: the reactions that a group forbids


def is_reaction_forbidden(chat: Chat, emoji: str) -> bool:
    return emoji in chat.settings.get_list(FORBIDDEN_KEY)


def store_forbidden_reactions(tx: Tx, chat_id: int, forbidden: Sequence[object]) -> None:
    store_setting(tx, chat_id, FORBIDDEN_KEY, list(forbidden) or None)


def add_forbidden_reaction(tx: Tx, chat_id: int, emoji: str) -> None:
    known = load_group(tx, chat_id).settings.get_list(FORBIDDEN_KEY)
    if emoji not in known:
        store_forbidden_reactions(tx, chat_id, [*known, emoji])


def load_chats_with_secret_answers(tx: Tx) -> list[int]:
    """Return the groups that chose secret answers and still have the bot."""
    chosen = select(chats.c.id).where(text(HAS_CHOSEN_SECRET), chats.c.gone == 0)
    return list(tx.scalars(chosen))


# Moving what belongs to a chat or topic


def move_topic_to_chat(tx: Tx, chat_id: int, topic: int) -> None:
    """Move everything of a topic to no topic; its open hand ends if there is one without a topic."""
    is_open = (rounds.c.chat_id == chat_id, rounds.c.state == "open")
    if tx.execute(select(rounds.c.id).where(*is_open, rounds.c.topic == 0)).first() is not None:
        end_hand = update(rounds).where(*is_open, rounds.c.topic == topic)
        tx.execute(end_hand.values(state="skipped", closed=rounds.c.opened))
    for table in (rounds, races, duels):
        in_topic = update(table).where(table.c.chat_id == chat_id, table.c.topic == topic)
        tx.execute(in_topic.values(topic=0))


# Players


@dataclass(frozen=True, slots=True)
class Player:
    id: int
    name: str  # First name as last seen, unescaped
    username: str | None = None


PLAYER = select(players).where(players.c.id == bindparam("number"))
UPDATE_PLAYER = update(players).where(players.c.id == bindparam("number"))


def insert_or_update_player(tx: Tx, player: Player) -> bool:
    """Store a player's name and username, take the username from others; return whether the player is new."""
    is_new = not update_known_player(tx, player)  # takes the username from others in any case
    if is_new:
        row = {"id": player.id, "name": player.name, "username": player.username}
        tx.execute(build_insert_if_new(tx.dialect.name, players), row)
    return is_new


def update_known_player(tx: Tx, player: Player) -> bool:
    """Update name and username of a stored player, take the username from others; False if not stored."""
    row = tx.execute(PLAYER, {"number": player.id}).first()
    if row is not None and (row.name, row.username) == (player.name, player.username):
        return True
    clear_username_of_others(tx, player.id, player.username)
    if row is not None:
        tx.execute(UPDATE_PLAYER, {"number": player.id, "name": player.name, "username": player.username})
    return row is not None


CLEAR_USERNAME = (
    update(players)
    .where(func.lower(players.c.username) == bindparam("lower"), players.c.id != bindparam("number"))
    .values(username=None)
)


def clear_username_of_others(tx: Tx, player_id: int, username: str | None) -> None:
    """Delete a username, if it is one, from all players but the person, player or not, just seen with it."""
    if username:
        tx.execute(CLEAR_USERNAME, {"lower": username.lower(), "number": player_id})


BY_USERNAME = select(players).where(func.lower(players.c.username) == bindparam("name")).limit(1)


def find_player_by_username(tx: Tx, username: str) -> Player | None:
    """Return the player who was last seen with that username; None if there is none."""
    row = tx.execute(BY_USERNAME, {"name": username.lower()}).first()
    return None if row is None else Player(row.id, row.name, row.username)


PLAYERS_IN_CHAT = (
    select(players)
    .where(players.c.id.in_(select(tallies.c.player_id).where(tallies.c.chat_id == bindparam("chat"))))
    .order_by(players.c.id)
)


def find_players_by_name(tx: Tx, chat_id: int, name: str) -> list[Player]:
    """Return the players of a chat with that first name or username, in whatever case and accents."""
    wanted = normalize_word(name.strip())
    found = [Player(row.id, row.name, row.username) for row in tx.execute(PLAYERS_IN_CHAT, {"chat": chat_id})]
    return [each for each in found if wanted in map(normalize_word, (each.name, each.username or ""))]


NAMES = select(players.c.id, players.c.name).where(players.c.id.in_(bindparam("ids")))


def load_names(tx: Tx, ids: list[int]) -> dict[int, str]:
    """Return the first names of those players who are known, by id."""
    return {row.id: row.name for row in tx.execute(NAMES, {"ids": list(set(ids))})}


def is_name_masked(tx: Tx, player_id: int) -> bool:
    """Whether the leaderboard of all chats shows only the first letter of the name; true for the unknown."""
    row = tx.execute(PLAYER, {"number": player_id}).first()
    return row is None or bool(row.masked)


# A player who is in none of these columns is in no other table
PLAYED_COLUMNS = (
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
DELETE_INACTIVE_PLAYER = delete(players).where(
    players.c.id == bindparam("number"),
    players.c.masked == 1,  # the default
    ~or_(*(exists().where(column == players.c.id) for column in PLAYED_COLUMNS)),
)
DELETE_UNUSED_PRIVATE_CHAT = delete(chats).where(
    chats.c.id == bindparam("number"),
    *(chats.c.kind == "private", chats.c.settings == "{}", chats.c.language.is_(None)),
    ~exists().where(players.c.id == chats.c.id),
    ~exists().where(rounds.c.chat_id == chats.c.id),
)


def delete_inactive_player(tx: Tx, player_id: int) -> None:
    """Delete a player who never played or chose anything, and the private chat with that player."""
    for statement in (DELETE_INACTIVE_PLAYER, DELETE_UNUSED_PRIVATE_CHAT):
        tx.execute(statement, {"number": player_id})


# Facts about this installation

WEBHOOK_FACT = "webhook was set"
USERNAME_FACT = "username"  # Of the bot, for links in messages that are rendered later
FACT = select(meta.c.value).where(meta.c.key == bindparam("name"))


def load_fact(tx: Tx, key: str) -> str | None:
    """Return a stored fact; None if there is none."""
    value = tx.scalar(FACT, {"name": key})
    return None if value is None else str(value)


def store_fact(tx: Tx, key: str, value: str) -> None:
    tx.execute(build_upsert(tx.dialect.name, meta, updated=("value",)), {"key": key, "value": value})


def delete_fact(tx: Tx, key: str) -> None:
    tx.execute(delete(meta).where(meta.c.key == key))


def record_webhook_setup(tx: Tx) -> bool:
    """Record that the webhook was set; return whether it is the first time and no chat is stored."""
    if load_fact(tx, WEBHOOK_FACT) is not None:
        return False
    store_fact(tx, WEBHOOK_FACT, "1")  # any value: only whether it is stored matters
    return tx.scalar(select(chats.c.id).limit(1)) is None
