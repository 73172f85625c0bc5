"""Forms, ideas and tricks, by examples and by counts."""

from itertools import combinations_with_replacement
from math import prod

import pytest

from solver import Expression, families, form, idea, ideas, parse, solve, trick, tricks
from solver.reach import Reach

from .enumeration import list_forms

SAME_FORM = [
    ("3+8", "8+3"),
    ("1+(2+3)", "3+2+1"),
    ("2*(3*4)", "4*3*2"),
    ("9-(3-1)", "9+1-3"),
    ("8/(4/2)", "8*2/4"),
    ("(5-2)*(9-1)", "(2-5)*(1-9)"),
    ("20-4*(2-3)", "20+4*(3-2)"),
    ("3+8*3", "3*8+3"),
    ("24-0", "24+0"),
    ("24/1", "24*1"),
    ("24+0/7", "24+7*0"),
    ("24*(5-4)", "24/(5-4)"),
    ("24/(4-5)", "24*(4-5)"),
    ("1+2-3", "3-1-2"),
    ("24+(1+2-3)*5", "24-(3-2-1)/5"),
    ("0*(5-3)*2", "0/(3-5)*2"),
    ("1*2/(4*1)", "2/1/4/1"),
]

SAME_IDEA = [
    ("8*3+3-3", "3*3*8/3"),
    ("8*3+3-3", "(3+3-3)*8"),
    ("4*6*1*1", "(4+1-1)*6"),
    ("4*6*1*1", "4*6+1-1"),
    ("24+0*(5-3)", "24+0*5*3"),
    ("(5+1)*4+0", "(5+1+0)*4"),
    ("5*1+3+4", "5+1*(3+4)"),
    ("5+1*(3-5)+21", "21+3-(5-5)*1"),
    ("6/6*4+20", "4+20+6-6"),
]

SAME_TRICK = [
    ("25-(3+5)/8", "25-8/(3+5)"),
    ("23+34/(13+21)", "(13+21)/34+23"),
    ("2*(13-(5+4)/(3*3))", "(13-3*3/(4+5))*2"),
    ("(3+5)/8", "8/(5+3)"),  # worth 1 itself
    ("3*(9-(8-3)/(6-7/(3+4)))", "(9-(6-(4+3)/7)/(8-3))*3"),
]

OTHER_TRICKS = [
    ("25-(3+5)/8", "25-(8-3)/5"),
    ("25-(3+5)/8", "25+(3+5)/8"),
    ("25-(3+5)/4", "25-4/(3+5)"),
    ("5*(13-8)-5/5", "5*5-(13-8)/5"),
    ("8/(3-8/3)", "8*3+8-8"),
]

DIFFERENT = [
    ("3*8", "3+8"),
    ("8-3", "3-8"),
    ("8/3", "3/8"),
    ("4*6*2/2", "4*6*3/3"),
    ("4*6+5-4", "5*6-5-1"),
    ("8/(3-8/3)", "8*3+8-8"),
]


@pytest.mark.parametrize(("one", "other"), SAME_FORM)
def test_expressions_are_same_form(one: str, other: str) -> None:
    assert form(parse(one)) == form(parse(other))
    assert idea(parse(one)) == idea(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_IDEA)
def test_other_forms_are_same_idea(one: str, other: str) -> None:
    assert form(parse(one)) != form(parse(other))
    assert idea(parse(one)) == idea(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_TRICK)
def test_other_ideas_are_same_trick(one: str, other: str) -> None:
    assert idea(parse(one)) != idea(parse(other))
    assert trick(parse(one)) == trick(parse(other))


@pytest.mark.parametrize(("one", "other"), OTHER_TRICKS)
def test_expressions_are_different_tricks(one: str, other: str) -> None:
    assert trick(parse(one)) != trick(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_IDEA + SAME_FORM)
def test_same_idea_is_same_trick(one: str, other: str) -> None:
    assert trick(parse(one)) == trick(parse(other))


@pytest.mark.parametrize(
    ("hand", "target", "listed", "different"),
    [
        ([3, 5, 8, 25], 24, 6, 3),
        ([5, 5, 5, 8, 13], 24, 7, 4),
        ([2, 4, 8, 10], 24, 11, 11),
        ([3, 5, 8], 1, 6, 3),
    ],
)
def test_tricks_lists_first_idea_of_each_trick(
    hand: list[int], target: int, listed: int, different: int
) -> None:
    all_ideas, found_tricks = list(ideas(hand, target)), list(tricks(hand, target))
    assert (len(all_ideas), len(found_tricks)) == (listed, different)
    keys = [trick(each) for each in all_ideas]
    assert found_tricks == [each for n, each in enumerate(all_ideas) if trick(each) not in keys[:n]]
    assert {trick(each) for each in solve(hand, target)} == set(keys)
    assert list(tricks(hand, target, limit=2)) == found_tricks[:2]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_expressions_are_different_ideas(one: str, other: str) -> None:
    assert form(parse(one)) != form(parse(other))
    assert idea(parse(one)) != idea(parse(other))


