"""Whether what is asked gives a hand away. Nothing here reads a clock or a database.

A question is numbers and a target; a hand is one too. A solution of the question *gives the hand away* if it
holds a part, made of numbers that both have, from which the hand's target is no riddle any more:

- all the numbers of the hand, worth its target: `0+8/(3-8/3)` for 3 8 3 8, or 25 with a 1 beside;
- all but one of them, worth what makes the target in one step with that one: `2+4+8` for 2 4 8 10;
- all but two of them, if the question has no other number.

What is shown gives it away also in disguise, with parts in the place of numbers or scaled numbers; see
`disguise` and `scaling`. So does a question for the hand of which some numbers were put together before; see
`merging`.

So two sets are compared: the values from which the hand's target can be made with what is left of the hand,
and those from which the question's target can be made with what is left of the question. Signs are put aside
in both: what is made of -v is made of v as well, or its negative. With more than `EXACT` numbers left of the
question the set is not built whole: a question that holds the whole hand is then taken to give it away, and
for one that lacks a number only sums, products and what changes nothing are looked at.

That is enough to refuse an answer, and to hold it against whoever asked. Others who happen to read it must
have been shown the hand: a question is *sure* to give it away if few numbers are beside it, or if what was
listed holds it as it is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations
from operator import add, mul, sub, truediv

import solver
from bot.games.twentyfour import merging
from bot.games.twentyfour.disguise import hides
from bot.games.twentyfour.scaling import scales

SURE = 1
"""Numbers beside a part that lacks one up to which it is sure to be seen in a list …"""
EXACT = 3
"""… and beside a part up to which everything that they can do is looked at …"""
FAR = 8
"""… and up to which their sums and products are."""
TELLING = 3
"""Numbers of which a part has at least to say more than a person sees at once."""
SCALED = 2
"""Numbers beside a hand's own up to which scaled ones are looked for: many can be scaled into anything."""
BESIDE = 4
"""Numbers beside a hand's own up to which people see through a disguise."""
KEPT_ANSWERS, KEPT_SETS = 4096, 64

Values = frozenset[Fraction]
_Part = tuple[tuple[int, ...], Fraction] | None
MAKES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul, "/": truediv}


@dataclass(frozen=True, slots=True)
class Question:
    """Numbers and what is to be made of them; a hand is one as well."""

    numbers: tuple[int, ...]
    """In ascending order."""
    target: Fraction
    """Not negative."""
    shown: tuple[str, ...] = field(default=(), compare=False)
    """The expressions with which it is answered, once they are known."""


def question(numbers: Iterable[int], target: Fraction | int, shown: Iterable[str] = ()) -> Question:
    """The question for `target` out of `numbers`, in whatever order these stand."""
    return Question(tuple(sorted(numbers)), abs(Fraction(target)), tuple(shown))


def parts(expression: solver.Expression) -> list[Question]:
    """What an expression answers: itself first, then its parts."""
    inner = [part for part in expression.walk() if part.op]
    shown = (str(expression),)
    return list(dict.fromkeys(question(p.numbers, p.value, shown) for p in reversed(inner)))


def gives_away(asked: Sequence[Question], hand: Question, *, sure: bool = False, scaled: bool = True) -> bool:
    """Whether an answer to one of the questions gives the hand away. The first holds the others' numbers.

    `scaled`: also with scaled numbers. Who asks so has the hand in mind; who comes across such an answer sees
    nothing in it, so it is never `sure` to.
    """
    if any(_disguised(one, hand, scaled=scaled and not sure) for one in asked):
        return True
    if scaled and not sure and _is_put_together(asked, hand):
        return True
    lacking = merging.lacking(hand.numbers, asked[0].numbers) if asked else len(hand.numbers)
    return lacking <= 2 and any(covers(one, hand, sure=sure) for one in asked)


