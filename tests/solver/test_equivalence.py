"""When two solutions are the same, by example and by counting."""

from itertools import combinations_with_replacement
from math import prod

import pytest

from solver import Expression, families, form, idea, ideas, parse, solve, trick, tricks
from solver.reach import Reach

from .enumeration import all_forms

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
def test_the_same_form(one: str, other: str) -> None:
    assert form(parse(one)) == form(parse(other))
    assert idea(parse(one)) == idea(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_IDEA)
def test_the_same_idea_in_another_form(one: str, other: str) -> None:
    assert form(parse(one)) != form(parse(other))
    assert idea(parse(one)) == idea(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_TRICK)
def test_the_same_trick_by_another_idea(one: str, other: str) -> None:
    assert idea(parse(one)) != idea(parse(other))
    assert trick(parse(one)) == trick(parse(other))


@pytest.mark.parametrize(("one", "other"), OTHER_TRICKS)
def test_another_trick(one: str, other: str) -> None:
    assert trick(parse(one)) != trick(parse(other))


@pytest.mark.parametrize(("one", "other"), SAME_IDEA + SAME_FORM)
def test_what_is_one_idea_is_one_trick(one: str, other: str) -> None:
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
def test_tricks_are_the_first_solutions_of_each(
    hand: list[int], target: int, listed: int, different: int
) -> None:
    all_ideas, shown = list(ideas(hand, target)), list(tricks(hand, target))
    assert (len(all_ideas), len(shown)) == (listed, different)
    keys = [trick(each) for each in all_ideas]
    assert shown == [each for n, each in enumerate(all_ideas) if trick(each) not in keys[:n]]
    assert {trick(each) for each in solve(hand, target)} == set(keys)
    assert list(tricks(hand, target, limit=2)) == shown[:2]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_neither(one: str, other: str) -> None:
    assert form(parse(one)) != form(parse(other))
    assert idea(parse(one)) != idea(parse(other))


def test_a_sum_has_a_sign_and_a_zero_has_none() -> None:
    assert form(parse("8-3"))[0] == 1
    assert form(parse("3-8")) == (-1, form(parse("8-3"))[1])
    assert form(parse("3-3"))[0] == 0
    # A piece of a sum is no part of it: here the 3+5-8 is none.
    assert form(parse("2+3+5-8")) != form(parse("2+8-3-5"))


def test_dividing_by_zero_has_no_form() -> None:
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
def test_forms_of_different_symbols(count: int, forms: int) -> None:
    """OEIS A140606. Numbers that grow so fast stand for symbols: none come out alike by accident."""
    assert len(all_forms((1009, 200003, 3000000019, 70000000000021)[:count])) == forms


@pytest.mark.parametrize(
    ("count", "forms"),
    [
        (1, 1),
        (2, 6),
        (3, 68),
        (4, 1170),
        pytest.param(5, 27142, marks=pytest.mark.long),
        pytest.param(6, 793002, marks=pytest.mark.long),
    ],
)
def test_values_of_different_symbols(count: int, forms: int) -> None:
    """OEIS A140606 again, by the search's own tables: values of either sign, where each can be made.

    What is made without a minus has no negative.
    """
    symbols = [1009, 200003, 3000000019, 70000000000021, 8 * 10**17 + 3, 9 * 10**20 + 7][:count]
    reach = Reach(symbols, prod(symbols) ** 3)
    assert len(reach.table(reach.layout.whole).all.half) + _negatives(reach, reach.layout.whole) == forms


def _negatives(reach: Reach, whole: int) -> int:
    """How many of the values have a minus in them, so that their negatives are made too."""
    made: dict[int, set[int]] = {}
    p = reach.p

    def without(part: int) -> set[int]:
        if part not in made:
            symbols = reach.layout.symbols(part)
            values = {reach.numbers[symbols[0]]} if len(symbols) == 1 else set[int]()
            for side, other in reach.layout.blocks(part):
                for x in without(side):
                    for y in without(other):
                        over, under = x * pow(y, -1, p) % p, y * pow(x, -1, p) % p
                        values |= {(x + y) % p, x * y % p, over, under}
            made[part] = values
        return made[part]

    return len(reach.table(whole).all.half) - len(without(whole))


def test_ideas_of_the_hand_with_most() -> None:
    found = [str(expression) for expression in ideas([2, 4, 8, 10])]
    assert len(found) == 11
    assert len({idea(parse(text)) for text in found}) == 11


@pytest.mark.long
def test_ideas_of_all_hands_of_four() -> None:
    """The list at 4nums.com has as many: 3017, and at most 11 for one hand."""
    counts = {hand: len(list(ideas(hand))) for hand in combinations_with_replacement(range(1, 14), 4)}
    assert (sum(counts.values()), max(counts.values()), counts[2, 4, 8, 10]) == (3017, 11, 11)
    assert list(counts.values()).count(11) == 1


def test_families_count_the_forms_behind_each_idea() -> None:
    hand = [3, 3, 3, 8]
    assert [(str(family.expression), family.forms) for family in families(hand)] == [("3+3*8-3", 4)]
    hand = [1, 2, 3, 4]
    grown = list(families(hand))
    assert [family.expression for family in grown] == list(ideas(hand))
    assert sum(family.forms for family in grown) == len(list(solve(hand)))
