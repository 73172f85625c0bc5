"""The offer of the lesson: who may still take it, and who has been offered it."""

from sqlalchemy import exists, select

from bot.database import Tx
from bot.database.schema import awards
from bot.players import queries as people
from bot.players.privacy import aliases

SETTLED_SETTING = "lesson"  # The setting of a private chat that says that the lesson was taken or declined


def can_take_lesson(tx: Tx, player_id: int) -> bool:
    """Whether the player has never scored and has neither taken nor declined the lesson."""
    has_scored = tx.scalar(select(exists().where(awards.c.player_id == player_id)))
    settings = people.load_chat(tx, player_id, kind="private").settings
    return not has_scored and not settings.get(SETTLED_SETTING)


def close_offer(tx: Tx, player_id: int) -> None:
    """Store that the player has taken or declined the lesson."""
    people.store_setting(tx, player_id, SETTLED_SETTING, True)


def insert_offer(tx: Tx, player_id: int) -> bool:
    """Store that the lesson is offered to the player; False, without storing it, if it was or can't be taken.

    The player is stored under an alias, so that a player who only asks leaves no trace.
    """
    key = _make_offer_key(tx, player_id)
    if not can_take_lesson(tx, player_id) or people.load_fact(tx, key) is not None:
        return False
    people.store_fact(tx, key, "1")  # any value: only the key counts
    return True


def delete_offer(tx: Tx, player_id: int) -> None:
    """Forget that the lesson was offered to the player."""
    people.delete_fact(tx, _make_offer_key(tx, player_id))


def _make_offer_key(tx: Tx, player_id: int) -> str:
    return f"lesson offered {aliases.load_or_create_alias(tx, player_id)}"
