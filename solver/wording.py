"""Hints and verdicts in the command line's words, and as JSON has them."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from solver.answer import Correct, Unreadable, WrongNumbers, WrongValue
from solver.hint import Intermediate, LastOperation, Skeleton

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.answer import Verdict

    Hint = LastOperation | Intermediate | Skeleton

AROUND = 30  # Characters that are shown on either side of a mark


def hint_line(hint: Hint) -> str:
    """A hint as people read it."""
    match hint:
        case LastOperation(op=op):
            return f"the last operation is {op}"
        case Intermediate(value=value, numbers=numbers):
            return f"make {value} out of {' '.join(map(str, numbers))}"
        case Skeleton(text=text):
            return f"it looks like {text}"


def hint_as_json(hint: Hint) -> dict[str, object]:
    """A hint by its kind."""
    match hint:
        case LastOperation(op=op):
            return {"kind": "last operation", "operation": op}
        case Intermediate(value=value, numbers=numbers):
            return {"kind": "result on the way", "value": str(value), "numbers": list(numbers)}
        case Skeleton(text=text):
            return {"kind": "skeleton", "text": text}


def verdict_line(verdict: Verdict, target: int) -> str:
    """Return the line that explains a verdict; for an unreadable answer, why it could not be read."""
    match verdict:
        case Correct(expression=expression):
            return f"{expression} = {target}"
        case WrongValue(expression=expression):
            return f"{expression} = {verdict}, not {target}"
        case WrongNumbers(missing=missing, extra=extra):
            parts = (("missing", missing), ("too many", extra))
            return "; ".join(f"{what}: {' '.join(map(str, them))}" for what, them in parts if them)
        case Unreadable(message=message):
            return message


def verdict_as_json(verdict: Verdict) -> dict[str, object]:
    """A verdict by its kind; a value is a fraction in lowest terms."""
    match verdict:
        case Correct(expression=expression):
            return {"verdict": "correct", "expression": str(expression)}
        case WrongValue(value=value, expression=expression):
            return {"verdict": "wrong value", "expression": str(expression), "value": str(value)}
        case WrongNumbers(missing=missing, extra=extra, expression=expression):
            told: dict[str, object] = {"missing": list(missing), "extra": list(extra)}
            return {"verdict": "wrong numbers", "expression": str(expression), **told}
        case Unreadable(message=message, position=position):
            return {"verdict": "unreadable", "message": message, "position": position}


def pointed(text: str, position: int, encoding: str) -> str:
    """The text in one line, or the part around `position`, and below it a mark under that character.

    `encoding` is that of the output: what it lacks is written in several characters there.
    """
    start = max(0, position - AROUND)
    before = ("..." if start else "") + _shown(text[start:position], encoding)
    after = _shown(text[position : position + AROUND], encoding)
    rest = "..." if position + AROUND < len(text) else ""
    return f"{before}{after}{rest}\n{' ' * sum(map(_columns, before))}^"


def _shown(text: str, encoding: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable.encode(encoding, "backslashreplace").decode(encoding)


def _columns(character: str) -> int:
    """Count the columns of a terminal that a character takes."""
    return 0 if combining(character) else 2 if east_asian_width(character) in "FW" else 1
