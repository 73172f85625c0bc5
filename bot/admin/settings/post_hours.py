"""When the bot speaks up by itself: what of it a chat wants, and at which hour by the chat's time zone.

A group has one hour for all of it. An hour is minutes since midnight.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot import zones
from bot.admin.settings.choices import Choice, Setting
from bot.admin.settings.preferences import FULL_WIDTH, MINUTES_PER_DAY, TIMEZONE_KEY, Preferences
from bot.i18n import Html, Words

POSTS_KEY, REMINDER_KEY = "posts", "reminder"  # The keys of the settings, in groups and in private
DEFAULT_MINUTE = 600  # The hour that holds unless another is chosen
PRESETS = (8, 10, 12, 18, 20)  # Hours that buttons offer
TYPED = re.compile(r"([0-9]{1,2})(?::([0-5][0-9]))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PostPreferences:
    """What a group wants to be told unasked."""

    wants_week: bool  # The word about the week that is over
    wants_daily: bool  # The table of the daily hand
    minute: int


def read_post_preferences(chosen: Preferences) -> PostPreferences:
    """What a group chose; by itself it hears of its week."""
    match chosen.stored.get(POSTS_KEY):
        case [int(week), int(daily), int(minute), str(_)] if minute in range(MINUTES_PER_DAY):
            return PostPreferences(bool(week), bool(daily), minute)
    return PostPreferences(True, False, DEFAULT_MINUTE)


def read_reminder_minute(chosen: Preferences) -> int | None:
    """At which hour somebody wants to be reminded of the daily hand; None if they don't."""
    match chosen.stored.get(REMINDER_KEY):
        case [int(minute), str(_)] if minute in range(MINUTES_PER_DAY):
            return minute
    return None


def read_language(chosen: Preferences) -> str | None:
    """In which language it was chosen, and is said where nothing else tells."""
    for key in (POSTS_KEY, REMINDER_KEY):
        match chosen.stored.get(key):
            case [int(_), *_, str(code)]:
                return code
    return None


def get_local_hour(chosen: Preferences, at: float) -> int | None:
    """Return the hour that the chat's clocks show; None where nobody chose a time zone."""
    return datetime.fromtimestamp(at, chosen.zone).hour if TIMEZONE_KEY in chosen.stored else None


def pack_reminder(minute: int, language: str) -> list[int | str]:
    """A time of day as it is stored."""
    return [minute, language]


def pack_post_preferences(wanted: PostPreferences, language: str) -> list[int | str]:
    """What a group wants, as it is stored."""
    return [int(wanted.wants_week), int(wanted.wants_daily), *pack_reminder(wanted.minute, language)]


def parse_minute(text: str) -> int | None:
    """A typed time of day, such as `8:30`."""
    found = TYPED.fullmatch(text.strip().translate(FULL_WIDTH))
    minute = int(found[1]) * 60 + int(found[2] or 0) if found else -1
    return minute if minute in range(MINUTES_PER_DAY) else None


# In the menu


def format_minute(minute: int) -> str:
    """`7:05`, for minutes since midnight."""
    return f"{minute // 60}:{minute % 60:02}"


def format_local_time(zone: ZoneInfo, at: float) -> str:
    """Return what the zone's clocks show, such as `7:05`."""
    return format_minute(get_local_minute(zone, at))


def get_local_minute(zone: ZoneInfo, at: float) -> int:
    """Return the minutes since midnight that the zone's clocks show."""
    shown = datetime.fromtimestamp(at, zone)
    return shown.hour * 60 + shown.minute


def make_setting(words: Words, chosen: Preferences, *, private: bool, now: float) -> Setting:
    """The line of the menu about what the bot says unasked; `now` in seconds since 1970."""
    return _reminder(words, chosen, now) if private else _posts(words, chosen, now)


def _posts(words: Words, chosen: Preferences, now: float) -> Setting:
    holds = read_post_preferences(chosen)
    kinds = {
        "week": words.translate_plain("the week’s winner"),
        "daily": words.translate_plain("today’s hand"),
    }
    wanted = {"week": holds.wants_week, "daily": holds.wants_daily}
    told = [title for kind, title in kinds.items() if wanted[kind]]
    sentence = words.translate(
        "What I post unasked: who won the week, each Monday, and the table of today’s hand, each day;"
        " a new hand comes at {change}. I go by {zone}: it is {time} there now.",
        **_now(chosen.zone, now),
    )

    def stored(after: PostPreferences) -> list[int | str]:
        return pack_post_preferences(after, words.language)

    switches = [
        Choice(kind, _ticked(title, on=wanted[kind]), stored(_switched(holds, kind)))
        for kind, title in kinds.items()
    ]
    times = _hour_choices(holds.minute, lambda minute: stored(replace(holds, minute=minute)))
    return Setting(
        POSTS_KEY,
        words.translate_plain("Unasked posts"),
        ", ".join([*told, format_minute(holds.minute)]) if told else words.translate_plain("nothing"),
        sentence,
        [*switches, *times],
        _howto(words),
        _reader(lambda minute: stored(replace(holds, minute=minute))),
    )


def _switched(holds: PostPreferences, kind: str) -> PostPreferences:
    return (
        replace(holds, wants_week=not holds.wants_week)
        if kind == "week"
        else replace(holds, wants_daily=not holds.wants_daily)
    )


def _reminder(words: Words, chosen: Preferences, now: float) -> Setting:
    holds, off = read_reminder_minute(chosen), words.translate_plain("off")
    sentence = words.translate(
        "When I remind you of today’s hand, unless you have opened it; a new one comes at {change}."
        " I go by {zone}: it is {time} there now.",
        **_now(chosen.zone, now),
    )

    def stored(to: int) -> list[int | str]:
        return pack_reminder(to, words.language)

    return Setting(
        REMINDER_KEY,
        words.translate_plain("Daily reminder"),
        off if holds is None else format_minute(holds),
        sentence,
        [Choice("off", off), *_hour_choices(holds, stored)],
        _howto(words),
        _reader(stored),
    )


def _hour_choices(holds: int | None, stored: Callable[[int], object]) -> list[Choice]:
    """Buttons for other times of day."""
    return [
        Choice(str(h), _ticked(format_minute(h * 60), on=h * 60 == holds), stored(h * 60)) for h in PRESETS
    ]


def _reader(stored: Callable[[int], object]) -> Callable[[str], object]:
    """What is made of a typed time of day."""

    def read(text: str) -> object:
        minute = parse_minute(text)
        return None if minute is None else stored(minute)

    return read


def _ticked(label: str, *, on: bool) -> str:
    return f"✓ {label}" if on else label


def _now(zone: ZoneInfo, now: float) -> dict[str, Any]:
    change = format_local_time(zone, zones.find_next_time(zones.UTC, 0, now))
    return {"time": format_local_time(zone, now), "zone": zones.format_zone(zone), "change": change}


def _howto(words: Words) -> Html:
    return words.translate("Type the hour, like this: 8:30")
