"""How ways to write two parts are put together, exactly."""

from solver.solution import text
from solver.ways import Written

P = 2**30 - 35
ZERO, ONE, TWO, THREE, SIX = (Written.number(number) for number in (0, 1, 2, 3, 6))


def written(first: Written, rest: Written, value: int | None = None) -> list[str]:
    """What the two make that is worth the value."""
    made = (*first.sums(rest, value, P), *first.products(rest, value, P))
    return [text(node) for ways in made for node in ways.nodes]


def test_two_numbers() -> None:
    assert written(TWO, SIX) == ["2+6", "6-2", "2*6", "6/2", "2/6"]
    assert written(TWO, SIX, 4) == ["6-2"]
    assert written(TWO, THREE, 24) == []


def test_what_is_worth_0_or_1_stands_on_one_side_only() -> None:
    assert written(ZERO, SIX) == ["0+6", "0*6"]
    assert written(ONE, SIX) == written(SIX, ONE) == ["1+6", "6-1", "1*6", "1/6"]
    assert written(SIX, ZERO, 6) == ["0+6"]


def test_a_sum_is_no_term_and_a_product_no_factor() -> None:
    (eight,) = TWO.sums(SIX, 8, P)
    (twelve,) = TWO.products(SIX, 12, P)
    assert written(THREE, eight, 11) == ["2+3+6"]
    assert written(THREE, eight, 24) == ["3*(2+6)"]
    assert written(THREE, twelve, 36) == ["2*3*6"]
    assert (eight.numerator, twelve.numerator, len(eight)) == (8, 12, 1)


def test_two_parts_that_undo_each_other_have_no_sign() -> None:
    (nothing,) = THREE.sums(THREE, 0, P)
    assert written(SIX, nothing, 6) == ["3+6-3"]


def test_values_are_exact() -> None:
    (fraction,) = SIX.products(Written.number(4), pow(2, -1, P) * 3 % P, P)
    assert (fraction.numerator, fraction.denominator) == (3, 2)
