"""Rounds of 24 as tests lay them on the table."""

from dataclasses import fields, replace
from typing import Any

from bot.database import Tx
from bot.games.twentyfour.rules import Hand
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round
from tests.stories.clock import NOON

# What every round has besides its hand.
DEALT: dict[str, Any] = {
    "id": 0,
    "chat_id": -7,
    "topic": 0,
    "kind": Kind.FIRST,
    "dealer_id": 1,
    "opened": NOON,
    "deadline": NOON + 600,
}
# A hand with more than one idea.
SEVERAL: dict[str, Any] = {
    "numbers": (4, 4, 6, 1),
    "level": "hard",
    "ideas": ("4*(6+1-1)", "4*6", "6*4*1", "(4+4)*3"),
}
HELD = {field.name for field in fields(Hand)} - {"hints"}


def deal(
    *,
    numbers: tuple[int, ...] = (3, 8, 3, 8),
    target: int = 24,
    level: str = "fiendish",
    expected: float = 14.0,
    ideas: tuple[str, ...] = ("8/(3-8/3)",),
    hint_values: tuple[str, ...] = (),
    **others: Any,
) -> Round:
    """A round with that hand, dealt at noon in a group for ten minutes and not stored yet.

    `others` are the round's own fields where they are others, and `hints` how many are shown.
    """
    shown = others.pop("hints", 0)
    hand = Hand(numbers, target, level, expected, ideas, hint_values)
    return _with_hints(Round(game="24", puzzle=hand, **DEALT | others), shown)


def _with_hints(round: Round, shown: int) -> Round:
    return replace(round, game_state={**round.game_state, "hints": shown})


def opened(tx: Tx, new: Round) -> Round:
    """The round as it is stored, in a chat that is known from then on."""
    people.load_or_insert_chat(tx, new.chat_id, "supergroup" if new.chat_id < 0 else "private")
    stored = rounds.open_round(tx, new)
    assert stored
    return stored


def changed(round: Round, **fields: Any) -> Round:
    """The round with other fields, its hand's (`hint_values` are the hints that it has) or its own."""
    held = {key: value for key, value in fields.items() if key in HELD}
    if "hint_values" in fields:
        held["hints"] = fields.pop("hint_values")
    if "hints" in fields:
        round = _with_hints(round, fields.pop("hints"))
    own = {key: value for key, value in fields.items() if key not in HELD}
    return replace(round, puzzle=replace(hand_of(round), **held), **own)


def hand_of(round: Round) -> Hand:
    """What is on the table."""
    assert isinstance(round.puzzle, Hand)
    return round.puzzle
