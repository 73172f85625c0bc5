"""Time zones by their IANA names, and days, weeks and months of a zone as instants. Nothing reads a clock.

Clocks that go forward skip an hour: a time of day in it stands for the instant as long after the skip began.
Clocks that go back show an hour twice: a time of day in it stands for the first of the two instants.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")
AHEAD = re.compile(r"(?:UTC|GMT)?([-−+])([0-9]{1,2})(?::?00)?", re.IGNORECASE)
FIXED = re.compile(r"Etc/GMT([-+])([0-9]{1,2})")  # its sign is the other way round: UTC+2 is Etc/GMT-2
SUGGESTED = 3  # names that may have been meant


@cache
def cities() -> Sequence[str]:
    """Return the names of the zones of all countries; former spellings are not among them."""
    lines = (files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8").splitlines()
    return sorted(line.split("\t")[2] for line in lines if line and not line.startswith("#"))


@cache
def _names() -> Mapping[str, str]:
    """Return all names, former ones too, by what is typed for them in lower case: the name or its city."""
    known = (files("tzdata") / "zones").read_text("utf-8").split()
    by_city = {name.rpartition("/")[2]: name for name in (*known, *cities())}
    return {typed.lower(): name for typed, name in (by_city | {name: name for name in known}).items()}


def find(typed: str) -> str | None:
    """Return the name of the zone that was typed as its name, its city or `UTC+2`; None if there is none."""
    ahead = AHEAD.fullmatch(typed.strip().replace(" ", ""))
    if ahead:
        typed = f"Etc/GMT{'-' if ahead[1] == '+' else '+'}{int(ahead[2])}"
    return _names().get("_".join(typed.lower().split()))


def suggest(typed: str) -> list[str]:
    """Return the names that a mistyped one is nearest to, the nearest first; none where none is near."""
    in_use = set(cities())
    known = {k: name for k, name in _names().items() if name in in_use}
    near = get_close_matches("_".join(typed.lower().split()), known, 2 * SUGGESTED)
    return list(dict.fromkeys(known[k] for k in near))[:SUGGESTED]


def named(name: object) -> ZoneInfo:
    """Return the zone of that name; UTC for anything that is no name."""
    known = isinstance(name, str) and _names().get(name.lower()) == name
    return ZoneInfo(str(name)) if known else UTC


def title(zone: ZoneInfo) -> str:
    """Return the zone's name as people read it: `Europe/Madrid`, or `UTC+2`."""
    fixed = FIXED.fullmatch(zone.key)
    return f"UTC{'−' if fixed[1] == '+' else '+'}{fixed[2]}" if fixed else zone.key.replace("_", " ")


def today(zone: ZoneInfo, now: float) -> date:
    """Return the date of `now` (seconds since 1970) in the zone."""
    return datetime.fromtimestamp(now, zone).date()


def instant(zone: ZoneInfo, day: date, minute: int = 0) -> float:
    """Return when the zone's clocks show that minute of that day, in seconds since 1970."""
    return datetime.combine(day, time(*divmod(minute, 60)), zone).timestamp()


def latest(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks last showed that minute of a day, up to `now`."""
    day = today(zone, now)
    at = instant(zone, day, minute)
    return at if at <= now else instant(zone, day - timedelta(days=1), minute)


def following(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks show that minute of a day for the first time after `now`."""
    day = today(zone, now)
    at = instant(zone, day, minute)
    return at if at > now else instant(zone, day + timedelta(days=1), minute)


def since(zone: ZoneInfo, period: str, now: float) -> float:
    """Return when the day (`d`), week (`w`) or month (`m`) of `now` began in the zone; 0 for any other."""
    day = today(zone, now)
    began = {"d": day, "w": day - timedelta(days=day.weekday()), "m": day.replace(day=1)}.get(period)
    return 0.0 if began is None else instant(zone, began)
