"""The whole bot on a database with years of play: the time of each transaction while people play.

`bench.years` calls this with the database that it has filled. The bot runs here with the fake Telegram of the
tests. Hands of other groups are open meanwhile, so that each shown solution is checked against them. The
clock begins where the wins of those years end.
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

from bench.report import Row, compute_p99, format_time
from bot.database import Tx
from bot.games.twentyfour.dealing import build_hand
from bot.queue.pacing import Pace
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, User, World

OPEN_HANDS = 500  # Open hands of other groups, as with a million updates a day
WARM_UP = 4 * 12  # Hands that are not measured; they use each command once
MEMBERS = 5
BAR = 0.010
TIMED = "timed work"
UNPACED = Pace(posts_a_minute=100_000, redraw_gap=0.0)
WRONG = "{} + {} + {} + {}"
# Commands in groups, one after every fourth hand.
GROUP_COMMANDS = (
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
PRIVATE_COMMANDS = ("practice", "stats", "daily", "export", "leaderboard")  # One after every tenth hand


class Players:
    """People in groups who play and send commands."""

    def __init__(self, bot: LiveBot, world: World, clock: Clock) -> None:
        self._bot, self._world, self._clock = bot, world, clock
        self._random = random.Random(24)
        self.action = ""  # What is measured at the moment; the key of the following lists of seconds
        self.times = defaultdict[str, list[float]](list)  # Of each transaction
        self.cpu_times = defaultdict[str, list[float]](list)  # Of its thread
        self.answered = defaultdict[str, list[float]](list)  # Until all work of a message is done

    def start_measuring(self) -> None:
        """Measure each transaction from now on."""
        gc.collect()
        gc.freeze()
        self.answered.clear()
        store = self._bot.services.store
        for name in ("read", "write"):
            setattr(store, name, self._wrap(getattr(store, name)))

    def _wrap(self, run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def run_measured(work: Callable[[Tx], Any], *more: Any, **options: Any) -> Any:
            began, action = time.perf_counter(), self.action

            def inside(tx: Tx) -> Any:
                nonlocal began
                began = (
                    time.perf_counter() if action == TIMED else began
                )  # several of these wait for each other
                spent = time.thread_time()
                try:
                    return work(tx)
                finally:
                    self.cpu_times[action].append(time.thread_time() - spent)

            try:
                return await run(inside, *more, **options)
            finally:
                self.times[action].append(time.perf_counter() - began)

        return run_measured

    def make_group(self, number: int) -> tuple[Chat, list[User]]:
        """Return a group and its members."""
        people = [self._world.user(f"Player {number * MEMBERS + n}") for n in range(MEMBERS)]
        return self._world.group(f"Group {number}", *people), people

    async def _deal(self, who: User, where: Chat) -> tuple[int, ...]:
        while True:
            numbers = tuple(self._random.randint(1, 13) for _ in range(4))
            try:
                self._bot.solving.hands.append(build_hand(numbers, 24))
            except ValueError:
                continue  # no solution
            await self._send("play", who, where, f"/play@{self._world.bot.username}")
            return numbers

    async def _send(self, action: str, who: User, where: Chat, text: str) -> None:
        self._clock.advance(1)
        self.action = action
        began = time.perf_counter()
        self._world.say(who, where, text)
        await self._bot.settle()
        self.answered[action].append(time.perf_counter() - began)

    async def deal_open_hands(self, count: int) -> None:
        """Deal a hand in so many groups and leave it open."""
        for number in range(count):
            where, people = self.make_group(number)
            await self._deal(people[0], where)

    async def play(self, hands: int) -> None:
        """Play so many hands in twenty groups, and send all commands."""
        groups = [self.make_group(1_000_000 + number) for number in range(20)]
        at = f"@{self._world.bot.username}"
        for number in range(hands):
            where, people = groups[number % len(groups)]
            one, other = self._random.sample(people, 2)
            numbers = await self._deal(one, where)
            if number % 3 == 0:
                await self._send("hint", other, where, f"/hint{at}")
            await self._send("a wrong answer", other, where, f"/a{at} " + WRONG.format(*sorted(numbers)))
            if number % 5 == 0:
                await self._send("skip", one, where, f"/skip{at}")
            else:
                answer = build_hand(numbers, 24).ideas[0]
                await self._send("a right answer", other, where, f"/a{at} {answer}")
            if number % 4 == 0:
                line = GROUP_COMMANDS[number // 4 % len(GROUP_COMMANDS)]
                name, _, more = line.partition(" ")
                await self._send(name, other, where, f"/{name}{at} {more}".strip())
            if number % 10 == 0:
                name = PRIVATE_COMMANDS[number // 10 % len(PRIVATE_COMMANDS)]
                await self._send(f"{name}, in private", other, self._world.chat_of(other), f"/{name}")
            if number % 12 == 0:
                self.action = TIMED
                self._clock.advance(60)
                await self._bot.run_timers()

    def make_rows(self, name: str) -> Iterator[Row]:
        """Yield a row for each kind of action."""
        for action, times in sorted(self.times.items()):
            whole = self.answered.get(action) or [0.0]
            note = f"{len(times):,} transactions, half within {format_time(median(times))}; done and answered"
            note += f" within {format_time(median(whole))}, worst {format_time(max(whole))}"
            if self._bot.services.store.dialect == "sqlite":  # a server uses other processes
                note += f"; computing {format_time(compute_p99(self.cpu_times[action]))} at p99"
            remark = "" if compute_p99(times) < BAR else "; not met"
            job = f"{name}, the whole bot: {action}, p99"
            yield Row(job, format_time(compute_p99(times)), format_time(BAR), "", note + remark)


async def measure(name: str, url: URL, now: float, hands: int, open_hands: int = OPEN_HANDS) -> list[Row]:
    """Run the bot on that database, play so many hands and return the rows of the table."""
    clock = Clock(now)
    world = World(clock=clock, privacy=False, seed=24)
    async with AsyncExitStack() as stack:
        address = url.render_as_string(hide_password=False)
        bot = await stack.enter_async_context(run_bot(world, address, UNPACED, pictures=False))
        players = Players(bot, world, clock)
        await players.deal_open_hands(open_hands)
        await players.play(WARM_UP)
        players.start_measuring()
        await players.play(hands)
        return list(players.make_rows(name))
