"""The one reader of what people write: which expressions stand in a text, and which of them is an answer.

People dress their answers: `24 = 8/(3-8/3)!`, `Answer: 8÷(3－8÷3) 😀`, `8*3-8/3 or 8/(3-8/3)?`. So a text is
searched for the longest expressions in it, whatever stands around them, and is read

- as it is;
- without labels, since a colon divides as well: `Try 2: 8/(3-8/3)`;
- with its lines joined;
- with the sign that nobody writes before a bracket: `4(1+2+3)`;
- without a label that touches what it labels: `1.8/(3-8/3)`;
- in signs, where it is dressed otherwise: `8 over (3 minus 8 over 3)`, `⑧/(③-⑧/③)`, `—8/(3-8/3)`.

A fraction in one sign is the two numbers that it shows: `½` is `(1/2)`, and `1½` or `1 ½` is `(1+1/2)`;
where no sign and no bracket stands beside it, it is an amount: `1½ hours`. An emoji that an app put for signs
is read as these: `(4 + 😍 * 2 * 1` is `(4 + 8) * 2 * 1`.

A *try* is an expression made of exactly the numbers that were dealt (or, in a game in which some may be
left out, of some of them). Up to `MOST_TRIES` of a text count, and the first right one of these; where none
is right, the first is what its author is told about. Steps written out (`3-8/3 = 1/3, 8/(1/3) = 24`) are a
try as well; see `steps`.

Without a try, a text is an answer only if it clearly is meant as one (`_is_clear`); anything else is *talk*.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise, takewhile

import solver
from bot.games.expressions import spelling
from bot.games.expressions.scanner import ExpressionSpan, ScannedText
from bot.games.expressions.spelling import normalize_spelling

MOST_NUMBERS = 4  # Of one step
MOST_WAYS = 4  # Ways to understand one part that are followed
MAX_STEPS = 8


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """One line of a calculation."""

    expression: solver.Expression
    has_result: bool  # Whether its result is written behind it, so that another step may go on with that
    # Whether its result is written before it, so that it may explain what another step has.
    is_named: bool = False


# What earlier steps made, and how, at most so many ways for each.
Known = list[tuple[Fraction, list[solver.Expression]]]


def combine_steps(
    steps: Sequence[WrittenStep], numbers: Sequence[int], *, use_all: bool = True
) -> Iterator[solver.Expression]:
    """What the steps mean that use exactly these numbers, of more than one step; the last ones first.

    Not `every`: what they mean that uses some of them.
    """
    short = [step for step in steps if len(step.expression.numbers) <= MOST_NUMBERS][:MAX_STEPS]
    if len(short) < 2:
        return
    if any(step.has_result for step in short):
        yield from reversed(_combine_in_order(short, Counter(numbers), every=use_all))
    if any(step.is_named for step in short):
        yield from reversed(_combine_in_order(short[::-1], Counter(numbers), every=use_all))


def _combine_in_order(
    steps: Sequence[WrittenStep], dealt: Counter[int], *, every: bool
) -> list[solver.Expression]:
    """The wholes that the steps come to, one after the other."""
    known, made = Known(), list[solver.Expression]()
    for step in steps:
        ways = _list_meanings(step.expression, known, dealt)
        made += [e for e in ways if e != step.expression and (not every or Counter(e.numbers) == dealt)]
        if (step.has_result or step.is_named) and ways:
            known.append((step.expression.value, ways))
    return made


def _list_meanings(part: solver.Expression, known: Known, dealt: Counter[int]) -> list[solver.Expression]:
    """How the part can be understood with no number that wasn't dealt."""
    value = part.value
    found = [way for made, ways in known if made == value for way in ways]
    if not part.op:
        return [*([part] if part.number in dealt else []), *found][:MOST_WAYS]
    lefts, rights = _list_meanings(part.left, known, dealt), _list_meanings(part.right, known, dealt)
    joined = (solver.Expression.join(part.op, one, other) for one in lefts for other in rights)
    return [*(e for e in joined if not Counter(e.numbers) - dealt), *found][:MOST_WAYS]


MAX_LENGTH = 512  # Characters of a text that are searched
MOST_TRIES = 3
MOST_FOUND = 12  # Expressions of other numbers that are read in a text
FEWEST = 3  # Numbers of an expression among words that may be an answer
# What stands in most expressions: a number or a bracket, and a sign behind it.
SIGNED = re.compile(
    r"[\dAJQKajqkＡＪＱＫ⃣️♠-♧⓪①-⑳❶-➓¼½¾⅐-⅞)\]}）］】]\s*[-+*/:∶＋﹢➕−－–—‐‑‒﹣➖×·xXхХ＊∗∙⋅•✕✖✗ｘＸ⨯・÷／：∕⁄➗]"
)


# A line that ends, or one that begins, in the midst of an expression.
BROKEN_LINE = re.compile(r"[-+*/(\[{][^\S\n]*\n|\n[^\S\n]*[-+*/)\]}]")


