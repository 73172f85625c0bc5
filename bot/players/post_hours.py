"""Settings of the scheduled posts and their hour: weekly post, daily table, daily reminder.

A time of day is minutes since midnight in the chat's time zone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from bot import zones
from bot.i18n import Html, Words
from bot.players.choices import Choice, Setting, tick
from bot.players.preferences import MINUTES_PER_DAY, Preferences, parse_minute

POSTS_KEY, REMINDER_KEY = "posts", "reminder"  # Keys of the stored settings, in groups and in private
DEFAULT_MINUTE = 600  # Ten in the morning


@dataclass(frozen=True, slots=True)
class PostPreferences:
    """The scheduled posts that a group wants."""

    wants_week: bool  # The post about the last week
    wants_daily: bool  # The table of the daily hand
    minute: int  # The time of day of both


def read_post_preferences(preferences: Preferences) -> PostPreferences:
    """Read what a group chose; the default is the weekly post at ten."""
    match preferences.stored.get_list(POSTS_KEY):
        case [int(week), int(daily), int(minute), str(_language)] if minute in range(MINUTES_PER_DAY):
            return PostPreferences(bool(week), bool(daily), minute)
    return PostPreferences(wants_week=True, wants_daily=False, minute=DEFAULT_MINUTE)


def read_reminder_minute(preferences: Preferences) -> int | None:
    """Read the time of a person's reminder of the daily hand; None if they want none."""
    match preferences.stored.get_list(REMINDER_KEY):
        case [int(minute), str(_language)] if minute in range(MINUTES_PER_DAY):
            return minute
    return None


def read_language(preferences: Preferences) -> str | None:
    """Read the language of the menu in which posts or the reminder were chosen; None if they were not."""
    for key in (POSTS_KEY, REMINDER_KEY):
        match preferences.stored.get_list(key):
            case [int(), *_others, str(code)]:  # Both settings begin with a number and have the language last
                return code
    return None


def pack_reminder(minute: int, language: str) -> list[int | str]:
    return [minute, language]


def format_minute(minute: int) -> str:
    """Format a time of day, such as `7:05`."""
    return f"{minute // 60}:{minute % 60:02}"


def get_local_minute(zone: ZoneInfo, at: float) -> int:
    local = datetime.fromtimestamp(at, zone)
    return local.hour * 60 + local.minute


def format_local_time(zone: ZoneInfo, at: float) -> str:
    """Format the time of day in a zone, such as `7:05`."""
    return format_minute(get_local_minute(zone, at))


# In the settings menu

PRESET_HOURS = (8, 10, 12, 18, 20)


def make_posts_setting(words: Words, preferences: Preferences, now: float) -> Setting:
    """Make the setting of the scheduled posts: which the bot sends, and at which hour."""
    chosen = read_post_preferences(preferences)
    week, daily = words.translate_plain("the week"), words.translate_plain("the day")
    wanted = [title for title, is_on in ((week, chosen.wants_week), (daily, chosen.wants_daily)) if is_on]
    explanation = words.translate(
        "On Mondays I post who won the week, each day the table of today’s hand."
        " The hand changes at {change}. Now it is {time} ({zone}).",
        **_format_times(preferences.zone, now),
    )

    def pack(new: PostPreferences) -> list[int | str]:
        return [int(new.wants_week), int(new.wants_daily), new.minute, words.language]

    def pack_minute(minute: int) -> list[int | str]:
        return pack(replace(chosen, minute=minute))

    with_other_week = pack(replace(chosen, wants_week=not chosen.wants_week))
    with_other_daily = pack(replace(chosen, wants_daily=not chosen.wants_daily))
    present = words.translate_plain("nothing")
    if wanted:
        present = ", ".join([*wanted, format_minute(chosen.minute)])
    return Setting(
        key=POSTS_KEY,
        title=words.translate_plain("Regular posts"),
        value=present,
        explanation=explanation,
        choices=[
            Choice("week", tick(week, is_on=chosen.wants_week), stored=with_other_week),
            Choice("daily", tick(daily, is_on=chosen.wants_daily), stored=with_other_daily),
            *_make_hour_choices(chosen.minute, pack_minute),
        ],
        typing_help=words.translate("Type the hour, like this: 8:30"),
        parse=lambda typed: _parse_and_pack(typed, pack_minute),
    )


def make_reminder_setting(words: Words, preferences: Preferences, now: float) -> Setting:
    """Make the setting of the hour of the daily reminder, or of none."""
    chosen = read_reminder_minute(preferences)
    off = words.translate_plain("off")
    explanation = words.translate(
        "I remind you of today’s hand, unless you have opened it. The hand changes at {change}."
        " Now it is {time} ({zone}).",
        **_format_times(preferences.zone, now),
    )
    pack = partial(pack_reminder, language=words.language)
    return Setting(
        key=REMINDER_KEY,
        title=words.translate_plain("Daily reminder"),
        value=off if chosen is None else format_minute(chosen),
        explanation=explanation,
        choices=[Choice("off", off), *_make_hour_choices(chosen, pack)],
        typing_help=words.translate("Type the hour, like this: 8:30"),
        parse=lambda typed: _parse_and_pack(typed, pack),
    )


def _parse_and_pack(typed: str, pack: Callable[[int], object]) -> object:
    """Return the value to store for a typed time of day; None if it can't be read."""
    minute = parse_minute(typed)
    return None if minute is None else pack(minute)


def _format_times(zone: ZoneInfo, now: float) -> dict[str, Html | str]:
    """Format the present time, the zone, and the time at which the daily hand changes (midnight UTC)."""
    change = format_local_time(zone, zones.find_next_time(zones.UTC, 0, now))
    return {"time": format_local_time(zone, now), "zone": zones.format_zone(zone), "change": change}


def _make_hour_choices(chosen: int | None, pack: Callable[[int], object]) -> list[Choice]:
    """Make a choice of each preset hour; `chosen` and the argument of `pack` are minutes of the day."""
    return [
        Choice(str(hour), tick(f"{hour}:00", is_on=hour * 60 == chosen), stored=pack(hour * 60))
        for hour in PRESET_HOURS
    ]
