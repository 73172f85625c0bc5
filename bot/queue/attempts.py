"""Handles one update: again after a pause where that fails, and dead-letters it after `TRIES` failures.

While nothing can be stored, an update is tried again for as long as that lasts, and no failure is counted.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Protocol

from bot import logs, metrics, trace
from bot.database import AGAIN, Store, Tx, cause, storage_trouble
from bot.logs import bare
from bot.queue import queries
from bot.queue.claims import ALONE, Claims, LaneLostError
from bot.queue.queries import Incoming
from bot.supervision import is_cancelled

log = logging.getLogger(__name__)

Handle = Callable[[Incoming], Awaitable[None]]
TRIES = 3
FIRST_PAUSE = 0.1  # Seconds; each failure doubles them


class Apologies(Protocol):
    """Tells users of failures."""

    async def give_up(self, incoming: Incoming) -> None:
        """Dead-letter the update, and tell whoever sent it. Raises LaneLostError if it is another's now."""

    def delay(self, updates: Iterable[Incoming]) -> None:
        """Tell that these wait, because nothing can be written at the moment."""

    def relieve(self) -> None:
        """Writing works again."""


class Attempts:
    """Runs `handle` until it succeeds, the update is dead-lettered, or `closing` is set."""

    def __init__(
        self,
        store: Store,
        handle: Handle,
        apologies: Apologies,
        wall: Callable[[], float],
        claims: Claims = ALONE,
    ) -> None:
        self._store = store
        self._handle = handle
        self._apologies = apologies
        self._wall = wall
        self._claims = claims
        self.closing = False
        self.left = set[int]()
        """Updates that could not even be counted as failed: they wait for the next start."""

    async def serve(self, incoming: Incoming) -> None:
        """Handle one update; whatever goes wrong with it is logged."""
        if not self._claims.has(incoming.lane) or self._claims.token(incoming.lane) != incoming.token:
            return  # whoever serves the chat now goes on with it
        kind = incoming.kind or "other"
        with trace.follow(trace.of_update(incoming.update_id)):
            await self._serve(incoming, kind)

    async def drop(self, late: Iterable[Incoming], now: float) -> None:
        """Mark these as done without handling them. Who has the chat of some by now decides of those, and may
        be handling one just then.
        """
        by_claim = dict[tuple[int, int], list[Incoming]]()
        for incoming in late:
            by_claim.setdefault((incoming.lane, incoming.token), []).append(incoming)

        def drop(tx: Tx) -> None:
            for (lane, token), updates in by_claim.items():
                with suppress(LaneLostError):
                    self._claims.check(tx, lane, token)
                    for incoming in updates:
                        queries.mark_done(tx, incoming.update_id, now)

        await self._store.write(drop)

    async def _serve(self, incoming: Incoming, kind: str) -> None:
        outcome = "left"
        metrics.WAITING.observe(max(0.0, self._wall() - incoming.at))
        try:
            with metrics.timed(metrics.HANDLING.labels(kind)):
                outcome = await self._attempt(incoming)
        except LaneLostError:
            log.info("update %s is another bot's by now", incoming.update_id)
        except Exception as error:  # noqa: BLE001 - it stays stored, so the next start tries it again
            logs.unforeseen(log, f"update {incoming.update_id} is left for the next start", error)
            if not self._claims.shared:  # else the next look at what waits takes it up again
                self.left.add(incoming.update_id)
        finally:
            metrics.UPDATES.labels(kind, outcome).inc()
            log.debug("%s: %s", kind, outcome)

    async def _attempt(self, incoming: Incoming) -> str:
        """What became of the update: done, refused to who asks for too much, dead, or left as it is."""
        tries, delays = incoming.tries, 0
        while not self.closing:
            try:
                await self._handle(incoming)
                if delays:
                    self._apologies.relieve()
                return "refused" if incoming.refused else "done"
            except LaneLostError:
                raise
            except asyncio.CancelledError as error:
                if is_cancelled():
                    raise
                tries = await self._failed(incoming, error)
            except Exception as error:  # noqa: BLE001 - counted, and in the end dead-lettered
                if storage_trouble(error):
                    delays += 1
                    log.warning("the database can't be written; trying again: %s", cause(error))
                    self._apologies.delay([incoming])
                else:
                    tries = await self._failed(incoming, error)
            if tries >= TRIES:
                await self._give_up(incoming)
                return "dead"
            await asyncio.sleep(AGAIN if delays else FIRST_PAUSE * 2**tries)
        return "left"

    async def _failed(self, incoming: Incoming, error: BaseException) -> int:
        """Count a failure; returns how many there were. Raises LaneLostError if it is another's now."""
        logs.unforeseen(log, f"update {incoming.update_id} failed", error)
        trouble = cause(error).encode("utf-8", "replace").decode().replace("\x00", "")

        def count(tx: Tx) -> int:
            self._claims.check(tx, incoming.lane, incoming.token)
            return queries.failed(tx, incoming.update_id, trouble)

        return await self._store.write_with_retries(count)

    async def _give_up(self, incoming: Incoming) -> None:
        def bury(tx: Tx) -> None:
            self._claims.check(tx, incoming.lane, incoming.token)
            queries.dead_letter(tx, incoming.update_id, self._wall())

        try:
            await self._apologies.give_up(incoming)
        except LaneLostError:
            raise
        except Exception as error:
            log.warning("nobody was told of update %s", incoming.update_id, exc_info=bare(error))
            await self._store.write_with_retries(bury)