def _has_sign(text: str) -> bool:
    """Whether a sign, or a word for one, stands behind a number or a bracket."""
    return SIGNED.search(text) is not None or spelling.SPOKEN_SIGN.search(text) is not None


def _scans(text: str, target: int | None = None, needed: Sequence[int] = ()) -> Iterator[ScannedText]:
    """The ways to read a text, the plainest first, each once: those in which all `needed` numbers stand."""
    seen, wanted = set[tuple[str, bool]](), Counter(needed)
    for way, joined in _ways(text[:MAX_LENGTH], target):
        if (way, joined) not in seen and not (wanted and wanted - _numbers(way)):
            yield ScannedText(way, joined=joined)
        seen.add((way, joined))


def _numbers(text: str) -> Counter[int]:
    """The numbers in a text, and perhaps more: parts of decimals as well."""
    return Counter(solver.CARDS.get(figure) or int(figure) for figure in spelling.NUMBER.findall(text))


def _ways(text: str, target: int | None) -> Iterator[tuple[str, bool]]:
    """The text in the signs that are looked for, and whether its lines are joined."""
    whole = spelling.strip_addresses(text)
    base = spelling.blank_words(whole)
    yield base, False
    bare = spelling.blank_words(spelling.strip_labels(whole))
    yield bare, False
    if BROKEN_LINE.search(base):
        yield base, True
    yield spelling.insert_multiplications(spelling.strip_list_numbers(bare)), False
    dressed = spelling.translate_spoken_signs(text, target)
    if dressed != text:
        whole = spelling.strip_addresses(dressed)
        yield spelling.blank_words(whole), False
        bare = spelling.strip_list_numbers(spelling.blank_words(spelling.strip_labels(whole)))
        yield spelling.insert_multiplications(bare), False
    if (meant := spelling.restore_emoji_signs(text)) != text:
        yield from _ways(meant, target)


# What was tried, and where it stands; steps written out stand nowhere in one piece.
Try = tuple[solver.Expression, ExpressionSpan | None]


def find_attempts(
    text: str, numbers: Sequence[int], target: int | None = None, *, use_all: bool = True
) -> list[Try]:
    """The expressions of exactly these numbers, or (not `every`) of some of them, up to `MOST_TRIES`."""
    dealt, read, seen = Counter(numbers), dict[str, Try](), set[str]()
    most = MOST_TRIES if use_all else MOST_FOUND
    for scan in _scans(text, target, numbers if use_all else ()):
        found = list(scan.find_expressions())
        for place in (f for f in found if _is_made_of(f, dealt, every=use_all) and not f.is_broken):
            if place.text in seen:
                continue
            seen.add(place.text)
            if (expression := place.parse()) is not None:
                read.setdefault(str(expression), (expression, place))
            if len(read) == most:
                return list(read.values())
        known = "\n".join(f"{f.text} {f.has_equals_behind} {f.named_value}" for f in found[:MAX_STEPS])
        if not scan.joined and known not in seen:  # steps stand on lines of their own
            made = combine_steps(_steps(found), numbers, use_all=use_all)
            read |= {str(e): (e, None) for e in made if str(e) not in read}
            seen.add(known)
    return list(read.values())[:most]


def _is_made_of(place: ExpressionSpan, dealt: Counter[int], *, every: bool) -> bool:
    """Whether the dealt numbers stand there, `every` one of them or some."""
    if place.number_count > dealt.total() or (every and place.number_count < dealt.total()):
        return False
    return not Counter(place.numbers) - dealt


def _steps(found: Sequence[ExpressionSpan]) -> list[WrittenStep]:
    """The places as steps of a calculation."""
    read = ((f, f.parse()) for f in found[:MAX_STEPS] if not f.is_broken)
    return [
        WrittenStep(e, has_result=f.has_equals_behind, is_named=f.named_value == e.value)
        for f, e in read
        if e is not None
    ]


def _right(made: Sequence[Try], target: int) -> solver.Expression | None:
    return next((e for e, place in made if e.value == target and not _other(place, target)), None)


def _other(place: ExpressionSpan | None, target: int) -> bool:
    """Whether its author says that it makes something else."""
    return place is not None and place.claimed_value not in (None, target)


