"""Stored settings of a chat; broken values count as not chosen."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.players.choices import NO_CHOICES, StoredChoices
from bot.players.preferences import (
    DEFAULTS,
    AwaitedValue,
    Preferences,
    QuietHours,
    count_rounds_left,
    get_next_round_time,
    get_quiet_end,
    is_wrong_topic,
    pack_quiet_hours,
    parse_quiet_hours,
    read_awaited_value,
    read_preferences,
)
from bot.players.queries import Chat

NIGHT = QuietHours(22 * 60, 7 * 60)
HELSINKI, BOGOTA, NEW_YORK = map(ZoneInfo, ("Europe/Helsinki", "America/Bogota", "America/New_York"))


def make_preferences(**settings: Any) -> Preferences:
    return read_preferences(Chat(-1, "group", None, StoredChoices(settings)))


def test_empty_settings_are_the_defaults() -> None:
    assert make_preferences() == DEFAULTS == Preferences()
    assert DEFAULTS.seconds == 600


def test_stored_choices_are_read_back() -> None:
    stored = {"level": "hard", "highest": 10, "cards": 5, "target": 36, "seconds": 60, "rounds_an_hour": 12}
    stored |= {"quiet": pack_quiet_hours(NIGHT), "timezone": "Europe/Helsinki", "plain": False, "topic": 77}
    stored |= {"hints": False}
    expected = Preferences(
        None, "hard", 60, 12, NIGHT, HELSINKI, False, 77, False, stored=StoredChoices(stored)
    )
    assert make_preferences(**stored) == expected
    assert [make_preferences(secret=value).secret_answers for value in (True, False, 1)] == [
        True,
        False,
        False,
    ]
    assert read_preferences(Chat(-1, "group", "zh_Hans", StoredChoices(stored))).language == "zh_Hans"
    assert read_preferences(Chat(1, "private", None, StoredChoices(stored))).zone is HELSINKI


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("level", "godlike"),
        ("level", ["hard"]),
        ("seconds", 0),
        ("rounds_an_hour", 0),
        ("quiet", [1]),
        ("timezone", "Europe/Madird"),
        ("timezone", ["UTC"]),
        ("quiet", [60, 60, 0]),
        ("quiet", [60.0, 120, 0]),
        ("quiet", "22-7"),
        ("plain", "no"),
        ("topic", -5),
        ("hints", 0),
        ("heard", 1),
        ("unheard of", 1),
    ],
)
def test_broken_value_counts_as_not_chosen(key: str, value: Any) -> None:
    assert replace(make_preferences(**{key: value}), stored=NO_CHOICES) == DEFAULTS


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("seconds", 15, 86_400), ("rounds_an_hour", 1, 1000), ("topic", 0, 2**53 - 1)],
)
def test_number_is_read_within_its_bounds(key: str, least: int, most: int) -> None:
    for value in (least, most):
        assert getattr(make_preferences(**{key: value}), key) == value
    for other in (least - 1, most + 1, float(most), True):
        assert getattr(make_preferences(**{key: other}), key) == getattr(DEFAULTS, key)


@pytest.mark.parametrize("quiet", [[0, 1439], [1439, 0]])
def test_quiet_hours_are_minutes_of_a_day(quiet: list[int]) -> None:
    assert make_preferences(quiet=quiet).quiet == QuietHours(*quiet)
    for place, value in ((0, 1440), (0, -1), (1, 1440), (1, -1)):
        broken = [*quiet[:place], value, *quiet[place + 1 :]]
        assert make_preferences(quiet=broken).quiet is None


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=4)


@pytest.mark.long
@given(st.dictionaries(st.sampled_from([*Preferences.__dataclass_fields__]), JSON))
def test_anything_stored_can_be_read(stored: dict[str, Any]) -> None:
    read = make_preferences(**stored)
    assert read.seconds >= 15


@pytest.mark.parametrize(
    ("utc", "until"),
    [("19:59", None), ("20:00", "05:00"), ("23:30", "05:00"), ("04:59", "05:00"), ("05:00", None)],
)
def test_quiet_hours_may_include_midnight(utc: str, until: str | None) -> None:
    at = parse_clock(utc)
    end = until and at + (parse_clock(until) - at) % 86_400
    assert get_quiet_end(Preferences(quiet=NIGHT, zone=HELSINKI), at) == end


@pytest.mark.parametrize(
    ("utc", "hours"),  # until seven in the morning, on a night of eight hours or of ten
    [
        ("2026-03-08T03:00", 8),
        ("2026-03-08T07:30", 3.5),
        ("2026-11-01T02:00", 10),
        ("2026-11-01T06:30", 5.5),
        ("2026-11-02T03:00", 9),
    ],
)
def test_quiet_hours_follow_clock_changes(utc: str, hours: float) -> None:
    at = datetime.fromisoformat(f"{utc}+00:00").timestamp()
    assert get_quiet_end(Preferences(quiet=NIGHT, zone=NEW_YORK), at) == at + hours * 3600


def test_quiet_hours_may_lie_within_a_day() -> None:
    school = Preferences(quiet=QuietHours(8 * 60, 13 * 60), zone=BOGOTA)
    assert get_quiet_end(school, parse_clock("12:59")) is None
    assert get_quiet_end(school, parse_clock("13:00")) == parse_clock("18:00")


def parse_clock(text: str) -> float:
    hours, minutes = text.split(":")
    return int(hours) * 3600.0 + int(minutes) * 60.0


@given(st.integers(0, 1439), st.integers(0, 1439), st.sampled_from([HELSINKI, BOGOTA]), st.floats(0, 4e9))
def test_quiet_hours_end_at_the_chosen_time(start: int, end: int, zone: ZoneInfo, now: float) -> None:
    until = get_quiet_end(Preferences(quiet=QuietHours(start, end), zone=zone), now)
    if until is not None:
        assert now < until <= now + 90_000
        shown = datetime.fromtimestamp(until, zone)
        skipped = datetime.fromtimestamp(until - 3600, zone).utcoffset() != shown.utcoffset()
        assert shown.hour * 60 + shown.minute == end or skipped


def test_chat_plays_in_one_topic_or_any() -> None:
    assert not is_wrong_topic(Preferences(), 0)
    assert not is_wrong_topic(Preferences(), 55)
    assert is_wrong_topic(Preferences(topic=55), 0)
    assert is_wrong_topic(Preferences(topic=55), 56)
    assert not is_wrong_topic(Preferences(topic=55), 55)
    assert not is_wrong_topic(Preferences(topic=1), 0)
    assert is_wrong_topic(Preferences(topic=1), 55)


def test_next_round_time_follows_the_limit_of_an_hour() -> None:
    two = Preferences(rounds_an_hour=2)
    assert get_next_round_time(two, [10_000.0], 10_001.0) is None
    assert get_next_round_time(two, [10_000.0, 10_100.0], 10_200.0) == 13_600.0
    assert get_next_round_time(two, [10_000.0, 10_100.0], 13_601.0) is None
    assert get_next_round_time(two, [9_000.0, 10_000.0, 10_100.0], 10_200.0) == 13_600.0
    assert get_next_round_time(two, [10_000.0, 10_100.0], 13_600.0) is None
    assert get_next_round_time(Preferences(), [10_000.0] * 99, 10_001.0) is None


def test_rounds_left_in_the_hour_are_counted() -> None:
    two = Preferences(rounds_an_hour=2)
    assert count_rounds_left(two, [], 10_200.0) == 2
    assert count_rounds_left(two, [10_000.0], 10_200.0) == 1
    assert count_rounds_left(two, [10_000.0, 10_100.0], 13_599.0) == 0
    assert count_rounds_left(two, [10_000.0, 10_100.0], 13_600.0) == 1
    assert count_rounds_left(two, [10_000.0] * 5, 10_200.0) == 0
    assert count_rounds_left(Preferences(), [10_000.0] * 5, 10_200.0) is None


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("22-7", NIGHT),
        ("22:30 – 7:05", QuietHours(1350, 425)),
        ("２２：００－７：００", NIGHT),
        ("22-7 +2", None),
        ("24-7", None),
        ("7-7", None),
        ("22:60-7", None),
        ("22", None),
        ("at night", None),
    ],
)
def test_typed_quiet_hours_are_parsed(text: str, quiet: QuietHours | None) -> None:
    assert parse_quiet_hours(text) == quiet


@pytest.mark.parametrize(
    ("stored", "waits"),
    [
        ([7, "target"], AwaitedValue(7, "target")),
        (None, None),
        ([7], None),
        (["7", "target"], None),
    ],
)
def test_awaited_value_is_read(stored: object, waits: AwaitedValue | None) -> None:
    assert read_awaited_value(Chat(-1, "group", None, StoredChoices({"asked": stored}))) == waits
