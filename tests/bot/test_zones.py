"""Time zones: their names, and days as timestamps."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from bot import zones
from tests import place_names

NEW_YORK, SHANGHAI, BEIRUT = map(ZoneInfo, ("America/New_York", "Asia/Shanghai", "Asia/Beirut"))


def make_timestamp(text: str) -> float:
    """Return the timestamp of a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Europe/Madrid", "Europe/Madrid"),
        (" europe/madrid ", "Europe/Madrid"),
        ("Madrid", "Europe/Madrid"),
        ("new york", "America/New_York"),
        ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("buenos aires", "America/Argentina/Buenos_Aires"),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("utc", "UTC"),
        ("UTC+2", "Etc/GMT-2"),
        ("gmt −3", "Etc/GMT+3"),
        ("+8:00", "Etc/GMT-8"),
        ("UTC+5:30", "Asia/Kolkata"),
        ("gmt −03:30", "America/St_Johns"),
        ("+0545", "Asia/Kathmandu"),
        ("ＵＴＣ＋８", "Etc/GMT-8"),
        ("Москва", "Europe/Moscow"),
        ("Санкт Петербург", "Europe/Moscow"),
        ("Шанхай", "Asia/Shanghai"),
        ("Екатеринбург", "Asia/Yekaterinburg"),
        ("Нью-Йорк", "America/New_York"),
        ("北京", "Asia/Shanghai"),
        ("上海市", "Asia/Shanghai"),
        ("臺北", "Asia/Taipei"),
        ("香港", "Asia/Hong_Kong"),
        ("Ciudad de México", "America/Mexico_City"),
        ("São Paulo", "America/Sao_Paulo"),
        ("Bogotá", "America/Bogota"),
        ("medellin", "America/Bogota"),
        ("Beijing", "Asia/Shanghai"),
        ("Mumbai", "Asia/Kolkata"),
        ("Delhi", "Asia/Kolkata"),
        ("San Francisco", "America/Los_Angeles"),
        ("Washington, D.C.", "America/New_York"),
        ("St. Petersburg", "Europe/Moscow"),
        ("Xi’an", "Asia/Shanghai"),
        ("India", "Asia/Kolkata"),
        ("España", "Europe/Madrid"),
        ("Германия", "Europe/Berlin"),
        ("日本", "Asia/Tokyo"),
        ("Samoa", "Pacific/Apia"),
        ("USA", None),
        ("UTC+5:15", None),
        ("UTC+15", None),
        ("Madird", None),
        ("../passwd", None),
        ("", None),
    ],
)
def test_zone_is_found_by_typed_name(typed: str, name: str | None) -> None:
    assert zones.find_zone(typed) == name


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("Europe/Madird", ["Europe/Madrid"]),
        ("Shangai", ["Asia/Shanghai"]),
        ("New Yrok", ["America/New_York"]),
        ("Bejing", ["Asia/Shanghai"]),
        ("Масква", ["Europe/Moscow"]),
        ("圣比得堡", ["Europe/Moscow"]),
        ("qqqq", []),
    ],
)
def test_mistyped_zone_gets_similar_suggestions(typed: str, names: list[str]) -> None:
    assert zones.suggest_zones(typed)[:1] == names


def test_place_in_several_zones_gets_suggestions() -> None:
    america = ["America/Chicago", "America/Denver", "America/Los_Angeles", "America/New_York"]
    assert zones.suggest_zones("USA") == zones.suggest_zones("США") == america
    assert zones.suggest_zones("Valencia")[:2] == ["America/Caracas", "Europe/Madrid"]


def test_place_names_match_cldr() -> None:
    written = place_names.FILE.read_text("utf-8").splitlines()
    assert written == list(place_names.list_lines()), "run `make catalogues`"


def test_every_city_has_a_zone() -> None:
    rows = place_names.FILE.with_name("cities.txt").read_text("utf-8").splitlines()
    assert {row.partition("\t")[0] for row in rows} <= set(zones.list_city_zones())


def test_unknown_zone_is_utc() -> None:
    assert zones.get_zone("Asia/Shanghai") is SHANGHAI
    assert zones.get_zone("Japan").key == "Japan"
    assert all(
        zones.get_zone(name) is zones.UTC for name in (None, 8, "Asia", "asia/shanghai", "/etc/passwd")
    )
    assert [
        zones.format_zone(zones.get_zone(n)) for n in ("America/New_York", "Etc/GMT-2", "Etc/GMT+11", None)
    ] == [
        "America/New York",
        "UTC+2",
        "UTC−11",
        "UTC",
    ]


def test_local_date_differs_from_utc() -> None:
    now = make_timestamp("2026-11-22T16:30")
    assert [zones.find_period_start(SHANGHAI, period, now) for period in "dwm"] == [
        make_timestamp("2026-11-22T16:00"),
        make_timestamp("2026-11-22T16:00"),
        make_timestamp("2026-10-31T16:00"),
    ]
    assert [zones.find_period_start(zones.UTC, period, now) for period in "dwma"] == [
        make_timestamp("2026-11-22T00:00"),
        make_timestamp("2026-11-16T00:00"),
        make_timestamp("2026-11-01T00:00"),
        0.0,
    ]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (NEW_YORK, date(2026, 3, 8), 23),
        (NEW_YORK, date(2026, 11, 1), 25),
        (NEW_YORK, date(2026, 3, 9), 24),
        (BEIRUT, date(2026, 3, 29), 23),  # its clocks skip midnight
        (BEIRUT, date(2026, 10, 24), 25),  # they show the hour before midnight twice
    ],
)
def test_day_has_23_or_25_hours_when_clocks_change(zone: ZoneInfo, day: date, hours: int) -> None:
    began = zones.get_time_on_day(zone, day)
    assert zones.get_local_date(zone, began) == day
    assert zones.get_local_date(zone, began - 1) < day
    for second in (0, 3600, hours * 3600 - 1):
        assert zones.find_period_start(zone, "d", began + second) == began
    assert zones.find_period_start(zone, "d", began + hours * 3600) == began + hours * 3600


@pytest.mark.parametrize(
    ("zone", "minute", "now", "latest", "following"),
    [
        (NEW_YORK, 600, "2026-03-08T14:00", "2026-03-08T14:00", "2026-03-09T14:00"),
        (NEW_YORK, 600, "2026-03-08T13:59", "2026-03-07T15:00", "2026-03-08T14:00"),
        (NEW_YORK, 150, "2026-03-08T12:00", "2026-03-08T07:30", "2026-03-09T06:30"),  # 2:30 is skipped: 3:30
        (NEW_YORK, 90, "2026-11-01T06:45", "2026-11-01T05:30", "2026-11-02T06:30"),  # 1:30 comes twice
        (SHANGHAI, 0, "2026-11-21T16:00", "2026-11-21T16:00", "2026-11-22T16:00"),
    ],
)
def test_last_and_next_time_of_day_are_found(
    zone: ZoneInfo, minute: int, now: str, latest: str, following: str
) -> None:
    assert zones.find_last_time(zone, minute, make_timestamp(now)) == make_timestamp(latest)
    assert zones.find_next_time(zone, minute, make_timestamp(now)) == make_timestamp(following)


def test_zones_need_no_system_database() -> None:
    code = "from bot import zones; print(all(zones.get_zone(n).key == n for n in zones.list_city_zones()))"
    alone = {**os.environ, "PYTHONTZPATH": ""}
    result = subprocess.run([sys.executable, "-c", code], env=alone, capture_output=True, text=True)
    assert (result.stdout.strip(), result.stderr) == ("True", "")
