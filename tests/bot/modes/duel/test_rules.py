"""When a duel is decided, and how it ends."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.modes.duel.rules import (
    HANDS,
    Asked,
    Duel,
    Progress,
    challenges,
    given_up,
    is_decided,
    other,
    read,
    settled,
    stopped,
)
from bot.rounds.puzzle import LEVELS, Level, UnknownWordError

ANN, BOB = 1, 2
NAMES: dict[str, Level] = {level: level for level in LEVELS}
OPEN = Duel(7, -1, 0, ANN, BOB, "24", 1000.0, state=Progress.OPEN, race_id=3)
OVER = [state for state in Progress if state is not Progress.OPEN]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", Asked()),
        ("hard", Asked("hard")),
        ("HARD", Asked("hard")),
        ("play easy", Asked("easy", "24")),
        ("easy, play", Asked("easy", "24")),
    ],
)
def test_a_level_and_a_game_are_asked_for_in_any_order(text: str, asked: Asked) -> None:
    assert read(text, NAMES, {"play": "24"}) == asked


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
def test_the_first_word_that_makes_no_sense_is_named(text: str, fragment: str) -> None:
    with pytest.raises(UnknownWordError) as caught:
        read(text, NAMES, {"play": "24"})
    assert caught.value.fragment == fragment


@pytest.mark.parametrize(
    ("score", "decided"),
    [({}, False), ({ANN: 2, BOB: 2}, False), ({ANN: 3}, True), ({BOB: 3, ANN: 2}, True)],
)
def test_three_hands_decide(score: dict[int, int], decided: bool) -> None:
    assert is_decided(score) is decided


@given(st.integers(0, HANDS), st.integers(0, HANDS))
def test_who_has_won_more_hands_has_won(ann: int, bob: int) -> None:
    over = settled(OPEN, {ANN: ann, BOB: bob})
    if ann == bob:
        assert (over.state, over.winner_id) == (Progress.DRAWN, None)
    else:
        assert (over.state, over.winner_id) == (Progress.WON, ANN if ann > bob else BOB)


def test_who_gives_up_has_lost() -> None:
    assert [given_up(OPEN, who).winner_id for who in (ANN, BOB)] == [BOB, ANN]
    assert given_up(OPEN, ANN).state is Progress.GIVEN_UP


def test_whoever_else_ends_it_leaves_no_winner() -> None:
    assert (stopped(OPEN).state, stopped(OPEN).winner_id) == (Progress.STOPPED, None)


@pytest.mark.parametrize("state", OVER)
def test_what_is_over_stays_as_it_is(state: Progress) -> None:
    over = replace(OPEN, state=state)
    assert settled(over, {ANN: 3}) == given_up(over, ANN) == stopped(over) == over


def test_there_are_two() -> None:
    assert OPEN.players == (ANN, BOB)
    assert (other(OPEN, ANN), other(OPEN, BOB)) == (BOB, ANN)
    assert replace(OPEN, opponent_id=None).players == (ANN,)


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
def test_who_is_challenged_by_name(
    who: int | None, opponent: str, player: int, username: str | None, meant: bool
) -> None:
    offered = replace(OPEN, state=Progress.OFFERED, opponent_id=who, opponent=opponent)
    assert challenges(offered, player, username) is meant
    assert offered.is_open is (who is None and not opponent)
