"""Side by side with any other program: the same hands, whole processes, one after the other in turn."""

import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from statistics import median
from time import perf_counter

from bench.table import written

RUNS = 7
LIMIT = 60.0  # Seconds after which a run is given up

HEADINGS = ("hand", "ours", "theirs", "theirs / ours", "note")


def compare(theirs: str, ours: str, hands: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """For each hand the medians of both, as cells under `HEADINGS`.

    In a command line, `{}` stands for the hand, each number an argument of its own; without `{}` the hand is
    a line on standard input. `ours` is what comes after `python -m solver`. OSError: theirs can't be started.
    """
    commands = [sys.executable, "-m", "solver", *shlex.split(ours)], shlex.split(theirs)
    for hand in hands:
        runs = [[_run(command, hand) for command in commands] for _ in range(RUNS)]
        mine, other = (median(time for time, _ in column) for column in zip(*runs, strict=True))
        codes = sorted({code for _, (_, code) in runs if code})
        yield hand, written(mine), written(other), f"{other / mine:.2g}", _note(codes)


def _note(codes: list[int]) -> str:
    return f"theirs exits with {', '.join(map(str, codes))}" if codes else ""


def _run(command: list[str], hand: str) -> tuple[float, int]:
    """Seconds and exit code; a run that is given up took the limit."""
    stdin = None if "{}" in command else f"{hand}\n".encode()
    arguments = [part for word in command for part in (hand.split() if word == "{}" else [word])]
    start = perf_counter()
    try:
        run = subprocess.run(arguments, input=stdin, capture_output=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return LIMIT, -1
    return perf_counter() - start, run.returncode
