"""The word about a group's week: which week, and when it is said. Nothing here reads a clock or a database.

A week goes from Monday to Sunday by the group's own clock. Its word is said on the Monday after it, at the
hour that the group chose; where that lies in its quiet hours, at their end; and never later than a day after
that hour.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from bot.groups.settings.hours import Hour, unasked
from bot.groups.settings.rules import OFFSETS, Preferences, quiet_until
from bot.spans import DAY, WEEK

MONDAY = 4 * DAY
"""The first one after 1 January 1970."""


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a group."""

    name: str
    """Such as 2026-W47."""
    since: float
    """Its first second, in seconds since 1970 …"""
    until: float
    """… and the first one after it."""


def due(chosen: Preferences, now: float) -> Week | None:
    """The week about which there is a word to be said at `now`, by what the group chose."""
    wanted = unasked(chosen)
    if not wanted.week or quiet_until(chosen, now) is not None:
        return None
    return _over(wanted.hour, now)


def _over(hour: Hour, now: float) -> Week | None:
    """The week whose word has been due for a day at most."""
    latest = hour.latest(now)
    moment = latest - ((latest + hour.offset * 60 - MONDAY) // DAY % 7) * DAY
    until = moment - hour.minute * 60
    return None if now - moment > DAY else Week(_name(until - WEEK + hour.offset * 60), until - WEEK, until)


def in_season(now: float) -> str | None:
    """The one week about which any group anywhere may be due a word at `now`; None while none can be."""
    ahead, behind = OFFSETS[-1] * 60, -OFFSETS[0] * 60
    monday = (now + ahead - MONDAY) // WEEK * WEEK + MONDAY
    return _name(monday - WEEK) if now <= monday + behind + 2 * DAY else None


def _name(at: float) -> str:
    week = datetime.fromtimestamp(at, UTC).isocalendar()
    return f"{week.year}-W{week.week:02}"
