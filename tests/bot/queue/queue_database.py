"""The tables of both queues in memory, without threads; a test sets how long a commit takes."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeVar, cast

from sqlalchemy import StaticPool, create_engine, insert, select
from sqlalchemy.exc import OperationalError

from bot.database import RETRY_SECONDS, Store, Tx, is_database_failure
from bot.database.schema import inbox, metadata, outbox
from bot.queue import queries
from bot.queue.outgoing import Outgoing, decode
from bot.queue.queries import QueuedRequest

T = TypeVar("T")


def make_outgoing(lane: int, body: dict[str, Any]) -> Outgoing:
    """Return the request that is stored as this object."""
    outgoing = decode(lane, json.dumps(body))
    assert outgoing
    return outgoing


FULL_DISK = OperationalError("INSERT", {}, Exception("database or disk is full"))


class QueueDatabase:
    """A store with the two queues."""

    def __init__(self) -> None:
        self._engine = create_engine("sqlite://", poolclass=StaticPool)
        metadata.create_all(self._engine, tables=[inbox, outbox])
        self.commit_seconds = 0.0
        self.errors: list[Exception] = []  # Raised by the next writes, one each
        self.write_count = self.urgent_count = 0

    @property
    def store(self) -> Store:
        """Return this object under the type that the modules under test take."""
        return cast(Store, self)

    async def write(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        self.write_count += 1
        self.urgent_count += urgent
        await asyncio.sleep(self.commit_seconds)
        if self.errors:
            raise self.errors.pop(0)
        return self.run(work)

    async def write_with_retries(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        while True:
            try:
                return await self.write(work, urgent=urgent)
            except Exception as error:
                if not is_database_failure(error):
                    raise
            await asyncio.sleep(RETRY_SECONDS)

    async def read(self, look: Callable[[Tx], T]) -> T:
        return self.run(look)

    def run(self, work: Callable[[Tx], T]) -> T:
        """Run a transaction at once, without counting it."""
        with self._engine.begin() as tx:
            return work(tx)

    def list_updates(self) -> list[tuple[int, str, int, str | None]]:
        """Return id, state, failures and error of each update by id."""
        columns = (inbox.c.update_id, inbox.c.state, inbox.c.tries, inbox.c.trouble)
        rows = self.run(lambda tx: tx.execute(select(*columns).order_by(inbox.c.update_id)).all())
        return [tuple(row) for row in rows]

    def list_requests(self) -> list[tuple[int, str]]:
        """Return id and state of each request by id."""
        columns = (outbox.c.id, outbox.c.state)
        rows = self.run(lambda tx: tx.execute(select(*columns).order_by(outbox.c.id)).all())
        return [tuple(row) for row in rows]

    def insert(self, table: Any, **values: Any) -> None:
        self.run(lambda tx: tx.execute(insert(table).values(**values)))

    def insert_request(
        self, lane: int, body: dict[str, Any], at: float = 0.0, caused_by: int = 0
    ) -> QueuedRequest:
        outgoing = make_outgoing(lane, body)
        return self.run(lambda tx: queries.insert_request(tx, outgoing, at, caused_by))
