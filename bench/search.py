"""All solutions of a hand."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from random import Random
from time import perf_counter

from bench.table import Row, median_time, written
from solver import ideas, solve

Hand = tuple[int, ...]

TARGET = 24
BARS = {4: "0.2 ms", 5: "", 6: "7 ms", 7: "70 ms", 8: "2 s"}
CASES = {4: 200, 5: 100, 6: 60, 7: 15, 8: 5}
"""How many hands are measured for each count of numbers."""
MEMORY_BAR = "300 MB"


def rows() -> Iterator[Row]:
    for count, bar in BARS.items():
        hands = random_hands(count, CASES[count])
        baseline, note = plain(count, hands)
        yield Row(
            f"all forms, {count} numbers 1-100",
            written(median_time(solve_all, hands, rounds=3 if count < 7 else 1)),
            bar,
            baseline,
            f"{len(hands)} hands; {note}",
        )
    yield memory()
    cards = list(combinations_with_replacement(range(1, 14), 4))
    yield Row("all forms, the 1820 hands of four cards", together(solve_all, cards), "0.4 s", "", "best of 3")
    yield Row("all ideas, the 1820 hands of four cards", together(find_ideas, cards), "", "", "best of 3")
    small = [tuple(range(first, first + 8)) for first in range(1, 11)]
    yield Row("first solution, 8 small numbers", written(median_time(find_first, small)), "", "", "10 hands")


def random_hands(count: int, hands: int) -> list[Hand]:
    rng = Random(count)
    return [tuple(rng.choices(range(1, 101), k=count)) for _ in range(hands)]


def solve_all(hand: Hand) -> int:
    return sum(1 for _ in solve(hand, TARGET))


def find_ideas(hand: Hand) -> int:
    return sum(1 for _ in ideas(hand, TARGET))


def find_first(hand: Hand) -> object:
    return next(solve(hand, TARGET), None)


def together(work: object, hands: Sequence[Hand]) -> str:
    assert callable(work)
    times = []
    for _ in range(3):
        start = perf_counter()
        for hand in hands:
            work(hand)
        times.append(perf_counter() - start)
    return written(min(times))


def memory() -> Row:
    """The most memory that a process needs for all forms of eight numbers."""
    hand = random_hands(8, 1)[0]
    # Not getrusage, whose figure is the parent's if that had more.
    code = f"import solver; [*solver.solve({hand})]; print(open('/proc/self/status').read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Row(
        "the same, 8 numbers, memory",
        f"{int(done.stdout.partition('VmHWM:')[2].split()[0]) // 1024} MB",
        MEMORY_BAR,
        "",
        "one process, its peak",
    )


def plain(count: int, hands: list[Hand]) -> tuple[str, str]:
    """The time of the plain ways, as far as they are bearable."""
    if count > 5:
        return "", "no plain way ends in time"
    few = hands[:5]
    recursive = written(median_time(by_recursion, few, rounds=1)) if count == 4 else "-"
    table = written(median_time(by_subsets, few, rounds=1))
    return f"{recursive} / {table}", "plain: joining any two / tables of subsets"


def by_recursion(hand: Hand) -> set[str]:
    """Solutions as they are usually looked for: join any two numbers, go on with what is then there."""
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
        for joined in joins(parts[i], parts[j]):
            join_two([*rest, joined], found)


def by_subsets(hand: Hand) -> int:
    """Values of every subset, each from those of every way to part it in two."""
    values: dict[int, set[Fraction]] = {1 << i: {Fraction(number)} for i, number in enumerate(hand)}
    for subset in range(1, 1 << len(hand)):
        side = (subset - 1) & subset
        while side:
            for x in values[side] if side > subset - side else ():
                for y in values[subset - side]:
                    values.setdefault(subset, set()).update(value for value, _ in joins((x, ""), (y, "")))
            side = (side - 1) & subset
    return TARGET in values[(1 << len(hand)) - 1]


def joins(one: tuple[Fraction, str], other: tuple[Fraction, str]) -> Iterator[tuple[Fraction, str]]:
    (x, a), (y, b) = one, other
    yield x + y, f"({a}+{b})"
    yield x - y, f"({a}-{b})"
    yield y - x, f"({b}-{a})"
    yield x * y, f"({a}*{b})"
    if y:
        yield x / y, f"({a}/{b})"
    if x:
        yield y / x, f"({b}/{a})"
