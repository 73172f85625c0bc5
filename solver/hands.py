"""Read numbers and targets as people type them, also on Chinese and Japanese keyboards.

Every error message is one line.
"""

from __future__ import annotations

from argparse import ArgumentTypeError

from solver.names import BYTE_ORDER_MARK, CARDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DIGITS = 100  # The most digits of a number
MAX_GLUED_CHARACTERS = 20  # The longest text that may be cards without spaces
# Full-width digits, and cards in full-width capital and small letters.
_WIDE = {
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    **{ord(card) + 0xFEE0: card for card in CARDS},
    **{ord(card) + 0xFF00: card for card in CARDS},
}
# What Chinese and Japanese keyboards type, and the arrow of a deal.
_PLAIN = _WIDE | str.maketrans("，、＝→", ",,==", BYTE_ORDER_MARK)


class BadInputError(Exception):
    """An invalid argument; the message says in one line why."""


def normalize(text: str) -> str:
    """Replace full-width digits and cards, and the commas of Chinese keyboards, by ASCII, `＝` and `→` both
    by `=`; delete byte-order marks.
    """
    return text.translate(_PLAIN)


def read_hand_and_target(text: str) -> tuple[list[int], int | None]:
    """Read numbers, and the target after (`3 8 3 8 = 24`) or before them (`24 = 3 8 3 8`). Return the
    numbers, which may be none, and the target; None without one. Raises BadInputError for two targets or for
    cards without spaces, ArgumentTypeError for other words.
    """
    sides = [_read_side(side) for side in normalize(text).split("=")]
    if len(sides) == 1:
        return sides[0], None
    numbers, targets, *more = sides
    if len(numbers) == 1 and len(targets) > 1:  # the target comes first, as in 24 = 3 8 3 8
        numbers, targets = targets, numbers
    if more or len(targets) > 1:
        _, _, after_first_sign = normalize(text).partition("=")
        raise BadInputError(f"only one target can be asked for, not {after_first_sign.strip()[:40]!r}")
    target = targets[0] if targets else None
    return numbers, target


def _read_side(text: str) -> list[int]:
    """Read the numbers on one side of a `=`, which may be none. Raises the errors of `read_numbers`."""
    numbers: list[int] = []
    for word in text.split():
        numbers += read_numbers(word)
    return numbers


def read_numbers(text: str) -> list[int]:
    """Read one or more numbers with commas or spaces between them. Raises BadInputError for cards without
    spaces, such as A5JK, and ArgumentTypeError for other texts.
    """
    glued = split_glued_cards(text)
    if len(glued) > 1 and not normalize(text).isdecimal():
        raise BadInputError(f"put spaces between the numbers: {' '.join(glued)}")
    numbers = [read_whole_number(number) for number in normalize(text).replace(",", " ").split()]
    if not numbers:
        raise ArgumentTypeError(f"a number is wanted, not {text!r}")
    return numbers


def read_whole_number(text: str) -> int:
    """Read a whole number from 0, or a card. Raises ArgumentTypeError for anything else."""
    plain = normalize(text)
    if plain.upper() in CARDS:
        return CARDS[plain.upper()]
    if not (plain.isascii() and plain.isdigit()):
        raise ArgumentTypeError(f"a whole number that is not negative is wanted, not {text[:40]!r}")
    if len(plain) > MAX_DIGITS:
        raise ArgumentTypeError(f"a number has at most {MAX_DIGITS} digits: '{plain[:10]}...'")
    return int(plain)


def read_positive_number(text: str) -> int:
    """Read a whole number from 1, or a card. Raises ArgumentTypeError for anything else."""
    # A negative number gets the same message as 0, not that of `read_whole_number`.
    number = 0 if text.startswith("-") else read_whole_number(text)
    if number < 1:
        raise ArgumentTypeError(f"at least 1 is wanted, not {text[:40]!r}")
    return number


def refuse_glued_hand(numbers: Sequence[int], target: int | None) -> None:
    """Raise BadInputError if there is only one number, it has several digits, as if it were a hand without
    spaces, and it is not the target.
    """
    if len(numbers) != 1 or numbers[0] == target:
        return
    glued = split_glued_cards(str(numbers[0]))
    if len(glued) > 1:
        raise BadInputError(f"put spaces between the numbers: {' '.join(glued)}")


def split_glued_cards(text: str) -> list[str]:
    """Split a hand without spaces, such as 3838 or A5JK, into its cards, as typed; a 0 after a 1 is read as
    10. Return a single card alone, and an empty list for any other text and for one that is too long.
    """
    if len(text) > MAX_GLUED_CHARACTERS:
        return []
    cards: list[str] = []
    for character in normalize(text).upper():
        if character == "0" and cards and cards[-1] == "1":
            cards[-1] = "10"
        elif character in CARDS or (character.isascii() and character.isdigit()):
            cards.append(character)
        else:
            return []
    return cards
