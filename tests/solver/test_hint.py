from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest

from solver import Expression, ExpressionError, parse
from solver.difficulty import compute_costs
from solver.hint import BOX, KEPT_BACK, Intermediate, LastOperation, Skeleton, hints
from solver.search import solve


def draw_hands(seed: int, most: int) -> list[tuple[int, ...]]:
    """Draw random hands of three to five cards that make 24."""
    rng, found = Random(seed), list[tuple[int, ...]]()
    while len(found) < most:
        hand = tuple(rng.randint(1, 13) for _ in range(rng.choice([3, 4, 4, 4, 5])))
        if next(solve(hand), None):
            found.append(hand)
    return found


HANDS = [
    *draw_hands(seed=1, most=40),
    (3, 3, 8, 8),
    (5, 5, 6, 8),
    (6, 6, 6, 6),
    (3, 3, 3, 3),
    (1, 1, 3, 8),
    (2, 3, 4),
]


def get_three_hints(
    numbers: tuple[int, ...], target: int = 24
) -> tuple[LastOperation, Intermediate, Skeleton]:
    found = hints(numbers, target)
    assert len(found) == 3
    return found


def fill_in(skeleton: str, numbers: tuple[int, ...], ops: str = "+-*/") -> set[str]:
    """Return every text that fits a skeleton."""
    found = set[str]()
    for order in set(permutations(numbers)):
        for op in product(ops, repeat=skeleton.count(KEPT_BACK)):
            text = skeleton
            for number in order:
                text = text.replace(BOX, str(number), 1)
            found.add(text.replace(KEPT_BACK, "".join(op)))
    return found


def parse_if_24(text: str) -> Expression | None:
    try:
        expression = parse(text)
    except ExpressionError:
        return None
    return expression if expression.value == 24 else None


@pytest.mark.parametrize("numbers", HANDS)
def test_hints_describe_one_solution(numbers: tuple[int, ...]) -> None:
    last, middle, skeleton = get_three_hints(numbers)
    meant = [e for e in map(parse_if_24, fill_in(skeleton.text, numbers)) if e and e.op == last.op]
    assert any(
        part is not e and part.value == middle.value and Counter(part.numbers) == Counter(middle.numbers)
        for e in meant
        for part in e.walk()
        if part.op
    )


@pytest.mark.parametrize("numbers", HANDS)
def test_hints_do_not_reveal_solution(numbers: tuple[int, ...]) -> None:
    last, middle, skeleton = get_three_hints(numbers)
    assert last.op in "+-*/"
    assert 2 <= len(middle.numbers) < len(numbers)
    assert not any(sign.isdigit() for sign in skeleton.text)
    assert skeleton.text.count(BOX) == len(numbers)
    texts = fill_in(skeleton.text, numbers)
    assert not all(map(parse_if_24, texts)), "any way to fill in the skeleton would win"


def test_hints_come_from_vague_to_precise() -> None:
    assert [type(hint) for hint in hints([3, 3, 8, 8])] == [LastOperation, Intermediate, Skeleton]


def test_hints_of_3_8_3_8() -> None:
    last, middle, skeleton = get_three_hints((3, 8, 3, 8))
    assert last == LastOperation("/")
    assert middle == Intermediate(Fraction(8, 3), (3, 8))
    assert skeleton.text == "□/(□-□/□)"


def test_skeleton_hides_operation_if_numbers_are_interchangeable() -> None:
    assert hints([5, 5, 6, 8])[2:] == (Skeleton("□○□+□+□"),)
    assert hints([6, 6, 6, 6])[2:] == (Skeleton("□○□+□+□"),)


@pytest.mark.parametrize("numbers", [[24], [3, 8], [12, 12]])
def test_one_or_two_cards_have_no_hints(numbers: list[int]) -> None:
    assert hints(numbers) == ()


def test_order_of_cards_does_not_change_hints() -> None:
    assert len({hints(order) for order in permutations((2, 4, 8, 10))}) == 1


def test_hints_for_other_target() -> None:
    last, middle, skeleton = get_three_hints((1, 2, 3, 4, 7, 25), 573)
    assert last == LastOperation("-")
    assert middle == Intermediate(Fraction(4), (1, 3))
    assert skeleton.text == "□*(□+□*(□+□))-□"


def test_hand_without_solution_is_refused() -> None:
    with pytest.raises(ValueError, match="no solution"):
        hints([1, 1, 1, 1])


@pytest.mark.parametrize("numbers", [(1, 2, 3, 5), (2, 4, 8, 10)])
def test_hints_describe_what_is_not_found(numbers: tuple[int, ...]) -> None:
    easiest_first = [idea.solution for idea in sorted(compute_costs(numbers), key=lambda idea: idea.cost)]
    for found, solution in enumerate(easiest_first):
        first = next(iter(hints(numbers, found=easiest_first[:found])))
        assert isinstance(first, LastOperation)
        assert first.op == solution.op
    assert hints(numbers, found=easiest_first) == ()
