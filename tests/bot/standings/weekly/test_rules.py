"""The weekly post is due on Monday for a day, outside quiet hours, in the group's time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.durations import DAY, WEEK
from bot.players.choices import StoredChoices
from bot.players.preferences import Preferences, QuietHours
from bot.standings.weekly_post import get_due_week, get_week_to_post

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)  # Its week is 2026-W48, so the one that is over is 2026-W47


def get_time(hours: float) -> float:
    """Return the time so many hours after Monday's midnight in UTC."""
    return (MONDAY + timedelta(hours=hours)).timestamp()


def make_preferences(
    minute: int = 600, zone: str = "UTC", *, quiet: QuietHours | None = None, week: bool = True
) -> Preferences:
    stored = [int(week), 0, minute, "en"]
    return Preferences(quiet=quiet, zone=ZoneInfo(zone), stored=StoredChoices({"posts": stored}))


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (-1, None),
        (9.99, None),
        (10, "2026-W47"),
        (33.9, "2026-W47"),
        (34, "2026-W47"),
        (34.01, None),
        (120, None),
    ],
)
def test_post_is_due_for_a_day_from_the_chosen_hour(hours: float, expected: str | None) -> None:
    week = get_due_week(make_preferences(), get_time(hours))
    assert (week and week.name) == expected


@pytest.mark.parametrize(
    ("zone", "offset"),
    [
        ("Etc/GMT+12", -720),
        ("America/New_York", -300),
        ("UTC", 0),
        ("Asia/Kathmandu", 345),
        ("Etc/GMT-14", 840),
    ],
)
@pytest.mark.parametrize("minute", [0, 600, 1439])
def test_week_goes_by_the_groups_time_zone(zone: str, offset: int, minute: int) -> None:
    moment = get_time(0) + (minute - offset) * 60
    assert get_due_week(make_preferences(minute, zone), moment - 1) is None
    week = get_due_week(make_preferences(minute, zone), moment)
    assert week is not None
    assert (week.name, week.until - week.since) == ("2026-W47", WEEK)
    assert week.until == get_time(0) - offset * 60, "midnight from Sunday to Monday, there"


@pytest.mark.parametrize(
    ("monday", "hours"), [("2026-03-09T14:00", 167), ("2026-03-16T14:00", 168), ("2026-11-02T15:00", 169)]
)
def test_week_with_a_clock_change_is_an_hour_shorter_or_longer(monday: str, hours: int) -> None:
    ten = datetime.fromisoformat(monday).replace(tzinfo=UTC).timestamp()
    new_york = make_preferences(600, "America/New_York")
    assert get_due_week(new_york, ten - 1) is None
    week = get_due_week(new_york, ten)
    assert week is not None
    assert (week.until - week.since) / 3600 == hours
    assert week.until == ten - 10 * 3600


def test_no_post_is_due_in_quiet_hours() -> None:
    night = make_preferences(quiet=QuietHours(9 * 60, 12 * 60))
    assert [get_due_week(night, get_time(hours)) is not None for hours in (10, 11.9, 12, 13)] == [
        False,
        False,
        True,
        True,
    ]


def test_group_may_want_no_post() -> None:
    assert get_due_week(make_preferences(week=False), get_time(10)) is None


def test_default_hour_is_ten_in_the_groups_time_zone() -> None:
    assert get_due_week(Preferences(), get_time(10)) is not None
    abroad = Preferences(zone=ZoneInfo("Europe/Helsinki"))
    assert [get_due_week(abroad, get_time(hours)) is not None for hours in (7.99, 8)] == [False, True]


def test_week_to_post_is_known_whenever_any_group_is_due() -> None:
    for hour in range(-48, 14 * 24):
        now = get_time(hour)
        names = {
            week.name
            for zone in ("Etc/GMT+12", "America/New_York", "UTC", "Asia/Kolkata", "Etc/GMT-14")
            for minute in (0, 600, 1439)
            if (week := get_due_week(make_preferences(minute, zone), now))
        }
        season = get_week_to_post(now)
        assert names <= {season}, hour
    assert get_week_to_post(get_time(0) + 4 * DAY) is None


def test_week_is_named_by_its_iso_year() -> None:
    new_year = datetime(2027, 1, 4, 10, tzinfo=UTC).timestamp()
    week = get_due_week(make_preferences(), new_year)
    assert week is not None
    assert week.name == "2026-W53"
