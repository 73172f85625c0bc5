"""Pictures that the bot sends: a hand, its solution and a daily result.

A test compares the files with what the bot draws.
"""

from collections.abc import Mapping

import bot.features  # noqa: F401 - registers the games
from bot.games.twentyfour import view as twentyfour
from bot.games.twentyfour.dealing import build_hand
from bot.i18n import get_words, strip_tags
from bot.modes.daily import view as daily
from bot.modes.daily.rules import DailyHand, get_day_start, make_attempt
from bot.pictures.drawing import draw_picture
from bot.pictures.values import HandPicture, Picture, SolutionPicture
from docs.draw.family import ROUND
from docs.draw.images import FOLDER

# The daily result: the day, the seconds that the solution took, and the days solved in a row.
DAY, SECONDS, ROW = "2026-11-21", 42.0, 12


def make_pictures() -> Mapping[str, Picture]:
    """Return the pictures by the names of their files."""
    numbers, _, answer = ROUND
    hand, words = build_hand(numbers, 24), get_words("en")
    earned = strip_tags(words.translate_plural("{n} point", "{n} points", 5))
    tree = twentyfour.build_tree(hand, answer)
    assert tree is not None  # noqa: S101 - the answer is right
    opened = get_day_start(DAY)
    attempt = make_attempt(
        DailyHand(DAY, "24", hand), 1, opened, closed=opened + SECONDS, wrong_answers=1, hints_shown=1
    )
    result = daily.make_result_picture(words, attempt, ROW)
    return {
        "deal": HandPicture(twentyfour.assign_suits(hand.numbers), hand.target),
        "solution": SolutionPicture("Bob", f"+{earned}", tree),
        "daily": result,
    }


def write_pictures() -> None:
    for name, picture in make_pictures().items():
        (FOLDER / f"{name}.png").write_bytes(draw_picture(picture))
