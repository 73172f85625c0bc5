"""Output of the commands to a terminal, a pipe or a file."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from time import perf_counter

from solver.hands import BadInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TextIO


def print_json(**values: object) -> None:
    """Print one JSON object."""
    import json  # takes 2 ms to load, and is seldom asked for

    print(json.dumps(values))


def make_bold(text: str) -> str:
    """Return the text in bold if standard output is a terminal that shows it, else the text alone."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[1m{text}\x1b[0m"


def choose_arrow() -> str:
    """Return `→`, or `->` if standard output can't encode it."""
    return choose_printable("→", "->")


def choose_printable(text: str, substitute: str) -> str:
    """Return the text, or the substitute if standard output can't encode the text."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return substitute
    return text


def open_log(path: str | None) -> AbstractContextManager[TextIO | None]:
    """Open a log file for writing, as a context that closes it; without a path, a context with None. Raises
    BadInputError if it can't be written.
    """
    if path is None:
        return nullcontext()
    try:
        # Not with pathlib, which takes 5 ms to load.
        return open(path, "w", encoding="utf-8")  # noqa: PTH123
    except OSError as error:
        raise BadInputError(f"can't write {path or repr(path)}: {error.strerror}") from None


ERASE_TO_END = "\x1b[K"  # Tells a terminal to erase the line from the cursor on
PAGE_MARGIN = 4  # Lines of a terminal that a page leaves to the command, the count and the time
USUAL_HEIGHT = 24  # Lines of a terminal that does not tell its height


def measure_page() -> float:
    """Return how many lines of a list fit on the terminal; infinity if standard output is none."""
    if not sys.stdout.isatty():
        return float("inf")
    height = os.get_terminal_size(sys.stdout.fileno()).lines or USUAL_HEIGHT
    return max(1, height - PAGE_MARGIN)


def print_line(text: str) -> None:
    """Print a line; on a terminal at once, and in place of the line of `show_progress` or a typed ^C."""
    if sys.stdout.isatty():
        print(f"\r{ERASE_TO_END}{text}", flush=True)
    else:
        print(text)


def group_digits(number: int) -> str:
    """Write a number; on a terminal, with spaces between thousands."""
    return f"{number:,}".replace(",", " ") if sys.stdout.isatty() else str(number)


@contextmanager
def show_progress(get_found: Callable[[], int] = lambda: 0) -> Iterator[None]:
    """Show the seconds, and how many solutions are found, on standard error while the block runs. Nothing is
    shown in the first second, or without a terminal. The line is erased at the end.
    """
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()
    start = perf_counter()

    def print_progress() -> None:
        """Print the line every second until the block ends."""
        while not done.wait(1):
            found = f", {group_digits(get_found())} found" if get_found() else ""
            text = f"searching: {perf_counter() - start:.0f} s{found}"
            print(f"\r{text}{ERASE_TO_END}\r", end="", file=sys.stderr, flush=True)

    printer = Thread(target=print_progress, daemon=True)
    printer.start()
    try:
        yield
    finally:
        done.set()
        printer.join()
        if perf_counter() - start > 1:  # else nothing was shown
            print(f"\r{ERASE_TO_END}", end="", file=sys.stderr, flush=True)
