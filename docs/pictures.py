"""The README's pictures, drawn as the bot draws them: `python -m docs.pictures` writes them again.

The hand is that of the README's exchange. A test holds the files to what is drawn.
"""

from collections.abc import Mapping
from pathlib import Path

from bot.games.twentyfour import view as twentyfour
from bot.games.twentyfour.dealing import build_hand
from bot.i18n import get_words, strip_tags
from bot.modes.daily import view as daily
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand, get_day_start
from bot.pictures.drawing import draw_picture
from bot.pictures.values import HandPicture, Picture, SolutionPicture
from docs.exchange import DEALT

FOLDER = Path(__file__).parent / "images"
DAY, SECONDS, ROW = "2026-11-21", 42.0, 12
"""The daily result that is shown: solved in so many seconds, on so many days in a row."""


def pictures() -> Mapping[str, Picture]:
    """What is shown, by the names of the files."""
    dealt, said = build_hand(DEALT, 24), get_words("en")
    earned = strip_tags(said.translate_plural("{n} point", "{n} points", 5))
    tree = twentyfour.build_tree(dealt, "8/(3-8/3)")
    assert tree is not None  # noqa: S101 - the answer is right
    closed = get_day_start(DAY) + SECONDS
    attempt = Attempt(
        DAY,
        1,
        get_day_start(DAY),
        AttemptState.SOLVED,
        closed,
        wrong_answers=1,
        hints=1,
        shown_at=get_day_start(DAY),
    )
    result = daily.make_result_picture(said, DailyHand(DAY, "24", dealt), attempt, ROW)
    return {
        "deal": HandPicture(twentyfour.assign_suits(dealt.numbers), dealt.target),
        "solution": SolutionPicture("Bob", f"+{earned}", tree),
        "daily": result,
    }


def main() -> None:
    """Draw them all."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (FOLDER / f"{name}.png").write_bytes(draw_picture(picture))


if __name__ == "__main__":
    main()
