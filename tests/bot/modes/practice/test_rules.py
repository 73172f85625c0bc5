"""The next skill, its difficulty and its schedule, and progress in practice."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import learners
from bot.durations import DAY
from bot.modes.practice import rules
from bot.modes.practice.rules import (
    PlayedHand,
    choose_chance,
    compute_lead,
    estimate_strength,
    find_due_times,
    find_gain,
    parse_skill,
    plan_hand,
)
from bot.rounds.puzzle import MAX_ARGUMENT_LENGTH, Skill, UnknownWordError

SKILLS = {"division": Skill(), "fraction": Skill(0.5, ("division",)), "target": Skill(), "large": Skill()}
TIMES = st.none() | st.floats(0.0, 1e5)
HANDS = st.builds(
    PlayedHand,
    st.sets(st.sampled_from(list(SKILLS))),
    TIMES,
    st.floats(1.0, 600.0),
    st.integers(0, 3),
    asked=st.sampled_from(["", *SKILLS]),
    at=st.floats(0.0, 1e9),
)


def make_hands(skill: str, seconds: float | None, times: int = 1) -> list[PlayedHand]:
    return [PlayedHand({skill}, seconds, 10.0)] * times


@given(st.lists(HANDS, max_size=40), st.sets(st.sampled_from(list(SKILLS)), max_size=2))
def test_next_hand_needs_no_skill_of_the_latest(hands: list[PlayedHand], latest: set[str]) -> None:
    wish = plan_hand(hands, SKILLS, latest, now=1e9)
    assert wish.avoided >= latest - {wish.skill}
    assert wish.skill not in latest
    assert latest.isdisjoint(SKILLS[wish.skill].implied)
    assert rules.MIN_CHANCE <= wish.chance <= rules.MAX_CHANCE


@pytest.mark.long
@given(st.lists(HANDS, max_size=20), HANDS)
def test_unsolved_hand_never_raises_the_strength(hands: list[PlayedHand], hand: PlayedHand) -> None:
    before, after = (
        estimate_strength([hand, *hands])[0],
        estimate_strength([replace(hand, seconds=None), *hands])[0],
    )
    assert after.overall <= before.overall + 1e-9
    assert all(after.by_skill[skill] <= before.by_skill[skill] + 1e-9 for skill in after.by_skill)


def test_weakest_skill_is_the_one_of_the_slow_hands() -> None:
    hands = [*make_hands("division", 30.0, 6), *make_hands("target", 8.0, 6), *make_hands("large", 8.0, 6)]
    strength, _variances = estimate_strength(hands)
    assert min(strength.by_skill, key=strength.by_skill.__getitem__) == "division"
    assert plan_hand(hands, SKILLS, (), now=0.0).skill == "division"
    other = plan_hand(hands, SKILLS, ("division",), now=0.0)
    assert other.skill in ("target", "large")


def test_weakest_skill_is_spared_while_it_may_not_come() -> None:
    hands = [*make_hands("division", 30.0, 6), *make_hands("target", 8.0, 6)]
    assert plan_hand(hands, SKILLS, ("division", "target"), now=0.0).avoided == {"division", "target"}


def practise(*solved: bool) -> list[PlayedHand]:
    """Return practised hands, of which the last one of `solved` is the first."""
    return [PlayedHand({"target"}, 9.0 if each else None, 10.0, asked="target") for each in reversed(solved)]


def test_missed_hand_is_followed_by_a_nearly_sure_one() -> None:
    assert choose_chance(compute_lead([])) == rules.MAX_CHANCE
    assert choose_chance(compute_lead(practise(False))) == rules.MAX_CHANCE
    harder = [choose_chance(compute_lead(practise(*[True] * count))) for count in range(4)]
    assert harder == sorted(harder, reverse=True)
    assert compute_lead(practise(True, True, True, False)) == 0.0
    assert compute_lead([replace(hand, asked="") for hand in practise(True, True)]) == 0.0


def test_player_who_is_behind_gets_a_skill_that_can_be_sure() -> None:
    known = [hand for skill in ("division", "target", "large") for hand in make_hands(skill, 9.0, 6)]
    hands = [*make_hands("fraction", None, 3), *known]
    assert plan_hand([*practise(False), *hands], SKILLS, (), now=0.0).skill != "fraction"
    assert plan_hand([*practise(True, True), *hands], SKILLS, (), now=0.0).skill == "fraction"


def test_unknown_skill_is_tried_before_known_ones() -> None:
    hands = [hand for skill in ("division", "fraction", "target") for hand in make_hands(skill, 10.0, 6)]
    assert plan_hand(hands, SKILLS, (), now=0.0).skill == "large"


def play_on_days(*days: float, missed: Collection[float] = (), skill: str = "division") -> list[PlayedHand]:
    hands = [PlayedHand({skill}, None if day in missed else 9.0, 10.0, at=day * DAY) for day in days]
    return hands[::-1]


@pytest.mark.parametrize(
    ("hands", "due"),
    [
        (play_on_days(0, 1), None),  # nothing was missed
        (play_on_days(0, missed=[0]), 1),
        (play_on_days(0, 1, missed=[0]), 4),
        (play_on_days(0, 1, 4, missed=[0]), 13),
        (play_on_days(0, 0.1, 0.5, missed=[0]), 1),  # too early to tell
        (play_on_days(0, 1, 2, missed=[0, 2]), 3),  # sooner after another miss
        (make_hands("division", 21.0), 1),  # slow
    ],
)
def test_missed_skill_is_due_after_1_3_and_9_days(hands: Sequence[PlayedHand], due: float | None) -> None:
    assert find_due_times(hands) == ({} if due is None else {"division": due * DAY})


def test_mastered_skill_is_due_at_growing_intervals() -> None:
    days, intervals = [0.0], list[float]()
    for _ in range(7):
        due = find_due_times(play_on_days(*days, missed=[0.0]))["division"] / DAY
        intervals.append(due - days[-1])
        days.append(due)
    assert intervals[:3] == [1, 3, 9]
    assert intervals == sorted(set(intervals))


def test_skill_that_is_due_comes_first() -> None:
    hands = [*make_hands("target", 60.0, 5), *play_on_days(*range(-9, 0), missed=[-1], skill="large")]
    assert plan_hand(hands, SKILLS, (), now=0.0).skill == "large"
    assert plan_hand(hands, SKILLS, (), now=-1.0).skill == "target"


@pytest.mark.long
def test_simulated_learners_solve_three_of_four() -> None:
    """A small form of `python -m bench learners`, which tells more."""
    group = learners.simulate(60, 15, learners.draw_pools(800, 150, 40))
    assert sum(map(learners.is_as_aimed, group)) >= 0.8 * len(group)  # from few hands to draw
    assert 0.7 < fmean(map(learners.compute_mean_chance, group)) < 0.8
    assert fmean(map(learners.compute_weakness_share, group)) > 1.3
    assert sum(map(learners.count_repeats, group)) == 0


def make_practised_hands(*seconds: float | None, expected: float = 10.0) -> list[PlayedHand]:
    return [PlayedHand({"division"}, each, expected) for each in seconds]


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


def test_steady_players_seldom_see_a_gain() -> None:
    steady = [
        make_practised_hands(*(Random(100 * s + n).uniform(8, 30) for n in range(10))) for s in range(200)
    ]
    result = [each for each in steady if find_gain("division", each)]
    assert len(result) <= 0.12 * len(steady)


@pytest.mark.parametrize(
    ("seconds", "hints", "success"),
    [(None, 0, 0.0), (10.0, 0, 1.0), (10.0, 2, 0.6), (1.0, 0, 1.5), (9000.0, 0, 0.2), (0.0, 0, 1.5)],
)
def test_success_in_a_hand_is_computed(seconds: float | None, hints: int, success: float) -> None:
    assert PlayedHand((), seconds, 10.0, hints=hints).success == pytest.approx(success)
