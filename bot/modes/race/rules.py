"""The rules of a race, free of I/O: a fixed number of hands, dealt one after the other.

A race ends after its last hand, or earlier when nobody has tried several hands in a row.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from bot.levels import LevelChoice, normalize_word
from bot.rounds.puzzle import UnknownWordError, parse_number, split_argument

HAND_SECONDS = 60.0  # The time for each hand
DEFAULT_LENGTH, MIN_LENGTH, MAX_LENGTH = 10, 2, 20  # Hands of a race
MAX_UNTRIED = 3  # Hands in a row that nobody tried, after which a race ends


@dataclass(frozen=True, slots=True)
class Race:
    id: int
    starter_id: int
    length: int  # Hands in all
    seconds: float = HAND_SECONDS  # The time for each hand
    hands_played: int = 0
    untried_in_a_row: int = 0  # Latest hands in a row that nobody tried
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class RaceOptions:
    """The options that `/race` or `/duel` was called with."""

    length: int | None = None  # None for the default number of hands
    level: LevelChoice | None = None
    game: str | None = None  # The key of the named game; None for the default game


def parse_race_options(
    text: str,
    levels: Mapping[str, LevelChoice],
    games: Mapping[str, str],
    lengths: Collection[int] = range(MIN_LENGTH, MAX_LENGTH + 1),
) -> RaceOptions:
    """Parse a number of hands, a level and a game, in any order. Raises UnknownWordError.

    `levels` maps names to levels, `games` maps names to game keys; `lengths` are the allowed numbers.
    """
    options = RaceOptions()
    for word in split_argument(text):
        name = normalize_word(word)
        if options.length is None and parse_number(word) in lengths:
            options = replace(options, length=parse_number(word))
        elif options.level is None and name in levels:
            options = replace(options, level=levels[name])
        elif options.game is None and name in games:
            options = replace(options, game=games[name])
        else:
            raise UnknownWordError(word)
    return options


def finish_hand(race: Race, *, tried: bool, replaced: bool = False) -> Race:
    """Return the race after one of its hands is over. `tried` says whether anybody tried the hand.

    A `replaced` hand does not count as played.
    """
    untried = 0 if tried else race.untried_in_a_row + 1
    played = race.hands_played + (not replaced)
    is_open = race.is_open and played < race.length and untried < MAX_UNTRIED
    return replace(race, hands_played=played, untried_in_a_row=untried, is_open=is_open)
