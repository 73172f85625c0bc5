"""Render why an entry does not count, the best answers to a draw, and the steps of an answer."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import solver
from bot.formats import format_expression, format_fraction
from bot.games.countdown.rules import (
    MAX_DISTANCE,
    TARGETS,
    Draw,
    evaluate_answer,
    find_violation,
    is_allowed_value,
)
from bot.games.expressions.view import make_joint, number_steps
from bot.i18n import Html, Words
from bot.pictures.alt_text import list_tree_steps
from bot.pictures.values import Node, Tile


def render_too_far(words: Words, draw: Draw, value: int, *, only_best: bool) -> Html:
    """Render why a value is too far from the target; with `only_best`, since a nearer one is possible."""
    target = draw.target
    off = abs(value - target)
    if only_best:
        return words.translate(
            "{value} is {off} away from {target}. It can be done nearer.", value=value, off=off, target=target
        )
    return words.translate(
        "{value} is {off} away from {target}: only up to {most} away counts.",
        value=value,
        off=off,
        target=target,
        most=MAX_DISTANCE,
    )


def render_wrong_tiles(words: Words, draw: Draw, extra: Sequence[int]) -> Html:
    """Name the `extra` numbers of an entry that were not dealt; if all were, those that it has too often."""
    unknown = [number for number in extra if number not in draw.tiles]
    numbers = ", ".join(map(str, dict.fromkeys(unknown or extra)))  # Each once
    if unknown:
        return words.translate("Not among the tiles: {extra}.", extra=numbers)
    return words.translate("Too often: {extra}.", extra=numbers)


def render_violation(words: Words, part: solver.Expression) -> Html:
    """Render the reason against an entry with a negative or fractional intermediate result."""
    parts = {"part": format_expression(part), "value": format_fraction(part.value)}
    if part.value < 0:
        return words.translate("{part} = {value}: nothing below zero on the way.", **parts)
    return words.translate("{part} = {value}: only whole numbers on the way.", **parts)


def format_answer(answer: str) -> str:
    """Return the answer with its value: `25×3 = 75`."""
    return f"{format_expression(answer)} = {evaluate_answer(answer)}"


def render_explanation(words: Words, target: int, answer: str) -> Html:
    """Render the best answer to a question with its steps, and how far it is from the target."""
    lines: list[Html] = []
    off = abs(evaluate_answer(answer) - target)
    if off > 0:
        lines.append(words.translate("{target} is out of reach: this is {off} away.", target=target, off=off))
    lines.append(words.translate("Best: <b>{best}</b>", best=format_answer(answer)))
    return Html("\n".join([*lines, *number_steps(list_steps(answer))]))


def render_invalid_target(words: Words, numbers: Sequence[int]) -> Html:
    """Render the reason why these tiles can't be explained: the target is missing or out of range."""
    return words.translate(
        "A target is a whole number from {least} to {most}: /why {numbers} = {example}",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
        numbers=" ".join(map(str, numbers)),
        example=573,  # Any possible target
    )


# Steps of an answer, as lines (`25 + 50 = 75`) and as a picture's tree. Each intermediate result is whole and
# not negative. The terms of a row are taken in the order in which they are written, unless that would break
# the rules: then additions (or multiplications) come first.


def list_steps(answer: str) -> list[str]:
    """Return one line for each operation; none for an answer that `build_tree` refuses."""
    tree = build_tree(answer)
    return list_tree_steps(tree) if tree else []


def build_tree(answer: str) -> Node | None:
    """Return an answer as a tree in the order of its steps; None if it breaks the rules or can't be read."""
    try:
        expression = solver.parse(answer)
    except solver.ExpressionError:
        return None
    return _build_node(expression) if find_violation(expression) is None else None


def _build_node(part: solver.Expression) -> Node:
    """Return a part as a tree that joins the terms of each row from left to right."""
    if not part.op:
        return Tile(part.number)
    first, *rest = _order_terms(part)
    joined = first.operand
    node = _build_node(joined)
    for sign, operand in rest:
        joined = solver.Expression.join(sign, joined, operand)  # For its value
        node = make_joint(sign, node, _build_node(operand), joined.value)
    return node


Sign = Literal["+", "-", "*", "/"]


class Term(NamedTuple):
    sign: Sign  # `+` or `*` before the first term of a row
    operand: solver.Expression  # A number or brackets


def _order_terms(part: solver.Expression) -> list[Term]:
    """Return the terms of a row, such as 5, 7 and 10 of `5-7+10`, in the order of the steps.

    That is the order of the text, unless a result on the way breaks the rules: then `+` or `*` come first.
    """
    signs: tuple[Sign, Sign] = ("+", "-") if part.op in "+-" else ("*", "/")
    terms: list[Term] = []
    keeps_rules = True
    while part.op and part.op in signs:  # From the last term to the first
        if not is_allowed_value(part.value):
            keeps_rules = False
        terms.append(Term(part.op, part.right))
        part = part.left
    first_sign, _ = signs
    terms.append(Term(first_sign, part))
    terms.reverse()
    return terms if keeps_rules else sorted(terms, key=lambda term: signs.index(term.sign))