def _disguised(asked: Question, hand: Question, *, scaled: bool = True) -> bool:
    """Whether what is shown holds a solution of the hand, scaled or with parts in the place of numbers."""
    longer = len(asked.numbers) - len(hand.numbers)
    if scaled and asked.shown and longer == -1:
        return any(scales(asked.shown, one.numbers, one.target) for one in _steps(hand))
    if not asked.shown or longer < 0:
        return False
    if scaled and longer <= SCALED and scales(asked.shown, hand.numbers, hand.target):
        return True
    return longer > 0 and hides(asked.shown, hand.numbers, hand.target)


def _is_put_together(asked: Sequence[Question], hand: Question) -> bool:
    """Whether a question is for the hand after some steps: the first of them also with another number."""
    return any(
        _shortened(one.numbers, one.target, hand)
        for one in asked
        if one is asked[0] or (one.target == hand.target and len(one.numbers) < len(hand.numbers))
    )


@lru_cache(KEPT_ANSWERS)
def _shortened(numbers: tuple[int, ...], target: Fraction, hand: Question) -> bool:
    if target.denominator != 1 or hand.target.denominator != 1:
        return False
    if merging.is_scaled(numbers, target.numerator, hand.numbers, hand.target.numerator):
        return True
    asked = Question(numbers, target)
    return any(
        covers(asked, Question(after, hand.target)) for after in merging.shorter(numbers, hand.numbers)
    )


@lru_cache(4)
def listed(ideas: tuple[str, ...]) -> set[Question]:
    """What the expressions and their parts answer."""
    return {part for idea in ideas for part in parts(solver.parse(idea))}


def lists(told: Set[Question], hand: Question) -> bool:
    """Whether one of the questions told is the hand, or a step from it."""
    return hand in told or any(step in told for step in _steps(hand))


def _steps(hand: Question) -> Iterator[Question]:
    """All but one of the hand's numbers, and what makes its target in one step with that one."""
    for number in set(hand.numbers) if len(hand.numbers) > TELLING else ():
        rest = Counter(hand.numbers) - Counter([number])
        for value in _undone(hand.target, Fraction(number)) or ():
            yield question(rest.elements(), value)


def tells(written: solver.Expression, hand: Question, *, partly: bool = True, deep: bool = True) -> bool:
    """Whether everybody who reads the expression knows how the hand is done.

    It is the solution or holds it, if `deep` also scaled or in disguise; or, `partly`, a step that leads to
    it. Whatever else is made of exactly the hand's numbers is a wrong answer and tells nothing.
    """
    numbers = written.numbers
    lacking, beside = Counter(hand.numbers) - Counter(numbers), len(numbers) - len(hand.numbers)
    if not lacking and not beside:
        return abs(written.value) == hand.target
    if lacking.total() <= 1:
        told = _small_parts(written, len(hand.numbers))
        if hand in told or (partly and not _is_date(written) and lists(told, hand)):
            return True
    if not beside:
        return scales((str(written),), hand.numbers, hand.target)
    return deep and 0 < beside <= BESIDE and _disguised(question(numbers, 0, [str(written)]), hand)


def _small_parts(written: solver.Expression, most: int) -> set[Question]:
    """What the parts with so many numbers answer, or with one less."""
    found: set[Question] = set()

    def joined(op: str, left: _Part, right: _Part) -> _Part:
        if left is None or right is None or len(left[0]) + len(right[0]) > most:
            return None
        numbers, value = left[0] + right[0], MAKES[op](left[1], right[1])
        if len(numbers) >= most - 1:
            found.add(question(numbers, value))
        return numbers, value

    written.fold(lambda number: ((number,), Fraction(number)), joined)
    return found


def _is_date(written: solver.Expression) -> bool:
    """Whether it may be a date or the like: numbers, and always the same sign that makes less of them."""
    return {part.op for part in written.walk() if part.op} in ({"-"}, {"/"})


@lru_cache(KEPT_ANSWERS)
def covers(asked: Question, hand: Question, *, sure: bool = False) -> bool:
    """Whether a solution of the question gives the hand away."""
    return any(_meet(part, asked, hand, sure=sure) for part in _shared(asked, hand))


