"""Draw any picture: the entry point for the worker processes."""

from collections.abc import Callable
from typing import Any

from bot.pictures import daily, hands, profile, scorecard, tables, tree, values

DRAW_FUNCTIONS: dict[type[values.Picture], Callable[[Any, str], bytes]] = {
    values.HandPicture: hands.draw_hand,
    values.TilesPicture: hands.draw_tiles,
    values.RollPicture: hands.draw_roll,
    values.ScoreCardPicture: scorecard.draw_score_card,
    values.SolutionPicture: tree.draw_solution,
    values.RankingPicture: tables.draw_ranking,
    values.DuelPicture: tables.draw_duel,
    values.PodiumPicture: tables.draw_podium,
    values.RecordsPicture: tables.draw_records,
    values.ProfilePicture: profile.draw_profile,
    values.WeekPicture: tables.draw_week,
    values.DailyPicture: daily.draw_daily_result,
}


def draw_picture(picture: values.Picture, language: str = "en") -> bytes:
    """Return the PNG of a picture, the same for the same values; `language` decides on Chinese characters."""
    return DRAW_FUNCTIONS[type(picture)](picture, language.replace("_", "-"))  # fonts know zh-Hant
