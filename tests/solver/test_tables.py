"""Every value of a small part, told apart by how it is written."""

from fractions import Fraction

import pytest

from solver.tables import (
    UNKNOWN,
    Values,
    inverses,
    joined,
    table_of,
    table_of_one,
    table_of_three,
    table_of_two,
)

P = 2**30 - 35


def residues(*values: Fraction | int) -> set[int]:
    """Of each value and its negative the residue up to P/2."""
    full = [Fraction(value).numerator * pow(Fraction(value).denominator, -1, P) % P for value in values]
    return {min(value, P - value) for value in full}


def test_sums_and_products_of_two() -> None:
    table = table_of_two(2, 6, P)
    assert {*table.factors.half} == residues(8, 4)
    assert {*table.terms.half} == residues(12, 3, Fraction(1, 3))
    assert sorted(table.all.half) == sorted(residues(8, 4, 12, 3, Fraction(1, 3)))


def test_of_three_numbers_a_sum_is_no_term() -> None:
    table = table_of_three(1, 5, 7, P)
    assert {*table.factors.half} >= residues(13, 36, 34, Fraction(2, 7), 11, 1, 3)
    assert {*table.terms.half} >= residues(35, 12, 2, Fraction(7, 6), Fraction(5, 8))
    assert 13 not in table.terms.half
    pairs = [(table_of_one(1, P), table_of_two(5, 7, P)), (table_of_two(1, 5, P), table_of_one(7, P))]
    again = joined([*pairs, (table_of_two(1, 7, P), table_of_one(5, P))], P)
    assert {*again.all.half} == {*table.all.half}


def test_both_signs_and_inverses() -> None:
    values = Values([0, 3], P)
    assert values.both == {0, 3, P - 3}
    assert values.pairs == [(3, pow(3, -1, P))]
    assert inverses([0, 3, 5], P) == [0, pow(3, -1, P), pow(5, -1, P)]
    assert inverses([0], P) == [0]


@pytest.mark.parametrize("value", [0, 5, P - 1])
def test_what_nobody_has_looked_at_may_be_worth_anything(value: int) -> None:
    assert value in UNKNOWN.all.both
    assert UNKNOWN.all.count > Values(range(1000), P).count
    assert value not in table_of((), (), P).all.both
