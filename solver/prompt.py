"""The prompt: it asks for a target and then for hands, until q."""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from solver.arguments import DEFAULT_TARGET
from solver.hands import BadInputError, read_hand_and_target, read_whole_number, refuse_glued_hand
from solver.names import BYTE_ORDER_MARK
from solver.terminal import make_bold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from solver.expression import Expression

WELCOME = "Type a target, then hands such as 3 8 3 8; = 30 changes the target, q ends."


def run_prompt(log: TextIO | None, find: Callable[[Sequence[int], int], Iterator[Expression]]) -> None:
    """Ask for a target, then for hands, and print their solutions, or an error for a line that can't be read,
    until `q` or the end of input. A line with `= 30` changes the target. `find` returns the solutions of a
    hand for a target. They are written to `log` too.
    """
    print(WELCOME)
    target = _ask_target()
    while target is not None:
        line = _read_line(f"hand for {target}: ")
        if line is None:
            return
        try:
            numbers, typed_target = read_hand_and_target(line)
            if typed_target is not None:
                target = typed_target
            if numbers:
                refuse_glued_hand(numbers, target)
                _print_solutions(find(numbers, target), target, log)
        except (argparse.ArgumentTypeError, BadInputError) as error:
            print(error, flush=True)


def _ask_target() -> int | None:
    """Ask until a target is typed and return it; 24 for an empty line, None at `q` or the end of input."""
    while True:
        line = _read_line(f"target ({DEFAULT_TARGET}): ")
        if line is None:
            return None
        if not line:
            return DEFAULT_TARGET
        try:
            return read_whole_number(line)
        except argparse.ArgumentTypeError as error:
            print(error, flush=True)


def _read_line(question: str) -> str | None:
    """Print a question, and return the typed line without spaces around it; None for `q`, `quit` or `exit`,
    and at the end of input.
    """
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:  # the end of input
        print(flush=True)  # so that the next output does not follow the question on its line
        return None
    answer = line.removeprefix(BYTE_ORDER_MARK).strip()
    if answer.lower() in ("q", "quit", "exit"):
        return None
    return answer


def _print_solutions(solutions: Iterator[Expression], target: int, log: TextIO | None) -> None:
    """Print each solution as soon as it is found, then their number and the time used; write the same to
    `log`.
    """
    start = perf_counter()
    count = 0
    for solution in solutions:
        count += 1
        print(make_bold(str(solution)), flush=True)
        if log:
            print(f"  {solution} = {target}", file=log)
    seconds = perf_counter() - start
    found = f"{count} solutions"
    if count == 0:
        found = "no solution"
    elif count == 1:
        found = "1 solution"
    summary = f"{found} in {seconds * 1000:.1f} ms"
    print(summary, flush=True)
    if log:
        print(f"  {summary}", file=log, flush=True)
