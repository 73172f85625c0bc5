"""Who serves a chat where several bots share a database: one of them, for as long as it *claims* the chat.

A claim has a token that is new with each owner. Whatever is done for a chat checks it in its own transaction,
so a bot that was frozen, cut off or taken for dead changes nothing once another one has taken over. What
can't be taken back, a request to Telegram, goes out only while the claim can't have ended unnoticed.

Where one bot has the database to itself, everything is its own.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from bot.database import Tx
from bot.queue.queries import Incoming


class LaneLostError(Exception):
    """Another bot serves the chat now, or leads them all: what was under way for it is that one's."""


class Claims(Protocol):
    """What this bot may work for."""

    @property
    def shared(self) -> bool:
        """Whether there may be other bots on the database."""

    @property
    def backlog(self) -> int:
        """How many updates wait for any of them, as was last seen."""

    def has(self, lane: int) -> bool:
        """Whether the chat is this bot's, as far as it knows."""

    def holds(self, lane: int) -> bool:
        """Whether nobody else can have taken the chat by now, whatever this bot knows."""

    def token(self, lane: int) -> int:
        """The token of its claim; 0 where it has none, or needs none."""

    def check(self, tx: Tx, lane: int, token: int) -> None:
        """Let nobody take the chat until `tx` is over. Raises LaneLostError if one did since that `token`."""

    def check_lead(self, tx: Tx) -> None:
        """The same of what one bot does for all."""

    def beside(self, tx: Tx, lanes: Collection[int]) -> list[Incoming]:
        """What waits in those of the chats that are this bot's: others may have stored some of it."""

    def hint(self) -> None:
        """Something was stored that another bot may have to see to."""

    async def slot(self) -> None:
        """Wait until one more post may go to Telegram, of all that bots on this database send."""

    async def leading(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run what one bot does for all whenever this is the one. Raises as `part`."""


class Alone:
    """The claims of a bot that has its database to itself."""

    shared = False
    backlog = 0

    def has(self, lane: int) -> bool:
        """Yes."""
        return True

    holds = has

    def token(self, lane: int) -> int:
        """None is needed."""
        return 0

    def check(self, tx: Tx, lane: int, token: int) -> None:
        """Nobody takes anything."""

    def check_lead(self, tx: Tx) -> None:
        """Nobody else leads."""

    def beside(self, tx: Tx, lanes: Collection[int]) -> list[Incoming]:
        """Nothing: nobody else stores anything."""
        return []

    def hint(self) -> None:
        """Nobody is there to see to it."""

    async def slot(self) -> None:
        """At once: each chat has its own pace, and Telegram says when the whole is too much."""

    async def leading(self, part: Callable[[], Awaitable[None]]) -> None:
        """Always."""
        await part()


ALONE = Alone()
