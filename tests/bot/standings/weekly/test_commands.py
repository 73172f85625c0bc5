"""Claiming weekly posts of many groups without delaying games."""

from collections.abc import Callable
from typing import Any, TypeVar

from bot.database import Tx
from bot.queue.outgoing import Outgoing
from bot.queue.timers import TimerContext
from bot.standings import weekly_post
from tests.bot.databases import Database
from tests.bot.standings.weekly.test_queries import TEN, insert_round

T = TypeVar("T")


class TaskRunner:
    """A context of timed tasks over one database; records the claimed chats."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.claimed = list[int]()
        everything: Any = self
        self.running = TimerContext(everything, self.run_effect, everything)

    def now(self) -> float:
        return TEN

    async def read(self, look: Callable[[Tx], T]) -> T:
        return await self._db(look)

    async def run_effect(self, effect: Callable[[Tx], list[Outgoing]]) -> None:
        self.claimed += [request.lane for request in await self._db(effect)]

    async def run_task(self) -> bool:
        """Run the task once; return whether it rests until the next minute."""
        (work,) = [work for work in weekly_post.ROUTES.timed_tasks if work.name == "weekly posts"]
        return await work.run(self.running, TEN) is not False


async def test_each_run_claims_some_posts_and_the_next_run_continues(db: Database) -> None:
    chats = range(-20, 0)
    for chat in chats:
        await db(lambda tx, chat=chat: insert_round(tx, chat, 7))  # type: ignore[misc]
    chores, counts = TaskRunner(db), list[int]()
    while not await chores.run_task():
        counts.append(len(chores.claimed))
    assert counts == [8, 16]
    assert chores.claimed == list(chats)
    assert await chores.run_task()
    assert chores.claimed == list(chats)
    await db(lambda tx: insert_round(tx, -30, 7))  # in the next minute it begins with the first
    while not await chores.run_task():
        pass
    assert chores.claimed == [*chats, -30]
