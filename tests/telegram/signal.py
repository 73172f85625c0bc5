"""Waiting for the world to become so, without sleeping for luck."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Truth = TypeVar("Truth")


class Signal:
    """`notify()` after each change wakes everybody who waits in `until()`; they look again for themselves."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Something changed."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def until(self, predicate: Callable[[], Truth], timeout: float) -> Truth:  # noqa: ASYNC109
        """The predicate's first true value; TimeoutError after so many seconds."""
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
