from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from bot.rounds.puzzle import Verdict

ORDER = "order"


class Mistake(StrEnum):
    VALUE = "value"
    NUMBERS = "numbers"
    FRACTION = "fraction"
    SIGN = "sign"
    ORDER = "order"
    UNREADABLE = "unreadable"


def classify_mistake(verdict: Verdict, text: str, target: Fraction) -> Mistake:
    return Mistake.VALUE


@dataclass(frozen=True, slots=True)
class PlayedHand:
    skills: frozenset[str]
    solved: bool
    seconds: float
    expected: float
    mistakes: Mapping[Mistake, int]
    hints: int = 0
    solved_share: float | None = None


def find_weaknesses(hands: Sequence[PlayedHand]) -> tuple[str, ...]:
    return ()
