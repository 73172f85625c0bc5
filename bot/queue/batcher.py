"""Processes items that come one by one in batches: all that come while a batch is processed form the next."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Batcher(Generic[T, R]):
    """Calls `process` with batches of `limit` items at most.

    It returns for each item its result, or an error to be raised for this item alone; None if there are no
    results. What it raises is raised for each item of the batch.
    """

    def __init__(
        self,
        process: Callable[[list[T]], Awaitable[Sequence[R | Exception] | None]],
        limit: int | None = None,
    ) -> None:
        self._process = process
        self._limit = limit
        self._waiting: list[tuple[T, asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def submit(self, item: T) -> R:
        """Put the item into the next batch. Return its result, or raise its error, once that is processed."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._process_batches())
        result: R = await done
        return result

    async def _process_batches(self) -> None:
        """Process batches until nothing waits, and give each caller its result or error."""
        while self._waiting:
            batch = self._waiting[: self._limit]  # all, without a limit
            del self._waiting[: self._limit]
            results = await self._collect_results([item for item, _ in batch])
            for (_, done), result in zip(batch, results, strict=True):
                if done.done():
                    continue  # the caller was cancelled
                if isinstance(result, Exception):
                    done.set_exception(result)
                else:
                    done.set_result(result)

    async def _collect_results(self, items: list[T]) -> Sequence[R | Exception | None]:
        """Process a batch; return for each item its result, None without results, or the error."""
        try:
            results = await self._process(items)
        except Exception as error:  # noqa: BLE001 - it is raised in each caller
            return [error] * len(items)
        return results or [None] * len(items)

    async def close(self) -> None:
        """Cancel the batch that is being processed; callers that wait get no result."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
