"""Ways to write a part of a hand, and how those of two parts are put together.

A sum is put together of a block that is no sum itself and the rest, a product of a block that is no product
and the rest; so each form comes up once, in whatever order.
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

    Flat = tuple[Parts, Parts, Parts]
    """A sum or product laid flat: these, those and free, each sorted; see `equivalence.Node`."""


COUNTED = "forms that may come up again are told apart by writing them, not by counting"


class Ways(ABC):
    """Ways to write one part that are alike: all numbers, all sums or all products, and worth the same.

    The value is numerator/denominator exactly, in lowest terms and not negative. What is known of the ways
    is for the kinds of `Ways` to say.
    """

    __slots__ = ("denominator", "numerator", "op")

    def __init__(self, op: str, numerator: int, denominator: int) -> None:
        divisor = gcd(numerator, denominator)
        self.op = op
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    @classmethod
    @abstractmethod
    def number(cls, number: int) -> Self:
        """The one way to write a number."""

    @property
    def is_one(self) -> bool:
        return self.numerator == self.denominator

    def sums(self, rest: Self, value: int | None, p: int) -> Iterator[Self]:
        """This block + the rest, and this - the rest or its negative, where worth the value modulo p."""
        a, b = self.numerator * rest.denominator, rest.numerator * self.denominator
        below = self.denominator * rest.denominator
        if _is(a + b, below, value, p):
            yield self.plus(rest, a + b, below)
        if a and (b or rest.op == "+") and _is(a - b, below, value, p):
            yield self.minus(rest, a - b, below)

    def products(self, rest: Self, value: int | None, p: int) -> Iterator[Self]:
        """This block * the rest, and either over the other, where worth the value modulo p."""
        a, b, c, d = self.numerator, self.denominator, rest.numerator, rest.denominator
        if not a or not c:
            if not value:
                yield self.beside_zero(rest)
            return
        if _is(a * c, b * d, value, p):
            yield self.times(rest, a * c, b * d)
        if a != b and _is(b * c, a * d, value, p):
            yield self.under(rest, b * c, a * d)
        if _is(a * d, b * c, value, p):
            yield self.over(rest, a * d, b * c)

    @abstractmethod
    def plus(self, rest: Self, above: int, below: int) -> Self:
        """The sums, worth above/below."""

    @abstractmethod
    def minus(self, rest: Self, above: int, below: int) -> Self:
        """The differences, worth above/below, or its negative where that is below 0."""

    @abstractmethod
    def times(self, rest: Self, above: int, below: int) -> Self:
        """The products, worth above/below."""

    @abstractmethod
    def under(self, rest: Self, above: int, below: int) -> Self:
        """The quotients rest / block, worth above/below."""

    @abstractmethod
    def over(self, rest: Self, above: int, below: int) -> Self:
        """The quotients block / rest, worth above/below, where the rest does nothing but multiply.

        A rest that is a quotient, or has a part worth 1 to put on top, comes the other way round by itself.
        """

    def beside_zero(self, rest: Self) -> Self:
        """The products with a 0, which what stands beside it may multiply or divide, all the same."""
        raise TypeError(COUNTED)

    @abstractmethod
    def merge(self, others: Iterable[Self], *, again: bool) -> None:
        """Take in ways that are alike; `again` if a way may come up again."""

    def without(self, seen: dict[str, set[Flat]]) -> Self:
        """These ways without those that were seen, by their operation, to which they are added."""
        raise TypeError(COUNTED)

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of ways."""


def _is(above: int, below: int, value: int | None, p: int) -> bool:
    return value is None or not (above - value * below) % p or not (above + value * below) % p


