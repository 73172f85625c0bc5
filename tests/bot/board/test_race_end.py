"""The sentence that ends a race or duel on a page."""

import pytest

from bot.board import view
from bot.i18n import get_words
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.duel.view import DuelStandings
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.rounds.view import Snapshot
from tests.sample_rounds import make_round
from tests.stories.clock import NOON


def describe_race_end(standings: RaceStandings, reader: int | None) -> str:
    snapshot = Snapshot(names={1: "Ann", 2: "Bob"}, frame=standings)
    return strip_isolates(view.render_race_end(snapshot, get_words("en"), reader))


def strip_isolates(text: str) -> str:
    return text.replace("\u2068", "").replace("\u2069", "")


def make_ended_race(points: dict[int, int]) -> RaceStandings:
    return RaceStandings(Race(4, 1, 3, hands_played=1, is_open=False), [RaceHand(make_round(), points)])


def test_race_end_has_its_score() -> None:
    over = make_ended_race({2: 15, 1: 16})
    assert describe_race_end(over, 1) == "You won the race, 16 to 15."
    assert describe_race_end(over, 2) == describe_race_end(over, None) == "Ann won the race, 16 to 15."
    assert describe_race_end(make_ended_race({1: 4}), 1) == "You won the race, 4 to 0."
    assert describe_race_end(make_ended_race({1: 4, 2: 4}), 1) == "The race ends in a draw, 4 to 4."
    assert describe_race_end(make_ended_race({}), 1) == "The race is over."


@pytest.mark.parametrize(
    ("state", "winner", "expected"),
    [
        (DuelState.WON, 1, "You won the duel, 3 to 1."),
        (DuelState.WON, 2, "Bob wins the duel against Ann, 1:3!"),
        (DuelState.DRAWN, None, "Ann and Bob drew the duel, 3:1."),
        (DuelState.STOPPED, None, "The duel of Ann and Bob was ended at 3:1."),
        (DuelState.GIVEN_UP, 1, "Bob gives up at 1:3: Ann wins the duel."),
    ],
)
def test_duel_end_has_its_score(state: DuelState, winner: int | None, expected: str) -> None:
    fought = Duel(1, -7, 0, 1, 2, "24", NOON, state=state, race_id=4, winner_id=winner)
    race = Race(4, 1, 5, hands_played=4, is_open=False)
    hands = [RaceHand(make_round(), {player: 1}) for player in (1, 1, 2, 1)]
    assert describe_race_end(DuelStandings(race, hands, duel=fought), 1) == expected