def _shared(asked: Question, hand: Question) -> Iterator[Counter[int]]:
    """The parts of the hand that the question may answer: all of it, or all but one or two numbers."""
    has, wants = Counter(asked.numbers), Counter(hand.numbers)
    lacking = wants - has
    if not lacking:
        yield wants
    if lacking.total() <= 1 and wants.total() > TELLING:
        yield from (wants - Counter([number]) for number in lacking or wants)
    if lacking.total() == 2 and has <= wants and has.total() >= TELLING:
        yield has


def _meet(part: Counter[int], asked: Question, hand: Question, *, sure: bool) -> bool:
    """Whether `part` can be worth something that leads to both targets."""
    left = tuple(sorted((Counter(hand.numbers) - part).elements()))
    beside = tuple(sorted((Counter(asked.numbers) - part).elements()))
    if sure and len(beside) > (SURE if left else EXACT):
        return False
    if not left and len(beside) > EXACT:
        return True
    to_asked, to_hand = _origins(asked.target, beside), _origins(hand.target, left)
    if to_asked is None or to_hand is None:
        return not left
    numbers = tuple(sorted(part.elements()))
    return any(not left or _can_make(numbers, value) for value in to_asked & to_hand)


def _can_make(numbers: tuple[int, ...], value: Fraction) -> bool:
    """Whether the numbers can be worth that; taken for granted of five and more."""
    if len(numbers) <= EXACT:
        return value in _values(numbers)
    if len(numbers) > EXACT + 1:
        return True
    return any(
        origin in _values(rest)
        for some, rest in _splits(numbers)
        if rest and len(some) <= len(rest)
        for made in _values(some)
        for origin in _undone(value, made) or ()
    )


@lru_cache(KEPT_SETS)
def _origins(target: Fraction, beside: tuple[int, ...]) -> Values | None:
    """The values that make `target` with each number of `beside` once; None where any value does."""
    return _far_origins(target, beside) if len(beside) > EXACT else _near_origins(target, beside)


def _near_origins(target: Fraction, beside: tuple[int, ...]) -> Values | None:
    """As `_origins`, for few numbers: by everything that they can do."""
    found = set() if beside else {target}
    for some, rest in _splits(beside):
        for made in _values(some):
            before = _undone(target, made)
            if before is None:
                return None
            for origin in before:
                reached = _near_origins(origin, rest)
                if reached is None:
                    return None
                found |= reached
    return frozenset(found)


def _far_origins(target: Fraction, beside: tuple[int, ...]) -> Values:
    """As `_origins` for many numbers: by sums or products alone, and past those that change nothing."""
    found: set[Fraction] = set()
    core = tuple(sorted(n for n, times in Counter(beside).items() if n > 1 and times % 2))
    if len(core) <= EXACT:
        found |= _near_origins(target, core) or set()
    if len(beside) <= FAR:
        found |= reduce(lambda made, n: {x for m in made for x in (m + n, abs(m - n))}, beside, {target})
        factors = [n for n in beside if n > 1]
        found |= reduce(lambda made, n: {x for m in made for x in (m * n, m / n)}, factors, {target})
    return frozenset(found)


def _undone(target: Fraction, by: Fraction) -> set[Fraction] | None:
    """The values that one operation with `by` makes `target` of; None where any value does."""
    if not by:
        return {target} if target else None
    found = {abs(target - by), target + by, target * by, target / by}
    return found | {by / target} if target else found


@lru_cache(KEPT_SETS)
def _values(numbers: tuple[int, ...]) -> Values:
    """Everything that can be made of each number once."""
    if len(numbers) == 1:
        return frozenset(map(Fraction, numbers))
    pairs = (
        (one, other)
        for some, rest in _splits(numbers)
        if rest
        for one in _values(some)
        for other in _values(rest)
    )
    return frozenset(value for pair in pairs for value in _joined(*pair))


def _joined(one: Fraction, other: Fraction) -> Iterator[Fraction]:
    yield from (one + other, abs(one - other), one * other)
    if other:
        yield one / other


def _splits(numbers: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Some of the numbers, at least one, and the rest of them; each way once."""
    found = {
        some: tuple(sorted((Counter(numbers) - Counter(some)).elements()))
        for size in range(1, len(numbers) + 1)
        for some in combinations(numbers, size)
    }
    return iter(found.items())
