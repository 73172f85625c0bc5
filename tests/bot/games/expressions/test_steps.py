"""Steps that somebody wrote out, and the expression that they mean."""

import pytest

from bot.games.expressions.answer_parser import WrittenStep, combine_steps
from solver import parse


def meant(numbers: tuple[int, ...], *steps: str) -> list[str]:
    """What the steps mean; each has its result behind it."""
    return [
        str(whole)
        for whole in combine_steps([WrittenStep(parse(step), has_result=True) for step in steps], numbers)
    ]


@pytest.mark.parametrize(
    ("numbers", "steps", "whole"),
    [
        ((3, 8, 3, 8), ("3-8/3", "8/(1/3)"), "8/(3-8/3)"),
        ((3, 8, 3, 8), ("8/3", "3-8/3", "8/(1/3)"), "8/(3-8/3)"),
        ((1, 2, 3, 4), ("4*2", "8*3", "24*1"), "4*2*3*1"),
        ((1, 2, 3, 4), ("1+3", "4+2", "6*4"), "(1+3+2)*4"),
        ((5, 5, 5, 1), ("1/5", "5-1/5", "24/5*5"), "(5-1/5)*5"),
        ((2, 3, 4, 8), ("2+3", "5+4", "9-8"), "2+3+4-8"),
    ],
)
def test_each_step_may_go_on_with_the_results_of_earlier_ones(
    numbers: tuple[int, ...], steps: tuple[str, ...], whole: str
) -> None:
    assert whole in meant(numbers, *steps)


@pytest.mark.parametrize(
    ("numbers", "steps"),
    [
        ((3, 8, 3, 8), ("3-8/3",)),
        ((3, 8, 3, 8), ("8/(1/3)", "3-8/3")),
        ((3, 8, 3, 8), ("3-8/3", "8/(1/4)")),
        ((3, 8, 3, 8), ("3*8", "24+3")),
        ((1, 2, 3, 4), ("4*2", "8*3", "24*2")),
    ],
)
def test_what_is_no_way_to_use_each_number_once_means_nothing(
    numbers: tuple[int, ...], steps: tuple[str, ...]
) -> None:
    assert meant(numbers, *steps) == []


def test_nothing_goes_on_with_a_result_that_is_not_written() -> None:
    steps = [WrittenStep(parse("3-8/3"), has_result=False), WrittenStep(parse("8/(1/3)"), has_result=True)]
    assert list(combine_steps(steps, (3, 8, 3, 8))) == []


def test_a_later_one_may_say_what_an_earlier_one_has() -> None:
    inner, outer = parse("1+2+3"), WrittenStep(parse("4*6"), has_result=True)
    assert [
        str(e)
        for e in combine_steps([outer, WrittenStep(inner, has_result=False, is_named=True)], (1, 2, 3, 4))
    ] == ["4*(1+2+3)"]
    assert list(combine_steps([outer, WrittenStep(inner, has_result=True)], (1, 2, 3, 4))) == []
