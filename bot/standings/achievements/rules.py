"""The achievements that a player earns with an answer. Each is earned once. Pure: no clock, no database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

UNKNOWN_SECONDS = float("inf")
WINS_NEEDED = 100  # Hands won for the achievement "hundred"


@dataclass(frozen=True, slots=True)
class Feat:
    """A right answer in a round, or a solved daily hand; the defaults earn nothing."""

    is_fiendish: bool = False  # Whether the hand has the hardest level
    seconds: float = UNKNOWN_SECONDS  # From the deal to the answer
    wrong_answers: int = 0  # Wrong answers to the same hand before the right one
    win_streak: int = 0  # Rounds won in a row in that chat, this one included
    found_every_idea: bool = False  # Whether the player alone found every idea of the hand
    wins: int = 0  # Hands won so far, in all chats
    first_wins_of_day: int = 0  # How many of the wins were the first of a day in their chat
    hour: int | None = None  # In the chat's time zone; None if the chat chose none
    daily_streak: int = 0  # Daily hands solved in a row


# By the name in the database, in the order in which messages list them
CONDITIONS: Mapping[str, Callable[[Feat], bool]] = {
    "fiendish": lambda feat: feat.is_fiendish,
    "lightning": lambda feat: 0 <= feat.seconds < 5,
    "undaunted": lambda feat: feat.wrong_answers >= 3,
    "row": lambda feat: feat.win_streak >= 10,
    "every idea": lambda feat: feat.found_every_idea,
    "hundred": lambda feat: feat.wins >= WINS_NEEDED,
    "early bird": lambda feat: feat.first_wins_of_day >= 10,
    "night owl": lambda feat: feat.hour in range(1, 5),
    "week": lambda feat: feat.daily_streak >= 7,
    "month": lambda feat: feat.daily_streak >= 30,
}
