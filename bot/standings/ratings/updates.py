"""Load ratings, and update them in the transaction that ends a round or a daily attempt."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Any

from sqlalchemy import Table, bindparam, select

from bot.database import Tx, build_upsert
from bot.database.schema import FORGOTTEN_PLAYER, awards, entries, ratings, tries
from bot.modes.daily.rules import Attempt
from bot.rounds import secrecy
from bot.rounds.puzzle import Kind, Match, PlayerResult, Result
from bot.rounds.registry import CONTEST_GAMES, GAMES, ask_safely
from bot.rounds.rules import Round, State
from bot.standings.ratings import rules

RATED_STATES = (State.WON, State.SKIPPED, State.EXPIRED, State.OVER)
RATED_KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST, Kind.CONTEST)  # Not tutorials, practice or chosen hands


def rate_round(tx: Tx, round: Round) -> None:
    """Rate who tried an ended round of a rated kind, but not who saw a solution and scored nothing."""
    if isinstance(round, Attempt):
        _rate_daily_attempt(tx, round)
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
    match = ask_safely(GAMES[round.game], partial(make_match, round, rated), None)
    if match is not None:
        apply_match(tx, match, ended)


def make_match(round: Round, played: Sequence[PlayerResult]) -> Match:
    """Return the ranks of the players in an ended round, and how hard it was: as its game says, or by points.

    By points, a player with points has beaten the puzzle; rounds of the kind *best* have no such opponent.
    The time counts only in rounds of the kind *first*.
    """
    if round.kind is Kind.CONTEST:
        return CONTEST_GAMES[round.game].make_rating_match(round, played)
    game_entries = GAMES[round.game].entries  # a game with entries may rank the players itself
    match = game_entries.make_rating_match(round, played) if game_entries else None
    if match is not None:
        return match
    results = [_make_result_by_points(player, is_timed=round.kind is Kind.FIRST) for player in played]
    expected = None if round.kind is Kind.BEST else round.expected  # with it, the puzzle is an opponent
    return Match(results, expected=expected, hints=round.hints_shown)


def _make_result_by_points(player: PlayerResult, *, is_timed: bool) -> Result:
    if not player.points:
        return Result(player.player_id, place=1)  # behind the puzzle, which has place 0
    place = -player.points  # a lower place is better
    return Result(player.player_id, place, seconds=player.seconds if is_timed else None)


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


def _rate_daily_attempt(tx: Tx, attempt: Attempt) -> None:
    """Update a known player's rating by an ended daily attempt: a match against the hand alone."""
    if attempt.player_id <= FORGOTTEN_PLAYER:
        return
    if attempt.state is State.WON:
        result = Result(attempt.player_id, place=-1, seconds=attempt.seconds)  # Beats the hand, in place 0
    else:
        result = Result(attempt.player_id, place=1)  # Loses to the hand
    match = Match([result], expected=attempt.expected, hints=attempt.hints_shown)
    ended_at = attempt.closed or attempt.opened
    apply_match(tx, match, ended_at)


def apply_match(tx: Tx, match: Match, at: float) -> None:
    """Update the ratings of the players of a match that ended at `at`."""
    known = load_ratings(tx, {result.player_id for result in match.results})
    rated = rules.rate_match(known, match, at)
    rows = [{"player_id": player_id, **asdict(rating)} for player_id, rating in rated.items()]
    if rows:
        tx.execute(build_upsert(tx.dialect.name, ratings, updated=("mu", "sigma", "hands", "at")), rows)


RATINGS = select(ratings).where(ratings.c.player_id.in_(bindparam("ids")))


def load_ratings(tx: Tx, player_ids: Collection[int]) -> dict[int, rules.Rating]:
    """Return the ratings of those of the players who have one."""
    rows = tx.execute(RATINGS, {"ids": list(player_ids)}) if player_ids else ()
    return {row.player_id: make_rating(row) for row in rows}


def load_rating(tx: Tx, player_id: int) -> rules.Rating | None:
    """Return a player's rating; None before the first hand."""
    return load_ratings(tx, [player_id]).get(player_id)


def make_rating(row: Any) -> rules.Rating:
    return rules.Rating(row.mu, row.sigma, row.hands, row.at)
