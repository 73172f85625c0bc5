"""The rules of a race: hands one after the other. Nothing here reads a clock or a database.

The next hand is dealt when one is over. A race ends with its last hand, or when nobody has tried several
hands in a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.rounds.puzzle import Level, UnknownWordError, normalize_word, parse_number, split_argument

HAND_SECONDS = 60.0  # For each hand
DEFAULT_LENGTH, MIN_LENGTH, MAX_LENGTH = (
    10,
    2,
    20,
)  # Hands of a race: unless asked otherwise, at least, at most
MAX_UNTRIED = 3  # Hands that nobody tried, one after the other, after which it ends


@dataclass(frozen=True, slots=True)
class Race:
    """Hands one after the other."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int
    starter_id: int
    length: int  # Hands in all
    opened: float
    seconds: float = HAND_SECONDS  # For each hand
    hands_played: int = 0  # Hands that are over
    untried_in_a_row: int = 0  # The latest hands in a row that nobody tried
    open: bool = True


@dataclass(frozen=True, slots=True)
class RaceOptions:
    """What was asked of a race."""

    length: int = DEFAULT_LENGTH
    level: Level | None = None
    game: str | None = None  # The key of a game that was named


def parse_race_options(text: str, levels: Mapping[str, Level], games: Mapping[str, str]) -> RaceOptions:
    """`5` (hands), `hard` and a game's command, in any order, each at most once. Raises UnknownWordError.

    `levels` names the levels, and `games` the games by their commands.
    """
    length: int | None = None
    level: Level | None = None
    game: str | None = None
    for word in split_argument(text):
        if length is None and MIN_LENGTH <= parse_number(word) <= MAX_LENGTH:
            length = parse_number(word)
        elif level is None and normalize_word(word) in levels:
            level = levels[normalize_word(word)]
        elif game is None and normalize_word(word) in games:
            game = games[normalize_word(word)]
        else:
            raise UnknownWordError(word)
    return RaceOptions(length or DEFAULT_LENGTH, level, game)


def finish_hand(race: Race, *, tried: bool) -> Race:
    """The race after a hand of it is over; `answered` says that somebody tried it."""
    unanswered = 0 if tried else race.untried_in_a_row + 1
    played = race.hands_played + 1
    goes_on = race.open and played < race.length and unanswered < MAX_UNTRIED
    return replace(race, hands_played=played, untried_in_a_row=unanswered, open=goes_on)
