"""Standard input and output of the process: closed, broken off, or in an encoding that lacks characters."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import TextIO

from bot.settings import Settings, SettingsError

BROKEN_PIPE = 128 + 13  # the exit code of a program whose reader has read enough
PATIENCE = 20.0  # seconds until a pipe without a first line counts as nobody
NOBODY = (
    "BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather"
    " (not set at all, a chat opens in the terminal)"
)


class OutputError(Exception):
    """Standard output can't be written; the message is one line."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output can't be written: {error.strerror or error}")


def prepare_streams() -> None:
    """Replace closed streams by empty ones, and characters that an output can't encode by question marks."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:  # else a file of ours would get this number
            os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        else:
            getattr(sys, name).reconfigure(errors="replace")


def drop_output() -> None:
    """Discard what standard output still holds: Python would complain when it closes it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_lines(lines: Iterable[str]) -> int:
    """Print lines and return the exit code: 0, or BROKEN_PIPE if the reader has left. Raises OutputError."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return BROKEN_PIPE
    except OSError as error:
        drop_output()
        raise OutputError(error) from None
    return 0


async def open_input(settings: Settings) -> AsyncIterator[str]:
    """Return the lines of standard input.

    Raises SettingsError if BOT_TOKEN is set but empty and nobody types for 20 seconds: a service whose token
    is missing would wait for lines for ever.
    """
    lines = read_lines(sys.stdin)
    if not settings.token_left_empty or sys.stdin.isatty():
        return lines
    try:
        first = await asyncio.wait_for(anext(lines), PATIENCE)
    except (TimeoutError, StopAsyncIteration):
        raise SettingsError(NOBODY) from None
    return _prepend(first, lines)


async def _prepend(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for line in rest:
        yield line


async def read_lines(stream: TextIO) -> AsyncIterator[str]:
    """Yield the lines of a stream, read by a thread that doesn't delay the exit."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        with suppress(RuntimeError):  # the loop has ended
            with suppress(OSError, ValueError):  # the stream is closed
                for line in _reopen(stream):
                    loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, name="input", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def _reopen(stream: TextIO) -> Iterable[str]:
    """Open the stream's file again: a thread that waits in the stream itself would block the exit."""
    try:
        number = stream.fileno()
    except OSError:  # a stream in memory
        return stream
    encoding = "utf-8-sig" if stream.encoding.lower() in ("utf-8", "ascii") else stream.encoding
    return open(number, encoding=encoding, errors="replace", closefd=False)
