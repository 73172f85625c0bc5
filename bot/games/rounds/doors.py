"""Who answers rounds of groups from the private chat, by the links that each opened: their queries."""

from sqlalchemy import delete, or_, select

from bot.database import Tx, delete_some, upsert
from bot.database.schema import awards, entries, past, rounds, secret_doors, tries
from bot.spans import HOUR

KEPT = 24 * HOUR
"""Seconds for which a link leads to its round at most."""
MOST = 5
"""Links of one person that are looked at."""


def opened(tx: Tx, player_id: int, round_id: int, now: float) -> None:
    """What the person writes in private may answer that round from now on."""
    row = {"player_id": player_id, "round_id": round_id, "at": now}
    statement = upsert(tx, secret_doors).values(row)
    tx.execute(statement.on_conflict_do_update(index_elements=["player_id", "round_id"], set_={"at": now}))


def opened_at(tx: Tx, player_id: int, round_id: int) -> float | None:
    """When the person last opened the link of that round; None for never."""
    mine = (secret_doors.c.player_id == player_id, secret_doors.c.round_id == round_id)
    at = tx.scalar(select(secret_doors.c.at).where(*mine))
    return None if at is None else float(at)


def rounds_of(tx: Tx, player_id: int) -> list[int]:
    """The rounds whose links the person opened, the latest first; no more than the last few."""
    mine = select(secret_doors.c.round_id).where(secret_doors.c.player_id == player_id)
    latest = mine.order_by(secret_doors.c.at.desc(), secret_doors.c.round_id.desc()).limit(MOST)
    return [int(number) for number in tx.scalars(latest)]


def closed(tx: Tx, player_id: int, chat_id: int) -> None:
    """What the person writes in private answers no round of that group any more."""
    there = select(rounds.c.id).where(rounds.c.chat_id == chat_id)
    mine = (secret_doors.c.player_id == player_id, secret_doors.c.round_id.in_(there))
    tx.execute(delete(secret_doors).where(*mine))


def players(tx: Tx, chat_id: int) -> list[int]:
    """Who may answer a round of that group from their private chat: a link leads on to the next hand."""
    there = select(secret_doors.c.player_id).join(rounds, rounds.c.id == secret_doors.c.round_id)
    return [int(player) for player in tx.scalars(there.where(rounds.c.chat_id == chat_id).distinct())]


def played_there(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has answered anything in that chat, and so was seen there."""
    mine = (
        rounds.c.id.in_(select(tries.c.round_id).where(tries.c.player_id == player_id)),
        rounds.c.id.in_(select(entries.c.round_id).where(entries.c.player_id == player_id)),
    )
    scored = select(awards.c.id).where(awards.c.player_id == player_id, awards.c.chat_id == chat_id)
    found = select(rounds.c.id).where(rounds.c.chat_id == chat_id, or_(*mine)).limit(1)
    there = (past.c.chat_id == chat_id, past.c.player_id == player_id, past.c.unpaid > 0)
    long_ago = select(past.c.player_id).where(*there)
    return any(tx.execute(each.limit(1)).first() is not None for each in (found, scored, long_ago))


def sweep(tx: Tx, now: float) -> bool:
    """Close the doors of rounds that are over, and of long ago; whether there may be more."""
    live = select(rounds.c.id).where(rounds.c.state == "open")
    over = secret_doors.c.round_id.not_in(live) & (secret_doors.c.at < now - HOUR)
    return delete_some(tx, secret_doors, or_(over, secret_doors.c.at < now - KEPT))
