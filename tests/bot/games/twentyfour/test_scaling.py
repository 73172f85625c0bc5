"""Expressions in which a hand's solution stands with scaled numbers."""

import time
from fractions import Fraction
from random import Random

import pytest

import solver
from bot.games.twentyfour.cover import gives_away, parts, question
from bot.games.twentyfour.scaling import scales


@pytest.mark.parametrize(
    ("idea", "hand"),
    [
        ("50*(5-10/50)", (1, 5, 5, 5)),
        ("16/(6-16/3)", (3, 3, 8, 8)),
        ("80/(30-80/3)", (3, 3, 8, 8)),
        ("60/(1-30/40)", (1, 3, 4, 6)),
        ("12/(2-6/4)", (1, 3, 4, 6)),
        ("20+40+80+100", (2, 4, 8, 10)),
        ("1+2+4+5", (2, 4, 8, 10)),
        ("7+60/(1-30/40)", (1, 3, 4, 6)),
        ("50*1*(5-10/50)", (1, 5, 5, 5)),
        ("88/(33-88/3)", (3, 3, 8, 8)),
        ("160/(60-160/3)", (3, 3, 8, 8)),
        ("136/(51-136/3)", (3, 3, 8, 8)),
        ("96/(36-96/3)", (3, 3, 8, 8)),
        ("400/(150-400/3)", (3, 3, 8, 8)),
        ("80000/(30000-80000/3)", (3, 3, 8, 8)),
        ("24/(6-80/15)", (3, 3, 8, 8)),
        ("6/(1-33/44)", (1, 3, 4, 6)),
        ("6/(1-75/100)", (1, 3, 4, 6)),
        ("18/(1-6/8)", (1, 3, 4, 6)),
        ("42/(2-30/20)", (1, 3, 4, 6)),
        ("22+44+88+110", (2, 4, 8, 10)),
        ("55*(5-11/55)", (1, 5, 5, 5)),
        ("6/(1-300/400)*1*1", (1, 3, 4, 6)),
        ("7+9*42/(2-30/20)", (1, 3, 4, 6)),
    ],
)
def test_a_scaled_solution(idea: str, hand: tuple[int, ...]) -> None:
    assert scales((idea,), hand, Fraction(24))
    assert gives_away(parts(solver.parse(idea)), question(hand, 24))


@pytest.mark.parametrize(
    ("idea", "hand"),
    [
        ("800/10/(30-80/3)", (3, 3, 8, 8)),
        ("88/(33-88*7/21)", (3, 3, 8, 8)),
        ("800/10/(30-800/10/3)", (3, 3, 8, 8)),
        ("6/(1-1*300/400)*1", (1, 3, 4, 6)),
        ("20+130+40-30+80", (2, 4, 8, 10)),
        ("55*(3+2-11/55)", (1, 5, 5, 5)),
        ("80/(35-5-880/11/3)", (3, 3, 8, 8)),
        ("42/(2-3*10/20)", (1, 3, 4, 6)),
        ("(20*20-2*8)/8", (4, 4, 10, 10)),
        ("(100*100-10*40)/40", (4, 4, 10, 10)),
        ("(20*20-8-8)/16", (4, 4, 10, 10)),
        ("(20*20-(17-1))/16", (4, 4, 10, 10)),
        ("(20*20-2*8)/(2*8)", (4, 4, 10, 10)),
        ("(20*30-2*12)/(6*4)", (4, 4, 10, 10)),
        ("(16*20-2*16)/6", (3, 8, 8, 10)),
        ("(21*21-3*3)/6", (1, 2, 7, 7)),
    ],
)
def test_a_scaled_solution_in_disguise(idea: str, hand: tuple[int, ...]) -> None:
    assert scales((idea,), hand, Fraction(24))
    assert gives_away([question(solver.parse(idea).numbers, 0, [idea])], question(hand, 24))


@pytest.mark.parametrize(
    ("idea", "hand"),
    [
        ("24/(6-80/14)", (3, 3, 8, 8)),
        ("88/(33-88/4)", (3, 3, 8, 8)),
        ("800/10/(30-70/3)", (3, 3, 8, 8)),
        ("800/10/(60-160/3)", (3, 3, 8, 9)),
        ("30+130+40-30+80", (2, 4, 8, 10)),
        ("1*2*3*4", (1, 2, 2, 6)),
        ("2*2*4*6", (1, 4, 6, 12)),
        ("5*7-9-2", (2, 4, 8, 10)),
        ("5+5+5+9", (2, 4, 8, 10)),
        ("17*(5-1/50)", (1, 5, 5, 5)),
        ("80/(3-8/3)", (3, 3, 8, 9)),
        ("20+4+80+10", (2, 4, 8, 10)),
        ("3*(7+1)", (3, 3, 8, 8)),
        ("0*20+4+80", (0, 2, 4, 8)),
        ("1-1", (3, 3, 8, 8)),
        ("8*(3-3)*8", (3, 3, 8, 8)),
    ],
)
def test_none(idea: str, hand: tuple[int, ...]) -> None:
    assert not scales((idea,), hand, Fraction(24))


def test_zeros_are_scaled_by_anything_and_only_zeros() -> None:
    assert scales(("20+40+180+0",), (0, 2, 4, 18), Fraction(24))
    assert not scales(("20+40+180+1",), (0, 2, 4, 18), Fraction(24))
    assert not scales(("20+40+180+0",), (1, 2, 4, 18), Fraction(24))


def test_who_comes_across_scaled_numbers_sees_nothing_in_them() -> None:
    asked, hand = parts(solver.parse("16/(6-16/3)")), question((3, 8, 3, 8), 24)
    assert gives_away(asked, hand)
    assert not gives_away(asked, hand, sure=True)
    assert not gives_away(asked, hand, scaled=False)


@pytest.mark.parametrize("questions", [60, pytest.param(400, marks=pytest.mark.long)])
def test_ordinary_questions_are_hardly_ever_refused_for_it(questions: int) -> None:
    rng = Random(24)
    hands = [question(solver.deal(rng).numbers, 24) for _ in range(100)]
    refused, slowest, before = 0, 0.0, time.process_time()
    for number in range(questions):
        numbers = [rng.randint(1, 13) for _ in range(4)] if number % 2 else solver.deal(rng).numbers
        ideas = tuple(str(idea) for idea in solver.ideas(numbers, 24, limit=60))
        plain, shown = question(numbers, 24), question(numbers, 24, ideas)
        began = time.process_time()
        refused += sum(gives_away([shown], hand) and not gives_away([plain], hand) for hand in hands)
        slowest = max(slowest, time.process_time() - began)
    asked = questions * len(hands)
    each = (time.process_time() - before) / asked
    print(
        f"{refused} of {asked} newly refused ({refused / asked:.2%}); {each * 1e6:.0f} µs each with solving"
    )
    print(f"the slowest list against {len(hands)} hands: {slowest * 1000:.0f} ms")
    assert refused < asked / 100
    assert slowest < 2


@pytest.mark.long
def test_it_takes_little_time() -> None:
    hands = [tuple(sorted(solver.deal(Random(seed)).numbers)) for seed in range(100)]
    long = tuple("+".join(str((n * k) % 13 + 1) for n in range(1, 11)) for k in range(1, 61))
    for ideas in (long, tuple(str(i) for i in solver.ideas((1, 2, 3, 4, 5, 6), 24, limit=60))):
        before = time.process_time()
        found = sum(scales(ideas, hand, Fraction(24)) for hand in hands)
        took = time.process_time() - before
        print(f"{len(ideas)} ideas scale {found} of 100 hands, told in {took * 1000:.0f} ms")
        assert took < 5
