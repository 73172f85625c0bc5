"""When the bot speaks up by itself: what of it a chat wants, and at which hour of its own clock.

A group has one hour for all of it. Telegram tells nobody's time zone, so an hour is kept with what the chat's
clock is ahead of UTC; where nobody said, that is what its quiet hours say, else nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bot.groups.settings.choices import Choice, Setting
from bot.groups.settings.rules import FULL_WIDTH, MINUTES, OFFSETS, Preferences
from bot.i18n import Words

GROUPS, ALONE = "posts", "reminder"
"""The keys of the settings, in groups and in private."""
MORNING = 600
"""The hour that holds unless another is chosen, in minutes since midnight."""
NO_HOUR = -1
"""Stands for a minute where no hour is chosen."""
PRESETS = (8, 10, 12, 18, 20)
"""Hours that buttons offer."""
TYPED = re.compile(
    r"([0-9]{1,2})(?::([0-5][0-9]))?(?:(?:\s+|\s*(?:UTC|GMT)\s*)([-−+])\s*([0-9]{1,2})(?::([0-5][0-9]))?)?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hour:
    """A time of day by a chat's own clock."""

    minute: int
    """Minutes since midnight."""
    offset: int
    """Minutes by which that clock is ahead of UTC."""

    def latest(self, now: float) -> float:
        """When that clock last showed it, up to `now` (seconds since 1970)."""
        return int(now) - (int(now) + (self.offset - self.minute) * 60) % (MINUTES * 60)


@dataclass(frozen=True, slots=True)
class Unasked:
    """What a group wants to be told unasked."""

    week: bool
    """The word about the week that is over."""
    daily: bool
    """The table of the daily hand."""
    hour: Hour


def unasked(chosen: Preferences) -> Unasked:
    """What a group chose; by itself it hears of its week."""
    match chosen.stored.get(GROUPS):
        case [int(week), int(daily), int(minute), int(offset), str(_)] if _sound(minute, offset):
            return Unasked(bool(week), bool(daily), Hour(minute, offset))
    return Unasked(True, False, Hour(MORNING, _quiet_offset(chosen)))


def reminder(chosen: Preferences) -> Hour | None:
    """When somebody wants to be reminded of the daily hand, if they do."""
    match chosen.stored.get(ALONE):
        case [int(minute), int(offset), str(_)] if _sound(minute, offset):
            return Hour(minute, offset)
    return None


def language(chosen: Preferences) -> str | None:
    """In which language it was chosen, and is said where nothing else tells."""
    for key in (GROUPS, ALONE):
        match chosen.stored.get(key):
            case [int(_), int(_), *_, str(code)]:
                return code
    return None


def clock(chosen: Preferences) -> int | None:
    """Minutes by which the chat's clock is ahead of UTC; None where nobody said."""
    if GROUPS in chosen.stored:
        return unasked(chosen).hour.offset
    hour = reminder(chosen)
    if hour is not None:
        return hour.offset
    return chosen.quiet.offset if chosen.quiet else None


def _quiet_offset(chosen: Preferences) -> int:
    return chosen.quiet.offset if chosen.quiet else 0


def _sound(minute: int, offset: int) -> bool:
    return minute in range(MINUTES) and offset in OFFSETS


def packed(hour: Hour, language: str) -> list[int | str]:
    """A time of day as it is stored."""
    return [hour.minute, hour.offset, language]


def packed_unasked(wanted: Unasked, language: str) -> list[int | str]:
    """What a group wants, as it is stored."""
    return [int(wanted.week), int(wanted.daily), *packed(wanted.hour, language)]


def read_hour(text: str, offset: int) -> Hour | None:
    """A typed time of day, `8:30` or `8:30 +2` with the clock; without it, the clock is `offset`."""
    found = TYPED.fullmatch(text.strip().translate(FULL_WIDTH))
    if found is None:
        return None
    minute = int(found[1]) * 60 + int(found[2] or 0)
    if found[3]:
        ahead = int(found[4]) * 60 + int(found[5] or 0)
        offset = ahead if found[3] == "+" else -ahead
    return Hour(minute, offset) if _sound(minute, offset) else None


# In the menu


