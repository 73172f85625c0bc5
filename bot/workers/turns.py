"""Waiting for one's turn at the workers, as `slots` shares them out.

While all workers are just starting nobody is served: whoever's patience ends then waits as if they had only
come.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot import metrics
from bot.workers.errors import TooSlowError
from bot.workers.slots import Slots, Ticket


class Turns:
    """Who waits, each with a future that is done when it is their turn."""

    def __init__(
        self,
        slots: Slots,
        served: Callable[[], None] = lambda: None,
        starting: Callable[[], bool] = lambda: False,
    ) -> None:
        self.slots = slots
        self._served = served
        """Called whenever somebody began or left."""
        self._starting = starting
        """Whether no worker can serve anybody yet."""
        self._waiting: dict[Ticket, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def turn(self, ticket: Ticket, patience: float) -> AsyncIterator[None]:
        """Hold a worker, once it is this task's turn. Raises TooSlowError when that takes too long."""
        turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
        self.slots.ask(ticket)
        self.serve()
        try:
            with metrics.timed(metrics.SOLVER_WAIT):
                await self._come(turn, patience)
        except BaseException:
            self._leave(ticket)
            raise
        try:
            yield
        finally:
            self._leave(ticket)

    def serve(self) -> None:
        """Let everybody begin for whom there is a worker now."""
        while (ticket := self.slots.next()) is not None:
            turn = self._waiting.pop(ticket)
            if turn.done():
                self.slots.over(ticket)  # whoever asked is gone
            else:
                turn.set_result(None)
        self._served()

    async def _come(self, turn: "asyncio.Future[None]", patience: float) -> None:
        while not (await asyncio.wait([turn], timeout=patience))[0]:
            if not self._starting():
                raise TooSlowError("no worker was free")
        await turn

    def _leave(self, ticket: Ticket) -> None:
        self._waiting.pop(ticket, None)
        self.slots.over(ticket)
        self.serve()
