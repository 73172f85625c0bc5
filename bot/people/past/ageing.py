"""Rounds and boards of long ago are summed up and let go, a few at a time.

A round ages out once it has been over for as long as `KEEP_DAYS` says, with all tries, entries and votes.
What figures need of it is added to `past`, or noted in its awards, in the same transaction, so every total,
record and achievement is the same before and after. The last rounds of a chat stay: its row of wins goes on
from them. So do the boards of months; those of single days and weeks go, and the best days are kept.

Both go through what there is in the order of its key, and write down how far they have come. Nothing is ever
looked for in a whole table.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any

from sqlalchemy import Table, and_, bindparam, delete, exists, func, or_, select, update

from bot.database import Tx, need_versions_from, read_number, read_object
from bot.database.columns import NOBODY
from bot.database.schema import (
    achievements,
    awards,
    chats,
    entries,
    histogram,
    lost_messages,
    practised,
    private_words,
    races,
    rounds,
    secret_doors,
    totals,
    tries,
    votes,
)
from bot.delivery.timers import Running, TimedWork
from bot.games.known import GAMES
from bot.games.puzzle import Kind
from bot.games.rounds.rules import State
from bot.people import queries as people
from bot.people.leaderboard.queries import ALL_CHATS, periods, within
from bot.people.past import queries as past
from bot.people.ratings.played import ALL, REPLAYED
from bot.spans import DAY, HOUR
from bot.telegram.routes import Routes

ROUNDS_AT_ONCE, CHATS_AT_ONCE, LINES_AT_ONCE = 20, 2, 100
"""How much is looked at in one transaction: rounds, chats, and lines of their boards."""
LATER = 35 * DAY
"""So much longer are the boards of all chats kept than each chat's own. They are the sum of the chats that
count, and a chat whose own days were gone first would leave its part of the sum behind."""
LIVE = (State.OPEN.value, State.RUNNING.value)
ASIDE = (Kind.PRACTICE.value, Kind.CONTEST.value)
"""The kinds of rounds that stand in no row of rounds won."""
ROUNDS, BOARDS = "rounds summed up", "boards summed up"
"""The facts that say how far it has come."""
BEGINS, GRACE, REVISION = "summing up begins", 7 * DAY, "0017"
"""The fact that says when it begins; how long after the first start of a version that can; its revision."""
BEFORE_ALL = -(2**62)
"""Less than any chat's number."""
SUMMED = (
    *(rounds.c.id, rounds.c.chat_id, rounds.c.game, rounds.c.kind, rounds.c.state, rounds.c.opened),
    *(rounds.c.closed, rounds.c.dealer_id, rounds.c.winner_id, rounds.c.streak, rounds.c.day_first),
    rounds.c.race_id,
)
"""What is read of a round: all but its puzzle and how it stood."""


def age(tx: Tx, now: float, kept: float) -> bool:
    """Sum up some of what was over `kept` seconds before `now`; whether there may be more just now."""
    if people.fact(tx, REPLAYED) != ALL:
        return False  # ratings have yet to come by the old rounds
    if not _all_know_of_it(tx, now):
        return False
    more_rounds = _age_rounds(tx, now - kept, now)
    return _age_boards(tx, now, kept) or more_rounds


def _all_know_of_it(tx: Tx, now: float) -> bool:
    """Whether no bot of a version before is left that would not find what is summed up.

    One may still run beside this one while it takes its place, and none starts any more afterwards.
    """
    begins = read_number(people.fact(tx, BEGINS) or "")
    if begins is None:
        people.remember(tx, BEGINS, str(round(now + GRACE)))
        return False
    if now < begins:
        return False
    need_versions_from(tx, REVISION)
    return True


# Rounds


def _age_rounds(tx: Tx, before: float, now: float) -> bool:
    """Go on behind the last round that was looked at, and each month from the first one again."""
    month = periods(now)[1]
    reached = read_object(people.fact(tx, ROUNDS))
    number = _number(reached.get("round")) if reached.get("month") == month else 0
    behind = select(*SUMMED).where(rounds.c.id > number).order_by(rounds.c.id).limit(ROUNDS_AT_ONCE)
    found = list(takewhile(lambda row: not before <= row.opened <= now, tx.execute(behind)))
    if not found:
        return False
    _sum_up(tx, [row for row in found if _is_over(row, before)])
    people.remember(tx, ROUNDS, json.dumps({"month": month, "round": found[-1].id}))
    return len(found) == ROUNDS_AT_ONCE


def _number(told: object) -> int:
    """The number of a round as it was written down; 0 for anything else."""
    return told if type(told) is int else 0


def _is_over(row: Any, before: float) -> bool:
    return row.state not in LIVE and row.closed is not None and 0 <= row.closed < before


def _sum_up(tx: Tx, over: Sequence[Any]) -> None:
    ids = _not_needed(tx, [row.id for row in over])
    old = [row for row in over if row.id in ids]
    if old:
        _note_games(tx, old)
        past.add(tx, _figures(tx, old))
        _drop(tx, old)


