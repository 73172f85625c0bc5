"""Find time zones by name, and convert days and times of a zone to instants. Nothing reads a clock.

When clocks go forward they skip an hour: a time of day in it means the instant as long after the skip began.
When they go back they show an hour twice: a time of day in it means the first of the two instants.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")


@cache
def list_city_zones() -> Sequence[str]:
    """Return the names of the zones of all countries; former spellings are not among them."""
    lines = (files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8").splitlines()
    return sorted(line.split("\t")[2] for line in lines if line and not line.startswith("#"))


@cache
def _list_all_zones() -> frozenset[str]:
    """Return the names of all zones, former ones too."""
    return frozenset((files("tzdata") / "zones").read_text("utf-8").split())


@cache
def _load_zone_names() -> Mapping[str, Sequence[str]]:
    """Return zones by normalized names: of zones, cities and countries; `usa` has several zones."""
    places = defaultdict[str, list[str]](list)  # zones by names of cities and countries
    for file in ("cldr.txt", "cities.txt"):  # CLDR's names are written by `make catalogues`
        for line in (files("bot") / "places" / file).read_text("utf-8").splitlines():
            zone, *names = line.split("\t")
            for name in {_normalize_name(name) for name in names}:
                places[name].append(zone)
    # A name that is in several of these has the zones of the last one
    return _index_zones(_list_all_zones()) | places | _index_zones(list_city_zones())


def _index_zones(names: Iterable[str]) -> dict[str, list[str]]:
    """Return zones by normalized names: their own, such as `europe/madrid`, and its last part, `madrid`.

    Each name has one zone, in a list, as names of countries have several: where zones share a last part, that
    is the last of them by alphabet.
    """
    zones = dict[str, list[str]]()
    for name in sorted(names):
        _, _, last_part = name.rpartition("/")
        zones[_normalize_name(name)] = [name]
        zones[_normalize_name(last_part)] = [name]
    return zones


WORD = re.compile(r"[\w/+]+")


def _normalize_name(typed: str) -> str:
    """Return a name without capitals, accents and signs: `São-Paulo` is `sao paulo`."""
    words = " ".join(WORD.findall(_remove_accents(typed)))
    return words.removesuffix("市")  # "city", in Chinese and Japanese


LONGEST_NAME = 64  # characters of a typed name that are read
# Two spellings of Taiwan and the underscores of zones' names become one; apostrophes are removed
SPELLING = str.maketrans({"臺": "台", "_": " ", **dict.fromkeys("'’ʼ")})


def _remove_accents(typed: str) -> str:
    """Return the first `LONGEST_NAME` characters in small letters, without accents and apostrophes."""
    letters = normalize("NFKD", typed[:LONGEST_NAME].translate(SPELLING)).casefold()
    return "".join(letter for letter in letters if not combining(letter))


UTC_OFFSET = re.compile(r"(?:utc|gmt)?([-−+])([0-9]{1,2})(?::?(00|30|45))?")


def find_zone(typed: str) -> str | None:
    """Return the zone's name for a typed zone, city, country or `UTC+2`; None if not exactly one fits."""
    name = _normalize_name(typed)
    offset = UTC_OFFSET.fullmatch(_remove_accents(typed).replace(" ", ""))
    if offset:
        typed_sign, hours, minutes = offset.groups()
        is_east = typed_sign == "+"  # else one of the two minus signs was typed
        if minutes in (None, "00"):
            name = _normalize_name(f"Etc/GMT{'-' if is_east else '+'}{int(hours)}")  # these reverse the sign
        else:
            name = _normalize_name(f"UTC{'+' if is_east else '-'}{int(hours)}:{minutes}")  # as in cities.txt
    zones = _load_zone_names().get(name, ())
    return zones[0] if len(zones) == 1 else None


MAX_SUGGESTIONS, MIN_SIMILARITY = 4, 0.7


def suggest_zones(typed: str) -> list[str]:
    """Return zones of cities whose names resemble a mistyped one, the most similar first; maybe none."""
    zones_by_name = _load_zone_names()
    max_names = 2 * MAX_SUGGESTIONS  # since several of these may be names of one zone
    names = get_close_matches(_normalize_name(typed), zones_by_name, n=max_names, cutoff=MIN_SIMILARITY)
    zones = dict.fromkeys(zone for name in names for zone in zones_by_name[name])  # each once, in this order
    return [zone for zone in zones if zone in list_city_zones()][:MAX_SUGGESTIONS]


def get_zone(name: object) -> ZoneInfo:
    """Return the zone of that name; UTC for anything that is no zone's name."""
    return ZoneInfo(name) if isinstance(name, str) and name in _list_all_zones() else UTC


FIXED_ZONE = re.compile(r"Etc/GMT([-+])([0-9]{1,2})")  # with the sign reversed: UTC+2 is Etc/GMT-2


def format_zone(zone: ZoneInfo) -> str:
    """Return the zone's name as people read it: `Europe/Madrid`, or `UTC+2`."""
    fixed = FIXED_ZONE.fullmatch(zone.key)
    if fixed is None:
        return zone.key.replace("_", " ")
    sign, hours = fixed.groups()
    return f"UTC{'−' if sign == '+' else '+'}{hours}"  # the sign as people write it


def get_local_date(zone: ZoneInfo, now: float) -> date:
    """Return the date of `now` (seconds since 1970) in the zone."""
    return datetime.fromtimestamp(now, zone).date()


def get_time_on_day(zone: ZoneInfo, day: date, minute: int = 0) -> float:
    """Return when the zone's clocks show that minute of that day (0 is midnight), in seconds since 1970."""
    hours, minutes = divmod(minute, 60)
    return datetime.combine(day, time(hours, minutes), zone).timestamp()


def find_last_time(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks last showed that minute of a day (0 is midnight), up to `now`."""
    today = get_local_date(zone, now)
    time_today = get_time_on_day(zone, today, minute)
    if time_today <= now:
        return time_today
    return get_time_on_day(zone, today - timedelta(days=1), minute)


def find_next_time(zone: ZoneInfo, minute: int, now: float) -> float:
    """Return when the zone's clocks show that minute of a day for the first time after `now`."""
    today = get_local_date(zone, now)
    time_today = get_time_on_day(zone, today, minute)
    if time_today > now:
        return time_today
    return get_time_on_day(zone, today + timedelta(days=1), minute)


def find_period_start(zone: ZoneInfo, period: str, now: float) -> float:
    """Return when the day (`d`), week (`w`) or month (`m`) of `now` began in the zone; 0 for any other."""
    day = get_local_date(zone, now)
    if period == "w":
        day -= timedelta(days=day.weekday())
    elif period == "m":
        day = day.replace(day=1)
    elif period != "d":
        return 0.0
    return get_time_on_day(zone, day)
