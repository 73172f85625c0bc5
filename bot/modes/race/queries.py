"""Races and their undealt hands in the database."""

import json
import logging
from collections.abc import Sequence

from sqlalchemy import func, insert, select, update

from bot.database import Tx, is_database_failure
from bot.database.schema import races, rounds
from bot.modes.race.rules import HAND_SECONDS, Race
from bot.rounds.puzzle import DealtPuzzle
from bot.rounds.queries import OPEN
from bot.rounds.registry import pack_dealt_puzzle, unpack_dealt_puzzle
from bot.rounds.rules import Round

log = logging.getLogger(__name__)


def insert_race(
    tx: Tx, first: Round, undealt: Sequence[DealtPuzzle], seconds: float = HAND_SECONDS, *, spare: int = 0
) -> int:
    """Store a race of this first hand and the undealt ones, in which each takes `seconds`; return its id.

    It is shorter than its hands by `spare` hands.
    """
    row = {
        "chat_id": first.chat_id,
        "topic": first.topic,
        "starter_id": first.dealer_id,
        "state": "open",
        "length": 1 + len(undealt) - spare,
        "hands": json.dumps([pack_dealt_puzzle(first.game, dealt) for dealt in undealt]),
        "seconds": seconds,
        "opened": first.opened,
    }
    (race_id,) = tx.execute(insert(races), row).inserted_primary_key or (0,)  # never empty
    return int(race_id)


def load_race(tx: Tx, race_id: int) -> Race | None:
    row = tx.execute(select(races).where(races.c.id == race_id)).first()
    if row is None:
        return None
    return Race(
        id=row.id,
        starter_id=row.starter_id,
        length=row.length,
        seconds=row.seconds,
        hands_played=row.played,
        untried_in_a_row=row.unanswered,
        is_open=row.state == "open",
    )


def take_next_hand(tx: Tx, race_id: int) -> tuple[str, DealtPuzzle] | None:
    """Remove the next hand from the race; return its game and puzzle, None if none is left or readable."""
    try:
        hands = json.loads(tx.scalar(select(races.c.hands).where(races.c.id == race_id)) or "[]")
        if not hands:
            return None
        first, *others = hands
        tx.execute(update(races).where(races.c.id == race_id).values(hands=json.dumps(others)))
        return unpack_dealt_puzzle(first)
    except Exception as error:
        if is_database_failure(error):
            raise
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def update_race(tx: Tx, race: Race) -> None:
    state = "open" if race.is_open else "over"
    values = {"played": race.hands_played, "unanswered": race.untried_in_a_row, "state": state}
    tx.execute(update(races).where(races.c.id == race.id).values(values))


def end_race(tx: Tx, race_id: int) -> None:
    tx.execute(update(races).where(races.c.id == race_id).values(state="over"))


def count_hands_to_come(tx: Tx, chat_id: int) -> int:
    """Count the hands that the open races in a chat have yet to deal."""
    # Without the hands played and the open one
    to_come = select(func.sum(races.c.length - races.c.played - 1))
    open_hands = to_come.join(rounds, rounds.c.race_id == races.c.id)
    in_chat = (rounds.c.chat_id == chat_id, OPEN, races.c.state == "open")
    return int(tx.scalar(open_hands.where(*in_chat)) or 0)
