"""Fetch updates by long polling. None is lost: the offset advances after the inbox has committed the batch.

The library's own updater acknowledges updates before they are handled, stops at one that it can't parse, and
can end silently. This loop waits after every failure, a little longer each time; it ends only with an error,
and then so does the process.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from math import ceil
from typing import Any

from telegram import Bot
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError, TimedOut

from bot.database import describe_error, is_database_failure
from bot.metrics import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.refusals import is_refusal, read_retry_delay
from bot.queue.updates import find_message_date, find_update_id
from bot.telegram.api import call_api, describe_failure

log = logging.getLogger(__name__)


class ConflictDecision(Enum):
    RETRY_LATER = "wait"  # refused at once: ask again, each time a little later
    RETRY_SOON = "contest"  # ask again soon, so that the other bot gets a conflict as well
    END = "end"


# Seconds of polling undisturbed after which a bot was here before one that starts now.
NEWCOMER_TIME = 0.9
# Seconds without a conflict after which the other bot is gone; without any answer, our place is free.
QUIET_TIME = 30.0
# Seconds within which a conflict says nothing of another bot: every bot waits longer after a conflict.
AT_ONCE_TIME = 0.2
# Conflicts that end a newcomer, a bot that has polled for less than `QUIET_TIME`, and an older one. The last
# is more than a newcomer causes that is restarted again and again; two old bots meet only when one could not
# reach Telegram for a while.
NEWCOMER_CONFLICTS = 3
YOUNG_CONFLICTS = 5
OLD_CONFLICTS = 40
# Seconds of nothing but conflicts at once that end a bot which was never answered; longer than a request of
# a former run can stay open at Telegram.
MAX_REFUSED_TIME = 35.0


@dataclass(slots=True)
class Contest:
    """Decides which of two bots that poll with one token ends. Reads no clock: all times are arguments.

    Telegram answers a request for updates with a *conflict* when another request arrives after it. So of two
    bots one always asks last, and only the other gets conflicts: the bot that ends leaves one that goes on,
    and both can't end. The longer a bot has polled undisturbed, the more conflicts it takes to end it: a
    newcomer ends before an old bot, and a bot that is alone survives the stray conflict of a former run.
    """

    undisturbed_since: float  # when it began to poll, or since when no conflict came
    last_answer_at: float  # when Telegram last gave any sensible answer
    asked_at: float | None = None  # when it first asked after the last conflict or failure
    conflicts: int = 0  # in the present contest
    last_conflict_at: float = -QUIET_TIME
    max_conflicts: int = NEWCOMER_CONFLICTS  # how many of them end this bot
    got_through: bool = False  # whether any request was answered with updates, or with none

    def record_request(self, now: float) -> None:
        """Record that a request is sent; after a long silence this bot counts as a newcomer again."""
        if now - self.last_answer_at > QUIET_TIME:  # out of touch for so long, another bot may have our place
            self.undisturbed_since = now
            self.last_answer_at = now  # so that the next request does not begin anew
        if self.asked_at is None:
            self.asked_at = now

    def record_failure(self) -> None:
        """Record that the request failed: the next conflict says nothing of the time before."""
        self.asked_at = None

    def record_answer(self, now: float) -> None:
        """Record that Telegram answered with updates, or with none."""
        self.last_answer_at = now
        self.got_through = True

    def handle_conflict(self, now: float) -> ConflictDecision:
        """Count a conflict, unless it comes at once after a request, and decide whether to go on."""
        comes_at_once = self.asked_at is None or now - self.asked_at < AT_ONCE_TIME
        undisturbed = now - self.undisturbed_since
        self.last_answer_at = now  # A conflict is an answer, too
        self.asked_at = None
        if comes_at_once:  # It says nothing of another bot, unless there are only such conflicts
            is_stuck = not self.got_through and undisturbed > MAX_REFUSED_TIME
            return ConflictDecision.END if is_stuck else ConflictDecision.RETRY_LATER
        begins_contest = now - self.last_conflict_at >= QUIET_TIME
        if begins_contest:
            self.conflicts = 0
            self.max_conflicts = _get_max_conflicts(undisturbed)
        self.last_conflict_at = now
        self.undisturbed_since = now
        self.conflicts += 1
        if self.conflicts >= self.max_conflicts:
            return ConflictDecision.END
        return ConflictDecision.RETRY_SOON


def _get_max_conflicts(undisturbed: float) -> int:
    """Return how many conflicts end a bot that polled `undisturbed` for so many seconds."""
    if undisturbed < NEWCOMER_TIME:
        return NEWCOMER_CONFLICTS
    if undisturbed < QUIET_TIME:
        return YOUNG_CONFLICTS
    return OLD_CONFLICTS


class PollingError(Exception):
    """Polling can't go on, but a new start may; the message is one line."""


