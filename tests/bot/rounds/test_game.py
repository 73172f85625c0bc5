"""Defaults of a game with the core only."""

import pytest

from bot.i18n import get_words
from bot.rounds.game import Game
from bot.rounds.puzzle import Find, Kind, Options, UnknownWordError
from bot.rounds.registry import GAMES
from tests.games.sums.game import Sums
from tests.sample_rounds import make_round

ENGLISH = get_words("en")


def test_game_takes_no_options_unless_it_says_so() -> None:
    assert Sums.options.parse(ENGLISH, " ", Kind.FIRST) == Options()
    with pytest.raises(UnknownWordError) as refused:
        Sums.options.parse(ENGLISH, "hard", Kind.FIRST)
    assert refused.value.fragment == "hard"
    assert Sums.options.render_usage(ENGLISH, "sum", "9").endswith("Send /sum with nothing after it.")


def test_solutions_leave_out_found_answers() -> None:
    game, round = GAMES["24"], make_round()
    assert Game.render_solutions(game, ENGLISH, round, (), 3) == ["💭 <b>8÷(3−8÷3) = 24</b>"]
    assert Game.render_solutions(game, ENGLISH, round, [Find(7, "8/(3-8/3)", "", 5)], 3) == []
