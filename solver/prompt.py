"""The prompt: a target, then hands, each answered with its solutions and the time they took."""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from solver.arguments import BadInputError, hand, whole
from solver.command import bold, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

WELCOME = "Type a target, then hands such as 3 8 3 8; = 30 changes the target, q ends."


def converse(log: TextIO | None) -> None:
    """Ask and answer until `q` or the end of input; `log` gets every search, step by step."""
    print(WELCOME)
    target = _ask_target()
    while target is not None and (line := _ask(f"hand for {target}: ")) is not None:
        try:
            numbers, _, other = line.partition("=")
            target = whole(other.strip()) if other.strip() else target
            if numbers.strip():
                _answer(hand(numbers), target, log)
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
    """What is answered, or None at `q` or the end of input."""
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print(flush=True)
    answer = line.strip()
    return None if not line or answer.lower() in ("q", "quit", "exit") else answer


def _answer(numbers: list[int], target: int, log: TextIO | None) -> None:
    start = perf_counter()
    count = 0
    for solution in find(numbers, target, forms=False, limit=None, log=log):
        count += 1
        print(bold(str(solution)), flush=True)
        if log:
            print(f"  {solution} = {target}", file=log)
    seconds = perf_counter() - start
    found = f"{count} solutions" if count > 1 else "1 solution" if count else "no solution"
    print(f"{found} in {seconds * 1000:.1f} ms", flush=True)
    if log:
        print(f"  {found} in {seconds * 1000:.1f} ms", file=log, flush=True)
