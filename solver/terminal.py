"""The output of the commands: a terminal, a pipe or a file."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from time import perf_counter

from solver.hands import BadInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import TextIO

    from solver.expression import Expression


def print_json(**values: object) -> None:
    """Print one JSON object."""
    import json  # takes 2 ms to load, and is seldom asked for

    print(json.dumps(values))


def bold(text: str) -> str:
    """The text in bold, on a terminal that is not asked to be plain."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def arrow() -> str:
    """An arrow, or what stands for it."""
    return fitting("→", "->")


def fitting(text: str, plain: str) -> str:
    """The text, or its stand-in where standard output has no signs for it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return plain
    return text


def open_log(path: str | None) -> AbstractContextManager[TextIO | None]:
    """The file to write the search to; BadInputError if it can't be written."""
    if path is None:
        return nullcontext()
    try:
        # Not with pathlib, which takes 5 ms to load.
        return open(path, "w", encoding="utf-8")  # noqa: PTH123
    except OSError as error:
        raise BadInputError(f"can't write {path or repr(path)}: {error.strerror}") from None


@contextmanager
def progress(shown: list[Expression]) -> Iterator[None]:
    """On a terminal, say every second how a long search is going, and wipe it away in the end."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()
    start = perf_counter()

    def tell() -> None:
        while not done.wait(1):
            found = f", {len(shown)} found" if shown else ""
            text = f"searching: {perf_counter() - start:.0f} s{found}"
            print(f"\r{text}\x1b[K\r", end="", file=sys.stderr, flush=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if perf_counter() - start > 1:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
