"""Render reading errors and the steps of an answer for all games that are answered by expressions."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import solver
from bot.formats import format_expression, format_fraction
from bot.games.expressions.answer_parser import Computation
from bot.games.expressions.spelling import APP_EMOJI
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Node, Operation, Sign


def render_reading_error(words: Words, reason: str, fragment: str) -> Html:
    """Render in one line why a text is no expression; `reason` is the code of a `solver.ExpressionError`."""
    if reason == "unknown" and fragment in tuple(APP_EMOJI):
        return words.translate(
            "Your app turned signs into {emoji}. Write them without spaces, or turn off automatic emoji.",
            emoji=fragment,
        )
    if reason == "unknown" and fragment in ("!", "√"):
        return words.translate("No factorials or roots here, only + − × ÷.")
    fragment = format_expression(fragment)
    sentences = {
        "empty": words.translate("Write it like this: 8/(3-8/3)"),
        "too long": words.translate("Too long: 256 characters at most."),
        "too many": words.translate("Too long: 64 numbers and signs at most."),
        "too deep": words.translate("Too many brackets in brackets: 16 at most."),
        "number too long": words.translate("Numbers have at most 9 digits."),
        "unknown": words.translate("I don’t know what “{fragment}” means.", fragment=fragment),
        "no name": words.translate("I read only numbers and A J Q K, not “{fragment}”.", fragment=fragment),
        "no power": words.translate("No powers here, only + − × ÷."),
        "no decimal": words.translate("Whole numbers only, please."),
        "no sign": words.translate("No minus in front of a number: write 27−3, not −3+27."),
        "no operator": words.translate("A sign such as × is missing before “{fragment}”.", fragment=fragment),
        "no number": words.translate("A number is missing before “{fragment}”.", fragment=fragment),
        "unfinished": words.translate("A number is missing at the end."),
        "unclosed": words.translate("A closing bracket ) is missing."),
        "unopened": words.translate("There is a closing bracket ) too many."),
        "unexpected": words.translate("“{fragment}” can’t stand there.", fragment=fragment),
        "other target": words.translate("The target is not {fragment}.", fragment=fragment),
        "division by zero": words.translate("Nobody can divide by zero."),
    }
    return sentences.get(reason) or words.translate("Sorry, I can’t read that.")


OPERATION_SIGNS: Mapping[str, Sign] = {"+": "+", "-": "−", "*": "×", "/": "÷"}


def make_joint(sign: str, left: Node, right: Node, value: Fraction | int) -> Operation:
    """Join two parts of a picture by an operation, written as in expressions (`*`), to their value."""
    return Operation(OPERATION_SIGNS[sign], left, right, format_fraction(value))


OPERATIONS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def list_steps(computation: Computation) -> list[str]:
    """Return a line for each operation in the order of calculation: `3 − 2 2/3 = 1/3`, `8 ÷ 1/3 = 24`."""
    lines: list[str] = []

    def add_step(sign: str, left: Fraction, right: Fraction) -> Fraction:
        """Add the line of one operation, and return its result."""
        result = OPERATIONS[sign](left, right)
        second = f"({format_fraction(right)})" if right < 0 else format_fraction(right)
        lines.append(f"{format_fraction(left)} {OPERATION_SIGNS[sign]} {second} = {format_fraction(result)}")
        return result

    if isinstance(computation, solver.Working):  # Its shape holds indexes of its numbers
        computation.shape.fold(computation.numbers.__getitem__, add_step)
    else:
        computation.fold(Fraction, add_step)
    return lines


def number_steps(steps: Iterable[str]) -> list[Html]:
    return [Html(escape_value(f"{number}. {step}")) for number, step in enumerate(steps, start=1)]


def render_wrong_answer(words: Words, verdict: solver.Verdict, numbers: Sequence[int], target: int) -> Html:
    """Render in one line why an answer to the hand of `numbers` is not right.

    Raises TypeError for a right one.
    """
    match verdict:
        case solver.WrongValue(value=value, expression=expression):
            return words.translate(
                "{expression} = {value}, not {target}.",
                expression=format_expression(expression),
                value=format_fraction(value),
                target=target,
            )
        case solver.WrongNumbers():
            return _render_wrong_numbers(words, verdict, numbers)
        case solver.Unreadable(reason=reason, fragment=fragment):
            return render_reading_error(words, reason, fragment)
    raise TypeError(f"not a wrong answer: {verdict!r}")


def _render_wrong_numbers(words: Words, verdict: solver.WrongNumbers, numbers: Sequence[int]) -> Html:
    """Render what the expression makes and the numbers in its way: first those that were not dealt."""
    made = f"{format_expression(verdict.expression)} = {format_fraction(verdict.expression.value)}"
    foreign = sorted({number for number in verdict.extra if number not in numbers})
    if foreign:
        return words.translate_plural(
            "{made}, but {foreign} is not in this hand: {hand}.",
            "{made}, but {foreign} are not in this hand: {hand}.",
            len(foreign),
            made=made,
            foreign=", ".join(map(str, foreign)),
            hand=" ".join(map(str, numbers)),
        )
    extra = _render_extra(words, verdict.extra, numbers)
    missing = _render_missing(words, verdict.missing, numbers)
    if verdict.extra and verdict.missing:
        return words.translate("{made}, but {extra}; {missing}.", made=made, extra=extra, missing=missing)
    return words.translate("{made}, but {reason}.", made=made, reason=extra if verdict.extra else missing)


def _render_extra(words: Words, extra: Sequence[int], numbers: Sequence[int]) -> Html:
    """Render as part of a sentence which of the dealt numbers are used too often."""
    listed = ", ".join(map(str, extra))
    if len(set(extra)) == 1 and numbers.count(extra[0]) == 1:
        return words.translate("the {extra} is there only once", extra=extra[0])
    return words.translate_plural(
        "the {extra} is one too many", "{extra} are too many", len(extra), extra=listed
    )


def _render_missing(words: Words, missing: Sequence[int], numbers: Sequence[int]) -> Html:
    listed = ", ".join(map(str, missing))
    if all(numbers.count(number) > missing.count(number) for number in missing):  # one was used of each
        return words.translate_plural(
            "the other {missing} is missing", "the other {missing} are missing", len(missing), missing=listed
        )
    return words.translate_plural(
        "the {missing} is missing", "{missing} are missing", len(missing), missing=listed
    )
