"""Lists of the best players by rating."""

from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, NamedTuple

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

from bot.database import Tx
from bot.database.schema import Seconds, awards, entries, players, ratings, rounds, tallies, totals, tries
from bot.durations import DAY
from bot.rounds.registry import GAMES
from bot.standings.leaderboard.queries import MAX_LINES, SCORED_SINCE, Standing
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME, make_period_key
from bot.standings.ratings import rules
from bot.standings.ratings.updates import make_rating


class Shape(NamedTuple):
    """The reach of a statement: statements are built once for each shape."""

    all_chats: bool  # All chats, or else one
    all_time: bool  # All time, or else since an instant


@dataclass(frozen=True, slots=True)
class RatingScope:
    """The chat and time of a list by rating: of who answered in the chat, or scored in all chats."""

    chat_id: int  # `ALL_CHATS` for all that count
    period: str = ALL_TIME  # As in `totals`, without a game; only used for all chats
    since: float = 0.0  # When the period began; 0 for all time

    @property
    def shape(self) -> Shape:
        return Shape(self.chat_id == ALL_CHATS, all_time=not self.since)

    @property
    def parameters(self) -> dict[str, object]:
        periods = [make_period_key(self.period, game) for game in GAMES]
        return {"chat_id": self.chat_id, "since": self.since, "periods": periods}


# The lower bound of a rating at its last change; it falls until the next one. An index has this expression
STORED_BOUND: ColumnElement[float] = literal_column(f"(ratings.mu - {rules.MARGIN_SIGMAS} * ratings.sigma)")
PAGE_SIZE = 50  # Players that are read at a time


class BoundRow(NamedTuple):
    bound: float  # The player's lower bound now
    row: Any


def load_best_players(tx: Tx, scope: RatingScope, now: float) -> list[Standing[str]]:
    """Return the ten players of a scope with the highest lower bounds at `now`, the best first."""
    best: list[BoundRow] = []
    for offset in count(start=0, step=PAGE_SIZE):
        rows = tx.execute(_build_lines(scope.shape), {**scope.parameters, "offset": offset}).all()
        best += [BoundRow(rules.get_lower_bound(make_rating(row), now), row) for row in rows]
        best = sorted(best, key=lambda each: (-each.bound, each.row.player_id))[:MAX_LINES]
        if not rows:
            break
        # Rows come by their stored bounds, which only fall with time: no later one can be better
        if len(best) == MAX_LINES and rows[-1].stored_bound < best[-1].bound:
            break
    bounds = [bound for bound, _row in best]
    # Equal bounds share the rank of the first of them
    lines = [_make_line(row, 1 + bounds.index(bound), now) for bound, row in best]
    return [line for line in lines if line is not None]


def _make_line(row: Any, rank: int, now: float) -> Standing[str] | None:
    """Make a line of a list; None if the player has tried too few hands for a rating."""
    rating = rules.render_rating(make_rating(row), now)
    if rating is None:
        return None
    is_masked = row.masked != 0  # NULL for a player of whom no name is stored
    return Standing(rank, row.player_id, row.name or "", rating, is_masked)


def load_rating_line(tx: Tx, scope: RatingScope, player_id: int, now: float) -> Standing[str] | None:
    """Return a player's line in a scope, wherever it ranks; None if the player is not in it or not rated."""
    statement = _build_lines(scope.shape, is_own=True)
    row = tx.execute(statement, {**scope.parameters, "player": player_id}).first()
    if row is None:
        return None
    bound = rules.get_lower_bound(make_rating(row), now)
    parameters = {**scope.parameters, "bound": bound, "now": now}
    players_above = tx.scalar(_build_count_above(scope.shape), parameters)
    return _make_line(row, 1 + int(players_above or 0), now)


# Statements are built once for each shape: building one takes longer than running it


@cache
def _build_lines(shape: Shape, *, is_own: bool = False) -> Select[Any]:
    """Build the SELECT of a page of rated players, the highest stored bound first, or of one's own line."""
    columns = (ratings, players.c.name, players.c.masked, STORED_BOUND.label("stored_bound"))
    named = select(*columns).join_from(ratings, players, players.c.id == ratings.c.player_id, isouter=True)
    lines = named.where(*_make_conditions(shape))
    if is_own:
        return lines.where(ratings.c.player_id == bindparam("player"))
    ordered = lines.order_by(STORED_BOUND.desc(), ratings.c.player_id)
    return ordered.limit(PAGE_SIZE).offset(bindparam("offset"))


NOW: BindParameter[float] = bindparam("now", type_=Seconds)
BOUND: BindParameter[float] = bindparam("bound", type_=Seconds)
TOLERANCE = 1e-9  # Bounds that differ by less are equal


@cache
def _build_count_above(shape: Shape) -> Select[Any]:
    """Build the SELECT that counts the players of a scope whose lower bound is above a `bound` now.

    It compares as `get_lower_bound` does, but squares, since not every database has roots. The condition on
    the stored bound, which is never lower than the bound of now, only lets the database use its index.
    """
    # Variances: as stored, grown since then, and a newcomer's, which is the highest
    stored = ratings.c.sigma * ratings.c.sigma
    grown = stored + rules.VARIANCE_PER_DAY / DAY * (NOW - ratings.c.at)
    highest = rules.SIGMA**2
    variance = case((ratings.c.at > NOW, stored), (grown > highest, highest), else_=grown)
    # mu - bound > margin * sigma, with both sides squared; the left one must be above 0
    distance = ratings.c.mu - BOUND - TOLERANCE
    is_above = (STORED_BOUND > BOUND, distance > 0, distance * distance > rules.MARGIN_SIGMAS**2 * variance)
    return select(func.count()).select_from(ratings).where(*is_above, *_make_conditions(shape))


def _make_conditions(shape: Shape) -> tuple[ColumnElement[bool], ...]:
    """Make the conditions that a rating is displayed and its player is in the scope: see `RatingScope`."""
    is_displayed = ratings.c.hands >= rules.HANDS_NEEDED
    if shape.all_chats:
        scored = exists().where(
            *(totals.c.chat_id == bindparam("chat_id"), totals.c.period.in_(bindparam("periods"))),
            totals.c.player_id == ratings.c.player_id,
        )
        return is_displayed, scored
    if shape.all_time:
        answered = select(tallies.c.player_id).where(tallies.c.chat_id == bindparam("chat_id"))
        return is_displayed, ratings.c.player_id.in_(answered)
    scorers = select(awards.c.player_id).where(SCORED_SINCE)
    return is_displayed, ratings.c.player_id.in_(union(scorers, *_build_answered_since()))


MAX_ROUNDS = 1000  # Of a chat, among whose players those are looked for who never scored


def _build_answered_since() -> list[Select[tuple[int]]]:
    """Build the SELECTs of players who answered in the latest rounds of a chat, even without scoring."""
    since = (rounds.c.chat_id == bindparam("chat_id"), rounds.c.opened >= bindparam("since"))
    latest = select(rounds.c.id).where(*since).order_by(rounds.c.id.desc()).limit(MAX_ROUNDS).subquery()
    erred = or_(tries.c.wrong > 0, tries.c.misread > 0)
    return [
        select(tries.c.player_id).join(latest, latest.c.id == tries.c.round_id).where(erred),
        select(entries.c.player_id).join(latest, latest.c.id == entries.c.round_id),
    ]
