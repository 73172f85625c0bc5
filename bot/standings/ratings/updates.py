"""Update ratings in the transaction that ends a round or a daily attempt."""

from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Table, bindparam, select

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, entries, tries
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand
from bot.rounds import secrecy
from bot.rounds.puzzle import Kind, PlayerResult
from bot.rounds.registry import GAMES, ask_game_safely
from bot.rounds.rules import Round, State
from bot.standings.ratings.queries import apply_match
from bot.standings.ratings.rules import Match, Result

RATED_STATES = (State.WON, State.SKIPPED, State.EXPIRED, State.OVER)
RATED_KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST, Kind.CONTEST)  # Not lessons, practice or chosen hands


def rate_round(tx: Tx, round: Round) -> None:
    """Rate who tried an ended round of a rated kind, but not who saw a solution and scored nothing."""
    if round.state not in RATED_STATES or round.kind not in RATED_KINDS:
        return
    ended = round.closed or round.opened
    results = _load_results(tx, round.id)
    without_points = [result.player_id for result in results if not result.points]
    readers = set[int]()  # Players who saw a solution
    if without_points:
        readers = secrecy.find_players_shown_solution(tx, round, without_points, ended)
    rated = [result for result in results if result.player_id not in readers]
    if not rated:
        return
    # A game whose entries can't be read rates nobody, so that its round still ends
    match = ask_game_safely(GAMES[round.game], lambda game: game.make_rating_match(round, rated), None)
    if match is not None:
        apply_match(tx, match, ended)


def _load_results(tx: Tx, round_id: int) -> list[PlayerResult]:
    """Return a result for each who erred, entered or got awards: the sum of points and the quickest time."""
    results = dict[int, PlayerResult]()
    parameters = {"round": round_id}
    for row in tx.execute(_build_rows_of_round(tries), parameters):
        if row.wrong or row.misread:
            results[row.player_id] = PlayerResult(row.player_id)
    for row in tx.execute(_build_rows_of_round(entries), parameters):
        results[row.player_id] = PlayerResult(row.player_id, entry=row.answer)
    for row in tx.execute(_build_rows_of_round(awards), parameters):
        before = results.get(row.player_id, PlayerResult(row.player_id))
        seconds = row.seconds
        if before.points:  # Not the first award of the player: `before` has a time
            seconds = min(before.seconds, row.seconds)
        points = before.points + row.points
        results[row.player_id] = replace(before, points=points, seconds=seconds)
    return list(results.values())


@cache
def _build_rows_of_round(table: Table) -> Any:
    """Build the SELECT of a round's rows that belong to known players."""
    return select(table).where(table.c.round_id == bindparam("round"), table.c.player_id > FORGOTTEN_PLAYER)


def rate_daily_attempt(tx: Tx, hand: DailyHand, attempt: Attempt) -> None:
    """Update a known player's rating by an ended daily attempt: a match against the hand alone."""
    if attempt.state is AttemptState.OPEN or attempt.player_id <= FORGOTTEN_PLAYER:
        return
    if attempt.state is AttemptState.SOLVED:
        result = Result(attempt.player_id, place=-1, seconds=attempt.seconds)  # Beats the hand, in place 0
    else:
        result = Result(attempt.player_id, place=1)  # Loses to the hand
    match = Match([result], expected=hand.puzzle.expected, hints=attempt.hints)
    ended_at = attempt.closed or attempt.opened
    apply_match(tx, match, ended_at)
