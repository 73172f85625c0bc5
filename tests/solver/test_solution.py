"""A solution is an expression like any other, only written later."""

import pickle

import pytest

from solver import Expression, form, idea, parse, solve
from solver.solution import Solution, text


def solutions(numbers: list[int], target: int = 24) -> list[Expression]:
    return list(solve(numbers, target))


@pytest.mark.parametrize("numbers", [[3, 8, 3, 8], [1, 2, 3, 4, 5], [0, 1, 1, 7, 24], [2, 2, 3, 3]])
def test_it_is_what_its_text_says(numbers: list[int]) -> None:
    for solution in solutions(numbers):
        read = parse(str(solution))
        assert isinstance(solution, Solution)
        assert (solution, hash(solution), repr(solution)) == (read, hash(read), repr(read))
        assert (solution.numbers, solution.value) == (read.numbers, read.value)
        assert solution.steps() == read.steps()
        assert (form(solution), idea(solution)) == (form(read), idea(read))
        assert form(solution) == (1, solution.node)


def test_it_is_written_when_it_is_read() -> None:
    solution = Solution(("*", (("", 3), ("", 8)), (), ()))
    assert (solution.left.number, solution.op, solution.right) == (3, "*", parse("8"))
    assert not hasattr(solution, "number")
    number = Solution(("", 24))
    assert (number.op, number.number, hasattr(number, "left"), hasattr(number, "depth")) == (
        "",
        24,
        False,
        False,
    )


def test_it_never_changes_and_travels() -> None:
    solution = Solution(("+", (("", 5), ("*", (("", 2), ("", 3)), (), ())), (("", 1),), ()))
    with pytest.raises(AttributeError, match="never changes"):
        solution.op = "-"
    with pytest.raises(AttributeError, match="never changes"):
        del solution.node
    assert pickle.loads(pickle.dumps(solution)) == solution == parse("5+2*3-1")  # noqa: S301


def test_parts_worth_nothing_stand_among_those_that_are_added() -> None:
    zero = ("*", (), (), (("", 0), ("+", (("", 5), ("", 7)), (), ())))
    assert text(("+", (("", 24),), (), (zero,))) == "24+0*(5+7)"
    assert text(("*", (("", 24),), (("", 3),), (("", 1),))) == "1*24/3"
