"""Leases of chats: of several bots on one database, each chat is served by the one that holds its lease.

A lease has a token that is new with each owner. Every transaction for a chat checks the token, so a bot that
was frozen or cut off changes nothing once another bot has taken over. A request to Telegram can't be taken
back, so it is sent only while the lease can't have ended unnoticed.

A bot that has the database to itself owns all chats.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from bot.database import Tx
from bot.queue.queries import QueuedUpdate


class LaneLostError(Exception):
    """Another bot holds the lease, or leads: it goes on with what was under way."""


class Leases(Protocol):
    """The leases of this bot."""

    @property
    def shared(self) -> bool:
        """Whether there may be other bots on the database."""

    @property
    def backlog(self) -> int:
        """The number of updates that wait for any bot, when it was last counted."""

    def owns(self, lane: int) -> bool:
        """Whether this bot has the lease, as far as it knows."""

    def surely_owns(self, lane: int) -> bool:
        """Whether no other bot can have taken the lease by now."""

    def get_token(self, lane: int) -> int:
        """Return the token of the lease; 0 if there is none, or none is needed."""

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Keep others from taking the lease until `tx` ends. Raises LaneLostError if its token is another."""

    def check_leader(self, tx: Tx) -> None:
        """Keep others from leading until `tx` ends. Raises LaneLostError if this bot does not lead."""

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """Return the waiting updates, also those stored by other bots, in those of the lanes that it owns."""

    def notify_others(self) -> None:
        """Tell the other bots that something was stored that one of them may have to handle."""

    async def wait_for_slot(self) -> None:
        """Wait until one more post may be sent, counting the posts of all bots."""

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` whenever this bot leads, and stop it when it no longer does. Raises as `part`."""


class SingleBotLeases:
    """The leases of a bot that has the database to itself: it owns all chats and always leads."""

    shared = False
    backlog = 0

    def owns(self, lane: int) -> bool:
        return True

    surely_owns = owns

    def get_token(self, lane: int) -> int:
        return 0

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        pass

    def check_leader(self, tx: Tx) -> None:
        pass

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        return []  # no other bot stores any

    def notify_others(self) -> None:
        pass

    async def wait_for_slot(self) -> None:
        pass  # each chat has its own pace, and Telegram says when all together are too fast

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        await part()


SINGLE_BOT = SingleBotLeases()
