"""Within a worker: a task is run for so many seconds at most, and stopped so that the worker lives on."""

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar

from bot.workers import processes
from bot.workers.errors import MadeWayError, TooSlowError

T = TypeVar("T")

TICK = 0.03
"""Seconds between two looks of a worker at whether its task is late or has to make way."""
BACKSTOP = 0.4
"""Seconds past its deadline after which a task that can't be stopped loses its worker."""


class _Watch:
    """A worker's look at the clock, again and again while a task runs: the handler of its alarm."""

    def __init__(self, pressing: Any) -> None:
        self._pressing = pressing
        self.until = 0.0
        """When the present task is late, on the monotonic clock."""
        self.gives_way = False
        """Whether the present task makes way for a short one."""
        self._is_nice = False

    def ease(self) -> None:
        """Make the worker nice, once it is awake."""
        self._is_nice = self._is_nice or processes.gives_way(time.process_time())

    def __call__(self, *_: object) -> None:
        self.ease()
        if time.monotonic() >= self.until:
            raise TooSlowError("out of time")
        if self.gives_way and self._pressing.value:
            raise MadeWayError("a short task waits")


def timed(task: Callable[..., T], arguments: tuple[Any, ...], seconds: float, gives_way: bool) -> T:
    """Run a task in this worker for so many seconds at most; stopping it so keeps the worker.

    Raises TooSlowError, or MadeWayError if it `gives_way` and another waits.
    """
    watch = signal.getsignal(signal.SIGALRM) if hasattr(signal, "setitimer") else None
    if not isinstance(watch, _Watch):  # pragma: no cover - Windows: the pool's own deadline has to do
        return task(*arguments)
    watch.ease()
    watch.until, watch.gives_way = time.monotonic() + seconds, gives_way
    try:
        signal.setitimer(signal.ITIMER_REAL, min(TICK, seconds), TICK)
        return task(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def settle(pressing: Any = None, modules: Sequence[str] = ()) -> None:
    """Prepare a worker: it has bounds, ends with the bot, and gives way to it.

    `pressing` is the byte that tells whether a short task waits for a long one; None where none gives way.
    The `modules` are read now: with a task, that would keep other workers from taking theirs.
    """
    processes.settle()
    for name in modules:
        with suppress(Exception):  # then the task itself says what is wrong
            import_module(name)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _Watch(pressing))
