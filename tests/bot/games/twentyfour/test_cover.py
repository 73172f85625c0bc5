"""What gives a hand away, and what doesn't."""

import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

import solver
from bot.games.twentyfour.cover import Question, covers, gives_away, listed, lists, parts, question

LIVE = question((3, 8, 3, 8), 24)


@pytest.mark.parametrize(
    ("numbers", "target", "hand"),
    [
        ((8, 3, 8, 3), 24, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 0), 24, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 1), 24, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 1), 25, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 1), 23, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 2), 12, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 2), 48, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 48), 2, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 24), 0, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 24), 1, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 0), 0, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 5, 5), 24, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 5, 7), 36, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 5, 7, 13), 49, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 1, 2, 3, 4, 5, 6), 999_983, (3, 8, 3, 8)),
        ((2, 4, 8), 14, (2, 4, 8, 10)),
        ((2, 4, 8), 34, (2, 4, 8, 10)),
        ((2, 4, 8, 1), 14, (2, 4, 8, 10)),
        ((2, 4, 8, 10), 4, (2, 4, 8, 10)),
        ((2, 4, 8, 0, 0, 1, 1), 14, (2, 4, 8, 10)),
        ((2, 4, 8, 100_003, 200_003, 300_007, 400_009), 1_000_036, (2, 4, 8, 10)),
        ((2, 4, 8, 101, 103, 107, 109), 14 * 101 * 103 * 107 * 109, (2, 4, 8, 10)),
        ((2, 3, 4), 24, (1, 2, 3, 4)),
        ((2, 3, 4), 24, (1, 1, 2, 3, 4)),
        ((4, 6, 2, 5), 24, (4, 6, 2, 5, 0)),
    ],
)
def test_what_gives_a_hand_away(numbers: Sequence[int], target: int, hand: Sequence[int]) -> None:
    assert covers(question(numbers, target), question(hand, 24))


@pytest.mark.parametrize(
    ("numbers", "target", "hand"),
    [
        ((3, 8, 3, 8), 25, (3, 8, 3, 8)),
        ((3, 8, 3, 8), 22, (3, 8, 3, 8)),
        ((3, 8, 3, 8, 2), 24, (3, 8, 3, 8)),
        ((3, 8, 3, 9), 24, (3, 8, 3, 8)),
        ((3, 3, 8), 24, (3, 8, 3, 8)),
        ((1, 2, 3, 4, 7, 25), 573, (3, 8, 3, 8)),
        ((8, 3), 24, (3, 8, 3, 8)),
        ((2, 4), 8, (2, 4, 3)),
        ((2, 4, 8), 15, (2, 4, 8, 10)),
        ((24,), 24, (3, 8, 3, 8)),
        ((1, 2, 3, 4, 5, 6, 7, 9), 573, (8, 8, 3, 10)),
    ],
)
def test_what_does_not(numbers: Sequence[int], target: int, hand: Sequence[int]) -> None:
    assert not covers(question(numbers, target), question(hand, 24))


def _holds(expression: solver.Expression, hand: Question) -> bool:
    """Whether a part stands in it, as written, that is a solution of the hand."""
    inner = [part for part in expression.walk() if part.op]
    return any(Counter(p.numbers) == Counter(hand.numbers) and p.value == hand.target for p in inner)


@pytest.mark.parametrize("hands", [8, pytest.param(60, marks=pytest.mark.long)])
def test_no_solution_that_is_shown_holds_one_of_a_hand_unless_it_was_seen_to(hands: int) -> None:
    rng, held = Random(24), 0
    for _ in range(hands):
        hand = solver.deal(rng)
        live = question(hand.numbers, hand.target)
        numbers = (*hand.numbers, *(rng.randrange(4) for _ in range(rng.randrange(3))))
        for target in (24, 25, 12, 48, rng.randrange(60)):
            shown = any(_holds(idea, live) for idea in solver.ideas(numbers, target, limit=60))
            held += shown
            assert covers(question(numbers, target), live) or not shown, (numbers, target, live)
    print(f"{held} of {hands * 5} lists held a solution of the hand; each question was known to give it away")
    assert held >= hands


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("8/(3-8/3)", True),
        ("8/(3-8/3)+0", True),
        ("5*(8/(3-8/3)-2)+7", True),
        ("1+2+4+5+6+7+9*(8/(3-8/3))", True),
        ("(8/(3-8/3)+100)*7-1", True),
        ("3-8/3", True),
        ("8/(1*(3-8/3))", True),
        ("8*3-8/3", False),
        ("3*8+3-8", False),
        ("8/3", False),
        ("(1+2)*8", False),
    ],
)
def test_expressions_that_hold_a_solution(text: str, leaks: bool) -> None:
    assert gives_away(parts(solver.parse(text)), LIVE) is leaks


def test_what_an_expression_answers_comes_first() -> None:
    first, *_ = parts(solver.parse("8/(3-8/3)-50"))
    assert first == question((3, 3, 8, 8, 50), Fraction(26))


@pytest.mark.long
def test_it_takes_no_time() -> None:
    hands = [question(solver.deal(Random(seed)).numbers, 24) for seed in range(300)]
    before = time.process_time()
    for numbers in ((3, 8, 3, 8, 1), (1, 2, 3, 4, 7, 25), tuple(range(1, 11))):
        asked = [question(numbers, 573)]
        for hand in hands:
            gives_away(asked, hand)
    took = time.process_time() - before
    print(f"900 comparisons in {took * 1000:.0f} ms")
    assert took < 5


def test_what_others_read_is_held_against_them_only_where_it_is_sure() -> None:
    many = question((1, 2, 3, 3, 4, 5, 6, 8, 8), 24)
    assert covers(many, LIVE)
    assert not covers(many, LIVE, sure=True)
    for numbers, target in (((3, 8, 3, 8), 24), ((3, 8, 3, 8, 1, 5), 30)):
        assert covers(question(numbers, target), LIVE, sure=True)
    assert lists(listed(("1+2+4-5-6+4+8/(3-8/3)",)), LIVE)
    assert lists(listed(("(3-8/3)*24*(5+6)",)), LIVE)
    assert not lists(
        listed(
            (
                "1+2+3*8",
                "8*3-8/3",
            )
        ),
        LIVE,
    )


@pytest.mark.parametrize(
    ("asked", "target", "expected"),
    [
        ((9, 24, 3), 1, True),
        ((15, 40, 3), Fraction(5, 3), True),
        ((9, 24, 5), 1, False),
        ((5, 8, 2), 24, False),
    ],
)
def test_a_step_that_leads_to_a_hand_gives_it_away_scaled_as_well(
    asked: tuple[int, ...], target: Fraction | int, expected: bool
) -> None:
    """`9-24/3` is `3-8/3`, three times greater."""
    shown = [str(idea) for idea in solver.ideas(asked, target)] if isinstance(target, int) else ["15-40/3"]
    gives = gives_away([question(asked, target, shown)], LIVE)
    assert gives is expected
