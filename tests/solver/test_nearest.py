import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations
from math import factorial
from random import Random

import pytest

from solver import Expression
from solver.nearest import (
    CLASSIC,
    COUNTDOWN,
    OutOfReachError,
    Rules,
    find_all_values,
    nearest,
    read_draws,
)

SMALL = [*range(1, 11)] * 2
LARGE = [25, 50, 75, 100]
TILES = SMALL + LARGE
TARGETS = range(101, 1000)
AT_MOST = Rules(every_tile=False, allows_zero=True, allows_above=False)
ALL_TILES = Rules(every_tile=True, allows_zero=False, allows_above=True)


def _list_next_tables(tiles: tuple[int, ...], zero: bool) -> Iterator[tuple[int, ...]]:
    """Generate the tiles left after one more operation, for every pair in both orders."""
    for i, j in permutations(range(len(tiles)), 2):
        rest = [tile for index, tile in enumerate(tiles) if index not in (i, j)]
        x, y = tiles[i], tiles[j]
        results = [x + y, x * y, x - y]
        if y and x % y == 0:
            results.append(x // y)
        for result in results:
            if result > 0 or (result == 0 and zero):
                yield tuple(sorted([*rest, result]))


def _count_fewest_operations(tiles: Sequence[int], rules: Rules) -> dict[int, int]:
    """Return the fewest operations for every value, by brute force."""
    tables, fewest = {tuple(sorted(tiles))}, dict[int, int]()
    for operations in range(len(tiles)):
        if not rules.every_tile or operations == len(tiles) - 1:
            for table in tables:
                for value in table:
                    fewest.setdefault(value, operations)
        tables = {after for table in tables for after in _list_next_tables(table, rules.allows_zero)}
    return fewest


def _find_best(fewest: dict[int, int], target: int, rules: Rules) -> tuple[int, int, int] | None:
    """Return distance, operations and value of the best result; None if there is none."""
    return min(
        (
            (abs(target - value), operations, value)
            for value, operations in fewest.items()
            if rules.allows_above or value <= target
        ),
        default=None,
    )


def _evaluate(expression: Expression, zero: bool) -> int:
    """Return the value. Asserts that all results are whole, and positive unless `zero` is allowed."""

    def operation(op: str, left: int, right: int) -> int:
        if op == "/":
            assert left % right == 0
            result = left // right
        else:
            result = {"+": left + right, "-": left - right, "*": left * right}[op]
        assert result >= (0 if zero else 1)
        return result

    return expression.fold(int, operation)


def _assert_best(tiles: Sequence[int], target: int, rules: Rules, fewest: dict[int, int]) -> None:
    expected = _find_best(fewest, target, rules)
    if expected is None:
        with pytest.raises(OutOfReachError):
            nearest(tiles, target, rules)
        return
    found = nearest(tiles, target, rules)
    used = found.expression.numbers
    assert (found.distance, len(used) - 1, found.value) == expected, (tiles, target, rules)
    assert _evaluate(found.expression, rules.allows_zero) == found.value
    assert all(used.count(number) <= list(tiles).count(number) for number in used)
    assert not rules.every_tile or len(used) == len(tiles)


def _draw_tiles(rng: Random, count: int) -> list[int]:
    """Draw tiles of the game, numbers from 1 to 100, or small numbers with zeros and repeats."""
    return rng.choice(
        [rng.sample(TILES, count), rng.choices(range(1, 101), k=count), rng.choices(range(6), k=count)]
    )


def _choose_target(rng: Random, fewest: dict[int, int]) -> int:
    """Choose a target that can be made, one next to it, or any."""
    value = rng.choice(sorted(fewest)) if fewest else 0
    return rng.choice([value, value + 1, max(value - 1, 0), rng.randrange(1001)])


@pytest.mark.parametrize("rules", [COUNTDOWN, CLASSIC, AT_MOST, ALL_TILES])
def test_nearest_agrees_with_brute_force(rules: Rules) -> None:
    rng = Random(1982)
    for count in [1] * 20 + [2] * 60 + [3] * 60 + [4] * 6:
        tiles = _draw_tiles(rng, count)
        fewest = _count_fewest_operations(tiles, rules)
        for _ in range(4):
            if rules is not ALL_TILES or fewest:
                _assert_best(tiles, _choose_target(rng, fewest), rules, fewest)


@pytest.mark.long
@pytest.mark.parametrize("rules", [COUNTDOWN, CLASSIC])
@pytest.mark.parametrize("count", [4, pytest.param(5, marks=pytest.mark.exhaustive)])
def test_nearest_agrees_with_brute_force_for_more_tiles(rules: Rules, count: int) -> None:
    rng = Random(count)
    for _ in range({4: 300, 5: 60}[count]):
        tiles = _draw_tiles(rng, count)
        fewest = _count_fewest_operations(tiles, rules)
        for _ in range(40):
            _assert_best(tiles, _choose_target(rng, fewest), rules, fewest)


@pytest.mark.long
@pytest.mark.parametrize("rules", [COUNTDOWN, CLASSIC])
@pytest.mark.parametrize("tiles", [(1, 2, 3, 3, 8, 10), (0, 2, 2, 5, 7, 7), (2, 3, 3, 4, 4, 100)])
def test_nearest_agrees_with_brute_force_for_six_tiles(rules: Rules, tiles: Sequence[int]) -> None:
    rng = Random(6)
    fewest = _count_fewest_operations(tiles, rules)
    for target in [*range(1001), *rng.sample(sorted(fewest), 200)]:
        _assert_best(tiles, target, rules, fewest)


@pytest.mark.parametrize(
    ("tiles", "target", "rules", "value", "operations"),
    [
        ((1, 2, 3, 4, 7, 25), 573, COUNTDOWN, 573, 5),
        ((25, 50, 75, 100, 3, 6), 952, COUNTDOWN, 952, 5),
        ((1, 1, 2, 2, 3, 3), 999, COUNTDOWN, 81, 5),
        ((5, 5), 25, COUNTDOWN, 25, 1),
        ((5, 10), 7, COUNTDOWN, 5, 0),
        ((9, 3), 1, COUNTDOWN, 3, 0),
        ((4, 6), 5, COUNTDOWN, 4, 0),
        ((0, 0), 7, COUNTDOWN, 0, 0),
        ((0, 7), 7, CLASSIC, 7, 1),
        ((0, 5, 8), 0, CLASSIC, 0, 2),
        ((0, 1, 2, 3, 4, 5), 0, CLASSIC, 0, 5),
        ((7, 7), 3, CLASSIC, 1, 1),
        ((100,) * 6, 10**12, CLASSIC, 10**12, 5),
        ((1,) * 12, 1000, CLASSIC, 81, 11),
        (tuple(range(1, 21)), 10**20, CLASSIC, 3 * factorial(20) // 2, 19),
        ((3, 5, 7, 11, 13, 17, 19, 23), 23 * 19 * 17 * 13 - 11 * 7 * 5 * 3, CLASSIC, 95422, 7),
    ],
)
def test_known_games_have_known_results(
    tiles: tuple[int, ...], target: int, rules: Rules, value: int, operations: int
) -> None:
    found = nearest(tiles, target, rules)
    assert (found.value, found.distance) == (value, abs(target - value))
    assert found.expression.value == value
    assert len(found.expression.numbers) - 1 == operations


@pytest.mark.parametrize("ones", range(1, 9))
@pytest.mark.parametrize("others", [(), (0,), (2,), (2, 2), (2, 2, 2, 3), (0, 3, 4), (5,)])
def test_largest_value_is_nearest_to_huge_target(ones: int, others: tuple[int, ...]) -> None:
    tiles = (1,) * ones + others
    assert nearest(tiles, 10**30, CLASSIC).value == _find_largest_value(tuple(sorted(tiles)))


@cache
def _find_largest_value(tiles: tuple[int, ...]) -> int:
    """Return the largest sum or product of two parts, by brute force."""
    parts = {part for size in range(1, len(tiles)) for part in combinations(tiles, size)}
    values = [tiles[0]] if len(tiles) == 1 else []
    for part in parts:
        x, y = (
            _find_largest_value(part),
            _find_largest_value(tuple(sorted((Counter(tiles) - Counter(part)).elements()))),
        )
        values += x + y, x * y
    return max(values)


def test_division_must_be_exact_for_its_operands() -> None:
    # 5*7/2*4 is 70, but neither 5/2, 7/2 nor 35/2 is whole, and (5*7*4)/2 is.
    found = nearest((2, 4, 5, 7), 70, CLASSIC)
    assert _evaluate(found.expression, zero=True) == 70
    with pytest.raises(OutOfReachError):
        nearest((2, 7), 4, CLASSIC)


def test_order_of_tiles_does_not_change_result() -> None:
    rng = Random(7)
    for rules in (COUNTDOWN, CLASSIC):
        for _ in range(5):
            tiles, target = rng.sample(TILES, 6), rng.choice(TARGETS)
            found = nearest(tiles, target, rules)
            for _ in range(4):
                again = nearest(rng.sample(tiles, 6), target, rules)
                assert (again, str(again.expression)) == (found, str(found.expression))


def test_hash_seed_does_not_change_result() -> None:
    code = (
        "from solver.nearest import *\n"
        "for target in (573, 574, 9999):\n"
        "    print(*(nearest((1, 2, 3, 4, 7, 25), target, rules) for rules in (COUNTDOWN, CLASSIC)))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    printed = [
        "Nearest(expression=parse('(25*3*2-7)*4+1'), value=573, distance=0)",
        "Nearest(expression=parse('(25*3*2-7)*4+1'), value=573, distance=0)",
        "Nearest(expression=parse('(7*3+2)*25-1'), value=574, distance=0)",
        "Nearest(expression=parse('((3+1)*4+25)*7*2'), value=574, distance=0)",
        *["Nearest(expression=parse('25*7*4*3*(2+1)'), value=6300, distance=3699)"] * 2,
    ]
    assert runs == {
        "".join(f"{one} {other}\n" for one, other in zip(printed[::2], printed[1::2], strict=True))
    }


def test_find_all_values_agrees_with_nearest() -> None:
    for tiles in ((1, 1, 2, 5, 50, 100), (3, 3, 4, 8, 8, 9), (2, 4, 4), (7,)):
        targets = find_all_values(tiles)
        for target in range(1, 1000, 7):
            assert (target in targets) == (nearest(tiles, target).distance == 0)
    assert find_all_values((4, 6)) == {2, 4, 6, 10, 24}


def test_target_below_all_values_is_out_of_reach() -> None:
    with pytest.raises(OutOfReachError, match=r"^these numbers make nothing as small as the target 1$"):
        nearest((3, 9), 1, CLASSIC)


@pytest.mark.parametrize(
    ("numbers", "target", "message"),
    [
        ([], 5, "at least one number is needed, not ()"),
        ([1, -2], 5, "each of the numbers is a whole number, 0 or more, not -2"),
        ([1, 2.0], 5, "each of the numbers is a whole number, 0 or more, not 2.0"),
        ([1, "2"], 5, "each of the numbers is a whole number, 0 or more, not '2'"),
        ([1, 2], -5, "the target is a whole number, 0 or more, not -5"),
        ([1, 2], None, "the target is a whole number, 0 or more, not None"),
    ],
)
def test_error_names_bad_number(numbers: list[int], target: int, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        nearest(numbers, target)
    assert str(caught.value) == message


def test_classic_file_is_read() -> None:
    lines = ["1 2 3 4 7 25 573\r\n", "\n", "  1 1  1 1 1 1 1000\n", "61 75 28 78 97 65 0"]
    assert list(read_draws(lines))[1] == ((1, 1, 1, 1, 1, 1), 1000)
    best = [nearest(*draw, CLASSIC) for draw in list(read_draws(lines))[:2]]
    assert [str(each.expression) for each in best] == ["(25*3*2-7)*4+1", "(1+1+1)*(1+1+1)"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2 3 4 7 25", "line 2: six numbers and a target are needed: '1 2 3 4 7 25'"),
        ("1 2 3 4 7 25 50 573", "line 2: six numbers and a target are needed: '1 2 3 4 7 25 50 573'"),
        ("1 2 3 4 7 -25 573", "line 2: whole numbers are needed, 0 or more, not '-25'"),
        ("1 2 3 4 7 K 573", "line 2: whole numbers are needed, 0 or more, not 'K'"),
        ("1 2 3 4 7 ２５ 573", "line 2: whole numbers are needed, 0 or more, not '２５'"),
    ],
)
def test_error_names_bad_line(line: str, message: str) -> None:
    draws = read_draws(["1 2 3 4 7 25 573", line])
    assert next(draws) == ((1, 2, 3, 4, 7, 25), 573)
    with pytest.raises(ValueError) as caught:
        list(draws)
    assert str(caught.value) == message
