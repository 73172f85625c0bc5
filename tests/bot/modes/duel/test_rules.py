"""Players and end of a duel."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.modes.duel.rules import (
    MAX_HANDS,
    Duel,
    DuelState,
    get_other_player,
    is_challenged,
    mark_given_up,
    settle_by_score,
)

ANN, BOB = 1, 2
OPEN = Duel(7, -1, 0, ANN, BOB, "24", 1000.0, state=DuelState.OPEN, race_id=3)


@given(st.integers(0, MAX_HANDS), st.integers(0, MAX_HANDS))
def test_more_hands_win_and_equal_hands_draw(ann: int, bob: int) -> None:
    over = settle_by_score(OPEN, {ANN: ann, BOB: bob})
    if ann == bob:
        assert (over.state, over.winner_id) == (DuelState.DRAWN, None)
    else:
        assert (over.state, over.winner_id) == (DuelState.WON, ANN if ann > bob else BOB)


def test_other_player_wins_a_duel_that_is_given_up() -> None:
    assert [mark_given_up(OPEN, who).winner_id for who in (ANN, BOB)] == [BOB, ANN]
    assert mark_given_up(OPEN, ANN).state is DuelState.GIVEN_UP


def test_duel_has_two_players() -> None:
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
def test_challenge_names_its_opponent(
    who: int | None, opponent: str, player: int, username: str | None, meant: bool
) -> None:
    offered = replace(OPEN, state=DuelState.OFFERED, opponent_id=who, opponent_name=opponent)
    assert is_challenged(offered, player, username) is meant
    assert offered.is_for_anybody is (who is None and not opponent)
