"""Rounds of 24 with sample hands, for tests."""

from dataclasses import fields, replace
from typing import Any

from bot.database import Tx
from bot.games.twentyfour.rules import Hand
from bot.modes.daily.rules import DailyHand
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round
from tests.stories.clock import NOON

# Fields of every round besides its hand.
ROUND_FIELDS: dict[str, Any] = {
    "id": 0,
    "chat_id": -7,
    "topic": 0,
    "kind": Kind.FIRST,
    "dealer_id": 1,
    "opened": NOON,
    "deadline": NOON + 600,
}
# A hand with more than one idea.
SEVERAL_IDEAS: dict[str, Any] = {
    "numbers": (4, 4, 6, 1),
    "level": "hard",
    "ideas": ("4*(6+1-1)", "4*6", "6*4*1", "(4+4)*3"),
}
HAND_FIELDS = {field.name for field in fields(Hand)} - {"hints"}


def make_round(
    *,
    numbers: tuple[int, ...] = (3, 8, 3, 8),
    target: int = 24,
    level: str = "fiendish",
    expected: float = 14.0,
    ideas: tuple[str, ...] = ("8/(3-8/3)",),
    hint_values: tuple[str, ...] = (),
    **others: Any,
) -> Round:
    """Return a round with that hand, dealt at noon in a group for ten minutes and not stored yet.

    `others` are fields of the round that differ from `ROUND_FIELDS`; `hints` is the number of hints shown.
    """
    hint_count = others.pop("hints", 0)
    hand = Hand(numbers, target, level, expected, ideas, hint_values)
    return _with_hints(Round(game="24", puzzle=hand, **ROUND_FIELDS | others), hint_count)


def make_daily_hand(day: str) -> DailyHand:
    return DailyHand(day, "24", make_round().puzzle)


def _with_hints(round: Round, hint_count: int) -> Round:
    return replace(round, hints_shown=hint_count)


def store_round(tx: Tx, new: Round) -> Round:
    """Store the round, and its chat if it is new; return the round as stored."""
    people.load_or_insert_chat(tx, new.chat_id, "supergroup" if new.chat_id < 0 else "private")
    stored = rounds.open_round(tx, new)
    assert stored
    return stored


def change_round(round: Round, **fields: Any) -> Round:
    """Return the round with these fields changed, its own or those of its hand.

    `hint_values` are the hints of the hand, `hints` is the number of them that are shown.
    """
    of_hand = {key: value for key, value in fields.items() if key in HAND_FIELDS}
    if "hint_values" in fields:
        of_hand["hints"] = fields.pop("hint_values")
    if "hints" in fields:
        round = _with_hints(round, fields.pop("hints"))
    of_round = {key: value for key, value in fields.items() if key not in HAND_FIELDS}
    return replace(round, puzzle=replace(get_hand(round), **of_hand), **of_round)


def get_hand(round: Round) -> Hand:
    assert isinstance(round.puzzle, Hand)
    return round.puzzle
