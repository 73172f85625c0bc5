"""Weak skills, the next level and progress in practice."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.twentyfour import dealing, skills
from bot.games.twentyfour.rules import Hand
from bot.levels import LEVELS, Level
from bot.modes.practice import rules
from bot.modes.practice.rules import (
    PlayedHand,
    choose_level,
    choose_skill,
    compute_weaknesses,
    find_gain,
    parse_skill,
)
from bot.rounds.puzzle import MAX_ARGUMENT_LENGTH, UnknownWordError

SKILLS = ("division", "fraction", "target")
TIMES = st.none() | st.floats(0.0, 1e5)
HANDS = st.builds(
    PlayedHand,
    st.sets(st.sampled_from(SKILLS)),
    TIMES,
    st.floats(1.0, 600.0),
    st.integers(0, 9),
    st.integers(0, 3),
)


def make_hands(skill: str, seconds: float | None, times: int = 1) -> list[PlayedHand]:
    return [PlayedHand({skill}, seconds, 10.0)] * times


@pytest.mark.long
@given(st.lists(HANDS, max_size=40))
def test_weaknesses_are_bounded_and_zero_without_hands(hands: list[PlayedHand]) -> None:
    weak = compute_weaknesses(hands, SKILLS)
    assert list(weak) == list(SKILLS)
    worst = rules.UNSOLVED_COST + rules.WRONG_COST * rules.MAX_WRONG + rules.HINT_COST * 3
    assert all(rules.MIN_COST <= each <= worst for each in weak.values())
    assert set(compute_weaknesses([], SKILLS).values()) == {0.0}


@pytest.mark.long
@given(st.lists(HANDS, max_size=20), HANDS)
def test_unsolved_hand_never_lowers_a_weakness(hands: list[PlayedHand], hand: PlayedHand) -> None:
    slower = [replace(hand, seconds=None), *hands]
    before, after = compute_weaknesses([hand, *hands], SKILLS), compute_weaknesses(slower, SKILLS)
    assert all(after[skill] >= before[skill] - 1e-9 for skill in SKILLS)


def test_one_unsolved_hand_weighs_less_than_many_slow_ones() -> None:
    hands = [*make_hands("fraction", None), *make_hands("division", 25.0, 8), *make_hands("target", 5.0, 8)]
    weak = compute_weaknesses(hands, SKILLS)
    assert weak["division"] > weak["fraction"] > weak["target"]


def test_player_slow_at_everything_is_equally_weak_in_all_skills() -> None:
    slow = [hand for skill in SKILLS for hand in make_hands(skill, 40.0, 6)]
    weak = compute_weaknesses(slow, SKILLS)
    assert max(weak.values()) - min(weak.values()) < 0.01


def test_earlier_hands_count_less() -> None:
    learned = [*make_hands("division", 5.0, 10), *make_hands("division", 60.0, 10)]
    lost = [*make_hands("division", 60.0, 10), *make_hands("division", 5.0, 10)]
    assert compute_weaknesses(learned, SKILLS)["division"] < compute_weaknesses(lost, SKILLS)["division"]


@given(st.lists(st.floats(-1, 2), min_size=2, max_size=6), st.integers(0, 40))
def test_every_fourth_skill_is_the_second_weakest(costs: list[float], turn: int) -> None:
    weak = {str(place): cost for place, cost in enumerate(costs)}
    ranked = sorted(weak.values(), reverse=True)
    assert weak[choose_skill(weak, turn)] == ranked[turn % 4 == 3]


def test_equally_weak_skills_take_turns() -> None:
    equal = dict.fromkeys(SKILLS, 0.0)
    assert {choose_skill(equal, turn) for turn in range(12)} == set(SKILLS)


def make_practised_hand(
    level: Level, seconds: float | None, hints: int = 0, skill: str = "division"
) -> PlayedHand:
    return PlayedHand({skill}, seconds, 10.0, 0, hints, 1, level)


@pytest.mark.parametrize(
    ("rows", "level"),
    [
        *(
            ([], "medium"),
            ([make_practised_hand("medium", 5)] * 2, "medium"),
            ([make_practised_hand("medium", 5)] * 3, "hard"),
        ),
        *(
            ([make_practised_hand("medium", None)], "medium"),
            ([make_practised_hand("medium", None)] * 2, "easy"),
        ),
        *(
            ([make_practised_hand("easy", None)] * 5, "easy"),
            ([make_practised_hand("fiendish", 5)] * 5, "fiendish"),
        ),
        *(
            ([make_practised_hand("medium", 5, 1)] * 3, "medium"),
            ([make_practised_hand("medium", 11)] * 3, "medium"),
        ),
        *(([*[make_practised_hand("medium", 5)] * 3, *[make_practised_hand("hard", 5)] * 2], "hard"),),
        *(
            ([make_practised_hand("hard", None), make_practised_hand("medium", None)], "medium"),
            ([make_practised_hand("hard", 5)] * 3, "fiendish"),
        ),
    ],
)
def test_level_follows_the_latest_hands(rows: list[PlayedHand], level: Level) -> None:
    assert choose_level(rows) == level


@given(st.lists(st.builds(make_practised_hand, st.sampled_from(LEVELS), TIMES), min_size=1, max_size=12))
def test_level_moves_by_one_at_most(rows: list[PlayedHand]) -> None:
    assert abs(LEVELS.index(choose_level(rows)) - LEVELS.index(rows[-1].level)) <= 1


def make_practised_hands(*seconds: float | None, expected: float = 10.0) -> list[PlayedHand]:
    return [replace(make_practised_hand("medium", each), expected=expected) for each in seconds]


def test_only_a_real_gain_is_found() -> None:
    def gain(*hands: PlayedHand) -> rules.SkillGain | None:
        return find_gain("division", hands)

    real = gain(*make_practised_hands(48, 50, 44, 60, 30, 31, 33, 29, 20, 40))
    assert real == rules.SkillGain("division", (5, 5), (48, 31))
    assert gain(*make_practised_hands(48, 20, 44, 25, 31, 31, 33, 29, 50, 20)) is None
    assert gain(*make_practised_hands(*[9] * 9)) is None
    easier = [
        *make_practised_hands(48, 50, 44, 60, 30, expected=40),
        *make_practised_hands(31, 33, 29, 20, 40, expected=10),
    ]
    assert gain(*easier) is None
    found = gain(*make_practised_hands(None, None, None, 40, None, 31, 33, 29, 20, 40))
    assert found == rules.SkillGain("division", (1, 5), None)


@given(st.lists(TIMES, min_size=10, max_size=10))
def test_there_is_no_gain_in_both_directions(seconds: list[float | None]) -> None:
    ahead, back = (
        find_gain("division", make_practised_hands(*half)) for half in (seconds, seconds[5:] + seconds[:5])
    )
    assert ahead is None or back is None


NAMES = {"divisions": "division", "division": "division", "divisiones": "division", "деление": "division"}
NAMES |= {"fractions": "fraction", "other targets": "target", "除法": "division"}


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        *(("", None), ("  ", None), ("Divisions", "division"), ("div", "division"), ("除法", "division")),
        *(("OTHER  targets", "target"), ("Деление", "division"), ("frac", "fraction")),
    ],
)
def test_skill_is_parsed_by_name_and_prefix(text: str, skill: str | None) -> None:
    assert parse_skill(text, NAMES) == skill


@pytest.mark.parametrize("text", ["d", "sums", "divisions fractions", "x" * 500])
def test_unknown_skill_is_named_in_the_error(text: str) -> None:
    with pytest.raises(UnknownWordError) as error:
        parse_skill(text, NAMES)
    assert len(error.value.fragment) <= 100


@pytest.mark.parametrize(
    ("long", "expected"),
    [(MAX_ARGUMENT_LENGTH, "x" * MAX_ARGUMENT_LENGTH), (MAX_ARGUMENT_LENGTH + 1, "x" * 20 + "…")],
)
def test_long_text_is_shortened_in_the_error(long: int, expected: str) -> None:
    with pytest.raises(UnknownWordError) as error:
        parse_skill("x" * long, NAMES)
    assert error.value.fragment == expected


class Learner:
    """A player who follows the rules of practice and takes `seconds` for a hand."""

    def __init__(self, seconds: Callable[[Hand, Random], float | None]) -> None:
        self.seconds = seconds
        self.rng = Random(24)
        self.hands: list[Hand] = []
        self.played: list[PlayedHand] = []  # The latest first
        self.practised: list[PlayedHand] = []

    def practise(self) -> None:
        turn = len(self.practised)
        skill = choose_skill(compute_weaknesses(self.played, skills.SKILLS), turn)
        before = [one for one in self.practised if skill in one.skills]
        level = choose_level(before)
        lately = tuple(tuple(sorted(hand.numbers)) for hand in self.hands[-10:])
        hand = dealing.draw_hand_for_skill(turn, skill, skills.get_practice_level(skill, level), lately, 60.0)
        took = self.seconds(hand, self.rng)
        self.hands.append(hand)
        self.played.insert(0, PlayedHand({*skills.find_skills(hand), skill}, took, hand.expected))
        self.practised.append(PlayedHand({skill}, took, hand.expected, 0, 0, turn + 1, level))

    def list_gains(self) -> list[rules.SkillGain]:
        """Return the gains reported after every five hands in a skill."""
        found = []
        for count in range(1, len(self.practised) + 1):
            (skill,) = self.practised[count - 1].skills
            here = [one for one in self.practised[:count] if skill in one.skills]
            found += [find_gain(skill, here)] if len(here) % rules.HALF_LENGTH == 0 else []
        return [gain for gain in found if gain is not None]


@pytest.mark.exhaustive
@pytest.mark.long
def test_weak_skill_is_practised_until_it_improves() -> None:
    learner = Learner(
        lambda hand, rng: hand.expected * rng.uniform(0.6, 1.0) * (1 + 4 * _needs_division(hand))
    )
    for _ in range(20):
        learner.practise()
    assert sum(map(_needs_division, learner.hands[5:10])) >= 3
    asked = [skill for one in learner.practised[10:] for skill in one.skills]
    assert asked.count("division") + asked.count("fraction") >= 7, asked
    assert sum(map(_needs_division, learner.hands[10:])) >= 7
    assert len({hand.line for hand in learner.hands[-10:]}) == 10
    learner.seconds = lambda hand, rng: hand.expected * rng.uniform(0.6, 1.0)
    for _ in range(20):
        learner.practise()
    first = next(gain for gain in learner.list_gains() if gain.skill in ("division", "fraction"))
    assert first.median_seconds is not None
    assert first.median_seconds[1] < first.median_seconds[0]
    since = [skill for one in learner.practised[-12:] for skill in one.skills]
    assert len(set(since)) > 2, since  # nothing is hardest any more


def test_steady_players_seldom_see_a_gain() -> None:
    steady = [
        [make_practised_hand("medium", Random(100 * s + n).uniform(8, 30)) for n in range(10)]
        for s in range(200)
    ]
    result = [each for each in steady if find_gain("division", each)]
    assert len(result) <= 0.12 * len(steady)


def _needs_division(hand: Hand) -> bool:
    return skills.DIVISION in skills.find_skills(hand)


@pytest.mark.parametrize(
    ("seconds", "wrong", "hints", "cost"),
    [
        *((10.0, 0, 0, 0.0), (10.0, 1, 0, 0.15), (10.0, 4, 0, 0.6), (10.0, 9, 0, 0.6), (10.0, 0, 2, 0.6)),
        *((None, 0, 0, 1.5), (None, 2, 1, 2.1), (10_000.0, 0, 0, 1.5), (0.0, 0, 0, -1.0)),
    ],
)
def test_cost_of_a_hand_is_computed(seconds: float | None, wrong: int, hints: int, cost: float) -> None:
    assert PlayedHand((), seconds, 10.0, wrong, hints).cost == pytest.approx(cost)
