"""When the bot speaks up by itself, as it is stored, typed and offered."""

from typing import Any

import pytest

from bot.groups.settings import hours
from bot.groups.settings.hours import Hour, Unasked, clock, packed_unasked, read_hour, reminder, unasked
from bot.groups.settings.rules import Preferences, Quiet
from bot.i18n import words

NOON = 1_795_262_400.0
EN = words("en")
NIGHT = Quiet(22 * 60, 7 * 60, 120)


@pytest.mark.parametrize(
    ("hour", "ago"),
    [(Hour(720, 0), 0), (Hour(721, 0), 86_340), (Hour(719, 0), 60), (Hour(0, 0), 43_200), (Hour(0, 720), 0)],
)
def test_when_a_clock_last_showed_the_hour(hour: Hour, ago: int) -> None:
    assert hour.latest(NOON + 0.5) == NOON - ago


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "10",
        [],
        [1, 0, 600],
        [1, 0, 1440, 0, "en"],
        [1, 0, -1, 0, "en"],
        [1, 0, 600, 900, "en"],
        [1, 0, "9", 0, "en"],
        [600, 0],
    ],
)
def test_what_makes_no_sense_counts_as_not_chosen(stored: Any) -> None:
    assert unasked(Preferences(stored={"posts": stored})) == Unasked(True, False, Hour(600, 0))
    assert reminder(Preferences(stored={"reminder": stored})) is None


def test_what_is_stored_is_read_back() -> None:
    wanted = Unasked(False, True, Hour(510, -210))
    assert unasked(Preferences(stored={"posts": packed_unasked(wanted, "ru")})) == wanted
    assert reminder(Preferences(stored={"reminder": hours.packed(Hour(510, 345), "ru")})) == Hour(510, 345)


def test_a_clock_is_known_only_where_somebody_told_it() -> None:
    assert clock(Preferences()) is None
    assert clock(Preferences(quiet=NIGHT)) == 120
    assert clock(Preferences(quiet=NIGHT, stored={"posts": [1, 0, 600, 60, "en"]})) == 60
    assert clock(Preferences(stored={"reminder": [600, -60, "en"]})) == -60


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("8", Hour(480, 60)),
        ("8:30", Hour(510, 60)),
        (" 8:30 +2 ", Hour(510, 120)),
        ("8:30 UTC-3:30", Hour(510, -210)),
        ("８：３０　＋２", Hour(510, 120)),
        ("0:00 −5", Hour(0, -300)),
    ],
)
def test_a_typed_hour(typed: str, read: Hour) -> None:
    assert read_hour(typed, 60) == read


@pytest.mark.parametrize("typed", ["", "24", "8:60", "8-9", "noon", "8 +15", "8 + 2 3", "٨"])
def test_what_is_no_hour(typed: str) -> None:
    assert read_hour(typed, 0) is None


def test_a_group_switches_each_thing_and_moves_the_hour() -> None:
    chosen = Preferences(quiet=NIGHT)
    setting = hours.setting(EN, chosen, private=False, now=NOON)
    assert setting.value == "the week’s winner, 10:00"
    assert "I go by UTC+2: it is 14:00 there now." in setting.sentence
    stored = {choice.label: choice.stored for choice in setting.choices}
    assert stored == {
        "✓ the week’s winner": [0, 0, 600, 120, "en"],
        "today’s hand": [1, 1, 600, 120, "en"],
        "8:00": [1, 0, 480, 120, "en"],
        "✓ 10:00": [1, 0, 600, 120, "en"],
        "12:00": [1, 0, 720, 120, "en"],
        "18:00": [1, 0, 1080, 120, "en"],
        "20:00": [1, 0, 1200, 120, "en"],
        "🕐 UTC+1": [1, 0, 600, 60, "en"],
        "🕐 UTC+3": [1, 0, 600, 180, "en"],
    }
    assert setting.read is not None
    assert setting.read("7:15 -3") == [1, 0, 435, -180, "en"]
    off = hours.setting(EN, Preferences(stored={"posts": [0, 0, 600, 0, "en"]}), private=False, now=NOON)
    assert off.value == "nothing"


def test_alone_with_the_bot_there_is_a_reminder() -> None:
    off = hours.setting(EN, Preferences(), private=True, now=NOON)
    assert (off.value, [choice.label for choice in off.choices]) == (
        "off",
        ["off", "8:00", "10:00", "12:00", "18:00", "20:00"],
    )
    on = hours.setting(EN, Preferences(stored={"reminder": [1080, 60, "en"]}), private=True, now=NOON)
    assert on.value == "18:00"
    assert [choice.label for choice in on.choices][4:] == ["✓ 18:00", "20:00", "🕐 UTC", "🕐 UTC+2"]
    assert off.read is not None
    assert off.read("18:20 +1") == [1100, 60, "en"]
    assert off.read("soon") is None
