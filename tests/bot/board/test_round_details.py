"""Details of a round on a page: no solution before the end."""

from dataclasses import replace

import pytest

from bot.board import round_details
from bot.i18n import get_words
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceStandings
from bot.rounds.view import Snapshot
from tests.stories.clock import NOON


def test_hand_outside_a_race_describes_none() -> None:
    assert round_details.describe_race(Snapshot(), get_words("en"), 1) == {
        "hand": "",
        "before": None,
        "ended": "",
        "last": None,
    }


def describe_race_end(standings: RaceStandings, reader: int | None) -> str:
    result = round_details.describe_race(
        Snapshot(names={1: "Ann", 2: "Bob"}, standings=standings), get_words("en"), reader
    )
    assert (result["hand"], result["before"]) == ("", None)
    return strip_isolates(result["ended"])


def strip_isolates(text: str) -> str:
    return text.replace("\u2068", "").replace("\u2069", "")


def test_race_end_has_its_score() -> None:
    over = RaceStandings(Race(4, -7, 0, 1, 3, NOON, hands_played=3, is_open=False), [], {2: 15, 1: 16})
    assert describe_race_end(over, 1) == "You won the race, 16 to 15."
    assert describe_race_end(over, 2) == describe_race_end(over, None) == "Ann won the race, 16 to 15."
    assert describe_race_end(replace(over, points={1: 4}), 1) == "You won the race, 4 to 0."
    assert describe_race_end(replace(over, points={1: 4, 2: 4}), 1) == "The race ends in a draw, 4 to 4."
    assert describe_race_end(replace(over, points={}), 1) == "The race is over."


@pytest.mark.parametrize(
    ("state", "winner", "expected"),
    [
        (DuelState.WON, 1, "You won the duel, 3 to 1."),
        (DuelState.WON, 2, "Bob wins the duel against Ann, 1:3!"),
        (DuelState.DRAWN, None, "Ann and Bob part in a draw, 3:1."),
        (DuelState.STOPPED, None, "The duel of Ann and Bob was ended at 3:1."),
        (DuelState.GIVEN_UP, 1, "Bob gives up at 1:3: Ann wins the duel."),
    ],
)
def test_duel_end_has_its_score(state: DuelState, winner: int | None, expected: str) -> None:
    fought = Duel(1, -7, 0, 1, 2, "24", NOON, state=state, race_id=4, winner_id=winner)
    race = Race(4, -7, 0, 1, 5, NOON, hands_played=4, is_open=False)
    assert describe_race_end(RaceStandings(race, [], {}, duel=fought, hands_won={1: 3, 2: 1}), 1) == expected
