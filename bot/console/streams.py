"""Standard input and output as they come: closed, broken off, or in an alphabet that lacks many signs."""

import asyncio
import codecs
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TextIO
from unicodedata import category

from bot.settings import MARK, Settings, SettingsError

BROKEN_PIPE = 128 + 13
"""The exit code of a program whose reader has read enough."""
STAND_INS = {"→": "->", "←": "<-", "…": "..."} | dict(zip("♠♥♦♣—–−×÷“”’•·✓", 'shdc---x/""\'*-v', strict=True))
"""What is shown where a terminal's alphabet lacks a sign."""
AHEAD = 16
"""Lines that are read before anybody asks for them."""
NOBODY = (
    "BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather"
    " (not set at all, a chat opens in the terminal)"
)
AT_ONCE = 1.0
"""Seconds within which a file or a closed pipe shows that nobody is there."""
PATIENCE = 20.0
"""Seconds without a first line after which a pipe that stays open counts as nobody."""
SIGNS, UNSEEN = {"So", "Sk"}, {"Cf", "Mn", "Me"}


class OutputError(Exception):
    """Standard output takes nothing; the message is one line."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output can't be written: {error.strerror or error}")


def open_closed() -> None:
    """Let streams that were closed before the start be empty ones: else a file of ours takes their number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        with contextlib.suppress(OSError):
            os.fstat(number)
            continue
        os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
        setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def drop_output() -> None:
    """Python would complain once more when it closes a standard output that can't be written."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(lines: Iterable[str]) -> int:
    """Print for an operator; returns the exit code. Raises OutputError, as where a disk is full."""
    try:
        for line in lines:
            print(fitting(line, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return BROKEN_PIPE
    except OSError as error:
        drop_output()
        raise OutputError(error) from None
    return 0


def fitting(text: str, out: TextIO) -> str:
    """`text`, with a stand-in for each character that `out` can't show."""
    try:
        alphabet = codecs.lookup(out.encoding or "utf-8").name
        text.encode(alphabet)
    except LookupError:
        alphabet = "ascii"
    except UnicodeEncodeError:
        pass
    else:
        return text
    return "".join(_fitting(c, alphabet) for c in text)


def is_unicode(out: TextIO) -> bool:
    """Whether `out` takes every character there is."""
    try:
        return codecs.lookup(out.encoding or "").name.startswith("utf")
    except LookupError:
        return False


def _fitting(character: str, alphabet: str) -> str:
    try:
        character.encode(alphabet)
    except UnicodeEncodeError:
        kind = category(character)
        other = "*" if kind in SIGNS else "" if kind in UNSEEN else "?"
        return STAND_INS.get(character, other)
    return character


class Lines:
    """What comes in on a stream, line by line, read by a thread that nobody waits for at the end.

    A byte-order mark at the start of a line is left out. Bytes that are no text are shown as such and stop
    nothing. Made in the event loop that asks for lines.
    """

    def __init__(self, stream: TextIO) -> None:
        self._loop = asyncio.get_running_loop()
        self._read: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._reader = threading.Thread(target=self._run, args=(stream,), name="input", daemon=True)

    async def next(self, within: float | None = None) -> str | None:
        """The next line; None at the end of input. Raises TimeoutError after `within` seconds of silence."""
        if self._reader.ident is None:
            self._reader.start()
        line = await asyncio.wait_for(self._read.get(), within)
        self._room.release()
        if line is None:
            self._read.put_nowait(None)
        return line

    def _run(self, stream: TextIO) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever asked
            for line in _lines(stream):
                self._put(line.removeprefix(MARK))
            self._put(None)

    def _put(self, line: str | None) -> None:
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._read.put_nowait, line)


def _lines(stream: TextIO) -> Iterator[str]:
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):
        number = None
    with contextlib.suppress(OSError, ValueError):  # closed: nothing more will come
        yield from stream if number is None else _decoded(number, stream.encoding)


def _decoded(number: int, encoding: str | None) -> Iterator[str]:
    """Lines from a file's number: a thread that waits in a stream's own `readline` would block the exit."""
    alphabet = codecs.lookup(encoding or "utf-8").name
    decoder = codecs.getincrementaldecoder("utf-8" if alphabet == "ascii" else alphabet)("replace")
    rest = ""
    while chunk := os.read(number, 65_536):
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from whole
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest


async def heard(settings: Settings) -> AsyncIterator[str]:
    """The lines to come from a pipe or a file.

    Raises SettingsError where BOT_TOKEN was left empty and nobody is there to type: a service is not to sit
    and wait for lines that never come.
    """
    lines = Lines(sys.stdin)
    if not settings.token_left_empty or sys.stdin.isatty():
        return _piped(lines, None)
    try:
        first = await lines.next(AT_ONCE)
    except TimeoutError:
        return _piped(lines, PATIENCE)
    if first is None:
        raise SettingsError(NOBODY)
    return _piped(lines, None, first)


async def _piped(lines: Lines, patience: float | None, first: str | None = None) -> AsyncIterator[str]:
    """Lines from a pipe; the first must come within `patience` seconds, if there is such a limit."""
    try:
        line = first if first is not None else await lines.next(patience)
    except TimeoutError:
        line = None
    if line is None and patience is not None:
        raise SettingsError(NOBODY)
    while line is not None:
        yield line
        line = await lines.next()
