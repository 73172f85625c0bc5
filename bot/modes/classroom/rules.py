"""The rules of a class, free of I/O: its code, its pupils' names, lessons, and which pupils are stuck.

The pupils of a class are guests. A lesson is a list of hands. Each pupil has a round of their own for each of
them, so that tries, hints and times are theirs; a right answer ends it without points, and any number of
wrong ones may come before.
"""

import secrets
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from bot.durations import DAY, HOUR
from bot.i18n import BLANK_CHARACTERS, DIRECTION_MARKS, INVISIBLE_NAME, LINE_BREAKS, clean_name
from bot.modes.classroom.diagnosis import Mistake
from bot.rounds.rules import State

MAX_PUPILS = 100  # Of a class
MAX_HANDS = 20  # Of a lesson
MAX_SECONDS = HOUR  # For a hand
MAX_HOMEWORK_SECONDS = 28 * DAY
KEPT_SECONDS = DAY  # After the end of the last lesson, until names and answers are deleted

# Codes

CODE_CHARACTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # Without those that look alike: 0 and O, 1, I and L
CODE_LENGTH = 6  # 887 million codes


def make_code() -> str:
    return "".join(secrets.choice(CODE_CHARACTERS) for _ in range(CODE_LENGTH))


def normalize_code(typed: str) -> str:
    """Return a typed code in capitals, without spaces and dashes; wide letters of Chinese keyboards count."""
    capitals = unicodedata.normalize("NFKC", typed).upper()
    return "".join(character for character in capitals if character.isalnum())


# Names

MAX_NAME_CHARS = 32
MARKS = {"Mn", "Me"}  # Categories of accents
MAX_MARKS = 3  # On one letter: more of them would run over the lines above and below


def clean_pupil_name(typed: str) -> str | None:
    """Return a name as it is listed: one short line, without marks that change its surroundings.

    None if nothing of it is visible.
    """
    words = typed.translate(DIRECTION_MARKS | LINE_BREAKS).split()
    line = "".join(character for character in " ".join(words) if unicodedata.category(character) != "Cc")
    kept = ""
    mark_count = 0
    for character in unicodedata.normalize("NFC", line):
        if unicodedata.category(character) in MARKS:
            mark_count += 1
        elif unicodedata.category(character) != "Cf":  # over which marks are stacked as well
            mark_count = 0
        if mark_count <= MAX_MARKS:
            kept += character
    name = clean_name(kept[:MAX_NAME_CHARS].strip())
    return None if name == INVISIBLE_NAME else name


def make_name_key(name: str) -> str:
    """Return a text that is the same for names that nobody could tell apart when they are called out."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join("".join(filter(_is_heard, folded)).split())


VARIANTS = {"\u034f", *map(chr, range(0xFE00, 0xFE10))}  # They join letters, or choose the style of an emoji


def _is_heard(character: str) -> bool:
    is_format = unicodedata.category(character) == "Cf"
    return not is_format and character not in BLANK_CHARACTERS and character not in VARIANTS


@dataclass(frozen=True, slots=True)
class Pupil:
    id: int
    class_id: int
    name: str
    has_joined: bool  # Somebody plays under the name
    is_taken: bool  # Nobody else may join under it
    device: str = ""  # A random id of the browser that joined, which only that browser knows


# Classes and lessons


@dataclass(frozen=True, slots=True)
class SchoolClass:
    id: int
    code: str
    teacher_id: int | None  # The Telegram user; None in a class without Telegram
    opened: float
    closed: float | None = None
    is_locked: bool = False
    is_kept: bool = False  # The teacher keeps the report


class Pace(StrEnum):
    TOGETHER = "together"  # Everybody has the same hand, until the teacher deals the next
    OWN = "own"  # Each pupil goes on to the next hand alone


@dataclass(frozen=True, slots=True)
class Lesson:
    id: int
    class_id: int
    game: str  # The key of its game
    pace: Pace
    count: int  # Of its hands
    opened: float
    seconds: float | None = None  # For each hand; None: no clock
    due: float | None = None  # When homework ends; None: when the teacher ends it
    closed: float | None = None
    number: int = 1  # Of the present hand, where all play together
    shows_solutions: bool = False  # The present hand is over, where all play together

    def is_open(self, now: float) -> bool:
        """Whether hands may be dealt and answered."""
        return self.closed is None and (self.due is None or now < self.due)

    def get_deadline(self, opened: float) -> float | None:
        """Return when the time for a hand is up that is dealt at `opened`; None for no limit."""
        ends = [opened + self.seconds] if self.seconds is not None else []
        if self.due is not None:
            ends.append(self.due)
        return min(ends, default=None)


# One pupil's hand

STUCK_SECONDS = 120.0
STUCK_TRIES = 4  # Wrong answers


@dataclass(frozen=True, slots=True)
class PupilHand:
    """One pupil's progress with one hand of a lesson."""

    round_id: int
    pupil_id: int
    number: int
    state: State
    opened: float
    closed: float | None = None
    answer: str = ""  # The right one; in a game that looks for the nearest value, the latest
    hints: int = 0
    mistakes: Counter[Mistake] = field(default_factory=Counter)
    last_wrong: str = ""
    last_mistake: Mistake | None = None

    @property
    def is_solved(self) -> bool:
        return self.state is State.WON

    @property
    def is_over(self) -> bool:
        return self.state is not State.OPEN

    @property
    def tries(self) -> int:
        """The number of answers, the right one included."""
        return self.mistakes.total() + self.is_solved

    def get_seconds(self, now: float) -> float:
        """Return the time that the pupil has spent on the hand, up to now or to its end."""
        end = now if self.closed is None else self.closed
        return max(0.0, end - self.opened)

    def is_stuck(self, now: float, *, is_homework: bool = False) -> bool:
        """Whether the pupil may need help: two minutes on the hand, unless at home, or four wrong answers."""
        is_slow = now - self.opened >= STUCK_SECONDS and not is_homework
        return not self.is_over and (is_slow or self.mistakes.total() >= STUCK_TRIES)
