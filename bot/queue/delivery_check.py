"""Finds out whether a post has arrived when Telegram's answer was lost.

After a gateway's error, or without any answer, a post may be in its chat or not. Telegram can't be asked for
messages, but their ids rise, and an edit tells whose an id is: "not modified" for the bot's own message with
this very text, "can't be edited" for anybody else's, "not found" for an id that is not given yet. So the ids
after the latest known one are tried with an edit that would change nothing.

A supergroup numbers its messages by itself. The bot's private chats and basic groups are numbered together:
there an id that is not found may belong to another chat. Known ones are left out, and the end is assumed only
after many more missing ids.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import count, islice
from typing import Any

import aiohttp
from telegram.error import BadRequest, ChatMigrated, NetworkError, TelegramError

from bot.queue.hooks import ApiCall
from bot.queue.queries import CHECK_KEY, LATEST_ID_KEY, QueuedRequest
from bot.telegram.api import describe_telegram_error, is_refusal


class DeliveryStatus(StrEnum):
    """What is known of a post that met an error."""

    UNSENT = "unsent"  # Telegram never had it
    REFUSED = "refused"  # An error came back: it is sent again unless it is found
    UNKNOWN = "unknown"  # It was sent and no answer came: it is not sent again
    ARRIVED = "arrived"


# Errors without any connection; after all others the post may have been sent
UNSENT_ERRORS = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)
# Part of Telegram's error 500 for a message that it took and that a moderator's bot deleted at once
DELETED_AT_ONCE = "immediately deleted"
GATEWAY_ERRORS = ("Bad Gateway", "Gateway Timeout", "Internal Server Error", "Service Unavailable")
STATUS_CODE = re.compile(r"\([1-5][0-9]{2}\)")  # In the library's text for an answer without a description


def classify_error(error: TelegramError) -> DeliveryStatus:
    """Return UNSENT if offline, ARRIVED if deleted at once, REFUSED for another answer, UNKNOWN for none."""
    if isinstance(error.__cause__, UNSENT_ERRORS):
        return DeliveryStatus.UNSENT
    if DELETED_AT_ONCE in error.message:
        return DeliveryStatus.ARRIVED
    # In the library a BadRequest is a NetworkError, though Telegram answered.
    is_telegrams_answer = isinstance(error, BadRequest) or not isinstance(error, NetworkError)
    text = describe_telegram_error(error)
    is_gateways_answer = any(sign in text for sign in GATEWAY_ERRORS) or STATUS_CODE.search(text)
    if is_telegrams_answer or is_gateways_answer:
        return DeliveryStatus.REFUSED
    return DeliveryStatus.UNKNOWN


def is_undelivered(error: TelegramError) -> bool:
    """Whether a post that met this error is UNSENT or REFUSED, so probably not in its chat."""
    return classify_error(error) in {DeliveryStatus.UNSENT, DeliveryStatus.REFUSED}


CHECKABLE_METHODS = ("sendMessage", "sendPhoto")
# Seconds for which a post is looked for while Telegram doesn't answer; then it counts as not found.
CHECK_PERIOD = 600.0
# Checks for a post without an answer that is sent again if it is not found: one with a picture, whose upload
# often breaks off and otherwise takes a while, and one that shows a round, which needs it to be played.
MAX_CHECKS = 3


@dataclass(frozen=True, slots=True)
class SendAttempt:
    """One call of Telegram for a waiting request, or for several that draw the same round."""

    requests: list[QueuedRequest]  # Oldest first
    body: dict[str, Any]  # As it is sent
    latest_message_id: int | None  # Of the chat, as far as known; the post can only have a higher one
    sent_at: float


@dataclass(frozen=True, slots=True)
class DeliveryCheck:
    """A post to be looked for before it is sent again. The field names are stored with the request."""

    fate: DeliveryStatus
    after: int  # The latest message id known in its chat when it was sent
    at: float  # When it was first sent, in seconds since 1970: it may have been seen since then
    over: bool = False  # It was not found, and may be sent again
    picture: str = ""  # The content key of its picture; empty for a text
    looked: int = 0  # Checks that did not find it


def read_check(request: QueuedRequest) -> DeliveryCheck | None:
    """Return the check that is stored with a request; None if there is none."""
    stored = request.body.get(CHECK_KEY)
    if not stored:
        return None
    return DeliveryCheck(**{**stored, "fate": DeliveryStatus(stored["fate"])})


def make_check(attempt: SendAttempt, fate: DeliveryStatus) -> DeliveryCheck | None:
    """Make the check of a post that was sent; an earlier check's time of sending is kept.

    None if the post can't be looked for: no message id before it is known, or it is ephemeral or a file.
    """
    first = attempt.requests[0]
    body = attempt.body
    after = attempt.latest_message_id or first.body.get(LATEST_ID_KEY)
    if after is None or body["method"] not in CHECKABLE_METHODS or body.get("ephemeral"):
        return None
    former = read_check(first)
    at = former.at if former else attempt.sent_at
    return DeliveryCheck(fate, after, at, picture=str(body.get("content", "")))


def write_check(request: QueuedRequest, check: DeliveryCheck) -> None:
    """Put the check into the request's body, which the caller has to store."""
    request.body[CHECK_KEY] = asdict(check)