def _not_needed(tx: Tx, ids: Collection[int]) -> set[int]:
    """Those of the rounds from which nothing goes on: no row of wins, no race, no talk about the last one.

    A race goes as a whole, since its message shows all of it.
    """
    newer, hand = rounds.alias("newer"), rounds.alias("hand")
    later = exists().where(newer.c.chat_id == rounds.c.chat_id, newer.c.id > rounds.c.id)
    later = later.where(func.coalesce(newer.c.race_id, 0) != func.coalesce(rounds.c.race_id, -1))
    ended = newer.c.state.not_in((*LIVE, State.GIVEN_AWAY.value))
    on_table = (newer.c.topic == rounds.c.topic, newer.c.kind != Kind.CONTEST.value)
    aside, first = rounds.c.kind.in_(ASIDE), newer.c.kind == Kind.FIRST.value
    whole = ~exists().where(hand.c.race_id == rounds.c.race_id, hand.c.state.in_(LIVE))
    running = exists().where(races.c.id == rounds.c.race_id, races.c.state == "open")
    return set(
        tx.scalars(
            select(rounds.c.id).where(
                rounds.c.id.in_(ids),
                later.where(*on_table),
                or_(aside, later.where(ended, newer.c.kind.not_in(ASIDE))),
                or_(rounds.c.kind != Kind.FIRST.value, later.where(ended, first)),
                or_(rounds.c.race_id.is_(None), and_(whole, ~running)),
            )
        )
    )


def _note_games(tx: Tx, old: Sequence[Any]) -> None:
    """What was earned says itself from now on in which game, in what kind of round, and where."""
    of_round = awards.c.round_id == bindparam("number")
    noted = update(awards).where(of_round).values(game=bindparam("its_game"), kind=bindparam("its_kind"))
    tx.execute(noted, [{"number": row.id, "its_game": row.game, "its_kind": row.kind} for row in old])
    there = update(achievements).where(achievements.c.round_id == bindparam("number"))
    tx.execute(
        there.values(chat_id=bindparam("its_chat")),
        [{"number": row.id, "its_chat": row.chat_id} for row in old],
    )


def _figures(tx: Tx, old: Sequence[Any]) -> list[dict[str, Any]]:
    """What the rounds add to `past`, by chat, player and game; whoever dealt or voted there has played."""
    rows: dict[tuple[int, int, str], dict[str, Any]] = {}
    paid, tried = _took_part(tx, [row.id for row in old])
    for row in old:
        answered, winners = tried[row.id], paid[row.id]
        for player_id in {row.dealer_id, row.winner_id or NOBODY, *answered, *winners}:
            key = {"chat_id": row.chat_id, "player_id": player_id, "game": row.game}
            nothing = {"unpaid": 0, "streak": 0, "streak_at": 0.0, "mornings": 0}
            figures = rows.setdefault((row.chat_id, player_id, row.game), key | nothing)
            figures["unpaid"] += answered.get(player_id, False) and player_id not in winners
            if row.winner_id == player_id:
                _won(figures, row, is_first=bool(row.day_first) and player_id in winners)
    return [figures for figures in rows.values() if figures["player_id"] > NOBODY]


def _won(figures: dict[str, Any], row: Any, *, is_first: bool) -> None:
    figures["mornings"] += is_first
    if row.streak > figures["streak"]:
        figures["streak"], figures["streak_at"] = row.streak, row.closed


def _took_part(tx: Tx, ids: Collection[int]) -> tuple[dict[int, set[int]], dict[int, dict[int, bool]]]:
    """By round who has awards of it, and who has rows beside it, and whether these were answers."""
    alone = set(tx.scalars(select(practised.c.round_id).where(practised.c.round_id.in_(ids))))
    paid, found = defaultdict[int, set[int]](set), defaultdict[int, dict[int, bool]](dict)
    for row in tx.execute(_players(awards, ids)):
        paid[row.round_id].add(row.player_id)
    for table in (votes, tries, entries):
        for row in tx.execute(_players(table, ids)):
            found[row.round_id][row.player_id] = table is not votes and row.round_id not in alone
    return paid, found


def _players(table: Table, ids: Collection[int]) -> Any:
    return select(table.c.round_id, table.c.player_id).where(table.c.round_id.in_(ids))


def _drop(tx: Tx, old: Sequence[Any]) -> None:
    ids = [row.id for row in old]
    for table in (tries, entries, votes, lost_messages, secret_doors):
        tx.execute(delete(table).where(table.c.round_id.in_(ids)))
    about = (private_words.c.chat_id == bindparam("its_chat"), private_words.c.key == bindparam("its_key"))
    words = [{"its_chat": row.chat_id, "its_key": f"round:{row.id}"} for row in old]
    tx.execute(delete(private_words).where(*about), words)
    tx.execute(delete(rounds).where(rounds.c.id.in_(ids)))


