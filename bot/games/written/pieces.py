"""Where in a text others may see an expression: more places than `reading` takes for an answer."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import solver
from bot.games.written.spelling import NUMBERS, dressed, plain

RUN = re.compile(r"[\s0-9AJQKajqk+\-−–*×·xX/÷:()\[\]{}（）＋－＊／０-９]{3,}")
"""What an expression in the middle of a sentence is made of."""
EDGES = " \t\n:-−–"
LETTERS = "AJQKajqkxX"
"""Ends of words that a run begins or ends with, unless they are cards."""
MOST_READ = 60
"""Places that look like an expression and are read, where each message is looked through."""
SIGNED = re.compile(r"[0-9AJQKajqk０-９)\]}）]\s*[+\-−–*×·xX/÷:＋－＊／]")
"""What stands in every expression: a number or a bracket, and a sign behind it."""
FOREIGN = re.compile(r"[^\W\d_AJQKajqkxXхХ²³¹⁰⁴-⁹]")
"""A letter that stands in no expression."""
LONGEST = 256
"""Characters of an expression."""
APART = re.compile(r"(?<=[0-9AJQKajqk)\]}])[ \t]+(?=[0-9AJQKajqk(\[{])")
"""Between what can't be one expression: `1) 8/3`, `12:30 8/3`."""
DOUBLED = re.compile(r"/\s*/")
PLUS = re.compile(r"(?:^|(?<=[-+*/(\[{×÷]))\s*\+")
"""Before a number, where it changes nothing."""
CLOSES = {"(": ")", "[": "]", "{": "}"}
LABEL = re.compile(r"^\s*[0-9]+[:/.)-]+\s+")
"""A number before a line of a list, and a sign that means nothing there."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places in a text that look like an expression, each once."""

    likely: list[str]
    long: list[str]
    """Those that are too long to be read."""


def expressions(text: str, hand: Collection[int] = ()) -> Iterator[solver.Expression]:
    """What can be read as an expression with a sign in the text, in `MOST_READ` of the likely places.

    What the solver reads as no answer and people do is read here: `8.0`, digits of any script,
    `\\frac{8}{3}`, `8 over 3`.
    """
    return read(places(text, hand))


def read(found: Places) -> Iterator[solver.Expression]:
    """The expressions with a sign in the first `MOST_READ` of the likely places."""
    for piece in found.likely[:MOST_READ]:
        for way in dict.fromkeys((piece, _mended(piece))):
            try:
                expression = solver.parse(way)
            except solver.ExpressionError:
                continue
            if expression.op:
                yield expression
            break


def _mended(piece: str) -> str:
    """The piece as people read it on: `8//(+3-8//3` is `8/(3-8/3)` to everybody."""
    mended = PLUS.sub("", DOUBLED.sub("/", piece))
    return mended + "".join(CLOSES[bracket] for bracket in reversed(_open(mended)))


def _open(text: str) -> list[str]:
    """The brackets that are never closed."""
    opened: list[str] = []
    for c in text:
        if c in CLOSES:
            opened.append(c)
        elif opened and c == CLOSES[opened[-1]]:
            opened.pop()
    return opened


def hides(found: Places, hand: Collection[int], fewest: int | None) -> bool:
    """Whether one of the places for `hand` is left unread that has all its numbers, or `fewest` of whatever
    kind; None counts no others.
    """
    left = found.likely[MOST_READ:]
    if left and (not _lacking(left[0], hand) or any(_has(piece, fewest) for piece in left)):
        return True
    return any(not _lacking(piece, hand) for piece in found.long)


def _has(piece: str, fewest: int | None) -> bool:
    return fewest is not None and len(NUMBERS.findall(piece.upper())) >= fewest


def likely(text: str) -> list[str]:
    """The places in a text that look like an expression and can be read as one."""
    return places(text).likely


def places(text: str, hand: Collection[int] = ()) -> Places:
    """All of them, first those in which the numbers of `hand` stand, or all but a few."""
    spelled = plain(dressed(text, None))
    runs = RUN.findall(spelled)
    parts = [part for run in runs for part in _in_run(run)]
    short = [spelled, *spelled.splitlines(), *(run.strip(EDGES) for run in runs), *parts]
    likely = [piece for piece in dict.fromkeys(short) if len(piece) <= LONGEST and _is_likely(piece)]
    if hand and len(likely) > 1:
        likely.sort(key=lambda piece: _lacking(piece, hand))
    long = [part for part in parts if len(part) > LONGEST and SIGNED.search(part)]
    return Places(likely, [part for part in long if not APART.search(part)])


def _is_likely(piece: str) -> bool:
    return SIGNED.search(piece) is not None and not FOREIGN.search(piece)


def _lacking(piece: str, hand: Collection[int]) -> int:
    """How many numbers of the hand don't stand there."""
    lacking = list(hand)
    for figure in NUMBERS.findall(piece.upper()):
        number = solver.CARDS.get(figure) or int(figure[:LONGEST])
        if number in lacking:
            lacking.remove(number)
    return len(lacking)


def _in_run(run: str) -> Iterator[str]:
    """A run's lines, without the words' ends and the brackets that stand around them.

    No sign stands between two numbers with a space between them: there a line falls in two.
    """
    for line in filter(SIGNED.search, run.splitlines()):
        for part in (line, *APART.split(line), LABEL.sub("", line)):
            bare = part.strip(EDGES + LETTERS + "/")
            yield bare
            surplus = bare.count(")") - bare.count("(")
            if surplus:
                cut = ")" * surplus if surplus > 0 else "(" * -surplus
                yield bare.removesuffix(cut) if surplus > 0 else bare.removeprefix(cut)
