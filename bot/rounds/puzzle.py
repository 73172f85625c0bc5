"""Values that games and rounds share: puzzles, options of a deal, verdicts, answers and levels."""

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
POINTS_BY_LEVEL = {"easy": 1, "medium": 2, "hard": 3, "fiendish": 5}  # For a right answer
MAX_ARGUMENT_LENGTH = 100  # Characters behind a command
MAX_QUOTED_LENGTH = 20  # Characters of a longer text that the error quotes
MAX_DIGITS = 4  # Of a number behind a command


class Kind(StrEnum):
    """The way a round ends and scores."""

    FIRST = "first"  # The first right answer wins
    ALL = "all"  # It ends when everything is found; each find scores
    BEST = "best"  # It ends when its time is up; the game then awards the last entry of each player
    LESSON = "lesson"  # The first right answer ends it without points: a newcomer's first hand, in private
    CHOSEN = "chosen"  # The first right answer ends it without points: a player chose the hand
    # It ends when every participant has finished, which may take days. Each plays the same turns on a message
    # of their own, beside whatever other round is open in the chat.
    CONTEST = "contest"
    PRACTICE = "practice"  # A right answer ends it without points: a hand for a skill that the player lacks

    @property
    def next_kind(self) -> "Kind":
        """The kind of the round that is dealt after one of this kind."""
        return self if self in (Kind.ALL, Kind.BEST) else Kind.FIRST


class Puzzle(Protocol):
    """A deal of some game. Only that game reads more of it than these members."""

    @property
    def line(self) -> str:
        """The line that shows and names the puzzle, such as `3 8 3 8 → 24`."""

    @property
    def level(self) -> str:
        """One of `LEVELS`."""

    @property
    def expected(self) -> float:
        """Seconds that people usually need."""


@dataclass(frozen=True, slots=True)
class Options:
    """Wishes for a deal. A game may have a subclass with more."""

    level: Level | None = None  # None: as the chat chose
    kind: Kind = Kind.FIRST


class DealError(ValueError):
    """No puzzle meets the options."""

    def __init__(self, render_reason: Callable[[Words], Html]) -> None:
        super().__init__("no such puzzle")
        self.render_reason = render_reason


class UnknownWordError(ValueError):
    """A word behind a command has no meaning there."""

    def __init__(self, fragment: str) -> None:
        super().__init__(f"asks for nothing: {fragment!r}")
        self.fragment = fragment


def parse_hand_numbers(line: str) -> tuple[int, ...]:
    """Return the numbers before the arrow in a puzzle's line, sorted."""
    hand = line.partition("→")[0]  # the whole line if it has no arrow
    return tuple(sorted(int(digits) for digits in re.findall(r"[0-9]+", hand)))


def includes_hand(numbers: Collection[int], line: str) -> bool:
    """Whether the numbers include those of the puzzle with that line, each as often; False if it has none."""
    hand = parse_hand_numbers(line)
    missing = Counter(hand) - Counter(numbers)  # only what the hand has more often
    return bool(hand) and not missing


def unpack_level(packed: Mapping[str, Any]) -> Level | None:
    """Return the level in packed options; None if it is missing or unknown."""
    return next((level for level in LEVELS if level == packed.get("level")), None)


def get_easier_level(level: str) -> Level | None:
    """Return the next easier level; None for the easiest and for an unknown one."""
    return next((lower for lower, higher in pairwise(LEVELS) if higher == level), None)


def split_argument(text: str) -> list[str]:
    """Split the text behind a command at spaces and commas. Raises UnknownWordError if it is too long."""
    if len(text) > MAX_ARGUMENT_LENGTH:
        raise UnknownWordError(text[:MAX_QUOTED_LENGTH] + "…")
    return text.replace(",", " ").split()


def normalize_word(word: str) -> str:
    """Return the word without case and accents, full-width letters as ordinary ones, for comparison."""
    decomposed = normalize("NFKD", word.casefold())  # an accent becomes a character of its own
    return "".join(character for character in decomposed if not combining(character))


def parse_number(word: str) -> int:
    """Return a whole number of at most `MAX_DIGITS` digits; -1 for any other word."""
    if len(word) > MAX_DIGITS or not (word.isascii() and word.isdigit()):
        return -1
    return int(word)


def keep_if_allowed(value: Any, allowed: Sequence[int], default: Any) -> Any:
    """Return `value` if it is one of the allowed whole numbers, else `default`."""
    is_int = type(value) is int  # `isinstance` would accept a bool
    return value if is_int and value in allowed else default


class VerdictKind(Enum):
    RIGHT = auto()
    WRONG = auto()  # An answer made of the dealt numbers, with a wrong value
    WRONG_NUMBERS = auto()  # An answer made of other numbers, perhaps to another puzzle
    UNREADABLE = auto()  # An attempt at an answer that can't be parsed
    TALK = auto()  # No answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one text."""

    kind: VerdictKind
    answer: str = ""  # The answer as it is stored and shown; empty where there is none
    value: Fraction | None = None  # The value of a wrong answer
    distance: float = 0.0  # From that value to the right one; the nearest miss is shown at the end
    render_reason: Callable[[Words], Html] | None = None  # One line about an answer that is not right


@dataclass(frozen=True, slots=True)
class Tiles:
    """A puzzle as a page with tiles to tap shows it, without its answers."""

    numbers: tuple[str, ...]  # Exact: `3` or `1/3`
    labels: tuple[str, ...]  # The text on each tile, such as `Q`
    target: str
    uses_all: bool  # Whether an answer must use every tile
    whole_numbers_only: bool = False  # Whether each step must result in a whole number that is not negative
    accepts_near: bool = False  # Whether answers near the target count too


@dataclass(frozen=True, slots=True)
class Find:
    """A right answer in a round that may have several."""

    player_id: int
    answer: str  # As the player wrote it
    part: str  # Equal for answers with the same idea; empty where the first right answer ends the round
    points: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A player's answer in a round of the kind *best*, where the last one of each counts."""

    player_id: int
    answer: str
    sent_at: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The best answer to a question that a player asked."""

    answer: str
    render: Callable[[Words], Html]  # The answer step by step


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player's total in one round."""

    player_id: int
    points: int = 0
    seconds: float = 0.0  # From the deal to the player's first answer with points; 0 for none
    entry: str | None = None  # The player's last entry, in rounds with entries


def render_level(words: Words, level: str) -> Html:
    return {
        "easy": words.translate("easy"),
        "medium": words.translate("medium"),
        "hard": words.translate("hard"),
        "fiendish": words.translate("fiendish"),
    }[level]


def get_levels_by_name(words: Words) -> dict[str, Level]:
    """Return the levels by their normalized names, English and translated."""
    levels: dict[str, Level] = {}
    for level in LEVELS:
        levels[level] = level
        levels[normalize_word(render_level(words, level))] = level
    return levels
