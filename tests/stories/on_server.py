"""Stories on PostgreSQL: each file that a story would have is a database of its own on the server."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.delivery import queries
from bot.pulse import Pulse
from bot.replicas.queries import backlog
from bot.replicas.replica import Replica
from bot.service import Service
from tests.bot.postgres import HERE, KEY

SERVER = os.environ.get(KEY) or HERE
BASE = SERVER.rpartition("/")[0]
ONE_BY_ONE = "SELECT pg_advisory_lock(24)"
MADE = set[str]()
"""The databases of this test."""


def _name(file: Path) -> str:
    return f"story_{sha256(str(file).encode()).hexdigest()[:20]}"


async def url_of(file: Path) -> str:
    """The address of the database that stands for the file, made if there is none."""
    name, template = _name(file), f"story_of_none_{os.getpid()}"
    if name not in MADE:
        admin = await asyncpg.connect(SERVER)
        try:
            await admin.execute(ONE_BY_ONE)  # a template is copied by one at a time
            if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", template):
                await admin.execute(f'CREATE DATABASE "{template}"')
                empty = make_url(f"{BASE}/{template}").set(drivername="postgresql+asyncpg")
                await (await Store.open(empty)).close()
            await admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        finally:
            await admin.close()
        MADE.add(name)
    return f"{BASE}/{name}"


async def drop(names: Collection[str]) -> None:
    """Drop these databases."""
    admin = await asyncpg.connect(SERVER)
    try:
        for name in names:
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    finally:
        await admin.close()


@asynccontextmanager
async def claiming(service: Service) -> AsyncIterator[None]:
    """The bot claims its chats and leads; it is idle once nothing waits in the database."""
    claims, inbox, outbox = service.claims, service.inbox, service.outbox
    assert isinstance(claims, Replica)
    claims.serve(inbox, outbox, Pulse(time.monotonic()))
    await claims.join()
    leads, idle = asyncio.Event(), (inbox.idle, outbox.idle)

    async def lead() -> None:
        leads.set()
        await asyncio.Event().wait()

    def left(tx: Tx) -> int:
        return backlog(tx) + len(queries.waiting_requests(tx))

    async def drained() -> None:
        for _ in range(2):  # what is handled may cause requests
            for wait in idle:
                await wait()
            while await service.services.store.read(left):  # noqa: ASYNC110 - rows tell nobody
                await asyncio.sleep(0.005)

    inbox.idle = outbox.idle = drained  # type: ignore[method-assign]
    tasks = [asyncio.ensure_future(part) for part in (claims.stay(), claims.work(), claims.leading(lead))]
    await asyncio.wait_for(leads.wait(), 60)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await claims.leave()
