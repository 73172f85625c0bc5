"""The search for all ways to write a hand that make its target.

`Reach` and `Scope` find the pairs of parts and values that may be joined. This module lists the ways to write
both parts of each pair and joins them. Because of equal numbers or parts worth 0, a form may be found twice;
the search removes these duplicates.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from solver.reach import MAX_BATCHED_HAND, MAX_BATCHED_PART, Reach
from solver.scope import Scope, generate_open_rows
from solver.tables import MAX_CACHED_PAIRS, MAX_CACHED_TRIPLES
from solver.ways import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from solver.equivalence import Node
    from solver.reach import Log
    from solver.scope import Couple, Rows
    from solver.ways import Operands, Ways

    Kind = TypeVar("Kind", bound=Ways)
    KnownWays = dict[tuple[str, int], list[Ways]]  # By the operation they are inside, and by value

MAX_REMEMBERED_SIZE = 6  # The largest part whose ways are remembered
MAX_REMEMBERED_WAYS = 400_000  # About 200 bytes each; beyond this number, all are forgotten


def check_whole_number(number: int) -> None:
    """Raise ValueError unless the number is an integer, no bool, and not negative."""
    if type(number) is not int or number < 0:
        raise ValueError(f"a whole number that is not negative is wanted, not {number!r}")


class FormSearch:
    """The search of one hand for all forms. Raises ValueError if there are no numbers, or if a number or the
    target is negative or not an integer.
    """

    kind: type[Ways]  # Set by subclasses: `Written` to list ways, a class of tallies to count them

    def __init__(self, numbers: Sequence[int], target: int, log: Callable[[str], None] | None = None) -> None:
        for number in (*numbers, target):
            check_whole_number(number)
        if not numbers:
            raise ValueError("a hand needs a number")
        self.target = target
        self.reach = Reach(numbers, target, self._make_logger(log) if log else None)
        self.layout = self.reach.layout
        self.modulus = self.reach.modulus
        # The size of the largest part that is searched backward.
        self.max_batched = MAX_BATCHED_HAND if len(numbers) <= MAX_BATCHED_HAND else MAX_BATCHED_PART
        self.numbers = [self.kind.from_number(number) for number in self.reach.numbers]  # by symbol
        # Ways by the operation that a part is inside, by the part and its value.
        self._remembered: dict[str, dict[tuple[int, int | None], list[Ways]]] = {"+": {}, "*": {}, "": {}}
        # The ways in the lists for "+" and "*"; those for "" join the same ways.
        self._remembered_count = 0

    def _make_logger(self, log: Callable[[str], None]) -> Log:
        """Return a function that calls `log` with a line for each request of the backward search."""

        def log_request(part: int, value: int, is_makeable: bool) -> None:
            numerator, denominator = self.reach.reconstruct_fraction(value)
            fraction = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            outcome = "hit" if is_makeable else "dead end"
            log(f"make {fraction} from {self._write_numbers(part)}: {outcome}")

        return log_request

    def _write_numbers(self, part: int) -> str:
        """Return the numbers of a part, ascending, with spaces between them."""
        return " ".join(str(self.reach.numbers[symbol]) for symbol in self.layout.symbols(part))

    def generate_solutions(self) -> Iterator[Ways]:
        """Generate the ways to write the hand whose exact value is the target, not only its residue."""
        for ways in self.find_ways(self.layout.whole, self.reach.target, scope=None):
            if ways.numerator == self.target * ways.denominator:
                yield ways

    def find_ways(
        self, part: int, value: int | None, scope: Scope | None, inside: str = ""
    ) -> Iterable[Ways]:
        """Return the ways to make a value or its negative (or any, for None) from a part, each form once.

        They are remembered from an earlier call, or found while the result is read. `inside` is the operation
        of which the part will be an operand: inside "+" only numbers and products are returned, inside "*"
        only numbers and sums. `scope` limits the values of smaller parts; for None, a new one is made.
        """
        remembered = self._remembered[inside].get((part, value))
        if remembered is None:
            return self.compute_ways(part, value, scope, inside)
        return remembered

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Compute what `find_ways` returns: remember and return a list for a single number and for small
        parts of the searched part; otherwise generate the ways lazily.
        """
        size = self.layout.size(part)
        if size == 1:
            return self._remember_number(part, value, inside)
        if value is None:
            return _drop_repeated_ways(self._generate_all_ways(part, inside))
        if size > self.max_batched:  # too large for a backward search, so it has no scope
            rows_by_split = generate_open_rows(self.reach, part)
        else:
            if scope is None:  # this part is the one to search
                scope = Scope(self.reach, part, value)
            if size <= MAX_REMEMBERED_SIZE and part != scope.part:
                return self._remember_ways(part, value, scope, inside)
            rows_by_split = scope.generate_rows(part)
        found = self._generate_ways(rows_by_split, value, scope, inside)
        if self.may_repeat(part, value):
            return _drop_repeated_ways(found)
        return found

    def _remember_number(self, part: int, value: int | None, inside: str) -> list[Ways]:
        """Remember and return a number as the only way to write its part; no way if `value` is neither the
        number nor its negative, nor None.
        """
        only_way = self.numbers[self.layout.symbols(part)[0]]
        number = only_way.numerator
        is_wanted = value in (None, number, self.modulus - number)  # any value, the number or its negative
        ways: list[Ways] = [only_way] if is_wanted else []
        self._remembered[inside][part, value] = ways
        return ways

    def _remember_ways(self, part: int, value: int, scope: Scope, inside: str) -> list[Ways]:
        """Compute, remember and return the ways of a part. If too many are remembered by then, forget those
        of all other parts.
        """
        if inside:
            found = self._list_ways(part, value, scope, inside)
            self._remembered_count += sum(map(len, found))
        else:  # sums and products; both lists are remembered and counted themselves
            found = []
            for operation in "*+":
                if scope.may_make(part, value, operation):  # few values are made by both
                    known = self._remembered[operation].get((part, value))
                    found += known or self._remember_ways(part, value, scope, operation)
        if self._remembered_count > MAX_REMEMBERED_WAYS:
            self._forget_ways()
        self._remembered[inside][part, value] = found
        return found

    def _list_ways(self, part: int, value: int, scope: Scope, inside: str) -> list[Ways]:
        """Return the ways to make the value of a part that are operands of `inside`, each form once."""
        rows = scope.get_rows(part)
        if inside == "+":  # inside a sum there are only products, and inside a product only sums
            joined = list(self._join_couples(rows.find_products(value), value, scope, op="*"))
        else:
            joined = list(self._join_couples(rows.find_sums(value), value, scope, op="+"))
        may_repeat = self.may_repeat(part, value)
        if len(joined) > 1 or may_repeat:
            return _merge_ways(joined, may_repeat=may_repeat)
        return joined

    def _forget_ways(self) -> None:
        self._remembered_count = 0
        for ways_by_part in self._remembered.values():
            ways_by_part.clear()

    def may_repeat(self, part: int, value: int | None) -> bool:
        """Whether forms of a part of two or more numbers may be found twice. That is so if its value is 0 or
        any (None), or if its lowest number is repeated: then each side of a split may be the block.
        """
        lowest, second_lowest, *_ = self.layout.symbols(part)  # ascending
        return not value or lowest == second_lowest

    def _generate_all_ways(self, part: int, inside: str) -> Iterator[Ways]:
        """Generate the ways to write a part with any value: inside "+" no sums, inside "*" no products. Forms
        may be repeated.
        """
        for block, rest in self.layout.list_splits(part):
            for rest_ways in self.find_ways(rest, value=None, scope=None):
                if inside != "+":
                    for block_ways in self.find_ways(block, value=None, scope=None, inside="+"):
                        yield from block_ways.list_sums(rest_ways, value=None, modulus=self.modulus)
                if inside != "*":
                    for block_ways in self.find_ways(block, value=None, scope=None, inside="*"):
                        yield from block_ways.list_products(rest_ways, value=None, modulus=self.modulus)

    def _generate_ways(
        self, rows_by_split: Iterator[Rows], value: int, scope: Scope | None, inside: str
    ) -> Iterator[Ways]:
        """Generate the ways to make a value, split by split: inside "+" no sums, inside "*" no products.
        Forms may be repeated.
        """
        for rows in rows_by_split:
            # Most splits have no couples, so that a test saves time.
            if inside != "+" and (couples := rows.find_sums(value)):
                yield from self._join_couples(couples, value, scope, op="+")
            if inside != "*" and (couples := rows.find_products(value)):
                yield from self._join_couples(couples, value, scope, op="*")

    def _join_couples(
        self, couples: Iterable[Couple], value: int, scope: Scope | None, op: str
    ) -> Iterator[Ways]:
        """Generate the sums (op "+") or products ("*") of the couples that make a value or its negative.

        Only the ways of the smaller side are stored; those of the larger one are read as they are found.
        """
        join = self.kind.list_sums if op == "+" else self.kind.list_products
        for block, block_value, rest, rest_value in couples:
            # The block must be no operand of the same kind (see `solver.ways`), so it alone is inside `op`.
            if self.layout.size(block) > self.layout.size(rest):
                stored = list(self.find_ways(rest, rest_value, scope))
                for block_ways in self.find_ways(block, block_value, scope, op):
                    for rest_ways in stored:
                        yield from join(block_ways, rest_ways, value, self.modulus)
            else:
                stored = list(self.find_ways(block, block_value, scope, op))
                for rest_ways in self.find_ways(rest, rest_value, scope):
                    for block_ways in stored:
                        yield from join(block_ways, rest_ways, value, self.modulus)


