"""The choices of a chat in /settings, read from what is stored. Pure: no clock, no database.

The stored JSON object holds only what differs from the defaults. A value that is unknown, broken or out of
bounds counts as not chosen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from bot import zones
from bot.durations import HOUR
from bot.levels import LevelChoice, parse_level
from bot.players.choices import NO_CHOICES, StoredChoices
from bot.players.queries import Chat

# Keys of stored settings
AWAITED_KEY = "asked"
HEARS_ALL_KEY = "heard"  # Set by the terminal, where the bot reads every message
SECRET_KEY = "secret"  # noqa: S105 - a name
GIVING_UP_KEY = "giving_up"
ADMINS_DEAL_KEY = "admins_deal"
PICTURES_KEY = "pictures"
TIMEZONE_KEY = "timezone"

GENERAL_TOPIC = 1  # The stored thread of a forum's General topic; messages in it have none
MINUTES_PER_DAY = 1440


class Pictures(StrEnum):
    """The messages that a chat sees as pictures."""

    OFF = "off"
    CARDS = "cards"  # What is dealt
    ALL = "all"  # Also ends of rounds, profiles and leaderboards: one more picture to load for everybody


class GivingUp(StrEnum):
    """The people who have to give a hand up before its solution is shown."""

    ONE = "one"  # Any one player
    FEW = "few"  # As many as `compute_votes_needed` says
    ADMINS = "admins"  # Any admin, and nobody else


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours in which no hand is dealt, in the chat's time zone."""

    start: int  # Minutes since midnight
    end: int  # Minutes since midnight; before `start` if midnight lies between


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices of one chat, with the defaults."""

    language: str | None = None  # None follows the person who writes
    level: LevelChoice | None = None  # None follows the players
    seconds: int = 600  # How long a hand stays open
    rounds_an_hour: int | None = None  # None is no limit
    quiet: QuietHours | None = None
    zone: ZoneInfo = zones.UTC  # For its hours, days, weeks and months
    reads_plain_answers: bool = True  # Whether answers need no command and no reply to the bot
    topic: int = 0  # The only topic in which the bot plays; 0 is any
    hints: bool = True
    hears_all: bool = False  # Whether the bot is sure to read every message
    secret_answers: bool = False  # Whether only its author sees a wrong answer and why it is wrong
    topic_name: str = ""  # Of the only topic, as last seen
    giving_up: GivingUp = GivingUp.FEW
    admins_deal: bool = False  # Whether nobody else deals
    pictures: Pictures = Pictures.ALL
    stored: StoredChoices = NO_CHOICES  # Everything stored, also the games' own settings


DEFAULTS = Preferences()


def read_preferences(chat: Chat) -> Preferences:
    """Read the choices of a chat; a private chat has the defaults for what only groups can choose."""
    return _read_choices(chat.settings, NO_CHOICES if chat.private else chat.settings, chat.language)


def read_group_preferences(stored: StoredChoices) -> Preferences:
    """Read the choices of a group, without its language, from its stored settings."""
    return _read_choices(stored, in_group=stored, language=None)


def _read_choices(stored: StoredChoices, in_group: StoredChoices, language: str | None) -> Preferences:
    """Read the choices of a chat; `in_group` are those that a group alone can make, empty in private."""
    pictures, giving_up = stored.get_text(PICTURES_KEY), in_group.get_text(GIVING_UP_KEY)
    return Preferences(
        language=language,
        level=parse_level(stored.get_text("level")),
        seconds=stored.get_number("seconds", range(15, 86_401)) or DEFAULTS.seconds,  # Up to a day
        hints=stored.get_switch("hints", default=True),
        zone=zones.get_zone(stored.get_text(TIMEZONE_KEY)),
        pictures=Pictures(pictures) if pictures in list(Pictures) else DEFAULTS.pictures,
        rounds_an_hour=in_group.get_number("rounds_an_hour", range(1, 1001)),
        quiet=_read_quiet_hours(in_group.get_list("quiet")),
        reads_plain_answers=in_group.get_switch("plain", default=True),
        hears_all=in_group.get_switch(HEARS_ALL_KEY),
        secret_answers=in_group.get_switch(SECRET_KEY),
        giving_up=GivingUp(giving_up) if giving_up in list(GivingUp) else DEFAULTS.giving_up,
        admins_deal=in_group.get_switch(ADMINS_DEAL_KEY),
        topic=in_group.get_number("topic", range(2**53)) or 0,
        topic_name=in_group.get_text("topic_name"),
        stored=stored,
    )


def _read_quiet_hours(value: Sequence[object]) -> QuietHours | None:
    """Read two different times of day in minutes; None for anything else."""
    day = range(MINUTES_PER_DAY)
    match value:
        case [int(start), int(end)] if start in day and end in day and start != end:
            return QuietHours(start, end)
    return None


def pack_quiet_hours(quiet: QuietHours | None) -> list[int] | None:
    return [quiet.start, quiet.end] if quiet else None


TIME_OF_DAY = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-5][0-9]))?")
FULL_WIDTH = str.maketrans("０１２３４５６７８９：－＋　", "0123456789:-+ ")  # As typed in East Asia


def parse_minute(text: str) -> int | None:
    """Parse a typed time of day, such as `8:30`; None if it can't be read."""
    found = TIME_OF_DAY.fullmatch(text.strip().translate(FULL_WIDTH))
    if found is None:
        return None
    minute = int(found["hour"]) * 60 + int(found["minute"] or 0)
    return minute if minute < MINUTES_PER_DAY else None


