"""The measures that all pictures share. Pixels: twice what a phone shows of a picture."""

from bot.pictures.faces import Weight
from bot.pictures.lettering import TextStyle

WIDTH = 1280
MARGIN = 64  # Around everything
INNER = WIDTH - 2 * MARGIN
LIP = 6  # The edge that cards, tiles and dice show below
CLEAR = 10  # Between what a name reaches down to and what is below it

TITLE = TextStyle(60, Weight.BOLD, min_size=44)
NAME = TextStyle(56)
TEXT = TextStyle(52, min_size=40)
SMALL = TextStyle(46, min_size=38)
FIGURE = TextStyle(60, Weight.BOLD, tabular=True, min_size=40)
LARGE = TextStyle(96, Weight.DISPLAY, tabular=True, min_size=44)
TARGET = TextStyle(208, Weight.DISPLAY, min_size=120)


def compute_baseline(middle: float, style: TextStyle) -> float:
    """Where a line of capitals or figures stands so that its middle is there."""
    return middle + style.cap_height / 2
