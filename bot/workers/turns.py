"""Waiting for one's turn at the workers, as `slots` shares them out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot import metrics
from bot.workers.errors import SolvingError, TooSlowError
from bot.workers.slots import Slots, Ticket


class Turns:
    """Who waits, each with a future that is done when it is their turn."""

    def __init__(self, slots: Slots, served: Callable[[], None] = lambda: None) -> None:
        self.slots = slots
        self._served = served
        """Called whenever somebody began or left."""
        self._waiting: dict[Ticket, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def turn(self, ticket: Ticket, patience: float) -> AsyncIterator[None]:
        """Hold a worker, once it is this task's turn. Raises TooSlowError when that takes too long."""
        turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
        self.slots.ask(ticket)
        self.serve()
        try:
            async with asyncio.timeout(patience):
                with metrics.timed(metrics.SOLVER_WAIT):
                    await turn
        except BaseException as error:
            self._leave(ticket)
            if isinstance(error, TimeoutError):
                raise TooSlowError("no worker was free") from None
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

    def turn_away(self, error: SolvingError) -> None:
        """Let nobody wait any longer: each is told the error."""
        for turn in self._waiting.values():
            if not turn.done():
                turn.set_exception(error)

    def _leave(self, ticket: Ticket) -> None:
        self._waiting.pop(ticket, None)
        self.slots.over(ticket)
        self.serve()
