"""Recognises what Telegram's refusals mean, by their words, since they have no codes."""

from collections.abc import Iterable
from datetime import timedelta

from telegram.error import BadRequest, Forbidden, InvalidToken, RetryAfter, TelegramError

NONSENSE_ANSWER = "an answer that makes no sense"
NO_JSON_MESSAGE = "Invalid server response"  # the library's, for an answer of some other server


def is_refusal(error: BaseException) -> bool:
    """Whether Telegram itself refuses the request and would do so again; False if another server answered."""
    # A proxy may answer with the same status but no JSON; the library raises its error from that of the JSON
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TelegramError) and cause.message == NO_JSON_MESSAGE:
            return False
        cause = cause.__cause__
    return isinstance(error, BadRequest | Forbidden | InvalidToken)


def describe_telegram_error(error: TelegramError) -> str:
    """Return Telegram's error message, without anything that could hold the token, such as a page."""
    # The library quotes a page that is no JSON behind these words
    message, has_page, _page = error.message.partition(". Parsing the server response")
    if has_page:
        return f"{message}, in an answer that is no JSON"
    if message == NO_JSON_MESSAGE:
        return "the answer is no JSON"
    if isinstance(error, InvalidToken):
        return "Telegram does not know the token"  # the library's message may quote it
    return message


# The request was fulfilled already, or can't be fulfilled any more.
HARMLESS_ERRORS = ("not modified", "query is too old", "query id is invalid", "message to react not found")
# The message to edit was deleted, or is too old.
MESSAGE_GONE_ERRORS = (
    *("message to edit not found", "message not found", "message_id_invalid", "message can't be edited"),
    *("message_edit_time_expired", "message_author_required"),
)
TOPIC_GONE_ERRORS = ("message thread not found", "topic_closed")
REACTION_ERRORS = ("reaction_invalid",)
PERMISSION_ERRORS = (
    *("not enough rights", "no rights to send", "need administrator rights", "chat_admin_required"),
    *("chat_write_forbidden", "chat_restricted", "chat_send_", "chat_guest_send_forbidden"),
    "user_banned_in_channel",
)
CHAT_GONE_ERRORS = (
    *("chat not found", "chat was deleted", "kicked", "not a member", "channel_private", "peer_id_invalid"),
)


def is_harmless(method: str, error: TelegramError) -> bool:
    """Whether nothing is lost by the refusal, such as a reaction to a message that is gone, or a deletion."""
    if method == "deleteMessage" and is_refusal(error):
        return True  # the bot has checked that it has the right, so the message can't be deleted any more
    if method == "setMessageReaction" and _has_words(error, MESSAGE_GONE_ERRORS):
        return True
    return _has_words(error, HARMLESS_ERRORS)


def is_too_large(error: TelegramError) -> bool:
    """Whether the request was refused for its size, by Telegram or by a proxy before it."""
    text = describe_telegram_error(error)
    return "(413)" in text or "too large" in text.lower()


def is_message_gone(method: str, error: TelegramError) -> bool:
    """Whether the message to edit was deleted, or can't be edited any more."""
    return method.startswith("edit") and _has_words(error, MESSAGE_GONE_ERRORS)


def is_topic_gone(error: TelegramError) -> bool:
    return _has_words(error, TOPIC_GONE_ERRORS)


def is_reaction_forbidden(error: TelegramError) -> bool:
    return _has_words(error, REACTION_ERRORS)


def is_chat_gone(lane: int, error: TelegramError) -> bool:
    """Whether nothing more can be sent to the chat; in a private chat any Forbidden means that."""
    if isinstance(error, Forbidden) and lane > 0:
        return True
    return any(sign in error.message.lower() for sign in CHAT_GONE_ERRORS)


def is_forbidden(method: str, error: TelegramError) -> bool:
    """Whether people of the chat forbid it; any refused reaction counts, and a chat or topic that is gone."""
    if not is_refusal(error):
        return False
    if method == "setMessageReaction" or isinstance(error, Forbidden):
        return True
    return _has_words(error, (*PERMISSION_ERRORS, *CHAT_GONE_ERRORS, *TOPIC_GONE_ERRORS))


def _has_words(error: TelegramError, texts: Iterable[str]) -> bool:
    """Whether a BadRequest of Telegram contains one of the texts; False for any other error."""
    is_bad_request = isinstance(error, BadRequest) and is_refusal(error)
    return is_bad_request and any(text in error.message.lower() for text in texts)


MIN_RETRY_DELAY = 1.0  # Seconds
MAX_RETRY_DELAY = 3600.0  # Seconds


def read_retry_delay(error: RetryAfter) -> float:
    """Return the seconds for which Telegram asks to wait, within limits; the lower limit for nonsense."""
    delay = error.retry_after
    seconds = delay.total_seconds() if isinstance(delay, timedelta) else delay
    if not isinstance(seconds, int | float):  # a server may send nonsense
        seconds = 0.0
    return min(max(float(seconds), MIN_RETRY_DELAY), MAX_RETRY_DELAY)