def judge_answer(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    """The verdict on a text as an answer, and whether it is one at all rather than talk."""
    made = find_attempts(text, numbers, target)
    if not made:
        return _without_a_try(text, numbers, target)
    if (answer := _right(made, target)) is not None:
        return solver.Correct(answer), True
    words = spelling.has_words(spelling.strip_addresses(text[:MAX_LENGTH]))
    for expression, place in made:
        if not _other(place, target):
            date = place is not None and place.may_be_date
            return solver.WrongValue(expression.value, expression), not (date and words)
    return _of_another_target(made[0], numbers, target), not words


def _of_another_target(tried: Try, numbers: Sequence[int], target: int) -> solver.Verdict:
    """The verdict on a try whose author says that it makes something else."""
    expression, place = tried
    claimed = place.claimed_value.numerator if place and place.claimed_value else 0
    return solver.check(f"{expression}={abs(claimed)}", numbers, target)


def _without_a_try(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    text = spelling.restore_emoji_signs(text[: MAX_LENGTH + 1])
    whole = spelling.strip_ranges_and_money(spelling.strip_addresses(text[:MAX_LENGTH]))
    scan = ScannedText(spelling.blank_words(spelling.strip_smileys(whole)))
    found = list(islice(scan.find_expressions(), MOST_FOUND))
    words = spelling.has_words(whole)
    clear = _is_clear(scan, found, numbers, words=words)
    if emoji := spelling.find_emoji_amid_signs(whole):
        return solver.check(emoji, numbers, target), clear or not words
    if found and not found[0].is_broken:
        return solver.check(found[0].text, numbers, target), clear
    said = (
        scan.find_longest_run()
        if clear and len(text) <= MAX_LENGTH
        else normalize_spelling(text[:MAX_LENGTH])
    )
    return solver.check(said, numbers, target), clear


def _is_clear(
    scan: ScannedText, found: Sequence[ExpressionSpan], numbers: Sequence[int], *, words: bool
) -> bool:
    """Whether a text without a try is meant as an answer: an expression of its own, or none too short."""
    if any(f.number_count >= FEWEST and not f.may_be_date for f in found):
        return True
    if words:
        return False
    if found:
        dealt = Counter(numbers)
        return any(not f.may_be_date or not Counter(f.numbers) - dealt for f in found)
    kinds = scan.kinds
    operands = kinds.count("number") + kinds.count("decimal")
    joined = any(b == "sign" and a in ("number", "decimal", "close") for a, b in pairwise(kinds))
    return operands > 1 and (joined or "beyond" in kinds)


# Without a hand in mind


def is_answer(text: str) -> bool:
    """Whether a text is an expression with a sign, and no word beside it."""
    text = spelling.restore_emoji_signs(text) if len(text) <= MAX_LENGTH else ""
    if not SIGNED.search(text):
        return False
    scan = next(_scans(text))
    return next(scan.find_expressions(), None) is not None and not spelling.has_words(
        spelling.strip_addresses(text)
    )


LIKE_CARDS = {*solver.CARDS, "X"}  # what stands for a card, and the x between two of them


def looks_like_answer(text: str) -> bool:
    """Whether it may be one at a quick look: a digit, a card and a sign, or no letters but the cards'."""
    if len(text) > MAX_LENGTH:
        return False
    letters = {c for c in text.upper() if c.isalpha()}
    if any(c.isdigit() for c in text) or (bool(letters) and letters <= LIKE_CARDS):
        return True
    return _has_sign(text)


@lru_cache(maxsize=1)  # every game that is answered by expressions asks for each message
def may_hold_answer(text: str) -> bool:
    """Whether a right answer to some hand may stand in a text, also among words."""
    if is_answer(text):
        return True
    if not _has_sign(text):
        return False
    for scan in _scans(text):
        found = list(scan.find_expressions())
        if any(f.number_count >= FEWEST and not f.may_be_date for f in found):
            return True
        if sum(f.has_equals_behind or f.named_value is not None for f in found) > 1:
            return True
    return False


def find_computation(text: str) -> "solver.Expression | solver.Working | solver.ExpressionError":
    """The first computation in a text, maybe with signs and decimals; else what is wrong with the text.

    Dates, times and telephone numbers are none, unless nothing else is said. For an emoji that an app put for
    other signs than can be read back, the error is about that.
    """
    text = spelling.restore_emoji_signs(text[:MAX_LENGTH])
    if emoji := spelling.find_emoji_amid_signs(text):
        return solver.ExpressionError("unknown", 0, emoji)
    whole = spelling.expand_mixed_numbers(spelling.strip_addresses(text))
    alone, words = _computed(spelling.blank_words(whole).strip()), spelling.has_words(whole)
    if isinstance(alone, solver.ExpressionError) and alone.reason == "unclosed":
        return alone
    texts = (spelling.strip_figures(whole), *([] if words else [whole]))
    ways = (
        way
        for one in texts
        for way in (one, spelling.strip_labels(one), spelling.insert_multiplications(one))
    )
    for way in dict.fromkeys(map(spelling.blank_words, ways)):
        place = _first(ScannedText(way, signed=True), words=words)
        if place is not None:
            return alone if place.lacks_sign_before and _lacks_sign(alone) else _computed(place.text)
    trouble = _computed(normalize_spelling(text).strip())
    return trouble if isinstance(trouble, solver.ExpressionError) else _no_sign(text)


def _first(scan: ScannedText, *, words: bool) -> ExpressionSpan | None:
    """The first place that is no date or telephone number; among words, else the first with few numbers."""
    read = list(takewhile(lambda place: not place.is_broken, islice(scan.find_expressions(), MOST_FOUND)))
    meant = (place for place in read if not (place.may_be_date and place.is_flat) or place.has_equals_behind)
    return next(meant, next((place for place in read if not words or place.number_count < FEWEST), None))


def _lacks_sign(read: object) -> bool:
    return isinstance(read, solver.ExpressionError) and read.reason == "no operator"


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
