"""Measure times and print them as tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from statistics import median, quantiles
from textwrap import wrap
from time import perf_counter
from typing import TypeVar

Case = TypeVar("Case")

WIDTH = 100  # Columns of a printed table
NOTE_WIDTH = 20  # Least columns for the last cell

HEADINGS = ("job", "ours", "bar", "baseline", "note")


@dataclass(frozen=True, slots=True)
class Row:
    job: str  # The task that is measured
    ours: str  # Our time, with its unit
    bar: str  # The promised time; empty if none is promised
    baseline: str  # Time of the plain way in the same run, on the same cases; empty if there is none
    note: str  # The number of cases, and what the baseline is


def measure_median(work: Callable[[Case], object], cases: Iterable[Case], *, rounds: int = 3) -> float:
    """Return the median of the cases' times in seconds, each the best of so many rounds.

    The best, because other work on the machine only adds to a time.
    """
    return median(min(_measure(work, case) for _ in range(rounds)) for case in cases)


def _measure(work: Callable[[Case], object], case: Case) -> float:
    start = perf_counter()
    work(case)
    return perf_counter() - start


def compute_p99(times: Sequence[float]) -> float:
    """Return the 99th percentile."""
    return quantiles(times, n=100)[98] if len(times) > 1 else times[0]


def format_time(seconds: float) -> str:
    """Format a time, such as `0.35 ms`, `12 ms` or `1.2 s`."""
    amount, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    return f"{amount:.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"


def format_table(rows: Iterable[Sequence[str]]) -> str:
    """Format rows of cells as lines; each column is as wide as its widest cell, the last one is wrapped."""
    lines = [tuple(row) for row in rows]
    *widths, _ = [max(map(len, column)) for column in zip(*lines, strict=True)]
    room = max(WIDTH - sum(widths) - 2 * len(widths), NOTE_WIDTH)
    output = []
    for *cells, note in lines:
        start = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
        output += wrap(note, len(start) + room, initial_indent=start, subsequent_indent=" " * len(start)) or [
            start
        ]
    return "\n".join(line.rstrip() for line in output)


def print_rows(title: str, rows: Iterable[Row]) -> None:
    print(f"\n{title}\n")
    print(format_table([HEADINGS, *(astuple(row) for row in rows)]), flush=True)
