"""How the chat ends before its input does: signals, and Ctrl-C."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr

from bot.console.screen import Screen
from bot.console.terminal import Beside, Typed

TOLD = (signal.SIGTERM, signal.SIGHUP)
LONGEST_STOP = 7.0
"""Seconds after which nothing is waited for any more once the chat is told to stop."""


@contextmanager
def in_good_order(terminal: Typed | None, screen: Screen) -> Iterator[None]:
    """Let the chat end when it is told to, and leave the terminal as it was found, whatever happens."""
    loop = asyncio.get_running_loop()
    # Who starts it with nohup wants it to go on when the terminal is gone.
    told = [number for number in TOLD if signal.getsignal(number) is not signal.SIG_IGN]
    for number in told:
        loop.add_signal_handler(number, _stop, screen, terminal)
    try:
        with nullcontext() if terminal is None else _at(terminal, screen):
            yield
    finally:
        for number in told:
            loop.remove_signal_handler(number)


@contextmanager
def _at(terminal: Typed, screen: Screen) -> Iterator[None]:
    """What is done at a terminal alone."""
    loop = asyncio.get_running_loop()
    leaving = Leaving(screen)
    terminal.interrupted, terminal.typed = leaving.interrupted, leaving.typed
    loop.add_signal_handler(signal.SIGINT, terminal.interrupt)
    try:
        with redirect_stderr(Beside(terminal)) if sys.stderr.isatty() else nullcontext():
            yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        terminal.restore()


def _stop(screen: Screen, terminal: Typed | None) -> None:
    screen.over.set()

    def end() -> None:
        if terminal is not None:
            terminal.restore()
        os._exit(0)

    timer = threading.Timer(LONGEST_STOP, end)
    timer.daemon = True
    timer.start()


class Leaving:
    """Ctrl-C: twice on an empty line leaves, with nothing typed between; what clears a line does no more."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._is_told = self._once = False

    def typed(self) -> None:
        """A line was typed."""
        self._once = False

    def interrupted(self, cleared: bool) -> bool:
        """Ctrl-C was typed, and cleared a line or found none; whether anything was said."""
        if self._once and not cleared:
            self._screen.over.set()
            return False
        tells = not (cleared and self._is_told)
        self._once, self._is_told = not cleared, True
        if tells:
            line = self._screen.speech.plain("Ctrl-C once more on an empty line leaves; so does Ctrl-D.")
            self._screen.show(line)
        return tells
