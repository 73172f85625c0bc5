"""Names that several modules share: letters of cards, levels, and the byte-order mark of text files."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["easy", "medium", "hard", "fiendish"]

CARDS = {"A": 1, "J": 11, "Q": 12, "K": 13}  # The cards that have letters, and their numbers
# The levels, one for each band of people's times (see `solver.difficulty`).
LEVELS: "tuple[Level, ...]" = ("easy", "medium", "hard", "fiendish")
BYTE_ORDER_MARK = "\ufeff"  # With which some editors begin a file
