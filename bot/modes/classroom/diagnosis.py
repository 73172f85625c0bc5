"""Name the skills that a pupil lacks, from the hands of a lesson.

The *score* of a skill says how many times likelier the hands are if the pupil lacks it than if not. Each hand
is a factor of it twice:

- By its result, if it needs the skill. Without the weakness the pupil masters it with a chance p, else with
  KEPT * p. So the factor is KEPT if it was mastered, else (1 - KEPT * p) / (1 - p). Here p is 1 - LAPSE times
  a chance whose log odds are those of the hand (of its share of the class) plus the pupil's strength. That is
  unknown: the likelihood of the results is a mean over STRENGTHS, each weighted by how likely it makes the
  results of the hands that don't need the skill. *Mastered* means solved, with no hint and not SLOW.
- By a telling mistake, such as a wrong sign for subtraction. With the weakness the pupil makes it in a share
  TELLING of the hands, and everybody makes it by chance in a share b. So the factor is
  1 - TELLING + TELLING / b if it was made, else 1 - TELLING. Here b = CHANCE * (the pupil's other wrong
  answers a hand). In one hand the same mistake counts once, since a wrong thought is often sent in several
  forms.

In which way a weakness shows is unknown too, so the score is the mean over WAYS, each with its own KEPT and
TELLING. The skill is named if the score reaches a bar: SURETY * CAUTION * (the number of skills that the
lesson tests, at least 2). The more is asked, the more pupils would be named by bad luck. Trouble with a
single hand names nothing.

The highest score comes first. Then results of hands that need the named skill don't count for other skills:
who lacks fractions fails at a hand that needs a fraction and a subtraction, whether or not they can subtract.
Hands that need a fraction never count for division, which every fraction needs.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, exp, floor, log, prod
from statistics import median

from bot.rounds.puzzle import Verdict, VerdictKind
from solver import Expression, estimate_solved, parse


class Mistake(StrEnum):
    """The kind of a wrong answer."""

    VALUE = "value"  # None of the others
    NUMBERS = "numbers"  # Not made of the dealt numbers
    FRACTION = "fraction"  # Not whole, or right if a division is cut or turned round
    SIGN = "sign"  # Minus the target, or right if a plus or minus is changed or a subtraction turned round
    ORDER = "order"  # Right with other brackets
    UNREADABLE = "unreadable"


def classify_mistake(verdict: Verdict, text: str, target: Fraction) -> Mistake:
    """Return the kind of a text that is no right answer; `verdict` is the referee's on it.

    Unreadable is all that is no expression. The verdict of some games lacks the answer: then it is the text.
    """
    if verdict.kind is VerdictKind.WRONG_NUMBERS:
        return Mistake.NUMBERS
    if verdict.kind is not VerdictKind.WRONG:
        return Mistake.UNREADABLE
    return _classify_expression(parse(verdict.answer or text), target)


def _classify_expression(expression: Expression, target: Fraction) -> Mistake:
    """Return the first kind that explains the value. A kind comes the earlier, the less it fits by chance."""
    numbers, signs = expression.numbers, re.findall(r"[-+*/]", str(expression))
    if target in _compute_left_to_right(numbers, signs):
        return Mistake.ORDER
    # Before other brackets: in a sum such as 30-2+4, they only change a sign
    if expression.value == -target or target in _list_slips(expression, _list_wrong_signs):
        return Mistake.SIGN
    if target in _list_bracketed_values(numbers, signs):
        return Mistake.ORDER
    # At last, as many wrong values are not whole
    if expression.value.denominator != 1 or target in _list_slips(expression, _list_wrong_quotients):
        return Mistake.FRACTION
    return Mistake.VALUE


Values = set[Fraction]


def _combine(sign: str, lefts: Values, rights: Values) -> Values:
    """Return the results of all pairs, without divisions by zero."""
    match sign:
        case "+":
            return {left + right for left in lefts for right in rights}
        case "-":
            return {left - right for left in lefts for right in rights}
        case "*":
            return {left * right for left in lefts for right in rights}
    return {left / right for left in lefts for right in rights if right}


def _compute_left_to_right(numbers: Sequence[int], signs: Sequence[str]) -> Values:
    """Return the one value without precedence; empty if it divides by zero."""
    values = {Fraction(numbers[0])}
    for sign, number in zip(signs, numbers[1:], strict=True):
        values = _combine(sign, values, {Fraction(number)})
    return values


def _list_bracketed_values(numbers: Sequence[int], signs: Sequence[str]) -> Values:
    """Return the values of the row of numbers and signs with all possible brackets."""
    if not signs:
        return {Fraction(numbers[0])}
    values: Values = set()
    for at, sign in enumerate(signs):
        lefts = _list_bracketed_values(numbers[: at + 1], signs[:at])
        rights = _list_bracketed_values(numbers[at + 1 :], signs[at + 1 :])
        values |= _combine(sign, lefts, rights)
    return values


def _list_slips(part: Expression, list_wrong_results: Callable[[Expression], Values]) -> Values:
    """Return the values of an expression with one operation gone wrong, as `list_wrong_results` has it."""
    if not part.op:
        return set()
    lefts, rights = _list_slips(part.left, list_wrong_results), _list_slips(part.right, list_wrong_results)
    values = _combine(part.op, lefts, {part.right.value}) | _combine(part.op, {part.left.value}, rights)
    return values | list_wrong_results(part)


def _list_wrong_signs(part: Expression) -> Values:
    """Return the results of a sum or difference with the other sign, and of a difference turned round."""
    if part.op not in ("+", "-"):
        return set()
    left, right = part.left.value, part.right.value
    values = {left - right} if part.op == "+" else {left + right, right - left}
    # a+b-c may have been typed as a+(b-c), which `Expression` writes without brackets
    if {part.op, part.left.op} == {"+", "-"}:
        values.add(2 * part.left.left.value - part.value)
    return values


def _list_wrong_quotients(part: Expression) -> Values:
    """Return the results of a division cut to whole numbers or turned round."""
    if part.op != "/":
        return set()
    values = _cut_or_turn(part.left.value, part.right.value)
    # a*b/c may have been typed as a*(b/c), which `Expression` writes without brackets
    if part.left.op == "*":
        values |= {part.left.left.value * q for q in _cut_or_turn(part.left.right.value, part.right.value)}
    return values


def _cut_or_turn(left: Fraction, right: Fraction) -> Values:
    quotient = left / right
    return {Fraction(floor(quotient)), Fraction(ceil(quotient))} | _combine("/", {right}, {left})


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand as one pupil played it."""

    skills: frozenset[str]  # That the hand needs, as `find_skills` returns them
    solved: bool  # False if the pupil gave up or the time was over
    seconds: float  # To the right answer, or spent on it
    expected: float  # Seconds that practised people need
    mistakes: Mapping[Mistake, int]  # Wrong answers by kind
    hints: int = 0
    # Of the class without this pupil, whose own failures would make a hand look hard; None if unknown
    solved_share: float | None = None


