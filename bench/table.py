"""Take times, and print them as a table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from statistics import median, quantiles
from textwrap import wrap
from time import perf_counter
from typing import TypeVar

Case = TypeVar("Case")

WIDTH = 100  # Columns of a printed table
NARROWEST = 20  # Columns that the last cells have even where the others leave less

HEADINGS = ("job", "ours", "bar", "baseline", "note")


@dataclass(frozen=True, slots=True)
class Row:
    job: str  # What is done, and to what
    ours: str  # Our time, with its unit
    bar: str  # What it may take; empty if nothing was promised
    baseline: str  # How long the plain way takes, in the same run on the same cases; empty if there is none
    note: str  # What was measured: how many cases, and what the baseline is


def median_time(work: Callable[[Case], object], cases: Iterable[Case], *, rounds: int = 3) -> float:
    """Seconds that the middle one of these cases takes, each at its best of so many rounds.

    The best, because whatever else the machine does only ever adds to a time.
    """
    return median(min(_time(work, case) for _ in range(rounds)) for case in cases)


def _time(work: Callable[[Case], object], case: Case) -> float:
    start = perf_counter()
    work(case)
    return perf_counter() - start


def late(times: Sequence[float]) -> float:
    """The time that one of a hundred exceeds."""
    return quantiles(times, n=100)[98] if len(times) > 1 else times[0]


def written(seconds: float) -> str:
    """A time as people read it: `0.35 ms`, `12 ms`, `1.2 s`."""
    amount, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    return f"{amount:.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as lines, each column as wide as its widest cell, the last one wrapped to fit."""
    lines = [tuple(row) for row in rows]
    *widths, _ = [max(map(len, column)) for column in zip(*lines, strict=True)]
    room = max(WIDTH - sum(widths) - 2 * len(widths), NARROWEST)
    written = []
    for *cells, note in lines:
        start = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
        written += wrap(
            note, len(start) + room, initial_indent=start, subsequent_indent=" " * len(start)
        ) or [start]
    return "\n".join(line.rstrip() for line in written)


def print_rows(title: str, rows: Iterable[Row]) -> None:
    print(f"\n{title}\n")
    print(table([HEADINGS, *(astuple(row) for row in rows)]), flush=True)
