"""All solutions of hands of four to nine numbers."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from random import Random
from time import perf_counter
from typing import Any
from unittest.mock import patch

from bench import before
from bench.report import Row, format_time, measure_median
from solver import ideas, solve
from solver.form_search import FormLister
from solver.reach import Reach
from solver.solution import write_node

Hand = tuple[int, ...]

TARGET = 24
# By count of numbers and highest number: the number of measured hands, and the promised time for one.
CASES = {
    (4, 100): (200, "0.2 ms"),
    (5, 100): (100, ""),
    (6, 100): (20, "3.5 ms"),
    (6, 13): (20, "7.5 ms"),
    (7, 100): (20, "40 ms"),
    (7, 13): (20, "65 ms"),
    (8, 100): (5, "0.6 s"),
    (8, 13): (5, "3 s"),
}
NINE = (45, 43, 77, 5, 70, 19, 56, 60, 98)  # 71 926 forms
MEMORY_BAR = "200 MB"


def measure_rows() -> Iterator[Row]:
    folder = os.environ.get("SOLVER_BEFORE")
    if folder:  # that has the package `solver` of an earlier version, the baseline
        jobs = {
            f"all forms, {count} numbers 1-{highest}": make_random_hands(count, hands, highest)
            for (count, highest), (hands, _) in CASES.items()
            if count < 8
        }
        yield from before.measure_rows(folder, jobs)
        return
    for (count, highest), (cases, bar) in CASES.items():
        hands = make_random_hands(count, cases, highest)
        baseline, note = measure_baselines(count, hands) if highest == 100 else ("", "")
        yield Row(
            f"all forms, {count} numbers 1-{highest}",
            format_time(measure_median(solve_all, hands, rounds=3 if count < 7 else 1)),
            bar,
            baseline,
            "; ".join(filter(None, [f"{len(hands)} hands", describe_shares(hands[:20]), note])),
        )
    yield Row(
        "all forms, 9 numbers 1-100",
        format_time(measure_median(solve_all, [NINE], rounds=1)),
        "60 s",
        "",
        describe_shares([NINE]),
    )
    yield measure_memory("8 numbers 1-13, memory", make_random_hands(8, 1, 13)[0])
    yield measure_memory("9 numbers 1-100, memory", NINE)
    cards = list(combinations_with_replacement(range(1, 14), 4))
    yield Row(
        "all forms, the 1820 hands of four cards", measure_all(solve_all, cards), "0.4 s", "", "best of 3"
    )
    yield Row("all ideas, the 1820 hands of four cards", measure_all(find_ideas, cards), "", "", "best of 3")
    small = [tuple(range(first, first + 8)) for first in range(1, 11)]
    yield Row(
        "first solution, 8 small numbers",
        format_time(measure_median(find_first, small)),
        "",
        "",
        "10 hands",
    )
    for count in (9, 12):
        hands = make_random_hands(count, 10)
        first = format_time(measure_median(find_first, hands))
        yield Row(f"first solution, {count} numbers 1-100", first, "50 ms", "", "10 hands")


def make_random_hands(count: int, hands: int, highest: int = 100) -> list[Hand]:
    rng = Random(count)
    return [tuple(rng.choices(range(1, highest + 1), k=count)) for _ in range(hands)]


class SearchTimer:
    """Measures the search for values: building tables, and searching backward from the target."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running = False

    def wrap(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, measured; calls inside a measured call count once."""

        def run_measured(*arguments: object) -> object:
            if self._running:
                return work(*arguments)
            self._running, start = True, perf_counter()
            try:
                return work(*arguments)
            finally:
                self._running = False
                self.seconds += perf_counter() - start

        return run_measured


def describe_shares(hands: Sequence[Hand]) -> str:
    """Return the number of forms, and the shares of time for search, joining and writing."""
    timer, listed, wrote, forms = SearchTimer(), 0.0, 0.0, 0
    with (
        patch.object(Reach, "search_backward", timer.wrap(Reach.search_backward)),
        patch.object(Reach, "_build_table", timer.wrap(Reach._build_table)),
    ):
        for hand in hands:
            start = perf_counter()
            nodes = list(FormLister(hand, TARGET).generate_nodes())
            between = perf_counter()
            forms += len([write_node(node) for node in nodes])
            listed += between - start
            wrote += perf_counter() - between
    search = timer.seconds
    parts = {"search": search, "joining": listed - search, "writing": wrote}
    shares_text = ", ".join(f"{name} {seconds / (listed + wrote):.0%}" for name, seconds in parts.items())
    return f"{forms} forms: {shares_text}"


def solve_all(hand: Hand) -> int:
    return sum(1 for _ in solve(hand, TARGET))


def find_ideas(hand: Hand) -> int:
    return sum(1 for _ in ideas(hand, TARGET))


def find_first(hand: Hand) -> object:
    return next(solve(hand, TARGET), None)


def measure_all(work: object, hands: Sequence[Hand]) -> str:
    assert callable(work)
    times = []
    for _ in range(3):
        start = perf_counter()
        for hand in hands:
            work(hand)
        times.append(perf_counter() - start)
    return format_time(min(times))


def measure_memory(job: str, hand: Hand) -> Row:
    """Measure the peak memory of Python for all forms of a hand."""
    code = f"import solver, tracemalloc; tracemalloc.start(); print(sum(1 for _ in solver.solve({hand})))"
    code += "; print(tracemalloc.get_traced_memory()[1])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    forms, peak = map(int, result.stdout.split())
    return Row(job, f"{peak // 10**6} MB", MEMORY_BAR, "", f"{forms} forms; peak of tracemalloc")


def measure_baselines(count: int, hands: list[Hand]) -> tuple[str, str]:
    """Measure the two plain ways on few hands; they take too long from six numbers on."""
    if count > 5:
        return "", "the plain ways take too long"
    few = hands[:5]
    recursive = format_time(measure_median(solve_by_recursion, few, rounds=1)) if count == 4 else "-"
    table = format_time(measure_median(solve_by_subsets, few, rounds=1))
    return f"{recursive} / {table}", "plain: joining any two / tables of subsets"


def solve_by_recursion(hand: Hand) -> set[str]:
    """Find solutions the plain way: join any two numbers, then go on with the result and the rest."""
    found: set[str] = set()
    join_two([(Fraction(number), str(number)) for number in hand], found)
    return found


def join_two(parts: list[tuple[Fraction, str]], found: set[str]) -> None:
    if len(parts) == 1:
        if parts[0][0] == TARGET:
            found.add(parts[0][1])
        return
    for i, j in combinations(range(len(parts)), 2):
        rest = [part for k, part in enumerate(parts) if k not in (i, j)]
        for joined in list_joins(parts[i], parts[j]):
            join_two([*rest, joined], found)


def solve_by_subsets(hand: Hand) -> int:
    """Compute the values of each subset from those of all its splits in two."""
    values: dict[int, set[Fraction]] = {1 << i: {Fraction(number)} for i, number in enumerate(hand)}
    for subset in range(1, 1 << len(hand)):
        side = (subset - 1) & subset
        while side:
            for x in values[side] if side > subset - side else ():
                for y in values[subset - side]:
                    values.setdefault(subset, set()).update(
                        value for value, _ in list_joins((x, ""), (y, ""))
                    )
            side = (side - 1) & subset
    return TARGET in values[(1 << len(hand)) - 1]


def list_joins(one: tuple[Fraction, str], other: tuple[Fraction, str]) -> Iterator[tuple[Fraction, str]]:
    (x, a), (y, b) = one, other
    yield x + y, f"({a}+{b})"
    yield x - y, f"({a}-{b})"
    yield y - x, f"({b}-{a})"
    yield x * y, f"({a}*{b})"
    if y:
        yield x / y, f"({a}/{b})"
    if x:
        yield y / x, f"({b}/{a})"
