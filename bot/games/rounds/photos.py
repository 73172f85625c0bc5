"""Which messages of rounds are photos, and what they show: queries."""

from sqlalchemy import select, text, update

from bot.database import Tx
from bot.database.schema import PICTURED, rounds
from bot.delivery import uploads
from bot.telegram.captions import SOME

KEPT = 86_400.0
"""Seconds after its end for which it is known what its photo shows: the name of a winner may be in it."""


def shown(tx: Tx, chat_id: int, message_id: int | None) -> str:
    """What names the picture that the message shows; empty for a text, and for no message.

    All hands of a race share one message: the latest of them that was given a picture tells.
    """
    if message_id is None:
        return ""
    here = (rounds.c.chat_id == chat_id, rounds.c.message_id == message_id, rounds.c.picture.is_not(None))
    return tx.scalar(select(rounds.c.picture).where(*here).order_by(rounds.c.id.desc()).limit(1)) or ""


def posted(tx: Tx, round_id: int, message_id: int, picture: str | None) -> None:
    """The round's message shows that picture, or is a text."""
    this = update(rounds).where(rounds.c.id == round_id, rounds.c.message_id == message_id)
    tx.execute(this.values(picture=picture))


def sweep(tx: Tx, now: float) -> None:
    """Forget what old photos show, and by which ids pictures were sent."""
    old = update(rounds).where(text(PICTURED), rounds.c.closed < now - KEPT)
    tx.execute(old.values(picture=SOME))
    uploads.sweep(tx, now)
