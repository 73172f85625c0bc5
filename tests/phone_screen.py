"""Check whether a text fits on a phone's screen."""

from unicodedata import category, east_asian_width

LINES, COLUMNS = 12, 40
# Categories of characters without a width: combining marks, joiners, bidi isolates.
ZERO_WIDTH = {"Mn", "Me", "Cf"}


def measure_width(line: str) -> int:
    """Return the columns of a displayed line: Chinese characters and symbols such as emoji take two."""
    return sum(_count_columns(character) for character in line)


def _count_columns(character: str) -> int:
    if category(character) in ZERO_WIDTH:
        return 0
    wide = east_asian_width(character) in "WF" or category(character) == "So"
    return 2 if wide else 1


def find_overflow(text: str) -> list[str]:
    """Return the lines that are too wide, by display width or by length, and those below the screen's end."""
    lines = text.translate({0x2068: None, 0x2069: None}).split("\n")
    return [line for line in lines if max(measure_width(line), len(line)) > COLUMNS] + lines[LINES:]
