"""Decide whether two solutions are the same: `form`, `idea` and `trick`.

*The same form* is the same calculation, written another way.

- Order and grouping do not matter: 3+8 and 8+3, 2*(3*4) and 4*3*2, 9-(3-1) and 9+1-3, 8/(4/2) and 8*2/4.
- Neither do two signs that cancel: (5-2)*(9-1) and (2-5)*(1-9), 20-4*(2-3) and 20+4*(3-2).
- Cards with the same number are interchangeable.
- A part worth 0 may be added or subtracted, a part worth 1 may multiply or divide, and a factor beside a 0
  may multiply or divide it: 24-0 and 24+0, 24/1 and 24*1, 24+0/7 and 24+0*7. A part is a whole term of a sum
  or a whole factor of a product, after needless brackets are removed: in 24*(5-4) the (5-4) is a part, so
  24/(5-4) is the same form; in 5+3-3 the 3-3 is no part. A part worth 0 has no sign either: 1+2-3 is 3-1-2.

Nothing else is the same form: 3*8+3-3 and 3*3*8/3 are two.

*The same idea* is the same solution without its decoration: operations that do not change the value, wherever
they stand. Decoration is a part worth 0 that is added, a part worth 1 that multiplies or divides, two equal
terms with opposite signs (3-3), and a factor over an equal one (3/3). Without it the *core* remains, and of
the decoration only the cards. So 3*8+3-3, 3*3*8/3 and (3+3-3)*8 are one idea, 3*8 with 3 and 3 to spare; but
8/(3-8/3) has no decoration. Published lists count ideas.

A part worth 1 that is added or subtracted is no decoration, so 25-(3+5)/8 and 25-8/(3+5) are two ideas.

*The same trick* is coarser, and what players call the same solution: a quotient worth 1 may be turned upside
down, and a difference worth 0 around. (For four cards up to 13 and the target 24 it makes no difference: 3017
ideas, as in the list at 4nums.com, and as many tricks.)

A *canonical part* is a nested tuple that is the same for all expressions of the same form. Sums and products
are flat in it, and the operands of each stand in three sorted tuples:

- `direct`: added terms, or factors;
- `inverse`: subtracted terms, or divisors;
- `neutral`: terms worth 0, or factors worth 1, which could be in either of the two.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from solver.expression import apply_operation

MAX_CACHED_VALUES = 4096  # Parts whose values are cached, since most occur in many forms of a hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from solver.expression import Expression, Op

    # A canonical part without its sign: ("", number), or (op, direct, inverse, neutral) with op "+" or "*".
    Node = tuple[Any, ...]
    Parts = tuple[Node, ...]
    Value = tuple[int, int]  # Numerator and denominator, in lowest terms
    Form = tuple[int, Node]  # The sign of the whole (-1, 0 or 1) and the canonical part
    # The sign of the whole, the core, and the sorted cards of the decoration
    Idea = tuple[int, Node, tuple[int, ...]]


def form(expression: Expression) -> Form:
    """Return a key that is equal for two expressions exactly if they have the same form: the sign of the
    value and the canonical part. Raises ZeroDivisionError.
    """
    return expression.fold(_make_number_chain, _combine_chains).to_form()


def idea(expression: Expression) -> Idea:
    """Return a key that is equal for two expressions exactly if they have the same idea: the sign of the
    value, the core and the sorted cards of the decoration. Raises ZeroDivisionError.
    """
    return derive_idea(*form(expression))


def derive_idea(sign: int, node: Node) -> Idea:
    """Return the idea of a form: its sign, its core, and the sorted cards of its decoration."""
    if _compute_bare_value(node) is not None:  # the form has no decoration
        return sign, node, ()
    _, core = _strip_decoration(node).to_form()  # a canonical part has no sign
    spare = _list_numbers(node)  # the cards of the decoration: all without those of the core
    for number in _list_numbers(core):
        spare.remove(number)
    return sign, core, tuple(sorted(spare))


def trick(expression: Expression) -> Idea:
    """Return a key that is equal for two expressions exactly if they have the same trick: their idea, with
    the sides of quotients worth 1 and of differences worth 0 in a fixed order. Raises ZeroDivisionError.
    """
    return derive_trick(*form(expression))


def derive_trick(sign: int, node: Node) -> Idea:
    """Return the trick of a form: its idea, in whose core the lesser side of each difference worth 0 and of
    each quotient worth 1 comes first.
    """
    sign, core, spare = derive_idea(sign, node)
    return sign, _order_swappable_sides(core), spare


def _order_swappable_sides(node: Node) -> Node:
    """Put the lesser side first in each difference worth 0 and each quotient worth 1 of a canonical part, at
    any depth.
    """
    if not node[0]:  # ("", number)
        return node
    op = node[0]
    direct, inverse, neutral = (_order_sides_of_all(parts) for parts in node[1:])
    if inverse and inverse < direct:
        chain = _build_chain(node)
        neutral_numerator = chain.denominator if op == "*" else 0  # of a product worth 1, or a sum worth 0
        if chain.numerator == neutral_numerator:
            direct, inverse = inverse, direct
    return op, direct, inverse, neutral


def _order_sides_of_all(parts: Parts) -> Parts:
    return tuple(sorted(_order_swappable_sides(part) for part in parts))


class _Chain:
    """A flat sum or product that may still grow, or a number, with its exact value numerator/denominator.

    `direct`, `inverse` and `neutral` hold canonical parts, which are never negative: the sign of a factor is
    in the value of the chain.
    """

    __slots__ = ("denominator", "direct", "inverse", "neutral", "numerator", "op")

    def __init__(
        self, op: str, direct: Parts, inverse: Parts, neutral: Parts, numerator: int, denominator: int
    ) -> None:
        """Store the operands, and the value in lowest terms with a positive denominator."""
        divisor = gcd(numerator, denominator)
        if denominator < 0:
            divisor = -divisor  # so that the new denominator is positive
        self.op = op  # "+" or "*", or empty for a number
        self.direct = direct
        self.inverse = inverse
        self.neutral = neutral
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    def to_form(self) -> Form:
        """Return the sign of the value, and the canonical part of its absolute value."""
        sign = (self.numerator > 0) - (self.numerator < 0)  # -1, 0 or 1
        if not self.op:  # a number
            return sign, self.direct[0]
        direct = tuple(sorted(self.direct))
        inverse = tuple(sorted(self.inverse))
        neutral = tuple(sorted(self.neutral))
        # A negative sum is turned around; of the two readings of a sum worth 0, the lesser is canonical.
        must_turn = sign < 0 or (sign == 0 and inverse < direct)
        if self.op == "+" and must_turn:
            direct, inverse = inverse, direct
        return sign, (self.op, direct, inverse, neutral)

    def get_terms(self) -> tuple[Parts, Parts, Parts]:
        """Return the chain as terms of a larger sum: those added, those subtracted, and those worth 0. A
        chain that is no sum is one term.
        """
        if self.op == "+":
            return self.direct, self.inverse, self.neutral
        sign, node = self.to_form()
        if sign > 0:
            return (node,), (), ()  # added
        if sign < 0:
            return (), (node,), ()  # subtracted
        return (), (), (node,)  # worth 0

    def get_factors(self) -> tuple[Parts, Parts, Parts]:
        """Return the chain as factors of a larger product: factors, divisors, and those worth 1 or -1. A
        chain that is no product is one factor, without its sign.
        """
        if self.op == "*":
            return self.direct, self.inverse, self.neutral
        _, node = self.to_form()  # without the sign, which is in the value of the product
        if abs(self.numerator) == self.denominator:
            return (), (), (node,)  # worth 1 or -1
        return (node,), (), ()  # a factor


def _make_number_chain(number: int) -> _Chain:
    node = ("", number)
    return _Chain("", direct=(node,), inverse=(), neutral=(), numerator=number, denominator=1)


def _combine_chains(op: Op, left: _Chain, right: _Chain) -> _Chain:
    """Apply an operation to two chains: the result is a flat sum or product of the terms or factors of both.
    `direct` ones are added or multiply, `inverse` ones are subtracted or divide; `neutral` ones may do both.
    Raises ZeroDivisionError.
    """
    is_sum = op in "+-"
    if is_sum:
        left_direct, left_inverse, left_neutral = left.get_terms()
        right_direct, right_inverse, right_neutral = right.get_terms()
    else:
        left_direct, left_inverse, left_neutral = left.get_factors()
        right_direct, right_inverse, right_neutral = right.get_factors()
    if op in "-/":
        right_direct, right_inverse = right_inverse, right_direct
    direct = left_direct + right_direct
    inverse = left_inverse + right_inverse
    neutral = left_neutral + right_neutral
    left_value = left.numerator, left.denominator
    right_value = right.numerator, right.denominator
    numerator, denominator = apply_operation(op, left_value, right_value)
    if is_sum:
        return _Chain("+", direct, inverse, neutral, numerator, denominator)
    if not numerator:
        # Whether a factor beside a 0 multiplies or divides makes no difference.
        neutral = direct + inverse + neutral
        return _Chain("*", (), (), neutral, numerator, denominator)  # none direct or inverse
    return _Chain("*", direct, inverse, neutral, numerator, denominator)


def _build_chain(node: Node) -> _Chain:
    """Convert a canonical part back into a chain."""
    if not node[0]:  # ("", number)
        return _make_number_chain(node[1])
    op, direct, inverse, neutral = node
    # Joined like direct parts, the neutral ones become neutral again because of their value.
    direct_chains = [_build_chain(part) for part in direct + neutral]
    inverse_chains = [_build_chain(part) for part in inverse]
    return _join_chains(op, direct_chains, inverse_chains)


def _join_chains(op: Op, direct: list[_Chain], inverse: list[_Chain]) -> _Chain:
    """Join chains to a sum (op "+": `direct` are added, `inverse` subtracted) or a product (op "*"). `direct`
    must not be empty; a single chain is returned as it is.
    """
    undo: Op = "-" if op == "+" else "/"
    whole = direct[0]
    for part in direct[1:]:
        whole = _combine_chains(op, whole, part)
    for part in inverse:
        whole = _combine_chains(undo, whole, part)
    return whole


@lru_cache(MAX_CACHED_VALUES)
def _compute_bare_value(node: Node) -> Value | None:
    """Return the value of a canonical part if it has no decoration, without a sign and in lowest terms; None
    if it has decoration or is worth 0.
    """
    if not node[0]:  # ("", number)
        number = node[1]
        return (number, 1) if number else None
    op, direct, inverse, neutral = node
    if neutral:  # terms worth 0 or factors worth 1 are decoration
        return None
    direct_values = _compute_bare_values(direct)
    inverse_values = _compute_bare_values(inverse)
    if direct_values is None or inverse_values is None:
        return None
    if not set(direct_values).isdisjoint(inverse_values):  # a pair such as 3-3 or 3/3 is decoration
        return None
    value = (1, 1) if op == "*" else (0, 1)  # the fraction 1 or 0, to start from
    undo: Op = "-" if op == "+" else "/"
    for direct_value in direct_values:
        value = apply_operation(op, value, direct_value)
    for inverse_value in inverse_values:
        value = apply_operation(undo, value, inverse_value)
    numerator, denominator = value
    if not numerator:  # worth 0
        return None
    divisor = gcd(numerator, denominator)
    return abs(numerator) // divisor, denominator // divisor


def _compute_bare_values(parts: Parts) -> list[Value] | None:
    """Return the value of each part as `_compute_bare_value` does; None if one has none."""
    values = []
    for part in parts:
        value = _compute_bare_value(part)
        if value is None:
            return None
        values.append(value)
    return values


def _strip_decoration(node: Node) -> _Chain:
    """Return the core of a canonical part as a chain: without parts worth 0 or 1 and pairs that cancel, at
    any depth. It may be flatter: (3+3-3)*8 becomes a plain product.
    """
    is_number = not node[0]  # ("", number)
    if is_number or _compute_bare_value(node) is not None:  # nothing to strip
        return _build_chain(node)
    op, direct, inverse, neutral = node
    kept_parts = direct or (_choose_kept_part(neutral),)  # without direct parts there are neutral ones
    direct_cores = [_strip_decoration(part) for part in kept_parts]
    inverse_cores = [_strip_decoration(part) for part in inverse]
    # Joining makes the cores flat, so that parts that stood at different depths may cancel.
    joined = _join_chains(op, direct_cores, inverse_cores)
    return _drop_neutral_and_cancel(joined, op)


def _choose_kept_part(neutral: Parts) -> Node:
    """Return the part to keep if all are decoration: the plainest of those worth 0 (of which a product may
    have one), else the plainest of all.
    """

    def make_key(part: Node) -> tuple[bool, tuple[int, Node]]:
        chain = _build_chain(part)
        return chain.numerator != 0, _make_plainness_key(chain)  # False, for a part worth 0, sorts first

    return min(neutral, key=make_key)


def _drop_neutral_and_cancel(chain: _Chain, op: Op) -> _Chain:
    """Return a sum (op "+") or product (op "*") of cores without its decoration: parts worth 0 or 1, and
    pairs of equal value of which one undoes the other. Something always remains. A chain with another
    operation and a product worth 0 are returned as they are.
    """
    is_zero_product = op == "*" and not chain.numerator
    if chain.op != op or is_zero_product:  # another operation: it is one part alone
        return chain
    direct = _build_plainest_first(chain.direct)
    inverse: list[_Chain] = []  # the parts that find no direct part to cancel
    for part in _build_plainest_first(chain.inverse):
        equals = [other for other in direct if _have_equal_value(part, other)]
        is_last = len(direct) == 1 and not chain.neutral  # which must stay, or nothing would be left
        if not equals or is_last:
            inverse.append(part)
        else:
            direct.remove(equals[-1])  # the plainest one remains
    if not direct:
        direct = [_build_chain(_choose_kept_part(chain.neutral))]
    # The other neutral parts are dropped.
    return _join_chains(op, direct, inverse)


def _build_plainest_first(parts: Parts) -> list[_Chain]:
    return sorted([_build_chain(part) for part in parts], key=_make_plainness_key)


def _have_equal_value(one: _Chain, other: _Chain) -> bool:
    return one.numerator == other.numerator and one.denominator == other.denominator


def _make_plainness_key(chain: _Chain) -> tuple[int, Node]:
    """Return a sort key for plain chains first: the count of numbers, then the canonical part."""
    _, node = chain.to_form()
    return len(_list_numbers(node)), node


def _list_numbers(node: Node) -> list[int]:
    """Return the numbers of a canonical part, equal ones repeated."""
    if not node[0]:  # ("", number)
        return [node[1]]
    _op, direct, inverse, neutral = node
    numbers: list[int] = []
    for part in direct + inverse + neutral:
        numbers += _list_numbers(part)
    return numbers
