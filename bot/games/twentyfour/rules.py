"""The hand of a round of 24: what it holds, what may be asked of a deal, and what solves it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import solver
from bot.admin.settings.choices import Setting, make_number_choices
from bot.i18n import Words
from bot.rounds.puzzle import (
    LEVELS,
    Find,
    Kind,
    Level,
    Options,
    UnknownWordError,
    keep_if_allowed,
    normalize_word,
    parse_number,
    split_argument,
    unpack_level,
)

MAX_IDEAS = 60  # Ideas that a hand's list holds at most
VERSION = 1
# A number behind /play is a count of cards, and a bigger one the target.
CARD_COUNTS, TARGETS = range(3, 7), range(7, 1001)
# The hands for which people's times are known (see `solver.difficulty`).
MEASURED_CARDS, MEASURED_TARGET = 4, 24
# Hands for a lesson: by × alone or by + alone.
LESSON_HANDS = ((1, 2, 3, 4), (6, 6, 6, 6), (1, 1, 4, 6), (5, 6, 6, 7), (1, 1, 3, 8))
MAX_TARGET = 1000
# The highest cards that can be chosen, and the targets that the menu offers.
HIGHEST, GOALS = (9, 10, 13), (10, 24, 36, 100)
FULL_WIDTH = str.maketrans("０１２３４５６７８９　", "0123456789 ")
ALL = "all"
CARD = re.compile("10|[1-9AJQK]")
# A hand and its target in a link, as `code_of` writes it.
HAND_CODE = re.compile(r"([1-9]|1[0-3])(-([1-9]|1[0-3])){1,5}-[0-9]{1,4}", re.ASCII)
# The cards of a hand in one word.
CRAMMED = re.compile(r"(?P<cards>(?:10|[1-9AJQKajqk]){3,6})(?:\s*[=＝→]\s*(?P<goal>[0-9]{1,4}))?")


def format_line(numbers: Sequence[int], target: Fraction | int) -> str:
    """The line of a question, as a deal would put it."""
    return f"{' '.join(map(str, numbers))} → {target}"


def format_code(numbers: Sequence[int], target: int) -> str:
    """A hand and its target as links and buttons carry them: `3-8-3-8-24`."""
    return "-".join(map(str, [*numbers, target]))


@dataclass(frozen=True, slots=True)
class Hand:
    """Cards and a target, with what a round needs to know of them."""

    numbers: tuple[int, ...]
    target: int
    level: str
    expected: float  # Seconds that people usually need
    # The plainest expression of each idea as players count them (`solver.trick`), easiest first.
    ideas: tuple[str, ...]
    hints: tuple[str, ...] = ()  # JSON texts, vague to telling
    proof: str = ""  # What proves that it came by chance (see `solver.fair`); empty where somebody chose it

    @property
    def line(self) -> str:
        """The numbers as dealt and the target, as every deal shows them."""
        return format_line(self.numbers, self.target)

    @property
    def has_all_ideas(self) -> bool:
        """Whether `ideas` are all there are. A list of full length may have been cut."""
        return len(self.ideas) < MAX_IDEAS


def pack_hand(hand: Hand) -> dict[str, Any]:
    """The hand as JSON."""
    return {
        "v": VERSION,
        "numbers": list(hand.numbers),
        "target": hand.target,
        "ideas": list(hand.ideas),
        "hints": list(hand.hints),
        **({"proof": hand.proof} if hand.proof else {}),
    }


def unpack_hand(packed: Mapping[str, Any], level: str, expected: float) -> Hand:
    """The hand again. Raises ValueError for one that nobody could play."""
    try:
        numbers, target = tuple(packed["numbers"]), packed["target"]
        ideas, hints = packed.get("ideas", ()), packed.get("hints", ())
        proof = packed.get("proof", "")
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no hand: {error!r}") from None
    if packed.get("v") != VERSION or not numbers:
        raise ValueError("no hand of a known version")
    if not all(type(n) is int and n >= 0 for n in (*numbers, target)):
        raise ValueError("its numbers are none")
    if not (_texts(ideas) and _texts(hints) and isinstance(proof, str)):
        raise ValueError("its ideas, its hints or its proof are no texts")
    if level not in LEVELS or not isfinite(expected):
        raise ValueError("its level or usual time is none")
    return Hand(numbers, target, level, expected, tuple(ideas), tuple(hints), proof)


def _texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)


@dataclass(frozen=True, slots=True)
class HandOptions(Options):
    """What was asked for; None where nothing was."""

    cards: int | None = None
    target: int | None = None


def pack_options(wanted: HandOptions) -> dict[str, Any]:
    """What was asked for as JSON, but for the kind."""
    asked = {"level": wanted.level, "cards": wanted.cards, "target": wanted.target}
    return {key: value for key, value in asked.items() if value is not None}


def unpack_options(packed: Mapping[str, Any], kind: Kind) -> HandOptions:
    """What was asked for again. What is unknown, broken or out of bounds counts as not asked."""
    cards = keep_if_allowed(packed.get("cards"), CARD_COUNTS, None)
    target = keep_if_allowed(packed.get("target"), range(MAX_TARGET + 1), None)
    return HandOptions(unpack_level(packed), kind, cards, target)


@dataclass(frozen=True, slots=True)
class HandSettings:
    """What a chat's people chose of the game; as it stands here, the defaults."""

    level: Level | None = None
    highest: int = 13
    cards: int = 4
    target: int = 24


def read_settings(stored: Mapping[str, Any]) -> HandSettings:
    """The choices in a chat's settings. What is unknown, broken or out of bounds counts as not chosen."""
    level, usual = stored.get("level"), HandSettings()
    return HandSettings(
        level=level if level in LEVELS else None,
        highest=keep_if_allowed(stored.get("highest"), HIGHEST, usual.highest),
        cards=keep_if_allowed(stored.get("cards"), CARD_COUNTS, usual.cards),
        target=keep_if_allowed(stored.get("target"), range(MAX_TARGET + 1), usual.target),
    )


