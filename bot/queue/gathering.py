"""Stores together what comes one by one: what comes while some is stored goes into the next transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

MOST = 100  # Updates of one transaction: as many as Telegram hands over at once to whoever asks for them


class UpdateBatcher:
    """The way into the inbox for updates that come by themselves, many at the same time."""

    def __init__(self, accept: Callable[[Sequence[Any]], Awaitable[None]]) -> None:
        self._accept = accept
        self._waiting: list[tuple[Any, asyncio.Future[None]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def accept(self, update: Any) -> None:
        """Return once the update is committed. Raises what storing it and those beside it raised."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((update, stored))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store())
        await stored

    async def _store(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                outcome = await self._outcome([update for update, _ in batch])
                for stored in (stored for _, stored in batch if not stored.done()):
                    if outcome is None:
                        stored.set_result(None)
                    else:
                        stored.set_exception(outcome)
        finally:
            self._storing = None

    async def _outcome(self, updates: Sequence[Any]) -> Exception | None:
        try:
            await self._accept(updates)
        except Exception as error:  # noqa: BLE001 - it is raised where each of the updates came in
            return error
        return None
