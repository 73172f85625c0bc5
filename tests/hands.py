"""Rounds of 24 as tests lay them on the table."""

from dataclasses import fields, replace
from typing import Any

from bot.games.rounds.rules import Round, with_hints
from bot.games.twentyfour.hand import Hand

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
    """A round with that hand; `others` are the round's own fields, and `hints` how many are shown."""
    shown = others.pop("hints", 0)
    hand = Hand(numbers, target, level, expected, ideas, hint_values)
    return with_hints(Round(game="24", puzzle=hand, **others), shown)


def changed(round: Round, **fields: Any) -> Round:
    """The round with other fields, its hand's (`hint_values` are the hints that it has) or its own."""
    held = {key: value for key, value in fields.items() if key in HELD}
    if "hint_values" in fields:
        held["hints"] = fields.pop("hint_values")
    if "hints" in fields:
        round = with_hints(round, fields.pop("hints"))
    own = {key: value for key, value in fields.items() if key not in HELD}
    return replace(round, puzzle=replace(hand_of(round), **held), **own)


def hand_of(round: Round) -> Hand:
    """What is on the table."""
    assert isinstance(round.puzzle, Hand)
    return round.puzzle
