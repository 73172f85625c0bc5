"""Kinds of wrong answers, and the skills that a pupil lacks."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean

import pytest

from bench import weaknesses as bench
from bot.games.expressions.game import check_expression
from bot.games.twentyfour import skills
from bot.modes.classroom import diagnosis
from bot.modes.classroom.diagnosis import (
    DIVISION,
    FRACTION,
    ORDER,
    SUBTRACTION,
    Mistake,
    PlayedHand,
    classify_mistake,
    compute_score,
    find_weaknesses,
)


def classify(text: str, numbers: Sequence[int]) -> Mistake:
    return classify_mistake(check_expression(text, numbers, 24), text, Fraction(24))


@pytest.mark.parametrize(
    ("text", "numbers", "mistake"),
    [
        ("3 + 8 + 3 + 8", (3, 3, 8, 8), Mistake.VALUE),
        ("3 × 8", (3, 3, 8, 8), Mistake.NUMBERS),
        ("8 / (3 - 3) + 8", (3, 3, 8, 8), Mistake.UNREADABLE),
        ("I give up", (3, 3, 8, 8), Mistake.UNREADABLE),
        ("1 + 1 + 6 × 3", (1, 1, 3, 6), Mistake.ORDER),  # From left to right
        ("8 / 3 - 8 / 3", (3, 3, 8, 8), Mistake.ORDER),  # 8/(3-8/3)
        ("4 × 8 - 2 × 1", (1, 2, 4, 8), Mistake.ORDER),  # 4×(8-2)×1
        ("(2 - 8) × 4 × 1", (1, 2, 4, 8), Mistake.SIGN),  # Minus 24
        ("20 + 6 + 2 + 0", (0, 2, 6, 20), Mistake.SIGN),  # 20+6-2
        ("20 + (2 - 6) × 1", (1, 2, 6, 20), Mistake.SIGN),  # 6-2 turned round, without its brackets
        ("30 - 1 - 2 + 3", (1, 2, 3, 30), Mistake.SIGN),
        ("8 × (8 / 3) × 1", (1, 3, 8, 8), Mistake.FRACTION),  # 8/3 taken for 3
        ("4 × (2 / 6) × 2", (2, 2, 4, 6), Mistake.FRACTION),  # 6/2 turned round
        ("7 / 2 × 2 × 4", (2, 2, 4, 7), Mistake.FRACTION),  # 28, but 7/2 taken for 3
        ("5 / 2 + 7 + 1", (1, 2, 5, 7), Mistake.FRACTION),  # Not whole
    ],
)
def test_wrong_answers_have_a_kind(text: str, numbers: Sequence[int], mistake: Mistake) -> None:
    assert classify(text, numbers) is mistake


def test_keys_of_skills_are_those_of_the_game() -> None:
    assert {FRACTION, SUBTRACTION, DIVISION} == {skills.FRACTION, skills.SUBTRACTION, skills.DIVISION}


def play(
    *needed: str, solved: bool = True, seconds: float = 20, hints: int = 0, mistake: Mistake | None = None
) -> PlayedHand:
    mistakes = {} if mistake is None else {mistake: 1}
    return PlayedHand(frozenset(needed), solved, seconds, 10, mistakes, hints, solved_share=0.7)


SOLVED = [play() for _ in range(11)]


def test_a_pupil_who_solves_most_hands_lacks_nothing() -> None:
    assert find_weaknesses([]) == ()
    assert find_weaknesses(SOLVED) == ()
    assert find_weaknesses([*SOLVED, play(SUBTRACTION, solved=False), play(FRACTION)]) == ()


@pytest.mark.parametrize(
    "trouble",
    [
        play(SUBTRACTION, solved=False),
        play(SUBTRACTION, hints=1),
        play(SUBTRACTION, seconds=100),
        play(SUBTRACTION, mistake=Mistake.SIGN),
    ],
    ids=["unsolved", "with hints", "slow", "after a wrong sign"],
)
def test_trouble_with_each_hand_that_needs_a_skill_names_it(trouble: PlayedHand) -> None:
    assert find_weaknesses([*SOLVED, *[trouble] * 4]) == (SUBTRACTION,)


def test_trouble_with_every_hand_names_no_skill() -> None:
    unsolved = [play(solved=False) for _ in range(10)]
    assert find_weaknesses([play(), *unsolved, *[play(SUBTRACTION, solved=False)] * 4]) == ()


def test_one_hand_is_no_proof() -> None:
    failed = play(SUBTRACTION, solved=False, mistake=Mistake.SIGN)
    assert find_weaknesses([*SOLVED, *[play(SUBTRACTION)] * 3, failed]) == ()
    assert find_weaknesses([*SOLVED, failed]) == ()


def test_hard_hands_prove_less_than_easy_ones() -> None:
    def compute(share: float | None, expected: float) -> float:
        failed = PlayedHand(frozenset({FRACTION}), False, 120, expected, {}, solved_share=share)
        return compute_score(FRACTION, [*SOLVED, *[failed] * 2])

    assert compute(0.2, expected=10) < compute(0.8, expected=10)
    assert compute(None, expected=60) < compute(None, expected=6)


def test_brackets_forgotten_in_several_hands_name_the_order_of_operations() -> None:
    forgotten = [play(mistake=Mistake.ORDER) for _ in range(5)]
    assert find_weaknesses([*SOLVED, *forgotten]) == (ORDER,)


def test_the_same_mistake_in_one_hand_counts_once() -> None:
    often = PlayedHand(frozenset(), True, 20, 10, {Mistake.ORDER: 6})
    assert find_weaknesses([*SOLVED, often]) == ()


def test_trouble_with_fractions_is_no_trouble_with_division() -> None:
    fractions = [play(FRACTION, DIVISION, solved=False) for _ in range(4)]
    divisions = [play(DIVISION, solved=False) for _ in range(4)]
    assert find_weaknesses([*SOLVED, *fractions]) == (FRACTION,)
    assert find_weaknesses([*SOLVED, *divisions]) == (DIVISION,)
    assert find_weaknesses([*SOLVED, *fractions, *divisions]) == (DIVISION,)


def test_a_skill_explains_the_results_of_hands_that_need_another_too() -> None:
    shared = [play(FRACTION, SUBTRACTION, solved=False) for _ in range(3)]
    fractions = [play(FRACTION, solved=False) for _ in range(2)]
    assert find_weaknesses([*SOLVED, *shared, *fractions, play(SUBTRACTION)]) == (FRACTION,)


def test_the_clearest_skill_comes_first() -> None:
    subtractions = [play(SUBTRACTION, solved=False) for _ in range(3)]
    fractions = [play(FRACTION, solved=False, mistake=Mistake.FRACTION) for _ in range(4)]
    assert find_weaknesses([*SOLVED, *subtractions, *fractions]) == (FRACTION, SUBTRACTION)


def test_every_skill_has_a_bar() -> None:
    assert diagnosis.CAUTION.keys() == diagnosis.SKILLS.keys()


@pytest.mark.parametrize(("lesson", "weakness"), [("4 subtractions", SUBTRACTION), ("4 fractions", FRACTION)])
@pytest.mark.parametrize("way", ["blind", "errs"])
def test_planted_weaknesses_are_found(lesson: str, weakness: str, way: str) -> None:
    outcomes = bench.simulate(lesson, weakness, way, knows_class=True, pupils=99)
    assert fmean(map(bench.is_found, outcomes)) > 0.85
    assert fmean(map(bench.has_wrong_name, outcomes)) < 0.05


@pytest.mark.parametrize("lesson", bench.LESSONS)
def test_few_pupils_without_a_weakness_get_a_name(lesson: str) -> None:
    outcomes = bench.simulate(lesson, None, "errs", knows_class=True, pupils=300)
    assert fmean(map(bench.has_wrong_name, outcomes)) <= 0.1