class Written(Ways):
    """Ways that are written out, each as a canonical part."""

    __slots__ = ("_factors", "_nodes", "_terms", "flat")

    def __init__(self, op: str, numerator: int, denominator: int, flat: list[Flat]) -> None:
        super().__init__(op, numerator, denominator)
        self.flat = flat
        """The ways as sums or products laid flat; empty for a number."""
        self._nodes: list[Node] | None = None
        self._terms: list[Flat] | None = None
        self._factors: list[Flat] | None = None

    @classmethod
    def number(cls, number: int) -> Written:
        self = cls("", number, 1, [])
        self._nodes = [("", number)]
        return self

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def nodes(self) -> list[Node]:
        """The ways as canonical parts."""
        if self._nodes is None:
            self._nodes = [(self.op, *flat) for flat in self.flat]
        return self._nodes

    @property
    def terms(self) -> list[Flat]:
        """Return, for each way, its terms in a sum, its subtrahends, and its parts worth 0."""
        if self._terms is None:
            self._terms = self.flat if self.op == "+" else _single(self.nodes, free=not self.numerator)
        return self._terms

    @property
    def factors(self) -> list[Flat]:
        """Return, for each way, its factors in a product, its divisors, and its parts worth 1."""
        if self._factors is None:
            self._factors = self.flat if self.op == "*" else _single(self.nodes, free=self.is_one)
        return self._factors

    def plus(self, rest: Written, above: int, below: int) -> Written:
        nodes, terms = self.nodes, rest.terms
        if self.numerator:
            flat = [(_with(these, node), those, free) for these, those, free in terms for node in nodes]
        else:
            flat = [(these, those, _with(free, node)) for these, those, free in terms for node in nodes]
        return Written("+", above, below, flat)

    def minus(self, rest: Written, above: int, below: int) -> Written:
        nodes, terms = self.nodes, rest.terms
        if not rest.numerator:
            # To add or subtract 3-3 is the same.
            terms = [term for term in terms if term[0] != term[1]]
        if above < 0:
            flat = [(these, _with(those, node), free) for these, those, free in terms for node in nodes]
        else:
            flat = [(_with(those, node), these, free) for these, those, free in terms for node in nodes]
        if not above:
            # What is worth 0 has no sign, so the lesser of its two readings stands for it.
            flat = [(min(these, those), max(these, those), free) for these, those, free in flat]
        return Written("+", abs(above), below, flat)

    def times(self, rest: Written, above: int, below: int) -> Written:
        nodes, factors = self.nodes, rest.factors
        if self.is_one:
            flat = [(these, those, _with(free, node)) for these, those, free in factors for node in nodes]
        else:
            flat = [(_with(these, node), those, free) for these, those, free in factors for node in nodes]
        return Written("*", above, below, flat)

    def under(self, rest: Written, above: int, below: int) -> Written:
        nodes = self.nodes
        flat = [(these, _with(those, node), free) for these, those, free in rest.factors for node in nodes]
        return Written("*", above, below, flat)

    def over(self, rest: Written, above: int, below: int) -> Written:
        bare = [these for these, those, free in rest.factors if these and not (those or free)]
        if self.is_one:
            flat: list[Flat] = [((), these, (node,)) for these in bare for node in self.nodes]
        else:
            flat = [((node,), these, ()) for these in bare for node in self.nodes]
        return Written("*", above, below, flat)

    def beside_zero(self, rest: Written) -> Written:
        nodes = self.nodes
        parts = [these + those + free for these, those, free in rest.factors]
        return Written(
            "*", 0, 1, [((), (), tuple(sorted((*free, node)))) for free in parts for node in nodes]
        )

    def merge(self, others: Iterable[Written], *, again: bool) -> None:
        for ways in others:
            self.flat += ways.flat
        if again:
            self.flat = list(dict.fromkeys(self.flat))

    def without(self, seen: dict[str, set[Flat]]) -> Written:
        before = seen[self.op]
        self.flat = [way for way in dict.fromkeys(self.flat) if way not in before]
        before.update(self.flat)
        return self


def _single(nodes: list[Node], *, free: bool) -> list[Flat]:
    return [((), (), (node,)) for node in nodes] if free else [((node,), (), ()) for node in nodes]


def _with(parts: Parts, node: Node) -> Parts:
    """The sorted parts with one more."""
    place = bisect(parts, node)
    return (*parts[:place], node, *parts[place:])
