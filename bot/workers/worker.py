"""The worker's side of the pool: run one task at a time within its deadline, and end with the bot.

Every worker imports this module, so it imports little itself.
"""

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import wait
from typing import Any, TypeVar

T = TypeVar("T")

MEMORY = 1024 * 2**20  # bytes of address space that a worker may use
NICE = 5  # leaves two thirds of a shared core to the event loop
CHECK_SECONDS = 0.03  # between two checks whether the task is late or has to yield


class SolvingError(Exception):
    """The task has no result."""


class TooSlowError(SolvingError):
    """The task passed its deadline and was stopped, or no worker was free in time."""


class WorkerLostError(SolvingError):
    """The task's worker died or ran out of memory."""


class PreemptedError(SolvingError):
    """A long task was stopped because a short one waits."""


_must_yield: Any = None  # a byte shared by all workers: 1 while a long task has to yield


def run_task(task: Callable[..., T], arguments: tuple[Any, ...], seconds: float, is_long: bool) -> T:
    """Run a task for so many seconds at most.

    Raises TooSlowError, PreemptedError if it is long and a short one waits, or whatever the task raises.
    """
    until = time.monotonic() + seconds

    def stop_if_due(*_: object) -> None:
        """Raise an error within the running task if its time is up or it has to yield."""
        if time.monotonic() >= until:
            raise TooSlowError("out of time")
        if is_long and _must_yield.value:
            raise PreemptedError("a short task waits")

    signal.signal(signal.SIGALRM, stop_if_due)
    try:
        first_check = min(CHECK_SECONDS, seconds)
        signal.setitimer(signal.ITIMER_REAL, first_check, CHECK_SECONDS)  # the latter between two checks
        return task(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # stops it


def prepare_worker(must_yield: Any, modules: Sequence[str]) -> None:
    """Set a new worker's memory, priority and signals, bind its life to the bot, import existing modules."""
    global _must_yield
    _must_yield = must_yield
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the workers too; the bot ends them
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name in modules:  # an import during its first task would keep the other workers from taking theirs
        with suppress(ImportError):
            import_module(name)
    os.nice(NICE)  # after the imports, which would take half a minute if other programs want every core


def _die_with_parent() -> None:
    """Wait until the bot has ended, then end this process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)
