"""What pictures are drawn from: plain values, and the words that they need, already in the reader's language.

Each kind of picture is one value here, which `bot.pictures.drawing.draw` draws. They travel to a worker's
process, and hold no objects of a game's. Nothing here loads the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Suit: TypeAlias = Literal["♠", "♥", "♦", "♣"]
Sign: TypeAlias = Literal["+", "−", "×", "÷"]


@dataclass(frozen=True, slots=True)
class Card:
    """A playing card; a number that no card has stands on a plain face without a suit."""

    number: int  # 1 is the ace; 11, 12 and 13 are jack, queen and king
    suit: Suit


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile with a number."""

    number: int


@dataclass(frozen=True, slots=True)
class Operation:
    """Where two parts of a solution meet."""

    sign: Sign
    left: "Node"
    right: "Node"
    value: str  # What it makes, such as `8/3`


Node: TypeAlias = Card | Tile | Operation


@dataclass(frozen=True, slots=True)
class HandPicture:
    """A hand of three to six cards and what is to be made of it."""

    cards: Sequence[Card]
    target: int


@dataclass(frozen=True, slots=True)
class TilesPicture:
    """The tiles of Countdown and the target."""

    tiles: Sequence[int]
    target: int


@dataclass(frozen=True, slots=True)
class RollPicture:
    """Five dice."""

    dice: Sequence[int]
    title: str = ""  # Which roll it is; empty for none


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A line of a score card."""

    label: str
    score: int | None = None  # None while the category is open
    dice: Sequence[int] = ()  # The roll that was put there


@dataclass(frozen=True, slots=True)
class ScoreCardPicture:
    """A score card of thirteen categories."""

    title: str  # Whose card it is, or of what
    upper: Sequence[ScoreRow]  # Ones to sixes
    bonus: ScoreRow
    lower: Sequence[ScoreRow]  # The other seven
    total: ScoreRow


@dataclass(frozen=True, slots=True)
class SolutionPicture:
    """A hand that was won, and how."""

    name: str
    earned: str  # Such as `+5 points`; empty for none
    tree: Node


@dataclass(frozen=True, slots=True)
class RankedLine:
    """A player's line in a table."""

    rank: int
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class RankingPicture:
    """The end of a race, or another table, the first one first."""

    title: str
    lines: Sequence[RankedLine]
    note: str = ""  # What stands where there are no lines


@dataclass(frozen=True, slots=True)
class DuelPicture:
    """The end of a duel."""

    title: str  # How it ended, without the names: won, drawn, given up or ended
    names: tuple[str, str]
    score: tuple[int, int]
    hands: Sequence[Sequence[int]]  # Who won each hand that was played, 0 or 1: nobody, one of them, or both
    winner: int | None  # 0 or 1; None for neither


@dataclass(frozen=True, slots=True)
class PodiumPlace:
    """Where somebody stands on the podium."""

    rank: int  # 1, 2 or 3; a rank may be shared
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class PodiumFact:
    """What else was remarkable."""

    label: str
    amount: str  # How much, or which
    name: str = ""  # Whose it was; empty for nobody's


@dataclass(frozen=True, slots=True)
class PodiumPicture:
    """A group's week."""

    title: str
    places: Sequence[PodiumPlace]  # At most three, the best one first
    facts: Sequence[PodiumFact] = ()


@dataclass(frozen=True, slots=True)
class Badge:
    """An achievement."""

    sign: str  # An emoji
    title: str


@dataclass(frozen=True, slots=True)
class ProfilePicture:
    """What somebody has done; an empty part is left out."""

    name: str
    figures: Sequence[tuple[str, str]]  # The largest first: how much, and of what
    best_title: str
    best: Sequence[tuple[str, str]]  # Level and time, the easiest level first
    points_title: str
    points: Sequence[int]  # Of each of the last days, today's last
    days_title: str
    days: Sequence[bool]  # From a Monday up to today: whether that day's hand was solved
    badges_title: str
    badges: Sequence[Badge]
    game: str = ""  # The one game that it is about; empty for all of them


@dataclass(frozen=True, slots=True)
class WeekPicture:
    """A leaderboard's week, the first one first."""

    title: str
    days: Sequence[str]  # Seven short names, the first day's first
    # With the points of each day; days that are to come have none.
    lines: Sequence[tuple[RankedLine, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class DailyPicture:
    """A daily result to pass on: it tells nothing of the hand but its level."""

    title: str
    level: str
    wrong: int  # Wrong answers before the right one
    hints: int
    time: str  # Such as `0:42`
    streak: int
    streak_title: str


Picture: TypeAlias = (
    HandPicture
    | TilesPicture
    | RollPicture
    | ScoreCardPicture
    | SolutionPicture
    | RankingPicture
    | DuelPicture
    | PodiumPicture
    | ProfilePicture
    | WeekPicture
    | DailyPicture
)
