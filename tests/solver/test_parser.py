"""Texts that `parse` reads or refuses, and its speed."""

import random
import time
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Correct, ExpressionError, WrongValue, check, parse

READ = [
    ("8/(3-8/3)", "8/(3-8/3)", Fraction(24)),
    (" 8 / ( 3 - 8 / 3 ) = 24 ", "8/(3-8/3)", Fraction(24)),
    ("８÷（３−８÷３）＝２４", "8/(3-8/3)", Fraction(24)),
    ("3×8", "3*8", Fraction(24)),
    ("3х8", "3*8", Fraction(24)),  # the letter х of Russian keyboards
    ("3·8", "3*8", Fraction(24)),
    ("3x8", "3*8", Fraction(24)),
    ("3X8", "3*8", Fraction(24)),
    ("8:3", "8/3", Fraction(8, 3)),
    ("8\u3000−\u00a03", "8-3", Fraction(5)),
    ("[{(1+2)*3}-4]", "(1+2)*3-4", Fraction(5)),
    ("A+J+Q+K", "1+11+12+13", Fraction(37)),
    ("a+j+q+k", "1+11+12+13", Fraction(37)),
    ("1+(2+3)", "1+2+3", Fraction(6)),
    ("1+(2-(3-4))", "1+2-(3-4)", Fraction(4)),
    ("2*(6/3)", "2*6/3", Fraction(4)),
    ("((((7))))", "7", Fraction(7)),
    ("007", "7", Fraction(7)),
    ("5*5=24", "5*5", Fraction(25)),
    ("1-(2-3)", "1-(2-3)", Fraction(2)),
    ("8/(4/2)", "8/(4/2)", Fraction(4)),
    ("(1+2)*(3+4)", "(1+2)*(3+4)", Fraction(21)),
    ("(1*2)+(3/4)", "1*2+3/4", Fraction(11, 4)),
    ("24=8/(3-8/3)", "8/(3-8/3)", Fraction(24)),
    ("２４＝５×５", "5*5", Fraction(25)),
    ("24 = 3*8 = 24", "3*8", Fraction(24)),
    ("24=24", "24", Fraction(24)),
    ("24=(24)", "24", Fraction(24)),
    ("5=24", "5", Fraction(5)),
]


REFUSED = [
    ("", "empty", 0, "", "there is nothing to read"),
    (" \u3000", "empty", 0, "", "there is nothing to read"),
    ("1" * 257, "too long", 256, "", "the text is longer than 256 characters"),
    ("1+" * 32 + "1", "too many", 64, "", "there are more than 64 numbers, signs and brackets"),
    ("(" * 17 + "1" + ")" * 17, "too deep", 16, "", "brackets are nested deeper than 16"),
    ("3+1234567890", "number too long", 2, "1234567890", "numbers have at most 9 digits: '1234567890'"),
    ("3+$", "unknown", 2, "$", "this character has no meaning here: '$'"),
    ("3+four", "no name", 2, "four", "only numbers and A J Q K are read, not 'four'"),
    ("__import__", "unknown", 0, "_", "this character has no meaning here: '_'"),
    ("3**8", "no power", 2, "*", "powers are not part of the game: '*'"),
    ("3^8", "no power", 1, "^", "powers are not part of the game: '^'"),
    ("2.5*4", "no decimal", 1, ".", "numbers are whole, without a point or comma: '.'"),
    ("2,5", "no decimal", 1, ",", "numbers are whole, without a point or comma: ','"),
    ("-3+27", "no sign", 0, "-", "a number takes no sign of its own; write 27-3 rather than -3+27: '-'"),
    ("3*(-8)", "no sign", 3, "-", "a number takes no sign of its own; write 27-3 rather than -3+27: '-'"),
    ("3--8", "no number", 2, "-", "a number is missing before '-'"),
    ("3*", "unfinished", 2, "", "a number is missing at the end"),
    ("()", "no number", 1, ")", "a number is missing before ')'"),
    ("3=", "unfinished", 2, "", "a number is missing at the end"),
    ("3 8", "no operator", 2, "8", "a sign such as * is missing before '8'"),
    ("3(8)", "no operator", 1, "(", "a sign such as * is missing before '('"),
    ("2A", "no operator", 1, "A", "a sign such as * is missing before 'A'"),
    ("3*(8", "unclosed", 2, "(", "this bracket is never closed: '('"),
    ("3*8)", "unopened", 3, ")", "this bracket was never opened: ')'"),
    ("3*(8]", "unopened", 4, "]", "this bracket was never opened: ']'"),
    ("3*8=24=24", "unexpected", 6, "=", "nothing may stand here any more: '='"),
    ("3*8=24+0", "unexpected", 6, "+", "nothing may stand here any more: '+'"),
    ("(3=24)", "unexpected", 2, "=", "nothing may stand here any more: '='"),
    ("5*5 = 25", "other target", 6, "25", "the target is another number than '25'"),
    ("25 = 5*5", "other target", 0, "25", "the target is another number than '25'"),
    ("24=3*8=25", "other target", 7, "25", "the target is another number than '25'"),
    ("24=25", "other target", 3, "25", "the target is another number than '25'"),
    ("24=3*8 lol", "no name", 7, "lol", "only numbers and A J Q K are read, not 'lol'"),
    ("24==3*8", "no number", 3, "=", "a number is missing before '='"),
    ("24=", "unfinished", 3, "", "a number is missing at the end"),
    ("2*12=24=3*8", "unexpected", 7, "=", "nothing may stand here any more: '='"),
    ("8/0", "division by zero", 2, "0", "this divides by zero: '0'"),
    ("8/ (3-3) +1", "division by zero", 3, "(3-3)", "this divides by zero: '(3-3)'"),
    ("1/(1/2-2/4)", "division by zero", 2, "(1/2-2/4)", "this divides by zero: '(1/2-2/4)'"),
]


