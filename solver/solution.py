"""Solutions as the search returns them: expressions that are built only when somebody reads them."""

from __future__ import annotations

from functools import lru_cache

from solver.expression import Expression, LazyExpression, set_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.equivalence import Node
    from solver.expression import Op

MAX_CACHED_TEXTS = 20_000  # Parts of solutions whose texts are cached


class Solution(LazyExpression):
    """An expression that stores only its canonical part at first."""

    __slots__ = ("node",)

    node: Node  # The canonical part, see `solver.equivalence`

    def __init__(self, node: Node) -> None:
        set_once(self, "node", node)

    def build(self) -> Expression:
        return _build_expression(self.node)

    def __str__(self) -> str:
        """Write the expression from its canonical part, without setting the attributes."""
        return write_node(self.node)


def _build_expression(node: Node) -> Expression:
    """Convert a canonical part to an expression: the added terms in canonical order, then the subtracted
    ones; likewise factors, then divisors. Neutral parts are added or multiplied.
    """
    if not node[0]:  # ("", number)
        return Expression.leaf(node[1])
    op: Op  # for the type checker
    op, direct, inverse, neutral = node
    undo: Op = "-" if op == "+" else "/"
    first, *rest = sorted(direct + neutral)  # never empty: 1/3 has a neutral 1
    whole = _build_expression(first)
    for part in rest:
        whole = Expression.join(op, whole, _build_expression(part))
    for part in inverse:
        whole = Expression.join(undo, whole, _build_expression(part))
    return whole


def write_node(node: Node) -> str:
    """Write a canonical part as `str(_build_expression(node))` would, but without building expressions, which
    takes longer.
    """
    if not node[0]:  # ("", number)
        return str(node[1])
    op: str  # for the type checker
    op, direct, inverse, neutral = node
    # A term is a number or a product, and needs no brackets.
    write_operand = _write_cached_node if op == "+" else _write_factor
    joined = sorted(direct + neutral) if neutral else direct  # which is sorted
    whole = op.join(map(write_operand, joined))
    if not inverse:
        return whole
    undo = "-" if op == "+" else "/"
    return undo.join([whole, *map(write_operand, inverse)])


_write_cached_node = lru_cache(MAX_CACHED_TEXTS)(write_node)


def _write_factor(node: Node) -> str:
    """Write a factor or divisor, in brackets if it is a sum."""
    text = _write_cached_node(node)
    if node[0] == "+":
        return f"({text})"
    return text
