"""Who may still be offered the lesson."""

from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import awards
from bot.games.lesson.rules import SETTLED, may_offer
from bot.people import queries as people


def is_offered(tx: Tx, player_id: int) -> bool:
    """Whether the lesson is offered to the person, in their private chat."""
    scored = tx.execute(select(awards.c.id).where(awards.c.player_id == player_id).limit(1)).first()
    chosen = people.find_chat(tx, player_id, "private").settings
    return may_offer(chosen, scored=scored is not None)


def settle(tx: Tx, player_id: int) -> None:
    """It was taken or declined, and is not offered again."""
    people.choose(tx, player_id, SETTLED, True)
