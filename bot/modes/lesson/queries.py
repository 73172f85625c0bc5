"""Who may still take the lesson, and to whom it was offered."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, delete, select

from bot.database import Tx
from bot.database.schema import awards, meta
from bot.players import queries as people
from bot.players.privacy import aliases

LESSON_SECONDS = 20.0
SETTLED_SETTING = "lesson"  # The private chat's setting that remembers that the lesson was taken or declined
MAX_DRAWS = 5  # Hands that are drawn at most to get one that is on no table of the player's


def may_take_lesson(settings: Mapping[str, Any], *, scored: bool) -> bool:
    """Whether somebody with these settings of their private chat may take the lesson."""
    return not scored and not settings.get(SETTLED_SETTING)


SCORED = select(awards.c.id).where(awards.c.player_id == bindparam("player")).limit(1)


def can_take_lesson(tx: Tx, player_id: int) -> bool:
    """Whether the person may take the lesson, in their private chat."""
    scored = tx.execute(SCORED, {"player": player_id}).first()
    chosen = people.load_chat(tx, player_id, "private").settings
    return may_take_lesson(chosen, scored=scored is not None)


def close_offer(tx: Tx, player_id: int) -> None:
    """It was taken or declined."""
    people.store_setting(tx, player_id, SETTLED_SETTING, True)


def insert_offer(tx: Tx, player_id: int) -> bool:
    """Take note that the lesson is offered to the person; False where it was before, or can't be taken.

    Whoever only asks is in no table by that: what is kept is an alias.
    """
    fact = _fact(tx, player_id)
    if not can_take_lesson(tx, player_id) or people.load_fact(tx, fact) is not None:
        return False
    people.store_fact(tx, fact, "1")
    return True


def delete_offer(tx: Tx, player_id: int) -> None:
    """Whoever comes back is new."""
    tx.execute(delete(meta).where(meta.c.key == _fact(tx, player_id)))


def _fact(tx: Tx, player_id: int) -> str:
    return f"lesson offered {aliases.load_or_create_alias(tx, player_id)}"
