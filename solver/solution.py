"""Solutions as the search returns them: expressions that are built only when somebody reads them."""

from __future__ import annotations

from functools import lru_cache

from solver.expression import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from solver.equivalence import Node
    from solver.expression import Op

MAX_CACHED_TEXTS = 20_000  # Parts of solutions whose texts are cached

_set = object.__setattr__


class Solution(Expression):
    """An expression that stores only its canonical part at first. `op`, `left`, `right` and `number` are set
    when one of them is first read: most solutions are only counted, compared or written.
    """

    __slots__ = ("node",)

    node: Node  # The canonical part, see `solver.equivalence`

    def __init__(self, node: Node) -> None:
        _set(self, "node", node)

    def __getattr__(self, name: str) -> Any:
        """Set the attributes of the expression, and return one. Python calls this if it is not set yet."""
        if name == "op":
            whole = _build_expression(self.node)
            if whole.op:
                _set(self, "left", whole.left)
                _set(self, "right", whole.right)
            else:
                _set(self, "number", whole.number)
            _set(self, "op", whole.op)
        elif name in ("left", "right", "number"):
            _ = self.op  # reading it sets all
        return object.__getattribute__(self, name)

    def __str__(self) -> str:
        return write_node(self.node)


def _build_expression(node: Node) -> Expression:
    """Convert a canonical part to an expression: additions before subtractions, products before divisions."""
    if not node[0]:  # ("", number)
        return Expression.leaf(node[1])
    op: Op  # for the type checker
    op, direct, inverse, neutral = node
    undo: Op = "-" if op == "+" else "/"
    first, *others = sorted(direct + neutral)
    whole = _build_expression(first)
    for part in others:
        whole = Expression.join(op, whole, _build_expression(part))
    for part in inverse:
        whole = Expression.join(undo, whole, _build_expression(part))
    return whole


def write_node(node: Node) -> str:
    """Write a canonical part as `str(_build_expression(node))` would, but faster."""
    if not node[0]:  # ("", number)
        return str(node[1])
    op: str  # for the type checker
    op, direct, inverse, neutral = node
    write_operand = _write_part if op == "+" else _write_factor
    joined = sorted(direct + neutral) if neutral else direct  # which is sorted
    whole = op.join(map(write_operand, joined))
    if not inverse:
        return whole
    undo = "-" if op == "+" else "/"
    return undo.join([whole, *map(write_operand, inverse)])


_write_part = lru_cache(MAX_CACHED_TEXTS)(write_node)


def _write_factor(node: Node) -> str:
    """Write a factor or divisor, in brackets if it is a sum."""
    return f"({_write_part(node)})" if node[0] == "+" else _write_part(node)
