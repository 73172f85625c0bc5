"""Where in a text others may see an expression: more places than `reading` takes for an answer."""

import re
from collections import Counter
from collections.abc import Collection, Iterator

import solver
from bot.games.written.spelling import plain

RUN = re.compile(r"[\s0-9AJQKajqk+\-−–*×·xX/÷:()\[\]{}（）＋－＊／０-９]{3,}")
"""What an expression in the middle of a sentence is made of."""
EDGES = " \t\n:-−–"
LETTERS = "AJQKajqkxX"
"""Ends of words that a run begins or ends with, unless they are cards."""
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
    found = dict.fromkeys(piece for piece in _all_pieces(plain(text)) if len(piece) <= LONGEST)
    return [piece for piece in found if SIGNED.search(piece)]


def _lacking(piece: str, hand: Collection[int]) -> int:
    """How many numbers of the hand don't stand there."""
    there = Counter(solver.CARDS.get(n) or int(n[:LONGEST]) for n in NUMBERS.findall(piece.upper()))
    return (Counter(hand) - there).total()


def _all_pieces(text: str) -> Iterator[str]:
    """The whole, each line, each run of what expressions are made of, and each run's lines.

    These are without the words' ends and the brackets that stand around them. No sign stands between two
    numbers with a space between them: there a line falls in two.
    """
    yield text
    yield from text.splitlines()
    for run in RUN.findall(text):
        yield run.strip(EDGES)
        for line in run.splitlines():
            for part in (line, *APART.split(line), LABEL.sub("", line)):
                bare = part.strip(EDGES + LETTERS + "/")
                yield bare
                surplus = bare.count(")") - bare.count("(")
                if surplus:
                    cut = ")" * surplus if surplus > 0 else "(" * -surplus
                    yield bare.removesuffix(cut) if surplus > 0 else bare.removeprefix(cut)
