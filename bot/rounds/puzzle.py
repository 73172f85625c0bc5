"""What every game deals, is asked and answers, as far as the others need to know it. Values only."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, Protocol
from unicodedata import combining, normalize

import solver
from bot.i18n import Html, Words

Level = Literal["easy", "medium", "hard", "fiendish"]
LEVELS: tuple[Level, ...] = solver.LEVELS  # The easiest first
# What a right answer is worth, by the level of what was dealt.
POINTS_BY_LEVEL = {"easy": 1, "medium": 2, "hard": 3, "fiendish": 5}


class Kind(StrEnum):
    """What ends a round."""

    FIRST = "first"  # The first right answer
    ALL = "all"  # That nothing is left to find: everybody's finds score
    BEST = "best"  # Its time: everybody may hand in until then, and the game says what the last of each earns
    LESSON = "lesson"  # The first right answer, which earns nothing: somebody's very first hand, in private
    # The first right answer, which earns nothing: whoever plays has chosen the hand, and may know it.
    CHOSEN = "chosen"
    # That all who began have finished, which may take days. Everybody plays the same turns for themselves, on
    # a message of their own; it lies beside the table and not on it.
    CONTEST = "contest"
    # The first right answer, or the best there is, which earns nothing: chosen by what is hard for one.
    PRACTICE = "practice"

    @property
    def next_kind(self) -> "Kind":
        """The kind of the round that is dealt after one of this kind."""
        return self if self in (Kind.ALL, Kind.BEST) else Kind.FIRST


class Puzzle(Protocol):
    """What a game deals. Only its game looks into it; the others read this."""

    @property
    def line(self) -> str:
        """The one line by which every deal shows it and people name it."""

    @property
    def level(self) -> str:
        """One of `LEVELS`."""

    @property
    def expected(self) -> float:
        """Seconds that people usually need."""


@dataclass(frozen=True, slots=True)
class Options:
    """What somebody asks of a deal; None where nothing was said. A game may add to it."""

    level: Level | None = None
    kind: Kind = Kind.FIRST


class DealError(ValueError):
    """There is no such puzzle; `why` says so to whoever asked."""

    def __init__(self, why: Callable[[Words], Html]) -> None:
        super().__init__("no such puzzle")
        self.render_reason = why


class UnknownWordError(ValueError):
    """A word behind a command that asks for nothing; `fragment` is that word."""

    def __init__(self, fragment: str) -> None:
        super().__init__(f"asks for nothing: {fragment!r}")
        self.fragment = fragment


def parse_hand_numbers(line: str) -> tuple[int, ...]:
    """Return the numbers of a hand, sorted, from the line that shows it: those before the arrow."""
    return tuple(sorted(map(int, re.findall(r"[0-9]+", line.partition("→")[0]))))


def includes_hand(numbers: Collection[int], line: str) -> bool:
    """Whether these numbers include all numbers of the hand that the line shows, each as often as there."""
    hand = parse_hand_numbers(line)
    return bool(hand) and not Counter(hand) - Counter(numbers)


def unpack_level(packed: Mapping[str, Any]) -> Level | None:
    """The level that packed options name; None for none, and for one that is none."""
    return next((level for level in LEVELS if level == packed.get("level")), None)


def get_easier_level(level: str) -> Level | None:
    """The level below; None below the easiest, and below one that is none."""
    return next((lower for lower, known in pairwise(LEVELS) if known == level), None)


MAX_ARGUMENT_LENGTH = 100  # Characters behind a command at most


def split_argument(text: str) -> list[str]:
    """The words behind a command. Raises UnknownWordError for more than anybody means."""
    if len(text) > MAX_ARGUMENT_LENGTH:
        raise UnknownWordError(text[:20] + "…")
    return text.replace(",", " ").split()


def normalize_word(word: str) -> str:
    """A word as it is compared: without case, without accents, in letters of ordinary width."""
    return "".join(c for c in normalize("NFKD", word.casefold()) if not combining(c))


def parse_number(word: str) -> int:
    """The number that a word is; -1 for any other word."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 4 else -1


def keep_if_allowed(value: Any, allowed: Sequence[int], default: Any) -> Any:
    """`value` if it is a whole number and allowed; True and False are no numbers here."""
    return value if type(value) is int and value in allowed else default


class VerdictKind(Enum):
    """What a text is to a puzzle."""

    RIGHT = auto()
    WRONG = auto()  # An answer made of what was dealt, and wrong
    WRONG_NUMBERS = auto()  # An answer, perhaps to another puzzle
    UNREADABLE = auto()  # An answer, but nobody can read it
    TALK = auto()  # No answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one text."""

    kind: VerdictKind
    answer: str = ""  # The answer as it is kept and shown; empty where there is none
    value: Fraction | None = None  # What a wrong answer makes …
    distance: float = 0.0  # … and how far that is from right; the nearest miss is told at the end
    # Why it doesn't win, in one line; None for a right one. Talk is told only if it was called an answer.
    render_reason: Callable[[Words], Html] | None = None


@dataclass(frozen=True, slots=True)
class Tiles:
    """A puzzle whose numbers are tapped, as a page lays it out: nothing of its answers."""

    numbers: tuple[str, ...]  # Exactly: `3` or `1/3`
    labels: tuple[str, ...]  # What stands on each, such as `Q`
    target: str
    uses_all: bool  # Whether all of them must be used
    whole_numbers_only: bool = False  # Whether every number on the way must be a whole one, and none negative
    accepts_near: bool = False  # Whether what comes near the target counts too


@dataclass(frozen=True, slots=True)
class Find:
    """Something right that somebody found."""

    player_id: int
    answer: str  # As the finder wrote it
    part: str  # What of the puzzle it is; empty where the first right answer ends the round
    points: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What one player handed in, in a game in which everybody may, and the last one counts."""

    player_id: int
    answer: str
    sent_at: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is told of a question that somebody asks."""

    answer: str  # The best there is
    render: Callable[[Words], Html]  # That, step by step


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What one player who tried did in a round, all in all."""

    player_id: int
    points: int = 0  # That the round earned them
    seconds: float = 0.0  # From the deal to their first answer that earned something; 0 for none
    entry: str | None = None  # What they handed in last, in a game in which everybody may


def render_level(words: Words, level: str) -> Html:
    """A level in words."""
    return {
        "easy": words.translate("easy"),
        "medium": words.translate("medium"),
        "hard": words.translate("hard"),
        "fiendish": words.translate("fiendish"),
    }[level]


def get_levels_by_name(words: Words) -> dict[str, Level]:
    """The levels by what they are called, in this language and in English, each name `folded`."""
    return {name: level for level in LEVELS for name in (level, normalize_word(render_level(words, level)))}
