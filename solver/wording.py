"""Hints and verdicts as text and JSON of the command line."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from solver.answer import Correct, Unreadable, WrongNumbers, WrongValue
from solver.hint import Intermediate, LastOperation, Skeleton

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.answer import Verdict

    Hint = LastOperation | Intermediate | Skeleton

CHARACTERS_AROUND = 30  # Characters shown on either side of a marked position


def write_hint(hint: Hint) -> str:
    """Return the line that a hint prints."""
    match hint:
        case LastOperation(op=op):
            return f"the last operation is {op}"
        case Intermediate(value=value, numbers=numbers):
            return f"make {value} out of {_join_numbers(numbers)}"
        case Skeleton(text=text):
            return f"it looks like {text}"


def _join_numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(str(number) for number in numbers)


def encode_hint(hint: Hint) -> dict[str, object]:
    """Return the JSON object of a hint."""
    match hint:
        case LastOperation(op=op):
            return {"kind": "last operation", "operation": op}
        case Intermediate(value=value, numbers=numbers):
            return {"kind": "result on the way", "value": str(value), "numbers": list(numbers)}
        case Skeleton(text=text):
            return {"kind": "skeleton", "text": text}


def write_verdict(verdict: Verdict, target: int) -> str:
    """Return the line that explains a verdict: the expression and its value, the missing and the surplus
    numbers, or why the answer could not be read.
    """
    match verdict:
        case Correct(expression=expression):
            return f"{expression} = {target}"
        case WrongValue(expression=expression):
            return f"{expression} = {verdict}, not {target}"
        case WrongNumbers(missing=missing, extra=extra):
            faults = []
            if missing:
                faults.append(f"missing: {_join_numbers(missing)}")
            if extra:
                faults.append(f"too many: {_join_numbers(extra)}")
            return "; ".join(faults)
        case Unreadable(message=message):
            return message


def encode_verdict(verdict: Verdict) -> dict[str, object]:
    """Return the JSON object of a verdict. A wrong value is a fraction in lowest terms."""
    match verdict:
        case Correct(expression=expression):
            return {"verdict": "correct", "expression": str(expression)}
        case WrongValue(value=value, expression=expression):
            return {"verdict": "wrong value", "expression": str(expression), "value": str(value)}
        case WrongNumbers(missing=missing, extra=extra, expression=expression):
            return {
                "verdict": "wrong numbers",
                "expression": str(expression),
                "missing": list(missing),
                "extra": list(extra),
            }
        case Unreadable(message=message, position=position):
            return {"verdict": "unreadable", "message": message, "position": position}


def mark_position(text: str, position: int, encoding: str) -> str:
    """Return two lines: the text around `position`, with three dots for a part that is left out, and a `^`
    below the character there. Characters that `encoding` lacks are escaped.
    """
    start = max(0, position - CHARACTERS_AROUND)
    end = position + CHARACTERS_AROUND
    before = _make_printable(text[start:position], encoding)
    if start:
        before = f"...{before}"
    after = _make_printable(text[position:end], encoding)
    if end < len(text):
        after = f"{after}..."
    indent = " " * sum(_count_columns(character) for character in before)
    return f"{before}{after}\n{indent}^"


def _make_printable(text: str, encoding: str) -> str:
    """Replace unprintable characters by spaces, and escape those that `encoding` lacks."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable.encode(encoding, "backslashreplace").decode(encoding)


def _count_columns(character: str) -> int:
    """Return the number of columns of a terminal that a character takes: 0, 1 or 2."""
    if combining(character):
        return 0
    if east_asian_width(character) in ("F", "W"):  # full-width and wide
        return 2
    return 1
