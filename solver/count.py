"""`count`: count the solutions of a hand.

Forms are counted without listing them: two parts that can be written in m and in n ways are joined in m times
n ways. Only parts in which a form may occur twice (with equal numbers, or worth 0) are listed. Ideas are
counted by listing all forms, since very different forms may be the same idea; a set of fingerprints saves
memory. The *block*, the *rest* and *plain factors* are explained in `solver.ways`.
"""

from __future__ import annotations

from hashlib import blake2b

from solver.equivalence import derive_idea
from solver.form_search import FormLister, FormSearch
from solver.ways import Ways, Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.equivalence import Idea
    from solver.scope import Scope


def count(numbers: Sequence[int], target: int = 24) -> Count:
    """Count the forms and ideas that make the target; `count_forms` is quicker for forms alone. Raises
    ValueError as `solve` does.
    """
    return Count(count_forms(numbers, target), count_ideas(numbers, target))


class Count:
    """The number of solutions of a hand."""

    __slots__ = ("forms", "ideas")

    def __init__(self, forms: int, ideas: int) -> None:
        self.forms = forms  # as many as `solve` lists
        self.ideas = ideas  # as many as `ideas` lists

    def __repr__(self) -> str:
        return f"Count(forms={self.forms}, ideas={self.ideas})"


def count_forms(numbers: Sequence[int], target: int = 24) -> int:
    """Count the forms that make the target. Raises ValueError as `solve` does."""
    tallies = _FormCounter(numbers, target).generate_solutions()
    return sum(len(tally) for tally in tallies)


def count_ideas(numbers: Sequence[int], target: int = 24) -> int:
    """Count the ideas that make the target by listing all forms. Raises ValueError as `solve` does."""
    sign = min(target, 1)  # 0 or 1, since no target is negative
    nodes = FormLister(numbers, target).generate_nodes()
    return len({_hash_idea(derive_idea(sign, node)) for node in nodes})


def _hash_idea(idea: Idea) -> bytes:
    """Return a hash of an idea: 16 bytes instead of 1000, for hands with hundreds of thousands of ideas."""
    return blake2b(repr(idea).encode(), digest_size=16).digest()


class _Tally(Ways):
    """The number of ways to write a part, without the ways themselves."""

    __slots__ = ("count", "divisor_count", "subtrahend_count")

    def __init__(self, op: str, numerator: int, denominator: int, count: int, divisor_count: int = 0) -> None:
        super().__init__(op, numerator, denominator)
        self.count = count  # all ways
        self.divisor_count = divisor_count  # ways that are plain factors, by which a block may be divided
        self.subtrahend_count = count  # ways that give another form when subtracted than when added

    @classmethod
    def from_number(cls, number: int) -> _Tally:
        """Make the tally of a single number: one way, which is a plain factor unless it is 1."""
        divisor_count = 0 if number == 1 else 1  # dividing by 1 is the same form as multiplying
        return cls("", number, denominator=1, count=1, divisor_count=divisor_count)

    @classmethod
    def from_written(cls, ways: Written) -> _Tally:
        """Count listed ways: all, those by which a block may be divided, and those that may be subtracted."""
        divisor_count = len(ways.list_divisors())
        self = cls(ways.op, ways.numerator, ways.denominator, len(ways), divisor_count)
        self.subtrahend_count = len(ways.list_subtrahends())
        return self

    def __len__(self) -> int:
        return self.count

    def add(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the sums: each way of the block with each of the rest."""
        return self._make_sums(self.count * rest.count, numerator, denominator)

    def subtract(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the differences. Ways of a rest that give the same form when added are left out."""
        subtrahend_count = rest.count if rest.numerator else rest.subtrahend_count  # only those worth 0 do
        # The value of ways is never negative: if block - rest is, the ways are rest - block.
        return self._make_sums(self.count * subtrahend_count, abs(numerator), denominator)

    def _make_sums(self, count: int, numerator: int, denominator: int) -> _Tally:
        """Make the tally of `count` sums: as factors of a product, they are plain unless they are worth 1."""
        divisor_count = 0 if numerator == denominator else count
        return _Tally("+", numerator, denominator, count, divisor_count)

    def multiply(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the products. If the rest is plain factors, so are they, unless the block is worth 1."""
        divisor_count = 0 if self.is_one else self.count * rest.divisor_count
        return _Tally("*", numerator, denominator, self.count * rest.count, divisor_count)

    def divide_rest(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the quotients rest / block. With a divisor, none of them is plain factors."""
        return _Tally("*", numerator, denominator, self.count * rest.count)

    def divide_by_rest(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the quotients block / rest, for each way of the rest that is plain factors. None of the
        quotients is.
        """
        return _Tally("*", numerator, denominator, self.count * rest.divisor_count)

    def merge(self, others: Iterable[_Tally], *, may_repeat: bool) -> None:
        """Add the counts of others. `may_repeat` has no effect: ways that may repeat are listed and never
        come here, as are ways worth 0.
        """
        for tally in others:
            self.count += tally.count
            self.divisor_count += tally.divisor_count
        self.subtrahend_count = self.count  # it is less for ways worth 0 only


class _FormCounter(FormSearch):
    """A search that counts ways instead of listing them. Only where a way may repeat are they listed."""

    kind = _Tally

    def __init__(self, numbers: Sequence[int], target: int) -> None:
        super().__init__(numbers, target)
        self._lister = FormLister(numbers, target)
        self._lister.reach = self.reach  # so that both use the same tables

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Return tallies of the ways; those of a part whose forms may repeat are counted from a list."""
        is_number = len(self.layout.symbols(part)) == 1
        if is_number or not self.may_repeat(part, value):
            return super().compute_ways(part, value, scope, inside)
        found = self._lister.find_ways(part, value, scope, inside)
        # All of them are `Written`: the condition is for the type checker.
        return [_Tally.from_written(ways) for ways in found if isinstance(ways, Written)]
