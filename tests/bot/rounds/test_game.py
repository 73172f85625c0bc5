"""Defaults of a game."""

import pytest

from bot.i18n import get_words
from bot.rounds.game import Game
from bot.rounds.puzzle import Find, Kind, Options, PlayerResult, UnknownWordError
from bot.rounds.registry import GAMES
from bot.standings.ratings.rules import Match, Result
from tests.sample_rounds import make_round

GAME, COUNTDOWN = GAMES["24"], GAMES["countdown"]
ENGLISH = get_words("en")


def test_solvers_rank_above_those_who_only_tried() -> None:
    round = make_round(expected=14.0, hints=2)
    played = [PlayerResult(7), PlayerResult(8, 3, 9.0), PlayerResult(9)]
    assert GAME.make_rating_match(round, played) == Match(
        [Result(7, 1), Result(8, -3, 9.0), Result(9, 1)], 0, expected=14.0, hints=2
    )


def test_finds_are_rated_by_points_not_time() -> None:
    match = GAME.make_rating_match(
        make_round(kind=Kind.ALL), [PlayerResult(7, 6, 9.0), PlayerResult(8, 3, 4.0), PlayerResult(9)]
    )
    assert match.results == [Result(7, -6), Result(8, -3), Result(9, 1)]
    assert match.expected is not None


def test_puzzle_is_no_opponent_in_round_of_kind_best() -> None:
    match = GAME.make_rating_match(
        make_round(kind=Kind.BEST),
        [PlayerResult(7, 271, 9.0), PlayerResult(8, 180, 9.0), PlayerResult(9, entry="…")],
    )
    assert match == Match([Result(7, -271), Result(8, -180), Result(9, 1)], expected=None)


def test_level_is_parsed_in_both_languages() -> None:
    assert Game.parse_options(GAME, get_words("es"), "Difícil") == Options("hard", Kind.FIRST)
    assert Game.parse_options(GAME, get_words("es"), "hard") == Options("hard", Kind.FIRST)
    assert Game.parse_options(GAME, ENGLISH, "") == Options(None, Kind.FIRST)


@pytest.mark.parametrize(("game", "text", "word"), [(GAME, "hard easy", "easy"), (COUNTDOWN, "hard", "hard")])
def test_other_word_is_refused(game: Game, text: str, word: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UnknownWordError) as refused:
        Game.parse_options(game, ENGLISH, text)
    assert refused.value.fragment == word


def test_usage_names_what_the_command_takes() -> None:
    assert "takes a level: easy, medium, hard, fiendish." in Game.render_usage(GAME, ENGLISH, "9")
    assert Game.render_usage(COUNTDOWN, ENGLISH, "9").endswith("/countdown takes nothing more.")


def test_solutions_leave_out_found_answers() -> None:
    round = make_round()
    assert Game.render_solutions(GAME, ENGLISH, round, (), 3) == ["💭 <b>8/(3-8/3) = 24</b>"]
    assert Game.render_solutions(GAME, ENGLISH, round, [Find(7, "8/(3-8/3)", "", 5)], 3) == []
