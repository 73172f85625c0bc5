"""Decide whether two solutions are the same: `form`, `idea` and `trick`.

*The same form* is the same calculation, written another way.

- Order and grouping mean nothing: 3+8 and 8+3, 2*(3*4) and 4*3*2, 9-(3-1) and 9+1-3, 8/(4/2) and 8*2/4.
- Neither does a pair of signs: (5-2)*(9-1) and (2-5)*(1-9), 20-4*(2-3) and 20+4*(3-2).
- Cards with the same number are alike: it doesn't matter which 3 is which.
- A part worth 0 may be added or subtracted, a part worth 1 may multiply or divide, and what multiplies a 0
  may as well divide it: 24-0 and 24+0, 24/1 and 24*1, 24+0/7 and 24+0*7. A part is a whole term of a sum or a
  whole factor of a product, when the brackets that mean nothing are gone: in 24*(5-4) the (5-4) is one, so
  24/(5-4) is the same; in 5+3-3 the 3-3 is none. A part worth 0 has no sign either: 1+2-3 is 3-1-2.

Nothing else: 3*8+3-3 and 3*3*8/3 are two forms.

*The same idea* is the same solution but for decoration, as published lists count. Here adding, subtracting,
multiplying or dividing something that changes nothing is left out, wherever it stands, and only its cards are
remembered. Besides the parts worth 0 and 1 that means two terms of equal value with opposite signs (3-3) and
a factor over its equal (3/3). So 3*8+3-3, 3*3*8/3 and (3+3-3)*8 are one idea, 3*8 with 3 and 3 to spare; but
8/(3-8/3) is an idea of its own, since nothing can be left out of it.

What is worth 1 is left out there where it multiplies or divides, and stays where it is added or taken away.
So 25-(3+5)/8 and 25-8/(3+5) are two ideas, and `count` is by this reading. (For four cards up to 13 and 24 it
makes no difference: 3017 ideas, as in the list at 4nums.com, and as many tricks.)

*The same trick* is what players mean by "the same solution", coarser by that: a quotient worth 1 is the same
either way up, and a difference worth 0 the same either way round, wherever they stand.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

KEPT = 4096  # Parts whose value is remembered: most stand in many forms of a hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from solver.expression import Expression, Op

    Node = tuple[Any, ...]
    """A part without its sign: ("", number), or (op, these, those, free) with "+" or "*" for op, where
    `these` are added (multiplied), `those` subtracted (divided by), and `free` may stand on either side."""
    Parts = tuple[Node, ...]
    Value = tuple[int, int]
    """Numerator and denominator, in lowest terms."""
    Form = tuple[int, Node]
    """The sign of the whole (-1, 0, 1) and the canonical part."""
    Idea = tuple[int, Node, tuple[int, ...]]
    """The sign of the whole, what is left when decoration is left out, and the cards in the decoration."""


def form(expression: Expression) -> Form:
    """The key that two expressions share exactly when they are the same form.

    ZeroDivisionError where it divides by zero.
    """
    return expression.fold(_number, _operate).closed()


def idea(expression: Expression) -> Idea:
    """The key that two expressions share exactly when they are the same idea.

    ZeroDivisionError where it divides by zero.
    """
    return idea_of(*form(expression))


def idea_of(sign: int, node: Node) -> Idea:
    """The idea of a form."""
    if _bare(node):
        return sign, node, ()
    core = _core(node).closed()[1]
    spare = _numbers(node)
    for number in _numbers(core):
        spare.remove(number)
    return sign, core, tuple(sorted(spare))


def trick(expression: Expression) -> Idea:
    """The key that two expressions share exactly when they are the same trick.

    ZeroDivisionError where it divides by zero.
    """
    return trick_of(*form(expression))


def trick_of(sign: int, node: Node) -> Idea:
    """The trick of a form."""
    sign, core, spare = idea_of(sign, node)
    return sign, _upright(core), spare


def _upright(node: Node) -> Node:
    """The part with all that is worth 0 or 1 in it the one way round that sorts first."""
    if not node[0]:
        return node
    op, *sides = node
    these, those, free = (tuple(sorted(map(_upright, parts))) for parts in sides)
    if those and those < these and _laid(node).numerator == _laid(node).denominator * (op == "*"):
        these, those = those, these
    return op, these, those, free


class _Chain:
    """A sum or a product laid flat, or a number, with its exact value numerator/denominator.

    The sign of a product's factor is pulled out into the value, so that `these`, `those` and `free` hold
    parts that are not negative. A chain may still grow; `closed` turns it into a part of something else.
    """

    __slots__ = ("denominator", "free", "numerator", "op", "these", "those")

    def __init__(
        self, op: str, these: Parts, those: Parts, free: Parts, numerator: int, denominator: int
    ) -> None:
        divisor = gcd(numerator, denominator) if denominator > 0 else -gcd(numerator, denominator)
        self.op = op
        self.these = these
        self.those = those
        self.free = free
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    def closed(self) -> Form:
        """The sign of the value, and the part whose value is not negative."""
        sign = (self.numerator > 0) - (self.numerator < 0)
        if not self.op:
            return sign, self.these[0]
        these, those = tuple(sorted(self.these)), tuple(sorted(self.those))
        if self.op == "+" and (sign < 0 or (sign == 0 and those < these)):
            these, those = those, these
        return sign, (self.op, these, those, tuple(sorted(self.free)))

    def terms(self) -> tuple[Parts, Parts, Parts]:
        """Return the parts that are added, those that are subtracted, and those worth 0."""
        if self.op == "+":
            return self.these, self.those, self.free
        sign, node = self.closed()
        return ((), (), (node,)) if not sign else ((node,), (), ()) if sign > 0 else ((), (node,), ())

    def factors(self) -> tuple[Parts, Parts, Parts]:
        """Return the factors, the divisors, and the parts worth 1."""
        if self.op == "*":
            return self.these, self.those, self.free
        node = self.closed()[1]
        return ((), (), (node,)) if abs(self.numerator) == self.denominator else ((node,), (), ())


def _number(number: int) -> _Chain:
    return _Chain("", (("", number),), (), (), number, 1)


def _operate(op: Op, left: _Chain, right: _Chain) -> _Chain:
    return _add(left, right, 1 if op == "+" else -1) if op in "+-" else _multiply(left, right, over=op == "/")


def _add(left: _Chain, right: _Chain, sign: int) -> _Chain:
    these, those, free = left.terms()
    more, less, either = right.terms()
    if sign < 0:
        more, less = less, more
    numerator = left.numerator * right.denominator + sign * right.numerator * left.denominator
    denominator = left.denominator * right.denominator
    return _Chain("+", these + more, those + less, free + either, numerator, denominator)


def _multiply(left: _Chain, right: _Chain, *, over: bool) -> _Chain:
    these, those, free = left.factors()
    more, less, either = right.factors()
    numerator, denominator = right.numerator, right.denominator
    if over:
        more, less = less, more
        numerator, denominator = denominator, numerator
        if not denominator:
            raise ZeroDivisionError("division by zero in an expression")
    numerator *= left.numerator
    parts = these + more, those + less, free + either
    if not numerator:
        # What stands beside a 0 may multiply it or divide it, all the same.
        parts = (), (), parts[0] + parts[1] + parts[2]
    return _Chain("*", *parts, numerator, left.denominator * denominator)


def _laid(node: Node) -> _Chain:
    """The part as a chain again."""
    if not node[0]:
        return _number(node[1])
    these, those, free = node[1:]
    return _join(node[0], [_laid(part) for part in these + free], [_laid(part) for part in those])


def _join(op: str, these: list[_Chain], those: list[_Chain]) -> _Chain:
    """The chains as one: these added, those subtracted, or the like for a product."""
    whole = these[0]
    for part in these[1:]:
        whole = _add(whole, part, 1) if op == "+" else _multiply(whole, part, over=False)
    for part in those:
        whole = _add(whole, part, -1) if op == "+" else _multiply(whole, part, over=True)
    return whole


@lru_cache(KEPT)
def _bare(node: Node) -> Value | None:
    """Return the value of a part without decoration; None for a part with decoration or worth 0."""
    if not node[0]:
        return (node[1], 1) if node[1] else None
    op, these, those, free = node
    if free:
        return None
    over, under = _all_bare(these), _all_bare(those)
    if over is None or under is None or not set(over).isdisjoint(under):
        return None
    above, below = int(op == "*"), 1
    for numerator, denominator in over:
        above, below = _joined(op, above, below, numerator, denominator)
    for numerator, denominator in under:
        opposite = (-numerator, denominator) if op == "+" else (denominator, numerator)
        above, below = _joined(op, above, below, *opposite)
    divisor = gcd(above, below)
    return (abs(above) // divisor, below // divisor) if above else None


def _all_bare(parts: Parts) -> list[Value] | None:
    """Return the value of each part; None unless all are without decoration."""
    values = [value for part in parts if (value := _bare(part))]
    return values if len(values) == len(parts) else None


def _joined(op: str, a: int, b: int, c: int, d: int) -> Value:
    """a/b and c/d added or multiplied, not in lowest terms."""
    return (a * d + c * b, b * d) if op == "+" else (a * c, b * d)


def _core(node: Node) -> _Chain:
    """The part without its decoration, which may lay it flatter than it was."""
    if _bare(node) or not node[0]:
        return _laid(node)
    op, these, those, free = node
    return _trimmed(
        _join(op, [_core(part) for part in these or _kept(free)], [_core(part) for part in those]), op
    )


def _kept(free: Parts) -> Parts:
    """Return the part to keep where all parts are decoration: one worth 0 if any is, else the plainest."""
    return (min(free, key=lambda part: (_laid(part).numerator != 0, _size(_laid(part)))),)


def _trimmed(flat: _Chain, op: str) -> _Chain:
    """The chain of cores without its parts worth 0 or 1, and without pairs that undo each other."""
    if flat.op != op or (op == "*" and not flat.numerator):
        return flat
    these = sorted(map(_laid, flat.these), key=_size)
    those: list[_Chain] = []
    for part in sorted(map(_laid, flat.those), key=_size):
        twin = next((other for other in reversed(these) if _alike(part, other)), None)
        if twin is None or (len(these) == 1 and not flat.free):
            those.append(part)
        else:
            these.remove(twin)
    return _join(op, these or [_laid(part) for part in _kept(flat.free)], those)


def _alike(one: _Chain, other: _Chain) -> bool:
    return one.numerator == other.numerator and one.denominator == other.denominator


def _size(chain: _Chain) -> tuple[int, Node]:
    """Return the sort key of a chain: the count of its numbers, then the canonical part."""
    node = chain.closed()[1]
    return len(_numbers(node)), node


def _numbers(node: Node) -> list[int]:
    return (
        [number for parts in node[1:] for part in parts for number in _numbers(part)]
        if node[0]
        else [node[1]]
    )
