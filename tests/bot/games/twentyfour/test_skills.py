"""Skills that hands need, and hands drawn for a skill."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.rules import Hand
from bot.i18n import get_words, list_languages
from bot.levels import LEVELS, Level


@pytest.mark.parametrize(
    ("numbers", "target", "needed"),
    [
        ((3, 8, 3, 8), 24, {"division", "fraction", "subtraction", "hard"}),
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
    found = skills.find_skills(dealing.build_hand(numbers, target))
    assert found - {"hard"} == needed - {"hard"}
    assert ("hard" in found) == ("hard" in needed)


@given(st.lists(st.integers(1, 13), min_size=4, max_size=4))
def test_needed_skill_is_in_every_idea(numbers: list[int]) -> None:
    ideas = tuple(str(idea) for idea in solver.ideas(numbers))
    found = skills.find_skills(Hand(tuple(numbers), 24, "easy", 9.0, ideas))
    whole = [all(p.value.denominator == 1 for p in solver.parse(idea).walk()) for idea in ideas]
    assert ("division" in found) == (bool(ideas) and not any("/" not in idea for idea in ideas))
    assert ("subtraction" in found) == (bool(ideas) and not any("-" not in idea for idea in ideas))
    assert ("fraction" in found) == (bool(ideas) and not any(whole))


@pytest.mark.long
@pytest.mark.parametrize("skill", skills.SKILLS)
@pytest.mark.parametrize("level", ["easy", "fiendish"])
def test_hand_is_drawn_for_a_skill_without_excluded_numbers(skill: str, level: Level) -> None:
    wanted = skills.get_practice_level(skill, level)
    hand = dealing.draw_hand_for_skill(7, skill, wanted, (), 20.0)
    assert skill in skills.find_skills(hand)
    assert hand == dealing.draw_hand_for_skill(7, skill, wanted, (), 20.0)
    numbers = tuple(sorted(hand.numbers))
    assert tuple(sorted(dealing.draw_hand_for_skill(7, skill, wanted, (numbers,), 20.0).numbers)) != numbers
    if skill in ("subtraction", "target", "large"):
        assert hand.level == level


def test_search_for_a_skill_without_time_raises() -> None:
    with pytest.raises(ValueError, match="in time"):
        dealing.draw_hand_for_skill(7, "fraction", None, (), 0.0)


def test_hard_hands_are_practised_from_level_hard_on() -> None:
    assert [skills.get_practice_level("hard", level) for level in LEVELS] == [
        "hard",
        "hard",
        "hard",
        "fiendish",
    ]


@pytest.mark.parametrize("language", list_languages())
def test_names_and_advice_differ_and_are_one_line(language: str) -> None:
    words, practice = get_words(language), TwentyFour.practice
    names = [practice.get_skill_name(words, skill) for skill in practice.skills]
    assert len({name.casefold() for name in names}) == len(names)
    assert len({practice.render_advice(words, skill) for skill in practice.skills}) == len(names)
    assert all("\n" not in practice.render_advice(words, skill) for skill in practice.skills)
