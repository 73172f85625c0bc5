"""Stories on PostgreSQL: how the bot shares its database there, and which stories need a file."""

import ast
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from bot.database import Tx
from bot.queue import queries
from bot.queue.replicas.queries import count_waiting_updates
from bot.queue.replicas.replica import Replica
from bot.service import Service

Wait = Callable[[], Coroutine[Any, Any, None]]


@asynccontextmanager
async def join_replicas(service: Service) -> AsyncIterator[None]:
    """The bot claims its chats and leads; it is idle once nothing waits in the database."""
    claims, inbox, outbox = service.leases, service.inbox, service.outbox
    assert isinstance(claims, Replica)
    claims.connect(inbox, outbox)
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

    def waiting(tx: Tx) -> int:
        """How many updates this bot will still take up; some are left for the next start."""
        return count_waiting_updates(tx) - len(inbox._handler.postponed)

    inbox.wait_until_idle = drained(inbox.wait_until_idle, waiting)  # type: ignore[method-assign]
    outbox.wait_until_idle = drained(  # type: ignore[method-assign]
        outbox.wait_until_idle, lambda tx: len(queries.load_waiting_requests(tx))
    )
    tasks = [
        asyncio.ensure_future(part)
        for part in (claims.keep_lease(), claims.take_work(), claims.run_while_leader(lead))
    ]
    await asyncio.wait_for(leads.wait(), 60)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await claims.leave()


FILES = {"sqlite3", "shutil"}  # What a story works on a file with


def needs_file(module: ModuleType, name: str) -> bool:
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
    return bool(found & FILES) or any(needs_file(*each) for each in theirs)


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
