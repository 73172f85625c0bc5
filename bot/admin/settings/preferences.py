"""What a chat's people chose in /settings, read from what is stored, and what follows from it.

Stored is a JSON object that only holds what differs from the defaults. Nothing in it is trusted: a value
that is unknown, broken or out of bounds counts as not chosen. Nothing here reads a clock or a database.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from bot import zones
from bot.durations import HOUR
from bot.rounds.puzzle import LEVELS, Level, keep_if_allowed

MINUTES_PER_DAY = 1440  # In a day
GENERAL_TOPIC = 1  # The thread by which a forum's General topic is chosen; messages in it carry none
AWAITED_KEY = "asked"
# Set where every message is heard: by the terminal, of itself; of groups nobody knows it for sure.
HEARS_ALL_KEY = "heard"
# Set where answers are secret.
SECRET_KEY = "secret"  # noqa: S105 - a name
PICTURES_KEY = "pictures"
TIMEZONE_KEY = "timezone"
FULL_WIDTH = str.maketrans("０１２３４５６７８９：－＋　", "0123456789:-+ ")
HOURS = re.compile(r"([0-9]{1,2})(?::([0-5][0-9]))?\s*[-–—−]\s*([0-9]{1,2})(?::([0-5][0-9]))?", re.ASCII)


class Pictures(StrEnum):
    """What a chat sees as pictures."""

    OFF = "off"
    CARDS = "cards"  # What is dealt
    # That, how it ended, and what people have done: each of these is one more picture for all to load.
    ALL = "all"


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours in which no hand is dealt, by the chat's own clock."""

    start: int  # Minutes since midnight
    end: int  # Minutes since midnight; before `start` where the night lies between

    def get_end(self, zone: ZoneInfo, now: float) -> float | None:
        """When the quiet hours around `now` (seconds since 1970) end in the zone; None outside of them."""
        end = zones.find_next_time(zone, self.end, zones.find_last_time(zone, self.start, now))
        return end if now < end else None


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices of one chat; as they stand here, the defaults."""

    language: str | None = None  # None follows whoever speaks
    level: Level | None = None  # None deals any
    seconds: int = 600  # How long a hand stays on the table
    rounds_an_hour: int | None = None  # None is no limit
    quiet: QuietHours | None = None
    # By which its hours, days, weeks and months are counted. Telegram tells nobody's time zone.
    zone: ZoneInfo = zones.UTC
    reads_plain_answers: bool = (
        True  # Whether a message that is neither a command nor a reply to the bot may be an answer
    )
    topic: int = 0  # The one topic that is played in; 0 is any, GENERAL the one without a thread
    hints: bool = True
    hears_all: bool = False  # Whether nobody needs to reply to be heard
    secret_answers: bool = False  # Whether wrong answers and their reasons are for their authors alone
    topic_name: str = ""  # The tied topic's name as it was last seen
    # What is played with is looked at; what is read stays text, unless a chat would rather look.
    pictures: Pictures = Pictures.CARDS
    # All that was chosen, in which each game finds what is its own.
    stored: Mapping[str, Any] = field(default_factory=dict)


DEFAULTS = Preferences()


class Chat(Protocol):
    """What is read of a chat here."""

    @property
    def private(self) -> bool:
        """Whether it is a person alone with the bot."""

    @property
    def language(self) -> str | None:
        """Chosen for all."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """As they are stored."""


def read_preferences(chat: Chat) -> Preferences:
    """The choices of `chat`; of what only groups can choose, the defaults in private."""
    alone = _alone(chat.settings, chat.language)
    return alone if chat.private else _with_others(alone)


def read_group_preferences(stored: Mapping[str, Any]) -> Preferences:
    """The choices of a group that are stored so, but for the language."""
    return _with_others(_alone(stored, None))


def _alone(stored: Mapping[str, Any], language: str | None) -> Preferences:
    """What people choose in private as well."""
    level = stored.get("level")
    return Preferences(
        language=language,
        level=level if level in LEVELS else None,
        seconds=keep_if_allowed(stored.get("seconds"), range(15, 86_401), DEFAULTS.seconds),
        hints=stored.get("hints") is not False,
        zone=zones.get_zone(stored.get(TIMEZONE_KEY)),
        pictures=next((known for known in Pictures if known == stored.get(PICTURES_KEY)), DEFAULTS.pictures),
        stored=stored,
    )


def _with_others(alone: Preferences) -> Preferences:
    """The choices with those that only groups have."""
    stored = alone.stored
    return replace(
        alone,
        rounds_an_hour=keep_if_allowed(stored.get("rounds_an_hour"), range(1, 1001), None),
        quiet=_quiet(stored.get("quiet")),
        reads_plain_answers=stored.get("plain") is not False,
        hears_all=stored.get(HEARS_ALL_KEY) is True,
        secret_answers=stored.get(SECRET_KEY) is True,
        topic=keep_if_allowed(stored.get("topic"), range(2**53), 0),
        topic_name=name if isinstance(name := stored.get("topic_name"), str) else "",
    )


def _quiet(value: Any) -> QuietHours | None:
    match value:
        case [int(start), int(end)] if (
            start in range(MINUTES_PER_DAY) and end in range(MINUTES_PER_DAY) and start != end
        ):
            return QuietHours(start, end)
    return None


def pack_quiet_hours(quiet: QuietHours | None) -> list[int] | None:
    """Quiet hours as they are stored; `of` reads them back."""
    return [quiet.start, quiet.end] if quiet else None


@dataclass(frozen=True, slots=True)
class AwaitedValue:
    """A menu that waits for somebody to type a setting."""

    message_id: int  # The menu's message; what is typed replies to it
    key: str  # The setting


def read_awaited_value(chat: Chat) -> AwaitedValue | None:
    """What the menu in `chat` waits for. It is stored with the settings, so a restart forgets nothing."""
    match chat.settings.get(AWAITED_KEY):
        case [int(message_id), str(key)]:
            return AwaitedValue(message_id, key)
    return None


def parse_quiet_hours(text: str) -> QuietHours | None:
    """Typed quiet hours, such as `22:30-7`."""
    found = HOURS.fullmatch(text.strip().translate(FULL_WIDTH))
    if found is None:
        return None
    return _quiet([int(found[n]) * 60 + int(found[n + 1] or 0) for n in (1, 3)])


def is_wrong_topic(preferences: Preferences, topic: int) -> bool:
    """Whether the chat plays in another topic than the one with thread `topic` (0: none)."""
    return preferences.topic not in (0, topic or GENERAL_TOPIC)


def get_quiet_end(preferences: Preferences, now: float) -> float | None:
    """When hands are dealt again, if it is quiet at `now`."""
    return preferences.quiet.get_end(preferences.zone, now) if preferences.quiet else None


def count_rounds_left(preferences: Preferences, opened: Sequence[float], now: float) -> int | None:
    """How many more hands the hour allows; None is no limit. `opened` as in `full_until`."""
    most = preferences.rounds_an_hour
    return None if most is None else max(0, most - sum(at > now - HOUR for at in opened))


def get_next_round_time(preferences: Preferences, opened: Sequence[float], now: float) -> float | None:
    """When the next hand may be dealt, if the hour is full; `opened` is when the latest rounds were."""
    most = preferences.rounds_an_hour
    latest = sorted((at for at in opened if at > now - HOUR), reverse=True)
    return None if most is None or len(latest) < most else latest[most - 1] + HOUR
