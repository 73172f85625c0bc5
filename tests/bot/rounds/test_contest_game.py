"""Rating of contests."""

import json
from dataclasses import replace

import pytest

from bot.rounds.contest_game import CONTEST_LIFETIME
from bot.rounds.puzzle import Match, PlayerResult, Result
from bot.rounds.registry import CONTEST_GAMES
from tests.bot.modes.contest.test_view import make_contest

GAME = CONTEST_GAMES["yahtzee"]


def make_entry(*put: int) -> str:
    return json.dumps({"card": {"v": 1, "put": put}})


@pytest.mark.parametrize("unrated", [None, make_entry(*range(12))], ids=["missing", "unfinished"])
def test_missing_or_unfinished_card_is_not_rated(unrated: str | None) -> None:
    round = make_contest(1)
    card = GAME.unpack_card({"v": 1, "put": list(range(13))})
    played = [PlayerResult(7, entry=make_entry(*range(13))), PlayerResult(8, entry=unrated)]
    assert GAME.make_rating_match(round, played) == Match(
        [Result(7, -GAME.compute_total(round.puzzle, card))]
    )


def test_given_up_and_expired_cards_are_rated_last() -> None:
    week, early = (
        replace(make_contest(1), closed=CONTEST_LIFETIME + 2),
        replace(make_contest(1), closed=CONTEST_LIFETIME - 2),
    )
    full, part, blank = make_entry(*range(13)), make_entry(*range(12)), make_entry()
    lost = json.dumps({"card": {"v": 1, "put": list(range(12))}, "given_up": True})
    played = [
        PlayerResult(7, entry=full),
        PlayerResult(8, entry=part),
        PlayerResult(9, entry=blank),
        PlayerResult(10, entry=lost),
    ]
    places = {each.player_id: each.place for each in GAME.make_rating_match(week, played).results}
    assert set(places) == {7, 8, 10}
    assert places[7] < places[8] == places[10]
    # whom somebody else's end cut short has lost nothing
    assert [each.player_id for each in GAME.make_rating_match(early, played).results] == [7, 10]
