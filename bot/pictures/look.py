"""The measures that all pictures share. Pixels: twice what a phone shows of a picture."""

from bot.pictures.faces import Weight
from bot.pictures.lettering import Style

WIDTH = 1280
MARGIN = 64  # Around everything
INNER = WIDTH - 2 * MARGIN
LIP = 6  # The edge that cards, tiles and dice show below
CLEAR = 10  # Between what a name reaches down to and what is below it

TITLE = Style(60, Weight.BOLD, least=44)
NAME = Style(56)
TEXT = Style(52, least=40)
SMALL = Style(46, least=38)
FIGURE = Style(60, Weight.BOLD, tabular=True, least=40)
LARGE = Style(96, Weight.DISPLAY, tabular=True, least=44)
TARGET = Style(208, Weight.DISPLAY, least=120)


def standing(middle: float, style: Style) -> float:
    """Where a line of capitals or figures stands so that its middle is there."""
    return middle + style.cap / 2
