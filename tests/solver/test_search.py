"""All solutions of a hand: complete, without duplicates, in a fixed order, soon and in bounded memory."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations_with_replacement, islice
from pathlib import Path

import pytest

from solver import form, ideas, parse, solve

from .counting import count_forms
from .enumeration import Forms, list_forms

# The solutions that the C++ program 24GamePro prints for some hands.
PRINTED = json.loads((Path(__file__).parent / "data" / "24gamepro.json").read_text())


def list_texts(numbers: list[int], target: int = 24) -> list[str]:
    return [str(expression) for expression in solve(numbers, target)]


def test_solve_finds_solution_with_fraction() -> None:
    assert list_texts([3, 8, 3, 8]) == ["8/(3-8/3)"]


def test_plainest_solution_comes_first() -> None:
    assert list_texts([3, 3, 3, 8]) == ["3+3*8-3", "3*3*8/3", "3*(3+8-3)", "8*(3+3-3)"]


def test_single_number_is_solution_if_equal_to_target() -> None:
    assert (list_texts([24]), list_texts([5]), list_texts([0], 0)) == (["24"], [], ["0"])


@pytest.mark.long
def test_1362_hands_of_four_cards_have_solution() -> None:
    hands = combinations_with_replacement(range(1, 14), 4)
    assert sum(1 for hand in hands if next(solve(hand), None)) == 1362


WHOLE_NUMBER_WANTED = "a whole number that is not negative is wanted, not"


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], "a hand needs a number"),
        ([1, -2], f"{WHOLE_NUMBER_WANTED} -2"),
        ([True, 2], f"{WHOLE_NUMBER_WANTED} True"),
        ([2.0, 3], f"{WHOLE_NUMBER_WANTED} 2.0"),
    ],
)
def test_solve_refuses_bad_numbers(numbers: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        solve(numbers)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ideas(numbers)


def test_solve_refuses_bad_target_and_limit() -> None:
    with pytest.raises(ValueError, match=f"^{WHOLE_NUMBER_WANTED} -24$"):
        solve([1, 2], -24)
    with pytest.raises(ValueError, match=f"^{WHOLE_NUMBER_WANTED} -1$"):
        solve([1, 2], limit=-1)
    assert [str(expression) for expression in solve([3, 3, 3, 8], limit=2)] == ["3+3*8-3", "3*3*8/3"]
    assert list(ideas([3, 3, 3, 8], limit=0)) == []


def test_order_depends_on_neither_input_order_nor_hash_seed() -> None:
    assert list_texts([2, 4, 8, 10, 1]) == list_texts([10, 1, 8, 4, 2])
    code = "import solver; print([str(e) for e in solver.solve([5, 1, 7, 2, 6], 31)])"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize("count", [8, 9, 12, 50])
def test_first_solutions_of_many_numbers_come_at_once(count: int) -> None:
    found = list(islice(solve(range(1, count + 1)), 5))
    assert len({form(expression) for expression in found}) == 5
    assert all(expression.value == 24 for expression in found)
    assert all(sorted(expression.numbers) == list(range(1, count + 1)) for expression in found)


def test_ideas_lists_one_solution_for_each_idea() -> None:
    assert [str(expression) for expression in ideas([3, 3, 3, 8])] == ["3+3*8-3"]
    assert len(list(ideas([2, 4, 8, 10]))) == 11
    assert list(ideas([3, 8, 3, 8])) == [parse("8/(3-8/3)")]


def assert_complete(
    numbers: Sequence[int], target: int, known: dict[tuple[int, ...], Forms] | None = None
) -> None:
    """Assert that `solve` finds each form that brute force finds, once."""
    forms = list_forms(tuple(numbers), known)
    expected = {key for key, (_, value) in forms.items() if value == target}
    found = [form(expression) for expression in solve(numbers, target)]
    assert len(found) == len(set(found)), (numbers, target)
    assert set(found) == expected, (numbers, target)


def make_random_hand(rng: random.Random, count: int) -> list[int]:
    """Return random numbers among which 0, 1 and repeats are common."""
    return [rng.choice([0, 1, 1, 2, 2, 3, rng.randint(4, 13), rng.randint(4, 13)]) for _ in range(count)]


def choose_targets(rng: random.Random) -> list[int]:
    return [24, 0, 1, rng.randint(2, 100)]


@pytest.mark.parametrize("seed", range(12))
def test_solve_finds_each_form_once(seed: int) -> None:
    rng = random.Random(seed)
    for count in (1, 2, 2, 3, 3):
        hand = make_random_hand(rng, count)
        known: dict[tuple[int, ...], Forms] = {}
        for target in choose_targets(rng):
            assert_complete(hand, target, known)


@pytest.mark.parametrize("hand", [(0, 0, 1, 1), (1, 2, 2, 4), (3, 3, 8, 8)])
def test_solve_finds_each_form_of_four_numbers_once(hand: tuple[int, ...]) -> None:
    assert_complete(hand, 24)
    assert_complete(hand, 2)


@pytest.mark.parametrize(
    ("hand", "target"),
    [
        ((703, 1527371), 24),
        ((2**30 - 35, 1, 0), 0),
        ((2**30 - 34, 2, 2), 24),
        ((536870890, 536870899, 3), 0),
        ((0, 536870890, 536870899, 24), 24),
    ],
)
def test_numbers_near_modulus_are_not_confused(hand: tuple[int, ...], target: int) -> None:
    """The search works modulo 2**30 - 35, where 703*1527371 equals 24 and 536870890+536870899 equals 0."""
    assert_complete(hand, target)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(6))
def test_solve_finds_each_form_of_all_card_hands_once(part: int) -> None:
    """Split into parts to use all cores."""
    for hand in list(combinations_with_replacement(range(1, 14), 4))[part::6]:
        assert_complete(hand, 24)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(("count", "hands"), [(4, 200), (5, 12), (6, 1)])
def test_solve_finds_each_form_of_many_hands_once(count: int, hands: int) -> None:
    rng = random.Random(count)
    for _ in range(hands):
        hand = make_random_hand(rng, count) if count < 6 else [0, 1, 2, 2, 3, 3]
        known: dict[tuple[int, ...], Forms] = {}
        for target in choose_targets(rng):
            assert_complete(hand, target, known)


@pytest.mark.parametrize(
    ("hand", "target"),
    [
        ((1, 2, 3, 4), 10),
        ((5, 8, 10, 7), 1),
        ((1, 2, 3, 4, 5), 24),
        pytest.param((1, 2, 3, 4, 5, 6), 24, marks=pytest.mark.long),
        pytest.param((3, 26, 20, 12, 19, 5), 1, marks=pytest.mark.long),
        pytest.param((2, 3, 5, 7, 9, 11, 14), 24, marks=pytest.mark.long),
        pytest.param((30, 48, 49, 17, 25, 91, 6, 11), 24, marks=[pytest.mark.long, pytest.mark.exhaustive]),
    ],
)
def test_solve_lists_as_many_forms_as_counted(hand: tuple[int, ...], target: int) -> None:
    assert sum(1 for _ in solve(hand, target)) == count_forms(hand, target)


@pytest.mark.parametrize("hand", PRINTED)
def test_solve_finds_solutions_of_24gamepro(hand: str) -> None:
    found = {form(expression) for expression in solve(list(map(int, hand.split())))}
    assert found == {form(parse(text)) for text in PRINTED[hand]}


def test_solve_finds_solution_that_24gamepro_skips() -> None:
    """24GamePro skips pairs of equal value, here 89-23 and the card 66."""
    assert parse("45*(89-23)/(67-34)-66") in list(solve([23, 45, 67, 89, 34, 66]))


@pytest.mark.long
def test_sixteen_hands_need_a_fraction() -> None:
    hands_with_fraction = [
        hand
        for hand in combinations_with_replacement(range(1, 14), 4)
        if (found := [str(expression) for expression in solve(hand)]) and all(map(has_fraction, found))
    ]
    assert hands_with_fraction == [
        (1, 3, 4, 6),
        (1, 4, 5, 6),
        (1, 5, 5, 5),
        (1, 6, 6, 8),
        (1, 8, 12, 12),
        (2, 2, 11, 11),
        (2, 2, 13, 13),
        (2, 3, 5, 12),
        (2, 4, 10, 10),
        (2, 5, 5, 10),
        (2, 7, 7, 10),
        (3, 3, 7, 7),
        (3, 3, 8, 8),
        (4, 4, 7, 7),
        (5, 5, 7, 11),
        (5, 7, 7, 11),
    ]


def has_fraction(text: str) -> bool:
    return "/" in text and any(part.value.denominator > 1 for part in parse(text).walk())


def test_first_solution_of_nine_numbers_is_not_repeated() -> None:
    """A quick search finds it before the full search, which finds it again."""
    found = list(solve([1] * 8 + [2], 17))
    assert len(found) == len(set(found)) == 64


@pytest.mark.long
def test_eight_numbers_keep_memory_bounded() -> None:
    # getrusage would report the memory of the parent process if that is larger.
    code = "import solver; print(sum(1 for _ in solver.solve([30, 48, 49, 17, 25, 91, 6, 11])))"
    code += "; print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, kilobytes = map(int, done.stdout.split())
    assert count == 8064
    assert kilobytes < 100_000
