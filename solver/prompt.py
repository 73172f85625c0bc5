"""The prompt: it asks for a target and then for hands, until q."""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from solver.hands import BadInputError, look_for_spaces, split, whole
from solver.names import MARK
from solver.terminal import bold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from solver.expression import Expression

WELCOME = "Type a target, then hands such as 3 8 3 8; = 30 changes the target, q ends."


def converse(log: TextIO | None, find: Callable[[Sequence[int], int], Iterator[Expression]]) -> None:
    """Ask and answer until `q` or the end of input; `log` gets every solution that `find` finds."""
    print(WELCOME)
    target = _ask_target()
    while target is not None and (line := _ask(f"hand for {target}: ")) is not None:
        try:
            numbers, other = split(line)
            target = target if other is None else other
            if numbers:
                look_for_spaces(numbers, target)
                _answer(find(numbers, target), target, log)
        except (argparse.ArgumentTypeError, BadInputError) as error:
            print(error, flush=True)


def _ask_target() -> int | None:
    while (line := _ask("target (24): ")) is not None:
        try:
            return whole(line) if line else 24
        except argparse.ArgumentTypeError as error:
            print(error, flush=True)
    return None


def _ask(question: str) -> str | None:
    """Return the answer to a question; None at `q` or the end of input."""
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print(flush=True)
    answer = line.removeprefix(MARK).strip()
    return None if not line or answer.lower() in ("q", "quit", "exit") else answer


def _answer(solutions: Iterator[Expression], target: int, log: TextIO | None) -> None:
    start = perf_counter()
    count = 0
    for solution in solutions:
        count += 1
        print(bold(str(solution)), flush=True)
        if log:
            print(f"  {solution} = {target}", file=log)
    seconds = perf_counter() - start
    found = f"{count} solutions" if count > 1 else "1 solution" if count else "no solution"
    print(f"{found} in {seconds * 1000:.1f} ms", flush=True)
    if log:
        print(f"  {found} in {seconds * 1000:.1f} ms", file=log, flush=True)
