"""Duels: challenges that wait, and the races of two that they become."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, exists, func, insert, or_, select, update

from bot.database import Tx, read_object
from bot.database.columns import NOBODY
from bot.database.schema import awards, outbox, rounds
from bot.database.schema import duels as table
from bot.games.duel.rules import AT, LIFE, Duel, Progress, is_decided, settled
from bot.games.rounds.rules import Round, State


def offer(tx: Tx, new: Duel) -> Duel:
    """Store a new challenge."""
    values = {
        "chat_id": new.chat_id,
        "topic": new.topic,
        "challenger_id": new.challenger_id,
        "opponent_id": new.opponent_id,
        "opponent": new.opponent,
        "state": Progress.OFFERED.value,
        "language": new.language,
        "game": new.game,
        "options": json.dumps(new.options),
        "until": new.until,
    }
    (key,) = tx.execute(insert(table).values(values)).inserted_primary_key or (0,)
    return replace(new, id=int(key))


def by_id(tx: Tx, duel_id: int) -> Duel | None:
    """The duel with that id."""
    return _first(tx, table.c.id == duel_id)


def of_race(tx: Tx, race_id: int | None) -> Duel | None:
    """The duel whose hands are those of the race; None where that is a race for all, or none."""
    return None if race_id is None else _first(tx, table.c.race_id == race_id)


def watches(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether the round is a hand of a duel between others."""
    duel = of_race(tx, round.race_id)
    return duel is not None and player_id not in duel.players


def delivered(tx: Tx, duel_id: int, message_id: int, at: float, photo: str = "") -> None:
    """The challenge was delivered as that message, dated `at`: it may be accepted from then on.

    `photo` names the picture in it.
    """
    new = (table.c.id == duel_id, table.c.state == Progress.OFFERED.value, table.c.message_id.is_(None))
    values = {"message_id": message_id, "until": at + LIFE, "picture": photo or None}
    tx.execute(update(table).where(*new).values(values))


def waiting(tx: Tx, chat_id: int, challenger_id: int) -> Duel | None:
    """The person's challenge that waits in a chat."""
    return _first(tx, _offered(), table.c.chat_id == chat_id, table.c.challenger_id == challenger_id)


def offered_in(tx: Tx, chat_id: int) -> list[Duel]:
    """The challenges that wait in a chat."""
    return _all(tx, _offered(), table.c.chat_id == chat_id)


def lapsed(tx: Tx, now: float) -> list[Duel]:
    """The challenges that nobody took in time, but for those that are still on their way to their chat."""
    coming = exists().where(outbox.c.lane == table.c.chat_id, outbox.c.state == "waiting")
    shown = or_(table.c.message_id.is_not(None), ~coming)
    return _all(tx, _offered(), table.c.until < now, shown)


def challenging(tx: Tx, username: str) -> list[Duel]:
    """The challenges of whoever has that username."""
    meant, unknown = f"{AT}{username}".casefold(), table.c.opponent_id.is_(None)
    return [offered for offered in _all(tx, _offered(), unknown) if offered.opponent.casefold() == meant]


def forget(tx: Tx, username: str) -> None:
    """Keep a username no more; nobody can accept what was meant for whoever had it."""
    ids = [offered.id for offered in challenging(tx, username)]
    tx.execute(update(table).where(table.c.id.in_(ids)).values(opponent_id=NOBODY, opponent=""))


def remove(tx: Tx, duel_id: int) -> bool:
    """Let go of a challenge that comes to nothing; False when it was accepted, or is gone already."""
    return tx.execute(delete(table).where(table.c.id == duel_id, _offered())).rowcount == 1


def accept(tx: Tx, duel_id: int, opponent_id: int, race_id: int) -> bool:
    """The duel begins, with the hands of that race; False when the challenge is gone or was accepted."""
    taken = {"opponent_id": opponent_id, "opponent": "", "state": Progress.OPEN.value, "race_id": race_id}
    taken["picture"] = None  # its hands say from here on what their message shows
    return tx.execute(update(table).where(table.c.id == duel_id, _offered()).values(taken)).rowcount == 1


def fighting(tx: Tx, player_id: int) -> Duel | None:
    """The duel in which the person is, if a hand of it is on a table."""
    dealt = exists().where(rounds.c.race_id == table.c.race_id, rounds.c.state == State.OPEN.value)
    return _first(tx, table.c.state == Progress.OPEN.value, _of(player_id), dealt)


def score(tx: Tx, duel: Duel) -> dict[int, int]:
    """Hands won, by player: one that both came as near to is won by both."""
    counted = select(awards.c.player_id, func.count(awards.c.round_id.distinct()).label("hands"))
    won = counted.join(rounds, rounds.c.id == awards.c.round_id).where(rounds.c.race_id == duel.race_id)
    found = tx.execute(won.group_by(awards.c.player_id))
    return {row.player_id: int(row.hands) for row in found if row.player_id in duel.players}


def decided(tx: Tx, race_id: int) -> bool:
    """Whether the race is a duel, and somebody has won it."""
    duel = of_race(tx, race_id)
    return duel is not None and is_decided(score(tx, duel))


def settle(tx: Tx, race_id: int) -> None:
    """No more hands of the race are dealt: where it is a duel that nobody ended, its score decides."""
    duel = of_race(tx, race_id)
    if duel is not None:
        close(tx, settled(duel, score(tx, duel)))


def close(tx: Tx, over: Duel) -> None:
    """Write a duel's end, unless it was over before."""
    claim = update(table).where(table.c.id == over.id, table.c.state == Progress.OPEN.value)
    tx.execute(claim.values(state=over.state.value, winner_id=over.winner_id))


def duels(tx: Tx, player_id: int) -> tuple[int, int]:
    """How many duels the person has won and lost."""
    over = select(table.c.winner_id).where(table.c.winner_id.is_not(None), _of(player_id))
    winners = list(tx.scalars(over))
    won = winners.count(player_id)
    return won, len(winners) - won


def _offered() -> ColumnElement[bool]:
    return table.c.state == Progress.OFFERED.value


def _of(player_id: int) -> ColumnElement[bool]:
    return or_(table.c.challenger_id == player_id, table.c.opponent_id == player_id)


def _first(tx: Tx, *which: ColumnElement[bool]) -> Duel | None:
    row = tx.execute(select(table).where(and_(*which)).order_by(table.c.id.desc()).limit(1)).first()
    return None if row is None else _duel(row)


def _all(tx: Tx, *which: ColumnElement[bool]) -> list[Duel]:
    return [_duel(row) for row in tx.execute(select(table).where(and_(*which)).order_by(table.c.id))]


def _duel(row: Row[Any]) -> Duel:
    return Duel(
        id=row.id,
        chat_id=row.chat_id,
        topic=row.topic,
        challenger_id=row.challenger_id,
        opponent_id=row.opponent_id,
        game=row.game,
        until=row.until,
        opponent=row.opponent,
        state=Progress(row.state) if row.state in set(Progress) else Progress.STOPPED,
        language=row.language,
        options=read_object(row.options),
        message_id=row.message_id,
        race_id=row.race_id,
        winner_id=row.winner_id,
        photo=row.picture or "",
    )
