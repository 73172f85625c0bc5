"""Numbers and targets as they are typed, on whatever keyboard. A complaint is one line."""

from __future__ import annotations

from argparse import ArgumentTypeError

from solver.names import CARDS, MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 100  # The most digits of a number that is read
MOST_GLUED = 20  # The most characters that are taken for cards without spaces between them
_WIDE = {0xFF10 + digit: str(digit) for digit in range(10)} | {
    ord(card) + shift: card for card in CARDS for shift in (0xFEE0, 0xFF00)
}
# What Chinese and Japanese keyboards type, and the arrow of a deal.
_PLAIN = _WIDE | str.maketrans("，、＝→", ",,==", MARK)


class BadInputError(Exception):
    """An invalid argument; the message says in one line why."""


def narrow(text: str) -> str:
    """The text with plain digits, cards, commas and `=`, and without byte-order marks."""
    return text.translate(_PLAIN)


def split(text: str) -> tuple[list[int], int | None]:
    """Numbers, and the target that stands behind (`3 8 3 8 = 24`) or before them (`24 = 3 8 3 8`), if any.

    Raises BadInputError and ArgumentTypeError.
    """
    sides = [[number for word in side.split() for number in hand(word)] for side in narrow(text).split("=")]
    if len(sides) == 1:
        return sides[0], None
    if len(sides) == 2 and len(sides[0]) == 1 < len(sides[1]):
        sides.reverse()
    if len(sides) > 2 or len(sides[1]) > 1:
        wrong = narrow(text).partition("=")[2].strip()
        raise BadInputError(f"only one target can be asked for, not {wrong[:40]!r}")
    return sides[0], next(iter(sides[1]), None)


def hand(text: str) -> list[int]:
    """One or more numbers with commas or spaces between them; BadInputError where cards lack their spaces."""
    glued = apart(text)
    if len(glued) > 1 and not narrow(text).isdecimal():
        raise BadInputError(f"put spaces between the numbers: {' '.join(glued)}")
    numbers = [whole(number) for number in narrow(text).replace(",", " ").split()]
    if not numbers:
        raise ArgumentTypeError(f"a number is wanted, not {text!r}")
    return numbers


def whole(text: str) -> int:
    """A whole number that is not negative, or a card."""
    plain = narrow(text)
    if plain.upper() in CARDS:
        return CARDS[plain.upper()]
    if not (plain.isascii() and plain.isdigit()):
        raise ArgumentTypeError(f"a whole number that is not negative is wanted, not {text[:40]!r}")
    if len(plain) > LONGEST:
        raise ArgumentTypeError(f"a number has at most {LONGEST} digits: '{plain[:10]}...'")
    return int(plain)


def positive(text: str) -> int:
    """A whole number from 1."""
    if text.startswith("-") or not (number := whole(text)):
        raise ArgumentTypeError(f"at least 1 is wanted, not {text[:40]!r}")
    return number


def look_for_spaces(numbers: Sequence[int], target: int | None) -> None:
    """Raises BadInputError where one number that can't be meant looks like a hand without its spaces."""
    glued = apart(str(numbers[0])) if len(numbers) == 1 and numbers[0] != target else []
    if len(glued) > 1:
        raise BadInputError(f"put spaces between the numbers: {' '.join(glued)}")


def apart(text: str) -> list[str]:
    """The cards of a hand that was written without spaces, such as 3838 or A5JK; none if it is no hand.

    A 0 belongs to the 1 before it.
    """
    cards: list[str] = []
    for character in narrow(text).upper() if len(text) <= MOST_GLUED else "":
        if character == "0" and cards and cards[-1] == "1":
            cards[-1] = "10"
        elif character in CARDS or (character.isascii() and character.isdigit()):
            cards.append(character)
        else:
            return []
    return cards
