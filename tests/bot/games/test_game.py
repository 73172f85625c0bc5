"""What a game need not say by itself."""

from bot.games.known import GAMES
from bot.games.puzzle import Kind, Played
from bot.people.ratings.rules import Match, Result
from tests.hands import deal

GAME = GAMES["24"]


def test_whoever_solved_a_hand_beat_it_and_those_who_only_tried() -> None:
    round = deal(expected=14.0, hints=2)
    played = [Played(7), Played(8, 3, 9.0), Played(9)]
    assert GAME.match(round, played) == Match(
        [Result(7, 1), Result(8, -3, 9.0), Result(9, 1)], 0, expected=14.0, hints=2
    )


def test_where_all_is_to_be_found_more_points_are_better_and_time_says_nothing() -> None:
    match = GAME.match(deal(kind=Kind.ALL), [Played(7, 6, 9.0), Played(8, 3, 4.0), Played(9)])
    assert match.results == [Result(7, -6), Result(8, -3), Result(9, 1)]
    assert match.expected is not None


def test_where_the_best_entry_wins_the_puzzle_is_no_opponent_unless_the_game_says_so() -> None:
    match = GAME.match(deal(kind=Kind.BEST), [Played(7, 271, 9.0), Played(8, 180, 9.0), Played(9, entry="…")])
    assert match == Match([Result(7, -271), Result(8, -180), Result(9, 1)], expected=None)
