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
from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any

import aiohttp
from telegram.error import BadRequest, ChatMigrated, NetworkError, TelegramError

from bot.queue.outgoing import DeliveryCheck, DeliveryStatus
from bot.queue.pacing import MAX_PROBES, LatestMessages, shares_numbering
from bot.queue.refusals import describe_telegram_error, is_refusal
from bot.queue.rendering import ApiCall

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


# Seconds for which a post is looked for while Telegram doesn't answer; then it counts as not found.
CHECK_PERIOD = 600.0
# Checks for a post without an answer that is sent again if it is not found: one with a picture, whose upload
# often breaks off and otherwise takes a while, and a drawn message, which people wait for.
MAX_CHECKS = 3


MAX_MISSING = 6  # Missing ids in a row that end the search
MAX_MISSING_SHARED = 30  # The same where chats share a numbering


async def find_post(
    call: ApiCall, chat_id: int, params: Mapping[str, Any], check: DeliveryCheck, latest: LatestMessages
) -> int | None:
    """Return the message id of the post in a chat, found by edits that change nothing; None if not found.

    `params` are those of the post, with its caption if it carried a picture: a text's edit doesn't change a
    photo, nor the reverse. Raises TelegramError if Telegram doesn't answer.
    """
    method = "editMessageCaption" if check.picture else "editMessageText"
    not_of_edits = ("reply_parameters", "message_thread_id")
    edit = {name: value for name, value in params.items() if name not in not_of_edits}
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


def _list_possible_ids(chat_id: int, after: int, latest: LatestMessages) -> Iterator[int]:
    """Return the next `MAX_PROBES` ids after one, without those that a lost post can't have."""
    other_ids = latest.find_other_ids(chat_id)
    possible_ids = (number for number in count(after + 1) if number not in other_ids)
    return islice(possible_ids, MAX_PROBES)
