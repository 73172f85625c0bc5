"""The rules of a race: hands one after the other. Nothing here reads a clock or a database.

The next hand is dealt when one is over. A race ends with its last hand, or when nobody has tried several
hands in a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.rounds.puzzle import Level, UnknownWordError, folded, number, words_of

SECONDS = 60.0  # For each hand
USUAL, SHORTEST, LONGEST = 10, 2, 20  # Hands of a race: unless asked otherwise, at least, at most
LEFT_ALONE = 3  # Hands that nobody tried, one after the other, after which it ends


@dataclass(frozen=True, slots=True)
class Race:
    """Hands one after the other."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int
    starter_id: int
    length: int  # Hands in all
    opened: float
    seconds: float = SECONDS  # For each hand
    played: int = 0  # Hands that are over
    unanswered: int = 0  # The latest hands in a row that nobody tried
    open: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a race."""

    length: int = USUAL
    level: Level | None = None
    game: str | None = None  # The key of a game that was named


def read(text: str, levels: Mapping[str, Level], games: Mapping[str, str]) -> Asked:
    """`5` (hands), `hard` and a game's command, in any order, each at most once. Raises UnknownWordError.

    `levels` names the levels, and `games` the games by their commands.
    """
    length: int | None = None
    level: Level | None = None
    game: str | None = None
    for word in words_of(text):
        if length is None and SHORTEST <= number(word) <= LONGEST:
            length = number(word)
        elif level is None and folded(word) in levels:
            level = levels[folded(word)]
        elif game is None and folded(word) in games:
            game = games[folded(word)]
        else:
            raise UnknownWordError(word)
    return Asked(length or USUAL, level, game)


def next_hand(race: Race, *, answered: bool) -> Race:
    """The race after a hand of it is over; `answered` says that somebody tried it."""
    unanswered = 0 if answered else race.unanswered + 1
    played = race.played + 1
    goes_on = race.open and played < race.length and unanswered < LEFT_ALONE
    return replace(race, played=played, unanswered=unanswered, open=goes_on)
