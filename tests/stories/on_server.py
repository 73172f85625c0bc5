"""Stories on PostgreSQL: each file that a story would have is a database of its own on the server."""

import ast
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.delivery import queries
from bot.pulse import Pulse
from bot.replicas.queries import backlog
from bot.replicas.replica import Replica
from bot.service import Service
from tests.bot.postgres import HERE, KEY

Wait = Callable[[], Coroutine[Any, Any, None]]
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
            await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # of a run that was killed
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
    leads = asyncio.Event()

    async def lead() -> None:
        leads.set()
        await asyncio.Event().wait()

    def drained(wait: Wait, left: Callable[[Tx], int]) -> Wait:
        async def idle() -> None:
            await wait()
            while await service.services.store.read(left):  # noqa: ASYNC110 - rows tell nobody
                await asyncio.sleep(0.005)
            await wait()

        return idle

    inbox.idle = drained(inbox.idle, backlog)  # type: ignore[method-assign]
    outbox.idle = drained(  # type: ignore[method-assign]
        outbox.idle, lambda tx: len(queries.waiting_requests(tx))
    )
    tasks = [asyncio.ensure_future(part) for part in (claims.stay(), claims.work(), claims.leading(lead))]
    await asyncio.wait_for(leads.wait(), 60)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await claims.leave()


FILES = {"sqlite3", "shutil"}
"""What a story works on a file with."""


def touches_files(module: ModuleType, name: str) -> bool:
    """Whether a function of a module, with all that it calls or takes of that or other stories, does so."""
    used, found = _names(module), set[str]()
    ahead = [name]
    while ahead:
        one = ahead.pop()
        if one in found:
            continue
        found.add(one)
        ahead += used.get(one, ())
    theirs = ((sys.modules[o.__module__], each) for each in found if (o := _function(module, each)))
    return bool(found & FILES) or any(touches_files(*each) for each in theirs)


def _function(module: ModuleType, name: str) -> FunctionType | None:
    """What the module has imported by that name, if it is a function of the tests."""
    value = getattr(module, name, None)
    ours = isinstance(value, FunctionType) and value.__module__.startswith("tests.")
    return value if ours and value.__module__ != module.__name__ else None


@cache
def _names(module: ModuleType) -> dict[str, set[str]]:
    """By function: every name in it, with those of what it takes."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        function.name: {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        for function in functions
    }
