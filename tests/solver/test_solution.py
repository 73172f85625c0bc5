"""Solutions, which are expressions that are built on access."""

import pickle

import pytest

from solver import Expression, form, idea, parse, solve
from solver.solution import Solution, write_node


def list_solutions(numbers: list[int], target: int = 24) -> list[Expression]:
    return list(solve(numbers, target))


@pytest.mark.parametrize("numbers", [[3, 8, 3, 8], [1, 2, 3, 4, 5], [0, 1, 1, 7, 24], [2, 2, 3, 3]])
def test_solution_equals_its_parsed_text(numbers: list[int]) -> None:
    for solution in list_solutions(numbers):
        parsed = parse(str(solution))
        assert isinstance(solution, Solution)
        assert (solution, hash(solution), repr(solution)) == (parsed, hash(parsed), repr(parsed))
        assert (solution.numbers, solution.value) == (parsed.numbers, parsed.value)
        assert solution.steps() == parsed.steps()
        assert (form(solution), idea(solution)) == (form(parsed), idea(parsed))
        assert form(solution) == (1, solution.node)


def test_solution_builds_its_attributes_on_access() -> None:
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


def test_solution_is_immutable_and_picklable() -> None:
    solution = Solution(("+", (("", 5), ("*", (("", 2), ("", 3)), (), ())), (("", 1),), ()))
    with pytest.raises(AttributeError, match="never changes"):
        solution.op = "-"
    with pytest.raises(AttributeError, match="never changes"):
        del solution.node
    assert pickle.loads(pickle.dumps(solution)) == solution == parse("5+2*3-1")  # noqa: S301


def test_neutral_parts_are_written_as_added_or_multiplied() -> None:
    zero = ("*", (), (), (("", 0), ("+", (("", 5), ("", 7)), (), ())))
    assert write_node(("+", (("", 24),), (), (zero,))) == "24+0*(5+7)"
    assert write_node(("*", (("", 24),), (("", 3),), (("", 1),))) == "1*24/3"
