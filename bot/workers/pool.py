"""Run tasks in the solver's worker processes, from the event loop and with a deadline for each task.

A late task is stopped within its worker; if that fails, the pool kills the worker and starts another. A
worker that dies takes its own task with it and no other. Workers end with the bot, however it ends, and can't
use up the machine's memory.
"""

import asyncio
import copy
import logging
import math
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, Self, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from bot import metrics
from bot.metrics import Pulse
from bot.workers import worker
from bot.workers.worker import PreemptedError, SolvingError, TooSlowError, WorkerLostError

__all__ = ["SolverPool", "SolvingError", "TooSlowError", "WorkerLostError"]

T = TypeVar("T")
log = logging.getLogger(__name__)


# Slots, which bound how many updates are handled at once. A task that waits for a worker releases its slot.


class _HeldSlot(NamedTuple):
    holder: asyncio.Task[object] | None
    slots: asyncio.Semaphore


# A task started by the holder of a slot inherits it.
_held_slot: ContextVar[_HeldSlot | None] = ContextVar("slot", default=None)


@asynccontextmanager
async def hold_slot(slots: asyncio.Semaphore) -> AsyncIterator[None]:
    """Run the block with one of the slots, which `release_slot` can give back."""
    async with slots:
        previous = _held_slot.set(_HeldSlot(asyncio.current_task(), slots))
        try:
            yield
        finally:
            _held_slot.reset(previous)


@asynccontextmanager
async def release_slot() -> AsyncIterator[None]:
    """Run the block without the slot that this task holds, if any, and wait for one again afterwards.

    A task started by the holder releases nothing: it may outlive the holder.
    """
    held_slot = _held_slot.get()
    if held_slot is None or held_slot.holder is not asyncio.current_task():
        yield
        return
    slots = held_slot.slots
    slots.release()
    try:
        yield
    finally:
        await slots.acquire()


# Workers

BOT = 0  # the asker of the bot's own tasks, of which many may be at work at once


@dataclass(slots=True, eq=False)
class Ticket:
    """A task that waits for a worker, or has one."""

    asker: int  # a person or a chat, or `BOT`
    is_long: bool = False


class WorkerQueue:
    """Decides who gets a worker next, so that no person holds up another. Has no clock and no event loop.

    - Each asker has one task at work at a time; their others wait.
    - Short tasks (deals, hands) go before long ones (searches that may find nothing).
    - Among tasks of one length, the asker served longest ago goes first; their own keep their order.
    - Long tasks leave one worker to the short ones. If there is only one, if the others are busy too, or if
      the same person asks for both, a long task must yield as soon as a short one waits.
    """

    def __init__(self, workers: int) -> None:
        self._worker_count = workers
        self._waiting: list[Ticket] = []
        self._working: list[Ticket] = []
        self._last_served: dict[int, int] = {}  # each asker's last task, by its number
        self._task_number = 0

    @property
    def must_yield(self) -> bool:
        """Whether a long task keeps a short one waiting."""
        long_askers = {ticket.asker for ticket in self._working if ticket.is_long}
        short_askers = {ticket.asker for ticket in self._working if not ticket.is_long}
        waiting_askers = {ticket.asker for ticket in self._waiting if not ticket.is_long}
        waiting_askers -= short_askers - {BOT}  # these wait for their own short task, not for a long one
        if len(self._working) >= self._worker_count:  # a long task keeps everybody waiting
            return bool(long_askers and waiting_askers)
        # A worker is free, so a long task keeps only its own asker waiting
        return bool((long_askers - {BOT}) & waiting_askers)

    def add(self, ticket: Ticket) -> None:
        self._waiting.append(ticket)

    def start_next(self) -> Ticket | None:
        """Give a free worker to the next task, and return it; None if none may start now."""
        if len(self._working) >= self._worker_count:
            return None
        busy_askers = {ticket.asker for ticket in self._working} - {BOT}
        startable = [ticket for ticket in self._waiting if ticket.asker not in busy_askers]
        long_tasks = [ticket for ticket in self._working if ticket.is_long]
        if len(long_tasks) >= max(1, self._worker_count - 1):  # the last worker is for short tasks
            startable = [ticket for ticket in startable if not ticket.is_long]
        if not startable:
            return None
        chosen = min(startable, key=self._get_rank)
        self._waiting.remove(chosen)
        self._working.append(chosen)
        self._task_number += 1
        self._last_served[chosen.asker] = self._task_number
        return chosen

    def _get_rank(self, ticket: Ticket) -> tuple[bool, int]:
        """Return a key that sorts short tasks first, and then those of the asker served longest ago."""
        return ticket.is_long, self._last_served.get(ticket.asker, 0)  # False is less than True

    def remove(self, ticket: Ticket) -> None:
        """Remove a task that is done, or that nobody waits for any more."""
        tickets = self._working if ticket in self._working else self._waiting
        tickets.remove(ticket)
        if not self._waiting and not self._working:
            self._last_served.clear()  # else every asker would stay in it for good


