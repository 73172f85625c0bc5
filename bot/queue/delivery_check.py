"""A post of which nobody knows whether it arrived, and how Telegram can be asked.

A gateway's error, or no answer at all, may hide a message that stands in the chat. Telegram can't be asked
for messages, but their numbers rise, and an edit tells whose a number is: of the bot's own message with this
very text it says that nothing changes, of anybody else's that it can't be edited, of a number not yet given
that it is not found. So the numbers after the last known one are tried with the edit that changes nothing.

A supergroup counts its messages for itself; a bot's private chats and basic groups share one count. A number
at which nothing stands may then be a message of another chat: known ones are left out, and the end is reached
only after many more of them.
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
from bot.queue.queries import QueuedRequest
from bot.telegram.api import describe_telegram_error, is_refusal

CHECK_KEY = "doubt"  # Where a stored request holds what is to be found out of it
PLACE = {"reply_parameters", "message_thread_id"}  # What says where a post goes; an edit has no place
AHEAD = 60  # Numbers after the last known one that are tried at most: people may have spoken meanwhile
NOTHING = 6  # Numbers one after the other at which nothing stands, after which the end is reached …
MAX_MISSING_SHARED = 30  # … and in a chat that shares its count
SUPERGROUPS = -1_000_000_000_000  # Their ids are below this one
MANY_NUMBERS = 10_000  # Latest messages of chats that share a count of which the chat is remembered
MISSING = "not found"
# Seconds for which a post is looked for where Telegram doesn't tell; then it counts as not found.
CHECK_PERIOD = 600.0
UNCHANGED = "not modified"
# What Telegram says with a 500 of a message that it took and that a moderator's bot deleted at once.
GONE = "immediately deleted"
GATEWAY = ("Bad Gateway", "Gateway Timeout", "Internal Server Error", "Service Unavailable")
STATUS = re.compile(r"\([1-5][0-9]{2}\)")  # What the library says of an answer that names its status alone
# What shows that no connection came about; all else may have happened after the post was written.
UNWRITTEN = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)
MANY_CHATS = 10_000  # Chats of which the latest message is remembered
CHECKABLE_METHODS = ("sendMessage", "sendPhoto")  # What can be looked for
# How often a post is looked for to which no answer came, and that is sent again if it is not found: one with
# a picture, and one that shows a round, which nobody could play. An upload often breaks off half-way, and
# then came to nothing; a whole one takes a while to stand in its chat.
MAX_CHECKS = 3


class LatestMessages:
    """What is known of each chat's latest messages: the number of the last, and which are the bot's own."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._own: dict[int, deque[int]] = {}
        self._shared: dict[int, int] = {}

    def record(self, chat_id: int, message_id: int, *, own: bool = False) -> None:
        """A message with that number stands in the chat; chats of which nothing is heard are forgotten."""
        self._numbers[chat_id] = max(message_id, self._numbers.pop(chat_id, 0))
        if shares_numbering(chat_id):
            self._shared[message_id] = chat_id
            if len(self._shared) > MANY_NUMBERS:
                del self._shared[next(iter(self._shared))]
        if own:
            self._own.setdefault(chat_id, deque(maxlen=AHEAD)).append(message_id)
        if len(self._numbers) > MANY_CHATS:
            oldest = next(iter(self._numbers))
            del self._numbers[oldest]
            self._own.pop(oldest, None)

    def get_latest_id(self, chat_id: int) -> int | None:
        """The latest number known of the chat."""
        return self._numbers.get(chat_id)

    def find_other_ids(self, chat_id: int) -> Collection[int]:
        """Numbers that a lost post there can't have: the bot's own latest, and where chats share a count,
        those of other chats.
        """
        own = self._own.get(chat_id, ())
        if not shares_numbering(chat_id):
            return own
        return {*own, *(number for number, place in self._shared.items() if place != chat_id)}


class DeliveryStatus(StrEnum):
    """What is known of a post that failed."""

    UNSENT = "unsent"  # Telegram never had it
    # An error came back: it most likely came to nothing, so it is sent again unless it is found.
    REFUSED = "refused"
    UNKNOWN = "unknown"  # It was written, and no answer came: it is not sent again
    ARRIVED = "arrived"  # Telegram took it


