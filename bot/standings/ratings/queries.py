"""Stored ratings, and lists of the best players."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cache
from itertools import count
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
    union,
)

from bot.database import Tx, build_upsert
from bot.database.schema import Seconds, awards, entries, players, ratings, rounds, tallies, totals, tries
from bot.durations import DAY
from bot.standings.leaderboard.queries import MAX_LINES, Standing, make_scored_since_conditions
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME
from bot.standings.ratings import rules


def apply_match(tx: Tx, match: rules.Match, at: float) -> None:
    """Update the ratings of the players of a match that ended at `at`."""
    known = load_ratings(tx, {result.player_id for result in match.results})
    rated = rules.rate_match(known, match, at)
    rows = [{"player_id": player_id, **asdict(rating)} for player_id, rating in rated.items()]
    if rows:
        tx.execute(build_upsert(tx.dialect.name, ratings, "mu", "sigma", "hands", "at"), rows)


RATINGS = select(ratings).where(ratings.c.player_id.in_(bindparam("ids")))


def load_ratings(tx: Tx, player_ids: Collection[int]) -> dict[int, rules.Rating]:
    """Return the ratings of those of the players who have one."""
    rows = tx.execute(RATINGS, {"ids": list(player_ids)}) if player_ids else ()
    return {row.player_id: _make_rating(row) for row in rows}


def load_rating(tx: Tx, player_id: int) -> rules.Rating | None:
    """Return a player's rating; None before the first hand."""
    return load_ratings(tx, [player_id]).get(player_id)


def _make_rating(row: Any) -> rules.Rating:
    return rules.Rating(row.mu, row.sigma, row.hands, row.at)


@dataclass(frozen=True, slots=True)
class RatingScope:
    """The chat, time and game of a list by rating: of who answered in the chat, or scored in all chats."""

    chat_id: int  # `ALL_CHATS` for all that count
    period: str = ALL_TIME  # As in `totals`; only used for all chats
    since: float = 0.0  # When the period began; 0 for all time
    game: str = ""  # Empty for all games

    @property
    def shape(self) -> tuple[bool, bool, bool]:
        """Whether the scope is all chats, all time and one game: statements are built for each shape."""
        return self.chat_id == ALL_CHATS, not self.since, bool(self.game)


# The lower bound of a rating at its last change; it falls until the next one. An index has this expression
STORED_BOUND: ColumnElement[float] = literal_column(f"(ratings.mu - {rules.MARGIN_SIGMAS} * ratings.sigma)")
PAGE_SIZE = 50  # Players that are read at a time


def load_best_players(tx: Tx, scope: RatingScope, now: float) -> list[Standing[rules.DisplayedRating]]:
    """Return the ten players of a scope with the highest lower bounds at `now`, the best first."""
    best: list[tuple[float, Any]] = []  # Bounds at `now`, and rows
    for offset in count(start=0, step=PAGE_SIZE):
        rows = tx.execute(_build_lines(*scope.shape), {**asdict(scope), "offset": offset}).all()
        best += [(rules.get_lower_bound(_make_rating(row), now), row) for row in rows]
        best = sorted(best, key=lambda pair: (-pair[0], pair[1].player_id))[:MAX_LINES]
        if not rows:
            break
        # Rows come by their stored bounds, which only fall with time: no later one can be better
        lowest_bound = best[-1][0]
        if len(best) == MAX_LINES and rows[-1].stored_bound < lowest_bound:
            break
    bounds = [bound for bound, _row in best]
    # Equal bounds share the rank of the first of them
    lines = [_make_line(row, 1 + bounds.index(bound), now) for bound, row in best]
    return [line for line in lines if line is not None]


def _make_line(row: Any, rank: int, now: float) -> Standing[rules.DisplayedRating] | None:
    """Make a line of a list; None if the player has tried too few hands for a rating."""
    rating = rules.make_displayed_rating(_make_rating(row), now)
    if rating is None:
        return None
    is_masked = row.masked != 0  # NULL for a player of whom no name is stored
    return Standing(rank, row.player_id, row.name or "", rating, is_masked)


