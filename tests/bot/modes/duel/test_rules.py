"""The options and the end of a duel."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.modes.duel.rules import (
    MAX_HANDS,
    Duel,
    DuelOptions,
    DuelState,
    get_other_player,
    is_challenged,
    is_decided,
    mark_given_up,
    mark_stopped,
    parse_duel_options,
    settle_by_score,
)
from bot.rounds.puzzle import LEVELS, Level, UnknownWordError

ANN, BOB = 1, 2
NAMES: dict[str, Level] = {level: level for level in LEVELS}
OPEN = Duel(7, -1, 0, ANN, BOB, "24", 1000.0, state=DuelState.OPEN, race_id=3)
OVER = [state for state in DuelState if state is not DuelState.OPEN]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", DuelOptions()),
        ("hard", DuelOptions("hard")),
        ("HARD", DuelOptions("hard")),
        ("play easy", DuelOptions("easy", "24")),
        ("easy, play", DuelOptions("easy", "24")),
    ],
)
def test_a_level_and_a_game_are_parsed_in_any_order(text: str, asked: DuelOptions) -> None:
    assert parse_duel_options(text, NAMES, {"play": "24"}) == asked


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("5", "5"),
        ("hard easy", "easy"),
        ("play play", "play"),
        ("hard bob", "bob"),
        ("x" * 101, "x" * 20 + "…"),
    ],
)
def test_the_first_unknown_word_is_named(text: str, fragment: str) -> None:
    with pytest.raises(UnknownWordError) as caught:
        parse_duel_options(text, NAMES, {"play": "24"})
    assert caught.value.fragment == fragment


@pytest.mark.parametrize(
    ("score", "decided"),
    [({}, False), ({ANN: 2, BOB: 2}, False), ({ANN: 3}, True), ({BOB: 3, ANN: 2}, True)],
)
def test_three_won_hands_decide_a_duel(score: dict[int, int], decided: bool) -> None:
    assert is_decided(score) is decided


@given(st.integers(0, MAX_HANDS), st.integers(0, MAX_HANDS))
def test_more_hands_win_and_equal_hands_draw(ann: int, bob: int) -> None:
    over = settle_by_score(OPEN, {ANN: ann, BOB: bob})
    if ann == bob:
        assert (over.state, over.winner_id) == (DuelState.DRAWN, None)
    else:
        assert (over.state, over.winner_id) == (DuelState.WON, ANN if ann > bob else BOB)


def test_the_other_player_wins_a_duel_that_is_given_up() -> None:
    assert [mark_given_up(OPEN, who).winner_id for who in (ANN, BOB)] == [BOB, ANN]
    assert mark_given_up(OPEN, ANN).state is DuelState.GIVEN_UP


def test_a_stopped_duel_has_no_winner() -> None:
    assert (mark_stopped(OPEN).state, mark_stopped(OPEN).winner_id) == (DuelState.STOPPED, None)


@pytest.mark.parametrize("state", OVER)
def test_a_duel_that_is_over_never_changes(state: DuelState) -> None:
    over = replace(OPEN, state=state)
    assert settle_by_score(over, {ANN: 3}) == mark_given_up(over, ANN) == mark_stopped(over) == over


def test_a_duel_has_two_players() -> None:
    assert OPEN.player_ids == (ANN, BOB)
    assert (get_other_player(OPEN, ANN), get_other_player(OPEN, BOB)) == (BOB, ANN)
    assert replace(OPEN, opponent_id=None).player_ids == (ANN,)


@pytest.mark.parametrize(
    ("who", "opponent", "player", "username", "meant"),
    [
        (BOB, "Bob", BOB, None, True),
        (BOB, "@ann", 3, "ann", False),
        (0, "", 3, "ann", False),
        (None, "", 3, "ann", False),
        (None, "", 3, None, False),
        (None, "@Ann", 3, "aNN", True),
        (None, "@Ann", 3, "anna", False),
        (None, "@Ann", 3, "@Ann", False),
        (None, "@Ann", 3, None, False),
        (None, "@", 3, "", False),
        (None, "@", 3, None, False),
    ],
)
def test_who_is_challenged(
    who: int | None, opponent: str, player: int, username: str | None, meant: bool
) -> None:
    offered = replace(OPEN, state=DuelState.OFFERED, opponent_id=who, opponent_name=opponent)
    assert is_challenged(offered, player, username) is meant
    assert offered.is_for_anybody is (who is None and not opponent)
