"""Compare the solver with another program: the same hands, whole processes, in turn."""

import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from statistics import median
from time import perf_counter

from bench.report import format_time

RUNS = 7
TIMEOUT = 60.0  # Seconds after which a run is stopped

HEADINGS = ("hand", "ours", "theirs", "theirs / ours", "note")


def compare(theirs: str, ours: str, hands: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the median times of both programs for each hand, as cells under `HEADINGS`.

    In a command line, `{}` stands for the hand, each number an argument of its own; without `{}` the hand is
    a line on standard input. `ours` follows `python -m solver`. Raises OSError if theirs can't be started.
    """
    commands = [sys.executable, "-m", "solver", *shlex.split(ours)], shlex.split(theirs)
    for hand in hands:
        runs = [[_time_process(command, hand) for command in commands] for _ in range(RUNS)]
        mine, other = (median(time for time, _ in column) for column in zip(*runs, strict=True))
        codes = sorted({code for _, (_, code) in runs if code})
        yield (
            hand,
            format_time(mine),
            format_time(other),
            f"{other / mine:.2g}",
            _describe_exit_codes(codes),
        )


def _describe_exit_codes(codes: list[int]) -> str:
    return f"theirs exits with {', '.join(map(str, codes))}" if codes else ""


def _time_process(command: list[str], hand: str) -> tuple[float, int]:
    """Return seconds and exit code; a stopped run took `TIMEOUT`, with the code -1."""
    stdin = None if "{}" in command else f"{hand}\n".encode()
    arguments = [part for word in command for part in (hand.split() if word == "{}" else [word])]
    start = perf_counter()
    try:
        run = subprocess.run(arguments, input=stdin, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return TIMEOUT, -1
    return perf_counter() - start, run.returncode
