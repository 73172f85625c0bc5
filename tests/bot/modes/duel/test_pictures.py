"""Pictures of duels and challenges."""

from dataclasses import replace

import pytest

from bot.i18n import INVISIBLE_NAME, get_words
from bot.modes.duel import rules, view
from bot.modes.duel.rules import DuelState
from bot.modes.duel.view import DuelStandings
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand
from bot.pictures.values import DuelPicture
from tests.sample_rounds import make_round

ANN, BOB = 7, 8
DUEL = rules.Duel(1, -1, 0, ANN, BOB, "24", 0.0, state=DuelState.WON, winner_id=BOB)
POINTS: list[dict[int, int]] = [{ANN: 3}, {BOB: 5}, {ANN: 7, BOB: 7}, {BOB: 1}, {BOB: 1}]
FINISHED_HANDS = [RaceHand(make_round(), points) for points in POINTS]
STANDINGS = DuelStandings(Race(1, ANN, 5), FINISHED_HANDS, duel=DUEL)


def test_picture_shows_a_won_duel() -> None:
    assert STANDINGS.make_end_picture(get_words("en"), {ANN: "Ann", BOB: "Bob"}) == DuelPicture(
        "The duel is won", ("Ann", "Bob"), (2, 4), [(0,), (1,), (0, 1), (1,), (1,)], 1
    )


@pytest.mark.parametrize(
    ("state", "winner", "title", "place"),
    [
        (DuelState.DRAWN, None, "The duel is drawn", None),
        (DuelState.GIVEN_UP, ANN, "Given up", 0),
        (DuelState.STOPPED, None, "The duel was ended", None),
    ],
)
def test_picture_shows_how_a_duel_ended(
    state: DuelState, winner: int | None, title: str, place: int | None
) -> None:
    over = replace(DUEL, state=state, winner_id=winner)
    shown = replace(STANDINGS, duel=over).make_end_picture(get_words("en"), {})
    assert (shown.title, shown.winner, shown.names) == (title, place, (INVISIBLE_NAME, INVISIBLE_NAME))


@pytest.mark.parametrize(
    ("opponent_id", "opponent", "shown"),
    [(BOB, "Bob", "Bob"), (9, "Somebody new", "Somebody new"), (None, "@cid", "@cid"), (None, "", "?")],
)
def test_picture_shows_a_challenge(opponent_id: int | None, opponent: str, shown: str) -> None:
    offered = rules.Duel(1, -1, 0, ANN, opponent_id, "24", 0.0, opponent_name=opponent)
    assert view.make_challenge_picture(get_words("en"), offered, {ANN: "Ann", BOB: "Bob"}) == DuelPicture(
        "Duel", ("Ann", shown), (0, 0), [()] * 5, None
    )
