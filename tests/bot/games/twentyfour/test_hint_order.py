"""Solutions are listed with the hinted idea first."""

from dataclasses import replace
from typing import Any

import pytest

import solver
from bot.board import view
from bot.games.twentyfour.dealing import build_hand
from bot.games.twentyfour.rules import Hand, pack_hint, sort_hinted_first, unpack_hint
from bot.i18n import get_words
from bot.modes.daily import view as daily
from bot.modes.daily.rules import DailyHand, make_attempt
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import State
from tests.sample_rounds import change_round, get_hand, make_round

GAME: Any = GAMES["24"]
SAID = get_words("en")
SUM_FIRST: dict[str, Any] = {
    "numbers": (5, 9, 6, 9),
    "ideas": ("9+5*(9-6)", "6*(5-9/9)"),
    "hint_values": ('["last", "*"]', '["make", "1", "9 9"]', '["shape", "□*(□-□/□)"]'),
}
HINTED = "6×(5−9÷9) = 24"


def test_end_of_a_round_shows_the_hinted_idea_first() -> None:
    over = replace(change_round(make_round(), **SUM_FIRST), state=State.SKIPPED)
    assert view.find_missed_answer(over) == "6*(5-9/9)"
    first, second = GAME.render_solutions(SAID, over, (), 5)
    assert HINTED in first
    assert "9+5×(9−6) = 24" in second


def test_daily_hand_that_was_given_up_shows_the_hinted_idea_first() -> None:
    puzzle = get_hand(change_round(make_round(), **SUM_FIRST))
    text = daily.render_given_up(SAID, make_attempt(DailyHand("2026-11-21", "24", puzzle), 7, 0.0))
    assert text.index(HINTED) < text.index("9+5×(9−6) = 24")
    assert text.count(HINTED) == 1


@pytest.mark.parametrize("numbers", [(8, 4, 5, 11), (12, 3, 12, 6), (1, 2, 3, 4), (2, 3, 5, 12)])
def test_first_idea_fits_every_hint(numbers: tuple[int, ...]) -> None:
    dealt = build_hand(numbers, 24)
    first = sort_hinted_first(dealt, dealt.ideas)[0]
    again = sort_hinted_first(replace(dealt, ideas=(first,)), (first,))
    assert again == (first,)
    assert set(sort_hinted_first(dealt, dealt.ideas)) == set(dealt.ideas)


def test_every_hint_is_unpacked_as_it_was_packed() -> None:
    hints = solver.hints((3, 8, 3, 8))
    assert [unpack_hint(pack_hint(hint)) for hint in hints] == list(hints)


def test_hidden_sign_of_a_hint_fits_any_sign() -> None:
    kept = Hand((5, 5, 6, 8), 24, "easy", 5.0, ("8*(5-5)+6*4", "5+5+6+8"), ('["shape", "□○□+□+□"]',))
    assert sort_hinted_first(kept, kept.ideas)[0] == "5+5+6+8"


def test_order_stays_if_the_hinted_idea_was_found() -> None:
    left = ("9+5*(9-6)", "9+(9-6)*5")
    assert sort_hinted_first(get_hand(change_round(make_round(), **SUM_FIRST)), left) == left


def test_order_stays_without_hints() -> None:
    bare = get_hand(change_round(make_round(), kind=Kind.ALL, ideas=("3*8", "8*3")))
    assert sort_hinted_first(bare, bare.ideas) == ("3*8", "8*3")
