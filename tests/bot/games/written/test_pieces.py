"""Where an expression is found in a text, and what it tells of a hand."""

import time
from fractions import Fraction

import pytest

import solver
from bot.games.twentyfour.cover import question, tells
from bot.games.written.pieces import MOST_READ, expressions, likely

HAND = question((3, 8, 3, 8), 24)
LONGEST = {
    "many lines": "\n".join(f"1+{i}+1" for i in range(600)),
    "many words": " a ".join(f"{i % 97}+{i % 89}" for i in range(600)),
    "long sums": "\n".join("8+3+8+3+" + "+".join(str(n * k % 13) for n in range(27)) for k in range(1, 60)),
    "longer ones": "\n".join(f"8+3*8+3-{i}*{i}+{i}" for i in range(1, 400)),
    "nothing but signs": "1+" * 2048,
    "brackets": "(" * 4096,
    "spaces": "1" + " " * 4090 + "1",
    "another script": "٨+" * 2048,
    "fractions": r"\frac{1}{2} " * 340,
    "unfinished fractions": r"\frac{" * 680,
}


def test_the_likeliest_places_are_read_first() -> None:
    text = "\n".join(f"1+{i}+1" for i in range(200)) + "\n8/(3-8/3)"
    assert len(likely(text)) > MOST_READ
    assert next(expressions(text, HAND.numbers)) == solver.parse("8/(3-8/3)")


@pytest.mark.parametrize("text", ["1,000+8", "see you at 8", "1,000.50 - no", "a 3 b 8", "8.05"])
def test_what_is_no_expression_of_the_hand(text: str) -> None:
    assert not any(tells(written, HAND) for written in expressions(text, HAND.numbers))


@pytest.mark.parametrize(
    ("text", "all_of_it", "partly"),
    [
        ("8/(3-8/3)", True, True),
        ("8/(8/3-3)", True, True),
        ("8/(3-8/3)+0", True, True),
        ("1+2+3+4+5+8/(3-8/3)", True, True),
        ("16/(6-16/3)", True, True),
        ("8/(3-8/(6/2))", True, True),
        ("3-8/3", False, True),
        ("8*(3-8/3)", False, False),
        ("3*8+3-8", False, False),
        ("(8-3)*(8-3)-1", False, False),
        ("8/3", False, False),
    ],
)
def test_what_an_expression_tells(text: str, all_of_it: bool, partly: bool) -> None:
    written = solver.parse(text)
    assert tells(written, HAND, partly=False) is all_of_it
    assert tells(written, HAND) is partly
    assert tells(written, question((3, 8, 3, 9), Fraction(24))) is False


@pytest.mark.parametrize("name", LONGEST)
def test_of_the_longest_message_so_much_is_read(name: str) -> None:
    """What bounds its time, a few milliseconds, is how many places are read; the time is shown with `-s`."""
    text = LONGEST[name][:4096]
    before = time.process_time()
    read = list(expressions(text, HAND.numbers))
    found = sum(tells(written, HAND, deep=n < 2) for n, written in enumerate(read))
    took = time.process_time() - before
    print(f"{name}: {len(read)} read, {found} tell, in {took * 1000:.1f} ms")
    assert len(read) <= MOST_READ
