"""Waiting for a condition without sleeping."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Truth = TypeVar("Truth")


class Signal:
    """Tests the predicates of all `wait_until()` again after each `notify()`."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Wake all that wait."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def wait_until(self, predicate: Callable[[], Truth], timeout: float) -> Truth:
        """Return the predicate's first true value; TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while not (value := predicate()):
                future = asyncio.get_running_loop().create_future()
                self._waiting.append(future)
                try:
                    await future
                finally:
                    if future in self._waiting:
                        self._waiting.remove(future)
            return value
