"""The whole bot beside years of play: each transaction that it makes while people play and ask.

`bench.years` calls this with the database that it filled. The bot runs here with the Telegram of the tests;
hands of other groups lie on tables meanwhile, and whatever is shown is held against them. The clock stands
where the wins of those years end, and goes on by seconds.
"""

import gc
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from statistics import median
from typing import Any

from sqlalchemy.engine import URL

from bench.table import Row, late, written
from bot.database import Tx
from bot.games.twentyfour.dealing import build_hand
from bot.queue.pacing import Pace
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, User, World

TABLES = 500  # Hands that lie on tables of other groups: what a million updates a day leave open at once
WARM = 4 * 12  # Hands with which everything is asked once before its time is taken
MEMBERS = 5
BAR = 0.010
TIMED = "timed work"
UNPACED = Pace(posts_a_minute=100_000, redraw_gap=0.0)
WRONG = "{} + {} + {} + {}"
# What is asked in groups of every fourth hand.
ASKED = (
    "leaderboard",
    "stats",
    "records",
    "ratings",
    "achievements",
    "settings",
    "help",
    "why 3 8 3 8",
    "solve 5 5 5 1",
    "solve 1 2 3 4 5 6 target 999",
    "daily",
)
ALONE = ("practice", "stats", "daily", "export", "leaderboard")  # What is asked in private of every tenth


class Beside:
    """People of some groups, who play and ask."""

    def __init__(self, table: LiveBot, world: World, clock: Clock) -> None:
        self._table, self._world, self._hours = table, world, clock
        self._random = random.Random(24)
        self.what = ""
        self.times = defaultdict[str, list[float]](list)
        """Seconds of each transaction, by what was said."""
        self.computed = defaultdict[str, list[float]](list)
        """Seconds of each in which its thread computed."""
        self.answered = defaultdict[str, list[float]](list)
        """Seconds until all of what was said is done and answered."""

    def watch(self) -> None:
        """Take the time of each transaction; what is there by now is no garbage."""
        gc.collect()
        gc.freeze()
        self.answered.clear()
        store = self._table.services.store
        for name in ("read", "write"):
            setattr(store, name, self._timed(getattr(store, name)))

    def _timed(self, run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def timed(work: Callable[[Tx], Any], *more: Any, **options: Any) -> Any:
            began, what = time.perf_counter(), self.what

            def inside(tx: Tx) -> Any:
                nonlocal began
                began = time.perf_counter() if what == TIMED else began  # many of these wait in a row
                spent = time.thread_time()
                try:
                    return work(tx)
                finally:
                    self.computed[what].append(time.thread_time() - spent)

            try:
                return await run(inside, *more, **options)
            finally:
                self.times[what].append(time.perf_counter() - began)

        return timed

    def group(self, number: int) -> tuple[Chat, list[User]]:
        """A group and who is in it."""
        people = [self._world.user(f"Player {number * MEMBERS + n}") for n in range(MEMBERS)]
        return self._world.group(f"Group {number}", *people), people

    async def _dealt(self, who: User, where: Chat) -> tuple[int, ...]:
        while True:
            numbers = tuple(self._random.randint(1, 13) for _ in range(4))
            try:
                self._table.solving.hands.append(build_hand(numbers, 24))
            except ValueError:
                continue  # nothing makes 24 of these
            await self._says("play", who, where, f"/play@{self._world.bot.username}")
            return numbers

    async def _says(self, what: str, who: User, where: Chat, text: str) -> None:
        self._hours.advance(1)
        self.what = what
        began = time.perf_counter()
        self._world.say(who, where, text)
        await self._table.settle()
        self.answered[what].append(time.perf_counter() - began)

    async def lay(self, tables: int) -> None:
        """Leave a hand on the table of so many groups."""
        for number in range(tables):
            where, people = self.group(number)
            await self._dealt(people[0], where)

    async def play(self, hands: int) -> None:
        """Play so many hands in twenty groups, and ask all that can be asked."""
        groups = [self.group(1_000_000 + number) for number in range(20)]
        at = f"@{self._world.bot.username}"
        for number in range(hands):
            where, people = groups[number % len(groups)]
            one, other = self._random.sample(people, 2)
            numbers = await self._dealt(one, where)
            if number % 3 == 0:
                await self._says("hint", other, where, f"/hint{at}")
            await self._says("a wrong answer", other, where, f"/a{at} " + WRONG.format(*sorted(numbers)))
            if number % 5 == 0:
                await self._says("skip", one, where, f"/skip{at}")
            else:
                answer = build_hand(numbers, 24).ideas[0]
                await self._says("a right answer", other, where, f"/a{at} {answer}")
            if number % 4 == 0:
                line = ASKED[number // 4 % len(ASKED)]
                name, _, more = line.partition(" ")
                await self._says(name, other, where, f"/{name}{at} {more}".strip())
            if number % 10 == 0:
                name = ALONE[number // 10 % len(ALONE)]
                await self._says(f"{name}, alone", other, self._world.chat_of(other), f"/{name}")
            if number % 12 == 0:
                self.what = TIMED
                self._hours.advance(60)
                await self._table.run_timers()

    def rows(self, name: str) -> Iterator[Row]:
        """A line for each thing that was said."""
        for what, times in sorted(self.times.items()):
            whole = self.answered.get(what) or [0.0]
            note = f"{len(times):,} transactions, half within {written(median(times))}; all done and answered"
            note += f" within {written(median(whole))}, worst {written(max(whole))}"
            if self._table.services.store.dialect == "sqlite":  # a server computes elsewhere
                note += f"; computing {written(late(self.computed[what]))} at p99"
            met = "" if late(times) < BAR else "; not met"
            job = f"{name}, the whole bot: {what}, p99"
            yield Row(job, written(late(times)), written(BAR), "", note + met)


async def played(name: str, url: URL, now: float, hands: int, tables: int = TABLES) -> list[Row]:
    """The bot is opened on that database, plays so many hands and is closed."""
    clock = Clock(now)
    world = World(clock=clock, privacy=False, seed=24)
    async with AsyncExitStack() as stack:
        address = url.render_as_string(hide_password=False)
        table = await stack.enter_async_context(run_bot(world, address, UNPACED, pictures=False))
        beside = Beside(table, world, clock)
        await beside.lay(tables)
        await beside.play(WARM)
        beside.watch()
        await beside.play(hands)
        return list(beside.rows(name))
