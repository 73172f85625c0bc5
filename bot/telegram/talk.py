"""What people say to each other in a group: told from what is meant for the bot before anything is stored.

The bot may hear all of a group's messages. Those that no handler would answer are let go at once, so that
neither their words nor their authors ever come near the disk. In doubt a message is kept, and its handler
decides.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from bot.delivery import typed
from bot.telegram.legible import legible

GROUPS = ("group", "supergroup")
EVENTS = ("migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_closed")
ELSEWHERE = ("forward_origin", "via_bot", "sender_chat")
"""What marks a message that was not written there and then: it may hold a solution in any of its lines."""
LINES = 20
COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]*))?(?=\s|$)")


def _written(raw: Any) -> Any:
    """The message that an update brings, new or changed."""
    return (raw.get("message") or raw.get("edited_message")) if isinstance(raw, dict) else None


@dataclass(frozen=True, slots=True)
class Ear:
    """What the bot answers to."""

    bot_id: int
    username: str
    commands: Collection[str]
    is_answer: Callable[[str], bool]
    """Whether a text may be an answer in some game."""
    may_tell: Callable[[str], bool]
    """Whether a solution that its author was shown may stand in it, in the midst of words."""

    def is_talk(self, raw: Any) -> bool:
        """Whether an update, as Telegram sent it, is a group's own talk; never raises."""
        message = _written(raw)
        if not isinstance(message, dict) or not isinstance(message.get("chat"), dict):
            return False
        if message["chat"].get("type") not in GROUPS or any(key in message for key in EVENTS):
            return False
        text = message.get("text")
        if not isinstance(text, str) and "text" in message:
            return False
        if not isinstance(text, str) or "message" not in raw:
            return not self.may_tell(legible(message))  # no answer, or a changed one, but all read it
        if self._is_ours(message.get("via_bot")) or self._replies(message):
            return False
        if text.startswith("/"):
            return not (self._is_command(text) or self.may_tell(legible(message)))
        elsewhere = any(key in message for key in ELSEWHERE)
        if any(map(self.is_answer, text.splitlines()[:LINES] if elsewhere else [text])):
            return False
        return not self.may_tell(legible(message))

    def _replies(self, message: dict[str, Any]) -> bool:
        replied = message.get("reply_to_message")
        return isinstance(replied, dict) and self._is_ours(replied.get("from"))

    def _is_ours(self, author: Any) -> bool:
        return isinstance(author, dict) and author.get("id") == self.bot_id

    def _is_command(self, text: str) -> bool:
        match = COMMAND.match(typed.command(text, self.commands))
        if match is None:
            return True
        ours = match[2] is None or match[2].lower() == self.username.lower()
        return ours and (match[2] is not None or match[1].lower() in self.commands)
