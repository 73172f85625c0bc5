"""The solver's worker processes as the bot asks them: from the event loop, with a deadline for each task.

A task that is late is stopped within its worker; where that fails the pool kills the worker and starts
another. A worker that dies takes its own task with it and no other. Workers end with the bot, however it
ends, and can't take the machine's memory. They are shared out by `turns`: no person holds up another.
"""

import asyncio
import copy
import logging
import math
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, Self, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from bot import metrics
from bot.pulse import Pulse
from bot.workers import worker
from bot.workers.slots import release_slot
from bot.workers.worker import PreemptedError, SolvingError, TooSlowError, WorkerLostError


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


__all__ = ["NegativeCache", "SolverPool", "SolvingError", "TooSlowError", "WorkerLostError"]

T = TypeVar("T")
log = logging.getLogger(__name__)

QUEUED, LONG_QUEUED = 20.0, 2.0  # seconds for which a task, or a long one, waits for a worker
LEAST = 0.05  # seconds below which a task that made way is not begun again
REMEMBERED = 60.0  # seconds for which a search in vain is remembered: the next draw might find something


class NegativeCache:
    """Remembers for a minute what was looked for in vain, so that nobody looks for it again so soon."""

    def __init__(self) -> None:
        self._found: dict[Hashable, tuple[type[ValueError], float]] = {}

    def add(self, kind: Hashable, error: ValueError, now: float) -> None:
        """Remember how looking for this kind ended; forget what is older than a minute."""
        self._found = {one: (how, at) for one, (how, at) in self._found.items() if now - at < REMEMBERED}
        self._found[kind] = type(error), now

    def raise_if_cached(self, kind: Hashable, now: float) -> None:
        """Raise as the last search for this kind did, if that was within the last minute."""
        error, at = self._found.get(kind, (ValueError, -math.inf))
        if now - at < REMEMBERED:
            raise error("no such hand a short while ago")


class SolverPool:
    """Asks the solver's processes, on behalf of one person or chat at a time."""

    def __init__(self, workers: int, deadline: float, modules: Sequence[str] = ()) -> None:
        """Workers import those `modules` that exist. The first task starts them, or `start`."""
        self.deadline = deadline  # seconds that a task may take unless it names others
        self.is_urgent = False  # whether a hand may be looked for without making way for others
        self.negative_cache = NegativeCache()
        self.pulse = Pulse(time.monotonic())  # when a worker last did what it was asked
        self._asker = 0
        self._workers = _Workers(workers, modules, self.pulse)
        self._turns = WorkerScheduler(workers, self._tell_workers, self._workers.are_starting)

    def for_asker(self, asker: int) -> Self:
        """The same workers, asked for one person (or for a chat where nobody has a name)."""
        theirs = copy.copy(self)
        theirs._asker = asker
        return theirs

    def as_urgent(self) -> Self:
        """The same workers, asked for something that makes way for nothing else."""
        theirs = copy.copy(self)
        theirs.is_urgent = True
        return theirs

    def start(self) -> None:
        """Start the workers without waiting for them, so that the first task finds them awake."""
        threading.Thread(target=self._workers.start, daemon=True).start()

    async def run_task(
        self,
        task: Callable[..., T],
        *arguments: Any,
        deadline: float | None = None,
        is_long: bool = False,
        queue_timeout: float | None = None,
    ) -> T:
        """`task(*arguments)`, done by a worker. Raises SolvingError, or whatever the task raises.

        A `long` one makes way for the others, and is begun again while it has time left. `patience` is how
        many seconds it waits for a worker in all. Whoever asks keeps no slot from others meanwhile.
        """
        left, queue_timeout = deadline or self.deadline, queue_timeout or (LONG_QUEUED if is_long else QUEUED)
        async with release_slot():
            while left > LEAST:
                asked = time.monotonic()
                async with self._turns.acquire_worker(Ticket(self._asker, is_long), max(0.0, queue_timeout)):
                    began = time.monotonic()
                    try:
                        return await self._workers.do(task, arguments, left, is_long)
                    except PreemptedError:
                        queue_timeout -= began - asked
                        left -= time.monotonic() - began
        raise TooSlowError(task.__name__)

    async def check_workers(self) -> None:
        """See whether a worker answers, which `worked` then tells. Raises SolvingError."""
        await self.run_task(os.getpid)

    def close(self) -> None:
        """Stop all workers now."""
        self._workers.close()

    def _tell_workers(self) -> None:
        self._workers.must_yield.value = self._turns.queue.must_yield


BACKSTOP = 0.4  # seconds past its deadline after which a task that can't be stopped loses its worker
OVERDUE = 0.7  # seconds more without any answer after which the pool counts as stuck
STARTING = 20.0  # seconds more until one answers after the latest began: a busy machine starts slowly
LOOK = 0.5  # seconds between two looks at whether the pool is still there
OUTCOMES: dict[type[BaseException], str] = {TooSlowError: "too slow", PreemptedError: "made way"}


