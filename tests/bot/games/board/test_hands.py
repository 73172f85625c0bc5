"""What a page is told of a hand: nothing of how it is done before it is over."""

from dataclasses import replace

import pytest

from bot.games.board import hands
from bot.games.puzzle import Kind
from bot.games.rounds.rules import State
from bot.games.rounds.scene import Scene
from tests.hands import deal


@pytest.mark.parametrize("state", [State.OPEN, State.RUNNING, State.WON])
def test_how_a_hand_is_done_is_told_only_where_nobody_found_it(state: State) -> None:
    assert hands.solution(replace(deal(), state=state)) == ""


@pytest.mark.parametrize("state", [State.SKIPPED, State.EXPIRED])
def test_how_a_hand_is_done_that_nobody_found(state: State) -> None:
    assert hands.solution(replace(deal(), state=state)) == "8/(3-8/3) = 24"


def test_the_nearest_is_told_of_hands_that_the_nearest_answer_wins() -> None:
    assert hands.best(deal()) == ""
    assert hands.best(replace(deal(), kind=Kind.BEST)) == "8/(3-8/3) = 24"


def test_what_the_next_hint_costs() -> None:
    fresh = hands.hints(deal(), "en")
    assert (fresh["hints"], fresh["costs"]) == ([], deal().points > 1)
    over = hands.hints(replace(deal(), state=State.WON), "en")
    assert over == {"hints": [], "worth": "", "costs": False}


def test_a_hand_that_is_part_of_no_race() -> None:
    assert hands.in_race(Scene(), "en", 1) == {"hand": "", "before": None}
