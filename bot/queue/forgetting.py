"""What is let go of the queues: ids of updates that are done, and what nobody will look at again."""

from bot.database import Tx, read_server_time, delete_batch
from bot.database.schema import inbox, outbox
from bot.queue.queries import NOWHERE

# Seconds for which the id of a finished update is kept: Telegram itself repeats nothing older than a day.
REMEMBERED = 2 * 86_400.0
DEAD_KEPT = 30 * 86_400.0  # Seconds for which an operator can look at a dead letter

DONE = inbox.c.state == "done"


def delete_expired_rows(tx: Tx, now: float) -> bool:
    """Drop the ids of updates that nobody repeats any more, and what nobody will look at again.

    So many at once, for whoever waits; whether there may be more. A server's clock goes before `now`, since
    one of several bots clears away what all have stored.
    """
    now = read_server_time(tx, now)
    left = [
        delete_batch(tx, inbox, DONE, inbox.c.lane == NOWHERE, inbox.c.at < now - REMEMBERED),
        delete_batch(tx, inbox, inbox.c.state == "dead", inbox.c.at < now - DEAD_KEPT),
        delete_batch(tx, outbox, outbox.c.state == "dead", outbox.c.at < now - DEAD_KEPT),
        delete_batch(tx, outbox, outbox.c.state == "sent", outbox.c.at < now - REMEMBERED),
    ]
    return any(left)
