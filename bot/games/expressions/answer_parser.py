"""Find the expressions in what people write, and decide which of them is an answer.

People decorate their answers: `24 = 8/(3-8/3)!`, `Answer: 8÷(3－8÷3) 😀`, `8*3-8/3 or 8/(3-8/3)?`. So the
longest expressions of a text are found, whatever is written around them. A text is read in several ways:

- as it is;
- without labels, since a colon divides as well: `Try 2: 8/(3-8/3)`;
- with its lines joined;
- with a multiplication before brackets: `4(1+2+3)`;
- without a list number that touches its item: `1.8/(3-8/3)`;
- with other notations replaced by signs: `8 over (3 minus 8 over 3)`, `⑧/(③-⑧/③)`, `—8/(3-8/3)`;
- with emoji replaced by the signs for which an app put them: `(4 + 😍 * 2 * 1` is `(4 + 8) * 2 * 1`.

A fraction in one sign is two numbers: `½` is `(1/2)`, and `1½` or `1 ½` is `(1+1/2)`. With no sign and no
bracket beside it, it is an amount: `1½ hours`.

An *attempt* is an expression made of exactly the numbers that were dealt (or of some of them, in a game in
which some may be left out). The first right one of up to `MAX_ATTEMPTS` counts; if none is right, the author
is told about the first. Steps that are written out (`3-8/3 = 1/3, 8/(1/3) = 24`) are combined to an attempt
as well.

A text without an attempt is an answer only if it is clearly meant as one (`_is_meant_as_answer`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

import solver
from bot.games.expressions import spelling
from bot.games.expressions.scanner import ExpressionSpan, ScannedText

MAX_LENGTH = 512  # Characters of a text that are searched
MAX_ATTEMPTS = 3
MAX_SPANS = 12  # Expressions of a text that are read if they need not have all numbers
MIN_NUMBERS = 3  # Numbers that an expression among words needs to be an answer

# A number or a bracket with a sign after it, as most expressions have it.
SIGNED = re.compile(
    r"[\dAJQKajqkＡＪＱＫ⃣️♠-♧⓪①-⑳❶-➓¼½¾⅐-⅞)\]}）］】]\s*[-+*/:∶＋﹢➕−－–—‐‑‒﹣➖×·xXхХ＊∗∙⋅•✕✖✗ｘＸ⨯・÷／：∕⁄➗]"
)


def _has_sign(text: str) -> bool:
    """Whether a number or a bracket has a sign, or a word for a sign, after it."""
    return SIGNED.search(text) is not None or spelling.SPOKEN_SIGN.search(text) is not None


NUMBER = re.compile(r"[0-9]+|[AJQK]")


def _scan_variants(text: str, target: int | None = None, needed: Sequence[int] = ()) -> Iterator[ScannedText]:
    """Yield the text in each way to read it that has all `needed` numbers, the plainest first."""
    seen = set[str]()
    for variant in _list_variants(text[:MAX_LENGTH], target):
        numbers = Counter(solver.CARDS.get(number) or int(number) for number in NUMBER.findall(variant))
        if variant not in seen and Counter(needed) <= numbers:
            yield ScannedText(variant)
        seen.add(variant)


# A line that ends or begins in the middle of an expression.
BROKEN_LINE = re.compile(r"[-+*/(\[{][^\S\n]*\n|\n[^\S\n]*[-+*/)\]}]")


def _list_variants(text: str, target: int | None) -> Iterator[str]:
    """Yield the text in each way to read it (see the module), the plainest first, with its words blanked.

    Some may be equal.
    """
    with_labels, without_labels = _blank_words(text)
    yield with_labels
    yield without_labels
    if BROKEN_LINE.search(with_labels):  # Then with the lines joined
        yield with_labels.replace("\n", " ")
    yield spelling.insert_multiplications(spelling.strip_list_numbers(without_labels))
    translated = spelling.translate_spoken_signs(text, target)
    if translated != text:
        with_labels, without_labels = _blank_words(translated)
        yield with_labels
        yield spelling.insert_multiplications(spelling.strip_list_numbers(without_labels))
    restored = spelling.restore_emoji_signs(text)
    if restored != text:  # At least one emoji became signs, so this comes to an end
        yield from _list_variants(restored, target)


def _blank_words(text: str) -> tuple[str, str]:
    """Return the text with its words blanked, and the same with its labels blanked too.

    Labels are numbers of a list's items and what precedes a colon, as in `Try 2: 8/(3-8/3)`.
    """
    normalized = spelling.strip_addresses(text)
    return spelling.blank_words(normalized), spelling.blank_words(spelling.strip_labels(normalized))


class Attempt(NamedTuple):
    expression: solver.Expression
    span: ExpressionSpan | None  # Its place in the text; None if it was combined of steps


def find_attempts(
    text: str, numbers: Sequence[int], target: int | None = None, *, use_all: bool = True
) -> list[Attempt]:
    """Find up to `MAX_ATTEMPTS` different expressions of exactly these numbers, in the order of the text.

    Without `use_all`, find up to `MAX_SPANS` expressions of some of the numbers.
    """
    dealt = Counter(numbers)
    max_count = MAX_ATTEMPTS if use_all else MAX_SPANS
    attempts: dict[str, Attempt] = {}
    # Most ways to read a text give the same expressions and steps
    seen_texts: set[str] = set()
    seen_steps: set[tuple[tuple[str, bool], ...]] = set()
    for scan in _scan_variants(text, target, numbers if use_all else ()):
        spans = list(scan.find_expressions())
        for span in spans:
            is_attempt = _uses_dealt(span.numbers, dealt, use_all=use_all)
            if not is_attempt or span.text in seen_texts or span.is_broken:
                continue
            seen_texts.add(span.text)
            expression = span.parse()
            if expression is not None:
                attempts.setdefault(str(expression), Attempt(expression, span))
            if len(attempts) == max_count:
                return list(attempts.values())
        # Written steps may make an attempt together
        step_spans = [span for span in spans[:MAX_STEPS] if not span.is_broken]
        written_steps = tuple((span.text, span.has_result) for span in step_spans)
        if written_steps not in seen_steps:
            seen_steps.add(written_steps)
            for expression in combine_steps(_parse_steps(step_spans), numbers, use_all=use_all):
                attempts.setdefault(str(expression), Attempt(expression, span=None))
    return list(attempts.values())[:max_count]


def _uses_dealt(numbers: Iterable[int], dealt: Counter[int], *, use_all: bool) -> bool:
    """Whether these are the dealt numbers, each as often as dealt; without `use_all`, some of them."""
    used = Counter(numbers)
    return used == dealt if use_all else used <= dealt


MAX_STEPS = 8
MAX_NUMBERS_OF_STEP = 4
MAX_MEANINGS = 4  # Meanings of one part that are followed


class Step(NamedTuple):
    """One step of a calculation that somebody wrote out."""

    expression: solver.Expression
    has_result: bool  # Whether its result is written beside it: only then another step may use that number


def _parse_steps(spans: Iterable[ExpressionSpan]) -> list[Step]:
    """Return the expressions of the spans as steps, without those that can't be parsed."""
    parsed = [(span.parse(), span.has_result) for span in spans]
    return [Step(expression, has_result) for expression, has_result in parsed if expression is not None]


