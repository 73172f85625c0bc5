"""Which messages of rounds are photos, and what they show: queries."""

from sqlalchemy import bindparam, select, text, update

from bot.database import Tx
from bot.database.schema import HAS_KNOWN_PICTURE, rounds
from bot.queue import uploads
from bot.telegram.captions import UNKNOWN_CONTENT

# Seconds after its end for which it is known what its photo shows: the name of a winner may be in it.
PICTURE_LIFETIME = 86_400.0

# Built once, since every drawing needs them and building takes longer than the database does

SHOWN_IN_MESSAGE = rounds.c.message_id == bindparam("message")
PICTURES = select(rounds.c.picture).where(
    rounds.c.chat_id == bindparam("chat"), SHOWN_IN_MESSAGE, rounds.c.picture.is_not(None)
)
SHOWN_PICTURE = PICTURES.order_by(rounds.c.id.desc()).limit(1)
SET_PICTURE = update(rounds).where(rounds.c.id == bindparam("this"), SHOWN_IN_MESSAGE)
OLD_PICTURES = update(rounds).where(text(HAS_KNOWN_PICTURE), rounds.c.closed < bindparam("before"))


def load_shown_picture(tx: Tx, chat_id: int, message_id: int | None) -> str:
    """What names the picture that the message shows; empty for a text, and for no message.

    All hands of a race share one message: the latest of them that was given a picture tells.
    """
    if message_id is None:
        return ""
    return tx.scalar(SHOWN_PICTURE, {"chat": chat_id, "message": message_id}) or ""


def update_shown_picture(tx: Tx, round_id: int, message_id: int, picture: str | None) -> None:
    """The round's message shows that picture, or is a text."""
    tx.execute(SET_PICTURE, {"this": round_id, "message": message_id, "picture": picture})


def forget_old_pictures(tx: Tx, now: float) -> None:
    """Forget what old photos show, and by which ids pictures were sent."""
    tx.execute(OLD_PICTURES, {"before": now - PICTURE_LIFETIME, "picture": UNKNOWN_CONTENT})
    uploads.delete_expired_uploads(tx, now)
