"""Expressions in which a hand's solution stands with parts in the place of its numbers."""

import time
from fractions import Fraction
from random import Random

import pytest

import solver
from bot.games.twentyfour.cover import gives_away, question
from bot.games.twentyfour.disguise import hides


@pytest.mark.parametrize(
    ("idea", "hand"),
    [
        ("6/(7/7-6/8)", (1, 6, 6, 8)),
        ("6/(7/7-6/8)+5-5", (1, 6, 6, 8)),
        ("5*(5-5/5/5)", (1, 5, 5, 5)),
        ("(7*7-7/7)/2", (1, 2, 7, 7)),
        ("(8*(13-3)-8)/3", (3, 8, 8, 10)),
        ("2+13+4-3+8", (2, 4, 8, 10)),
        ("(4*2)/(3-8/(1+2))", (3, 3, 8, 8)),
        ("(9-1)/(5-2-(10-2)/(6/2))", (3, 3, 8, 8)),
        ("8/(3-8/(6/2))", (3, 3, 8, 8)),
        ("100+6/(7/7-6/8)", (1, 6, 6, 8)),
        ("3*6/(7/7-6/8)", (1, 6, 6, 8)),
    ],
)
def test_a_solution_in_disguise(idea: str, hand: tuple[int, ...]) -> None:
    assert hides((idea,), hand, Fraction(24))


@pytest.mark.parametrize(
    ("idea", "hand"),
    [
        ("6*8-(7-6/7)", (1, 6, 6, 8)),
        ("6+8+6+7-7", (1, 6, 6, 8)),
        ("24*7/7", (1, 6, 6, 8)),
        ("6/(7/7-6/9)", (1, 6, 6, 8)),
        ("24", (24,) * 2),
    ],
)
def test_none(idea: str, hand: tuple[int, ...]) -> None:
    assert not hides((idea,), hand, Fraction(24))


@pytest.mark.parametrize(
    ("numbers", "hand"),
    [
        ((6, 6, 8, 7, 7), (1, 6, 6, 8)),
        ((5, 5, 5, 5, 5), (1, 5, 5, 5)),
        ((8, 8, 3, 13, 3), (3, 8, 8, 10)),
        ((7, 7, 2, 7, 7), (1, 2, 7, 7)),
    ],
)
def test_what_is_shown_belongs_to_the_question(numbers: tuple[int, ...], hand: tuple[int, ...]) -> None:
    ideas = tuple(str(idea) for idea in solver.ideas(numbers, 24, limit=60))
    live = question(hand, 24)
    assert gives_away([question(numbers, 24, ideas)], live)
    assert gives_away([question(numbers, 24, ideas)], live, sure=True)
    assert question(numbers, 24, ideas) == question(numbers, 24)


@pytest.mark.parametrize(
    "text", ["+".join("1" * 32), "1+(1-" * 10 + "1" + ")" * 10, "*".join("2" * 12), "/".join("9" * 12)]
)
def test_no_expression_takes_long(text: str) -> None:
    before = time.process_time()
    hides((text,), (1, 1, 2, 2), Fraction(4))
    took = time.process_time() - before
    print(f"{text[:20]}…: {took * 1000:.0f} ms")
    assert took < 2


@pytest.mark.long
def test_it_takes_little_time() -> None:
    hands = [question(solver.deal(Random(seed)).numbers, 24) for seed in range(100)]
    for numbers in ((6, 6, 8, 7, 7), (1, 2, 3, 4, 5, 6)):
        ideas = tuple(str(idea) for idea in solver.ideas(numbers, 24, limit=60))
        before = time.process_time()
        found = sum(hides(ideas, hand.numbers, hand.target) for hand in hands)
        took = time.process_time() - before
        print(f"{len(ideas)} ideas of {numbers} hide {found} of 100 hands, told in {took * 1000:.0f} ms")
        assert took < 5
    long = "+".join(map(str, range(1, 11)))
    before = time.process_time()
    hides((long,) * 60, (1, 2, 3, 49), Fraction(55))
    took = time.process_time() - before
    print(f"the longest sum, 60 times: {took * 1000:.0f} ms")
    assert took < 5