@pytest.mark.parametrize(("text", "written", "value"), READ)
def test_parse_reads_text(text: str, written: str, value: Fraction) -> None:
    expression = parse(text)
    assert (str(expression), expression.value) == (written, value)


@pytest.mark.parametrize(("text", "reason", "position", "fragment", "message"), REFUSED)
def test_parse_refuses_text_with_reason_and_position(
    text: str, reason: str, position: int, fragment: str, message: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    error = caught.value
    assert (error.reason, error.position, error.fragment) == (reason, position, fragment)
    assert error.message == message
    assert str(error) == f"{message} (at character {position + 1})"


def test_texts_at_the_limits_are_read() -> None:
    assert parse("1+" * 31 + "1 ").numbers == (1,) * 32
    assert parse("(" * 16 + "1" + ")" * 16).value == 1
    assert parse("123456789").value == 123456789
    assert parse("1" + " " * 255).value == 1


def test_other_target_may_stand_at_either_end() -> None:
    assert parse("7*25=175", target=175).value == 175
    assert parse("175=7*25", target=175).value == 175
    assert parse("K=A+Q", target=13).value == 13


@given(st.text() | st.text(alphabet="0123456789+-*/()=AJQKx×÷ .−（）", max_size=80))
def test_any_text_is_read_or_refused_with_position(text: str) -> None:
    try:
        expression = parse(text)
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
    else:
        assert parse(str(expression)) == expression


@pytest.mark.parametrize("text", ["(" * 5_000_000, "1+" * 2_000_000, "9" * 3_000_000, "é" * 1_000_000])
def test_huge_text_is_refused_within_5_ms(text: str) -> None:
    start = time.thread_time()  # without other work of the machine
    with pytest.raises(
        ExpressionError, match=r"^the text is longer than 256 characters \(at character 257\)$"
    ):
        parse(text)
    assert time.thread_time() - start < 0.005


def make_unicode_text(rng: random.Random) -> str:
    """Return random characters of Unicode."""
    return "".join(chr(rng.randrange(0xD800)) for _ in range(rng.randrange(30)))


def make_random_signs(rng: random.Random) -> str:
    """Return characters of expressions in random order."""
    return "".join(rng.choices("0123456789AJQK+-*/()=x×÷−（）[]{} .", k=rng.randrange(40)))


def make_expression(rng: random.Random, depth: int = 4) -> str:
    """Return a random expression, sometimes with a character missing."""
    if not depth or rng.random() < 0.3:
        return str(rng.randrange(14))
    left, right = make_expression(rng, depth - 1), make_expression(rng, depth - 1)
    text = f"({left}{rng.choice('+-*/×÷')}{right})"
    slip = rng.randrange(len(text))
    return text if rng.random() < 0.9 else text[:slip] + text[slip + 1 :]


def make_hostile_text(rng: random.Random) -> str:
    """Return a text of the greatest length, of a kind that is slow to read."""
    piece = rng.choice(
        ["(", "1/(", "999999999*", "((1+1)", "1-(1-", "9/9/", "𝟙", "\u0661", "=24", "\x00", "e\u0301"]
    )
    return (piece * 256)[: rng.randrange(258)] + rng.choice(["", "1", "0", ")" * 20])


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [make_unicode_text, make_random_signs, make_expression, make_hostile_text])
def test_quarter_of_a_million_texts_are_read_in_time(kind: Callable[[random.Random], str]) -> None:
    rng = random.Random(kind.__name__)
    slow = [text for text in (kind(rng) for _ in range(250_000)) if not is_read_in_time(text)]
    # Other work of the machine may delay a text once, but hardly five times.
    assert not [text for text in slow if not any(is_read_in_time(text) for _ in range(5))]


def is_read_in_time(text: str) -> bool:
    start = time.thread_time()
    try:
        expression = parse(text)
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
        assert str(error) == f"{error.message} (at character {error.position + 1})"  # noqa: PT017
    else:
        assert isinstance(check(text, expression.numbers), Correct | WrongValue)
    return time.thread_time() - start < 0.005
