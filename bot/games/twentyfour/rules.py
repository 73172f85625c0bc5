"""The rules of 24: hands, the options and settings of a deal, ideas and hints."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias, assert_never

import solver
from bot.levels import ANY_LEVEL
from bot.rounds.puzzle import Find, Options

MAX_IDEAS = 60  # Ideas that are listed for a hand
MEASURED_CARDS, MEASURED_TARGET = 4, 24  # Hands whose usual time is measured (see `solver.difficulty`)
TUTORIAL_HANDS = ((1, 2, 3, 4), (6, 6, 6, 6), (1, 1, 4, 6), (5, 6, 6, 7), (1, 1, 3, 8))  # Solved by × or +
DEFAULT_TARGET = 24  # Of a question without a target


@dataclass(frozen=True, slots=True)
class Question:
    """Numbers and a target whose solutions somebody asks for."""

    numbers: tuple[int, ...]
    target: int

    @property
    def line(self) -> str:
        """The numbers and the target as a deal shows them: `3 8 3 8 → 24`."""
        return f"{' '.join(map(str, self.numbers))} → {self.target}"

    @property
    def code(self) -> str:
        """The numbers and the target as links and buttons carry them: `3-8-3-8-24`."""
        return "-".join(map(str, [*self.numbers, self.target]))

    def __str__(self) -> str:
        """Return the question as /solve reads it."""
        target = "" if self.target == DEFAULT_TARGET else f" = {self.target}"
        return " ".join(map(str, self.numbers)) + target


@dataclass(frozen=True, slots=True)
class Hand(Question):
    """The numbers of the cards and the target, with their solutions and hints."""

    level: str
    expected: float  # Seconds that players usually need
    ideas: tuple[str, ...]  # The plainest expression of each idea (see `solver.trick`), easiest first
    hints: tuple[str, ...] = ()  # As JSON texts, from vague to telling
    recipe: str = ""  # How it follows from a seed (see `solver.fair`); empty for a chosen hand

    @property
    def has_all_ideas(self) -> bool:
        """Whether the hand has no other ideas than `ideas`. A list of full length may have been cut."""
        return len(self.ideas) < MAX_IDEAS

    @property
    def is_time_measured(self) -> bool:
        """Whether practised players' time for the hand was measured, not estimated."""
        return solver.is_measured(self.numbers, self.target)


HAND_CODE = re.compile(r"([1-9]|1[0-3])(-([1-9]|1[0-3])){1,5}-[0-9]{1,4}", re.ASCII)  # `3-8-3-8-24`
ASCII_BY_FULL_WIDTH = str.maketrans("０１２３４５６７８９　", "0123456789 ")
CARD = re.compile("10|[1-9AJQK]")
# The cards of a hand without spaces, perhaps with a target
JOINED_CARDS = re.compile(r"(?P<cards>(?:10|[1-9AJQKajqk]){3,6})(?:\s*[=＝→]\s*(?P<target>[0-9]{1,4}))?")


def separate_cards(text: str) -> str | None:
    """Write `3838 = 36` with spaces between its cards: `3 8 3 8 = 36`. None for any other text."""
    joined = JOINED_CARDS.fullmatch(text.strip().translate(ASCII_BY_FULL_WIDTH))
    if joined is None:
        return None
    cards = " ".join(CARD.findall(joined["cards"].upper()))
    return f"{cards} = {joined['target']}" if joined["target"] else cards


CARD_COUNTS = range(3, 7)  # A smaller number after /play counts the cards …
TARGETS = range(7, 1001)  # … and a larger one is the target
MAX_TARGET = 1000  # In the settings and for hands that players choose
HIGHEST_CARDS, MENU_TARGETS = (9, 10, 13), (10, 24, 36, 100)  # Choices of the settings


@dataclass(frozen=True, slots=True)
class HandOptions(Options):
    """The options of a deal; None leaves a value to the settings of the chat."""

    cards: int | None = None
    target: int | None = None


def apply_options(recipe: solver.Recipe, options: Options) -> solver.Recipe:
    cards, target = recipe.cards, recipe.target
    if isinstance(options, HandOptions):
        cards = options.cards or cards
        target = target if options.target is None else options.target
    level = recipe.level
    if options.level is not None:
        level = None if options.level == ANY_LEVEL else options.level
    is_measured = (cards, target) == (MEASURED_CARDS, MEASURED_TARGET)  # For others a share would be a guess
    solved = options.solved if is_measured else None
    return replace(recipe, cards=cards, target=target, level=level, solved=solved)


