"""What a person can earn once, by what is known at a win. Nothing here reads a clock or a database.

A *feat* is what somebody has just done: a right answer on a table, or a daily hand solved. What it doesn't
tell is left at a value that earns nothing. The same rules look back, once for each person, at what they did
before there were achievements: that is a feat too, made of their best figures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

FAST = 5.0  # Seconds under which an answer is as quick as lightning
ROW, WINS_NEEDED, MORNINGS, WRONG = 10, 100, 10, 3
WEEK, MONTH = 7, 30  # Daily hands in a row
NIGHT = range(1, 5)  # Hours at which everybody else sleeps
UNKNOWN_SECONDS = float("inf")


@dataclass(frozen=True, slots=True)
class Feat:
    """What somebody has just done, or has ever done."""

    is_fiendish: bool = False  # Whether the hand was fiendish
    seconds: float = UNKNOWN_SECONDS  # From the deal to the answer
    wrong_answers: int = 0  # Wrong answers to the same hand before the right one
    win_streak: int = 0  # Rounds won in a row in that chat, this one included
    found_every_idea: bool = False  # Whether every idea of the hand is found, each by this person
    wins: int = 0  # Hands won so far, in all chats
    first_wins_of_day: int = 0  # How often theirs was a chat's first right answer of the day
    hour: int | None = None  # By the chat's own clock; None where that is not known
    daily_streak: int = 0  # Daily hands solved in a row


# What earns each, by the name under which it is kept, in the order in which they are told.
CONDITIONS: Mapping[str, Callable[[Feat], bool]] = {
    "fiendish": lambda feat: feat.is_fiendish,
    "lightning": lambda feat: 0 <= feat.seconds < FAST,
    "undaunted": lambda feat: feat.wrong_answers >= WRONG,
    "row": lambda feat: feat.win_streak >= ROW,
    "every idea": lambda feat: feat.found_every_idea,
    "hundred": lambda feat: feat.wins >= WINS_NEEDED,
    "early bird": lambda feat: feat.first_wins_of_day >= MORNINGS,
    "night owl": lambda feat: feat.hour in NIGHT,
    "week": lambda feat: feat.daily_streak >= WEEK,
    "month": lambda feat: feat.daily_streak >= MONTH,
}


def find_earned_achievements(feat: Feat) -> list[str]:
    """The achievements that a feat is worth, whoever has them already."""
    return [name for name, earns in CONDITIONS.items() if earns(feat)]
