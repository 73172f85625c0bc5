"""Who may still take the lesson, and to whom it was offered."""

from sqlalchemy import bindparam, delete, select

from bot.database import Tx
from bot.database.schema import awards, meta
from bot.modes.lesson.rules import SETTLED, may_take
from bot.players import queries as people
from bot.players.privacy import aliases

SCORED = select(awards.c.id).where(awards.c.player_id == bindparam("player")).limit(1)


def is_open(tx: Tx, player_id: int) -> bool:
    """Whether the person may take the lesson, in their private chat."""
    scored = tx.execute(SCORED, {"player": player_id}).first()
    chosen = people.find_chat(tx, player_id, "private").settings
    return may_take(chosen, scored=scored is not None)


def settle(tx: Tx, player_id: int) -> None:
    """It was taken or declined."""
    people.choose(tx, player_id, SETTLED, True)


def offer(tx: Tx, player_id: int) -> bool:
    """Take note that the lesson is offered to the person; False where it was before, or can't be taken.

    Whoever only asks is in no table by that: what is kept is an alias.
    """
    fact = _fact(tx, player_id)
    if not is_open(tx, player_id) or people.fact(tx, fact) is not None:
        return False
    people.remember(tx, fact, "1")
    return True


def forget(tx: Tx, player_id: int) -> None:
    """Whoever comes back is new."""
    tx.execute(delete(meta).where(meta.c.key == _fact(tx, player_id)))


def _fact(tx: Tx, player_id: int) -> str:
    return f"lesson offered {aliases.alias(tx, player_id)}"
