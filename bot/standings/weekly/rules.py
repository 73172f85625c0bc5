"""The word about a group's week: which week, and when it is said. Nothing here reads a clock or a database.

A week goes from Monday to Sunday by the group's time zone. Its word is said on the Monday after it, at the
hour that the group chose; where that lies in its quiet hours, at their end; and never later than a day after
that hour.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from bot import zones
from bot.admin.settings.hours import unasked
from bot.admin.settings.rules import Preferences, quiet_until
from bot.durations import DAY

# The first zone in which a day begins, and the last.
AHEAD, BEHIND = ZoneInfo("Etc/GMT-14"), ZoneInfo("Etc/GMT+12")


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a group."""

    name: str  # Such as 2026-W47
    since: float  # Its first second, in seconds since 1970 …
    until: float  # … and the first one after it


def due(chosen: Preferences, now: float) -> Week | None:
    """The week about which there is a word to be said at `now`, by what the group chose."""
    wanted = unasked(chosen)
    if not wanted.week or quiet_until(chosen, now) is not None:
        return None
    return _over(chosen.zone, wanted.minute, now)


def _over(zone: ZoneInfo, minute: int, now: float) -> Week | None:
    """The week whose word has been due for a day at most."""
    today = zones.today(zone, now)
    monday = today - timedelta(days=today.weekday())
    moment = zones.instant(zone, monday, minute)
    if not 0 <= now - moment <= DAY:
        return None
    before = monday - timedelta(days=7)
    return Week(_name(before), zones.instant(zone, before), zones.instant(zone, monday))


def in_season(now: float) -> str | None:
    """The one week about which any group anywhere may be due a word at `now`; None while none can be."""
    monday = zones.today(AHEAD, now)
    monday -= timedelta(days=monday.weekday())
    last = zones.instant(BEHIND, monday) + 2 * DAY
    return _name(monday - timedelta(days=7)) if now <= last else None


def _name(day: date) -> str:
    week = day.isocalendar()
    return f"{week.year}-W{week.week:02}"