def _merge_ways(found: Iterable[Kind], *, may_repeat: bool) -> list[Kind]:
    """Return the ways, those with equal operation and value merged into the first of them. Remove duplicates
    if `may_repeat`.
    """
    groups: dict[tuple[str, int, int], list[Kind]] = {}
    for ways in found:
        groups.setdefault((ways.op, ways.numerator, ways.denominator), []).append(ways)
    merged = []
    for first, *others in groups.values():
        if others or may_repeat:
            first.merge(others, may_repeat=may_repeat)
        merged.append(first)
    return merged


def _drop_repeated_ways(found: Iterable[Ways]) -> Iterator[Ways]:
    """Remove from each `Ways`, when it is read, the forms that occurred before; it may be empty then."""
    seen: dict[str, set[Operands]] = {"+": set(), "*": set()}  # by operation
    return (ways.drop_seen(seen) for ways in found)  # `drop_seen` adds the new forms to `seen`


class FormLister(FormSearch):
    """A search that lists all forms of a hand."""

    kind = Written

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Return ways as `FormSearch.compute_ways` does; but of smaller parts, those of two numbers come from
        a cache for all hands, and those of three from one if another hand needed them.
        """
        size = self.layout.size(part)
        if size > 3 or size == 1 or value is None or part == self.layout.whole:
            return super().compute_ways(part, value, scope, inside)
        numbers = [self.reach.numbers[symbol] for symbol in self.layout.symbols(part)]
        if size == 2:
            found = _list_ways_of_two(*numbers, self.modulus).get((inside, value), [])
        elif scope is None or part == scope.part:
            return super().compute_ways(part, value, scope, inside)
        else:
            known = _get_known_ways_of_three(*numbers, self.modulus)
            if (inside, value) not in known:
                known[inside, value] = self._remember_ways(part, value, scope, inside)
            found = known[inside, value]
        self._remembered[inside][part, value] = found
        return found

    def generate_nodes(self) -> Iterator[Node]:
        """Generate the solutions as canonical parts, each once; of nine numbers first one found quickly."""
        quick_node = None
        if self.layout.size(self.layout.whole) == MAX_BATCHED_HAND:
            quick_node = next(self._generate_quick_nodes(), None)
        if quick_node is not None:
            yield quick_node
        for ways in self.generate_solutions():
            if not isinstance(ways, Written):  # never so: only for the type checker
                continue
            if quick_node is None:
                yield from ways.nodes
            else:  # which is found again
                yield from [node for node in ways.nodes if node != quick_node]

    def _generate_quick_nodes(self) -> Iterator[Node]:
        """Generate those solutions of nine numbers that join the lowest number with two parts of four. They
        come sooner than others, which need a table of five numbers: it takes 10 ms.
        """
        # The first split, the most uneven one, is that into the lowest number and the eight others.
        first_split = islice(generate_open_rows(self.reach, self.layout.whole), 1)
        lowest = 1  # the part with the lowest number alone, which has the weight 1
        others = self.layout.whole - lowest
        # With tables alone, the others are split only into four and four. No backward search needs the value.
        scope = Scope(self.reach, others, value=0, tables_only=True)
        for ways in self._generate_ways(first_split, self.reach.target, scope, inside=""):
            if isinstance(ways, Written) and ways.numerator == self.target * ways.denominator:
                yield from ways.nodes


@lru_cache(MAX_CACHED_PAIRS)
def _list_ways_of_two(one: int, other: int, modulus: int) -> KnownWays:
    """Return the ways to write two numbers, by the operation they are inside (see `find_ways`) and value, an
    unsigned residue. They are cached because hands of cards share many pairs.
    """
    first = Written.from_number(one)
    second = Written.from_number(other)
    found: KnownWays = {}
    sums = first.list_sums(second, value=None, modulus=modulus)
    products = first.list_products(second, value=None, modulus=modulus)
    for ways in _merge_ways([*sums, *products], may_repeat=one == other):
        residue = ways.numerator * pow(ways.denominator, -1, modulus) % modulus  # numerator / denominator
        unsigned = min(residue, modulus - residue)
        outer_op = "*" if ways.op == "+" else "+"  # a sum may be an operand of a product, and vice versa
        for inside in ("", outer_op):  # "": both may stand alone
            found.setdefault((inside, unsigned), []).append(ways)
    return found


@lru_cache(MAX_CACHED_TRIPLES)
def _get_known_ways_of_three(one: int, two: int, three: int, modulus: int) -> KnownWays:
    """Return the ways to write three numbers that hands needed so far: a cached dictionary, to which the
    caller adds those it computes, since one hand needs few of them.
    """
    return {}
