"""Steps of an answer, as lines (`25 + 50 = 75`) and as a picture's tree.

Each intermediate result is whole and not negative. The terms of a row are taken in the order in which they
are written, unless that would break the rules: then additions (or multiplications) come first.
"""

from typing import Literal

import solver
from bot.games.countdown.rules import find_violation, is_allowed_value
from bot.games.expressions.view import make_joint
from bot.pictures.alt_text import list_tree_steps
from bot.pictures.values import Node, Tile


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
    (_, joined), *rest = _order_terms(part)  # The sign of the first term is `+` or `*`
    node = _build_node(joined)
    for sign, term in rest:
        joined = solver.Expression.join(sign, joined, term)  # For its value
        node = make_joint(sign, node, _build_node(term), joined.value)
    return node


Sign = Literal["+", "-", "*", "/"]
Term = tuple[Sign, solver.Expression]  # The sign before a number or brackets, and these


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
        terms.append((part.op, part.right))
        part = part.left
    terms.append((signs[0], part))
    terms.reverse()
    if keeps_rules:
        return terms

    def get_sign_place(term: Term) -> int:
        sign, _ = term
        return signs.index(sign)

    return sorted(terms, key=get_sign_place)
