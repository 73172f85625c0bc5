"""Stories on PostgreSQL: running the bot as a replica, and finding stories that need a database file."""

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
    """Run the bot as a replica that leads; it counts as idle once nothing waits in the database."""
    replica, inbox, outbox = service.leases, service.inbox, service.outbox
    assert isinstance(replica, Replica)
    replica.connect(inbox, outbox)
    await replica.join()
    leading = asyncio.Event()

    async def lead() -> None:
        leading.set()
        await asyncio.Event().wait()

    def wait_until_drained(wait: Wait, left: Callable[[Tx], int]) -> Wait:
        async def wait_until_idle() -> None:
            await wait()
            while await service.services.store.read(left):  # noqa: ASYNC110 - the database sends no signal
                await asyncio.sleep(0.005)
            await wait()

        return wait_until_idle

    def count_waiting(tx: Tx) -> int:
        """Count the updates that this bot will still handle, without those left for the next start."""
        return count_waiting_updates(tx) - len(inbox._handler.postponed)

    inbox.wait_until_idle = wait_until_drained(inbox.wait_until_idle, count_waiting)  # type: ignore[method-assign]
    outbox.wait_until_idle = wait_until_drained(  # type: ignore[method-assign]
        outbox.wait_until_idle, lambda tx: len(queries.load_waiting_requests(tx))
    )
    tasks = [
        asyncio.ensure_future(part)
        for part in (replica.keep_lease(), replica.take_work(), replica.run_while_leader(lead))
    ]
    await asyncio.wait_for(leading.wait(), 60)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await replica.leave()


FILES = {"sqlite3", "shutil"}  # Modules by which stories change a database file


def needs_file(module: ModuleType, name: str) -> bool:
    """Whether a function of a story, or a helper or fixture that it uses, works on a database file."""
    used, found = _collect_names(module), set[str]()
    names = [name]
    while names:
        one = names.pop()
        if one in found:
            continue
        found.add(one)
        names += used.get(one, ())
    imported = (
        (sys.modules[o.__module__], each) for each in found if (o := _find_imported_function(module, each))
    )
    return bool(found & FILES) or any(needs_file(*each) for each in imported)


def _find_imported_function(module: ModuleType, name: str) -> FunctionType | None:
    """Return the function of the tests that the module has imported by that name; None if there is none."""
    value = getattr(module, name, None)
    ours = isinstance(value, FunctionType) and value.__module__.startswith("tests.")
    return value if ours and value.__module__ != module.__name__ else None


@cache
def _collect_names(module: ModuleType) -> dict[str, set[str]]:
    """Return the names in each function of a module, with those of its parameters."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        function.name: {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        for function in functions
    }