def parse_target(text: str) -> int | None:
    """Return a target that somebody typed for the settings; None if the text is no allowed target."""
    typed = text.strip().translate(ASCII_BY_FULL_WIDTH)
    if not re.fullmatch(r"[0-9]{1,4}", typed) or int(typed) > MAX_TARGET:
        return None
    return int(typed)


def find_listed_idea(expression: str, ideas: Iterable[str]) -> str:
    """Return the one of the ideas that is the same trick as the expression; the expression if none is."""
    trick = solver.trick(solver.parse(expression))
    for idea in ideas:
        if solver.trick(solver.parse(idea)) == trick:
            return idea
    return expression


def list_missing_ideas(
    hand: Hand, finds: Sequence[Find], winning_answer: str | None = None
) -> tuple[str, ...]:
    """Return the listed ideas that nobody found, easiest first, without the idea of `winning_answer`."""
    found_ideas = {find.part for find in finds}
    if winning_answer is not None:
        found_ideas.add(find_listed_idea(winning_answer, hand.ideas))
    return tuple(idea for idea in hand.ideas if idea not in found_ideas)


Hint: TypeAlias = solver.LastOperation | solver.Intermediate | solver.Skeleton


def pack_hint(hint: Hint) -> str:
    """Return the hint as JSON: its kind, and the texts for its sentence."""
    match hint:
        case solver.LastOperation():
            packed = ["last", hint.op]
        case solver.Intermediate():
            packed = ["make", str(hint.value), " ".join(map(str, hint.numbers))]
        case solver.Skeleton():
            packed = ["shape", hint.text]
        case _:
            assert_never(hint)
    return json.dumps(packed)


def unpack_hint(packed: str) -> Hint:
    """Return a hint that `pack_hint` packed. Raises ValueError for a kind that it does not write."""
    match json.loads(packed):
        case ["last", op]:
            return solver.LastOperation(op)
        case ["make", value, numbers]:
            return solver.Intermediate(Fraction(value), tuple(map(int, numbers.split())))
        case ["shape", text]:
            return solver.Skeleton(text)
    raise ValueError(f"a hint of an unknown kind: {packed}")


def sort_hinted_first(hand: Hand, ideas: Sequence[str]) -> tuple[str, ...]:
    """Return the ideas with the one that fits the hand's hints best first, if it fits the first hint."""
    if not hand.hints or not ideas:
        return tuple(ideas)
    hints = [unpack_hint(hint) for hint in hand.hints]
    fits = {idea: [_fits_hint(solver.parse(idea), hint) for hint in hints] for idea in ideas}
    best = max(ideas, key=lambda idea: fits[idea])  # Lists are compared by their first difference
    fits_first_hint = fits[best][0]
    if not fits_first_hint:
        return tuple(ideas)
    return (best, *(idea for idea in ideas if idea != best))


def choose_hints(hand: Hand, finds: Sequence[Find]) -> Hand:
    """Return the hand with hints for the easiest idea beside the finds; without hints if there is none."""
    if not finds:
        return hand
    found = [solver.parse(find.part) for find in finds]
    hints = solver.hints(hand.numbers, hand.target, found=found)
    return replace(hand, hints=tuple(pack_hint(hint) for hint in hints))


def _fits_hint(idea: solver.Expression, hint: Hint) -> bool:
    match hint:
        case solver.LastOperation():
            return idea.op == hint.op
        case solver.Intermediate():
            numbers = list(hint.numbers)  # Ascending
            return any(part.value == hint.value and sorted(part.numbers) == numbers for part in idea.walk())
        case solver.Skeleton():
            any_sign, any_number = "[-+*/]", "[0-9]+"
            # The text has placeholders for signs that are kept back, and boxes for numbers
            shape = re.escape(hint.text)
            shape = shape.replace(solver.KEPT_BACK, any_sign).replace(solver.BOX, any_number)
            return re.fullmatch(shape, str(idea)) is not None
        case _:
            assert_never(hint)
