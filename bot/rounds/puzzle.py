"""Values that games and rounds share: puzzles, options of a deal, verdicts, answers and levels."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from fractions import Fraction
from math import inf, log
from typing import Protocol

from bot.i18n import Html, RefusalError, Words
from bot.levels import LevelChoice
from solver import estimate_solved

MAX_ARGUMENT_LENGTH = 100  # Characters behind a command
MAX_QUOTED_LENGTH = 20  # Characters of a longer text that the error quotes
MAX_DIGITS = 4  # Of a number behind a command


class Kind(StrEnum):
    """The way a round ends and scores."""

    FIRST = "first"  # The first right answer wins
    ALL = "all"  # It ends when everything is found; each find scores
    BEST = "best"  # It ends when its time is up; the game then awards the last entry of each player
    TUTORIAL = "lesson"  # The first right answer ends it without points: a newcomer's first hand, in private
    CHOSEN = "chosen"  # The first right answer ends it without points: a player chose the hand
    # It ends when every participant has finished, which may take days. Each plays the same turns on a message
    # of their own, beside whatever other round is open in the chat.
    CONTEST = "contest"
    # A right answer ends it without points. Each pupil of a class has one of their own for each hand.
    CLASS = "class"
    PRACTICE = "practice"  # A right answer ends it without points: a hand for a skill that the player lacks

    # A right answer ends it without points and brings the next hand of the run
    STORM = "storm"
    STREAK = "streak"

    # A right answer ends it without points. Each player has an attempt at the same hand, for a day and in
    # private, beside whatever other round is open there. Its mode stores it.
    DAILY = "daily"

    @property
    def next_kind(self) -> "Kind":
        """The kind of the round that is dealt after one of this kind."""
        return self if self in (Kind.ALL, Kind.BEST) else Kind.FIRST


RUN_KINDS = (Kind.STORM, Kind.STREAK)


class Puzzle(Protocol):
    """A deal of some game. Only that game reads more of it than these members.

    A puzzle may also have a `recipe` and `is_time_measured`, which functions below read.
    """

    @property
    def line(self) -> str:
        """The line that shows and names the puzzle, such as `3 8 3 8 → 24`."""

    @property
    def level(self) -> str:
        """One of `LEVELS`."""

    @property
    def expected(self) -> float:
        """Seconds that people usually need."""


def get_recipe(puzzle: Puzzle) -> str:
    """Return how the puzzle follows from a seed (see `solver.fair`); empty if nobody can verify that."""
    return getattr(puzzle, "recipe", "")


def is_time_measured(puzzle: Puzzle) -> bool:
    """Whether practised players' time for such puzzles was measured, not estimated."""
    return getattr(puzzle, "is_time_measured", False)


def count_finders_of_ten(puzzle: Puzzle) -> int | None:
    """Return how many of ten people find the puzzle, from 1 to 9; None if that was not measured."""
    if not is_time_measured(puzzle):
        return None
    return max(1, min(9, round(10 * estimate_solved(puzzle.expected))))


class Audience(Enum):
    """The readers of a task: how they may answer."""

    GROUP = auto()  # By a reply to the deal
    HEARD = auto()  # By any message: in private, or where the bot may read all messages
    SPECTATORS = auto()  # Not at all


@dataclass(frozen=True, slots=True)
class Options:
    """Wishes for a deal. A game may have a subclass with more."""

    level: LevelChoice | None = None  # None: as the chat chose
    kind: Kind = Kind.FIRST
    # Percentage of people who should find the hand; None for any
    solved: int | None = field(default=None, kw_only=True)


def compute_log_odds(chance: float) -> float:
    return log(chance / (1 - chance))


@dataclass(frozen=True, slots=True)
class Skill:
    """Facts about the hands for a skill."""

    highest_share: float = 0.97  # Of people who find the easiest ones
    implied: Collection[str] = ()  # Skills that nearly all of them need as well


@dataclass(frozen=True, slots=True)
class Strength:
    """A player's ease with hands, in log odds: 0 as easily as the people whose times are known."""

    overall: float
    by_skill: Mapping[str, float]  # What is added if a hand needs the skill

    def estimate_log_odds(self, expected: float, skills: Collection[str]) -> float:
        """Return the log odds that the player solves a hand of so many expected seconds."""
        by_skill = sum(self.by_skill.get(skill, 0.0) for skill in skills)
        return self.overall + by_skill + compute_log_odds(estimate_solved(expected))


@dataclass(frozen=True, slots=True)
class PracticeWish:
    """The practice hand that a player should get."""

    skill: str  # That the hand needs
    chance: float  # That the player solves it
    strength: Strength
    avoided: frozenset[str] = frozenset()  # Skills that the hand may not need
    excluded: frozenset[tuple[int, ...]] = frozenset()  # Sorted numbers that it may not have

    def measure_distance(self, expected: float, skills: Collection[str]) -> float:
        """Return how far the chance to solve a hand is from the wished one, in log odds; infinite if the hand
        may not be dealt for its skills.
        """
        if self.skill not in skills or not self.avoided.isdisjoint(skills):
            return inf
        return abs(self.strength.estimate_log_odds(expected, skills) - compute_log_odds(self.chance))


@dataclass(frozen=True, slots=True)
class Origin:
    """The link and the request from which the seed of a hand was made: see `solver.fair`."""

    chain_id: int
    link: int  # Its number in the chain, from 1
    message_id: int  # That asked for the hand; 0 if a page did, and no message shows the hand before
    ordinal: int = 1  # Of the hand among those that the message asked for


@dataclass(frozen=True, slots=True)
class DealtPuzzle:
    """A puzzle and where it came from."""

    puzzle: Puzzle
    origin: Origin | None = None  # None if nobody can verify it


class DealError(RefusalError):
    """No puzzle meets the options."""


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


def split_argument(text: str) -> list[str]:
    """Split the text behind a command at spaces and commas. Raises UnknownWordError if it is too long."""
    if len(text) > MAX_ARGUMENT_LENGTH:
        raise UnknownWordError(text[:MAX_QUOTED_LENGTH] + "…")
    return text.replace(",", " ").split()


def parse_number(word: str) -> int:
    """Return a whole number of at most `MAX_DIGITS` digits; -1 for any other word."""
    if len(word) > MAX_DIGITS or not (word.isascii() and word.isdigit()):
        return -1
    return int(word)


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
    suits: tuple[str, ...] = ()  # Of cards, one for each number; empty for plain tiles


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


@dataclass(frozen=True, slots=True)
class Result:
    """One player's place and time in a match."""

    player_id: int
    place: int  # The lower the better; equal places are a draw
    seconds: float | None = None  # From the deal to the right answer; None where the time means nothing


@dataclass(frozen=True, slots=True)
class Match:
    """The results of all who tried a hand, against each other and against the hand."""

    results: Sequence[Result]
    place: int = 0  # Of the hand: players with a lower place beat it
    expected: float | None = None  # Seconds that people usually need; None if the hand is no opponent
    hints: int = 0  # Hints that were shown
