"""What Telegram's refusals mean, known by their words alone."""

from collections.abc import Iterable
from typing import Any, Protocol

from telegram.error import BadRequest, Forbidden, RetryAfter, TelegramError

from bot.database import Tx
from bot.telegram.api import describe_telegram_error, is_refusal

# Refusals that need no operator: what was wanted is so already, or can't be any more.
HARMLESS = ("not modified", "query is too old", "query id is invalid", "message to react not found")
# Refusals to change a message that was deleted, or that is too old.
GONE = (
    *("message to edit not found", "message not found", "message_id_invalid", "message can't be edited"),
    *("message_edit_time_expired", "message_author_required"),
)
# What people decided, and no operator can mend: a topic was deleted or closed, a reaction is not allowed, the
# bot may not write, or has no such chat any more.
NO_TOPIC = ("message thread not found", "topic_closed")
NO_REACTION = ("reaction_invalid",)
NO_RIGHT = (
    *("not enough rights", "no rights to send", "need administrator rights", "chat_admin_required"),
    *("chat_write_forbidden", "chat_restricted", "chat_send_", "chat_guest_send_forbidden"),
    "user_banned_in_channel",
)
NO_CHAT = (
    "chat not found",
    "chat was deleted",
    "kicked",
    "not a member",
    "channel_private",
    "peer_id_invalid",
)


# Seconds for which a chat waits at least that Telegram asked to wait, and at most until it asks again.
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 3600.0


class MessageGoneHook(Protocol):
    """Takes note that the message can't be changed that `body` was to change."""

    def __call__(self, tx: Tx, body: dict[str, Any], *, unasked: bool) -> bool:
        """Whether what it showed is to be posted anew. `unasked`: it was to show nothing but the time."""


def is_harmless(method: str, error: TelegramError) -> bool:
    """Whether nothing is lost by it. A reaction is not missed where its message is gone.

    Nor is what can't be deleted any more: the bot looked before whether it may.
    """
    gone_too = method == "setMessageReaction" and _says(error, GONE)
    return _says(error, HARMLESS) or gone_too or (method == "deleteMessage" and is_refusal(error))


def read_retry_delay(error: RetryAfter) -> float:
    """The seconds for which Telegram asks to wait; what is no such number counts as the shortest wait."""
    wait = error.retry_after
    seconds = wait if isinstance(wait, int | float) else getattr(wait, "total_seconds", lambda: 0.0)()
    return min(max(float(seconds), SHORTEST_WAIT), LONGEST_WAIT)


def is_too_large(error: TelegramError) -> bool:
    """Whether the request was refused for its size, by whatever stands before Telegram."""
    return "(413)" in describe_telegram_error(error) or "too large" in describe_telegram_error(error).lower()


def is_message_gone(method: str, error: TelegramError) -> bool:
    """Whether the message that was to be changed was deleted, or can't be changed any more."""
    return method.startswith("edit") and _says(error, GONE)


def is_topic_gone(error: TelegramError) -> bool:
    """Whether the topic that a post was for was deleted, or closed to the bot."""
    return _says(error, NO_TOPIC)


def is_reaction_forbidden(error: TelegramError) -> bool:
    """Whether the chat allows no such reaction."""
    return _says(error, NO_REACTION)


def is_chat_gone(lane: int, error: TelegramError) -> bool:
    """Whether nothing more can be sent to the chat; a person who forbids anything forbids everything."""
    if isinstance(error, Forbidden) and lane > 0:
        return True
    return any(sign in error.message.lower() for sign in NO_CHAT)


def is_forbidden(method: str, error: TelegramError) -> bool:
    """Whether the people of the chat decided so: the bot is muted or banned, or may not send such a thing."""
    if not is_refusal(error):
        return False
    reacts = method == "setMessageReaction"
    return reacts or isinstance(error, Forbidden) or _says(error, (*NO_RIGHT, *NO_CHAT, *NO_TOPIC))


def _says(error: TelegramError, signs: Iterable[str]) -> bool:
    bad = isinstance(error, BadRequest) and is_refusal(error)
    return bad and any(sign in error.message.lower() for sign in signs)
