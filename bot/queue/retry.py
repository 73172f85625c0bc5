"""Handles one update, tries again after failures, and dead-letters it after `MAX_ATTEMPTS` of them.

While the database can't be written, an update is tried again without counting failures.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Protocol

from bot import logs, metrics, trace
from bot.database import RETRY_SECONDS, Store, Tx, describe_error, is_database_failure
from bot.logs import remove_error_text
from bot.queue import queries
from bot.queue.leases import SINGLE_BOT, LaneLostError, Leases
from bot.queue.queries import QueuedUpdate
from bot.supervision import is_cancelled

log = logging.getLogger(__name__)

UpdateHandler = Callable[[QueuedUpdate], Awaitable[None]]
MAX_ATTEMPTS = 3
FIRST_PAUSE = 0.1  # Seconds; doubled by each failure


class FailureReporter(Protocol):
    """Tells users of failures."""

    async def report_failure(self, update: QueuedUpdate) -> None:
        """Dead-letter the update and tell its sender. Raises LaneLostError if the chat is another bot's."""

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        """Tell the senders that their updates wait because the database can't be written."""

    def end_outage(self) -> None:
        """Note that the database can be written again."""


class RetryingHandler:
    """Calls a handler until it succeeds, the update is dead-lettered, or `closing` is set."""

    def __init__(
        self,
        store: Store,
        handler: UpdateHandler,
        reporter: FailureReporter,
        wall: Callable[[], float],
        leases: Leases = SINGLE_BOT,
    ) -> None:
        self._store = store
        self._handler = handler
        self._reporter = reporter
        self._wall = wall
        self._leases = leases
        self.closing = False
        self.postponed = set[int]()  # Ids of updates left for the next start: no failure could be counted

    async def handle(self, update: QueuedUpdate) -> None:
        """Handle one update and log its errors. Skip it if another bot has taken over its chat."""
        if not self._leases.owns(update.lane) or self._leases.get_token(update.lane) != update.lease_token:
            return
        kind = update.kind or "other"
        outcome = "left"  # as metrics name an update that is not finished here
        metrics.UPDATE_WAIT_TIME.observe(max(0.0, self._wall() - update.accepted_at))
        with trace.use_trace(f"u{update.update_id}"):
            try:
                with metrics.measure_time(metrics.HANDLING_TIME.labels(kind)):
                    outcome = await self._try_until_done(update)
            except LaneLostError:
                log.info("update %s is another bot's by now", update.update_id)
            except Exception as error:  # noqa: BLE001 - it stays stored, so the next start tries it again
                logs.log_unexpected_error(log, f"update {update.update_id} is left for the next start", error)
                if not self._leases.shared:  # else it is soon taken up again from the database
                    self.postponed.add(update.update_id)
            finally:
                metrics.UPDATES_HANDLED.labels(kind, outcome).inc()
                log.debug("%s: %s", kind, outcome)

    async def discard(self, updates: Iterable[QueuedUpdate], now: float) -> None:
        """Mark updates as done without handling them, except those whose chats other bots serve by now."""

        def mark_all_done(tx: Tx) -> None:
            for update in updates:
                with suppress(LaneLostError):
                    self._leases.check_token(tx, update.lane, update.lease_token)
                    queries.mark_done(tx, update.update_id, now)

        await self._store.write(mark_all_done)

    async def _try_until_done(self, update: QueuedUpdate) -> str:
        """Handle an update with retries; return the outcome, as for metrics: done, refused, dead or left."""
        failures = update.attempts
        is_delayed = False  # by the database
        while not self.closing:
            try:
                await self._handler(update)
                if is_delayed:
                    self._reporter.end_outage()
                return "refused" if update.is_refused else "done"
            except LaneLostError:
                raise
            except (Exception, asyncio.CancelledError) as error:  # counted, and in the end dead-lettered
                if isinstance(error, asyncio.CancelledError) and is_cancelled():
                    raise  # this task is cancelled, and not merely something that the handler waited for
                if is_database_failure(error):
                    is_delayed = True
                    log.warning("the database can't be written; trying again: %s", describe_error(error))
                    self._reporter.report_delay([update])
                else:
                    failures = await self._count_failure(update, error)
            if failures >= MAX_ATTEMPTS:
                await self._dead_letter(update)
                return "dead"
            await asyncio.sleep(RETRY_SECONDS if is_delayed else FIRST_PAUSE * 2**failures)
        return "left"

    async def _count_failure(self, update: QueuedUpdate, error: BaseException) -> int:
        """Log and store a failure, and return the number of failures. Raises LaneLostError."""
        logs.log_unexpected_error(log, f"update {update.update_id} failed", error)
        # Databases store neither lone surrogates nor zero characters.
        reason = describe_error(error).encode("utf-8", "replace").decode().replace("\x00", "")

        def count(tx: Tx) -> int:
            self._leases.check_token(tx, update.lane, update.lease_token)
            return queries.count_failure(tx, update.update_id, reason)

        return await self._store.write_with_retries(count)

    async def _dead_letter(self, update: QueuedUpdate) -> None:
        """Dead-letter an update and tell its sender, who is left out if that fails. Raises LaneLostError."""

        def mark_dead(tx: Tx) -> None:
            self._leases.check_token(tx, update.lane, update.lease_token)
            queries.dead_letter_update(tx, update.update_id, self._wall())

        try:
            await self._reporter.report_failure(update)
        except LaneLostError:
            raise
        except Exception as error:
            log.warning("nobody was told of update %s", update.update_id, exc_info=remove_error_text(error))
            await self._store.write_with_retries(mark_dead)
