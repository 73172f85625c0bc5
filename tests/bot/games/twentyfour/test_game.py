"""The game of 24."""

import asyncio
from fractions import Fraction
from typing import Any

import pytest

from bot.games.twentyfour.rules import HandOptions, list_missing_ideas
from bot.i18n import get_words
from bot.players.choices import NO_CHOICES
from bot.rounds.puzzle import DealError, Find, Kind, VerdictKind
from bot.rounds.registry import GAMES
from bot.workers.pool import SolverPool
from tests.sample_rounds import SEVERAL_IDEAS, change_round, get_hand, make_round

ANN, BOB = 1, 2
GAME: Any = GAMES["24"]
HAND = make_round(id=7, dealer_id=ANN, opened=0.0, deadline=60.0)
MANY = change_round(HAND, kind=Kind.ALL, **SEVERAL_IDEAS)
SAID = get_words("en")


@pytest.mark.parametrize(
    ("text", "fit", "answer"),
    [
        ("8/(3-8/3)", VerdictKind.RIGHT, "8/(3-8/3)"),
        ("3*8+3-8", VerdictKind.WRONG, "3*8+3-8"),
        ("3*8", VerdictKind.WRONG_NUMBERS, "3*8"),
        ("three eights", VerdictKind.TALK, ""),
        ("that took me 5 minutes", VerdictKind.TALK, ""),
        ("8/(3-8/3", VerdictKind.UNREADABLE, ""),
        ("8/(3-8/3) = 25", VerdictKind.UNREADABLE, ""),
    ],
)
def test_text_gets_its_verdict(text: str, fit: VerdictKind, answer: str) -> None:
    verdict = GAME.check(HAND.puzzle, text)
    assert (verdict.kind, verdict.answer) == (fit, answer)
    assert (verdict.render_reason is None) == (fit is VerdictKind.RIGHT)


def test_wrong_value_has_its_distance() -> None:
    verdict = GAME.check(HAND.puzzle, "3*8+3-8/8")
    assert verdict.kind is VerdictKind.WRONG_NUMBERS  # three eights
    verdict = GAME.check(HAND.puzzle, "8*3-8/3")
    assert (verdict.value, verdict.distance) == (Fraction(64, 3), pytest.approx(8 / 3))
    assert verdict.render_reason(SAID) == "8×3−8÷3 = 21 1/3, not 24."


def test_same_trick_is_the_same_part() -> None:
    round = change_round(MANY, numbers=(3, 3, 8, 7, 7), ideas=("3*8*7/7-0",))
    first = GAME.finds.identify(round.puzzle, "3*8+7-7", [])
    assert GAME.finds.identify(round.puzzle, "8*3*7/7", [Find(ANN, "3*8+7-7", first)]) == first


def test_idea_beyond_the_list_is_a_part_too() -> None:
    round = change_round(HAND, kind=Kind.ALL, ideas=("1*24",))
    part = GAME.finds.identify(round.puzzle, "8/(3-8/3)", [])
    assert part == "8/(3-8/3)"
    assert not GAME.finds.is_complete(round, [Find(ANN, part, part)])


def test_everything_is_found_with_the_last_idea() -> None:
    round = change_round(MANY, ideas=("4*6", "(4+4)*3"))
    found = [Find(ANN, "4*6", "4*6"), Find(BOB, "3*(4+4)", "(4+4)*3")]
    assert not GAME.finds.is_complete(round, found[:1])
    assert GAME.finds.is_complete(round, found)
    assert list_missing_ideas(get_hand(round), found) == ()


def test_not_everything_is_found_if_the_list_may_be_cut() -> None:
    round = change_round(MANY, ideas=tuple(f"{n}+0" for n in range(60)))
    assert not GAME.finds.is_complete(round, [Find(ANN, idea, idea) for idea in get_hand(round).ideas])


def test_idea_of_the_winner_is_not_missing() -> None:
    two = get_hand(change_round(HAND, ideas=("3*8+8-8", "8/(3-8/3)")))
    assert list_missing_ideas(two, [], "8/(3-8/3)") == ("3*8+8-8",)
    assert list_missing_ideas(two, []) == two.ideas


class EmptyPool(SolverPool):
    """A pool that finds no hand."""

    def __init__(self) -> None:
        """Start no process."""

    deadline = 3.0

    async def run_task(self, *_: Any, **__: Any) -> Any:
        raise ValueError("no such hand")


def test_deal_without_a_hand_raises_with_a_reason() -> None:
    with pytest.raises(DealError) as caught:
        asyncio.run(GAME.deal(EmptyPool(), NO_CHOICES, HandOptions(), 24))
    assert caught.value.render_reason(SAID) == (
        "I found no such hand. Try another level, or another target from 7 to 1000."
    )


def test_tiles_have_nothing_of_the_answer() -> None:
    laid = GAME.tile_board.make_tiles(get_hand(change_round(HAND, numbers=(1, 10, 11, 13), target=24)))
    assert (laid.numbers, laid.labels, laid.target) == (("1", "10", "11", "13"), ("A", "10", "J", "K"), "24")
    assert (laid.uses_all, laid.whole_numbers_only, laid.accepts_near) == (True, False, False)