# Results of steps, each with the expressions that they stand for.
Results = list[tuple[Fraction, list[solver.Expression]]]


def combine_steps(
    steps: Sequence[Step], numbers: Sequence[int], *, use_all: bool = True
) -> Iterator[solver.Expression]:
    """Yield expressions of exactly these numbers that two or more steps make, those of the last steps first.

    `3-8/3 = 1/3, 8/(1/3) = 24` means `8/(3-8/3)`: a part that equals the result of another step may stand for
    that step. Here that is an earlier one, in `24 = 8/(1/3), 1/3 = 3-8/3` a later one: so the steps are read
    in both orders. Without `use_all`, the expressions may leave numbers out.
    """
    dealt = Counter(numbers)
    short_steps = [step for step in steps if len(step.expression.numbers) <= MAX_NUMBERS_OF_STEP]
    short_steps = short_steps[:MAX_STEPS]
    if not any(step.has_result for step in short_steps):
        return
    for ordered_steps in (short_steps, list(reversed(short_steps))):
        results = Results()
        combined: list[solver.Expression] = []
        for expression, has_result in ordered_steps:
            meanings = _list_meanings(expression, results, dealt)
            combinations = [meaning for meaning in meanings if meaning != expression]  # Not the step alone
            combined += [e for e in combinations if _uses_dealt(e.numbers, dealt, use_all=use_all)]
            if has_result and meanings:
                results.append((expression.value, meanings))
        yield from reversed(combined)


def _list_meanings(part: solver.Expression, results: Results, dealt: Counter[int]) -> list[solver.Expression]:
    """List up to `MAX_MEANINGS` expressions of dealt numbers for which a part may stand, as written first."""
    if not part.op:
        meanings = [part] if part.number in dealt else []
    else:
        lefts = _list_meanings(part.left, results, dealt)
        rights = _list_meanings(part.right, results, dealt)
        joined = (solver.Expression.join(part.op, left, right) for left in lefts for right in rights)
        meanings = [e for e in joined if _uses_dealt(e.numbers, dealt, use_all=False)]
    for result, meanings_of_step in results:
        if result == part.value:  # The part may be that step's result
            meanings += meanings_of_step
    return meanings[:MAX_MEANINGS]