@dataclass(frozen=True, slots=True)
class SendMoment:
    """How things stood when a request was sent."""

    # The chat's latest message that was known: what came since may stand below a post that did arrive.
    latest_message_id: int | None
    sent_at: float


@dataclass(frozen=True, slots=True)
class DeliveryCheck:
    """A post that has to be looked for before it is sent again."""

    fate: DeliveryStatus
    after: int  # The latest message that was known in its chat when it was sent
    at: float  # When it was first sent, in seconds since 1970: it may have been seen since then
    over: bool = False  # Whether it was not found, and may be sent again
    picture: str = ""  # What names the picture that it carried; empty for a text
    looked: int = 0  # How often it was looked for in vain


def read_check(request: QueuedRequest) -> DeliveryCheck | None:
    """What is to be found out of a request before it is sent again. It is stored with it: a stop forgets
    nothing.
    """
    kept = request.body.get(CHECK_KEY)
    return DeliveryCheck(**{**kept, "fate": DeliveryStatus(kept["fate"])}) if kept else None


def write_check(request: QueuedRequest, doubt: DeliveryCheck) -> None:
    """Put that into the request."""
    request.body[CHECK_KEY] = asdict(doubt)


def classify_error(error: TelegramError) -> DeliveryStatus:
    """What an error tells of the post that met it."""
    if isinstance(error.__cause__, UNWRITTEN):
        return DeliveryStatus.UNSENT
    if GONE in error.message:
        return DeliveryStatus.ARRIVED
    answered = not isinstance(error, NetworkError) or isinstance(error, BadRequest)
    reason = describe_telegram_error(error)
    status = any(sign in reason for sign in GATEWAY) or STATUS.search(reason)
    return DeliveryStatus.REFUSED if answered or status else DeliveryStatus.UNKNOWN


def is_undelivered(error: TelegramError) -> bool:
    """Whether a post that met this error is not in its chat, as far as anybody knows."""
    return classify_error(error) in {DeliveryStatus.UNSENT, DeliveryStatus.REFUSED}


def generate_probes(
    params: dict[str, Any], after: int, others: Collection[int] = ()
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Message numbers after `after` and the edit that changes nothing if that message is the post.

    `others` are the numbers of other posts of the bot, which an edit would change, and of other chats.
    """
    same = {key: value for key, value in params.items() if key not in PLACE}
    for number in islice((n for n in count(after + 1) if n not in others), AHEAD):
        yield number, {**same, "message_id": number}


def shares_numbering(chat_id: int) -> bool:
    """Whether the messages of a chat are counted together with those of others."""
    return chat_id > SUPERGROUPS


def get_missing_limit(chat_id: int) -> int:
    """How many numbers in a row at which nothing stands end the look there."""
    return MAX_MISSING_SHARED if shares_numbering(chat_id) else NOTHING


async def find_post(
    ask: ApiCall,
    params: dict[str, Any],
    doubt: DeliveryCheck,
    other_ids: Collection[int] = (),
    missing_limit: int = NOTHING,
) -> int | None:
    """The number of the post, if it stands in its chat and is none of the `others`.

    `params` hold the caption of a post that carried a picture: no edit of a text changes a photo, nor the
    other way round. The look ends after `end` numbers in a row at which nothing stands. Raises
    TelegramError when Telegram doesn't tell.
    """
    missing, method = 0, "editMessageCaption" if doubt.picture else "editMessageText"
    for number, edit in generate_probes(params, doubt.after, other_ids):
        try:
            await ask(method, edit)
        except ChatMigrated:
            return None  # sent again, it is refused for the same reason, and goes where the chat went
        except TelegramError as error:
            if is_sought_post(error):
                return number
            if is_sought_post(error) is None:
                raise
            missing = missing + 1 if MISSING in error.message.lower() else 0
        else:
            return number  # it was the bot's own, and shows by now what the post shows
        if missing == missing_limit:
            break
    return None


def is_sought_post(error: TelegramError) -> bool | None:
    """Whether the message that was edited is the post, by the edit's error; None if that tells nothing."""
    return UNCHANGED in error.message if isinstance(error, BadRequest) and is_refusal(error) else None
