"""What players tried in a round: wrong answers, what its message says of them, votes to skip."""

from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import func, or_, select, update

from bot.database import Tx, upsert
from bot.database.schema import awards, entries, stops, tries, votes
from bot.games.rounds.rules import Round

NEAR = 5.0
"""How far from right a wrong answer is at most that is told as the nearest miss."""
NO_PERSON = 0
"""Who wrote a note that has no name: an anonymous admin, a channel."""


@dataclass(frozen=True, slots=True)
class Note:
    """A player's wrong answers in a round."""

    player_id: int
    wrong: int
    note: str
    """What the deal's message says of them; empty if nothing."""


@dataclass(frozen=True, slots=True)
class Miss:
    """The wrong answer that came nearest in a round."""

    player_id: int
    answer: str
    value: Fraction


def went_wrong(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a wrong answer; returns how many the player now has in the round."""
    return _counted(tx, "wrong", round_id, player_id)


def was_misread(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a message that can't be read as an answer; returns how many the player now has in the round."""
    return _counted(tx, "misread", round_id, player_id)


def came_late(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a right answer after the end; returns how many the player now has in the round."""
    return _counted(tx, "late", round_id, player_id)


def _counted(tx: Tx, what: str, round_id: int, player_id: int) -> int:
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, what: 1}
    statement = upsert(tx, tries).values(row)
    more = {what: tries.c[what] + 1}
    statement = statement.on_conflict_do_update(index_elements=["round_id", "player_id"], set_=more)
    return int(tx.scalar(statement.returning(tries.c[what])) or 0)


def missed(tx: Tx, round: Round, miss: Miss, off: float) -> bool:
    """Remember a player's wrong answer, whose tries are counted already, if it is their nearest.

    Returns whether it is their first one with a value.
    """
    own = (tries.c.round_id == round.id, tries.c.player_id == miss.player_id)
    first = tx.scalar(select(tries.c.miss_off).where(*own)) is None
    nearer = or_(tries.c.miss_off.is_(None), tries.c.miss_off > off)
    values = {"miss": miss.answer, "miss_value": str(miss.value), "miss_off": off}
    tx.execute(update(tries).where(*own, nearer).values(values))
    return first


def nearest_miss(tx: Tx, round_id: int) -> Miss | None:
    """The wrong answer, made of what was dealt, that came nearest, if one came within `NEAR`."""
    where = (tries.c.round_id == round_id, tries.c.miss_off <= NEAR)
    found = select(tries).where(*where).order_by(tries.c.miss_off, tries.c.player_id).limit(1)
    row = tx.execute(found).first()
    return None if row is None else Miss(row.player_id, row.miss, Fraction(row.miss_value))


def tried(tx: Tx, round_id: int) -> bool:
    """Whether anybody has answered in the round, right or wrong, or handed something in."""
    right = select(awards.c.id).where(awards.c.round_id == round_id).limit(1)
    wrong = select(tries.c.player_id).where(tries.c.round_id == round_id).limit(1)
    handed_in = select(entries.c.player_id).where(entries.c.round_id == round_id).limit(1)
    return any(tx.execute(found).first() is not None for found in (right, wrong, handed_in))


def others_tried(tx: Tx, round_id: int, player_id: int) -> bool:
    """Whether anybody but that player has answered in the round so far."""
    right = select(awards.c.id).where(awards.c.round_id == round_id, awards.c.player_id != player_id)
    answered = or_(tries.c.wrong > 0, tries.c.misread > 0)
    wrong = select(tries.c.player_id).where(
        tries.c.round_id == round_id, tries.c.player_id != player_id, answered
    )
    handed_in = select(entries.c.player_id).where(
        entries.c.round_id == round_id, entries.c.player_id != player_id
    )
    return any(tx.execute(found.limit(1)).first() is not None for found in (right, wrong, handed_in))


def note(tx: Tx, round_id: int, player_id: int, text: str) -> None:
    """Let the deal's message say `text` of a player's answer, below all other notes.

    A player has one note in a round. One that changes moves down, where people look for what is new.
    """
    last = tx.scalar(select(func.max(tries.c.noted)).where(tries.c.round_id == round_id))
    written = {"note": text, "noted": int(last or 0) + 1}
    statement = upsert(tx, tries).values(round_id=round_id, player_id=player_id, wrong=0, **written)
    tx.execute(statement.on_conflict_do_update(index_elements=["round_id", "player_id"], set_=written))


def is_noted(tx: Tx, round_id: int, player_id: int) -> bool:
    """Whether the deal's message says something of the player's answers."""
    mine = (tries.c.round_id == round_id, tries.c.player_id == player_id, tries.c.note != "")
    return tx.execute(select(tries.c.note).where(*mine)).first() is not None


def notes(tx: Tx, round_id: int) -> list[Note]:
    """What the deal's message says of wrong answers, in the order in which it was written."""
    noted = select(tries).where(tries.c.round_id == round_id, tries.c.note != "")
    rows = tx.execute(noted.order_by(tries.c.noted, tries.c.player_id))
    return [Note(row.player_id, row.wrong, row.note) for row in rows]


def vote(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a person's vote to skip, once; returns how many voted."""
    tx.execute(upsert(tx, votes).values(round_id=round_id, player_id=player_id).on_conflict_do_nothing())
    return vote_count(tx, round_id)


def voters(tx: Tx, round_id: int) -> list[int]:
    """Who voted to skip."""
    return list(tx.scalars(select(votes.c.player_id).where(votes.c.round_id == round_id)))


def vote_to_stop(tx: Tx, race_id: int, player_id: int) -> int:
    """Count a person's vote to end a race, once; returns how many voted."""
    tx.execute(upsert(tx, stops).values(race_id=race_id, player_id=player_id).on_conflict_do_nothing())
    return stop_count(tx, race_id)


def stop_count(tx: Tx, race_id: int) -> int:
    """How many people want to end a race."""
    return int(tx.scalar(select(func.count()).where(stops.c.race_id == race_id)) or 0)


def who_stops(tx: Tx, race_id: int) -> list[int]:
    """Who voted to end a race."""
    return list(tx.scalars(select(stops.c.player_id).where(stops.c.race_id == race_id)))


def vote_count(tx: Tx, round_id: int) -> int:
    """How many people want to skip."""
    return int(tx.scalar(select(func.count()).where(votes.c.round_id == round_id)) or 0)