def clock_face(minutes: float) -> str:
    """`7:05`, for minutes since any midnight."""
    whole = int(minutes) % MINUTES
    return f"{whole // 60}:{whole % 60:02}"


def zone(offset: int) -> str:
    """`UTC+5:30`, and `UTC` itself."""
    if not offset:
        return "UTC"
    whole, minutes = divmod(abs(offset), 60)
    return f"UTC{'−' if offset < 0 else '+'}{whole}" + (f":{minutes:02}" if minutes else "")


def setting(words: Words, chosen: Preferences, *, private: bool, now: float) -> Setting:
    """The line of the menu about what the bot says unasked; `now` in seconds since 1970."""
    return _reminder(words, chosen, now) if private else _posts(words, chosen, now)


def _posts(words: Words, chosen: Preferences, now: float) -> Setting:
    holds = unasked(chosen)
    kinds = {"week": words.plain("the week’s winner"), "daily": words.plain("today’s hand")}
    wanted = {"week": holds.week, "daily": holds.daily}
    told = [title for kind, title in kinds.items() if wanted[kind]]
    sentence = words.say(
        "What I post unasked: who won the week, each Monday, and the table of today’s hand, each day."
        " I go by {zone}: it is {time} there now.",
        **_now(holds.hour.offset, now),
    )

    def stored(after: Unasked) -> list[int | str]:
        return packed_unasked(after, words.language)

    switches = [
        Choice(kind, _ticked(title, on=wanted[kind]), stored(_switched(holds, kind)))
        for kind, title in kinds.items()
    ]
    times = _hour_choices(holds.hour, lambda hour: stored(replace(holds, hour=hour)))
    return Setting(
        GROUPS,
        words.plain("Unasked posts"),
        ", ".join([*told, clock_face(holds.hour.minute)]) if told else words.plain("nothing"),
        sentence,
        [*switches, *times],
        _howto(words),
        _reader(holds.hour, lambda hour: stored(replace(holds, hour=hour))),
    )


def _switched(holds: Unasked, kind: str) -> Unasked:
    return replace(holds, week=not holds.week) if kind == "week" else replace(holds, daily=not holds.daily)


def _reminder(words: Words, chosen: Preferences, now: float) -> Setting:
    holds, off = reminder(chosen), words.plain("off")
    hour = holds or Hour(NO_HOUR, clock(chosen) or 0)
    sentence = words.say(
        "When I remind you of today’s hand, unless you have opened it."
        " I go by {zone}: it is {time} there now.",
        **_now(hour.offset, now),
    )

    def stored(to: Hour) -> list[int | str]:
        return packed(to, words.language)

    return Setting(
        ALONE,
        words.plain("Daily reminder"),
        clock_face(holds.minute) if holds else off,
        sentence,
        [Choice("off", off), *_hour_choices(hour, stored)],
        _howto(words),
        _reader(hour, stored),
    )


def _hour_choices(holds: Hour, stored: Callable[[Hour], object]) -> list[Choice]:
    """Buttons for other times of day and, where one holds, for the same one on a clock an hour off."""
    times = {str(h): Hour(h * 60, holds.offset) for h in PRESETS}
    labels = {code: _ticked(clock_face(hour.minute), on=hour == holds) for code, hour in times.items()}
    moved = {"back": holds.offset - 60, "on": holds.offset + 60} if holds.minute != NO_HOUR else {}
    zones = {code: Hour(holds.minute, to) for code, to in moved.items() if to in OFFSETS}
    labels |= {code: f"🕐 {zone(hour.offset)}" for code, hour in zones.items()}
    return [Choice(code, labels[code], stored(hour)) for code, hour in (times | zones).items()]


def _reader(holds: Hour, stored: Callable[[Hour], object]) -> Callable[[str], object]:
    """What is made of a typed time of day."""

    def read(text: str) -> object:
        hour = read_hour(text, holds.offset)
        return None if hour is None else stored(hour)

    return read


def _ticked(label: str, *, on: bool) -> str:
    return f"✓ {label}" if on else label


def _now(offset: int, now: float) -> dict[str, Any]:
    return {"time": clock_face(now / 60 + offset), "zone": zone(offset)}


def _howto(words: Words) -> Any:
    return words.say("Type the hour and what your clock is ahead of UTC, like this: 8:30 +2")
