"""What stands in a message for everybody to read: its text, and the words of all else that it may hold.

A solution can stand in the question of a poll, in a list of tasks, in the name of a file, of a place or of a
contact, or in the words of another chat that are quoted.
"""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_TEXT = 8192
"""Characters of a message that are looked through: more than the longest text has with the longest quote."""
DEEPEST = 6
"""Parts within parts that are looked into: a button's text stands in the fourth."""
PEOPLE = ("from", "sender_chat", "chat", "via_bot", "sender_business_bot", "forward_origin", "origin")
COMING = ("new_chat_members", "new_chat_member", "new_chat_participant", "left_chat_member")
BEFORE = ("reply_to_message", "pinned_message")
"""Messages that all have read already."""
UNSEEN = (
    *("id", "file_id", "file_unique_id", "custom_emoji_id", "media_group_id", "callback_data", "type"),
    *("language", "mime_type", "photo", "thumbnail", "phone_number", "vcard"),
)
UNREAD = frozenset((*PEOPLE, *COMING, *BEFORE, *UNSEEN))
"""Parts of a message that hold no words of its own."""


def legible(message: Mapping[str, Any]) -> str:
    """The words of a message as Telegram sends it, in lines; never raises.

    The longest part stands last, so that none of the others is lost where it is all too long.
    """
    return "\n".join(sorted(_words(message), key=len))[:MOST_TEXT]


def _words(part: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping) and depth < DEEPEST:
        for name, inner in part.items():
            if name not in UNREAD and not isinstance(inner, int):
                yield from _words(inner, depth + 1)
    elif isinstance(part, (list, tuple)) and depth < DEEPEST:
        for inner in part:
            yield from _words(inner, depth + 1)