class TokenLostError(Exception):
    """Another bot has the token: a person must stop one of them. The message is one line."""


async def poll_updates(
    bot: Bot,
    inbox: Inbox,
    allowed: tuple[str, ...],
    pulse: Pulse | None = None,
    check_token: Callable[[], object] = lambda: None,
) -> None:
    """Fetch updates of the `allowed` kinds into `inbox` until cancelled, and record each success in `pulse`.

    `check_token` is called whenever Telegram refuses the token. Raises PollingError or TokenLostError.
    """
    pulse = pulse or Pulse(time.monotonic())
    poller = Poller(partial(call_api, bot), inbox, allowed, pulse, check_token=check_token)
    await poller.run()


# Seconds.
HOLD_TIME = 25  # for which Telegram may hold a request open when there is nothing new
ANSWER_TIME = 10  # beyond that, within which the answer must begin
MAX_SILENCE = 50.0  # without any answer, after which the connection counts as dead
MAX_STEP_TIME = 120.0  # that one fetch and its commit may take before the process is better restarted
FIRST_PAUSE = 0.5  # after a failure; each one doubles the pause
LONGEST_PAUSE = 15.0
LONGEST_WAIT = 60.0  # after a failure, if Telegram says how long
FULL_PAUSE = 0.2  # while the inbox is full
LONGEST_STORAGE_PAUSE = 2.0  # while the database can't be written
CONFLICT_PAUSE = (0.3, 0.6)  # after a conflict, at least and at most; longer than `AT_ONCE_TIME`

BATCH_SIZE = 100  # updates that Telegram returns at most


