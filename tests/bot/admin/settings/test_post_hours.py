"""Settings of scheduled posts: stored, typed and offered values."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.i18n import get_words
from bot.players import post_hours
from bot.players.choices import StoredChoices
from bot.players.post_hours import (
    PostPreferences,
    read_language,
    read_post_preferences,
    read_reminder_minute,
)
from bot.players.preferences import Preferences, parse_minute

NOON = 1_795_262_400.0
EN = get_words("en")
HELSINKI = ZoneInfo("Europe/Helsinki")


@pytest.mark.parametrize(
    "stored", [None, "10", [], [1, 0, 600], [1, 0, 1440, "en"], [1, 0, -1, "en"], [1, 0, "9", "en"], [600]]
)
def test_broken_values_count_as_not_chosen(stored: Any) -> None:
    assert read_post_preferences(Preferences(stored=StoredChoices({"posts": stored}))) == PostPreferences(
        True, False, 600
    )
    assert read_reminder_minute(Preferences(stored=StoredChoices({"reminder": [stored, "en"]}))) is None


def test_stored_choices_are_read_back() -> None:
    wanted = PostPreferences(False, True, 510)
    assert read_post_preferences(Preferences(stored=StoredChoices({"posts": [0, 1, 510, "ru"]}))) == wanted
    alone = Preferences(stored=StoredChoices({"reminder": post_hours.pack_reminder(510, "ru")}))
    assert (read_reminder_minute(alone), read_language(alone)) == (510, "ru")


@pytest.mark.parametrize(
    ("typed", "read"), [("8", 480), (" 8:30 ", 510), ("８：３０", 510), ("0:00", 0), ("23:59", 1439)]
)
def test_typed_hour_is_parsed(typed: str, read: int) -> None:
    assert parse_minute(typed) == read


@pytest.mark.parametrize("typed", ["", "24", "8:60", "8-9", "noon", "8 +2", "٨"])
def test_other_texts_are_no_hour(typed: str) -> None:
    assert parse_minute(typed) is None


def test_group_switches_each_post_and_chooses_the_hour() -> None:
    setting = post_hours.make_posts_setting(EN, Preferences(zone=HELSINKI), NOON)
    assert setting.value == "the week, 10:00"
    assert setting.explanation.endswith("The hand changes at 2:00. Now it is 14:00 (Europe/Helsinki).")
    stored = {choice.label: choice.stored for choice in setting.choices}
    assert stored == {
        "✓ the week": [0, 0, 600, "en"],
        "the day": [1, 1, 600, "en"],
        "8:00": [1, 0, 480, "en"],
        "✓ 10:00": [1, 0, 600, "en"],
        "12:00": [1, 0, 720, "en"],
        "18:00": [1, 0, 1080, "en"],
        "20:00": [1, 0, 1200, "en"],
    }
    assert setting.parse is not None
    assert setting.parse("7:15") == [1, 0, 435, "en"]
    off = post_hours.make_posts_setting(
        EN, Preferences(stored=StoredChoices({"posts": [0, 0, 600, "en"]})), NOON
    )
    assert off.value == "nothing"


def test_private_chat_chooses_a_reminder() -> None:
    off = post_hours.make_reminder_setting(EN, Preferences(), NOON)
    assert (off.value, [choice.label for choice in off.choices]) == (
        "off",
        ["off", "8:00", "10:00", "12:00", "18:00", "20:00"],
    )
    on = post_hours.make_reminder_setting(
        EN, Preferences(stored=StoredChoices({"reminder": [1080, "en"]})), NOON
    )
    assert on.value == "18:00"
    assert [choice.label for choice in on.choices][4:] == ["✓ 18:00", "20:00"]
    assert off.parse is not None
    assert off.parse("18:20") == [1100, "en"]
    assert off.parse("soon") is None
