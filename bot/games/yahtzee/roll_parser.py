"""Parse thirteen rolls as people write them: five dice each, separated by line ends or semicolons.

A comma separates two rolls or two dice: `66611, 12345` are two rolls, `6,6,6,1,1` is one. Lines may be
numbered and dice be drawn: `1. ⚅⚅⚅⚀⚀`.
"""

import re

from bot.games.yahtzee.rules import DICE_COUNT, ROLL_PATTERN, TURN_COUNT, Roll

DRAWN_DICE = str.maketrans("１２３４５６⚀⚁⚂⚃⚄⚅", "123456123456")
MAX_QUOTED = 20  # Characters of a wrong line that the error quotes
MIN_LISTED = 3  # Rolls that a message needs to count as a list of rolls


class NotRollsError(ValueError):
    """The text has no thirteen rolls: after `read_count` of them, line `line_number` (from 1) is `text`.

    If every line is a roll, only their number is wrong, and `line_number` is 0.
    """

    def __init__(self, read_count: int, line_number: int = 0, text: str = "") -> None:
        super().__init__(f"no thirteen rolls: {text!r}")
        self.read_count = read_count
        self.line_number = line_number
        self.text = text


def count_digits(text: str) -> int:
    """Count the digits and drawn dice of a text."""
    return sum(map(str.isdecimal, text.translate(DRAWN_DICE)))


ALL_DICE = re.compile(rf"[1-6]{{{DICE_COUNT * TURN_COUNT}}}")


def parse_rolls(text: str) -> tuple[Roll, ...]:
    """Return the thirteen rolls of a text, which may be one line of 65 dice. Raises NotRollsError."""
    lines = _split_lines(text)
    if len(lines) == 1:
        dice = _extract_dice(lines[0])
        if ALL_DICE.fullmatch(dice):
            lines = [dice[first : first + DICE_COUNT] for first in range(0, len(dice), DICE_COUNT)]
    rolls: list[Roll] = []
    for line_number, line in enumerate(lines, start=1):
        roll = _parse_roll(line)
        if roll is None:
            raise NotRollsError(len(rolls), line_number, line[:MAX_QUOTED])
        rolls.append(roll)
    if len(rolls) != TURN_COUNT:
        raise NotRollsError(read_count=len(rolls))
    return tuple(rolls)


def find_rolls(text: str) -> tuple[Roll, ...] | None:
    """Return the thirteen rolls among other lines; None for fewer than three. Raises NotRollsError."""
    parsed = [_parse_roll(line) for line in _split_lines(text)]
    rolls = tuple(roll for roll in parsed if roll is not None)
    if len(rolls) < MIN_LISTED:
        return None
    if len(rolls) != TURN_COUNT:
        raise NotRollsError(read_count=len(rolls))
    return rolls


LINE_END = re.compile(r"[\n\r;；]+")
COMMA = re.compile("[,，、]")


def _split_lines(text: str) -> list[str]:
    """Split a text at line ends and semicolons, and at commas if they separate rolls."""
    pieces: list[str] = []
    for line in LINE_END.split(text):
        parts = COMMA.split(line)
        are_rolls = any(map(_parse_roll, parts))  # Rather than single dice
        pieces += parts if are_rolls else [line]
    return [piece.strip() for piece in pieces if piece.strip()]


LINE_NUMBER = re.compile(r"^\s*[0-9]{1,2}\s*[.):．）：]")


def _parse_roll(line: str) -> Roll | None:
    """Return the five dice of a line, with or without a line number; None for any other line."""
    if len(line) < DICE_COUNT:
        return None
    line_without_number = LINE_NUMBER.sub("", line, count=1)
    for text in (line, line_without_number):
        dice = _extract_dice(text)
        if ROLL_PATTERN.fullmatch(dice):
            return tuple(map(int, dice))
    return None


# Separators between dice, and invisible characters that make a digit an emoji
BETWEEN_DICE = re.compile(r"[\s,，、/\-–—\ufe0e\ufe0f\u20e3]+")


def _extract_dice(line: str) -> str:
    """Write drawn dice as digits, and remove what separates dice. Other text stays."""
    return BETWEEN_DICE.sub("", line.translate(DRAWN_DICE))
