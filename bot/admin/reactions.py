"""The reactions that a group forbids. They are stored with its settings, and not asked for again."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.database import Tx
from bot.players import queries as people

USED = ("👎", "👀", "🤔", "🏆", "👏", "👌", "🤝")  # What the bot's quiet answers are made of
FORBIDDEN = "forbidden_reactions"


def forbidden_in(chat: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of the bot's reactions that a chat, as Telegram tells of it, forbids."""
    if "available_reactions" not in chat:  # every one is allowed
        return ()
    allowed = {reaction.get("emoji") for reaction in chat["available_reactions"]}
    return tuple(emoji for emoji in USED if emoji not in allowed)


def is_forbidden(chat: people.Chat, emoji: str) -> bool:
    """Whether the chat is known to forbid that reaction."""
    return emoji in _stored(chat)


def _stored(chat: people.Chat) -> list[str]:
    stored = chat.settings.get(FORBIDDEN)
    return stored if isinstance(stored, list) else []


def store(tx: Tx, chat_id: int, forbidden: Sequence[str]) -> None:
    """Store that a chat forbids just these reactions."""
    people.choose(tx, chat_id, FORBIDDEN, list(forbidden) or None)


def add(tx: Tx, chat_id: int, emoji: str) -> None:
    """Store that a chat forbids that reaction too."""
    known = _stored(people.find_chat(tx, chat_id, "supergroup"))
    store(tx, chat_id, [*known, *({emoji} - set(known))])
