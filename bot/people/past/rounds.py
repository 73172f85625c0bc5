"""Rounds of long ago are summed up: what figures need of them is added to `past`, or noted in their awards.

They are gone through in the order of their numbers, and it is written down how far that has come.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

from sqlalchemy import (
    BindParameter,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
    union_all,
    update,
)

from bot.database import Tx, read_object
from bot.database.schema import (
    NOBODY,
    achievements,
    awards,
    entries,
    lost_messages,
    one_of,
    practised,
    private_words,
    races,
    rounds,
    secret_doors,
    tries,
    votes,
)
from bot.games.puzzle import Kind
from bot.games.rounds.queries import BESIDE
from bot.games.rounds.rules import State
from bot.people import queries as people
from bot.people.leaderboard.queries import periods
from bot.people.past import queries as past
from bot.people.past.piece import NOTHING, Piece

AT_ONCE = 3
"""Rounds that one transaction looks at."""
LIVE = (State.OPEN.value, State.RUNNING.value)
IDS: BindParameter[int] = bindparam("ids", expanding=True)
REACHED = "rounds summed up"
"""The fact that says how far it has come."""
BEHIND = (
    select(
        *(rounds.c.id, rounds.c.chat_id, rounds.c.game, rounds.c.kind, rounds.c.state, rounds.c.opened),
        *(rounds.c.closed, rounds.c.dealer_id, rounds.c.winner_id, rounds.c.streak, rounds.c.day_first),
        rounds.c.race_id,
    )
    .where(rounds.c.id > bindparam("reached"))
    .order_by(rounds.c.id)
    .limit(bindparam("most"))
)
"""The rounds that follow, all but their puzzles and how they stood."""


def age(tx: Tx, now: float, kept: float) -> Piece:
    """Sum up a few rounds that were over `kept` seconds before `now`.

    It goes on behind the last round that was looked at, and each month from the first one again.
    """
    before = now - kept
    month = periods(now)[1]
    reached = read_object(people.fact(tx, REACHED))
    number = _number(reached.get("round")) if reached.get("month") == month else 0
    behind = tx.execute(BEHIND, {"reached": number, "most": AT_ONCE})
    found = list(takewhile(lambda row: not before <= row.opened <= now, behind))
    if not found:
        return NOTHING
    gone = _sum_up(tx, [row for row in found if _is_over(row, before)])
    people.remember(tx, REACHED, json.dumps({"month": month, "round": found[-1].id}))
    return Piece(gone, more=len(found) == AT_ONCE)


def _number(told: object) -> int:
    """The number of a round as it was written down; 0 for anything else."""
    return told if type(told) is int else 0


def _is_over(row: Any, before: float) -> bool:
    return row.state not in LIVE and row.closed is not None and 0 <= row.closed < before


def _sum_up(tx: Tx, over: Sequence[Any]) -> int:
    ids = _not_needed(tx, [row.id for row in over])
    old = [row for row in over if row.id in ids]
    if old:
        for statement in NOTED:
            tx.execute(statement, {"ids": [row.id for row in old]})
        past.add(tx, _figures(tx, old))
        _drop(tx, old)
    return len(old)


def _not_needed(tx: Tx, ids: Collection[int]) -> set[int]:
    """Those of the rounds from which nothing goes on: no row of wins, no race, no talk about the last one.

    A race goes as a whole, since its message shows all of it.
    """
    return set(tx.scalars(_of_no_need(), {"ids": ids}))


# Built once: piece by piece the same is asked, and building takes longer than the database does


@cache
def _of_no_need() -> Any:
    newer, hand = rounds.alias("newer"), rounds.alias("hand")
    later = exists().where(newer.c.chat_id == rounds.c.chat_id, newer.c.id > rounds.c.id)
    later = later.where(func.coalesce(newer.c.race_id, 0) != func.coalesce(rounds.c.race_id, -1))
    ended = ~one_of(newer.c.state, *LIVE, State.GIVEN_AWAY.value)
    on_table = (newer.c.topic == rounds.c.topic, newer.c.kind != Kind.CONTEST.value)
    aside, first = one_of(rounds.c.kind, *BESIDE), newer.c.kind == Kind.FIRST.value
    whole = ~exists().where(hand.c.race_id == rounds.c.race_id, one_of(hand.c.state, *LIVE))
    running = exists().where(races.c.id == rounds.c.race_id, races.c.state == "open")
    return select(rounds.c.id).where(
        rounds.c.id.in_(IDS),
        later.where(*on_table),
        or_(aside, later.where(ended, ~one_of(newer.c.kind, *BESIDE))),
        or_(rounds.c.kind != Kind.FIRST.value, later.where(ended, first)),
        or_(rounds.c.race_id.is_(None), and_(whole, ~running)),
    )


def _noted_in(table: Table, *told: str) -> Any:
    """What was earned in a round says itself from now on what its round was."""
    of_round = table.c.round_id == rounds.c.id
    noted = {key: select(rounds.c[key]).where(of_round).scalar_subquery() for key in told}
    return update(table).where(table.c.round_id.in_(IDS)).values(noted)


def _listed_in(table: Table) -> Any:
    return select(literal(table.name).label("list"), table.c.round_id, table.c.player_id).where(
        table.c.round_id.in_(IDS)
    )


NOTED = (_noted_in(awards, "game", "kind"), _noted_in(achievements, "chat_id"))
LISTED = union_all(*map(_listed_in, (awards, practised, votes, tries, entries)))
"""Who has rows of which rounds, and in which table."""
WORDS = delete(private_words).where(
    tuple_(private_words.c.chat_id, private_words.c.key).in_(bindparam("words", expanding=True))
)
DROPPED = [
    *(delete(t).where(t.c.round_id.in_(IDS)) for t in (tries, entries, votes, lost_messages, secret_doors)),
    delete(rounds).where(rounds.c.id.in_(IDS)),
]


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
    paid, found = defaultdict[int, set[int]](set), defaultdict[int, dict[int, bool]](dict)
    rows = tx.execute(LISTED, {"ids": ids}).all()
    alone = {row.round_id for row in rows if row.list == practised.name}
    for row in rows:
        if row.list == awards.name:
            paid[row.round_id].add(row.player_id)
        elif row.list != practised.name:
            answered = row.list != votes.name and row.round_id not in alone
            found[row.round_id][row.player_id] = answered or found[row.round_id].get(row.player_id, False)
    return paid, found


def _drop(tx: Tx, old: Sequence[Any]) -> None:
    tx.execute(WORDS, {"words": [(row.chat_id, f"round:{row.id}") for row in old]})
    for statement in DROPPED:
        tx.execute(statement, {"ids": [row.id for row in old]})
