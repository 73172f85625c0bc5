"""The rules of the daily hand."""

import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

import solver
from bot.games.daily.rules import (
    Attempt,
    Daily,
    Progress,
    day_of,
    given_up,
    is_open,
    level_of,
    ranking,
    seed_of,
    solved,
    squares,
    streak,
    went_wrong,
)
from bot.games.twentyfour.hand import Hand

NOON = 1_763_726_400.0
"""21 November 2025, 12:00 UTC, a Friday."""
OPENED = Attempt("2025-11-21", 7, NOON)


def test_a_day_is_a_date_in_utc() -> None:
    assert day_of(NOON) == "2025-11-21"
    assert day_of(NOON + 43_199) == "2025-11-21"
    assert day_of(NOON + 43_200) == "2025-11-22"


def test_the_level_rises_from_monday_to_sunday() -> None:
    monday = date(2025, 11, 17)
    week = [level_of((monday + timedelta(days=n)).isoformat()) for n in range(7)]
    assert week == ["easy", "easy", "medium", "medium", "hard", "hard", "fiendish"]
    assert level_of("2025-11-24") == "easy"


@pytest.mark.parametrize("day", ["2025-11-17", "2025-11-20", "2025-11-22", "2025-11-23"])
def test_the_same_hand_everywhere_another_each_day(day: str) -> None:
    once, again = (solver.deal(random.Random(seed_of(day, "key")), level=level_of(day)) for _ in range(2))
    assert once == again
    assert seed_of("2025-11-21", "key") == 3_468_122_808_458
    assert seed_of(day, "key") != seed_of("2025-11-21", "key")
    assert seed_of(day, "key") != seed_of(day, "another")


def test_the_hand_of_a_day_is_shown_by_its_line() -> None:
    hand = Hand((3, 8, 3, 8), 24, "fiendish", 14.0, ("8/(3-8/3)",))
    assert Daily("2025-11-21", "24", hand).line == "3 8 3 8 → 24"


def test_the_time_runs_from_the_showing_unless_the_hand_was_seen_before() -> None:
    waited = replace(OPENED, shown=NOON + 30)
    assert solved(waited, "8/(3-8/3)", NOON + 42).seconds == 12.0
    assert solved(waited, "8/(3-8/3)", NOON + 30).seconds == 0.0
    assert solved(waited, "8/(3-8/3)", NOON + 29).seconds == 29.0
    assert waited.seconds == 0.0


def test_the_time_runs_from_the_opening_and_wrong_answers_cost_none() -> None:
    after = solved(went_wrong(went_wrong(OPENED, NOON + 1), NOON + 5), "8/(3-8/3)", NOON + 42)
    assert (after.state, after.seconds, after.wrong) == (Progress.SOLVED, 42.0, 2)
    assert squares(after) == "🟥🟥🟩"


def test_an_end_is_an_end() -> None:
    done = solved(OPENED, "8/(3-8/3)", NOON + 42)
    assert solved(done, "8/(3-8/3)", NOON + 50) == done
    assert went_wrong(done, NOON + 50) == done
    assert given_up(done, NOON + 50) == done
    seen = given_up(OPENED, NOON + 9)
    assert solved(seen, "8/(3-8/3)", NOON + 10) == seen


def test_midnight_ends_nothing_a_day_does() -> None:
    assert is_open(OPENED, NOON + 86_400)
    assert not is_open(OPENED, NOON + 86_401)
    assert solved(OPENED, "8/(3-8/3)", NOON + 86_401) == OPENED


def test_a_streak_bears_an_unsolved_today_and_no_gap() -> None:
    days = ["2025-11-18", "2025-11-19", "2025-11-20"]
    assert streak(days, "2025-11-20") == 3
    assert streak(days, "2025-11-21") == 3
    assert streak(days, "2025-11-22") == 0
    assert streak(["2025-11-18", "2025-11-20"], "2025-11-20") == 1
    assert streak([], "2025-11-20") == 0


def test_many_wrong_answers_are_counted_and_not_drawn() -> None:
    assert squares(Attempt("2025-11-21", 7, NOON, wrong=9)) == "🟥🟥🟥🟥🟥🟥+3⬜"
    assert squares(Attempt("2025-11-21", 7, NOON, wrong=6)) == "🟥🟥🟥🟥🟥🟥⬜"
    assert squares(given_up(OPENED, NOON)) == "⬛"


def test_equal_times_share_a_rank_and_only_solvers_have_one() -> None:
    times = {1: 40.2, 2: 12.0, 3: 39.8}
    tried = [solved(Attempt("2025-11-21", p, NOON), "…", NOON + t) for p, t in times.items()]
    ranked = ranking([*tried, OPENED, given_up(Attempt("2025-11-21", 9, NOON), NOON + 1)])
    assert [(rank, a.player_id) for rank, a in ranked] == [(1, 2), (2, 3), (2, 1)]
