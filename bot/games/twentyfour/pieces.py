"""Where in a text an expression may be. Nothing here knows a hand."""

import re
from collections import Counter
from collections.abc import Collection, Iterator

import solver

RUN = re.compile(r"[\s0-9AJQKajqk+\-−–*×·xX/÷:()\[\]{}（）＋－＊／０-９]{3,}")
"""What an expression in the middle of a sentence is made of."""
EDGES = " \t\n:-−–"
LETTERS = "AJQKajqkxX"
"""Ends of words that a run begins or ends with, unless they are cards."""
MOST_PIECES = 300
"""Places in a text that are tried; thousands of short lines must not take longer than one long one."""

MOST_READ = 60
"""Places that look like an expression and are read, where each message is looked through."""
SIGNED = re.compile(r"[0-9AJQKajqk０-９)\]}）]\s*[+\-−–*×·xX/÷:＋－＊／]")
"""What stands in every expression: a number or a bracket, and a sign behind it."""
LONGEST = 256
"""Characters of an expression."""
NUMBERS = re.compile(r"[0-9]+|[AJQK]")
APART = re.compile(r"(?<=[0-9AJQKajqk)\]}])[ \t]+(?=[0-9AJQKajqk(\[{])")
"""Between what can't be one expression: `1) 8/3`, `12:30 8/3`."""
LABEL = re.compile(r"^\s*[0-9]+[:/.)-]+\s+")
"""A number before a line of a list, and a sign that means nothing there."""
SPELLINGS = str.maketrans(
    {**dict.fromkeys("⁄∕➗", "/"), **dict.fromkeys("∗∙⋅•✕✖✗⨯", "*"), **dict.fromkeys("‐‑‒—﹣➖", "-")}
    | {"➕": "+", "［": "[", "］": "]", "｛": "{", "｝": "}"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f")
)
"""What the solver reads as well, and what is nothing to the eye."""
DIGIT = re.compile(r"\d")
"""Of any script."""
ZEROS = re.compile(r"(?<=[0-9])[.,]0{1,2}(?![0-9])")
"""`8.0` is 8."""
NESTED = 3
"""Fractions in fractions that are looked into."""
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]{1,99})\}\s*\{([^{}]{1,99})\}")
COMMANDS = re.compile(r"\\([A-Za-z]{1,9})")
MEANT = {"cdot": "*", "times": "*", "div": "/"}


def pieces(text: str) -> Iterator[str]:
    """Where an expression may be, without its result: the whole, each line, each run of its characters."""
    yield _without_result(text)
    for line in text.splitlines():
        yield _without_result(line)
    for run in RUN.findall(text):
        yield run.strip(EDGES)


def expressions(text: str, hand: Collection[int] = ()) -> Iterator[solver.Expression]:
    """What can be read as an expression with a sign in the text, in `MOST_READ` of the likely places.

    First those in which the numbers of `hand` stand, or all but a few. What the solver reads as no answer and
    people do is read here: `8.0`, digits of any script, `\\frac{8}{3}`.
    """
    places = likely(text)
    if hand and len(places) > 1:
        places.sort(key=lambda piece: _lacking(piece, hand))
    for piece in places[:MOST_READ]:
        try:
            expression = solver.parse(piece)
        except solver.ExpressionError:
            continue
        if expression.op:
            yield expression


def likely(text: str) -> list[str]:
    """The places in a text that look like an expression, each once."""
    found = dict.fromkeys(piece for piece in _all_pieces(_plain(text)) if len(piece) <= LONGEST)
    return [piece for piece in found if SIGNED.search(piece)]


def _lacking(piece: str, hand: Collection[int]) -> int:
    """How many numbers of the hand don't stand there."""
    there = Counter(solver.CARDS.get(n) or int(n[:LONGEST]) for n in NUMBERS.findall(piece.upper()))
    return (Counter(hand) - there).total()


def _plain(text: str) -> str:
    """The text in the signs that are looked for."""
    if not text.isascii():
        text = DIGIT.sub(lambda digit: str(int(digit[0])), text.translate(SPELLINGS))
    if "\\" in text:
        for _ in range(NESTED):
            text = FRACTION.sub(r"((\1)/(\2))", text)
        text = COMMANDS.sub(lambda command: MEANT.get(command[1], ""), text)
    return ZEROS.sub("", text)


def _all_pieces(text: str) -> Iterator[str]:
    """As `pieces`, and each run's lines, without the words' ends and the brackets that stand around it.

    No sign stands between two numbers with a space between them: there a line falls in two.
    """
    yield from pieces(text)
    for run in RUN.findall(text):
        for line in run.splitlines():
            for part in (line, *APART.split(line), LABEL.sub("", line)):
                bare = part.strip(EDGES + LETTERS + "/")
                yield bare
                surplus = bare.count(")") - bare.count("(")
                if surplus:
                    cut = ")" * surplus if surplus > 0 else "(" * -surplus
                    yield bare.removesuffix(cut) if surplus > 0 else bare.removeprefix(cut)


def _without_result(text: str) -> str:
    """`8/(3-8/3) = 24` asks for the steps of what stands before the sign, whatever the target is here."""
    expression, equals, result = text.replace("＝", "=").partition("=")
    return expression if equals and re.fullmatch(r"[\s0-9−\-/]*[?？!]*", result.rstrip()) else text
