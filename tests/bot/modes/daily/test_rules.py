"""Rules of the daily hand."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.modes.daily import rules
from bot.modes.daily.rules import (
    Attempt,
    DailyHand,
    count_streak,
    filter_dates_of_game,
    format_utc_date,
    get_day_date,
    get_day_game,
    get_day_level,
    get_day_start,
    make_attempt,
    make_day_key,
    rank_attempts,
    render_squares,
)
from bot.rounds.puzzle import Origin
from bot.rounds.rules import State, is_in_time
from tests.sample_rounds import get_hand, make_round

NOON = 1_763_726_400.0  # 21 November 2025, 12:00 UTC, a Friday
OPENED = make_attempt(DailyHand("2025-11-21", "24", get_hand(make_round())), 7, NOON)
GIVEN_UP = replace(OPENED, state=State.SKIPPED, closed=NOON + 1)


def solve(attempt: Attempt, at: float) -> Attempt:
    """Return the attempt solved at that time."""
    return replace(attempt, state=State.WON, closed=at, answer="8/(3-8/3)")


def test_day_is_a_date_in_utc() -> None:
    assert format_utc_date(NOON) == "2025-11-21"
    assert format_utc_date(NOON + 43_199) == "2025-11-21"
    assert format_utc_date(NOON + 43_200) == "2025-11-22"


def test_level_rises_from_monday_to_sunday() -> None:
    monday = date(2025, 11, 17)
    week = [get_day_level((monday + timedelta(days=n)).isoformat()) for n in range(7)]
    assert week == ["easy", "easy", "medium", "medium", "hard", "hard", "fiendish"]
    assert get_day_level("2025-11-24") == "easy"


def test_each_day_has_its_link_and_its_date_in_place_of_a_message() -> None:
    assert rules.make_origin(3, "2025-11-21") == Origin(3, link=2152, message_id=20251121)
    assert rules.make_origin(3, "2025-11-22 countdown") == Origin(3, link=2153, message_id=20251122)


def test_time_runs_from_the_opening_if_answered_before_the_showing() -> None:
    waited = replace(OPENED, shown_at=NOON + 30)
    assert solve(waited, NOON + 42).seconds == 12.0
    assert solve(waited, NOON + 30).seconds == 0.0
    assert solve(waited, NOON + 29).seconds == 29.0
    assert waited.seconds == 0.0


def test_time_runs_from_the_opening_if_never_shown() -> None:
    assert solve(OPENED, NOON + 42).seconds == 42.0


def test_attempt_is_open_for_24_hours() -> None:
    assert is_in_time(OPENED, NOON + 86_400)
    assert not is_in_time(OPENED, NOON + 86_401)


def test_streak_allows_an_unsolved_today_but_no_gap() -> None:
    days = ["2025-11-18", "2025-11-19", "2025-11-20"]
    assert count_streak(days, "2025-11-20") == 3
    assert count_streak(days, "2025-11-21") == 3
    assert count_streak(days, "2025-11-22") == 0
    assert count_streak(["2025-11-18", "2025-11-20"], "2025-11-20") == 1
    assert count_streak([], "2025-11-20") == 0


def test_more_than_six_wrong_answers_are_shown_as_a_number() -> None:
    assert render_squares(replace(OPENED, wrong_answers=9)) == "🟥🟥🟥🟥🟥🟥+3⬜"
    assert render_squares(replace(OPENED, wrong_answers=6)) == "🟥🟥🟥🟥🟥🟥⬜"
    assert render_squares(GIVEN_UP) == "⬛"


def test_equal_seconds_share_a_rank_and_only_solvers_have_one() -> None:
    times = {1: 40.2, 2: 12.0, 3: 39.8}
    tried = [solve(replace(OPENED, dealer_id=p), NOON + t) for p, t in times.items()]
    ranked = rank_attempts([*tried, OPENED, GIVEN_UP])
    assert [(rank, a.player_id) for rank, a in ranked] == [(1, 2), (2, 3), (2, 1)]


def test_result_has_a_bulb_for_each_hint() -> None:
    done = solve(replace(OPENED, wrong_answers=1, hints_shown=2), NOON + 9)
    assert render_squares(done) == "🟥💡💡🟩"


@pytest.mark.parametrize(
    ("days", "length"),
    [
        ((), 0),
        (("2026-11-21",), 1),
        (("2026-11-21", "2026-11-23"), 1),
        (("2026-12-01", "2026-11-29", "2026-11-30", "2026-11-21", "2026-11-22"), 3),
    ],
)
def test_longest_streak_is_counted(days: tuple[str, ...], length: int) -> None:
    assert rules.count_longest_streak(days) == length


def test_day_key_joins_a_date_and_a_game() -> None:
    assert make_day_key("2026-11-21") == "2026-11-21"
    name = make_day_key("2026-11-21", "countdown")
    assert (get_day_date(name), get_day_game(name)) == ("2026-11-21", "countdown")
    assert (get_day_date("2026-11-21"), get_day_game("2026-11-21")) == ("2026-11-21", "")
    assert get_day_start(name) == get_day_start("2026-11-21")
    assert get_day_level(name) == get_day_level("2026-11-21")


def test_dates_of_a_game_skip_other_games() -> None:
    stored = ["2026-11-21", "2026-11-20 countdown"]
    assert filter_dates_of_game(stored) == ["2026-11-21"]
    assert filter_dates_of_game(stored, "countdown") == ["2026-11-20"]
    assert count_streak(["2026-11-20", "2026-11-21"], make_day_key("2026-11-21", "countdown")) == 2


def test_attempt_solved_offline_is_over_but_not_ranked() -> None:
    done = replace(OPENED, state=State.VOID, answer="8/(3-8/3)")
    assert not is_in_time(done, NOON)
    assert rank_attempts([done]) == []
