"""What is to be seen of a race: its table at the end."""

from collections.abc import Mapping

from bot.i18n import NAMELESS, Words
from bot.modes.race.view import RANKS_SHOWN, Standings
from bot.pictures.values import Line, Race
from bot.rounds.rules import ranked


def of(words: Words, standings: Standings, names: Mapping[int, str]) -> Race:
    """The table, the first one first."""
    lines = ranked(standings.points)[:RANKS_SHOWN]
    return Race(
        words.plain("The race is over."),
        [Line(rank, names.get(who, NAMELESS), points) for rank, who, points in lines],
    )
