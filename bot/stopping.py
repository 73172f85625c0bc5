"""How the bot is told to stop, how long that took, and what happens where it takes too long."""

import asyncio
import logging
import os
import signal
import threading

log = logging.getLogger(__name__)

LONGEST_STOP = 7.0
"""Seconds after which stopping no longer waits for anything."""


class Stop:
    """Set once the bot is told to stop, by SIGTERM or SIGINT; for use within the event loop that runs."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._by: tuple[str, float] | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._told, number)

    def _told(self, by: signal.Signals) -> None:
        if self._by is None:
            self._by = by.name, self._loop.time()
        self.event.set()
        end_by_force(0)

    def tell(self) -> None:
        """Say that all is closed, if the bot was told to, by what and how long it took."""
        if self._by is not None:
            by, at = self._by
            log.info("stopped by %s, in order and in %.1f s", by, self._loop.time() - at)


def hurry(stop: asyncio.Event) -> None:
    """A bot that fails stops as quickly as one that is told to."""
    if not stop.is_set():
        end_by_force(1)


def end_by_force(code: int) -> None:
    """Whatever hangs by then is left to the next start: all that counts is stored."""
    timer = threading.Timer(LONGEST_STOP, os._exit, [code])
    timer.daemon = True
    timer.start()
