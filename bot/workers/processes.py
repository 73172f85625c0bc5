"""The solver's processes: how they start, what bounds they have, and that they end with the bot."""

import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

MEMORY = 1024 * 2**20
"""Bytes of address space that a worker may use."""
NICE = 5
"""By how much a worker gives way: a third of what the event loop gets, where both want the same core."""
AWAKE = 1.0
"""Seconds of computing after which a worker gives way. Until then it reads what its tasks need, which would
take half a minute where other programs want every core, and nobody would be dealt a hand meanwhile.
"""
QUIET = "ignore:resource_tracker:UserWarning"
"""Python's own process that clears away behind a killed bot would warn of that, across the next prompt."""


class Spawning(SpawnContext):
    """Starts workers as fresh processes, and can end each of them, also one that is just starting."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        if QUIET not in sys.warnoptions:
            sys.warnoptions.append(QUIET)  # it inherits these
        self._started: list[BaseProcess] = []
        self.begun = math.inf
        """When the latest worker began, on the monotonic clock."""

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A worker's process, as the pool asks for it."""
        self._started = [process for process in self._started if process.is_alive()]
        process = SpawnProcess(*args, **options)
        self._started.append(process)
        self.begun = self._monotonic()
        return process

    def end(self) -> None:
        """Kill every worker: one that starts while the bot ends would complain on the terminal."""
        for process in self._started:
            with suppress(ValueError, AttributeError):  # not started yet
                process.kill()


def settle() -> None:
    """Prepare this worker: it ignores SIGINT, exits with its parent, and its memory is capped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows has no such bound
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def gives_way(spent: float) -> bool:
    """Let this worker give way to the bot once it has computed for `spent` seconds that are enough; whether
    that is so.
    """
    if spent < AWAKE:
        return False
    os.nice(NICE)
    return True


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)