async def _is_done_within(future: asyncio.Future[Any], seconds: float) -> bool:
    """Wait for the future, at most so many seconds; return whether it is done."""
    done, _ = await asyncio.wait([future], timeout=seconds)
    return bool(done)


class WorkerScheduler:
    """Lets tasks wait for a worker by the rules of `WorkerQueue`.

    `must_yield.value` tells the workers whether a long task has to yield. While `are_starting` says that all
    workers are only starting, no task gives up.
    """

    def __init__(self, workers: int, must_yield: Any, are_starting: Callable[[], bool]) -> None:
        self.queue = WorkerQueue(workers)
        self._must_yield = must_yield
        self._are_starting = are_starting
        self._waiting: dict[Ticket, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def acquire_worker(self, ticket: Ticket, patience: float) -> AsyncIterator[None]:
        """Run the block with a worker, once one is free; free it afterwards.

        Raises TooSlowError if none is free after `patience` seconds, but waits for as long again while all
        workers are only starting.
        """
        turn = asyncio.get_running_loop().create_future()  # done when the task has a worker
        self._waiting[ticket] = turn
        self.queue.add(ticket)
        self._start_tasks()
        try:
            with metrics.measure_time(metrics.SOLVER_WAIT_TIME):
                while not await _is_done_within(turn, patience):
                    if not self._are_starting():  # else wait on: no worker could take a task yet
                        raise TooSlowError("no worker was free")
            yield
        finally:
            self._waiting.pop(ticket, None)  # still there if it got no worker
            self.queue.remove(ticket)
            self._start_tasks()

    def _start_tasks(self) -> None:
        """Start as many waiting tasks as may start, and tell the workers whether a long one has to yield."""
        ticket = self.queue.start_next()
        while ticket is not None:
            self._waiting.pop(ticket).set_result(None)  # `acquire_worker` goes on
            ticket = self.queue.start_next()
        self._must_yield.value = self.queue.must_yield


QUEUE_TIMEOUT = 20.0  # seconds for which a short task waits for a worker
LONG_QUEUE_TIMEOUT = 2.0  # and a long one
MIN_SECONDS_LEFT = 0.05  # seconds below which a preempted task is not started again


class SolverPool:
    """Runs tasks in the solver's processes, for one person or chat at a time."""

    def __init__(self, workers: int, deadline: float, modules: Sequence[str] = ()) -> None:
        """Make a pool whose workers import those `modules` that exist. They start with `start` or a task."""
        self.deadline = deadline  # seconds that a task may take unless it names others
        self.pulse = Pulse(time.monotonic())  # records when a worker last answered
        self._asker = BOT
        self._workers = _Workers(workers, modules, self.pulse)
        self._scheduler = WorkerScheduler(workers, self._workers.must_yield, self._workers.are_starting)

    def for_asker(self, asker: int) -> Self:
        """Return the same pool, for tasks of one person, or of a chat if nobody is known."""
        pool = copy.copy(self)
        pool._asker = asker
        return pool

    def start(self) -> None:
        """Start the workers without waiting for them, so that the first task finds them ready."""
        any_task = partial(self._workers.schedule, os.getpid, (), deadline=None)  # it starts them
        threading.Thread(target=any_task, daemon=True).start()

    async def run_task(
        self,
        task: Callable[..., T],
        *arguments: Any,
        deadline: float | None = None,
        is_long: bool = False,
        queue_timeout: float | None = None,
    ) -> T:
        """Run `task(*arguments)` in a worker, and return its result.

        A long task yields to others, and is started again while it has time left. `queue_timeout` is how many
        seconds it waits for a worker in all. The caller's update slot is free meanwhile. Raises SolvingError,
        or whatever the task raises.
        """
        seconds_left = deadline or self.deadline
        usual_patience = LONG_QUEUE_TIMEOUT if is_long else QUEUE_TIMEOUT
        patience = queue_timeout or usual_patience
        async with release_slot():
            while seconds_left > MIN_SECONDS_LEFT:
                asked_at = time.monotonic()
                ticket = Ticket(self._asker, is_long)
                async with self._scheduler.acquire_worker(ticket, max(0.0, patience)):  # below 0 once used up
                    began_at = time.monotonic()
                    try:
                        return await self._workers.run_task(task, arguments, seconds_left, is_long)
                    except PreemptedError:  # by a short task: wait again, for what is left of both limits
                        patience -= began_at - asked_at
                        seconds_left -= time.monotonic() - began_at
        raise TooSlowError(task.__name__)

    async def check_workers(self) -> None:
        """Run a trivial task, so that `pulse` shows whether a worker answers. Raises SolvingError."""
        await self.run_task(os.getpid)

    def close(self) -> None:
        self._workers.close()


KILL_DELAY = 0.4  # seconds past its deadline after which a task that can't be stopped loses its worker
STUCK_DELAY = 0.7  # seconds beyond that without any answer after which the pool counts as stuck
START_SECONDS = 20.0  # seconds that a new worker may take for its first answer, on a busy machine
CHECK_INTERVAL = 0.5  # seconds between two checks whether the pool still exists


class _Workers:
    """The worker processes; replaces those that are lost or stuck."""

    def __init__(self, count: int, modules: Sequence[str], pulse: Pulse) -> None:
        self._worker_count = count
        self._modules = modules
        self._pulse = pulse
        self._context = _KillableContext()
        self.must_yield = self._context.RawValue("b", 0)  # all workers see it
        self._pool = self._create_pool()
        self._last_answered_at = 0.0  # when the pool last answered anything, on the monotonic clock

    async def run_task(
        self, task: Callable[..., T], arguments: tuple[Any, ...], limit: float, is_long: bool
    ) -> T:
        """Run `task(*arguments)` within `limit` seconds. Raises SolvingError, or whatever the task raises."""
        job = self.schedule(worker.run_task, (task, arguments, limit, is_long), limit + KILL_DELAY)
        future: asyncio.Future[T] = asyncio.wrap_future(job)
        outcome = "failed"
        began_at = time.monotonic()
        try:
            await self._wait_for_task(future, self._pool, limit)
            result = future.result()
            outcome = "answered"
            self._pulse.record_success(time.monotonic())
            return result
        except PreemptedError:
            outcome = "made way"
            raise
        except (TooSlowError, FutureTimeoutError, TimeoutError):
            outcome = "too slow"
            raise TooSlowError(task.__name__) from None
        except (ProcessExpired, BrokenExecutor, MemoryError):
            raise WorkerLostError(task.__name__) from None
        finally:
            self._last_answered_at = time.monotonic()
            metrics.SOLVER_TIME.labels(outcome).observe(self._last_answered_at - began_at)
            future.cancel()  # no effect on a task that is done

    async def _wait_for_task(self, future: asyncio.Future[Any], pool: ProcessPool, limit: float) -> None:
        """Wait until the task in `pool` is done. Raises BrokenExecutor if the pool stopped.

        A pool that has answered no task at all for so long that it must be stuck is replaced: TooSlowError.
        """
        asked_at = time.monotonic()
        while not await _is_done_within(future, CHECK_INTERVAL):
            if not pool.active:
                raise BrokenExecutor  # it forgot its tasks
            silent_seconds = time.monotonic() - max(asked_at, self._last_answered_at)
            max_silence = limit + KILL_DELAY + STUCK_DELAY
            if not self._has_newest_answered:
                max_silence += START_SECONDS
            if silent_seconds > max_silence:
                self._replace_pool(pool)
                raise TooSlowError

    @property
    def _has_newest_answered(self) -> bool:
        """Whether a worker has answered since the latest one was started; one that did before may be gone."""
        return self._pulse.last_success > self._context.started_at

    def are_starting(self) -> bool:
        """Whether tasks may be waiting for a worker that is just starting."""
        return not self._has_newest_answered and time.monotonic() < self._context.started_at + START_SECONDS

    def _create_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._worker_count,
            initializer=worker.prepare_worker,
            initargs=(self.must_yield, self._modules),
            context=self._context,
        )

    def schedule(
        self, task: Callable[..., T], arguments: tuple[Any, ...], deadline: float | None
    ) -> ProcessFuture[T]:
        """Hand the task to a worker; if the workers are lost, replace them first."""
        try:
            return self._pool.schedule(task, args=arguments, timeout=deadline)
        except RuntimeError:  # a worker died while idle, and the pool with it
            self._replace_pool(self._pool)
            return self._pool.schedule(task, args=arguments, timeout=deadline)

    def _replace_pool(self, broken: ProcessPool) -> None:
        """Start another pool in place of a broken or stuck one; do nothing if that was replaced before."""
        # A new one: a worker that is killed while it takes a task can leave the old one locked.
        if broken is not self._pool:
            return
        log.warning("the solver's workers restart")
        threading.Thread(target=broken.stop, daemon=True).start()
        self._pool = self._create_pool()

    def close(self) -> None:
        """Stop the pool, and kill all workers."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        # A worker that is just starting would find the pool gone, and print errors to the terminal
        for process in self._context.started:
            with suppress(ValueError, AttributeError):  # it is closed, or has no process yet
                process.kill()
        self._pool.join(timeout=3)  # seconds


# Silences Python's process that cleans up after a killed bot: it would warn across the shell's next prompt.
WARNING_FILTER = "ignore:resource_tracker:UserWarning"


class _KillableContext(SpawnContext):
    """Starts workers as fresh processes, and lists them, also one that is just starting."""

    def __init__(self) -> None:
        super().__init__()
        if WARNING_FILTER not in sys.warnoptions:
            sys.warnoptions.append(WARNING_FILTER)  # that process inherits these
        self.started: list[BaseProcess] = []
        self.started_at = math.inf  # when the latest worker was started, on the monotonic clock

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """Create a worker's process, for the pool."""
        self.started = [process for process in self.started if process.is_alive()]
        process = SpawnProcess(*args, **options)
        self.started.append(process)
        self.started_at = time.monotonic()
        return process