def list_settings(words: Words, now: HandSettings) -> list[Setting]:
    """The highest card, the count of cards, the target, where `now` holds."""
    return [
        Setting(
            "highest",
            words.translate_plain("Highest card"),
            str(now.highest),
            words.translate("Cards go from 1, the ace, up to this one."),
            make_number_choices(HIGHEST),
            affects_deals=True,
        ),
        Setting(
            "cards",
            words.translate_plain("Cards dealt"),
            str(now.cards),
            words.translate("How many cards a hand has."),
            make_number_choices(CARD_COUNTS),
            affects_deals=True,
        ),
        Setting(
            "target",
            words.translate_plain("Target"),
            str(now.target),
            words.translate("What the cards have to make."),
            make_number_choices(GOALS),
            words.translate("Type a whole number from 0 to {most}.", most=MAX_TARGET),
            parse_target,
            affects_deals=True,
        ),
    ]


def parse_target(text: str) -> int | None:
    """A typed target; None where the text is none."""
    typed = text.strip().translate(FULL_WIDTH)
    if not re.fullmatch(r"[0-9]{1,4}", typed) or int(typed) > MAX_TARGET:
        return None
    return int(typed)


def separate_cards(text: str) -> str | None:
    """`3838 = 36` with spaces between its cards, `3 8 3 8 = 36`; None for anything else."""
    crammed = CRAMMED.fullmatch(text.strip().translate(FULL_WIDTH))
    if crammed is None:
        return None
    goal = f" = {crammed['goal']}" if crammed["goal"] else ""
    return " ".join(CARD.findall(crammed["cards"].upper())) + goal


def parse_options(text: str, levels: Mapping[str, Level], everything: str = ALL) -> HandOptions:
    """`hard`, `36` (a target), `5` (cards) and `all` in any order, each at most once.

    Raises UnknownWordError. `levels` names the levels, each name `folded`; `everything` is the word for `all`
    beside the English one.
    """
    found: dict[str, Any] = {}
    for word in split_argument(text):
        key, value = _read(word, levels, {ALL, normalize_word(everything)})
        if key in found:
            raise UnknownWordError(word)
        found[key] = value
    return HandOptions(**found)


def _read(word: str, levels: Mapping[str, Level], everything: set[str]) -> tuple[str, str | int]:
    if parse_number(word) in CARD_COUNTS:
        return "cards", parse_number(word)
    if parse_number(word) in TARGETS:
        return "target", parse_number(word)
    if normalize_word(word) in levels:
        return "level", levels[normalize_word(word)]
    if normalize_word(word) in everything:
        return "kind", Kind.ALL
    raise UnknownWordError(word)


def find_listed_idea(expression: str, known: Iterable[str]) -> str:
    """The one of the `known` expressions that is the same trick; `expression` itself if none is."""
    mine = solver.trick(solver.parse(expression))
    return next((other for other in known if solver.trick(solver.parse(other)) == mine), expression)


def list_missing_ideas(hand: Hand, found: Sequence[Find], won_by: str | None = None) -> tuple[str, ...]:
    """The listed ideas that nobody has found, easiest first; `won_by` is the answer that ended the round."""
    named = {f.part for f in found}
    if won_by is not None:
        named.add(find_listed_idea(won_by, hand.ideas))
    return tuple(idea for idea in hand.ideas if idea not in named)


def pack_hints(numbers: Sequence[int], target: int) -> tuple[str, ...]:
    """Three hints as JSON texts, vague to telling."""
    return tuple(json.dumps(_packed(hint)) for hint in solver.hints(numbers, target))


def _packed(hint: solver.LastOperation | solver.Intermediate | solver.Skeleton) -> list[str]:
    if isinstance(hint, solver.LastOperation):
        return ["last", hint.op]
    if isinstance(hint, solver.Intermediate):
        return ["make", str(hint.value), " ".join(map(str, hint.numbers))]
    return ["shape", hint.text]


SIGN = r"[-+*/]"


def sort_hinted_first(hand: Hand, ideas: Sequence[str]) -> tuple[str, ...]:
    """The ideas in their order, but that which fits the hand's hints best before all others.

    Where none fits the first hint, as where it was found, or where a hint can't be read, nothing moves.
    """
    try:
        return _hinted_first([json.loads(hint) for hint in hand.hints], ideas)
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # a spoilt hint must not cost the hand its end
        return tuple(ideas)


def _hinted_first(asked: Sequence[Sequence[str]], ideas: Sequence[str]) -> tuple[str, ...]:
    fitting = [(_fit(idea, asked), idea) for idea in ideas] if asked else []
    fit, best = max(fitting, key=lambda each: each[0], default=((False,), ""))
    if not fit[0]:
        return tuple(ideas)
    return (best, *(idea for idea in ideas if idea != best))


def _fit(idea: str, hints: Sequence[Sequence[str]]) -> tuple[bool, ...]:
    """Which of the hints hold of the idea."""
    whole = solver.parse(idea)
    return tuple(_holds(whole, *hint) for hint in hints)


def _holds(whole: solver.Expression, kind: str, said: str, numbers: str = "") -> bool:
    if kind == "last":
        return whole.op == said
    if kind == "make":
        made = ((str(part.value), sorted(part.numbers)) for part in whole.walk())
        return (said, sorted(map(int, numbers.split()))) in made
    shape = re.escape(said).replace(solver.KEPT_BACK, SIGN).replace(solver.BOX, "[0-9]+")
    return bool(re.fullmatch(shape, str(whole)))
