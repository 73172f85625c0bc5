"""The word about a group's week: which week, and when it is said. Nothing here reads a clock or a database.

A week goes from Monday to Sunday by the group's time zone. Its word is said on the Monday after it, at the
hour that the group chose; where that lies in its quiet hours, at their end; and never later than a day after
that hour.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from bot import zones
from bot.admin.settings.hours import read_post_preferences
from bot.admin.settings.rules import Preferences, get_quiet_end
from bot.durations import DAY

# The first zone in which a day begins, and the last.
FIRST_ZONE, LAST_ZONE = ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12")


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a group."""

    name: str  # Such as 2026-W47
    since: float  # Its first second, in seconds since 1970 …
    until: float  # … and the first one after it


def get_due_week(chosen: Preferences, now: float) -> Week | None:
    """The week about which there is a word to be said at `now`, by what the group chose."""
    wanted = read_post_preferences(chosen)
    if not wanted.wants_week or get_quiet_end(chosen, now) is not None:
        return None
    return _over(chosen.zone, wanted.minute, now)


def _over(zone: ZoneInfo, minute: int, now: float) -> Week | None:
    """The week whose word has been due for a day at most."""
    today = zones.get_local_date(zone, now)
    monday = today - timedelta(days=today.weekday())
    moment = zones.get_time_on_day(zone, monday, minute)
    if not 0 <= now - moment <= DAY:
        return None
    before = monday - timedelta(days=7)
    return Week(_name(before), zones.get_time_on_day(zone, before), zones.get_time_on_day(zone, monday))


def get_week_to_post(now: float) -> str | None:
    """The one week about which any group anywhere may be due a word at `now`; None while none can be."""
    monday = zones.get_local_date(FIRST_ZONE, now)
    monday -= timedelta(days=monday.weekday())
    last = zones.get_time_on_day(LAST_ZONE, monday) + 2 * DAY
    return _name(monday - timedelta(days=7)) if now <= last else None


def _name(day: date) -> str:
    week = day.isocalendar()
    return f"{week.year}-W{week.week:02}"
