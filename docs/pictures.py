"""The README's pictures, drawn as the bot draws them: `python -m docs.pictures` writes them again.

The hand is that of the README's exchange. A test holds the files to what is drawn.
"""

from collections.abc import Mapping
from pathlib import Path

from bot.games.twentyfour import pictures as twentyfour
from bot.games.twentyfour.dealing import hand
from bot.i18n import plain, words
from bot.modes.daily import pictures as daily
from bot.modes.daily.rules import Attempt, Daily, Progress, begins
from bot.pictures.drawing import draw
from bot.pictures.values import Picture, Solution
from docs.exchange import DEALT

FOLDER = Path(__file__).parent / "images"
DAY, SECONDS, ROW = "2026-11-21", 42.0, 12
"""The daily result that is shown: solved in so many seconds, on so many days in a row."""


def pictures() -> Mapping[str, Picture]:
    """What is shown, by the names of the files."""
    dealt, said = hand(DEALT, 24), words("en")
    earned = plain(said.count("{n} point", "{n} points", 5))
    tree = twentyfour.tree(dealt, "8/(3-8/3)")
    assert tree is not None  # noqa: S101 - the answer is right
    closed = begins(DAY) + SECONDS
    attempt = Attempt(DAY, 1, begins(DAY), Progress.SOLVED, closed, wrong=1, hints=1, shown=begins(DAY))
    result = daily.of(said, Daily(DAY, "24", dealt), attempt, ROW)
    return {"deal": twentyfour.of(dealt), "solution": Solution("Bob", f"+{earned}", tree), "daily": result}


def main() -> None:
    """Draw them all."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (FOLDER / f"{name}.png").write_bytes(draw(picture))


if __name__ == "__main__":
    main()