def test_form_has_sign_unless_worth_zero() -> None:
    assert form(parse("8-3"))[0] == 1
    assert form(parse("3-8")) == (-1, form(parse("8-3"))[1])
    assert form(parse("3-3"))[0] == 0
    # Some terms of a sum are no part worth 0: here 3+5-8.
    assert form(parse("2+3+5-8")) != form(parse("2+8-3-5"))


def test_division_by_zero_has_no_form() -> None:
    nothing = Expression.join("/", Expression.leaf(1), Expression.leaf(0))
    with pytest.raises(ZeroDivisionError):
        form(nothing)
    with pytest.raises(ZeroDivisionError):
        idea(nothing)
    with pytest.raises(ZeroDivisionError):
        trick(nothing)


@pytest.mark.parametrize(
    ("count", "forms"), [(1, 1), (2, 6), (3, 68), pytest.param(4, 1170, marks=pytest.mark.long)]
)
def test_form_counts_match_oeis(count: int, forms: int) -> None:
    """OEIS A140606 counts forms of symbols. Numbers that grow so fast have no equal values."""
    assert len(list_forms((1009, 200003, 3000000019, 70000000000021)[:count])) == forms


@pytest.mark.parametrize(
    ("count", "forms"),
    [
        (1, 1),
        (2, 6),
        (3, 68),
        (4, 1170),
        pytest.param(5, 27142, marks=pytest.mark.long),
        pytest.param(6, 793002, marks=[pytest.mark.long, pytest.mark.exhaustive]),
    ],
)
def test_value_tables_match_oeis(count: int, forms: int) -> None:
    """The search's own tables contain each value once. x and -x are two forms if x needs a subtraction."""
    symbols = [1009, 200003, 3000000019, 70000000000021, 8 * 10**17 + 3, 9 * 10**20 + 7][:count]
    reach = Reach(symbols, prod(symbols) ** 3)
    values = reach.get_table(reach.layout.whole).all.unsigned
    assert len(values) + _count_negatives(reach, reach.layout.whole) == forms


def _count_negatives(reach: Reach, whole: int) -> int:
    """Count the values that need a subtraction, so that their negatives can be made too."""
    values_of: dict[int, set[int]] = {}
    modulus = reach.modulus

    def find_values_without_minus(part: int) -> set[int]:
        if part not in values_of:
            symbols = reach.layout.symbols(part)
            values = {reach.numbers[symbols[0]]} if len(symbols) == 1 else set[int]()
            for side, other in reach.layout.list_splits(part):
                for x in find_values_without_minus(side):
                    for y in find_values_without_minus(other):
                        over, under = x * pow(y, -1, modulus) % modulus, y * pow(x, -1, modulus) % modulus
                        values |= {(x + y) % modulus, x * y % modulus, over, under}
            values_of[part] = values
        return values_of[part]

    return len(reach.get_table(whole).all.unsigned) - len(find_values_without_minus(whole))


def test_hand_with_most_ideas_has_eleven() -> None:
    found = [str(expression) for expression in ideas([2, 4, 8, 10])]
    assert len(found) == 11
    assert len({idea(parse(text)) for text in found}) == 11


@pytest.mark.long
def test_all_hands_of_four_have_3017_ideas() -> None:
    """The list at 4nums.com has as many: 3017, and at most 11 for one hand."""
    counts = {hand: len(list(ideas(hand))) for hand in combinations_with_replacement(range(1, 14), 4)}
    assert (sum(counts.values()), max(counts.values()), counts[2, 4, 8, 10]) == (3017, 11, 11)
    assert list(counts.values()).count(11) == 1


def test_families_count_forms_of_each_idea() -> None:
    hand = [3, 3, 3, 8]
    assert [(str(family.expression), family.forms) for family in families(hand)] == [("3+3*8-3", 4)]
    hand = [1, 2, 3, 4]
    found = list(families(hand))
    assert [family.expression for family in found] == list(ideas(hand))
    assert sum(family.forms for family in found) == len(list(solve(hand)))
