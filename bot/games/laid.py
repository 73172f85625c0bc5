"""Which line of a game's messages has cards, tiles or dice on it, for a chat that draws them itself."""

import re
from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """What is laid on the table."""

    CARDS = "cards"
    TILES = "tiles"
    DICE = "dice"


@dataclass(frozen=True, slots=True)
class Laid:
    """The line, whatever the language."""

    shape: Shape
    pattern: re.Pattern[str]
    """Matches the whole line; the first group names the pieces, with spaces between them."""
    below: str = ""
    """How the line above begins."""
    is_replaced: bool = False
    """Whether what is drawn stands in the line's place; else above it."""

    def pieces(self, above: str, line: str) -> list[str]:
        """What each piece shows; nothing where the line is another one."""
        found = self.pattern.fullmatch(line) if above.startswith(self.below) else None
        return found[1].split() if found else []
