"""A solution as it leaves the search: an expression that is written when it is read."""

from __future__ import annotations

from functools import lru_cache

from solver.expression import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from solver.equivalence import Node
    from solver.expression import Op

KEPT_TEXTS = 20_000  # For how many parts of solutions the text is kept

_set = object.__setattr__


class Solution(Expression):
    """An expression of which at first only the canonical part is there.

    What it is read by (`op`, `left`, `right`, `number`) is set when one of them is first asked for.
    """

    __slots__ = ("node",)

    node: Node  # The canonical part

    def __init__(self, node: Node) -> None:
        _set(self, "node", node)

    def __getattr__(self, name: str) -> Any:
        """Of the names that are not set yet, which Python asks for here."""
        if name == "op":
            whole = _tree(self.node)
            for slot in ("number", "left", "right") if whole.op == "" else ("left", "right"):
                if hasattr(whole, slot):
                    _set(self, slot, getattr(whole, slot))
            _set(self, "op", whole.op)
        elif name in ("left", "right", "number"):
            _ = self.op
        return object.__getattribute__(self, name)

    def __str__(self) -> str:
        return text(self.node)


def _tree(node: Node) -> Expression:
    """The canonical part as an expression, added before subtracted, multiplied before divided."""
    if not node[0]:
        return Expression.leaf(node[1])
    op: Op = node[0]
    undo: Op = "-" if op == "+" else "/"
    these, those, free = node[1:]
    first, *others = sorted(these + free)
    whole = _tree(first)
    for part in others:
        whole = Expression.join(op, whole, _tree(part))
    for part in those:
        whole = Expression.join(undo, whole, _tree(part))
    return whole


def text(node: Node) -> str:
    """The canonical part as `_tree` writes it."""
    op = node[0]
    if not op:
        return str(node[1])
    these, those, free = node[1:]
    inside = _part if op == "+" else _factor
    whole = op.join(map(inside, sorted(these + free) if free else these))
    undo = "-" if op == "+" else "/"
    return undo.join([whole, *map(inside, those)]) if those else whole


_part = lru_cache(KEPT_TEXTS)(text)


def _factor(node: Node) -> str:
    return f"({_part(node)})" if node[0] == "+" else _part(node)
