"""What stands between the bot and one chat: requests that wait, and requests that Telegram refused."""

from sqlalchemy import func, select

from bot.database import Tx
from bot.database.schema import outbox


def waiting(tx: Tx, chat_id: int) -> int:
    """How many requests wait for their turn in a chat."""
    mine = (outbox.c.lane == chat_id, outbox.c.state == "waiting")
    return int(tx.scalar(select(func.count()).select_from(outbox).where(*mine)) or 0)


def refused(tx: Tx, chat_id: int, since: float) -> str | None:
    """Why Telegram took no notice of the latest request to a chat that it refused after `since`."""
    mine = (outbox.c.lane == chat_id, outbox.c.state.in_(("dead", "wish")), outbox.c.at > since)
    trouble = tx.scalar(select(outbox.c.trouble).where(*mine).order_by(outbox.c.id.desc()).limit(1))
    return None if trouble is None else str(trouble)
