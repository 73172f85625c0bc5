"""Races: a row of rounds, and the hands that are still to come."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, bindparam, func, insert, select, update

from bot.database import Tx
from bot.database.schema import awards, races, rounds
from bot.modes.duel import queries as duels
from bot.modes.race.rules import Race
from bot.rounds.rows import is_in_state
from bot.rounds.rules import State

# Built once, since every end of a hand asks for some of them and building takes longer than the database does

THIS = races.c.id == bindparam("this")
START, CHANGE = insert(races), update(races).where(THIS)
BY_ID, HANDS = select(races).where(THIS), select(races.c.hands).where(THIS)
TO_COME = (
    select(func.sum(races.c.length - races.c.played - 1))
    .join(rounds, rounds.c.race_id == races.c.id)
    .where(rounds.c.chat_id == bindparam("chat"), is_in_state(State.OPEN), races.c.state == "open")
)
POINTS = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .join(rounds, rounds.c.id == awards.c.round_id)
    .where(rounds.c.race_id == bindparam("this"))
    .group_by(awards.c.player_id)
)


def insert_race(tx: Tx, new: Race, hands: Sequence[Mapping[str, Any]]) -> Race:
    """Store a new race with the hands that it will deal, as JSON objects."""
    values = {
        "chat_id": new.chat_id,
        "topic": new.topic,
        "starter_id": new.starter_id,
        "state": "open",
        "length": new.length,
        "hands": json.dumps(list(hands)),
        "seconds": new.seconds,
        "opened": new.opened,
    }
    (key,) = tx.execute(START, values).inserted_primary_key or (0,)
    return replace(new, id=int(key))


def load_race(tx: Tx, race_id: int) -> Race | None:
    """The race with that id."""
    return _race(tx.execute(BY_ID, {"this": race_id}).first())


def take_next_hand(tx: Tx, race_id: int) -> dict[str, Any] | None:
    """The race's next hand, taken off its pile; None when none is left."""
    row = tx.execute(HANDS, {"this": race_id}).first()
    pile = json.loads(row.hands) if row else []
    if not pile:
        return None
    tx.execute(CHANGE, {"this": race_id, "hands": json.dumps(pile[1:])})
    return dict(pile[0])


def update_race(tx: Tx, race: Race) -> None:
    """Write how far a race is."""
    state = "open" if race.open else "over"
    values = {"played": race.hands_played, "unanswered": race.untried_in_a_row, "state": state}
    tx.execute(CHANGE, {"this": race.id} | values)
    if not race.open:
        duels.settle_duel(tx, race.id)


def end_race(tx: Tx, race_id: int) -> None:
    """End a race, however far it is."""
    tx.execute(CHANGE, {"this": race_id, "state": "over"})
    duels.settle_duel(tx, race_id)


def count_hands_to_come(tx: Tx, chat_id: int) -> int:
    """How many hands the races under way in a chat will still deal."""
    return int(tx.scalar(TO_COME, {"chat": chat_id}) or 0)


def load_points(tx: Tx, race_id: int) -> dict[int, int]:
    """Points by player in a race."""
    return {row.player_id: int(row.total) for row in tx.execute(POINTS, {"this": race_id})}


def _race(row: Row[Any] | None) -> Race | None:
    if row is None:
        return None
    return Race(
        id=row.id,
        chat_id=row.chat_id,
        topic=row.topic,
        starter_id=row.starter_id,
        length=row.length,
        opened=row.opened,
        seconds=row.seconds,
        hands_played=row.played,
        untried_in_a_row=row.unanswered,
        open=row.state == "open",
    )
