"""The reactions that a group forbids, stored with its settings so that they are not tried again."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.database import Tx
from bot.players import queries as people

USED_REACTIONS = ("👎", "👀", "🤔", "🏆", "👏", "👌", "🤝")
FORBIDDEN_KEY = "forbidden_reactions"


def find_forbidden_reactions(chat: Mapping[str, Any]) -> tuple[str, ...]:
    """Return those of the bot's reactions that a chat forbids, from the result of `getChat`."""
    if "available_reactions" not in chat:  # All are allowed
        return ()
    allowed = {reaction.get("emoji") for reaction in chat["available_reactions"]}
    return tuple(emoji for emoji in USED_REACTIONS if emoji not in allowed)


def is_reaction_forbidden(chat: people.Chat, emoji: str) -> bool:
    return emoji in _read_forbidden(chat)


def _read_forbidden(chat: people.Chat) -> list[str]:
    stored = chat.settings.get(FORBIDDEN_KEY)
    return stored if isinstance(stored, list) else []


def store_forbidden_reactions(tx: Tx, chat_id: int, forbidden: Sequence[str]) -> None:
    """Store that a chat forbids exactly these reactions."""
    value = list(forbidden) if forbidden else None  # None deletes the setting
    people.store_setting(tx, chat_id, FORBIDDEN_KEY, value)


def add_forbidden_reaction(tx: Tx, chat_id: int, emoji: str) -> None:
    """Store that a group forbids one more reaction."""
    known = _read_forbidden(people.load_group(tx, chat_id))
    if emoji not in known:
        store_forbidden_reactions(tx, chat_id, [*known, emoji])
