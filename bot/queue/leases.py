"""Leases of chats: of several bots on one database, each chat is served by the one that holds its lease.

A lease has a token that is new with each owner. Every transaction for a chat checks the token, so a bot that
was frozen or cut off changes nothing once another bot has taken over. A request to Telegram can't be taken
back, so it is sent only while the lease can't have ended unnoticed.
"""

from collections.abc import Awaitable, Callable, Collection

from bot.database import Tx
from bot.queue.queries import QueuedUpdate


class LaneLostError(Exception):
    """Another bot holds the lease, or leads: it goes on with what was under way."""


class Leases:
    """The leases of this bot. By default it has the database to itself: it owns all chats and leads."""

    shared = False  # Whether there may be other bots on the database
    backlog = 0  # Updates that wait for any bot, when last counted

    def owns(self, lane: int) -> bool:
        """Whether this bot has the lease, as far as it knows; always true without other bots."""
        return True

    def surely_owns(self, lane: int) -> bool:
        """Whether no other bot can have taken the lease by now; always true without other bots."""
        return True

    def get_token(self, lane: int) -> int:
        """Return the token of the lease; 0 if there is none, or none is needed."""
        return 0

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Lock the lease until `tx` ends, or raise LaneLostError if its token is another; here do nothing."""

    def check_leader(self, tx: Tx) -> None:
        """Lock the lead until `tx` ends, or raise LaneLostError if another bot leads; here do nothing."""

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """Return all waiting updates in those of the lanes that it owns; none without other bots."""
        return []

    def notify_others(self) -> None:
        """Tell the other bots, if any, that something was stored that one of them may have to handle."""

    async def wait_for_slot(self) -> None:
        """Wait until one more post may be sent, counting those of all bots; here do not wait."""

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` while this bot leads, until `part` returns or raises; here the bot always leads."""
        await part()


SINGLE_BOT = Leases()
