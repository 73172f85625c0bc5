"""The prompt: it asks for a target and then for hands, until q."""

from __future__ import annotations

import argparse
import sys

from solver.arguments import DEFAULT_TARGET
from solver.hands import BadInputError, read_hand_and_target, read_whole_number, refuse_glued_hand
from solver.listing import Listing
from solver.names import BYTE_ORDER_MARK
from solver.terminal import make_bold, measure_page, print_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from solver.expression import Expression

WELCOME = "Type a target, then hands such as 3 8 3 8; ? helps, q ends."
HELP = """\
3 8 3 8       a solution for each idea: whole numbers, or A J Q K
3 8 3 8 = 30  the same for another target, which stays; so does = 30 alone
all           the rest of a list that stopped after a page
Ctrl-C        stops a search
q             ends"""


def run_prompt(log: TextIO | None, find: Callable[[Sequence[int], int], Iterator[Expression]]) -> None:
    """Ask for a target, then for hands, and print their solutions, or an error for a line that can't be read,
    until `q` or the end of input. A line with `= 30` changes the target. `find` returns the solutions of a
    hand for a target. They are written to `log` too.
    """
    print(WELCOME)
    target = _ask_target()
    listing: Listing | None = None  # of the last hand
    while target is not None:
        line = _read_line(f"hand for {target}: ")
        if line is None:
            return
        if line.lower() == "all":
            _print_rest(listing, log)
            continue
        try:
            numbers, typed_target = read_hand_and_target(line)
            if typed_target is not None:
                target = typed_target
            if numbers:
                refuse_glued_hand(numbers, target)
                listing = _list_solutions(find(numbers, target), target, log)
                # A log is to hold the whole search.
                _print_solutions(listing, float("inf") if log else measure_page(), log)
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
    """Ask a question, and return the typed line without spaces around it; None for `q`, `quit` or `exit`, and
    at the end of input. `help` or `?` prints the help, and asks again. On a terminal, the first Ctrl-C asks
    again as well, and a second in a row raises KeyboardInterrupt.
    """
    while True:
        try:
            answer = _read_answer(question)
        except KeyboardInterrupt:
            if not sys.stdin.isatty():
                raise
            print("\nq ends.", flush=True)
            answer = _read_answer(question)
        if answer is None or answer.lower() in ("q", "quit", "exit"):
            return None
        if answer.lower() not in ("help", "?"):
            return answer
        print(HELP)


def _read_answer(question: str) -> str | None:
    """Print a question, and return the typed line without spaces around it; None at the end of input."""
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:  # the end of input
        print(flush=True)  # so that the next output does not follow the question on its line
        return None
    return line.removeprefix(BYTE_ORDER_MARK).strip()


def _list_solutions(solutions: Iterator[Expression], target: int, log: TextIO | None) -> Listing:
    """Return a list whose solutions are also written to `log` when they are printed."""

    def print_solution(solution: Expression) -> int:
        print_line(make_bold(str(solution)))
        sys.stdout.flush()
        if log:
            print(f"  {solution} = {target}", file=log)
        return 1

    return Listing(solutions, print_solution)


def _print_rest(listing: Listing | None, log: TextIO | None) -> None:
    """Print what the last list has not shown, and go on with its search if it was paused."""
    if listing and listing.rest:
        _print_solutions(listing, float("inf"), log)
    else:
        print("There is no more to show.", flush=True)


def _print_solutions(listing: Listing, lines: float, log: TextIO | None) -> None:
    """Print so many lines of solutions, each as soon as it is found, then how many there are and the time
    used; write the same to `log`. On a terminal, Ctrl-C stops the search.
    """
    is_stopped = False
    try:
        listing.print_lines(lines)
    except KeyboardInterrupt:
        if not sys.stdin.isatty():
            raise
        listing.stop()
        is_stopped = True
    if rest := listing.write_rest("`all`"):
        print_line(rest)
    if is_stopped:
        summary = f"stopped after {listing.seconds:.1f} s, {listing.count} found"
    else:
        found = "no solution" if not listing.found else f"{listing.count} solution{'s' * (listing.found > 1)}"
        summary = f"{found} in {listing.seconds * 1000:.1f} ms"
    print_line(summary)
    sys.stdout.flush()
    if log:
        print(f"  {summary}", file=log, flush=True)
