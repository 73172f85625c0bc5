"""`count`: how many solutions a hand has; forms without listing them.

What is put together of m ways to write one part and n ways to write another is written in m times n ways.
Only where a form may come up again is there a list: among equal numbers, and in parts worth 0. Ideas are told
apart form by form, since forms of quite another shape are one idea; of each only a fingerprint is kept.
"""

from __future__ import annotations

from hashlib import blake2b

from solver.equivalence import idea_of
from solver.spelling import Listing, Spelling
from solver.ways import Ways, Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.equivalence import Idea
    from solver.scope import Scope


def count(numbers: Sequence[int], target: int = 24) -> Count:
    """Count the forms and ideas that make the target; `count_forms` is quicker for forms alone.

    ValueError as in `solve`.
    """
    return Count(count_forms(numbers, target), count_ideas(numbers, target))


class Count:
    """The number of solutions of a hand."""

    __slots__ = ("forms", "ideas")

    def __init__(self, forms: int, ideas: int) -> None:
        self.forms = forms
        """As many as `solve` lists."""
        self.ideas = ideas
        """As many as `ideas` lists."""

    def __repr__(self) -> str:
        return f"Count(forms={self.forms}, ideas={self.ideas})"


def count_forms(numbers: Sequence[int], target: int = 24) -> int:
    """Count the forms that make the target. Raises ValueError as `solve` does."""
    return sum(map(len, _Tallying(numbers, target).solutions()))


def count_ideas(numbers: Sequence[int], target: int = 24) -> int:
    """Count the ideas that make the target. Raises ValueError as `solve` does."""
    sign = min(target, 1)
    return len({_fingerprint(idea_of(sign, node)) for node in Listing(numbers, target).nodes()})


def _fingerprint(idea: Idea) -> bytes:
    """Sixteen bytes: an idea itself takes a thousand, and a hand may have hundreds of thousands."""
    return blake2b(repr(idea).encode(), digest_size=16).digest()


class _Tally(Ways):
    """The number of ways, and the numbers of those with some properties."""

    __slots__ = ("bare", "many", "signed")

    def __init__(self, op: str, numerator: int, denominator: int, many: int, bare: int = 0) -> None:
        super().__init__(op, numerator, denominator)
        self.many = many  # all ways
        self.bare = bare  # those without a division or a part worth 1: they may be divided by part for part
        self.signed = many  # those that give another form when subtracted instead of added

    @classmethod
    def number(cls, number: int) -> _Tally:
        return cls("", number, 1, 1, int(number != 1))

    @classmethod
    def of(cls, ways: Written) -> _Tally:
        """The tally of ways that are written out."""
        bare = sum(1 for these, those, free in ways.factors if these and not (those or free))
        self = cls(ways.op, ways.numerator, ways.denominator, len(ways), bare)
        self.signed = sum(1 for these, those, _ in ways.terms if these != those)
        return self

    def __len__(self) -> int:
        return self.many

    def plus(self, rest: _Tally, above: int, below: int) -> _Tally:
        return self._sum(self.many * rest.many, above, below)

    def minus(self, rest: _Tally, above: int, below: int) -> _Tally:
        return self._sum(self.many * (rest.many if rest.numerator else rest.signed), abs(above), below)

    def _sum(self, many: int, above: int, below: int) -> _Tally:
        return _Tally("+", above, below, many, many if above != below else 0)

    def times(self, rest: _Tally, above: int, below: int) -> _Tally:
        bare = 0 if self.is_one else self.many * rest.bare
        return _Tally("*", above, below, self.many * rest.many, bare)

    def under(self, rest: _Tally, above: int, below: int) -> _Tally:
        return _Tally("*", above, below, self.many * rest.many)

    def over(self, rest: _Tally, above: int, below: int) -> _Tally:
        return _Tally("*", above, below, self.many * rest.bare)

    def merge(self, others: Iterable[_Tally], *, again: bool) -> None:
        for ways in others:
            self.many += ways.many
            self.bare += ways.bare
        self.signed = self.many


class _Tallying(Spelling):
    """The search that counts all solutions."""

    kind = _Tally

    def __init__(self, numbers: Sequence[int], target: int) -> None:
        super().__init__(numbers, target)
        self._listing = Listing(numbers, target)
        self._listing.reach = self.reach

    def made(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        if len(self.layout.symbols(part)) == 1 or not self.again(part, value):
            return super().made(part, value, scope, inside)
        found = self._listing.make(part, value, scope, inside)
        return [_Tally.of(ways) for ways in found if isinstance(ways, Written)]
