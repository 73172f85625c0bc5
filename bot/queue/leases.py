"""Who serves a chat where several bots share a database: one of them, for as long as it *claims* the chat.

A claim has a token that is new with each owner. Whatever is done for a chat checks it in its own transaction,
so a bot that was frozen, cut off or taken for dead changes nothing once another one has taken over. What
can't be taken back, a request to Telegram, goes out only while the claim can't have ended unnoticed.

Where one bot has the database to itself, everything is its own.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from bot.database import Tx
from bot.queue.queries import QueuedUpdate


class LaneLostError(Exception):
    """Another bot serves the chat now, or leads them all: what was under way for it is that one's."""


class Leases(Protocol):
    """What this bot may work for."""

    @property
    def shared(self) -> bool:
        """Whether there may be other bots on the database."""

    @property
    def backlog(self) -> int:
        """How many updates wait for any of them, as was last seen."""

    def owns(self, lane: int) -> bool:
        """Whether the chat is this bot's, as far as it knows."""

    def surely_owns(self, lane: int) -> bool:
        """Whether nobody else can have taken the chat by now, whatever this bot knows."""

    def get_token(self, lane: int) -> int:
        """The token of its claim; 0 where it has none, or needs none."""

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Let nobody take the chat until `tx` is over. Raises LaneLostError if one did since that `token`."""

    def check_leader(self, tx: Tx) -> None:
        """The same of what one bot does for all."""

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """What waits in those of the chats that are this bot's: others may have stored some of it."""

    def notify_others(self) -> None:
        """Something was stored that another bot may have to see to."""

    async def wait_for_slot(self) -> None:
        """Wait until one more post may go to Telegram, of all that bots on this database send."""

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run what one bot does for all whenever this is the one. Raises as `part`."""


class SingleBotLeases:
    """The claims of a bot that has its database to itself."""

    shared = False
    backlog = 0

    def owns(self, lane: int) -> bool:
        """Yes."""
        return True

    surely_owns = owns

    def get_token(self, lane: int) -> int:
        """None is needed."""
        return 0

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Nobody takes anything."""

    def check_leader(self, tx: Tx) -> None:
        """Nobody else leads."""

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """Nothing: nobody else stores anything."""
        return []

    def notify_others(self) -> None:
        """Nobody is there to see to it."""

    async def wait_for_slot(self) -> None:
        """At once: each chat has its own pace, and Telegram says when the whole is too much."""

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Always."""
        await part()


SINGLE_BOT = SingleBotLeases()
