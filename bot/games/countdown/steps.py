"""An answer worked out as people write it down: `25 + 50 = 75`, `75 × 7 = 525`, …

Nothing on the way is less than nothing or no whole number. Terms that stand in one row are taken in the order
in which they are written, unless that would break the rule: then what is added (or multiplied) comes first.
"""

from collections.abc import Iterator, Sequence

import solver
from bot.games.countdown import rules
from bot.games.countdown.rules import find_violation
from bot.games.expressions.view import OPERATION_SIGNS, make_joint
from bot.pictures.values import Node, Tile, TilesPicture

AGAINST = {"+": "-", "-": "-", "*": "/", "/": "/"}  # The sign of a row's terms that may not come first

Term = tuple[str, int]  # A sign, and what it is done with


def list_steps(expression: solver.Expression) -> tuple[str, ...]:
    """One line for each operation. Raises ValueError for an expression that breaks the rules on the way."""
    if find_violation(expression) is not None:
        raise ValueError(f"not by the rules: {str(expression)!r}")
    lines: list[str] = []
    _work(expression, lines)
    return tuple(lines)


def _work(part: solver.Expression, lines: list[str]) -> int:
    """What a part makes; its lines are added to the others."""
    if not part.op:
        return part.number
    made, *rest = [(sign, _work(inner, lines)) for sign, inner in order_terms(part)]
    total = made[1]
    for sign, number in rest:
        before, total = total, apply_sign(total, sign, number)
        lines.append(f"{before} {OPERATION_SIGNS[sign]} {number} = {total}")
    return total


def order_terms(part: solver.Expression) -> list[tuple[str, solver.Expression]]:
    """The terms of the row that a part is, in the order in which they are taken, each with its sign."""
    row = _row(part)
    if _is_fine([(sign, int(inner.value)) for sign, inner in row]):
        return row
    return sorted(row, key=lambda term: term[0] == AGAINST[part.op])


def _row(part: solver.Expression) -> list[tuple[str, solver.Expression]]:
    """The terms of the row that a part is, each with its sign; the first has the one that says nothing."""
    alike = "+-" if part.op in "+-" else "*/"
    found: list[tuple[str, solver.Expression]] = []
    while part.op and part.op in alike:
        found.append((part.op, part.right))
        part = part.left
    return [(alike[0], part), *reversed(found)]


def _is_fine(terms: Sequence[Term]) -> bool:
    """Whether the order in which they are written keeps to the rule."""
    return all(whole and made >= 0 for made, whole in _on_the_way(terms))


def _on_the_way(terms: Sequence[Term]) -> Iterator[tuple[int, bool]]:
    made = terms[0][1]
    for sign, number in terms[1:]:
        whole = sign != "/" or made % number == 0
        made = apply_sign(made, sign, number)
        yield made, whole


def apply_sign(one: int, sign: str, other: int) -> int:
    """What a step makes."""
    if sign == "/":
        return one // other
    return one + other if sign == "+" else one - other if sign == "-" else one * other


def build_draw_picture(draw: rules.Draw) -> TilesPicture:
    """The draw as it is dealt."""
    return TilesPicture(draw.tiles, draw.target)


def build_tree(answer: str) -> Node | None:
    """An answer joined in the order of its steps; None for what breaks the rules on the way."""
    try:
        expression = solver.parse(answer)
        return _tree(expression) if rules.find_violation(expression) is None else None
    except ValueError:
        return None


def _tree(part: solver.Expression) -> Node:
    if not part.op:
        return Tile(part.number)
    (_, first), *rest = order_terms(part)
    node, made = _tree(first), int(first.value)
    for sign, inner in rest:
        made = apply_sign(made, sign, int(inner.value))
        node = make_joint(sign, node, _tree(inner), made)
    return node
