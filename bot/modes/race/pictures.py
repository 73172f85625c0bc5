"""The picture of a race's ranking."""

from collections.abc import Mapping

from bot.i18n import INVISIBLE_NAME, Words
from bot.modes.race.view import MAX_RANKS, RaceStandings
from bot.pictures.values import RankedLine, RankingPicture
from bot.rounds.rules import rank_by_points


def make_race_picture(words: Words, standings: RaceStandings, names: Mapping[int, str]) -> RankingPicture:
    """Make the picture of a race that is over: its ranking."""
    ranking = rank_by_points(standings.points)[:MAX_RANKS]
    return RankingPicture(
        words.translate_plain("The race is over."),
        [RankedLine(rank, names.get(player, INVISIBLE_NAME), points) for rank, player, points in ranking],
    )