class _Workers:
    """The processes: given tasks, and replaced where they are lost or stuck."""

    def __init__(self, count: int, modules: Sequence[str], worked: Pulse) -> None:
        self._count = count
        self._modules = modules
        self._worked = worked
        self._context = _Spawning()
        self.must_yield = self._context.RawValue("b", 0)  # all workers see it
        self._pool = self._create_pool()
        self._answered = 0.0  # when the pool last answered anything, on the monotonic clock

    def start(self) -> None:
        """Start the processes."""
        self._schedule(os.getpid, (), None)

    async def do(self, task: Callable[..., T], arguments: tuple[Any, ...], limit: float, long: bool) -> T:
        """`task(*arguments)` within `limit` seconds. Raises SolvingError, or whatever the task raises."""
        began, outcome = time.monotonic(), "answered"
        try:
            return await self._wait(task, arguments, limit, long)
        except BaseException as error:
            outcome = OUTCOMES.get(type(error), "failed")
            raise
        finally:
            metrics.SOLVER_TIME.labels(outcome).observe(time.monotonic() - began)

    async def _wait(self, task: Callable[..., T], arguments: tuple[Any, ...], limit: float, long: bool) -> T:
        job = self._schedule(worker.run_task, (task, arguments, limit, long), limit + BACKSTOP)
        future: asyncio.Future[T] = asyncio.wrap_future(job)
        pool, asked = self._pool, time.monotonic()
        try:
            while not (await asyncio.wait([future], timeout=LOOK))[0]:
                if not pool.active:
                    raise WorkerLostError(task.__name__)  # it broke, and forgot what it had promised
                silent = time.monotonic() - max(asked, self._answered)
                if silent > limit + BACKSTOP + OVERDUE + (0.0 if self._are_awake else STARTING):
                    self._renew(pool)
                    raise TooSlowError(task.__name__)
            result = future.result()
            self._worked.record_success(time.monotonic())
            return result
        except (FutureTimeoutError, TimeoutError):
            raise TooSlowError(task.__name__) from None
        except (ProcessExpired, BrokenExecutor, MemoryError):
            raise WorkerLostError(task.__name__) from None
        finally:
            self._answered = time.monotonic()
            future.cancel()

    @property
    def _are_awake(self) -> bool:
        """Whether any worker answered since the latest began: who did before may be the one that is gone."""
        return self._worked.last_success > self._context.begun

    def are_starting(self) -> bool:
        """Whether all that wait may be waiting for a worker that is just starting."""
        return not self._are_awake and time.monotonic() < self._context.begun + STARTING

    def _create_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._count,
            initializer=worker.prepare_worker,
            initargs=(self.must_yield, self._modules),
            context=self._context,
        )

    def _schedule(
        self, task: Callable[..., T], arguments: tuple[Any, ...], deadline: float | None
    ) -> ProcessFuture[T]:
        try:
            return self._pool.schedule(task, args=arguments, timeout=deadline)
        except RuntimeError:  # a worker died while all had nothing to do, and the pool with it
            self._renew(self._pool)
            return self._pool.schedule(task, args=arguments, timeout=deadline)

    def _renew(self, broken: ProcessPool) -> None:
        """Go on with other workers. One that is killed while it takes a task can leave the pool locked."""
        if broken is not self._pool:
            return
        log.warning("the solver's workers start anew")
        threading.Thread(target=broken.stop, daemon=True).start()
        self._pool = self._create_pool()

    def close(self) -> None:
        """Stop all processes now."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._context.kill_all()
        self._pool.join(timeout=3)


# Python's own process that cleans up after a killed bot would warn of that, across the shell's next prompt.
QUIET = "ignore:resource_tracker:UserWarning"


class _Spawning(SpawnContext):
    """Starts workers as fresh processes, and can kill each of them, also one that is just starting."""

    def __init__(self) -> None:
        super().__init__()
        if QUIET not in sys.warnoptions:
            sys.warnoptions.append(QUIET)  # it inherits these
        self._started: list[BaseProcess] = []
        self.begun = math.inf  # when the latest worker began, on the monotonic clock

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """Create a worker's process, as the pool asks for it."""
        self._started = [process for process in self._started if process.is_alive()]
        process = SpawnProcess(*args, **options)
        self._started.append(process)
        self.begun = time.monotonic()
        return process

    def kill_all(self) -> None:
        """Kill every worker: one that starts while the bot ends would complain on the terminal."""
        for process in self._started:
            with suppress(ValueError, AttributeError):  # not started yet
                process.kill()
