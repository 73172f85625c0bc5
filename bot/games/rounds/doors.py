"""Who answers a round of a group from the private chat, by the last link that each opened: its queries."""

from sqlalchemy import delete, or_, select

from bot.database import Tx, upsert
from bot.database.schema import awards, entries, rounds, secret_doors, tries

HOUR = 3600.0
KEPT = 24 * HOUR
"""Seconds for which a link leads to its round at most."""


def opened(tx: Tx, player_id: int, round_id: int, now: float) -> None:
    """What the person writes in private answers that round from now on, for as long as it is open."""
    row = {"player_id": player_id, "round_id": round_id, "at": now}
    statement = upsert(tx, secret_doors).values(row)
    tx.execute(statement.on_conflict_do_update(index_elements=["player_id"], set_=row))


def round_of(tx: Tx, player_id: int) -> int | None:
    """The round whose link the person opened last."""
    found = tx.scalar(select(secret_doors.c.round_id).where(secret_doors.c.player_id == player_id))
    return None if found is None else int(found)


def closed(tx: Tx, player_id: int) -> None:
    """What the person writes in private answers no group's round any more."""
    tx.execute(delete(secret_doors).where(secret_doors.c.player_id == player_id))


def players(tx: Tx, round_id: int) -> list[int]:
    """Who may answer the round from their private chat."""
    found = select(secret_doors.c.player_id).where(secret_doors.c.round_id == round_id)
    return [int(player) for player in tx.scalars(found)]


def played_there(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has answered anything in that chat, and so was seen there."""
    mine = (
        rounds.c.id.in_(select(tries.c.round_id).where(tries.c.player_id == player_id)),
        rounds.c.id.in_(select(entries.c.round_id).where(entries.c.player_id == player_id)),
        rounds.c.id.in_(select(awards.c.round_id).where(awards.c.player_id == player_id)),
    )
    found = select(rounds.c.id).where(rounds.c.chat_id == chat_id, or_(*mine)).limit(1)
    return tx.execute(found).first() is not None


def sweep(tx: Tx, now: float) -> None:
    """Close the doors of rounds that are over, and of long ago."""
    live = select(rounds.c.id).where(rounds.c.state == "open")
    over = secret_doors.c.round_id.not_in(live) & (secret_doors.c.at < now - HOUR)
    tx.execute(delete(secret_doors).where(or_(over, secret_doors.c.at < now - KEPT)))
