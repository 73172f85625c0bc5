"""Standard input and output of the process: closed, broken off, or in an encoding that lacks characters."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import TextIO

from bot.settings import Settings, SettingsError

BROKEN_PIPE_EXIT_CODE = 128 + 13  # of a program that SIGPIPE ended, since its reader has read enough
FIRST_LINE_SECONDS = 20.0  # until a pipe without a first line counts as nobody
NOBODY_TYPES = (
    "BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather"
    " (not set at all, a chat opens in the terminal)"
)


class OutputError(Exception):
    """Standard output can't be written; the message is one line."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output can't be written: {error.strerror or error}")


def prepare_streams() -> None:
    """Replace closed streams by empty ones, and characters that an output can't encode by question marks."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:  # closed; a file that is opened later would get this number
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        else:
            getattr(sys, name).reconfigure(errors="replace")


def drop_output() -> None:
    """Discard what standard output still holds: Python would complain when it closes it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_lines(lines: Iterable[str]) -> int:
    """Print lines and return the exit code: 0, or another if the reader has left. Raises OutputError."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return BROKEN_PIPE_EXIT_CODE
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
        first = await asyncio.wait_for(anext(lines), FIRST_LINE_SECONDS)
    except (TimeoutError, StopAsyncIteration):
        raise SettingsError(NOBODY_TYPES) from None
    return _prepend_line(first, lines)


async def _prepend_line(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for line in rest:
        yield line


async def read_lines(stream: TextIO) -> AsyncIterator[str]:
    """Yield the lines of a stream, read by a thread that doesn't delay the exit."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue[str | None]()

    def queue_lines() -> None:
        """Put each line into the queue, and None at the end."""
        with suppress(RuntimeError):  # the loop has ended
            with suppress(OSError, ValueError):  # the stream is closed
                for line in _open_descriptor_again(stream):
                    loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=queue_lines, name="input", daemon=True).start()
    line = await queue.get()
    while line is not None:
        yield line
        line = await queue.get()


def _open_descriptor_again(stream: TextIO) -> Iterable[str]:
    """Return a second stream of the same file descriptor; a stream in memory is returned itself.

    A thread that waits in the first one would block the exit, since Python closes that.
    """
    try:
        number = stream.fileno()
    except OSError:  # a stream in memory
        return stream
    encoding = stream.encoding
    if encoding.lower() in ("utf-8", "ascii"):
        encoding = "utf-8-sig"  # also leaves out a byte order mark
    return open(number, encoding=encoding, errors="replace", closefd=False)