def parse_quiet_hours(text: str) -> QuietHours | None:
    """Parse typed quiet hours, such as `22:30-7`; None if they can't be read."""
    return _read_quiet_hours([parse_minute(part) for part in re.split("[-–—−－]", text)])


@dataclass(frozen=True, slots=True)
class AwaitedValue:
    """A settings menu that waits for a typed value."""

    message_id: int  # The menu's message
    key: str  # The setting


def read_awaited_value(chat: Chat) -> AwaitedValue | None:
    """Read what the chat's settings menu waits for; None if it waits for nothing."""
    match chat.settings.get_list(AWAITED_KEY):
        case [int(message_id), str(key)]:
            return AwaitedValue(message_id, key)
    return None


def is_wrong_topic(preferences: Preferences, topic: int) -> bool:
    """Whether the chat plays only in another topic than that with thread `topic` (0: none)."""
    return preferences.topic != 0 and preferences.topic != (topic or GENERAL_TOPIC)


def get_quiet_end(preferences: Preferences, now: float) -> float | None:
    """Return when the quiet hours around `now` end; None outside of them."""
    quiet, zone = preferences.quiet, preferences.zone
    if quiet is None:
        return None
    began_at = zones.find_last_time(zone, quiet.start, now)  # The latest quiet hours, perhaps over
    end = zones.find_next_time(zone, quiet.end, began_at)
    return end if now < end else None


def count_rounds_left(preferences: Preferences, opened: Sequence[float], now: float) -> int | None:
    """Return how many rounds the hour still allows after those at the times `opened`; None is no limit."""
    if preferences.rounds_an_hour is None:
        return None
    latest = [at for at in opened if at > now - HOUR]
    return max(0, preferences.rounds_an_hour - len(latest))


def get_next_round_time(preferences: Preferences, opened: Sequence[float], now: float) -> float | None:
    """Return when the next round may be dealt; None if it may be now. `opened` as in `count_rounds_left`."""
    limit = preferences.rounds_an_hour
    latest = sorted((at for at in opened if at > now - HOUR), reverse=True)
    if limit is None or len(latest) < limit:
        return None
    return latest[limit - 1] + HOUR  # Then only `limit - 1` rounds lie within the last hour
