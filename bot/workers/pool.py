"""The workers as the bot asks them: from the event loop, with a deadline for each task.

A task that is late is stopped within its worker; where that fails the pool kills the worker and starts
another. A worker that dies takes its own task with it and no other. Workers end with the bot, however it
ends, and can't take the machine's memory. They are shared out by `slots`: no person holds up another.
"""

import asyncio
import copy
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar, cast

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from bot import metrics
from bot.pulse import Pulse
from bot.workers import timed
from bot.workers.errors import MadeWayError, SolvingError, TooSlowError, WorkerLostError
from bot.workers.futile import Futile
from bot.workers.places import away
from bot.workers.processes import Spawning
from bot.workers.slots import Slots, Ticket
from bot.workers.timed import BACKSTOP
from bot.workers.turns import Turns

__all__ = ["QUEUED", "Pool", "SolvingError", "TooSlowError", "WorkerLostError"]

T = TypeVar("T")
log = logging.getLogger(__name__)

OVERDUE = 0.7
"""Seconds past a deadline without any answer after which the pool counts as stuck."""
STARTING = 20.0
"""Seconds more while nothing was answered since a worker began: a busy machine starts them slowly."""
LOOK = 0.5
"""Seconds between two looks at whether the pool is still there."""
QUEUED, LONG_QUEUED = 20.0, 2.0
"""Seconds for which a task waits for a worker at most; a long one stands in line for less."""
LEAST = 0.05
"""Seconds below which a task that made way is not begun again."""
OUTCOMES: dict[type[BaseException], str] = {
    TooSlowError: "too slow",
    MadeWayError: "made way",
}
"""How a task that failed at work is counted; any other is `failed`."""


@dataclass(slots=True)
class _Errand:
    """A task on its way to an answer."""

    task: Callable[..., Any]
    arguments: tuple[Any, ...]
    left: float
    """Seconds that it may still be at work."""
    patient_until: float
    """Until when it waits for a worker, on the monotonic clock."""
    long: bool

    @property
    def name(self) -> str:
        """The task's."""
        return self.task.__name__

    @property
    def patience(self) -> float:
        """Seconds for which it still waits."""
        return self.patient_until - time.monotonic()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Time what is done within; what comes of nothing is taken off what is left."""
        began, outcome = time.monotonic(), "answered"
        try:
            yield
        except BaseException as error:
            outcome = OUTCOMES.get(type(error), "failed")
            raise
        finally:
            took = time.monotonic() - began
            self.left -= took
            self.patient_until += took
            metrics.SOLVER_TIME.labels(outcome).observe(took)


@dataclass(slots=True)
class _Shared:
    """What everybody's share of the pool has in common."""

    pool: ProcessPool
    turns: Turns
    pressing: Any
    """One byte that all workers see: whether a short task waits for a long one."""
    answered: float = 0.0
    """When the pool last answered anything, on the monotonic clock."""
    learning: float = 0.0
    """When somebody last asked for a task from a module that the workers have to read for it."""


