"""Where in a text an expression may be. Nothing here knows a hand."""

import re
from collections.abc import Iterator
from itertools import islice

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


def pieces(text: str) -> Iterator[str]:
    """Where an expression may be, without its result: the whole, each line, each run of its characters."""
    yield _without_result(text)
    for line in text.splitlines():
        yield _without_result(line)
    for run in RUN.findall(text):
        yield run.strip(EDGES)


def expressions(text: str) -> Iterator[solver.Expression]:
    """What can be read as an expression with a sign in the text, in the first `MOST_READ` places."""
    likely = dict.fromkeys(piece for piece in _all_pieces(text) if SIGNED.search(piece))
    for piece in islice(likely, MOST_READ):
        try:
            expression = solver.parse(piece)
        except solver.ExpressionError:
            continue
        if expression.op:
            yield expression


def _all_pieces(text: str) -> Iterator[str]:
    """As `pieces`, and each run's lines, without the words' ends and the brackets that stand around it."""
    yield from pieces(text)
    for run in RUN.findall(text):
        for line in run.splitlines():
            bare = line.strip(EDGES + LETTERS)
            yield bare
            surplus = bare.count(")") - bare.count("(")
            if surplus:
                yield bare.removesuffix(")" * surplus) if surplus > 0 else bare.removeprefix("(" * -surplus)


def _without_result(text: str) -> str:
    """`8/(3-8/3) = 24` asks for the steps of what stands before the sign, whatever the target is here."""
    expression, equals, result = text.replace("＝", "=").partition("=")
    return expression if equals and re.fullmatch(r"[\s0-9−\-/]*[?？!]*", result.rstrip()) else text
