"""Ways to write a part of a hand, and operations that join the ways of two parts.

The *block* is the part that contains the lowest number (see `solver.layout`). A sum joins a block that is no
sum with any rest, a product a block that is no product with any rest; so each form is found once. `direct`,
`inverse` and `neutral` operands are explained in `solver.equivalence`.

A block is divided only by those ways of a rest that are *plain factors*: they have neither divisors nor
factors worth 1. With any other, the quotient has the same form as a product of the block with the inverted
rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from solver.equivalence import Node, Parts

    Operands = tuple[Parts, Parts, Parts]  # The direct, inverse and neutral operands of a flat sum or product


NOT_LISTED = "forms that may repeat must be listed, not counted"


class Ways(ABC):
    """Ways to write one part with the same value: a number, or only sums, or only products. The value
    numerator/denominator is exact, in lowest terms and not negative. Subclasses list the ways or count them.

    In the operations `self` has the ways of a block, which are joined with those of a rest.
    """

    __slots__ = ("denominator", "numerator", "op")

    def __init__(self, op: str, numerator: int, denominator: int) -> None:
        if denominator != 1:  # most are 1
            divisor = gcd(numerator, denominator)
            numerator //= divisor
            denominator //= divisor
        self.op = op
        self.numerator = numerator
        self.denominator = denominator

    @classmethod
    @abstractmethod
    def from_number(cls, number: int) -> Self:
        """Make the only way to write a number."""

    @property
    def is_one(self) -> bool:
        return self.numerator == self.denominator

    def list_sums(self, rest: Self, value: int | None, modulus: int) -> list[Self]:
        """Return block + rest and |block - rest|, each if its residue is `value` or its negative. The block
        is `self`. With None for `value`, return both. A difference of the same form as the sum is left out.
        """
        # The block is a/denominator, the rest b/denominator.
        a = self.numerator * rest.denominator
        b = rest.numerator * self.denominator
        denominator = self.denominator * rest.denominator
        found: list[Self] = []
        if _has_residue(a + b, denominator, value, modulus):
            found.append(self.add(rest, a + b, denominator))
        # Subtracting from 0, or a 0 that is no sum, is the same form as adding.
        is_other_form = a and (b or rest.op == "+")
        if is_other_form and _has_residue(a - b, denominator, value, modulus):
            found.append(self.subtract(rest, a - b, denominator))
        return found

    def list_products(self, rest: Self, value: int | None, modulus: int) -> list[Self]:
        """Return block * rest, rest / block and block / rest, each if its residue is `value` or its negative.
        The block is `self`. With None for `value`, return all three. A quotient of the same form as the
        product is left out; if a side is 0, so are both.
        """
        # The block is a/b, the rest c/d.
        a = self.numerator
        b = self.denominator
        c = rest.numerator
        d = rest.denominator
        if not a or not c:
            return [] if value else [self.multiply_with_zero(rest)]  # for 0 or None
        found: list[Self] = []
        if _has_residue(a * c, b * d, value, modulus):
            found.append(self.multiply(rest, a * c, b * d))
        # Dividing by a block worth 1 is the same form as multiplying.
        if a != b and _has_residue(b * c, a * d, value, modulus):
            found.append(self.divide_rest(rest, b * c, a * d))
        # A rest worth 1 needs no test: a factor worth 1 is no plain factor, so nothing is divided by it.
        if _has_residue(a * d, b * c, value, modulus):
            found.append(self.divide_by_rest(rest, a * d, b * c))
        return found

    @abstractmethod
    def add(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the sums of block and rest; numerator/denominator is their value."""

    @abstractmethod
    def subtract(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the differences of block and rest.

        numerator/denominator is block - rest. If it is negative, the ways are rest - block. Forms that `add`
        returns too are left out.
        """

    @abstractmethod
    def multiply(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the products of block and rest; numerator/denominator is their value."""

    @abstractmethod
    def divide_rest(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the quotients rest / block; numerator/denominator is their value."""

    @abstractmethod
    def divide_by_rest(self, rest: Self, numerator: int, denominator: int) -> Self:
        """Return the quotients block / rest; numerator/denominator is their value. Of the rest, only the ways
        that are plain factors are used: see the module.
        """

    def multiply_with_zero(self, rest: Self) -> Self:
        """Return the products of block and rest, one of which is 0: dividing by the other is the same form.
        Raises TypeError if the ways are not listed.
        """
        raise TypeError(NOT_LISTED)

    @abstractmethod
    def merge(self, others: Iterable[Self], *, may_repeat: bool) -> None:
        """Take over the ways of others with the same operation and value; remove duplicates if `may_repeat`.
        To be called before the ways are joined with others.
        """

    def drop_seen(self, seen: dict[str, set[Operands]]) -> Self:
        """Remove the ways in `seen[op]`, add the others to this set, and return self. Raises TypeError if the
        ways are not listed.
        """
        raise TypeError(NOT_LISTED)

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of ways."""


def _has_residue(numerator: int, denominator: int, residue: int | None, modulus: int) -> bool:
    """Whether a fraction has a residue or its negative; True for None."""
    if residue is None:
        return True
    right_side = residue * denominator  # multiplied, not divided, which is faster
    return not (numerator - right_side) % modulus or not (numerator + right_side) % modulus


class Written(Ways):
    """Listed ways, each as a canonical part."""

    __slots__ = ("_factors", "_nodes", "_terms", "operands")

    def __init__(self, op: str, numerator: int, denominator: int, operands: list[Operands]) -> None:
        super().__init__(op, numerator, denominator)
        self.operands = operands  # of each way; empty for a number
        # The results of the properties below, computed once: `operands` must not change after they are read.
        self._nodes: list[Node] | None = None
        self._terms: list[Operands] | None = None
        self._factors: list[Operands] | None = None

    @classmethod
    def from_number(cls, number: int) -> Written:
        self = cls("", number, denominator=1, operands=[])
        self._nodes = [("", number)]  # set here, since no operands describe it
        return self

    def __len__(self) -> int:
        return len(self.operands) if self.op else 1

    @property
    def nodes(self) -> list[Node]:
        """The ways as canonical parts."""
        if self._nodes is None:
            self._nodes = [(self.op, *operands) for operands in self.operands]
        return self._nodes

    @property
    def terms(self) -> list[Operands]:
        """Each way as terms of a larger sum: added, subtracted, and worth 0."""
        if self.op == "+":
            return self.operands
        if self._terms is None:
            self._terms = _wrap_nodes(self.nodes, neutral=not self.numerator)  # worth 0
        return self._terms

    @property
    def factors(self) -> list[Operands]:
        """Each way as factors of a larger product: factors, divisors, and those worth 1."""
        if self.op == "*":
            return self.operands
        if self._factors is None:
            self._factors = _wrap_nodes(self.nodes, neutral=self.is_one)
        return self._factors

    def list_divisors(self) -> list[Parts]:
        """Return the factors of each way that is plain factors, by which alone a block is divided."""
        return [direct for direct, inverse, neutral in self.factors if direct and not (inverse or neutral)]

    def list_subtrahends(self) -> list[Operands]:
        """Return the terms of each way that may be subtracted: adding 3-3, worth 0, is the same form."""
        return [(plus, minus, neutral) for plus, minus, neutral in self.terms if plus != minus]

    def add(self, rest: Written, numerator: int, denominator: int) -> Written:
        """Add the block to each way of the rest; a block worth 0 becomes a neutral term."""
        insert = _insert_direct if self.numerator else _insert_neutral
        return Written("+", numerator, denominator, insert(rest.terms, self.nodes))

    def subtract(self, rest: Written, numerator: int, denominator: int) -> Written:
        """List rest - block if the numerator is negative, else block - rest; forms that `add` lists are left
        out.
        """
        # Only of a rest worth 0 may a way not be subtracted.
        terms = rest.terms if rest.numerator else rest.list_subtrahends()
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
        """Divide the block by each way of the rest that is plain factors. A block worth 1 becomes a neutral
        factor.
        """
        block_ways = _wrap_nodes(self.nodes, neutral=self.is_one)
        ways = [
            (direct, divisors, neutral)
            for divisors in rest.list_divisors()
            for direct, _no_divisors, neutral in block_ways
        ]
        return Written("*", numerator, denominator, ways)

    def multiply_with_zero(self, rest: Written) -> Written:
        """List the products worth 0. All factors and divisors of both sides become neutral: beside a 0 it
        makes no difference whether they multiply or divide.
        """
        ways: list[Operands] = []
        for direct, inverse, neutral in rest.factors:
            factors_of_rest = direct + inverse + neutral
            for block in self.nodes:
                all_factors = tuple(sorted((*factors_of_rest, block)))
                ways.append(((), (), all_factors))  # none direct or inverse
        return Written("*", numerator=0, denominator=1, operands=ways)

    def merge(self, others: Iterable[Written], *, may_repeat: bool) -> None:
        """Append the ways of others; drop duplicates if `may_repeat`. Not for numbers."""
        for ways in others:
            self.operands += ways.operands
        if may_repeat:
            self.operands = list(dict.fromkeys(self.operands))

    def drop_seen(self, seen: dict[str, set[Operands]]) -> Written:
        """Remove duplicates and the ways in `seen[op]`; add the others to this set, and return self."""
        seen_ways = seen[self.op]
        new_ways = []
        for way in self.operands:
            count = len(seen_ways)
            seen_ways.add(way)  # the only time that the way is hashed, which is slow
            if len(seen_ways) > count:
                new_ways.append(way)
        self.operands = new_ways
        return self


def _wrap_nodes(nodes: list[Node], *, neutral: bool) -> list[Operands]:
    """Make each node the only direct operand of a way, or the only neutral one if `neutral`."""
    # A way has direct, inverse and neutral operands.
    if neutral:
        return [((), (), (node,)) for node in nodes]
    return [((node,), (), ()) for node in nodes]


def _insert_direct(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Return each way with each node inserted as a direct operand."""
    return [(_insert(direct, node), inverse, neutral) for direct, inverse, neutral in ways for node in nodes]


def _insert_inverse(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Return each way with each node inserted as an inverse operand."""
    return [(direct, _insert(inverse, node), neutral) for direct, inverse, neutral in ways for node in nodes]


def _insert_neutral(ways: list[Operands], nodes: list[Node]) -> list[Operands]:
    """Return each way with each node inserted as a neutral operand."""
    return [(direct, inverse, _insert(neutral, node)) for direct, inverse, neutral in ways for node in nodes]


def _insert(parts: Parts, node: Node) -> Parts:
    """Return sorted parts with a node inserted in its place."""
    place = bisect(parts, node)
    return (*parts[:place], node, *parts[place:])