@dataclass(slots=True)
class Poller:
    """Fetches batches of updates and stores them."""

    call_api: Callable[..., Awaitable[Any]]  # `bot.telegram.api.call_api` without its bot
    inbox: Inbox
    allowed: tuple[str, ...]
    pulse: Pulse
    monotonic: Callable[[], float] = time.monotonic
    uniform: Callable[[float, float], float] = random.uniform
    check_token: Callable[[], object] = lambda: None
    contest: Contest = field(init=False)
    offset: int | None = None
    has_failed: bool = False  # whether the last request failed; then the next one is answered at once
    pause: float = FIRST_PAUSE

    def __post_init__(self) -> None:
        now = self.monotonic()
        self.contest = Contest(undisturbed_since=now, last_answer_at=now)

    async def run(self) -> None:
        """Fetch and store until cancelled. Raises PollingError or TokenLostError."""
        while True:
            step = asyncio.create_task(self.poll_once())
            try:
                done, _ = await asyncio.wait([step], timeout=MAX_STEP_TIME)
            finally:
                step.cancel()
            if not done:
                raise PollingError("polling stands still: the database or the network does not answer")
            await asyncio.sleep(step.result())

    async def poll_once(self) -> float:
        """Fetch and store one batch. Return the seconds to wait before the next. Raises TokenLostError.

        The fetch is given up, to begin anew, once somebody waits for the watermark. `contest` finds out
        whether another bot polls with the same token.
        """
        began = self.inbox.now()
        self.contest.record_request(self.monotonic())
        try:
            updates = await self._fetch_unless_requested(began)
        except Conflict as error:
            return await self._handle_conflict(error.message)
        except Exception as error:  # noqa: BLE001 - garbage can fail in any way; none may end the polling
            self.contest.record_failure()
            self.has_failed = True
            return self._handle_failure(error)
        if updates is None:
            return 0.0  # Ask anew at once: the watermark is requested
        now = self.monotonic()
        self.contest.record_answer(now)
        self.pulse.record_success(now)
        self.has_failed = False
        return await self._store_batch(updates, began)

    async def _handle_conflict(self, message: str) -> float:
        """Return the seconds to wait. Raises TokenLostError if the other bot wins or has set a webhook."""
        decision = self.contest.handle_conflict(self.monotonic())
        log.warning("Telegram reports a conflict, as if another bot had the token: %s", message)
        if "webhook" in message.lower():
            with suppress(TelegramError, KeyError, TypeError):  # No answer, or garbage
                webhook = await self.call_api("getWebhookInfo", {})
                if webhook["url"]:
                    raise TokenLostError("a webhook was set for this token: another bot uses it")
        if decision is ConflictDecision.END:
            raise TokenLostError("another bot already polls with this token")
        if decision is ConflictDecision.RETRY_SOON:
            return self.uniform(*CONFLICT_PAUSE)
        return self._double_pause()

    def _handle_failure(self, error: Exception) -> float:
        """Log a failure, but for a mere timeout. Return the seconds to wait."""
        if isinstance(error, InvalidToken) and is_refusal(error):
            self.check_token()
        if not isinstance(error, TimedOut):
            log.warning("updates can't be fetched, trying again: %s", describe_failure(error))
        if isinstance(error, RetryAfter):
            return min(LONGEST_WAIT, read_retry_delay(error))
        return self._double_pause()

    async def _fetch_unless_requested(self, began: float) -> list[Any] | None:
        """Fetch one batch, for which Telegram may hold the request. Return None if somebody asks meanwhile up
        to when all updates are received (the watermark), which a new request tells sooner.

        An abandoned request acknowledges nothing, so the next one returns the same updates.
        """
        hold = self._choose_hold_time(began)
        if not hold:  # nothing is quicker than a request that Telegram answers at once
            return await self._fetch(hold)
        fetch = asyncio.create_task(self._fetch(hold))
        question = asyncio.create_task(self.inbox.watermark.wait_for_request())
        try:
            await asyncio.wait([fetch, question], return_when=asyncio.FIRST_COMPLETED)
            if fetch.done():
                return fetch.result()
            return None
        finally:
            fetch.cancel()
            question.cancel()
            await asyncio.gather(fetch, question, return_exceptions=True)

    def _choose_hold_time(self, now: float) -> int:
        """Return for how many seconds Telegram may hold a request; 0 if its answer is awaited already."""
        watermark = self.inbox.watermark
        deadline = watermark.next_deadline
        is_deadline_missed = watermark.received_until < deadline <= now
        if self.has_failed or watermark.is_awaited or is_deadline_missed:
            return 0
        if deadline <= now:  # All up to it is received, and no later one is known
            return HOLD_TIME
        return ceil(min(HOLD_TIME, deadline - now))

    async def _fetch(self, hold: int) -> list[Any]:
        """Return one batch as raw JSON: the inbox handles updates that the library can't parse."""
        parameters = {"timeout": hold, "limit": BATCH_SIZE, "allowed_updates": list(self.allowed)}
        if self.offset is not None:
            parameters["offset"] = self.offset
        async with asyncio.timeout(MAX_SILENCE):
            result = await self.call_api("getUpdates", parameters, read_timeout=hold + ANSWER_TIME)
        if not isinstance(result, list):
            raise TypeError("getUpdates did not return a list")
        return result

    async def _store_batch(self, updates: list[Any], began: float) -> float:
        """Store a batch; advance offset and watermark. Return the seconds until the next, also on failure."""
        try:
            await self.inbox.accept(updates)
        except InboxFullError:
            return FULL_PAUSE
        except Exception as error:
            if not is_database_failure(error):
                raise
            log.warning("updates can't be stored, trying again: %s", describe_error(error))
            return min(LONGEST_STORAGE_PAUSE, self._double_pause())
        self._advance_watermark(updates, began)
        return self._advance_offset(updates)

    def _advance_watermark(self, updates: list[Any], began: float) -> None:
        """Mark everything before the request as received if a batch is empty, and observe its last date."""
        if not updates:  # a small batch proves nothing: Telegram may return fewer updates than it has
            self.inbox.watermark.mark_received(began)
        dates = [date for date in map(find_message_date, updates) if date is not None]
        if dates:
            self.inbox.watermark.observe_update(max(dates), self.inbox.now())

    def _advance_offset(self, updates: list[Any]) -> float:
        """Acknowledge the batch with the next request; return the seconds until that, 0 if there are ids."""
        offset = self.offset
        ids = [update_id for update_id in map(find_update_id, updates) if update_id is not None]
        if ids:
            offset = max(ids) + 1
        if updates and offset == self.offset:
            return self._double_pause()  # the offset does not advance, so the same batch will come again
        self.offset = offset
        self.pause = FIRST_PAUSE
        return 0.0

    def _double_pause(self) -> float:
        """Return the pause after a failure, and double it."""
        pause = self.pause
        self.pause = min(LONGEST_PAUSE, pause * 2)
        return pause