# Boards


@dataclass(frozen=True, slots=True)
class _Span:
    """Periods of one kind, in one game or in all, before a moment: `least` <= period < `end`."""

    least: str
    end: str
    length: int
    """Characters that such a period has."""
    is_day: bool = False
    """Whether these are the days of all games, of which the best is kept."""

    def has(self, table: Table, chat_id: int) -> Any:
        """The condition that a line is of that chat and of these periods."""
        span = and_(table.c.period >= self.least, table.c.period < self.end)
        return and_(table.c.chat_id == chat_id, span, func.length(table.c.period) == self.length)


def _spans(since: float | None, before: float) -> Iterator[_Span]:
    """The days and weeks from one moment to another; `since` None: from the first one."""
    _, _, last_week, last_day = periods(before)
    _, _, first_week, first_day = periods(since) if since is not None else ("",) * 4
    for game in (None, *GAMES):
        end = within(last_day, game)
        yield _Span(within(first_day or "0", game), end, len(end), is_day=game is None)
        end = within(last_week, game)
        yield _Span(within(first_week or "0", game), end, len(end))


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far boards are summed up: those of chats up to `chat`, of days between two moments."""

    until: float
    """All that was over before is summed up, or being so."""
    since: float | None = None
    """All before that was so at the walk before; None: there was none."""
    chat: int | None = None
    """None: the walk is over."""


def _walk(tx: Tx) -> _Walk | None:
    """The last walk; None before the first."""
    told = read_object(people.fact(tx, BOARDS))
    until, since, chat = (told.get(key) for key in ("until", "since", "chat"))
    if not isinstance(until, float) or not isinstance(since, float | None):
        return None
    return _Walk(until, since, chat if type(chat) is int else None)


def _age_boards(tx: Tx, now: float, kept: float) -> bool:
    """Go on behind the last chat that was looked at, and each day from the first one again."""
    walk = _walk(tx)
    if walk is None or (walk.chat is None and now - kept - walk.until >= DAY):
        walk = _Walk(float(now - kept), walk.until if walk else None, BEFORE_ALL)
    if walk.chat is None:
        return False
    behind = select(chats.c.id).where(chats.c.id > walk.chat).order_by(chats.c.id).limit(CHATS_AT_ONCE)
    here = list(tx.scalars(behind))
    room = [LINES_AT_ONCE]
    since, until = walk.since, walk.until
    done = list(takewhile(lambda chat: _age_board(tx, chat, since, until, room), here))
    if done:
        walk = replace(walk, chat=done[-1])
    elif not here:
        since = None if since is None else since - LATER
        if _age_board(tx, ALL_CHATS, since, until - LATER, room):
            walk = replace(walk, chat=None)
    people.remember(tx, BOARDS, json.dumps(asdict(walk)))
    return walk.chat is not None


def forget(tx: Tx, chat_id: int) -> None:
    """Write nowhere that it has come as far as that chat: it begins again with the first one."""
    walk = _walk(tx)
    if walk is not None and walk.chat == chat_id:
        people.remember(tx, BOARDS, json.dumps(asdict(replace(walk, chat=BEFORE_ALL))))


def _age_board(tx: Tx, chat_id: int, since: float | None, before: float, room: list[int]) -> bool:
    """Let old days and weeks of a chat go, as many lines as there is `room` for; whether none is left."""
    return all(_age_span(tx, chat_id, span, room) for span in _spans(since, before))


def _age_span(tx: Tx, chat_id: int, span: _Span, room: list[int]) -> bool:
    in_order = select(totals).where(span.has(totals, chat_id)).order_by(totals.c.period, totals.c.player_id)
    found = tx.execute(in_order.limit(room[0] + 1)).all()
    gone, left = found[: room[0]], len(found) > room[0]
    room[0] -= len(gone)
    if span.is_day and chat_id != ALL_CHATS:
        past.keep_days(tx, [_best(row) for row in gone if row.player_id > NOBODY])
    if gone:
        this = (totals.c.period == bindparam("of_period"), totals.c.player_id == bindparam("of_player"))
        lines = [{"of_period": row.period, "of_player": row.player_id} for row in gone]
        tx.execute(delete(totals).where(totals.c.chat_id == chat_id, *this), lines)
    if not left:
        tx.execute(delete(histogram).where(span.has(histogram, chat_id)))
    return not left


def _best(row: Any) -> dict[str, Any]:
    return {"chat_id": row.chat_id, "player_id": row.player_id, "points": row.points, "day": row.period}


# When


async def _piece(running: Running, now: float) -> bool:
    """A piece of it; False where more is left, so that the next look goes on."""
    if not running.kept:
        return True
    return not await running.store.write(lambda tx: age(tx, now, running.kept))


ROUTES = Routes(timed=[TimedWork("what was over long ago", HOUR, _piece)])
