"""Time zones by their IANA names, and days, weeks and months of a zone as instants. Nothing reads a clock.

Clocks that go forward skip an hour: a time of day in it stands for the instant as long after the skip began.
Clocks that go back show an hour twice: a time of day in it stands for the first of the two instants.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")
AHEAD = re.compile(r"(?:utc|gmt)?([-−+])([0-9]{1,2})(?::?(00|30|45))?")
FIXED = re.compile(r"Etc/GMT([-+])([0-9]{1,2})")  # its sign is the other way round: UTC+2 is Etc/GMT-2
SUGGESTED = 4  # names that may have been meant
ALIKE = 0.7  # of 1, which is the same name
LONGEST = 64  # characters of a typed name that are read
SPELLED = str.maketrans({"臺": "台", "_": " ", **dict.fromkeys("'’ʼ")})
WORDS = re.compile(r"[\w/+]+")


@cache
def list_city_zones() -> Sequence[str]:
    """Return the names of the zones of all countries; former spellings are not among them."""
    lines = (files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8").splitlines()
    return sorted(line.split("\t")[2] for line in lines if line and not line.startswith("#"))


@cache
def _known() -> frozenset[str]:
    """Return the names of all zones, former ones too."""
    return frozenset((files("tzdata") / "zones").read_text("utf-8").split())


@cache
def _names() -> Mapping[str, Sequence[str]]:
    """Return zones by what is typed for them, folded: the name, its city, or cities and countries in it.

    These are in all languages. `USA` and its like stand for several zones.
    """
    called = defaultdict[str, list[str]](list)
    for file in ("cldr.txt", "cities.txt"):  # CLDR's names are written by `make catalogues`
        for line in (files("bot") / "places" / file).read_text("utf-8").splitlines():
            zone, *typed = line.split("\t")
            for name in {*map(_fold, typed)}:
                called[name].append(zone)
    former, today = (
        {_fold(typed): [name] for name in sorted(names) for typed in (name, name.rpartition("/")[2])}
        for names in (_known(), list_city_zones())
    )
    return former | called | today


def _fold(typed: str) -> str:
    """Return a name without its capitals, accents and signs: `São-Paulo` is `sao paulo`."""
    return " ".join(WORDS.findall(_bare(typed))).removesuffix("市")


def _bare(typed: str) -> str:
    letters = normalize("NFKD", typed[:LONGEST].translate(SPELLED)).casefold()
    return "".join(letter for letter in letters if not combining(letter))


def find_zone(typed: str) -> str | None:
    """Return the name of the zone that was typed as its name, a city, a country or `UTC+2`; None if there is
    none, or more than one.
    """
    ahead = AHEAD.fullmatch(_bare(typed).replace(" ", ""))
    if ahead and ahead[3] in (None, "00"):
        typed = f"Etc/GMT{'-' if ahead[1] == '+' else '+'}{int(ahead[2])}"
    elif ahead:
        typed = f"UTC{'+' if ahead[1] == '+' else '-'}{int(ahead[2])}:{ahead[3]}"
    found = _names().get(_fold(typed), ())
    return found[0] if len(found) == 1 else None


def suggest_zones(typed: str) -> list[str]:
    """Return the names that a mistyped one is nearest to, the nearest first; none where none is near."""
    near = get_close_matches(_fold(typed), _names(), 2 * SUGGESTED, ALIKE)
    meant = dict.fromkeys(name for key in near for name in _names()[key])
    return [name for name in meant if name in list_city_zones()][:SUGGESTED]


def get_zone(name: object) -> ZoneInfo:
    """Return the zone of that name; UTC for anything that is no name."""
    return ZoneInfo(name) if isinstance(name, str) and name in _known() else UTC


def format_zone(zone: ZoneInfo) -> str:
    """Return the zone's name as people read it: `Europe/Madrid`, or `UTC+2`."""
    fixed = FIXED.fullmatch(zone.key)
    return f"UTC{'−' if fixed[1] == '+' else '+'}{fixed[2]}" if fixed else zone.key.replace("_", " ")


def get_local_date(zone: ZoneInfo, now: float) -> date:
    """Return the date of `now` (seconds since 1970) in the zone."""
    return datetime.fromtimestamp(now, zone).date()


def get_time_on_day(zone: ZoneInfo, day: date, minute: int = 0) -> float:
    """Return when the zone's clocks show that minute of that day, in seconds since 1970."""
    return datetime.combine(day, time(*divmod(minute, 60)), zone).timestamp()


def find_last_time(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks last showed that minute of a day, up to `now`."""
    day = get_local_date(zone, now)
    at = get_time_on_day(zone, day, minute)
    return at if at <= now else get_time_on_day(zone, day - timedelta(days=1), minute)


def find_next_time(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks show that minute of a day for the first time after `now`."""
    day = get_local_date(zone, now)
    at = get_time_on_day(zone, day, minute)
    return at if at > now else get_time_on_day(zone, day + timedelta(days=1), minute)


def find_period_start(zone: ZoneInfo, period: str, now: float) -> float:
    """Return when the day (`d`), week (`w`) or month (`m`) of `now` began in the zone; 0 for any other."""
    day = get_local_date(zone, now)
    began = {"d": day, "w": day - timedelta(days=day.weekday()), "m": day.replace(day=1)}.get(period)
    return 0.0 if began is None else get_time_on_day(zone, began)