def load_rating_line(
    tx: Tx, scope: RatingScope, player_id: int, now: float
) -> Standing[rules.DisplayedRating] | None:
    """Return a player's line in a scope, wherever it ranks; None if the player is not in it or not rated."""
    statement = _build_lines(*scope.shape, is_own=True)
    row = tx.execute(statement, {**asdict(scope), "player": player_id}).first()
    if row is None:
        return None
    bound = rules.get_lower_bound(_make_rating(row), now)
    players_above = tx.scalar(_build_count_above(*scope.shape), {**asdict(scope), "bound": bound, "now": now})
    return _make_line(row, 1 + int(players_above or 0), now)


# Statements are built once for each shape: building one takes longer than running it


@cache
def _build_lines(all_chats: bool, all_time: bool, in_game: bool, *, is_own: bool = False) -> Select[Any]:
    """Build the SELECT of a page of rated players, the highest stored bound first, or of one's own line."""
    columns = (ratings, players.c.name, players.c.masked, STORED_BOUND.label("stored_bound"))
    named = select(*columns).join_from(ratings, players, players.c.id == ratings.c.player_id, isouter=True)
    lines = named.where(*_make_conditions(all_chats, all_time, in_game))
    if is_own:
        return lines.where(ratings.c.player_id == bindparam("player"))
    ordered = lines.order_by(STORED_BOUND.desc(), ratings.c.player_id)
    return ordered.limit(PAGE_SIZE).offset(bindparam("offset"))


NOW: BindParameter[float] = bindparam("now", type_=Seconds)
BOUND: BindParameter[float] = bindparam("bound", type_=Seconds)
TOLERANCE = 1e-9  # Bounds that differ by less are equal


@cache
def _build_count_above(all_chats: bool, all_time: bool, in_game: bool) -> Select[Any]:
    """Build the SELECT that counts the players whose lower bound is above a `bound`.

    It compares as `get_lower_bound` does, but squares, since not every database has roots. The condition on
    the stored bound, which is never lower than the bound of now, only lets the database use its index.
    """
    stored = ratings.c.sigma * ratings.c.sigma
    grown = stored + rules.VARIANCE_PER_DAY / DAY * (NOW - ratings.c.at)
    newcomers = rules.SIGMA**2  # The largest variance
    variance = case((ratings.c.at > NOW, stored), (grown > newcomers, newcomers), else_=grown)
    # mu - margin * sigma > bound, solved for the root `sigma` and squared; both sides are above 0
    ahead = ratings.c.mu - BOUND - TOLERANCE
    is_above = (STORED_BOUND > BOUND, ahead > 0, ahead * ahead > rules.MARGIN_SIGMAS**2 * variance)
    conditions = _make_conditions(all_chats, all_time, in_game)
    return select(func.count()).select_from(ratings).where(*is_above, *conditions)


def _make_conditions(all_chats: bool, all_time: bool, in_game: bool) -> tuple[ColumnElement[bool], ...]:
    """Make the conditions that a rating is displayed and its player is in the scope: see `RatingScope`."""
    is_displayed = ratings.c.hands >= rules.HANDS_NEEDED
    if all_chats:
        scored = exists().where(
            *(totals.c.chat_id == bindparam("chat_id"), totals.c.period == bindparam("period")),
            totals.c.player_id == ratings.c.player_id,
        )
        return is_displayed, scored
    if all_time:
        game = (tallies.c.game == bindparam("game"),) if in_game else ()
        answered = select(tallies.c.player_id).where(tallies.c.chat_id == bindparam("chat_id"), *game)
        return is_displayed, ratings.c.player_id.in_(answered)
    scorers = select(awards.c.player_id).where(*make_scored_since_conditions(in_game))
    return is_displayed, ratings.c.player_id.in_(union(scorers, *_build_answered_since(in_game)))


MAX_ROUNDS = 1000  # Of a chat, among whose players those are looked for who never scored


def _build_answered_since(in_game: bool) -> list[Select[tuple[int]]]:
    """Build the SELECTs of players who answered in the latest rounds of a chat, even without scoring."""
    since = (rounds.c.chat_id == bindparam("chat_id"), rounds.c.opened >= bindparam("since"))
    game = (rounds.c.game == bindparam("game"),) if in_game else ()
    latest = (
        select(rounds.c.id).where(*since, *game).order_by(rounds.c.id.desc()).limit(MAX_ROUNDS).subquery()
    )
    erred = or_(tries.c.wrong > 0, tries.c.misread > 0)
    return [
        select(tries.c.player_id).join(latest, latest.c.id == tries.c.round_id).where(erred),
        select(entries.c.player_id).join(latest, latest.c.id == entries.c.round_id),
    ]