MAX_PROBES = 60  # Ids that are tried at most: people may have written meanwhile
MAX_MISSING, MAX_MISSING_SHARED = 6, 30  # Missing ids in a row that end the search; the latter if shared
SUPERGROUP_LIMIT = -1_000_000_000_000  # Ids of supergroups are below this one


def shares_numbering(chat_id: int) -> bool:
    """Whether the messages of a chat are numbered together with those of other chats."""
    return chat_id > SUPERGROUP_LIMIT


async def find_post(
    call: ApiCall, chat_id: int, params: dict[str, Any], check: DeliveryCheck, latest: "LatestMessages"
) -> int | None:
    """Return the message id of the post in a chat, found by edits that change nothing; None if not found.

    `params` are those of the post, with its caption if it carried a picture: a text's edit doesn't change a
    photo, nor the reverse. Raises TelegramError if Telegram doesn't answer.
    """
    method = "editMessageCaption" if check.picture else "editMessageText"
    edit = {k: v for k, v in params.items() if k not in ("reply_parameters", "message_thread_id")}
    max_missing = MAX_MISSING_SHARED if shares_numbering(chat_id) else MAX_MISSING
    missing = 0  # ids not found in a row
    for message_id in _list_possible_ids(chat_id, check.after, latest):
        try:
            await call(method, {**edit, "message_id": message_id})
            return message_id  # it was the bot's own, and now shows what the post shows
        except ChatMigrated:
            return None  # sent again, it is refused for the same reason, and goes where the chat went
        except TelegramError as error:
            if not isinstance(error, BadRequest) or not is_refusal(error):
                raise
            if "not modified" in error.message:
                return message_id
            if "not found" in error.message.lower():
                missing += 1
            else:
                missing = 0  # the id is that of somebody else's message
        if missing == max_missing:
            break
    return None


def _list_possible_ids(chat_id: int, after: int, latest: "LatestMessages") -> Iterator[int]:
    """Return the next `MAX_PROBES` ids after one, without those that a lost post can't have."""
    other_ids = latest.find_other_ids(chat_id)
    possible_ids = (number for number in count(after + 1) if number not in other_ids)
    return islice(possible_ids, MAX_PROBES)


MAX_CHATS = 10_000  # Chats of which the latest message is remembered
MAX_SHARED_NUMBERS = 10_000  # Messages of chats numbered together of which the chat is remembered


class LatestMessages:
    """Remembers the latest message of each chat, and which of its latest messages are the bot's own."""

    def __init__(self) -> None:
        self._latest: dict[int, int] = {}  # By chat, the one that was quiet for longest first
        self._own: dict[int, deque[int]] = {}
        self._chat_by_number: dict[int, int] = {}  # Of chats that are numbered together

    def record(self, chat_id: int, message_id: int, *, own: bool = False) -> None:
        """Remember a message, also as the bot's `own`. If too many chats are known, forget the oldest one."""
        former_id = self._latest.pop(chat_id, 0)  # removed, so that the chat becomes the newest entry
        self._latest[chat_id] = max(message_id, former_id)
        if shares_numbering(chat_id):
            self._chat_by_number[message_id] = chat_id
            if len(self._chat_by_number) > MAX_SHARED_NUMBERS:
                del self._chat_by_number[next(iter(self._chat_by_number))]
        if own:
            self._own.setdefault(chat_id, deque(maxlen=MAX_PROBES)).append(message_id)
        if len(self._latest) > MAX_CHATS:
            oldest = next(iter(self._latest))
            del self._latest[oldest]
            self._own.pop(oldest, None)

    def get_latest_id(self, chat_id: int) -> int | None:
        """Return the highest message id known in the chat."""
        return self._latest.get(chat_id)

    def find_other_ids(self, chat_id: int) -> Collection[int]:
        """Return ids that a lost post of this chat can't have: of other own posts, and of other chats."""
        own = self._own.get(chat_id, ())
        if not shares_numbering(chat_id):
            return own
        in_other_chats = (number for number, chat in self._chat_by_number.items() if chat != chat_id)
        return {*own, *in_other_chats}
