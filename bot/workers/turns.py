"""Who gets one of the solver's workers next, and waiting for it.

- Whoever asks has one task at work at a time; their others wait.
- Short tasks (deals, hands) go before long ones (searches that may find nothing).
- Among tasks of one length, whoever was served longest ago goes first; their own keep their order.
- Long tasks leave one worker to the short ones. Where there is only one, where the others are busy too, or
  where the same person asks for both, a long task has to make way as soon as a short one waits.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot import metrics
from bot.workers.worker import TooSlowError


@dataclass(slots=True, eq=False)
class Ticket:
    """A task that waits for a worker, or has one."""

    asker: int  # a person or a chat; 0 is the bot itself, which may have many at work at once
    is_long: bool = False


class WorkerQueue:
    """The rules above, without a clock, a process or an event loop."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: list[Ticket] = []
        self._working: list[Ticket] = []
        self._served: dict[int, int] = {}  # when each asker was last served, as a count of tasks
        self._count = 0

    @property
    def must_yield(self) -> bool:
        """Whether a long task keeps a short one waiting."""
        long = {ticket.asker for ticket in self._working if ticket.is_long}
        short = {ticket.asker for ticket in self._working if not ticket.is_long} - {0}
        full = len(self._working) >= self._workers
        waiting = {ticket.asker for ticket in self._waiting if not ticket.is_long} - short
        return bool(long and waiting) if full else bool((long - {0}) & waiting)

    def add(self, ticket: Ticket) -> None:
        """Let it wait."""
        self._waiting.append(ticket)

    def start_next(self) -> Ticket | None:
        """Give a free worker to whoever comes next; None when nobody can have one now."""
        if len(self._working) >= self._workers:
            return None
        able = [ticket for ticket in self._waiting if self._may_start(ticket)]
        if not able:
            return None
        chosen = min(able, key=lambda t: (t.is_long, self._served.get(t.asker, 0)))
        self._waiting.remove(chosen)
        self._working.append(chosen)
        self._count += 1
        self._served[chosen.asker] = self._count
        return chosen

    def remove(self, ticket: Ticket) -> None:
        """Forget a ticket: its task is done, or nobody waits for it any more."""
        held = self._working if ticket in self._working else self._waiting
        held.remove(ticket)
        if not self._waiting and not self._working:
            self._served.clear()

    def has_running_task(self, asker: int) -> bool:
        """Whether one of their tasks has a worker."""
        return any(ticket.asker == asker for ticket in self._working)

    def _may_start(self, ticket: Ticket) -> bool:
        if ticket.asker and self.has_running_task(ticket.asker):
            return False
        return not ticket.is_long or sum(t.is_long for t in self._working) < max(1, self._workers - 1)


class WorkerScheduler:
    """Waits for a worker by these rules. `changed` is called whenever somebody begins or leaves.

    While `are_starting` says that all workers are only starting, nobody's patience ends.
    """

    def __init__(self, workers: int, changed: Callable[[], None], are_starting: Callable[[], bool]) -> None:
        self.queue = WorkerQueue(workers)
        self._changed = changed
        self._are_starting = are_starting
        self._waiting: dict[Ticket, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def acquire_worker(self, ticket: Ticket, patience: float) -> AsyncIterator[None]:
        """Run the block with a worker. Raises TooSlowError when none is free for `patience` seconds."""
        turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
        self.queue.add(ticket)
        self._start_all()
        try:
            with metrics.measure_time(metrics.SOLVER_WAIT_TIME):
                while not (await asyncio.wait([turn], timeout=patience))[0]:
                    if not self._are_starting():
                        raise TooSlowError("no worker was free")
            yield
        finally:
            self._waiting.pop(ticket, None)
            self.queue.remove(ticket)
            self._start_all()

    def _start_all(self) -> None:
        while (ticket := self.queue.start_next()) is not None:
            self._waiting.pop(ticket).set_result(None)
        self._changed()
