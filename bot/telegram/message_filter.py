"""What people say to each other in a group: told from what is meant for the bot before anything is stored.

The bot may hear all of a group's messages. Those that no handler would answer are let go at once, so that
neither their words nor their authors ever come near the disk. In doubt a message is kept, and its handler
decides.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from bot.queue import updates

GROUPS = ("group", "supergroup")
EVENTS = ("migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_closed")
COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]*))?(?=\s|$)")


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """What the bot answers to."""

    bot_id: int
    username: str
    commands: Collection[str]
    may_hold_answer: Callable[[str], bool]  # Whether an answer in some game may stand in a text

    def is_talk(self, raw: Any) -> bool:
        """Whether an update, as Telegram sent it, is a group's own talk; never raises."""
        message = raw.get("message") if isinstance(raw, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("chat"), dict):
            return False
        if message["chat"].get("type") not in GROUPS or any(key in message for key in EVENTS):
            return False
        text = message.get("text")
        if not isinstance(text, str):
            return "text" not in message
        if self._replies(message):
            return False
        return not (self._is_command(text) if text.startswith("/") else self.may_hold_answer(text))

    def _replies(self, message: dict[str, Any]) -> bool:
        replied = message.get("reply_to_message")
        return isinstance(replied, dict) and self._is_ours(replied.get("from"))

    def _is_ours(self, author: Any) -> bool:
        return isinstance(author, dict) and author.get("id") == self.bot_id

    def _is_command(self, text: str) -> bool:
        match = COMMAND.match(updates.normalize_command(text, self.commands))
        if match is None:
            return True
        ours = match[2] is None or match[2].lower() == self.username.lower()
        return ours and (match[2] is not None or match[1].lower() in self.commands)
