"""Expressions: immutable, exact, and `str` is the inverse of `parse`."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Expression, ExpressionError, drop_trivial_steps, parse


def test_number_and_operation_have_their_attributes() -> None:
    expression = parse("8/3")
    assert (expression.op, expression.left.number, expression.right.number) == ("/", 8, 3)
    assert not hasattr(expression, "number")
    assert not hasattr(expression.left, "left")
    assert expression.numbers == (8, 3)


def test_expression_is_immutable() -> None:
    expression = parse("8/3")
    with pytest.raises(AttributeError, match="never changes"):
        expression.op = "+"
    with pytest.raises(AttributeError, match="never changes"):
        del expression.left


def test_repr_evaluates_to_equal_expression() -> None:
    expression = parse("8/(3-8/3)")
    assert repr(expression) == "parse('8/(3-8/3)')"
    assert eval(repr(expression), {"parse": parse}) == expression  # noqa: S307


def test_expressions_with_equal_text_are_equal() -> None:
    assert len({parse("1+2+3"), parse("1+(2+3)"), parse("3+2+1")}) == 2
    assert parse("8") != 8


def test_steps_list_each_operation() -> None:
    assert parse("8/(3-8/3)").steps() == ("8/3 = 8/3", "3-8/3 = 1/3", "8/(1/3) = 24")
    assert parse("9*(8/3)-(1-2)").steps() == ("9*8 = 72", "72/3 = 24", "1-2 = -1", "24-(-1) = 25")
    assert parse("6*(1+3/2)").steps() == ("3/2 = 3/2", "1+3/2 = 5/2", "6*(5/2) = 15")
    assert parse("24").steps() == ()


def test_telling_drops_steps_with_equal_sides() -> None:
    assert drop_trivial_steps(parse("8/(3-8/3)").steps()) == ["3-8/3 = 1/3", "8/(1/3) = 24"]
    assert drop_trivial_steps(["6/4 = 3/2", "1/3 = 1/3", "8/3*4 = 32/3 = 10 2/3"]) == [
        "6/4 = 3/2",
        "8/3*4 = 32/3 = 10 2/3",
    ]


def test_division_by_zero_raises_at_evaluation() -> None:
    expression = Expression.join("/", Expression.leaf(1), Expression.leaf(0))
    with pytest.raises(ZeroDivisionError):
        _ = expression.value


def test_deep_expression_needs_no_deep_stack() -> None:
    tower = Expression.leaf(1)
    for number in range(3000):
        tower = Expression.join("-", Expression.leaf(number), tower)
    assert len(tower.numbers) == 3001
    assert pickle.loads(pickle.dumps(tower)) == tower  # noqa: S301


expressions = st.recursive(
    st.integers(0, 99).map(Expression.leaf),
    lambda inner: st.builds(Expression.join, st.sampled_from("+-*/"), inner, inner),
    max_leaves=8,
)


@given(expressions)
def test_parse_is_inverse_of_str(expression: Expression) -> None:
    try:
        value = expression.value
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="divides by zero"):
            parse(str(expression))
        return
    again = parse(str(expression))
    assert again == expression
    assert (again.value, again.numbers, again.steps()) == (value, expression.numbers, expression.steps())


@given(expressions)
def test_str_has_no_needless_brackets(expression: Expression) -> None:
    text = str(expression)
    for start in (at for at, char in enumerate(text) if char == "("):
        end = _find_closing_bracket(text, start)
        bare = text[:start] + text[start + 1 : end] + text[end + 1 :]
        try:
            assert parse(bare) != expression
        except ExpressionError as error:
            assert error.reason == "division by zero"  # noqa: PT017


def _find_closing_bracket(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at
    raise AssertionError(text)
