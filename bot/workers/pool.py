"""The workers as the bot asks them: from the event loop, with a deadline for each task.

A task that is late is stopped within its worker; where that fails the pool kills the worker and starts
another. A worker that dies takes its own task with it and no other. Workers end with the bot, however it
ends, and can't take the machine's memory. They are shared out by `slots`: no person holds up another.
"""

import asyncio
import copy
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from bot import metrics, trace
from bot.pulse import Pulse
from bot.workers import processes
from bot.workers.futile import Futile
from bot.workers.places import away
from bot.workers.processes import Spawning
from bot.workers.slots import Slots, Ticket

T = TypeVar("T")
log = logging.getLogger(__name__)

OVERDUE = 0.7
"""Seconds past a deadline without any answer after which the pool counts as stuck."""
STARTING = 20.0
"""Seconds more that workers have which have answered nothing yet: a busy machine starts them slowly."""
LOOK = 0.5
"""Seconds between two looks at whether the pool is still there."""
TICK = 0.03
"""Seconds between two looks of a worker at whether its task is late or has to make way."""
BACKSTOP = 0.4
"""Seconds past its deadline after which a task that can't be stopped loses its worker."""
QUEUED, LONG_QUEUED = 20.0, 2.0
"""Seconds for which a task waits for a worker at most; a long one stands in line for less."""
LEAST = 0.05
"""Seconds below which a search that made way is not begun again."""


class SolvingError(Exception):
    """A task that can't be answered."""


class TooSlowError(SolvingError):
    """The task passed its deadline and was stopped."""


class WorkerLostError(SolvingError):
    """The task's worker died or ran out of memory."""


class MadeWayError(SolvingError):
    """The task was stopped because a short one waited."""


@dataclass(slots=True)
class _Shared:
    """What everybody's share of the pool has in common."""

    pool: ProcessPool
    slots: Slots
    pressing: Any
    """One byte that all workers see: whether a short task waits for a long one."""
    answered: float = 0.0
    """When the pool last answered anything, on the monotonic clock."""
    awake: bool = False
    """Whether any of its workers has answered."""
    turns: dict[Ticket, asyncio.Future[None]] = field(default_factory=dict)

    def serve(self) -> None:
        """Let everybody begin for whom there is a worker now."""
        while (ticket := self.slots.next()) is not None:
            turn = self.turns.pop(ticket)
            if turn.done():
                self.slots.over(ticket)  # whoever asked is gone
            else:
                turn.set_result(None)
        self.pressing.value = self.slots.pressing


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
        self._processes = Spawning()
        pressing = self._processes.RawValue("b", 0)
        self._shared = _Shared(self._fresh(pressing), Slots(workers), pressing)
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
        async with away():
            return await self._ask(
                task,
                arguments,
                deadline or self.deadline,
                patience or (LONG_QUEUED if long else QUEUED),
                long=long,
            )

    async def _ask(
        self, task: Callable[..., T], arguments: tuple[Any, ...], left: float, patience: float, *, long: bool
    ) -> T:
        patient_until = time.monotonic() + patience
        while left > LEAST:
            async with self._turn(Ticket(self._asker, long), patient_until - time.monotonic()):
                began, outcome = time.monotonic(), "failed"
                try:
                    with trace.step("solver", task=task.__name__):
                        result = await self._work(task, arguments, left, long=long)
                    outcome = "answered"
                    return result
                except MadeWayError:
                    outcome = "made way"
                    left -= time.monotonic() - began
                    patient_until += time.monotonic() - began
                except TooSlowError:
                    outcome = "too slow"
                    raise
                finally:
                    metrics.SOLVER_TIME.labels(outcome).observe(time.monotonic() - began)
        raise TooSlowError(task.__name__)

    @asynccontextmanager
    async def _turn(self, ticket: Ticket, patience: float) -> AsyncIterator[None]:
        """Hold a worker, once it is this task's turn. Raises TooSlowError when that takes too long."""
        shared = self._shared
        turn = shared.turns[ticket] = asyncio.get_running_loop().create_future()
        shared.slots.ask(ticket)
        shared.serve()
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

    def _leave(self, ticket: Ticket) -> None:
        self._shared.turns.pop(ticket, None)
        self._shared.slots.over(ticket)
        self._shared.serve()

    async def _work(
        self, task: Callable[..., T], arguments: tuple[Any, ...], limit: float, *, long: bool
    ) -> T:
        shared = self._shared
        timed = (task, arguments, limit, long)
        future: asyncio.Future[T] = asyncio.wrap_future(self._schedule(_timed, timed, limit + BACKSTOP))
        pool = shared.pool
        asked = time.monotonic()
        try:
            while not (await asyncio.wait([future], timeout=LOOK))[0]:
                if not pool.active:
                    raise WorkerLostError(task.__name__)  # it broke, and forgot what it had promised
                if time.monotonic() - max(asked, shared.answered) > self._longest(limit):
                    self._renew(pool)
                    raise TooSlowError(task.__name__)
            shared.awake |= pool is shared.pool
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

    def _longest(self, limit: float) -> float:
        """Seconds without any answer after which the pool counts as stuck."""
        return limit + BACKSTOP + OVERDUE + (0.0 if self._shared.awake else STARTING)

    async def look(self) -> None:
        """See whether a worker answers, which `worked` then tells. Raises SolvingError."""
        await self.ask(os.getpid)

    def _fresh(self, pressing: Any) -> ProcessPool:
        return ProcessPool(
            max_workers=self._workers, initializer=_settle, initargs=(pressing,), context=self._processes
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
        self._shared.pool, self._shared.awake = self._fresh(self._shared.pressing), False

    def close(self) -> None:
        """Stop all workers now."""
        self._shared.pool.stop()  # type: ignore[no-untyped-call]
        self._processes.end()
        self._shared.pool.join(timeout=3)


class _Watch:
    """A worker's look at the clock, again and again while a task runs: the handler of its alarm."""

    def __init__(self, pressing: Any) -> None:
        self._pressing = pressing
        self.until = 0.0
        """When the present task is late, on the monotonic clock."""
        self.gives_way = False

    def __call__(self, *_: object) -> None:
        if time.monotonic() >= self.until:
            raise TooSlowError("out of time")
        if self.gives_way and self._pressing.value:
            raise MadeWayError("a short task waits")


def _timed(task: Callable[..., T], arguments: tuple[Any, ...], seconds: float, gives_way: bool) -> T:
    """Run a task in this worker for so many seconds at most; stopping it so keeps the worker.

    Raises TooSlowError, or MadeWayError if it `gives_way` and another waits.
    """
    watch = signal.getsignal(signal.SIGALRM) if hasattr(signal, "setitimer") else None
    if not isinstance(watch, _Watch):  # pragma: no cover - Windows: the pool's own deadline has to do
        return task(*arguments)
    watch.until, watch.gives_way = time.monotonic() + seconds, gives_way
    try:
        signal.setitimer(signal.ITIMER_REAL, min(TICK, seconds), TICK)
        return task(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _settle(pressing: Any) -> None:
    """Prepare a worker: it has bounds, ends with the bot, and gives way to it."""
    processes.settle()
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _Watch(pressing))
