"""The values that pictures are drawn from: numbers, names, and words already in the reader's language.

`bot.pictures.drawing` draws each kind. The values travel to worker processes, and hold no objects of a game.
This module loads nothing of the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Suit: TypeAlias = Literal["♠", "♥", "♦", "♣"]
Sign: TypeAlias = Literal["+", "−", "×", "÷"]


@dataclass(frozen=True, slots=True)
class Card:
    number: int  # 1 is the ace; 11, 12 and 13 are jack, queen and king
    suit: Suit


@dataclass(frozen=True, slots=True)
class Tile:
    number: int


@dataclass(frozen=True, slots=True)
class Operation:
    sign: Sign
    left: "Node"
    right: "Node"
    value: str  # the result, such as `2 2/3`


Node: TypeAlias = Card | Tile | Operation


@dataclass(frozen=True, slots=True)
class HandPicture:
    cards: Sequence[Card]  # three to six
    target: int


@dataclass(frozen=True, slots=True)
class TilesPicture:
    tiles: Sequence[int]
    target: int


@dataclass(frozen=True, slots=True)
class RollPicture:
    dice: Sequence[int]  # five


@dataclass(frozen=True, slots=True)
class ScoreRow:
    label: str
    score: int | None = None  # None while the category is open
    dice: Sequence[int] = ()  # the roll that was put there


@dataclass(frozen=True, slots=True)
class ScoreCardPicture:
    title: str
    upper: Sequence[ScoreRow]  # ones to sixes
    bonus: ScoreRow
    lower: Sequence[ScoreRow]  # the other seven
    total: int
    total_label: str


@dataclass(frozen=True, slots=True)
class SolutionPicture:
    name: str  # of the winner
    earned: str  # such as `+5 points`, or empty
    tree: Node


@dataclass(frozen=True, slots=True)
class RankedLine:
    rank: int
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class RankingPicture:
    title: str
    lines: Sequence[RankedLine]  # the first player first
    note: str = ""  # shown if there are no lines


@dataclass(frozen=True, slots=True)
class DuelPicture:
    title: str  # the result without the names: won, drawn, given up or ended
    names: tuple[str, str]
    score: tuple[int, int]
    hands: Sequence[Sequence[int]]  # the winners of each hand, 0 or 1: nobody, one of them, or both
    winner: int | None  # 0 or 1; None for neither


@dataclass(frozen=True, slots=True)
class PodiumFact:  # about the week
    label: str
    amount: str  # how much, or which
    name: str = ""  # of the player; empty if it is nobody's


@dataclass(frozen=True, slots=True)
class PodiumPicture:
    title: str
    places: Sequence[RankedLine]  # at most three, of the ranks 1 to 3, the best one first
    facts: Sequence[PodiumFact] = ()


@dataclass(frozen=True, slots=True)
class RecordsPicture:
    title: str
    facts: Sequence[PodiumFact]


@dataclass(frozen=True, slots=True)
class Badge:  # an achievement
    sign: str  # an emoji
    title: str


@dataclass(frozen=True, slots=True)
class ProfilePicture:
    """A player's statistics; empty parts are left out."""

    name: str
    figures: Sequence[tuple[str, str]]  # amounts with their labels, the largest first
    best_title: str
    best: Sequence[tuple[str, str]]  # level and time, the easiest level first
    points_title: str
    points: Sequence[int]  # of each of the last days, today's last
    days_title: str
    days: Sequence[bool]  # from a Monday up to today: whether that day's hand was solved
    badges_title: str
    badges: Sequence[Badge]
    game: str = ""  # its title


@dataclass(frozen=True, slots=True)
class WeekPicture:
    title: str
    days: Sequence[str]  # seven short names, the first day's first
    lines: Sequence[tuple[RankedLine, Sequence[int]]]  # with the points of each day up to today, best first


@dataclass(frozen=True, slots=True)
class DailyPicture:
    """A daily result to share: it reveals nothing of the hand but its difficulty."""

    title: str
    difficulty: str
    wrong: int  # wrong answers before the right one
    hints: int
    time: str  # such as `42 s`
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
    | RecordsPicture
    | ProfilePicture
    | WeekPicture
    | DailyPicture
)
