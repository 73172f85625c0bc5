"""The solver in processes of its own, asked from the event loop, with a deadline for each task.

The pool kills a worker whose task is late and starts another; a worker that dies takes its own task with
it and no other. Workers end with the bot, however it ends, and can't take the machine's memory.
"""

import asyncio
import json
import logging
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Literal, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

import solver

T = TypeVar("T")
Level = Literal["easy", "medium", "hard", "fiendish"]
log = logging.getLogger(__name__)

OVERDUE = 0.7
"""Seconds past a deadline without any answer after which the pool counts as stuck."""
LOOK = 0.5
"""Seconds between two looks at whether the pool is still there."""
MEMORY = 1024 * 2**20
"""Bytes of address space that a worker may use."""
IDEAS_KEPT = 60
"""Ideas that a hand's answer lists at most."""
AT_ONCE = 0.9
"""Seconds after which a search that has found nothing is stopped: people wait for the reply."""
PATIENCE = 0.6
"""Seconds after which a long list is cut, so that the reply comes within one."""


class SolvingError(Exception):
    """A task that can't be answered."""


class TooSlowError(SolvingError):
    """The task passed its deadline and was stopped."""


class WorkerLostError(SolvingError):
    """The task's worker died or ran out of memory."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A puzzle with what a round needs to know of it."""

    numbers: tuple[int, ...]
    target: int
    level: str
    expected: float
    """Seconds that people usually need."""
    ideas: tuple[str, ...]
    hints: tuple[str, ...]
    """JSON texts, vague to telling."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """Ideas for a hand, easiest first."""

    ideas: tuple[str, ...]
    complete: bool
    """False when time or room ran out before all were found."""


class Solving:
    """The pool. `deadline` in seconds holds for each task that names none."""

    def __init__(self, workers: int, deadline: float) -> None:
        self._deadline = deadline
        self._workers = workers
        self._answered = 0.0
        """When the pool last answered anything, on the monotonic clock."""
        self._pool = self._fresh()

    def start(self) -> None:
        """Start the workers without waiting for them, so that the first task finds them awake."""
        threading.Thread(target=self._schedule, args=(os.getpid, (), None), daemon=True).start()

    async def ask(self, task: Callable[..., T], *arguments: Any, deadline: float | None = None) -> T:
        """`task(*arguments)`, done by a worker. Raises SolvingError, or whatever the task raises."""
        limit = deadline or self._deadline
        future = asyncio.wrap_future(self._schedule(task, arguments, limit))
        pool = self._pool
        asked = time.monotonic()
        try:
            while not (await asyncio.wait([future], timeout=LOOK))[0]:
                if not pool.active:
                    raise WorkerLostError(task.__name__)  # it broke, and forgot what it had promised
                if time.monotonic() - max(asked, self._answered) > limit + OVERDUE:
                    self._renew(pool)
                    raise TooSlowError(task.__name__)
            return future.result()
        except (FutureTimeoutError, TimeoutError):
            raise TooSlowError(task.__name__) from None
        except (ProcessExpired, BrokenExecutor, MemoryError):
            raise WorkerLostError(task.__name__) from None
        finally:
            self._answered = time.monotonic()
            future.cancel()

    async def deal(self, seed: int, cards: int, highest: int, target: int, level: Level | None) -> Hand:
        """A new hand that can be solved. Raises ValueError when there is none of the kind asked for."""
        return await self.ask(_deal, seed, cards, highest, target, level)

    async def hand(self, numbers: tuple[int, ...], target: int) -> Hand:
        """A hand that was chosen elsewhere. Raises ValueError for one without a solution."""
        return await self.ask(hand, numbers, target)

    async def solutions(self, numbers: tuple[int, ...], target: int) -> Solutions:
        """What solves a hand, as far as it is found in the time that a reply may take."""
        try:
            return await self.ask(list_solutions, numbers, target, deadline=min(self._deadline, AT_ONCE))
        except TooSlowError:
            return Solutions((), complete=False)

    def _fresh(self) -> ProcessPool:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPool(max_workers=self._workers, initializer=_settle, context=spawn)

    def _schedule(
        self, task: Callable[..., T], arguments: tuple[Any, ...], deadline: float | None
    ) -> ProcessFuture[T]:
        try:
            return self._pool.schedule(task, args=arguments, timeout=deadline)
        except RuntimeError:  # all workers died at once, and the pool with them
            self._renew(self._pool)
            return self._pool.schedule(task, args=arguments, timeout=deadline)

    def _renew(self, broken: ProcessPool) -> None:
        """Go on with other workers. One that is killed while it takes a task can leave the pool locked."""
        if broken is not self._pool:
            return
        log.warning("the solver's workers start anew")
        threading.Thread(target=broken.stop, daemon=True).start()
        self._pool = self._fresh()

    def close(self) -> None:
        """Stop all workers now."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join(timeout=3)


def _settle() -> None:
    """Prepare a worker: it leaves Ctrl-C to the bot, gives way to it, dies with it, and has bounds."""
    if hasattr(os, "nice"):
        os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows has no such bound
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


def _deal(seed: int, cards: int, highest: int, target: int, level: Level | None) -> Hand:
    puzzle = solver.deal(random.Random(seed), cards=cards, highest=highest, target=target, level=level)
    return hand(puzzle.numbers, puzzle.target)


def hand(numbers: tuple[int, ...], target: int) -> Hand:
    """All that a round needs to know of a puzzle. Raises ValueError for one without a solution."""
    rating = solver.rate(numbers, target)
    ideas = tuple(str(idea) for idea in solver.ideas(numbers, target, limit=IDEAS_KEPT))
    hints = tuple(json.dumps(_packed(hint)) for hint in solver.hints(numbers, target))
    return Hand(tuple(numbers), target, rating.level, rating.seconds, ideas, hints)


def _packed(hint: solver.LastOperation | solver.Intermediate | solver.Skeleton) -> list[str]:
    if isinstance(hint, solver.LastOperation):
        return ["last", hint.op]
    if isinstance(hint, solver.Intermediate):
        return ["make", str(hint.value), " ".join(map(str, hint.numbers))]
    return ["shape", hint.text]


def list_solutions(numbers: tuple[int, ...], target: int) -> Solutions:
    """The ideas for a hand, cut after `PATIENCE` seconds or `IDEAS_KEPT`."""
    until = time.monotonic() + PATIENCE
    found = []
    for idea in solver.ideas(numbers, target):
        found.append(str(idea))
        if len(found) >= IDEAS_KEPT or time.monotonic() > until:
            return Solutions(tuple(found), complete=False)
    return Solutions(tuple(found), complete=True)
