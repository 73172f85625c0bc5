"""Any picture's value in, its PNG out: what a worker's process is asked for."""

from collections.abc import Callable
from typing import Any

from bot.pictures import daily, hands, podium, profile, scorecard, tables, tree, values

# What draws each kind.
KINDS: dict[type[values.Picture], Callable[[Any, str], bytes]] = {
    values.Deal: hands.deal,
    values.Draw: hands.draw,
    values.Roll: hands.roll,
    values.ScoreCard: scorecard.scorecard,
    values.Solution: tree.solution,
    values.Race: tables.race,
    values.Duel: tables.duel,
    values.Podium: podium.podium,
    values.Profile: profile.profile,
    values.Week: tables.week,
    values.Daily: daily.daily,
}


def draw(picture: values.Picture, language: str = "en") -> bytes:
    """The PNG of a picture; Chinese characters are drawn as the language writes them.

    The same values give the same bytes.
    """
    return KINDS[type(picture)](picture, _tag(language))


def _tag(language: str) -> str:
    """The language as fonts name it: `zh-Hant` for `zh_Hant`."""
    return language.replace("_", "-")
