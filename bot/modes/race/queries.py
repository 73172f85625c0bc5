"""Races and their undealt hands in the database."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update

from bot.database import Tx
from bot.database.schema import awards, races, rounds
from bot.modes.duel import queries as duels
from bot.modes.race.rules import Race
from bot.rounds.rows import is_in_state
from bot.rounds.rules import State

# Statements are built once: building one takes longer than running it.
INSERT_RACE = insert(races)


def insert_race(tx: Tx, new: Race, hands: Sequence[Mapping[str, Any]]) -> Race:
    """Store a new race with its undealt hands, packed as JSON objects; return it with its id."""
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
    (key,) = tx.execute(INSERT_RACE, values).inserted_primary_key or (0,)
    return replace(new, id=int(key))


SELECT_RACE = select(races).where(races.c.id == bindparam("race"))


def load_race(tx: Tx, race_id: int) -> Race | None:
    """Load a race; None if there is no such race."""
    row = tx.execute(SELECT_RACE, {"race": race_id}).first()
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


UPDATE_RACE = update(races).where(races.c.id == bindparam("race"))


def take_next_hand(tx: Tx, race_id: int) -> dict[str, Any] | None:
    """Remove the next undealt hand from the race and return it; None if there is none."""
    row = tx.execute(SELECT_RACE, {"race": race_id}).first()
    hands = json.loads(row.hands) if row else []
    if not hands:
        return None
    tx.execute(UPDATE_RACE, {"race": race_id, "hands": json.dumps(hands[1:])})
    return dict(hands[0])


def update_race(tx: Tx, race: Race) -> None:
    """Store the race's progress; when it is over, settle its duel."""
    values = {
        "played": race.hands_played,
        "unanswered": race.untried_in_a_row,
        "state": "open" if race.open else "over",
    }
    tx.execute(UPDATE_RACE, {"race": race.id} | values)
    if not race.open:
        duels.settle_duel(tx, race.id)


def end_race(tx: Tx, race_id: int) -> None:
    """End a race before its last hand, and settle its duel."""
    tx.execute(UPDATE_RACE, {"race": race_id, "state": "over"})
    duels.settle_duel(tx, race_id)


COUNT_HANDS_TO_COME = (
    select(func.sum(races.c.length - races.c.played - 1))
    .join(rounds, rounds.c.race_id == races.c.id)
    .where(rounds.c.chat_id == bindparam("chat"), is_in_state(State.OPEN), races.c.state == "open")
)


def count_hands_to_come(tx: Tx, chat_id: int) -> int:
    """Count the hands that the open races in a chat have yet to deal."""
    return int(tx.scalar(COUNT_HANDS_TO_COME, {"chat": chat_id}) or 0)


SUM_POINTS = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .join(rounds, rounds.c.id == awards.c.round_id)
    .where(rounds.c.race_id == bindparam("race"))
    .group_by(awards.c.player_id)
)


def load_points(tx: Tx, race_id: int) -> dict[int, int]:
    """Load the points awarded in a race, by player."""
    return {row.player_id: int(row.total) for row in tx.execute(SUM_POINTS, {"race": race_id})}
