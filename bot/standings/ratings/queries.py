"""Ratings as they are kept, and lists of people by them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Row,
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
from bot.standings.leaderboard.queries import MAX_LINES, make_scored_since_conditions
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME
from bot.standings.ratings.rules import (
    HANDS_NEEDED,
    MARGIN_SIGMAS,
    SIGMA,
    VARIANCE_PER_DAY,
    DisplayedRating,
    Match,
    Rating,
    get_lower_bound,
    make_displayed_rating,
    rate_match,
)

PAGE_SIZE = 50  # Ratings that are looked at together
# What people played like at least when they did; later it can only be less. An index has it, so written.
FLOOR: ColumnElement[float] = literal_column(f"(ratings.mu - {MARGIN_SIGMAS} * ratings.sigma)")

NEARLY = 1e-9  # What is less than this apart is equal

LATEST = 1000  # Rounds of a chat whose players belong to it also where they never scored

TimedMatch = tuple[float, Match]  # When a hand was over, and how those did who tried it


@dataclass(frozen=True, slots=True)
class RatingScope:
    """Those among whom somebody is listed: who scored there and then, and in a chat also who tried."""

    chat_id: int  # `ALL_CHATS` for all that count
    # As `totals` has it, with the game if it is one game's; of a chat with `since` it is not looked at.
    period: str = ALL_TIME
    since: float = 0.0  # When the period began
    game: str = ""  # Empty for all of them

    @property
    def shape(self) -> tuple[bool, bool, bool]:
        """Whether it is of all chats, of all time, and of one game: by that statements about it differ."""
        return self.chat_id == ALL_CHATS, not self.since, bool(self.game)


@dataclass(frozen=True, slots=True)
class RatingLine:
    """One line of a list by rating."""

    rank: int
    player_id: int
    name: str
    rating: DisplayedRating
    masked: bool = True  # Whether the name may not be shown outside the chats where it was earned


def apply_matches(tx: Tx, matches: Sequence[TimedMatch]) -> None:
    """Let the matches move the ratings, one after the other: one read and one write for all of them."""
    known = load_ratings(tx, {result.player_id for _, match in matches for result in match.results})
    before = dict(known)
    for at, match in matches:
        known |= rate_match(known, match, at)
    rows = [{"player_id": who, **asdict(now)} for who, now in known.items() if before.get(who) != now]
    if rows:
        tx.execute(build_upsert(tx.dialect.name, ratings, "mu", "sigma", "hands", "at"), rows)


def load_ratings(tx: Tx, ids: Collection[int]) -> dict[int, Rating]:
    """The ratings of those of the people who have one."""
    return {row.player_id: _rating(row) for row in tx.execute(OF, {"ids": list(ids)})} if ids else {}


def _rating(row: Row[Any]) -> Rating:
    return Rating(row.mu, row.sigma, row.hands, row.at)


def load_rating(tx: Tx, player_id: int) -> Rating | None:
    """What is believed of somebody; None before the first hand."""
    return load_ratings(tx, [player_id]).get(player_id)


def load_best_players(tx: Tx, board: RatingScope, now: float, most: int = MAX_LINES) -> list[RatingLine]:
    """Those of a board who play best, whatever they scored in it: by what they play like at least."""
    best: list[tuple[float, Row[Any]]] = []
    for rows in _pages(tx, board):
        best = sorted([*best, *((get_lower_bound(_rating(row), now), row) for row in rows)], key=_best_first)[
            :most
        ]
        if len(best) == most and rows[-1].floor < best[-1][0]:
            break  # who follows played worse even when they were surer
    return _lines(best, now)


def _pages(tx: Tx, board: RatingScope) -> Iterator[Sequence[Row[Any]]]:
    asked, first = {**asdict(board), "most": PAGE_SIZE}, 0
    while rows := tx.execute(_page(*board.shape), {**asked, "first": first}).all():
        yield rows
        first += PAGE_SIZE


def _best_first(one: tuple[float, Row[Any]]) -> tuple[float, int]:
    return -one[0], one[1].player_id


def _lines(best: Sequence[tuple[float, Row[Any]]], now: float) -> list[RatingLine]:
    floors = [least for least, _ in best]
    read = [(floors.index(least) + 1, row, make_displayed_rating(_rating(row), now)) for least, row in best]
    return [
        RatingLine(rank, row.player_id, row.name or "", it, row.masked != 0) for rank, row, it in read if it
    ]


def load_rating_line(tx: Tx, board: RatingScope, player_id: int, now: float) -> RatingLine | None:
    """Somebody's own line among those on a board, wherever it ranks; None where they have none."""
    row = tx.execute(_own(*board.shape), {**asdict(board), "player": player_id}).first()
    if row is None:
        return None
    least = get_lower_bound(_rating(row), now)
    (alone,) = _lines([(least, row)], now)
    return replace(alone, rank=1 + _how_many_above(tx, board, least, now))


