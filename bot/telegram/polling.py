"""Long polling that loses nothing: the offset moves on only after the inbox has committed the batch.

The library's own updater acknowledges updates before they are handled, stops at one that it can't parse,
and can end without a word; this loop is short enough to see that it does neither. Whatever goes wrong is
waited out, a little longer each time; it ends only with an error, and then so does the process.

Two bots on one token: `contest` says which one ends.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from math import ceil
from typing import Any, Protocol

from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError, TimedOut

from bot.database import describe_error, is_database_failure
from bot.pulse import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.refusals import read_retry_delay
from bot.queue.updates import find_message_date, find_update_id
from bot.telegram.api import call_api, describe_failure, is_refusal

NEWCOMER_TIME = 0.9  # Seconds of asking undisturbed after which a bot was here before one that comes now
# Seconds without a conflict after which the other bot is gone; without any answer, our own place is.
QUIET_TIME = 30.0
# Seconds within which a refusal says nothing of another bot: every bot waits longer after a conflict.
AT_ONCE_TIME = 0.2
# Conflicts at which a newcomer ends, a bot that was here for less than `ALONE`, and one for longer. The last
# is more than a newcomer causes that is started again and again; two old bots meet only when one could not
# reach Telegram for a while.
NEWCOMER_CONFLICTS, YOUNG_CONFLICTS, OLD_CONFLICTS = 3, 5, 40
# Seconds of nothing but refusals at once after which a bot that never got through ends. More than a request
# of a former run can linger at Telegram.
MAX_REFUSED_TIME = 35.0


class ConflictDecision(Enum):
    """What follows from a conflict."""

    RETRY_LATER = "wait"  # Refused at once: ask again, each time a little later
    RETRY_SOON = "contest"  # Ask again soon, so that the other bot hears of this one
    END = "end"


@dataclass(slots=True)
class Contest:
    """What one bot knows of others on its token. All times are on the monotonic clock."""

    undisturbed_since: float  # When it began to ask, or to ask undisturbed
    last_answer_at: float  # When Telegram last answered anything that makes sense
    asked_at: float = -1.0  # When it asked first since the last conflict; negative if it hasn't
    conflicts: int = 0  # In the present contest
    last_conflict_at: float = -QUIET_TIME  # When the last of them came
    max_conflicts: int = NEWCOMER_CONFLICTS  # How many of them end this bot
    got_through: bool = False  # Whether any request was answered with updates, be it none

    def record_request(self, now: float) -> None:
        """A request goes out."""
        if now - self.last_answer_at > QUIET_TIME:
            self.undisturbed_since = self.last_answer_at = (
                now  # out of touch for so long, the place may be another's
            )
        if self.asked_at < 0:
            self.asked_at = now

    def record_failure(self) -> None:
        """The request came to nothing: what comes next tells nothing of the time before."""
        self.asked_at = -1.0

    def record_answer(self, now: float) -> None:
        """Updates came back, or that there are none."""
        self.last_answer_at, self.got_through = now, True

    def handle_conflict(self, now: float) -> ConflictDecision:
        """Telegram reports a conflict."""
        at_once = self.asked_at < 0 or now - self.asked_at < AT_ONCE_TIME
        if now - self.last_conflict_at >= QUIET_TIME and not at_once:
            self.conflicts, self.max_conflicts = 0, _bears(now - self.undisturbed_since)
        self.last_answer_at, self.asked_at = now, -1.0
        if at_once:
            stuck = not self.got_through and now - self.undisturbed_since > MAX_REFUSED_TIME
            return ConflictDecision.END if stuck else ConflictDecision.RETRY_LATER
        self.last_conflict_at = self.undisturbed_since = now
        self.conflicts += 1
        return ConflictDecision.END if self.conflicts >= self.max_conflicts else ConflictDecision.RETRY_SOON


def _bears(undisturbed: float) -> int:
    if undisturbed < NEWCOMER_TIME:
        return NEWCOMER_CONFLICTS
    return YOUNG_CONFLICTS if undisturbed < QUIET_TIME else OLD_CONFLICTS


__all__ = ["NEWCOMER_TIME", "PollingError", "TokenLostError", "poll_updates"]

log = logging.getLogger(__name__)

WAIT = 25  # Seconds for which Telegram may hold a request open when there is nothing new
MOST = 100  # Updates that Telegram hands over at once; a batch with fewer left none behind
STALLED = 50.0  # Seconds without any answer after which the connection counts as dead
STUCK = 120.0  # Seconds that one fetch and its commit may take before the process had better start anew
# Seconds for which Telegram must refuse the token, asked in two ways, before it counts as refused.
TOKEN_REFUSED_TIME = 10.0
ANSWER = 10  # Seconds beyond those for which Telegram holds a request, within which its answer must begin
# Seconds to wait after a failure, which doubles them; and at most where Telegram says how long.
FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WAIT = 0.5, 15.0, 60.0
# Seconds to wait for an inbox that is full, and at most for a database that can't be written.
FULL_PAUSE, LONGEST_STORAGE_PAUSE = 0.2, 2.0
# Between these seconds a bot asks again after a conflict; more than `contest.AT_ONCE`.
CONFLICT_PAUSE = (0.3, 0.6)


class PollingError(Exception):
    """Polling can't go on, but a new start may; the message is one line."""


