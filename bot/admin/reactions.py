"""The reactions that a group forbids. They are stored with its settings, and not asked for again."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.database import Tx
from bot.players import queries as people

USED_REACTIONS = ("👎", "👀", "🤔", "🏆", "👏", "👌", "🤝")  # What the bot's quiet answers are made of
FORBIDDEN = "forbidden_reactions"


def find_forbidden_reactions(chat: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of the bot's reactions that a chat, as Telegram tells of it, forbids."""
    if "available_reactions" not in chat:  # every one is allowed
        return ()
    allowed = {reaction.get("emoji") for reaction in chat["available_reactions"]}
    return tuple(emoji for emoji in USED_REACTIONS if emoji not in allowed)


def is_reaction_forbidden(chat: people.Chat, emoji: str) -> bool:
    """Whether the chat is known to forbid that reaction."""
    return emoji in _stored(chat)


def _stored(chat: people.Chat) -> list[str]:
    stored = chat.settings.get(FORBIDDEN)
    return stored if isinstance(stored, list) else []


def store_forbidden_reactions(tx: Tx, chat_id: int, forbidden: Sequence[str]) -> None:
    """Store that a chat forbids just these reactions."""
    people.store_setting(tx, chat_id, FORBIDDEN, list(forbidden) or None)


def add_forbidden_reaction(tx: Tx, chat_id: int, emoji: str) -> None:
    """Store that a chat forbids that reaction too."""
    known = _stored(people.load_chat(tx, chat_id, "supergroup"))
    store_forbidden_reactions(tx, chat_id, [*known, *({emoji} - set(known))])
