"""`count`: count the solutions of a hand.

Forms are counted without listing them: two parts that can be written in m and in n ways are joined in m times
n ways. Only parts in which a form may occur twice (with equal numbers, or worth 0) are listed. Ideas are
counted by listing all forms, since very different forms may be the same idea; a set of fingerprints saves
memory.
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
    """Count the ideas that make the target. Raises ValueError as `solve` does."""
    sign = min(target, 1)  # 0 or 1, since no target is negative
    nodes = FormLister(numbers, target).generate_nodes()
    return len({_fingerprint(derive_idea(sign, node)) for node in nodes})


def _fingerprint(idea: Idea) -> bytes:
    """Return a hash of an idea: 16 bytes instead of 1000, for hands with hundreds of thousands of ideas."""
    return blake2b(repr(idea).encode(), digest_size=16).digest()


class _Tally(Ways):
    """The number of ways to write a part, without the ways themselves."""

    __slots__ = ("count", "divisors", "subtrahends")

    def __init__(self, op: str, numerator: int, denominator: int, count: int, divisors: int = 0) -> None:
        super().__init__(op, numerator, denominator)
        self.count = count  # all ways
        self.divisors = divisors  # ways usable as the rest of `divide_by_rest`
        self.subtrahends = count  # ways that give another form when subtracted than when added

    @classmethod
    def from_number(cls, number: int) -> _Tally:
        divisors = 0 if number == 1 else 1  # dividing by 1 is the same form as multiplying
        return cls("", number, denominator=1, count=1, divisors=divisors)

    @classmethod
    def from_written(cls, ways: Written) -> _Tally:
        """Return the tally of ways that are listed."""
        # Only ways without divisors and factors worth 1 are divided by, as in `Written.divide_by_rest`.
        divisors = sum(1 for direct, inverse, neutral in ways.factors if direct and not (inverse or neutral))
        self = cls(ways.op, ways.numerator, ways.denominator, len(ways), divisors)
        # 3-3 is not subtracted: adding it is the same form.
        self.subtrahends = sum(1 for added, subtracted, _ in ways.terms if added != subtracted)
        return self

    def __len__(self) -> int:
        return self.count

    def add(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        return self._make_sums(self.count * rest.count, numerator, denominator)

    def subtract(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the differences. Ways of a rest worth 0 that give the same form when added are left out."""
        subtrahends = rest.count if rest.numerator else rest.subtrahends
        return self._make_sums(self.count * subtrahends, abs(numerator), denominator)

    def _make_sums(self, count: int, numerator: int, denominator: int) -> _Tally:
        """Make the tally of `count` sums. As divisors they are usable unless they are worth 1."""
        divisors = 0 if numerator == denominator else count
        return _Tally("+", numerator, denominator, count, divisors)

    def multiply(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the products. With a block worth 1, none of them is usable as a divisor."""
        divisors = 0 if self.is_one else self.count * rest.divisors
        return _Tally("*", numerator, denominator, self.count * rest.count, divisors)

    def divide_rest(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        return _Tally("*", numerator, denominator, self.count * rest.count)

    def divide_by_rest(self, rest: _Tally, numerator: int, denominator: int) -> _Tally:
        """Count the quotients block / rest, only those with ways of the rest that are usable as divisors."""
        return _Tally("*", numerator, denominator, self.count * rest.divisors)

    def merge(self, others: Iterable[_Tally], *, may_repeat: bool) -> None:
        """Add other tallies. `may_repeat` has no effect: ways that may repeat are listed, not merged here."""
        for tally in others:
            self.count += tally.count
            self.divisors += tally.divisors
        self.subtrahends = self.count  # ways worth 0 are listed too


class _FormCounter(FormSearch):
    """A search that counts ways instead of listing them, as far as no way may repeat."""

    kind = _Tally

    def __init__(self, numbers: Sequence[int], target: int) -> None:
        super().__init__(numbers, target)
        self._lister = FormLister(numbers, target)
        self._lister.reach = self.reach

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Return tallies of the ways; those of a part whose forms may repeat are counted from a list."""
        if len(self.layout.symbols(part)) == 1 or not self.may_repeat(part, value):
            return super().compute_ways(part, value, scope, inside)
        found = self._lister.list_ways(part, value, scope, inside)
        return [_Tally.from_written(ways) for ways in found if isinstance(ways, Written)]
