"""Texts that `work_out` reads or refuses, and its speed."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import ExpressionError, parse, work_out
from tests.solver.test_parser import make_expression, make_hostile_text, make_random_signs, make_unicode_text

READ = [
    ("-5+3", "-5+3", Fraction(-2), ["-5+3 = -2"]),
    ("3.5*2", "3.5*2", Fraction(7), ["3.5*2 = 7"]),
    ("(-2)*(-3)", "-2*(-3)", Fraction(6), ["-2*(-3) = 6"]),
    ("0,5+0,5", "0.5+0.5", Fraction(1), ["0.5+0.5 = 1"]),
    ("2*-3", "2*(-3)", Fraction(-6), ["2*(-3) = -6"]),
    ("2--3", "2-(-3)", Fraction(5), ["2-(-3) = 5"]),
    ("+2-+3", "2-3", Fraction(-1), ["2-3 = -1"]),
    ("-(2+3)*4", "-1*(2+3)*4", Fraction(-20), ["2+3 = 5", "-1*5 = -5", "-5*4 = -20"]),
    ("0.1+0.2", "0.1+0.2", Fraction(3, 10), ["0.1+0.2 = 0.3"]),
    ("1.5*1.5/3", "1.5*1.5/3", Fraction(3, 4), ["1.5*1.5 = 2.25", "2.25/3 = 0.75"]),
    ("0.5/3", "0.5/3", Fraction(1, 6), ["0.5/3 = 1/6"]),
    ("2*(0.5/3)", "2*0.5/3", Fraction(1, 3), ["2*0.5 = 1", "1/3 = 1/3"]),
    ("1-0.5/3", "1-0.5/3", Fraction(5, 6), ["0.5/3 = 1/6", "1-1/6 = 5/6"]),
    ("1/(0.5/3)", "1/(0.5/3)", Fraction(6), ["0.5/3 = 1/6", "1/(1/6) = 6"]),
    ("8.0/(3-8/3) = 24", "8/(3-8/3)", Fraction(24), ["8/3 = 8/3", "3-8/3 = 1/3", "8/(1/3) = 24"]),
    ("−K+（−２．５）", "-13+(-2.5)", Fraction(-31, 2), ["-13+(-2.5) = -15.5"]),
    ("24 = 2*12.0", "2*12", Fraction(24), ["2*12 = 24"]),
    ("3-(-1-2)", "3-((-1)-2)", Fraction(6), ["-1-2 = -3", "3-(-3) = 6"]),
]
REFUSED = [
    ("", "empty", 0),
    ("--5", "no sign", 0),
    ("3.", "no decimal", 1),
    (".5", "no decimal", 0),
    ("1.2.3", "no decimal", 3),
    ("3*(-)", "no sign", 3),
    ("-", "no sign", 0),
    ("1/(0.5-0,5)", "division by zero", 2),
    ("5-3 = 2.5", "other target", 6),
    ("2.5 = 5-2.5", "other target", 0),
    ("1234567.89+1", "number too long", 0),
]


@pytest.mark.parametrize(("text", "written", "value", "steps"), READ)
def test_work_out_reads_signs_and_decimals(
    text: str, written: str, value: Fraction, steps: list[str]
) -> None:
    working = work_out(text)
    assert (str(working), working.value, list(working.steps())) == (written, value, steps)
    assert working.whole().value == value
    assert work_out(written) == working


@pytest.mark.parametrize(("text", "reason", "position"), REFUSED)
def test_work_out_refuses_text_with_reason_and_position(text: str, reason: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        work_out(text)
    assert (caught.value.reason, caught.value.position) == (reason, position)


@pytest.mark.parametrize("text", ["-5+3", "3.5*2", "2*-3", "0,5+1"])
def test_parse_refuses_signs_and_decimals(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


@pytest.mark.parametrize("text", ["8/(3-8/3)", "[{(1+2)*3}-4]", "A+J", "1-(2-3)", "5*5=24"])
def test_work_out_reads_like_parse(text: str) -> None:
    expression, working = parse(text), work_out(text)
    assert (str(working), working.value, working.steps()) == (
        str(expression),
        expression.value,
        expression.steps(),
    )
    assert working.whole() == expression


@given(st.text() | st.text(alphabet="0123456789+-*/()=AJQKx×÷ .,−（）", max_size=80))
def test_any_text_is_read_or_refused_with_position(text: str) -> None:
    try:
        working = work_out(text)
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
    else:
        assert work_out(str(working)) == working
        assert working.whole().value == working.value


@pytest.mark.parametrize("kind", [make_unicode_text, make_random_signs, make_expression, make_hostile_text])
def test_any_text_is_read_within_5_ms(kind: Callable[[random.Random], str]) -> None:
    rng = random.Random(24)

    texts = [kind(rng) for _ in range(2000)] + ["-(" * 128, "-0.1*" * 31 + "2"]
    assert [text for text in texts if not any(_is_read_in_time(text) for _ in range(5))] == []


def _is_read_in_time(text: str) -> bool:
    start = time.thread_time()
    with suppress(ExpressionError):
        work_out(text).steps()
    return time.thread_time() - start < 0.005
