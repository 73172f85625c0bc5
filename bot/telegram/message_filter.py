"""Filter out a group's own talk before anything is stored.

The bot may receive all messages of a group. Those that no handler would answer are dropped at once, so that
neither their words nor their authors reach the disk. In doubt a message is kept, and its handler decides.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from bot.queue import updates

GROUP_TYPES = ("group", "supergroup")
EVENTS = ("migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_closed")  # messages that are handled
COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]*))?(?=\s|$)")


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Tells a group's own talk from messages that the bot may have to answer."""

    bot_id: int
    username: str  # the bot's
    commands: Collection[str]
    may_hold_answer: Callable[[str], bool]  # whether a text may contain an answer in some game

    def is_talk(self, raw: Any) -> bool:
        """Whether an update, as Telegram sent it, is a group's own talk. Raises nothing, whatever it is."""
        message = raw.get("message") if isinstance(raw, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("chat"), dict):
            return False
        if message["chat"].get("type") not in GROUP_TYPES or any(key in message for key in EVENTS):
            return False
        text = message.get("text")
        if not isinstance(text, str):
            return "text" not in message  # Nobody answers a photo or sticker; garbage is kept
        replied = message.get("reply_to_message")
        author = replied.get("from") if isinstance(replied, dict) else None
        if isinstance(author, dict) and author.get("id") == self.bot_id:  # a reply to the bot
            return False
        if not text.startswith("/"):
            return not self.may_hold_answer(text)
        match = COMMAND.match(updates.normalize_command(text, self.commands))
        if match is None:  # a slash without a command
            return False
        name, addressee = match.groups()
        if addressee is not None:  # if it is this bot, it says when it does not know the command
            return addressee.lower() != self.username.lower()
        return name.lower() not in self.commands
