"""Long polling that loses nothing: the offset moves on only after the inbox has committed the batch.

The library's own updater acknowledges updates before they are handled, stops at one that it can't parse,
and can end without a word; this loop is short enough to see that it does neither.
"""

import asyncio
import logging
import time
from typing import Any

from sqlalchemy.exc import DBAPIError
from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError, TimedOut

from bot.inbox import Inbox, InboxFullError
from bot.wire import ask

log = logging.getLogger(__name__)

WAIT = 25
"""Seconds for which Telegram may hold a request open when there is nothing new."""
STALLED = 55.0
"""Seconds without any answer after which the connection counts as dead."""
CONFLICT_WINDOW = 15.0
CONFLICTS = 3
"""This many conflicts within the first seconds mean that another bot uses the token."""
LONGEST_PAUSE = 15.0


class PollingError(Exception):
    """Polling can't go on; the message is one line."""


async def poll(bot: Bot, inbox: Inbox, allowed: tuple[str, ...]) -> None:
    """Fetch updates for as long as it is not cancelled. Raises PollingError when that makes no sense."""
    started = time.monotonic()
    offset: int | None = None
    conflicts, pause = 0, 0.5
    while True:
        try:
            updates = await _fetch(bot, offset, allowed)
            await inbox.accept(updates)
        except (RetryAfter, InboxFullError) as error:
            await asyncio.sleep(_seconds(error))
            continue
        except Conflict as error:
            conflicts += 1
            if conflicts >= CONFLICTS and time.monotonic() - started < CONFLICT_WINDOW:
                raise PollingError("another bot already polls with this token, or a webhook is set") from None
            log.warning("Telegram reports a conflict: %s", error.message)
            pause = 1.0
        except InvalidToken:
            raise PollingError("Telegram refuses BOT_TOKEN") from None
        except (TelegramError, TimeoutError, TypeError) as error:
            if not isinstance(error, TimedOut):
                log.warning("updates can't be fetched, trying again: %s", type(error).__name__)
        except DBAPIError as error:
            log.warning("updates can't be stored, trying again: %s", error.orig)
        else:
            pause = 0.5
            known = [
                u["update_id"] for u in updates if isinstance(u, dict) and isinstance(u.get("update_id"), int)
            ]
            offset = known[-1] + 1 if known else offset
            continue
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


async def _fetch(bot: Bot, offset: int | None, allowed: tuple[str, ...]) -> list[Any]:
    """One batch, as raw JSON objects: an update that the library can't parse is the inbox's business."""
    asked: dict[str, Any] = {"timeout": WAIT, "allowed_updates": list(allowed)}
    if offset is not None:
        asked["offset"] = offset
    async with asyncio.timeout(STALLED):
        result = await ask(bot, "getUpdates", asked, read_timeout=WAIT + 10)
    if not isinstance(result, list):
        raise TypeError("getUpdates did not return a list")
    return result


def _seconds(error: Exception) -> float:
    if isinstance(error, RetryAfter):
        seconds = error.retry_after
        return seconds if isinstance(seconds, (int, float)) else seconds.total_seconds()
    return 0.2
