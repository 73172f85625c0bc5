"""A phone's screen: how much of a text fits on it."""

from unicodedata import category, east_asian_width

LINES, COLUMNS = 12, 40
# Categories of characters that take no room: marks on another one, joiners, bidi isolates.
UNSEEN = {"Mn", "Me", "Cf"}


def width(line: str) -> int:
    """Columns of a line as it is displayed: Chinese characters and symbols such as emoji take two."""
    return sum(_columns(character) for character in line)


def _columns(character: str) -> int:
    if category(character) in UNSEEN:
        return 0
    wide = east_asian_width(character) in "WF" or category(character) == "So"
    return 2 if wide else 1


def too_long(text: str) -> list[str]:
    """What of a text doesn't fit: lines too wide, by display width or by plain length, or too many."""
    lines = text.translate({0x2068: None, 0x2069: None}).split("\n")
    return [line for line in lines if max(width(line), len(line)) > COLUMNS] + lines[LINES:]
