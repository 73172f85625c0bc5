"""The one reader of what people write: which expressions stand in a text, and which of them is an answer.

People dress their answers: `24 = 8/(3-8/3)!`, `Answer: 8÷(3－8÷3) 😀`, `8*3-8/3 or 8/(3-8/3)?`. So a text is
searched for the longest expressions in it, whatever stands around them, and is read

- as it is;
- without labels, since a colon divides as well: `Try 2: 8/(3-8/3)`;
- with its lines joined;
- with the sign that nobody writes before a bracket: `4(1+2+3)`;
- without a label that touches what it labels: `1.8/(3-8/3)`.

A *try* is an expression made of exactly the numbers that were dealt. Up to `MOST_TRIES` of a text count, and
the first right one of these; where none is right, the first is what its author is told about. Steps written
out (`3-8/3 = 1/3, 8/(1/3) = 24`) are a try as well; see `steps`.

Without a try, a text is an answer only if it clearly is meant as one (`is_clear`); anything else is *talk*.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import solver
from bot.games.twentyfour import spelling
from bot.games.twentyfour.scan import Found, Scan
from bot.games.twentyfour.steps import MOST_STEPS, Step, wholes

LONGEST = 512
"""Characters of a text that are searched."""
MOST_TRIES = 3
MOST_FOUND = 12
"""Expressions of other numbers that are read in a text."""
FEWEST = 3
"""Numbers of an expression among words that may be an answer."""
SIGNED = re.compile(
    r"[\dAJQKajqkＡＪＱＫ⃣️)\]}）］】]\s*[-+*/:＋﹢➕−－–—‐‑‒﹣➖×·xXхХ＊∗∙⋅•✕✖✗ｘＸ⨯・÷／：∕⁄➗]"
)
"""What stands in most expressions: a number or a bracket, and a sign behind it."""


BROKEN_LINE = re.compile(r"[-+*/(\[{][^\S\n]*\n|\n\s*[-+*/)\]}]")
"""A line that ends, or one that begins, in the midst of an expression."""


def _scans(text: str) -> Iterator[Scan]:
    """The ways to read a text, the plainest first."""
    whole = spelling.written(text[:LONGEST])
    base = spelling.blanked(whole)
    yield Scan(base)
    bare = spelling.blanked(spelling.without_labels(whole))
    if bare != base:
        yield Scan(bare)
    if BROKEN_LINE.search(base):
        yield Scan(base, joined=True)
    for other in (spelling.multiplied(bare), spelling.unnumbered(bare)):
        if other != bare:
            yield Scan(other)


Try = tuple[solver.Expression, Found | None]
"""What was tried, and where it stands; steps written out stand nowhere in one piece."""


def tries(text: str, numbers: Sequence[int]) -> list[Try]:
    """The expressions of exactly these numbers, up to `MOST_TRIES`."""
    dealt, read = Counter(numbers), dict[str, Try]()
    for scan in _scans(text):
        found = list(scan.found())
        for place in (f for f in found if not f.broken and Counter(f.numbers) == dealt):
            if (expression := place.expression()) is not None:
                read.setdefault(str(expression), (expression, place))
            if len(read) == MOST_TRIES:
                return list(read.values())
        if not scan.joined:  # steps stand on lines of their own
            read |= {str(e): (e, None) for e in wholes(_steps(found), numbers) if str(e) not in read}
    return list(read.values())[:MOST_TRIES]


def _steps(found: Sequence[Found]) -> list[Step]:
    """The places as steps of a calculation."""
    read = ((f, f.expression()) for f in found[:MOST_STEPS] if not f.broken)
    return [Step(expression, given=f.equated) for f, expression in read if expression is not None]


def right(text: str, numbers: Sequence[int], target: int) -> solver.Expression | None:
    """The first right answer in a text that counts."""
    return _right(tries(text, numbers), target)


def _right(made: Sequence[Try], target: int) -> solver.Expression | None:
    return next((e for e, place in made if e.value == target and not _other(place, target)), None)


def _other(place: Found | None, target: int) -> bool:
    """Whether its author says that it makes something else."""
    return place is not None and place.claimed not in (None, target)


def judge(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    """The verdict on a text as an answer, and whether it is one at all rather than talk."""
    made = tries(text, numbers)
    if not made:
        return _without_a_try(text, numbers, target)
    if (answer := _right(made, target)) is not None:
        return solver.Correct(answer), True
    words = spelling.has_words(spelling.written(text[:LONGEST]))
    for expression, place in made:
        if not _other(place, target):
            date = place is not None and place.is_date
            return solver.WrongValue(expression.value, expression), not (date and words)
    return _of_another_target(made[0], numbers, target), not words


def _of_another_target(said: Try, numbers: Sequence[int], target: int) -> solver.Verdict:
    """The verdict on a try whose author says that it makes something else."""
    expression, place = said
    claimed = place.claimed.numerator if place and place.claimed else 0
    return solver.check(f"{expression}={abs(claimed)}", numbers, target)


def _without_a_try(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    whole = spelling.written(text[:LONGEST])
    scan = Scan(spelling.blanked(spelling.without_faces(whole)))
    found = list(islice(scan.found(), MOST_FOUND))
    clear = _is_clear(scan, found, numbers, words=spelling.has_words(whole))
    if found and not found[0].broken:
        return solver.check(found[0].text, numbers, target), clear
    return solver.check(scan.run() if clear and len(text) <= LONGEST else text, numbers, target), clear


def _is_clear(scan: Scan, found: Sequence[Found], numbers: Sequence[int], *, words: bool) -> bool:
    """Whether a text without a try is meant as an answer: an expression of its own, or none too short."""
    if any(len(f.numbers) >= FEWEST and not f.is_date for f in found):
        return True
    if words:
        return False
    if found:
        dealt = Counter(numbers)
        return any(not f.is_date or not Counter(f.numbers) - dealt for f in found)
    operands = sum(token.kind in ("number", "decimal") for token in scan.tokens)
    return operands > 1 and any(token.kind in ("sign", "beyond") for token in scan.tokens)


# Without a hand in mind


def is_answer(text: str) -> bool:
    """Whether a text is an expression with a sign, and no word beside it."""
    if len(text) > LONGEST or not SIGNED.search(text):
        return False
    scan = next(_scans(text))
    return next(scan.found(), None) is not None and not spelling.has_words(spelling.written(text))


def may_solve(text: str) -> bool:
    """Whether a right answer to some hand may stand among the words of a text."""
    if not SIGNED.search(text):
        return False
    for scan in _scans(text):
        found = list(scan.found())
        if any(len(f.numbers) >= FEWEST and not f.is_date for f in found):
            return True
        if sum(f.equated for f in found) > 1:
            return True
    return False


def first(text: str) -> "solver.Expression | solver.Working | solver.ExpressionError":
    """The first computation in a text, maybe with signs and decimals; else what is wrong with the text."""
    whole = spelling.written(text[:LONGEST])
    alone = _computed(spelling.blanked(whole).strip())
    if isinstance(alone, solver.ExpressionError) and alone.reason == "unclosed":
        return alone
    for said in (whole, spelling.without_labels(whole), spelling.multiplied(whole)):
        for place in islice(Scan(spelling.blanked(said), signed=True).found(), MOST_FOUND):
            if place.broken:
                break
            return _computed(place.text)
    trouble = _computed(text.strip())
    return trouble if isinstance(trouble, solver.ExpressionError) else _no_sign(text)


def _no_sign(text: str) -> solver.ExpressionError:
    return solver.ExpressionError("no operator", 0, text.strip()[:20])


def _computed(text: str) -> "solver.Expression | solver.Working | solver.ExpressionError":
    """What a text alone says."""
    try:
        return solver.parse(text)
    except solver.ExpressionError:
        try:
            return solver.work_out(text)
        except solver.ExpressionError as error:
            return error
