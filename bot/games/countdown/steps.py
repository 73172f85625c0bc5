"""Steps of an answer, as lines (`25 + 50 = 75`) and as a picture's tree.

Each intermediate result is whole and not negative. The terms of a row are taken in the order in which they
are written, unless that would break the rules: then additions (or multiplications) come first.
"""

from collections.abc import Sequence

import solver
from bot.games.countdown.rules import find_violation
from bot.games.expressions.view import OPERATION_SIGNS, make_joint
from bot.pictures.values import Node, Tile

Term = tuple[str, solver.Expression]  # A sign and the number or brackets after it


def list_steps(expression: solver.Expression) -> tuple[str, ...]:
    """Return one line for each operation. Raises ValueError for an expression that breaks the rules."""
    if find_violation(expression) is not None:
        raise ValueError(f"not by the rules: {str(expression)!r}")
    lines: list[str] = []
    _add_lines(expression, lines)
    return tuple(lines)


def _add_lines(part: solver.Expression, lines: list[str]) -> int:
    """Add the lines of a part and return its value."""
    if not part.op:
        return part.number
    (_, total), *rest = [(sign, _add_lines(inner, lines)) for sign, inner in order_terms(part)]
    for sign, number in rest:
        before, total = total, apply_sign(total, sign, number)
        lines.append(f"{before} {OPERATION_SIGNS[sign]} {number} = {total}")
    return total


def build_tree(answer: str) -> Node | None:
    """Return an answer as a tree in the order of its steps; None if it breaks the rules or can't be read."""
    try:
        expression = solver.parse(answer)
        return _build_node(expression) if find_violation(expression) is None else None
    except ValueError:
        return None


def _build_node(part: solver.Expression) -> Node:
    if not part.op:
        return Tile(part.number)
    (_, first), *rest = order_terms(part)
    node, value = _build_node(first), int(first.value)
    for sign, inner in rest:
        value = apply_sign(value, sign, int(inner.value))
        node = make_joint(sign, node, _build_node(inner), value)
    return node


LAST = {"+": "-", "-": "-", "*": "/", "/": "/"}  # By the sign of a row: the sign of terms that are taken last


def order_terms(part: solver.Expression) -> list[Term]:
    """Return the terms of a row of additions or multiplications in the order in which they are taken."""
    row = _split_row(part)
    if _keeps_rules([(sign, int(inner.value)) for sign, inner in row]):
        return row
    return sorted(row, key=lambda term: term[0] == LAST[part.op])


def _split_row(part: solver.Expression) -> list[Term]:
    same_kind = "+-" if part.op in "+-" else "*/"
    terms: list[Term] = []
    while part.op and part.op in same_kind:
        terms.append((part.op, part.right))
        part = part.left
    return [(same_kind[0], part), *reversed(terms)]


def _keeps_rules(terms: Sequence[tuple[str, int]]) -> bool:
    """Whether all intermediate results of a row are whole and not negative."""
    value = terms[0][1]
    for sign, number in terms[1:]:
        if sign == "/" and value % number:
            return False
        value = apply_sign(value, sign, number)
        if value < 0:
            return False
    return True


def apply_sign(left: int, sign: str, right: int) -> int:
    """Return the whole result of one operation."""
    if sign == "/":
        return left // right
    return left + right if sign == "+" else left - right if sign == "-" else left * right
