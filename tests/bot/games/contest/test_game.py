"""How a contest is rated: by the full cards that can be read."""

import json

import pytest

from bot.games.known import CONTESTS
from bot.games.puzzle import Played
from bot.people.ratings.rules import Match, Result
from tests.bot.games.contest.test_view import contest

GAME = CONTESTS["yahtzee"]


def entry(*put: int) -> str:
    return json.dumps({"card": {"v": 1, "put": put}})


@pytest.mark.parametrize(
    "broken",
    [None, "", "5", "{}", '{"card": 3}', entry(1, 1), entry(*range(12)), entry(*range(14)), "[" * 60_000],
    ids=range(9),
)
def test_a_card_that_cannot_be_read_or_is_not_full_is_left_out_alone(broken: str | None) -> None:
    round = contest(1)
    card = GAME.unpack_card({"v": 1, "put": list(range(13))})
    played = [Played(7, entry=entry(*range(13))), Played(8, entry=broken)]
    assert GAME.match(round, played) == Match([Result(7, -GAME.total(round.puzzle, card))])
