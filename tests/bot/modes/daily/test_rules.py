"""The rules of the daily hand."""

import random
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

import solver
from bot.admin.settings.hours import Unasked, packed_unasked
from bot.admin.settings.rules import Preferences, Quiet
from bot.games.twentyfour.hand import Hand
from bot.modes.daily import rules
from bot.modes.daily.rules import (
    Attempt,
    Daily,
    Progress,
    begins,
    date_of,
    dates,
    day_of,
    game_of,
    given_up,
    hinted,
    is_open,
    level_of,
    named,
    ranking,
    seed_of,
    solved,
    squares,
    streak,
    went_wrong,
)

NOON = 1_763_726_400.0  # 21 November 2025, 12:00 UTC, a Friday
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
    assert seed_of("2025-11-21", "key") == 4_192_703_208_739_394_929_131_360_308_732_816_415
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


def test_hints_are_at_most_three_and_as_many_as_there_are() -> None:
    one = hinted(OPENED, 3, NOON + 1)
    assert (one.hints, hinted(one, 1, NOON + 2)) == (1, one)
    three = replace(OPENED, hints=3)
    assert hinted(three, 9, NOON + 2) == three
    late = NOON + 86_401
    assert hinted(OPENED, 3, late) == OPENED
    over = solved(one, "8/(3-8/3)", NOON + 3)
    assert hinted(over, 3, NOON + 4) == over


def test_a_result_has_a_bulb_for_each_hint() -> None:
    done = solved(replace(OPENED, wrong=1, hints=2), "8/(3-8/3)", NOON + 9)
    assert squares(done) == "🟥💡💡🟩"


def test_a_day_begins_at_midnight_in_utc() -> None:
    assert begins("2025-11-21") == NOON - 43_200


@pytest.mark.parametrize(
    ("days", "length"),
    [
        ((), 0),
        (("2026-11-21",), 1),
        (("2026-11-21", "2026-11-23"), 1),
        (("2026-12-01", "2026-11-29", "2026-11-30", "2026-11-21", "2026-11-22"), 3),
    ],
)
def test_the_most_dates_in_a_row(days: tuple[str, ...], length: int) -> None:
    assert rules.longest(days) == length


TODAY = 1_795_219_200.0  # Midnight before 21 November 2026
HOUR = 3600.0


@pytest.mark.parametrize(
    ("minute", "zone", "hours", "told"),
    [
        (600, "UTC", 9.99, False),
        (600, "UTC", 10, True),
        (600, "UTC", 15.9, True),
        (600, "UTC", 16.1, False),
        (600, "Europe/Helsinki", 8, True),
        (600, "Europe/Helsinki", 7.9, False),
        (1430, "UTC", 23.9, True),
        (1430, "UTC", 24.1, False),
    ],
)
def test_what_is_said_of_a_hand_is_due_at_its_hour_and_on_its_day(
    minute: int, zone: str, hours: float, told: bool
) -> None:
    at = TODAY + hours * HOUR
    chosen = Preferences(zone=ZoneInfo(zone))
    assert rules.due(chosen, minute, at) == (rules.day_of(at) if told else None)


@pytest.mark.parametrize("day", ["2026-03-07", "2026-03-08", "2026-10-31", "2026-11-01"])
def test_a_reminder_comes_at_its_hour_also_when_clocks_change(day: str) -> None:
    new_york = ZoneInfo("America/New_York")
    eight = datetime.fromisoformat(f"{day}T08:00").replace(tzinfo=new_york).timestamp()
    chosen = Preferences(zone=new_york)
    assert [rules.due(chosen, 480, at) for at in (eight - 1, eight)] == [None, day]


def test_nothing_is_said_of_it_in_quiet_hours_or_where_it_is_not_wanted() -> None:
    night, long = Quiet(9 * 60, 12 * 60), Quiet(9 * 60, 20 * 60)
    for daily, quiet, hours, told in (
        (True, None, 10, True),
        (False, None, 10, False),
        (True, night, 10, False),
        (True, night, 12, True),
        (True, long, 19, False),
        (True, long, 20, True),  # whatever hour lies in them
        (True, long, 23.9, True),
        (True, long, 26.1, False),
    ):
        stored = {"posts": packed_unasked(Unasked(False, daily, 600), "en")}
        due = rules.post_due(Preferences(quiet=quiet, stored=stored), TODAY + hours * HOUR)
        assert due == ("2026-11-21" if told else None)


def test_the_names_of_hands() -> None:
    assert named("2026-11-21") == "2026-11-21"
    name = named("2026-11-21", "countdown")
    assert (date_of(name), game_of(name)) == ("2026-11-21", "countdown")
    assert (date_of("2026-11-21"), game_of("2026-11-21")) == ("2026-11-21", "")
    assert begins(name) == begins("2026-11-21")
    assert level_of(name) == level_of("2026-11-21")
    assert seed_of(name, "key") != seed_of("2026-11-21", "key")


def test_each_game_has_its_own_dates() -> None:
    stored = ["2026-11-21", "2026-11-20 countdown", "someday", "2026-13-40", "someday countdown"]
    assert dates(stored) == ["2026-11-21"]
    assert dates(stored, "countdown") == ["2026-11-20"]
    assert streak(["2026-11-20", "2026-11-21"], named("2026-11-21", "countdown")) == 2


def test_a_hand_that_was_solved_offline_is_neither_solved_nor_given_up_and_over() -> None:
    done = replace(OPENED, offline="8/(3-8/3)")
    assert (OPENED.is_over, done.is_over, done.state) == (False, True, Progress.OPEN)
    assert not is_open(done, NOON)
    after = [solved(done, "x", NOON), went_wrong(done, NOON), hinted(done, 3, NOON), given_up(done, NOON)]
    assert after == [done] * 4
    assert ranking([done]) == []