FRACTION, SUBTRACTION, DIVISION = "fraction", "subtraction", "division"  # As `find_skills` names them
ORDER = "order"  # Of operations; no hand needs it, since brackets help always

# Each with its telling mistake. Of equal scores the first is named: the skill that the fewest hands need.
SKILLS: Mapping[str, Mistake | None] = {
    FRACTION: Mistake.FRACTION,
    SUBTRACTION: Mistake.SIGN,
    DIVISION: None,
    ORDER: Mistake.ORDER,
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a weakness shows."""

    weight: float  # Its share of the weak pupils
    kept: float  # KEPT: the part of the chance to master a hand that is left
    telling: float  # TELLING: the share of the hands that need the skill with a telling mistake
    spread: float  # The same share of the other hands; all hands, for the order of operations


WAYS = (
    Way(0.45, kept=0.1, telling=0.0, spread=0.0),  # They see no way, and send little
    Way(0.15, kept=1.0, telling=0.6, spread=0.0),  # They err, and correct themselves
    Way(0.25, kept=0.5, telling=0.4, spread=0.0),  # Both by halves
    Way(0.15, kept=1.0, telling=0.25, spread=0.25),  # They err in any hand, whatever it needs
)
SURETY = 1.5  # About one in twelve pupils without a weakness gets a name: see `python -m bench weaknesses`
# No mistake tells of division, so bad luck looks like a weakness; those of order hardly come by luck
CAUTION = {FRACTION: 1.0, SUBTRACTION: 1.0, DIVISION: 2.0, ORDER: 0.65}
CHANCE = 0.09  # Wrong answers of each telling kind for one of another kind: 8 % of all
USUAL_WRONG, PRIOR_HANDS = 0.6, 8  # Wrong answers a hand, and hands with so many added to the pupil's own
SLOW = 3.0  # Times the pupil's usual pace: one in twenty hands by chance, as times differ by a factor of 2
LAPSE = 0.1  # Share of the hands that even the strongest miss, so that two missed ones are no proof
STRENGTHS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)  # Log odds that a pupil adds to those of a hand …
STRENGTH_SPREAD = 1.5  # … and their standard deviation: most pupils solve between 20 and 95 % of the hands
MIN_SHARE, MAX_SHARE = 0.05, 0.95  # A small class solves some hands all or never by chance
TRUST = 0.7  # Of log odds from expected seconds: some of the people behind these lacked the skill too


def find_weaknesses(hands: Sequence[PlayedHand]) -> tuple[str, ...]:
    """Return the keys of the skills that the pupil lacks, the clearest first; empty if nothing is clear."""
    tested = {FRACTION, SUBTRACTION, ORDER} & {ORDER}.union(*(hand.skills for hand in hands))
    bars = {skill: SURETY * CAUTION[skill] * max(2, len(tested)) for skill in SKILLS}
    named: list[str] = []
    while len(named) < len(SKILLS):
        rest = [skill for skill in SKILLS if skill not in named and _count_troubles(skill, hands) > 1]
        clarity = {skill: compute_score(skill, hands, named) / bars[skill] for skill in rest}
        clearest = max(rest, key=clarity.__getitem__, default=None)
        if clearest is None or clarity[clearest] < 1:
            break
        named.append(clearest)
    return tuple(named)


def _count_troubles(skill: str, hands: Sequence[PlayedHand]) -> int:
    """Return the number of hands with a bad result or a telling mistake."""
    pace = _compute_usual_pace(hand for hand in hands if skill not in hand.skills)
    telling = SKILLS[skill]
    return sum(
        (_is_evidence(hand, skill) and not _is_mastered(hand, pace))
        or (telling is not None and hand.mistakes.get(telling, 0) > 0)
        for hand in hands
    )


def compute_score(skill: str, hands: Sequence[PlayedHand], named: Collection[str] = ()) -> float:
    """Return how many times likelier the hands are if the pupil lacks the skill than if not.

    Results of hands that need one of the `named` skills don't count.
    """
    unexplained = [hand for hand in hands if hand.skills.isdisjoint(named)]
    return sum(
        way.weight * _compare_results(skill, unexplained, way.kept) * _compare_mistakes(skill, hands, way)
        for way in WAYS
    )


def _compare_results(skill: str, hands: Sequence[PlayedHand], kept: float) -> float:
    """Return how many times likelier the results are if hands with the skill are mastered in `kept` * p."""
    needing = [hand for hand in hands if _is_evidence(hand, skill)]
    others = [hand for hand in hands if skill not in hand.skills]
    pace = _compute_usual_pace(others)
    weak = usual = 0.0
    for strength in STRENGTHS:
        likely = exp(-((strength / STRENGTH_SPREAD) ** 2) / 2) * _compute_likelihood(others, pace, strength)
        weak += likely * _compute_likelihood(needing, pace, strength, kept)
        usual += likely * _compute_likelihood(needing, pace, strength)
    return weak / usual


def _is_evidence(hand: PlayedHand, skill: str) -> bool:
    """Whether the result of a hand may show that the pupil lacks the skill."""
    return skill in hand.skills and not (skill == DIVISION and FRACTION in hand.skills)


def _compute_usual_pace(hands: Iterable[PlayedHand]) -> float:
    return median([1.0, *(_measure_pace(hand) for hand in hands if hand.solved)])


def _measure_pace(hand: PlayedHand) -> float:
    return hand.seconds / hand.expected


def _compute_likelihood(
    hands: Sequence[PlayedHand], pace: float, strength: float, kept: float = 1.0
) -> float:
    """Return the probability of the results of hands, given the pupil's usual pace and strength."""
    chances = [kept * (1 - LAPSE) / (1 + exp(-strength - _estimate_log_odds(hand))) for hand in hands]
    return prod(
        chance if _is_mastered(hand, pace) else 1 - chance
        for chance, hand in zip(chances, hands, strict=True)
    )


def _is_mastered(hand: PlayedHand, pace: float) -> bool:
    return hand.solved and hand.hints == 0 and _measure_pace(hand) <= SLOW * pace


def _estimate_log_odds(hand: PlayedHand) -> float:
    """Return the log odds that a pupil of average strength solves the hand."""
    known = hand.solved_share
    share = min(MAX_SHARE, max(MIN_SHARE, estimate_solved(hand.expected) if known is None else known))
    return log(share / (1 - share)) * (TRUST if known is None else 1.0)


def _compare_mistakes(skill: str, hands: Sequence[PlayedHand], way: Way) -> float:
    """Return how many times likelier the telling mistakes are in that way; 1 if the skill has none."""
    telling = SKILLS[skill]
    if telling is None:
        return 1.0
    made = [hand.mistakes.get(telling, 0) for hand in hands]
    others = sum(sum(hand.mistakes.values()) for hand in hands) - sum(made)
    by_chance = CHANCE * (others + USUAL_WRONG * PRIOR_HANDS) / (len(hands) + PRIOR_HANDS)
    shares = [way.telling if skill in hand.skills else way.spread for hand in hands]
    return prod(
        1 - share + (share / by_chance if count else 0.0) for share, count in zip(shares, made, strict=True)
    )
