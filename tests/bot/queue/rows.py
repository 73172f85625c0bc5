"""The store's verbs on a database in memory, without threads: a commit takes as long as a test says."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, cast

from sqlalchemy import StaticPool, create_engine, insert, select
from sqlalchemy.exc import OperationalError

from bot.database import RETRY_SECONDS, Store, Tx, is_database_failure
from bot.database.schema import inbox, metadata, outbox
from bot.queue import queries
from bot.queue.queries import QueuedRequest

T = TypeVar("T")
FULL_DISK = OperationalError("INSERT", {}, Exception("database or disk is full"))


class Rows:
    """The two queues in memory."""

    def __init__(self) -> None:
        self._engine = create_engine("sqlite://", poolclass=StaticPool)
        metadata.create_all(self._engine, tables=[inbox, outbox])
        self.takes = 0.0
        """Seconds that each commit takes."""
        self.troubles: list[Exception] = []
        """What the next writes fail with."""
        self.writes = self.urgent = 0
        """How many there were, and how many of them could overtake others."""

    @property
    def store(self) -> Store:
        """Itself, as the modules under test take it."""
        return cast(Store, self)

    async def write(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        self.writes += 1
        self.urgent += urgent
        await asyncio.sleep(self.takes)
        if self.troubles:
            raise self.troubles.pop(0)
        with self._engine.begin() as tx:
            return work(tx)

    async def write_with_retries(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        while True:
            try:
                return await self.write(work, urgent=urgent)
            except Exception as error:
                if not is_database_failure(error):
                    raise
            await asyncio.sleep(RETRY_SECONDS)

    async def read(self, look: Callable[[Tx], T]) -> T:
        return self.look(look)

    def look(self, look: Callable[[Tx], T]) -> T:
        """What `look` sees now, or writes without any commit taking time."""
        with self._engine.begin() as tx:
            return look(tx)

    def updates(self) -> list[tuple[int, str, int, str | None]]:
        """Id, state, tries and trouble of each update, oldest first."""
        columns = (inbox.c.update_id, inbox.c.state, inbox.c.tries, inbox.c.trouble)
        rows = self.look(lambda tx: tx.execute(select(*columns).order_by(inbox.c.update_id)).all())
        return [tuple(row) for row in rows]

    def requests(self) -> list[tuple[int, str]]:
        """Id and state of each request, oldest first."""
        rows = self.look(
            lambda tx: tx.execute(select(outbox.c.id, outbox.c.state).order_by(outbox.c.id)).all()
        )
        return [tuple(row) for row in rows]

    def add(self, table: Any, **values: Any) -> None:
        """Write a row as it stands."""
        self.look(lambda tx: tx.execute(insert(table).values(**values)))


def queued(rows: Rows, lane: int, body: dict[str, Any], at: float = 0.0, by: int = 0) -> QueuedRequest:
    """A request that was stored."""
    return rows.look(lambda tx: queries.insert_request(tx, lane, body, at, by))
