"""Ways to write a part of a hand, and operations that join the ways of two parts.

The *block* is the part that contains the lowest number (see `solver.layout`). A sum joins a block that is no
sum with any rest, a product a block that is no product with any rest; so each form is found once. `direct`,
`inverse` and `neutral` operands are explained in `solver.equivalence`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from solver.equivalence import Node, Parts

    Operands = tuple[Parts, Parts, Parts]  # The direct, inverse and neutral operands of a flat sum or product


NOT_LISTED = "forms that may repeat must be listed, not counted"


class Ways(ABC):
    """Ways to write one part with the same value: a number, or only sums, or only products. The value
    numerator/denominator is exact, in lowest terms and not negative. Subclasses list the ways or count them.
    """

    __slots__ = ("denominator", "numerator", "op")

    def __init__(self, op: str, numerator: int, denominator: int) -> None:
        divisor = gcd(numerator, denominator)
        self.op = op
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    @classmethod
    @abstractmethod
    def from_number(cls, number: int) -> Self:
        """Make the only way to write a number."""

    @property
    def is_one(self) -> bool:
        return self.numerator == self.denominator

    def generate_sums(self, rest: Self, value: int | None, p: int) -> Iterator[Self]:
        """Yield block + rest and |block - rest|, if their residue modulo p is `value` or its negative.

        `self` is the block. With None for `value`, yield both.
        """
        a, b = self.numerator * rest.denominator, rest.numerator * self.denominator
        denominator = self.denominator * rest.denominator
        if _is_wanted(a + b, denominator, value, p):
            yield self.add(rest, a + b, denominator)
        # Subtracting from 0, or a 0 that is no sum, is the same form as adding.
        if a and (b or rest.op == "+") and _is_wanted(a - b, denominator, value, p):
            yield self.subtract(rest, a - b, denominator)

    def generate_products(self, rest: Self, value: int | None, p: int) -> Iterator[Self]:
        """Yield block * rest, rest / block and block / rest, if their residue is `value` or its negative.
        `self` is the block. With None for `value`, yield all that are defined.
        """
        a, b, c, d = self.numerator, self.denominator, rest.numerator, rest.denominator
        if not a or not c:  # one side is 0
            if not value:
                yield self.multiply_with_zero(rest)
            return
        if _is_wanted(a * c, b * d, value, p):
            yield self.multiply(rest, a * c, b * d)
        # Dividing by a block worth 1 is the same form as multiplying.
        if a != b and _is_wanted(b * c, a * d, value, p):
            yield self.divide_rest(rest, b * c, a * d)
        if _is_wanted(a * d, b * c, value, p):
            yield self.divide_by_rest(rest, a * d, b * c)

    @abstractmethod
    def add(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the sums of block and rest; numerator/denominator is their value."""

    @abstractmethod
    def subtract(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the differences of block and rest.

        numerator/denominator is block - rest. If it is negative, the ways are rest - block.
        """

    @abstractmethod
    def multiply(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the products of block and rest; numerator/denominator is their value."""

    @abstractmethod
    def divide_rest(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the quotients rest / block; numerator/denominator is their value."""

    @abstractmethod
    def divide_by_rest(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the quotients block / rest; numerator/denominator is their value.

        Only those ways of the rest are used that have neither divisors nor factors worth 1. With any other,
        the same form is a product of the block with the inverted rest, which is found by `multiply`.
        """

    def multiply_with_zero(self, rest: Self) -> Self:
        """Return the products of block and rest, one of which is 0: dividing by the other is the same form.
        Raises TypeError if the ways are not listed.
        """
        raise TypeError(NOT_LISTED)

    @abstractmethod
    def merge(self, others: Iterable[Self], *, may_repeat: bool) -> None:
        """Add ways with the same operation and value; remove duplicates if `may_repeat`."""

    def drop_seen(self, seen: dict[str, set[Operands]]) -> Self:
        """Remove the ways in `seen[op]`, add the others to it, and return self. Raises TypeError if the ways
        are not listed.
        """
        raise TypeError(NOT_LISTED)

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of ways."""


def _is_wanted(numerator: int, denominator: int, value: int | None, p: int) -> bool:
    """Whether a fraction has the residue `value` or its negative modulo p; True for None."""
    if value is None:
        return True
    right_side = value * denominator
    return not (numerator - right_side) % p or not (numerator + right_side) % p


class Written(Ways):
    """Listed ways, each as a canonical part."""

    __slots__ = ("_factors", "_nodes", "_terms", "operands")

    def __init__(self, op: str, numerator: int, denominator: int, operands: list[Operands]) -> None:
        super().__init__(op, numerator, denominator)
        self.operands = operands  # of each way; empty for a number
        self._nodes: list[Node] | None = None
        self._terms: list[Operands] | None = None
        self._factors: list[Operands] | None = None

    @classmethod
    def from_number(cls, number: int) -> Written:
        self = cls("", number, denominator=1, operands=[])
        self._nodes = [("", number)]
        return self

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def nodes(self) -> list[Node]:
        """The ways as canonical parts."""
        if self._nodes is None:
            self._nodes = [(self.op, *operands) for operands in self.operands]
        return self._nodes

    @property
    def terms(self) -> list[Operands]:
        """Each way as terms of a larger sum: added, subtracted, and worth 0."""
        if self._terms is None:
            is_zero = not self.numerator
            self._terms = self.operands if self.op == "+" else _wrap_nodes(self.nodes, neutral=is_zero)
        return self._terms

    @property
    def factors(self) -> list[Operands]:
        """Each way as factors of a larger product: factors, divisors, and those worth 1."""
        if self._factors is None:
            self._factors = self.operands if self.op == "*" else _wrap_nodes(self.nodes, neutral=self.is_one)
        return self._factors

    def add(self, rest: Written, numerator: int, denominator: int) -> Written:
        """Add the block to each way of the rest; a block worth 0 becomes a neutral term."""
        insert = _insert_direct if self.numerator else _insert_neutral
        return Written("+", numerator, denominator, insert(rest.terms, self.nodes))

    def subtract(self, rest: Written, numerator: int, denominator: int) -> Written:
        """List rest - block if the numerator is negative, else block - rest; forms that `add` lists are left
        out.
        """
        terms = rest.terms
        if not rest.numerator:
            # Adding 3-3 is the same form as subtracting it.
            terms = [(plus, minus, neutral) for plus, minus, neutral in terms if plus != minus]
        if numerator < 0:  # rest - block
            ways = _insert_inverse(terms, self.nodes)
        else:  # block - rest: what the rest adds is subtracted, and vice versa
            nodes = self.nodes
            ways = [(_insert(minus, node), plus, neutral) for plus, minus, neutral in terms for node in nodes]
        if not numerator:
            # A sum worth 0 has no sign: of its two readings, the lesser one is canonical.
            ways = [(min(a, b), max(a, b), neutral) for a, b, neutral in ways]
        return Written("+", abs(numerator), denominator, ways)

    def multiply(self, rest: Written, numerator: int, denominator: int) -> Written:
        """Multiply each way of the rest by the block; a block worth 1 becomes a neutral factor."""
        insert = _insert_neutral if self.is_one else _insert_direct
        return Written("*", numerator, denominator, insert(rest.factors, self.nodes))

    def divide_rest(self, rest: Written, numerator: int, denominator: int) -> Written:
        """Divide each way of the rest by the block."""
        return Written("*", numerator, denominator, _insert_inverse(rest.factors, self.nodes))

    def divide_by_rest(self, rest: Written, numerator: int, denominator: int) -> Written:
        """Divide the block by each way of the rest that has no divisors and no factors worth 1."""
        # The factors of the rest become divisors.
        bare = [direct for direct, inverse, neutral in rest.factors if direct and not (inverse or neutral)]
        if self.is_one:
            ways: list[Operands] = [((), divisors, (node,)) for divisors in bare for node in self.nodes]
        else:
            ways = [((node,), divisors, ()) for divisors in bare for node in self.nodes]
        return Written("*", numerator, denominator, ways)

    def multiply_with_zero(self, rest: Written) -> Written:
        """List the products worth 0: beside a 0, all factors and divisors are neutral."""
        neutral_factors = [direct + inverse + neutral for direct, inverse, neutral in rest.factors]
        ways: list[Operands] = [
            ((), (), tuple(sorted((*factors, node)))) for factors in neutral_factors for node in self.nodes
        ]
        return Written("*", numerator=0, denominator=1, operands=ways)

    def merge(self, others: Iterable[Written], *, may_repeat: bool) -> None:
        """Append the ways of others; drop duplicates if `may_repeat`."""
        for ways in others:
            self.operands += ways.operands
        if may_repeat:
            self.operands = list(dict.fromkeys(self.operands))

    def drop_seen(self, seen: dict[str, set[Operands]]) -> Written:
        """Remove duplicates and the ways in `seen[op]`; add the others to it."""
        seen_ways = seen[self.op]
        self.operands = [way for way in dict.fromkeys(self.operands) if way not in seen_ways]
        seen_ways.update(self.operands)
        return self


def _wrap_nodes(nodes: list[Node], *, neutral: bool) -> list[Operands]:
    """Make each node the only direct operand of a way, or the only neutral one if `neutral`."""
    # A way has direct, inverse and neutral operands.
    if neutral:
        return [((), (), (node,)) for node in nodes]
    return [((node,), (), ()) for node in nodes]


def _insert_direct(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Insert each node as a direct operand into each way."""
    return [(_insert(direct, node), inverse, neutral) for direct, inverse, neutral in ways for node in nodes]


def _insert_inverse(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Insert each node as an inverse operand into each way."""
    return [(direct, _insert(inverse, node), neutral) for direct, inverse, neutral in ways for node in nodes]


def _insert_neutral(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Insert each node as a neutral operand into each way."""
    return [(direct, inverse, _insert(neutral, node)) for direct, inverse, neutral in ways for node in nodes]


def _insert(parts: Parts, node: Node) -> Parts:
    """Insert a node into sorted parts."""
    place = bisect(parts, node)
    return (*parts[:place], node, *parts[place:])
