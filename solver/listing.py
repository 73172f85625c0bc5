"""A list of solutions that is printed while they are found; on a terminal it stops after a page."""

from __future__ import annotations

from time import perf_counter

from solver.terminal import choose_printable, group_digits, show_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.expression import Expression

COUNTING_SECONDS = 3.0  # After so long, a search that has filled its page pauses


class Listing:
    """Solutions of a search, and how many of them are not printed yet. `print_solution` prints one, and
    returns how many lines that took.
    """

    def __init__(self, solutions: Iterator[Expression], print_solution: Callable[[Expression], int]) -> None:
        self.found = 0
        self.seconds = 0.0  # that the search and the printing took
        self.rest: list[Expression] = []  # found but not printed
        self.is_over = False  # whether the search is
        self._solutions = solutions
        self._print_solution = print_solution

    def print_lines(self, lines: float) -> None:
        """Print solutions until there are so many lines. Then keep the others, to count them, until all are
        found or COUNTING_SECONDS have passed. A further call goes on from there.
        """
        start = perf_counter()
        kept, self.rest = self.rest, []
        try:
            with show_progress(lambda: self.found):
                for solution in self._read_solutions(kept):
                    if lines > 0:
                        lines -= self._print_solution(solution)
                        continue
                    self.rest.append(solution)
                    if perf_counter() - start > COUNTING_SECONDS:
                        return
            self.is_over = True
        finally:
            self.seconds += perf_counter() - start

    def _read_solutions(self, kept: list[Expression]) -> Iterator[Expression]:
        """Generate the solutions kept, then those that the search finds, and count these."""
        yield from kept
        for solution in self._solutions:
            self.found += 1
            yield solution

    def stop(self) -> None:
        """End the search. What it has found remains."""
        self.is_over = True
        self._solutions = iter(())

    @property
    def count(self) -> str:
        """The number of solutions, as far as they were counted."""
        return self._write_count(self.found)

    def write_rest(self, way: str) -> str | None:
        """Return a line that says how many solutions were not printed, and the way to see them; None if all
        were.
        """
        if not self.rest:
            return None
        return f"{choose_printable('…', '...')} {self._write_count(len(self.rest))} more; {way} shows them"

    def _write_count(self, number: int) -> str:
        return group_digits(number) if self.is_over else f"at least {group_digits(number)}"