def _how_many_above(tx: Tx, board: RatingScope, least: float, now: float) -> int:
    """How many on a board play better at least."""
    return int(tx.scalar(_above(*board.shape), {**asdict(board), "least": least, "now": now}) or 0)


# Built once for each shape of a board: building takes longer than the database does

OF = select(ratings).where(ratings.c.player_id.in_(bindparam("ids")))
NOW: BindParameter[float] = bindparam("now", type_=Seconds)
LEAST: BindParameter[float] = bindparam("least", type_=Seconds)


@cache
def _page(of_all: bool, ever: bool, of_game: bool) -> Select[Any]:
    """Some of those on a board whose ratings are shown, who played best when they did first."""
    best_first = _found(of_all, ever, of_game).order_by(FLOOR.desc(), ratings.c.player_id)
    return best_first.limit(bindparam("most")).offset(bindparam("first"))


@cache
def _own(of_all: bool, ever: bool, of_game: bool) -> Select[Any]:
    return _found(of_all, ever, of_game).where(ratings.c.player_id == bindparam("player"))


@cache
def _above(of_all: bool, ever: bool, of_game: bool) -> Select[Any]:
    """How many play better at least; by squares, since not every database takes roots."""
    then = ratings.c.sigma * ratings.c.sigma
    grown = then + VARIANCE_PER_DAY / DAY * (NOW - ratings.c.at)
    variance = case((ratings.c.at > NOW, then), (grown > SIGMA**2, SIGMA**2), else_=grown)
    ahead = ratings.c.mu - LEAST - NEARLY
    above = (FLOOR > LEAST, ahead > 0, ahead * ahead > MARGIN_SIGMAS**2 * variance)
    return select(func.count()).select_from(ratings).where(*above, *_on(of_all, ever, of_game))


def _found(of_all: bool, ever: bool, of_game: bool) -> Select[Any]:
    """Those on a board whose ratings are shown."""
    found = select(ratings, players.c.name, players.c.masked, FLOOR.label("floor"))
    named = found.join_from(ratings, players, players.c.id == ratings.c.player_id, isouter=True)
    return named.where(*_on(of_all, ever, of_game))


def _on(of_all: bool, ever: bool, of_game: bool) -> tuple[ColumnElement[bool], ...]:
    there = (totals.c.chat_id == bindparam("chat_id"), totals.c.period == bindparam("period"))
    enough, scored = ratings.c.hands >= HANDS_NEEDED, select(totals.c.player_id).where(*there)
    if of_all:
        return enough, exists(scored.where(totals.c.player_id == ratings.c.player_id))
    if ever:
        same = (tallies.c.game == bindparam("game"),) if of_game else ()
        played = select(tallies.c.player_id).where(tallies.c.chat_id == bindparam("chat_id"), *same)
        return enough, ratings.c.player_id.in_(played)
    scored = select(awards.c.player_id).where(*make_scored_since_conditions("chat_id", of_game))
    return enough, ratings.c.player_id.in_(union(scored, *_tried(of_game)))


def _tried(of_game: bool) -> list[Select[tuple[int]]]:
    """Those who tried in the latest rounds of a chat, and perhaps never scored."""
    there = (rounds.c.chat_id == bindparam("chat_id"), rounds.c.opened >= bindparam("since"))
    game = (rounds.c.game == bindparam("game"),) if of_game else ()
    latest = select(rounds.c.id).where(*there, *game).order_by(rounds.c.id.desc()).limit(LATEST).subquery()
    erred = or_(tries.c.wrong > 0, tries.c.misread > 0)
    return [
        select(tries.c.player_id).join(latest, latest.c.id == tries.c.round_id).where(erred),
        select(entries.c.player_id).join(latest, latest.c.id == entries.c.round_id),
    ]
