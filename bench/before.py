"""Compare the search with that of an earlier version, hand by hand in one process."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from random import Random
from statistics import median
from time import process_time

from bench.report import Row, format_time
from solver import solve

Hand = tuple[int, ...]
Solve = Callable[[Hand], Iterator[object]]

ROUNDS = 3  # Measurements of a hand, of which the best counts
SAME_HANDS = 20_000  # Hands of which all solutions are compared
SIZES = {3: 28, 4: 35, 5: 25, 6: 11, 7: 1}  # Their counts of numbers, with weights


def load_solve(folder: str) -> Solve:
    """Return the function `solve` of the package `solver` in a folder; the one in use stays loaded."""
    own = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_of_solver(name)}
    sys.path.insert(0, folder)
    try:
        found: Solve = import_module("solver.search").solve
    finally:
        sys.path.remove(folder)
        for name in list(filter(_is_of_solver, sys.modules)):
            del sys.modules[name]
        sys.modules.update(own)
    return found


def _is_of_solver(module_name: str) -> bool:
    return module_name.split(".")[0] == "solver"


def measure_rows(folder: str, hands_by_job: Mapping[str, Sequence[Hand]]) -> Iterator[Row]:
    """Yield a row for each job with the medians of both versions, measured in turn: the best time of each
    hand, and in the note its first time, when no cache has it.
    """
    before = load_solve(folder)
    for job, hands in hands_by_job.items():
        times = [[(_measure(before, hand), _measure(solve, hand)) for _ in range(ROUNDS)] for hand in hands]
        old, new = (median(map(min, column)) for column in _split(times))
        old_first, new_first = (median(best[0] for best in column) for column in _split(times))
        note = f"{len(hands)} hands, {new / old:.0%}; at first {format_time(old_first)} -> "
        yield Row(job, format_time(new), "", format_time(old), note + format_time(new_first))
    yield Row("hands with other solutions", str(_count_differences(before)), "0", "", f"of {SAME_HANDS}")


def _split(times: list[list[tuple[float, float]]]) -> Iterator[list[tuple[float, ...]]]:
    """Yield the times of the version before, then those of this one, a tuple for each hand."""
    for version in range(2):
        yield [tuple(pair[version] for pair in rounds) for rounds in times]


def _measure(solve: Solve, hand: Hand) -> float:
    """Return the processor time of all solutions: other programs don't add to it."""
    start = process_time()
    for _ in solve(hand):
        pass
    return process_time() - start


def _count_differences(before: Solve) -> int:
    rng = Random(1)
    sizes = rng.choices(list(SIZES), list(SIZES.values()), k=SAME_HANDS)
    hands = [tuple(rng.choices(range(rng.choice((6, 10, 13, 25, 100)) + 1), k=size)) for size in sizes]
    return sum(list(map(str, before(hand))) != list(map(str, solve(hand))) for hand in hands)
