"""The search for all ways to write a hand that make its target.

`Reach` and `Scope` find the pairs of parts and values that may be joined. This module lists the ways to write
both parts of each pair and joins them. Because of equal numbers or parts worth 0, a form may be found twice;
the search removes these duplicates.
"""

from __future__ import annotations

from functools import lru_cache

from solver.reach import MAX_BATCHED_HAND, MAX_BATCHED_PART, Reach
from solver.scope import Scope, generate_open_rows
from solver.tables import MAX_CACHED_PAIRS
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

MAX_REMEMBERED_SIZE = 6  # The largest part whose ways are remembered
MAX_REMEMBERED_WAYS = 400_000  # About 200 bytes each; beyond this number, all are forgotten


def check_whole_number(number: int) -> None:
    """Raise ValueError unless the number is an integer and not negative."""
    if type(number) is not int or number < 0:
        raise ValueError(f"a whole number that is not negative is wanted, not {number!r}")


class FormSearch:
    """The search of one hand for all forms. Raises ValueError if there are no numbers, or if a number or the
    target is negative or not an integer.
    """

    kind: type[Ways]  # Subclasses say whether ways are listed or counted

    def __init__(self, numbers: Sequence[int], target: int, log: Callable[[str], None] | None = None) -> None:
        for number in (*numbers, target):
            check_whole_number(number)
        if not numbers:
            raise ValueError("a hand needs a number")
        self.target = target
        self.reach = Reach(numbers, target, self._make_logger(log) if log else None)
        self.layout = self.reach.layout
        self.p = self.reach.p
        self.max_batched = MAX_BATCHED_HAND if len(numbers) <= MAX_BATCHED_HAND else MAX_BATCHED_PART
        self.numbers = [self.kind.from_number(number) for number in self.reach.numbers]
        # Ways by the operation that a part is inside, by the part and its value.
        self._remembered: dict[str, dict[tuple[int, int | None], list[Ways]]] = {"+": {}, "*": {}, "": {}}
        self._remembered_count = 0

    def _make_logger(self, log: Callable[[str], None]) -> Log:
        """Return a function that writes each request of the backward search as a line to `log`."""

        def log_request(part: int, value: int, makeable: bool) -> None:
            numerator, denominator = self.reach.reconstruct_fraction(value)
            asked = f"{numerator}/{denominator}" if denominator > 1 else f"{numerator}"
            log(f"make {asked} from {self._write_numbers(part)}: {'hit' if makeable else 'dead end'}")

        return log_request

    def _write_numbers(self, part: int) -> str:
        return " ".join(str(self.reach.numbers[symbol]) for symbol in self.layout.symbols(part))

    def generate_solutions(self) -> Iterator[Ways]:
        """Generate the ways whose exact value is the target. Others may equal it modulo p only."""
        for ways in self.list_ways(self.layout.whole, self.reach.target, scope=None):
            if ways.numerator == self.target * ways.denominator:
                yield ways

    def list_ways(
        self, part: int, value: int | None, scope: Scope | None, inside: str = ""
    ) -> Iterable[Ways]:
        """Return the ways to make a value or its negative (or any, for None) from a part, each form once.

        `inside` is the operation of which the part will be an operand: inside "+" only numbers and products
        are returned, inside "*" only numbers and sums. `scope` limits the values of smaller parts.
        """
        remembered = self._remembered[inside].get((part, value))
        if remembered is None:
            return self.compute_ways(part, value, scope, inside)
        return remembered

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Compute what `list_ways` returns; remember it for a single number and for small parts."""
        symbols = self.layout.symbols(part)
        if len(symbols) == 1:
            return self._remember_number(symbols[0], part, value, inside)
        if value is None:
            return _drop_repeated_ways(self._generate_all_ways(part, inside))
        if len(symbols) > self.max_batched:  # too large for a backward search
            rows_by_split = generate_open_rows(self.reach, part)
        else:
            if scope is None:
                scope = Scope(self.reach, part, value)
            if len(symbols) <= MAX_REMEMBERED_SIZE and part != scope.part:
                return self._remember_ways(part, value, scope, inside)
            rows_by_split = scope.generate_rows(part)
        found = self._generate_ways(rows_by_split, value, scope, inside)
        return _drop_repeated_ways(found) if self.may_repeat(part, value) else found

    def _remember_number(self, symbol: int, part: int, value: int | None, inside: str) -> list[Ways]:
        """Remember and return a number as the only way to write its part; no way if `value` is another."""
        only_way = self.numbers[symbol]
        number = only_way.numerator
        is_wanted = value in (None, number, self.p - number)  # any value, the number or its negative
        ways: list[Ways] = [only_way] if is_wanted else []
        self._remembered[inside][part, value] = ways
        return ways

    def _remember_ways(self, part: int, value: int, scope: Scope, inside: str) -> list[Ways]:
        """Compute, remember and return the ways of a part; forget all others first if there are too many."""
        if inside:
            # Inside a sum there are only products, and inside a product only sums.
            generate = self._generate_products if inside == "+" else self._generate_sums
            ways = generate(scope.get_rows(part), value, scope)
            found = _merge_ways(ways, may_repeat=self.may_repeat(part, value))
            self._remembered_count += sum(map(len, found))
        else:  # sums and products; both lists are remembered and counted themselves
            sums = self.list_ways(part, value, scope, inside="*")
            products = self.list_ways(part, value, scope, inside="+")
            found = [*sums, *products]
        if self._remembered_count > MAX_REMEMBERED_WAYS:
            self._remembered_count = 0
            for ways_by_part in self._remembered.values():
                ways_by_part.clear()
        self._remembered[inside][part, value] = found
        return found

    def may_repeat(self, part: int, value: int | None) -> bool:
        """Whether forms of a part of two or more numbers may be found twice. That is so if it is worth 0 or
        any value (None), or if its lowest number is repeated: then two blocks contain it.
        """
        symbols = self.layout.symbols(part)
        return not value or symbols[0] == symbols[1]

    def _generate_all_ways(self, part: int, inside: str) -> Iterator[Ways]:
        """Generate the ways to write a part with any value: inside "+" no sums, inside "*" no products."""
        for block, rest in self.layout.list_splits(part):
            for second in self.list_ways(rest, value=None, scope=None):
                if inside != "+":
                    for first in self.list_ways(block, value=None, scope=None, inside="+"):
                        yield from first.generate_sums(second, value=None, p=self.p)
                if inside != "*":
                    for first in self.list_ways(block, value=None, scope=None, inside="*"):
                        yield from first.generate_products(second, value=None, p=self.p)

    def _generate_ways(
        self, rows_by_split: Iterator[Rows], value: int, scope: Scope | None, inside: str
    ) -> Iterator[Ways]:
        """Generate the ways to make a value, split by split: inside "+" no sums, inside "*" no products."""
        for rows in rows_by_split:
            if inside != "+":
                yield from self._generate_sums(rows, value, scope)
            if inside != "*":
                yield from self._generate_products(rows, value, scope)

    def _generate_sums(self, rows: Rows, value: int, scope: Scope | None) -> Iterator[Ways]:
        """Generate the sums that make a value."""
        for couple in rows.find_sums(value):
            for first, second in self._pair_ways(couple, scope, inside="+"):
                yield from first.generate_sums(second, value, self.p)

    def _generate_products(self, rows: Rows, value: int, scope: Scope | None) -> Iterator[Ways]:
        """Generate the products that make a value."""
        for couple in rows.find_products(value):
            for first, second in self._pair_ways(couple, scope, inside="*"):
                yield from first.generate_products(second, value, self.p)

    def _pair_ways(self, couple: Couple, scope: Scope | None, inside: str) -> Iterable[tuple[Ways, Ways]]:
        """Pair each way to make the block's value with each to make the rest's. Only the ways of the smaller
        side are stored; those of the larger one are consumed as they are found.
        """
        block, block_value, rest, rest_value = couple
        if self.layout.size(block) > self.layout.size(rest):
            rest_ways = list(self.list_ways(rest, rest_value, scope))
            return ((a, b) for a in self.list_ways(block, block_value, scope, inside) for b in rest_ways)
        block_ways = list(self.list_ways(block, block_value, scope, inside))
        return ((a, b) for b in self.list_ways(rest, rest_value, scope) for a in block_ways)


def _merge_ways(found: Iterable[Kind], *, may_repeat: bool) -> list[Kind]:
    """Merge ways with equal operation and value into the first of them; remove duplicates if `may_repeat`."""
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
    """Remove forms that occurred before, lazily."""
    seen: dict[str, set[Operands]] = {"+": set(), "*": set()}
    return (ways.drop_seen(seen) for ways in found)


class FormLister(FormSearch):
    """A search that lists all forms."""

    kind = Written

    def compute_ways(self, part: int, value: int | None, scope: Scope | None, inside: str) -> Iterable[Ways]:
        """Compute ways as the base class does. Those of two numbers that are not the whole hand come from a
        cache for all hands.
        """
        symbols = self.layout.symbols(part)
        if len(symbols) != 2 or value is None or part == self.layout.whole:
            return super().compute_ways(part, value, scope, inside)
        one, other = (self.reach.numbers[symbol] for symbol in symbols)
        found: list[Ways] = [*_list_ways_of_two(one, other, self.p).get((inside, value), ())]
        self._remembered[inside][part, value] = found
        return found

    def generate_nodes(self) -> Iterator[Node]:
        """Generate the solutions as canonical parts; of nine numbers first one that is found quickly."""
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
            else:  # without repeating it
                yield from [node for node in ways.nodes if node != quick_node]

    def _generate_quick_nodes(self) -> Iterator[Node]:
        """Generate those solutions of nine numbers that join the lowest number with two parts of four. They
        come sooner than others, which need a table of five numbers: it takes 10 ms.
        """
        rows = next(generate_open_rows(self.reach, self.layout.whole))  # of the split into one and eight
        rest = self.layout.whole - 1  # the lowest number has the weight 1
        scope = Scope(self.reach, rest, value=0, tables_only=True)  # the value is not used then
        for ways in self._generate_ways(iter([rows]), self.reach.target, scope, inside=""):
            if isinstance(ways, Written) and ways.numerator == self.target * ways.denominator:
                yield from ways.nodes


@lru_cache(MAX_CACHED_PAIRS)
def _list_ways_of_two(one: int, other: int, p: int) -> dict[tuple[str, int], list[Written]]:
    """Return the ways to write two numbers, by the operation they are inside (see `list_ways`) and value.
    They are cached because hands of cards share many pairs.
    """
    first, second = Written.from_number(one), Written.from_number(other)
    found: dict[tuple[str, int], list[Written]] = {}
    sums = first.generate_sums(second, value=None, p=p)
    products = first.generate_products(second, value=None, p=p)
    for ways in _merge_ways([*sums, *products], may_repeat=one == other):
        residue = ways.numerator * pow(ways.denominator, -1, p) % p  # numerator / denominator
        # Sums may be operands of a product, and products of a sum; both may stand alone.
        for inside in ("", "*" if ways.op == "+" else "+"):
            found.setdefault((inside, min(residue, p - residue)), []).append(ways)
    return found