def judge_answer(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    """Return the verdict on a text, and whether the text is meant as an answer rather than conversation."""
    attempts = find_attempts(text, numbers, target)
    if not attempts:
        return _judge_without_attempt(text, numbers, target)
    # Without those behind which the author writes that they make another value
    meant_for_target = [
        attempt
        for attempt in attempts
        if attempt.span is None or attempt.span.claimed_value in (None, target)
    ]
    for attempt in meant_for_target:
        if attempt.expression.value == target:
            return solver.Correct(attempt.expression), True
    has_words = spelling.has_words(spelling.strip_addresses(text[:MAX_LENGTH]))
    if meant_for_target:
        expression, span = meant_for_target[0]
        is_date_among_words = has_words and span is not None and span.may_be_date
        return solver.WrongValue(expression.value, expression), not is_date_among_words
    expression, span = attempts[0]
    if expression.value != target:
        return solver.WrongValue(expression.value, expression), not has_words
    # It is right, but its author claims another value: the solver's verdict says that this is not the target
    claim = span.claimed_value if span else None
    claimed_number = abs(claim.numerator) if claim else 0
    return solver.check(f"{expression}={claimed_number}", numbers, target), not has_words


def _judge_without_attempt(text: str, numbers: Sequence[int], target: int) -> tuple[solver.Verdict, bool]:
    """Return the error of a text without an attempt, and whether the text is meant as an answer."""
    text = spelling.restore_emoji_signs(text[: MAX_LENGTH + 1])  # One more shows that it is too long
    normalized = spelling.strip_addresses(text[:MAX_LENGTH])
    normalized = spelling.strip_figures(normalized, spelling.RANGE_OR_MONEY)  # Dates may be answers
    scan = ScannedText(spelling.blank_words(spelling.strip_smileys(normalized)))
    spans = list(islice(scan.find_expressions(), MAX_SPANS))
    has_words = spelling.has_words(normalized)
    is_meant = _is_meant_as_answer(scan, spans, numbers, has_words=has_words)
    emoji = spelling.find_emoji_amid_signs(normalized)
    # The error names what is checked here
    if emoji:
        return solver.check(emoji, numbers, target), is_meant or not has_words
    if spans and not spans[0].is_broken:
        wrong = _judge_steps(spans, numbers) or solver.check(spans[0].text, numbers, target)
        return wrong, is_meant
    if is_meant and len(text) <= MAX_LENGTH:
        return solver.check(_find_likeliest_part(scan.text), numbers, target), True
    return solver.check(spelling.normalize_spelling(text[:MAX_LENGTH]), numbers, target), is_meant


def _judge_steps(spans: Sequence[ExpressionSpan], numbers: Sequence[int]) -> solver.WrongNumbers | None:
    """Return the error of the first wrong step, else of the last one; None for a text without such steps.

    Of 12 9 1 6, `1+12 = 13, 13-9 = 4` leaves the 6 and a 4. A step may only use what is left before it.
    """
    steps = [step for step in map(_parse_step, spans) if step is not None]
    are_written_out = all(span.has_result for span in spans[:-1])
    if len(steps) != len(spans) or len(steps) < 2 or not are_written_out:
        return None
    left = Counter(numbers)
    for span, step in zip(spans, steps, strict=True):
        used = Counter(step.numbers)
        missing, extra = sorted((left - used).elements()), sorted((used - left).elements())
        wrong = solver.WrongNumbers(tuple(missing), tuple(extra), step)
        if extra or span.claimed_value not in (None, step.value):
            break
        left = Counter([*missing, int(step.value)])
    return wrong


def _parse_step(span: ExpressionSpan) -> solver.Expression | None:
    """Return a step with a whole result, else None."""
    expression = None if span.is_broken else span.parse()
    return expression if expression and expression.value.denominator == 1 else None


def _find_likeliest_part(text: str) -> str:
    """Cut a text at words and signs without meaning; return the part with most digits, cards and signs."""
    parts = re.split(r"[^0-9AJQK+\-*/()\[\]{}\s.,\^√!%²³=]+", text)
    likeliest = max(parts, key=lambda part: sum(c in "0123456789AJQK+-*/" for c in part))
    return likeliest.strip(" \t\n.,!")


def _is_meant_as_answer(
    scan: ScannedText, spans: Sequence[ExpressionSpan], numbers: Sequence[int], *, has_words: bool
) -> bool:
    """Whether a text without an attempt is meant as an answer.

    A long expression is. Without words, so is any expression, and an unreadable text like one. What may be a
    date is not, unless it is all of the text and made of dealt numbers.
    """
    if any(span.number_count >= MIN_NUMBERS and not span.may_be_date for span in spans):
        return True
    if has_words:
        return False
    if spans:
        dealt = Counter(numbers)
        return any(not span.may_be_date or _uses_dealt(span.numbers, dealt, use_all=False) for span in spans)
    kinds = scan.kinds  # of the tokens of an unreadable text
    operand_count = kinds.count("number") + kinds.count("decimal")
    sign_follows_operand = any(
        kind in ("number", "decimal", "close") and next_kind == "sign" for kind, next_kind in pairwise(kinds)
    )
    return operand_count > 1 and (sign_follows_operand or "unsupported" in kinds)


def is_answer(text: str) -> bool:
    """Whether a text of at most `MAX_LENGTH` characters has an expression with a sign, and no words."""
    if len(text) > MAX_LENGTH:
        return False
    text = spelling.restore_emoji_signs(text)
    if not SIGNED.search(text):
        return False
    plainest_scan = next(_scan_variants(text))
    has_expression = next(plainest_scan.find_expressions(), None) is not None
    return has_expression and not spelling.has_words(spelling.strip_addresses(text))


CARD_LETTERS = {*solver.CARDS, "X"}  # Letters of cards, and the x that multiplies


def looks_like_answer(text: str) -> bool:
    """Whether a text may be an answer at a quick look: it has a digit or a sign, or only letters of cards."""
    if len(text) > MAX_LENGTH:
        return False
    letters = {c for c in text.upper() if c.isalpha()}
    has_card_letters_only = bool(letters) and letters <= CARD_LETTERS
    return has_card_letters_only or any(map(str.isdigit, text)) or _has_sign(text)


@lru_cache(maxsize=1)  # each game of expressions asks this for the same message
def may_contain_answer(text: str) -> bool:
    """Whether a text may contain a right answer to some hand, also among words, or in two or more steps."""
    if is_answer(text):
        return True
    if not _has_sign(text):
        return False
    for scan in _scan_variants(text):
        spans = list(scan.find_expressions())
        if any(span.number_count >= MIN_NUMBERS and not span.may_be_date for span in spans):
            return True
        if sum(span.has_result for span in spans) > 1:
            return True
    return False


Computation = solver.Expression | solver.Working
MAX_QUOTED = 20  # Characters of a text that an error quotes


def find_computation(text: str) -> Computation | solver.ExpressionError:
    """Return the first computation in a text, which may have signed numbers and decimals, or the error.

    Dates, times and telephone numbers are skipped if the text has words. If an app put an emoji for signs
    that can't be restored, the error names the emoji.
    """
    text = spelling.restore_emoji_signs(text[:MAX_LENGTH])
    emoji = spelling.find_emoji_amid_signs(text)
    if emoji:
        return solver.ExpressionError("unknown", position=0, fragment=emoji)
    normalized = spelling.expand_mixed_numbers(spelling.strip_addresses(text))
    has_words = spelling.has_words(normalized)
    result_of_all = _compute(spelling.blank_words(normalized).strip())
    reason = result_of_all.reason if isinstance(result_of_all, solver.ExpressionError) else ""
    if reason == "unclosed":  # No part of the text is what was meant
        return result_of_all
    for variant in _list_computed_variants(normalized, has_words=has_words):
        span = _find_computed_span(ScannedText(variant, signed=True), has_words=has_words)
        if span is not None:
            is_incomplete = reason == "no operator" and span.lacks_sign_before
            return result_of_all if is_incomplete else _compute(span.text)
    result = _compute(spelling.normalize_spelling(text).strip())
    if isinstance(result, solver.ExpressionError):
        return result
    # It is a single number
    return solver.ExpressionError("no operator", position=0, fragment=text.strip()[:MAX_QUOTED])


def _list_computed_variants(text: str, *, has_words: bool) -> list[str]:
    """List the ways to read a normalized text; if it has words, only without dates and amounts."""
    bases = [spelling.strip_figures(text)]
    if not has_words:
        bases.append(text)
    variants: list[str] = []
    for base in bases:
        variants += [base, spelling.strip_labels(base), spelling.insert_multiplications(base)]
    return list(dict.fromkeys(map(spelling.blank_words, variants)))  # Each once


def _find_computed_span(scan: ScannedText, *, has_words: bool) -> ExpressionSpan | None:
    """Return the first expression that is no date, else the first one (among words, the first short one).

    A broken expression ends the search. Return None if nothing is found before it.
    """
    spans = list(takewhile(lambda span: not span.is_broken, islice(scan.find_expressions(), MAX_SPANS)))
    for span in spans:
        if not span.may_be_date or span.has_brackets or span.has_equals_behind:
            return span
    for span in spans:
        if not has_words or span.number_count < MIN_NUMBERS:  # More would rather be a date
            return span
    return None


def _compute(text: str) -> Computation | solver.ExpressionError:
    """Parse a text as an expression, else as a computation with signed numbers; return the latter's error."""
    try:
        return solver.parse(text)
    except solver.ExpressionError:
        try:
            return solver.work_out(text)
        except solver.ExpressionError as error:
            return error