class TokenLostError(Exception):
    """Another bot has the token, or nobody any more: for a person to mend. The message is one line."""


class CallApi(Protocol):
    """The transport: `bot.telegram.api.ask` without its bot. Raises TelegramError."""

    async def __call__(
        self, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None
    ) -> Any:
        """Telegram's result of the method."""


async def poll_updates(bot: Bot, inbox: Inbox, allowed: tuple[str, ...], pulse: Pulse | None = None) -> None:
    """Fetch updates for as long as it is not cancelled; each success beats `pulse`.

    Raises PollingError or OustedError when that makes no sense any more.
    """
    await Poller(partial(call_api, bot), inbox, allowed, pulse or Pulse(time.monotonic())).run()


@dataclass(slots=True)
class Poller:
    """Fetches through `ask`, stores in `inbox`. `monotonic` is its clock; `uniform` chooses among pauses."""

    call_api: CallApi
    inbox: Inbox
    allowed: tuple[str, ...]
    pulse: Pulse
    monotonic: Callable[[], float] = time.monotonic
    uniform: Callable[[float, float], float] = random.uniform
    contest: Contest = field(init=False)
    offset: int | None = None
    refused_since: float | None = None  # Since when Telegram has refused the token each time
    has_failed: bool = (
        False  # Whether the last request failed: the next one shows at once whether that is over
    )
    pause: float = FIRST_PAUSE

    def __post_init__(self) -> None:
        now = self.monotonic()
        self.contest = Contest(now, now)

    async def run(self) -> None:
        """Fetch and store until cancelled. Raises PollingError or OustedError."""
        while True:
            step = asyncio.create_task(self.poll_once())
            try:
                done, _ = await asyncio.wait([step], timeout=STUCK)
            finally:
                step.cancel()
            if not done:
                raise PollingError("polling stands still: the database or the network does not answer")
            await asyncio.sleep(step.result())

    async def poll_once(self) -> float:
        """Fetch and keep one batch; returns the seconds to wait before the next."""
        began = self.inbox.now()
        self.contest.record_request(self.monotonic())
        try:
            updates = await self._fetch_unless_asked(began)
        except Conflict as error:
            return await self._conflict(error.message)
        except Exception as error:  # noqa: BLE001 - garbage can fail in any way; none may end the polling
            self.contest.record_failure()
            self.has_failed = True
            return await self._failed(error)
        if updates is None:
            return 0.0
        now = self.monotonic()
        self.contest.record_answer(now)
        self.pulse.record_success(now)
        self.refused_since, self.has_failed = None, False
        return await self._keep(updates, began)

    async def _failed(self, error: Exception) -> float:
        """Say why, unless it is mere silence; returns the seconds to wait."""
        if isinstance(error, InvalidToken) and is_refusal(error):
            await self._refused()
        else:
            self.refused_since = None
        if not isinstance(error, TimedOut):
            log.warning("updates can't be fetched, trying again: %s", describe_failure(error))
        return min(LONGEST_WAIT, read_retry_delay(error)) if isinstance(error, RetryAfter) else self._longer()

    async def _refused(self) -> None:
        """Telegram refuses the token. Raises OustedError once it does for a while, whatever is asked."""
        now = self.monotonic()
        self.refused_since = now if self.refused_since is None else self.refused_since
        self.pause = min(self.pause, TOKEN_REFUSED_TIME / 4)
        if now - self.refused_since < TOKEN_REFUSED_TIME:
            return
        try:
            await self.call_api("getMe", {})
        except InvalidToken as error:
            if is_refusal(error):
                raise TokenLostError("BOT_TOKEN: Telegram refuses it") from None
        except Exception as error:  # noqa: BLE001 - no answer is no refusal
            log.warning("Telegram does not say whether it knows the token: %s", describe_failure(error))

    async def _fetch_unless_asked(self, began: float) -> list[Any] | None:
        """One batch; None when somebody needs to know what came after this poll began, so a new one is due.

        What an abandoned poll was about to bring is not acknowledged, so the next one brings it.
        """
        hold = self._hold(began)
        fetch = asyncio.create_task(self._fetch(hold))
        asked = asyncio.create_task(self.inbox.watermark.wait_for_request())
        try:
            await asyncio.wait([fetch, asked] if hold else [fetch], return_when=asyncio.FIRST_COMPLETED)
            return fetch.result() if fetch.done() else asked.result()
        finally:
            fetch.cancel()
            asked.cancel()
            await asyncio.gather(fetch, asked, return_exceptions=True)

    def _hold(self, now: float) -> int:
        """Seconds for which Telegram may hold the request: until somebody needs to know what has come."""
        arrivals = self.inbox.watermark
        if self.has_failed or arrivals.is_awaited or arrivals.received_until < arrivals.next_deadline <= now:
            return 0
        return WAIT if arrivals.next_deadline <= now else ceil(min(WAIT, arrivals.next_deadline - now))

    async def _fetch(self, hold: int) -> list[Any]:
        """One batch, as raw JSON objects: an update that the library can't parse is the inbox's business."""
        asked: dict[str, Any] = {"timeout": hold, "limit": MOST, "allowed_updates": list(self.allowed)}
        if self.offset is not None:
            asked["offset"] = self.offset
        async with asyncio.timeout(STALLED):
            result = await self.call_api("getUpdates", asked, read_timeout=hold + ANSWER)
        if not isinstance(result, list):
            raise TypeError("getUpdates did not return a list")
        return result

    async def _keep(self, updates: list[Any], began: float) -> float:
        """Store one batch and move the offset on; returns the seconds to wait before the next."""
        try:
            await self.inbox.accept(updates)
        except InboxFullError:
            return FULL_PAUSE
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("updates can't be stored, trying again: %s", describe_error(error))
            return min(LONGEST_STORAGE_PAUSE, self._longer())
        self._report(updates, began)
        before = self.offset
        usable = [number for update in updates if (number := find_update_id(update)) is not None]
        self.offset = max(usable) + 1 if usable else before
        if updates and self.offset == before:
            return self._longer()  # nothing in it moves the offset on: it will come again
        self.pause = FIRST_PAUSE
        return 0.0

    def _report(self, updates: list[Any], began: float) -> None:
        """Say up to when everything has come: an empty batch shows it, and so does one update in its order.

        A batch that isn't full proves nothing: Telegram may hand over less than it holds.
        """
        arrivals = self.inbox.watermark
        if not updates:
            arrivals.mark_received(began)
        dates = [date for update in updates if (date := find_message_date(update)) is not None]
        if dates:
            arrivals.observe_update(max(dates), self.inbox.now())

    async def _conflict(self, message: str) -> float:
        """Another bot has asked, or set a webhook; returns the seconds to wait. Raises OustedError."""
        outcome = self.contest.handle_conflict(self.monotonic())
        log.warning("Telegram reports a conflict, as if another bot had the token: %s", message)
        if "webhook" in message.lower() and await self._posts_elsewhere():
            raise TokenLostError("a webhook was set for this token: another bot uses it")
        if outcome is ConflictDecision.END:
            raise TokenLostError("another bot already polls with this token")
        return self.uniform(*CONFLICT_PAUSE) if outcome is ConflictDecision.RETRY_SOON else self._longer()

    async def _posts_elsewhere(self) -> bool:
        """Whether Telegram itself names a webhook; without its word nothing is concluded."""
        try:
            return bool((await self.call_api("getWebhookInfo", {}))["url"])
        except (TelegramError, KeyError, TypeError):
            return False

    def _longer(self) -> float:
        pause, self.pause = self.pause, min(LONGEST_PAUSE, self.pause * 2)
        return pause
