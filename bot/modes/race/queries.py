"""Races and their undealt hands in the database."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, insert, select, update

from bot.database import Tx
from bot.database.schema import awards, races, rounds
from bot.modes.duel import queries as duels
from bot.modes.race.rules import Race
from bot.rounds.rows import is_in_state
from bot.rounds.rules import State


def insert_race(tx: Tx, new: Race, hands: Sequence[Mapping[str, Any]]) -> Race:
    """Store a new race with its undealt hands, packed as JSON; return it with its id."""
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
    (race_id,) = tx.execute(insert(races), values).inserted_primary_key or (0,)  # never empty
    return replace(new, id=int(race_id))


def load_race(tx: Tx, race_id: int) -> Race | None:
    row = tx.execute(select(races).where(races.c.id == race_id)).first()
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
        is_open=row.state == "open",
    )


def take_next_hand(tx: Tx, race_id: int) -> dict[str, Any] | None:
    """Remove the next undealt hand from the race and return it; None if there is none."""
    hands = json.loads(tx.scalar(select(races.c.hands).where(races.c.id == race_id)) or "[]")
    if not hands:
        return None
    next_hand, *later_hands = hands
    tx.execute(update(races).where(races.c.id == race_id).values(hands=json.dumps(later_hands)))
    return dict(next_hand)


def update_race(tx: Tx, race: Race) -> None:
    """Store the race's progress; when it is over, settle its duel."""
    state = "open" if race.is_open else "over"
    values = {"played": race.hands_played, "unanswered": race.untried_in_a_row, "state": state}
    tx.execute(update(races).where(races.c.id == race.id).values(values))
    if not race.is_open:
        duels.settle_duel(tx, race.id)


def end_race(tx: Tx, race_id: int) -> None:
    """End a race before its last hand, and settle its duel."""
    tx.execute(update(races).where(races.c.id == race_id).values(state="over"))
    duels.settle_duel(tx, race_id)


def count_hands_to_come(tx: Tx, chat_id: int) -> int:
    """Count the hands that the open races in a chat have yet to deal."""
    # Without the hands played and the open one
    to_come = select(func.sum(races.c.length - races.c.played - 1))
    open_hands = to_come.join(rounds, rounds.c.race_id == races.c.id)
    in_chat = (rounds.c.chat_id == chat_id, is_in_state(State.OPEN), races.c.state == "open")
    return int(tx.scalar(open_hands.where(*in_chat)) or 0)


def load_points(tx: Tx, race_id: int) -> dict[int, int]:
    """Load the points awarded in a race, by player."""
    query = (
        select(awards.c.player_id, func.sum(awards.c.points).label("total"))
        .join(rounds, rounds.c.id == awards.c.round_id)
        .where(rounds.c.race_id == race_id)
        .group_by(awards.c.player_id)
    )
    return {row.player_id: int(row.total) for row in tx.execute(query)}