class Pool:
    """Asks the solver's processes, on behalf of one person or chat at a time, within a deadline."""

    def __init__(self, workers: int, deadline: float) -> None:
        self.deadline = deadline
        """Seconds that a task may take unless it names others."""
        self.futile = Futile()
        """What was looked for in vain a short while ago, by anybody."""
        self._workers = workers
        self._asker = 0
        self.is_urgent = False
        self._processes = Spawning(time.monotonic)
        self._modules: list[str] = []
        """Where tasks were from: whoever begins in a lost one's place reads these first."""
        pressing = self._processes.RawValue("b", 0)
        turns = Turns(Slots(workers), self._begun, self._starting)
        self._shared = _Shared(self._fresh(pressing), turns, pressing)
        self.worked = Pulse(time.monotonic())
        """When a worker last did what it was asked."""

    def of(self, asker: int) -> Self:
        """The same workers, asked for one person (or for a chat where nobody has a name)."""
        theirs = copy.copy(self)
        theirs._asker = asker
        return theirs

    def urgently(self) -> Self:
        """The same workers, asked for something that makes way for nothing else."""
        theirs = copy.copy(self)
        theirs.is_urgent = True
        return theirs

    def start(self) -> None:
        """Start the workers without waiting for them, so that the first task finds them awake."""
        threading.Thread(target=self._schedule, args=(os.getpid, (), None), daemon=True).start()

    async def ask(
        self,
        task: Callable[..., T],
        *arguments: Any,
        deadline: float | None = None,
        long: bool = False,
        patience: float | None = None,
    ) -> T:
        """`task(*arguments)`, done by a worker. Raises SolvingError, or whatever the task raises.

        A `long` one makes way for the others, and is begun again while it has time left. `patience` is how
        many seconds it waits for a worker. Whoever asks keeps no place from others meanwhile.
        """
        patient = patience or (LONG_QUEUED if long else QUEUED)
        errand = _Errand(task, arguments, deadline or self.deadline, time.monotonic() + patient, long)
        async with away():
            return cast("T", await self._carried_out(errand))

    async def _carried_out(self, errand: _Errand) -> Any:
        while errand.left > LEAST:
            try:
                return await self._here(errand)
            except MadeWayError:
                continue
        raise TooSlowError(errand.name)

    def _begun(self) -> None:
        """Somebody began or left: tell the workers."""
        self._shared.pressing.value = self._shared.turns.slots.pressing

    async def _here(self, errand: _Errand) -> Any:
        """Done by one of the bot's own processes."""
        ticket = Ticket(self._asker, errand.long)
        async with self._shared.turns.turn(ticket, errand.patience):
            with errand.at_work():
                return await self._work(errand.task, errand.arguments, errand.left, long=errand.long)

    async def _work(
        self, task: Callable[..., T], arguments: tuple[Any, ...], limit: float, *, long: bool
    ) -> T:
        shared = self._shared
        self._know(task)
        bounded = (task, arguments, limit, long)
        future: asyncio.Future[T] = asyncio.wrap_future(
            self._schedule(timed.timed, bounded, limit + BACKSTOP)
        )
        pool = shared.pool
        asked = time.monotonic()
        try:
            while not (await asyncio.wait([future], timeout=LOOK))[0]:
                if not pool.active:
                    raise WorkerLostError(task.__name__)  # it broke, and forgot what it had promised
                if time.monotonic() - max(asked, shared.answered) > self._longest(limit):
                    self._renew(pool)
                    raise TooSlowError(task.__name__)
            result = future.result()
            self.worked.beat(time.monotonic())
            return result
        except (FutureTimeoutError, TimeoutError):
            raise TooSlowError(task.__name__) from None
        except (ProcessExpired, BrokenExecutor, MemoryError):
            raise WorkerLostError(task.__name__) from None
        finally:
            shared.answered = time.monotonic()
            future.cancel()

    def _know(self, task: Callable[..., Any]) -> None:
        if task.__module__ not in self._modules:
            self._modules.append(task.__module__)
            self._shared.learning = time.monotonic()

    def _longest(self, limit: float) -> float:
        """Seconds without any answer after which the pool counts as stuck."""
        return limit + BACKSTOP + OVERDUE + (0.0 if self._awake else STARTING)

    @property
    def _awake(self) -> bool:
        """Whether any worker answered since the latest began, or had to read a module with its task.

        Who answered before may be the one that is gone, and whoever reads keeps the others from their tasks.
        """
        return self.worked.last > max(self._processes.begun, self._shared.learning)

    def _starting(self) -> bool:
        """Whether all that wait may be waiting for a worker that is just starting."""
        begun = max(self._processes.begun, self._shared.learning)
        return not self._awake and time.monotonic() < begun + STARTING

    async def look(self) -> None:
        """See whether a worker answers, which `worked` then tells. Raises SolvingError."""
        await self.ask(os.getpid)

    def _fresh(self, pressing: Any) -> ProcessPool:
        return ProcessPool(
            max_workers=self._workers,
            initializer=timed.settle,
            initargs=(pressing, self._modules),
            context=self._processes,
        )

    def _schedule(
        self, task: Callable[..., T], arguments: tuple[Any, ...], deadline: float | None
    ) -> ProcessFuture[T]:
        try:
            return self._shared.pool.schedule(task, args=arguments, timeout=deadline)
        except RuntimeError:  # all workers died at once, and the pool with them
            self._renew(self._shared.pool)
            return self._shared.pool.schedule(task, args=arguments, timeout=deadline)

    def _renew(self, broken: ProcessPool) -> None:
        """Go on with other workers. One that is killed while it takes a task can leave the pool locked."""
        if broken is not self._shared.pool:
            return
        log.warning("the solver's workers start anew")
        threading.Thread(target=broken.stop, daemon=True).start()
        self._shared.pool = self._fresh(self._shared.pressing)

    def close(self) -> None:
        """Stop all workers now."""
        self._shared.pool.stop()  # type: ignore[no-untyped-call]
        self._processes.end()
        self._shared.pool.join(timeout=3)
