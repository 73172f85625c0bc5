"""Skills that hands need, and hands drawn for a skill."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.rules import Hand
from bot.i18n import get_words, list_languages
from bot.rounds.puzzle import PracticeWish, Strength


@pytest.mark.parametrize(
    ("numbers", "target", "needed"),
    [
        ((3, 8, 3, 8), 24, {"division", "fraction", "subtraction"}),
        ((6, 6, 6, 6), 24, set()),
        ((8, 9, 10, 7), 24, {"division", "subtraction"}),
        ((7, 10, 6, 13), 24, {"subtraction"}),
        ((1, 2, 3, 4), 36, {"target"}),
        ((6, 8, 1, 1), 49, {"target"}),
        ((5, 10, 1, 1), 50, {"large"}),
        ((10, 10, 1, 1), 100, {"large"}),
        ((1, 1, 1, 10, 11), 24, {"cards"}),
    ],
)
def test_skills_of_a_hand_are_found(numbers: tuple[int, ...], target: int, needed: set[str]) -> None:
    assert skills.find_skills(dealing.build_hand(numbers, target)) == needed


@given(st.lists(st.integers(1, 13), min_size=4, max_size=4))
def test_needed_skill_is_in_every_idea(numbers: list[int]) -> None:
    ideas = tuple(str(idea) for idea in solver.ideas(numbers))
    found = skills.find_skills(Hand(tuple(numbers), 24, "easy", 9.0, ideas))
    whole = [all(p.value.denominator == 1 for p in solver.parse(idea).walk()) for idea in ideas]
    assert ("division" in found) == (bool(ideas) and not any("/" not in idea for idea in ideas))
    assert ("subtraction" in found) == (bool(ideas) and not any("-" not in idea for idea in ideas))
    assert ("fraction" in found) == (bool(ideas) and not any(whole))


AVERAGE = Strength(0.0, {})


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("skill", skills.SKILLS)
@pytest.mark.parametrize("chance", [0.3, 0.95])
def test_hand_is_drawn_for_a_wish(skill: str, chance: float) -> None:
    wish = PracticeWish(skill, chance, AVERAGE, avoided=frozenset({"cards"}) - {skill})
    hand = dealing.draw_practice_hand(7, wish, 20.0)
    assert skill in skills.find_skills(hand)
    numbers = tuple(sorted(hand.numbers))
    other = dealing.draw_practice_hand(7, replace(wish, excluded=frozenset({numbers})), 20.0)
    assert tuple(sorted(other.numbers)) != numbers
    if skill in ("subtraction", "target", "large"):
        assert wish.measure_distance(hand.expected, skills.find_skills(hand)) <= dealing.NEAR_ENOUGH


def test_hand_does_not_need_an_avoided_skill() -> None:
    wish = PracticeWish("division", 0.7, AVERAGE, avoided=frozenset({"subtraction"}))
    assert "subtraction" not in skills.find_skills(dealing.draw_practice_hand(7, wish, 20.0))


def test_search_for_a_skill_without_time_raises() -> None:
    with pytest.raises(ValueError, match="in time"):
        dealing.draw_practice_hand(7, PracticeWish("fraction", 0.5, AVERAGE), 0.0)


@pytest.mark.parametrize("language", list_languages())
def test_names_and_advice_differ_and_are_one_line(language: str) -> None:
    words, practice = get_words(language), TwentyFour.practice
    names = [practice.get_skill_name(words, skill) for skill in practice.skills]
    assert len({name.casefold() for name in names}) == len(names)
    assert len({practice.render_advice(words, skill) for skill in practice.skills}) == len(names)
    assert all("\n" not in practice.render_advice(words, skill) for skill in practice.skills)
