"""What stands between the bot and one chat: requests that wait, and requests that Telegram refused."""

from sqlalchemy import bindparam, func, select

from bot.database import Tx
from bot.database.schema import outbox

WAITING = select(func.count()).where(outbox.c.lane == bindparam("chat"), outbox.c.state == "waiting")
REFUSED = (
    select(outbox.c.trouble)
    .where(outbox.c.lane == bindparam("chat"), outbox.c.state.in_(("dead", "wish")))
    .where(outbox.c.at > bindparam("since"))
    .order_by(outbox.c.id.desc())
    .limit(1)
)


def count_waiting_requests(tx: Tx, chat_id: int) -> int:
    """How many requests wait for their turn in a chat."""
    return int(tx.scalar(WAITING, {"chat": chat_id}) or 0)


def load_latest_refusal(tx: Tx, chat_id: int, since: float) -> str | None:
    """Why Telegram took no notice of the latest request to a chat that it refused after `since`."""
    trouble = tx.scalar(REFUSED, {"chat": chat_id, "since": since})
    return None if trouble is None else str(trouble)
