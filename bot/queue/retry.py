"""Handles one update: again after a pause where that fails, and dead-letters it after `TRIES` failures.

While nothing can be stored, an update is tried again for as long as that lasts, and no failure is counted.
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
TRIES = 3
FIRST_PAUSE = 0.1  # Seconds; each failure doubles them


class FailureReporter(Protocol):
    """Tells users of failures."""

    async def report_failure(self, incoming: QueuedUpdate) -> None:
        """Dead-letter the update, and tell whoever sent it. Raises LaneLostError if it is another's now."""

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        """Tell that these wait, because nothing can be written at the moment."""

    def end_outage(self) -> None:
        """Writing works again."""


class RetryingHandler:
    """Runs `handle` until it succeeds, the update is dead-lettered, or `closing` is set."""

    def __init__(
        self,
        store: Store,
        handle: UpdateHandler,
        apologies: FailureReporter,
        wall: Callable[[], float],
        claims: Leases = SINGLE_BOT,
    ) -> None:
        self._store = store
        self._handle = handle
        self._apologies = apologies
        self._wall = wall
        self._claims = claims
        self.closing = False
        self.postponed = set[int]()
        """Updates that could not even be counted as failed: they wait for the next start."""

    async def handle(self, incoming: QueuedUpdate) -> None:
        """Handle one update; whatever goes wrong with it is logged."""
        if (
            not self._claims.owns(incoming.lane)
            or self._claims.get_token(incoming.lane) != incoming.lease_token
        ):
            return  # whoever serves the chat now goes on with it
        kind = incoming.kind or "other"
        with trace.use_trace(trace.make_update_trace(incoming.update_id)):
            await self._serve(incoming, kind)

    async def discard(self, late: Iterable[QueuedUpdate], now: float) -> None:
        """Mark these as done without handling them. Who has the chat of some by now decides of those, and may
        be handling one just then.
        """
        by_claim = dict[tuple[int, int], list[QueuedUpdate]]()
        for incoming in late:
            by_claim.setdefault((incoming.lane, incoming.lease_token), []).append(incoming)

        def drop(tx: Tx) -> None:
            for (lane, token), updates in by_claim.items():
                with suppress(LaneLostError):
                    self._claims.check_token(tx, lane, token)
                    for incoming in updates:
                        queries.mark_done(tx, incoming.update_id, now)

        await self._store.write(drop)

    async def _serve(self, incoming: QueuedUpdate, kind: str) -> None:
        outcome = "left"
        metrics.UPDATE_WAIT_TIME.observe(max(0.0, self._wall() - incoming.accepted_at))
        try:
            with metrics.measure_time(metrics.HANDLING_TIME.labels(kind)):
                outcome = await self._attempt(incoming)
        except LaneLostError:
            log.info("update %s is another bot's by now", incoming.update_id)
        except Exception as error:  # noqa: BLE001 - it stays stored, so the next start tries it again
            logs.log_unexpected_error(log, f"update {incoming.update_id} is left for the next start", error)
            if not self._claims.shared:  # else the next look at what waits takes it up again
                self.postponed.add(incoming.update_id)
        finally:
            metrics.UPDATES_HANDLED.labels(kind, outcome).inc()
            log.debug("%s: %s", kind, outcome)

    async def _attempt(self, incoming: QueuedUpdate) -> str:
        """What became of the update: done, refused to who asks for too much, dead, or left as it is."""
        tries, delays = incoming.attempts, 0
        while not self.closing:
            try:
                await self._handle(incoming)
                if delays:
                    self._apologies.end_outage()
                return "refused" if incoming.is_refused else "done"
            except LaneLostError:
                raise
            except asyncio.CancelledError as error:
                if is_cancelled():
                    raise
                tries = await self._failed(incoming, error)
            except Exception as error:  # noqa: BLE001 - counted, and in the end dead-lettered
                if is_database_failure(error):
                    delays += 1
                    log.warning("the database can't be written; trying again: %s", describe_error(error))
                    self._apologies.report_delay([incoming])
                else:
                    tries = await self._failed(incoming, error)
            if tries >= TRIES:
                await self._give_up(incoming)
                return "dead"
            await asyncio.sleep(RETRY_SECONDS if delays else FIRST_PAUSE * 2**tries)
        return "left"

    async def _failed(self, incoming: QueuedUpdate, error: BaseException) -> int:
        """Count a failure; returns how many there were. Raises LaneLostError if it is another's now."""
        logs.log_unexpected_error(log, f"update {incoming.update_id} failed", error)
        trouble = describe_error(error).encode("utf-8", "replace").decode().replace("\x00", "")

        def count(tx: Tx) -> int:
            self._claims.check_token(tx, incoming.lane, incoming.lease_token)
            return queries.count_failure(tx, incoming.update_id, trouble)

        return await self._store.write_with_retries(count)

    async def _give_up(self, incoming: QueuedUpdate) -> None:
        def bury(tx: Tx) -> None:
            self._claims.check_token(tx, incoming.lane, incoming.lease_token)
            queries.dead_letter_update(tx, incoming.update_id, self._wall())

        try:
            await self._apologies.report_failure(incoming)
        except LaneLostError:
            raise
        except Exception as error:
            log.warning("nobody was told of update %s", incoming.update_id, exc_info=remove_error_text(error))
            await self._store.write_with_retries(bury)
