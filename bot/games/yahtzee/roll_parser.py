"""Thirteen rolls as people write them: five dice each, and a line's end or a semicolon between.

A comma stands between two rolls or between two dice: `66611, 12345` are two rolls, `6,6,6,1,1` is one. Lines
may be numbered, and dice be drawn: `1. ⚅⚅⚅⚀⚀`.
"""

import re

from bot.games.yahtzee.rules import DICE_COUNT, ROLL_PATTERN, TURN_COUNT, Roll

BETWEEN = re.compile(r"[\n\r;；]+")
COMMA = re.compile("[,，、]")
# What may stand between dice, and what follows a sign only to say how it is drawn.
INSIDE = re.compile(r"[\s,，、/\-–—\ufe0e\ufe0f\u20e3]+")
NUMBERED = re.compile(r"^\s*[0-9]{1,2}\s*[.):．）：]")
DICE_DRAWN = str.maketrans("１２３４５６⚀⚁⚂⚃⚄⚅", "123456123456")
SHOWN = 20  # Characters of a line that is no roll that are said again
MOST_TEXT = 4096
A_LIST = 3  # Rolls in a message from which it counts as a list of them


class NotRollsError(ValueError):
    """A text is no game: `read` rolls were read; `line` is the number of the first line that is none, from 1,
    and `text` that line (0 and empty where each is one).
    """

    def __init__(self, read: int, line: int = 0, text: str = "") -> None:
        super().__init__(f"no thirteen rolls: {text!r}")
        self.read_count, self.line_number, self.text = read, line, text


def looks_like_rolls(text: str) -> bool:
    """Whether somebody meant to name a roll: it has as many digits as one, or lines."""
    drawn = text.strip().translate(DICE_DRAWN)
    return "\n" in drawn or sum(map(str.isdecimal, drawn)) >= DICE_COUNT


def parse_rolls(text: str) -> tuple[Roll, ...]:
    """The thirteen rolls of a text. Raises NotRollsError."""
    lines = _lines(text)
    if len(lines) == 1:
        lines = _in_a_row(lines[0])
    made = [_roll(line) for line in lines]
    bad = next((number for number, roll in enumerate(made) if roll is None), None)
    if bad is not None:
        raise NotRollsError(bad, bad + 1, lines[bad][:SHOWN])
    if len(made) != TURN_COUNT:
        raise NotRollsError(len(made))
    return tuple(roll for roll in made if roll is not None)


def find_rolls(text: str) -> tuple[Roll, ...] | None:
    """The rolls in a message that holds other lines too; None where it holds no list of them.

    Raises NotRollsError where it holds too few or too many.
    """
    found = [roll for line in _lines(text) if (roll := _roll(line)) is not None]
    if len(found) < A_LIST:
        return None
    if len(found) != TURN_COUNT:
        raise NotRollsError(len(found))
    return tuple(found)


def _lines(text: str) -> list[str]:
    """What should be a roll each."""
    pieces = (piece for line in BETWEEN.split(text[:MOST_TEXT]) for piece in _at_commas(line))
    return [piece.strip() for piece in pieces if piece.strip()]


def _at_commas(line: str) -> list[str]:
    """The line's parts, where commas stand between rolls; else the line as it is."""
    parts = COMMA.split(line)
    return parts if len(parts) > 1 and any(map(_roll, parts)) else [line]


def _roll(line: str) -> Roll | None:
    if len(line) < DICE_COUNT:
        return None
    written = (_dice(each) for each in (line, NUMBERED.sub("", line, count=1)))
    dice = next(filter(ROLL_PATTERN.fullmatch, written), None)
    return tuple(map(int, dice)) if dice else None


def _dice(line: str) -> str:
    """The line without what stands between dice."""
    return INSIDE.sub("", line.translate(DICE_DRAWN))


def _in_a_row(line: str) -> list[str]:
    """All dice of a game written without a sign between the rolls; else the line as it is."""
    dice = _dice(line)
    if not re.fullmatch(rf"[1-6]{{{DICE_COUNT * TURN_COUNT}}}", dice):
        return [line]
    return [dice[first : first + DICE_COUNT] for first in range(0, len(dice), DICE_COUNT)]
