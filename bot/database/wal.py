"""Folds SQLite's log into its file beside the writer, so that no transaction waits for that.

By itself SQLite does this at the end of whichever commit makes the log a thousand pages long, and that one
takes ten times as long as others. A checkpoint of the mode PASSIVE waits for nobody and holds nobody up
(https://www.sqlite.org/c3ref/wal_checkpoint_v2.html). What is committed meanwhile it leaves, without a word;
as long as anything is left the log begins no new round and grows. So the writer folds that little between
two transactions.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

log = logging.getLogger(__name__)

WRITES = 512
"""Writes after which the log is folded. Each time a few commits wait for the disk beside it, and a page that
changed often is written once: so seldom. The log has some 40 MB by then.
"""
Fold = Callable[[], Awaitable[None]]


class Folding:
    """`beside` folds while others write, `between` while nobody does."""

    def __init__(self, beside: Fold, between: Fold) -> None:
        self._beside, self._between = beside, between
        self._writes = 0
        self._task: asyncio.Task[None] | None = None
        self._holders = 0

    def written(self) -> None:
        """One more write is over."""
        self._writes += 1
        if self._writes >= WRITES and self._task is None and not self._holders:
            self._writes = 0
            self._task = asyncio.create_task(self._fold())

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Wait until nothing is being folded; nothing is until this ends."""
        self._holders += 1
        try:
            if self._task is not None:
                await asyncio.wait([self._task])
            yield
        finally:
            self._holders -= 1

    async def _fold(self) -> None:
        try:
            await self._beside()
            await self._between()
        except Exception as error:  # noqa: BLE001 - what was committed is in the log, and the next one folds it
            log.info("the database's log is folded later: %s", type(error).__name__)
        finally:
            self._task = None
