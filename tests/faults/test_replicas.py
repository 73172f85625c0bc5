"""Several bots on one database: they share the chats, take over from each other, and lose nothing."""

import asyncio
import contextlib
import random
import re
import signal
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import asyncpg  # type: ignore[import-untyped]
import pytest

from bot.queue.replicas.replica import LEASE
from tests.faults import postgres
from tests.faults.conftest import Process, Started, answer_to, figure, show, within
from tests.faults.proxy import proxy
from tests.faults.test_kill import PATIENCE, Table, repeated
from tests.telegram import BotApi, Chat, Delivery, User, World

pytestmark = pytest.mark.faults
REPLICAS = 3
REFUSED = "twentyfour-bot: BOT_TOKEN: Telegram refuses it"
ENDS = {"killed": signal.SIGKILL, "stopped": signal.SIGTERM, "frozen": signal.SIGSTOP}


@pytest.fixture
def free_ports() -> list[int]:
    """A port for each of them and one more, on which nobody listens just now."""
    with contextlib.ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in range(REPLICAS + 1)]
        for each in free:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in free]


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.server(free_port) as made:
        yield made


# What Python says in a process that it has just begun for the solver, where the bot was killed before it had
# told it what to do: nobody is left who could take that for trouble, or keep it from being said.
BORN_ORPHAN = re.compile(
    r"""Traceback \(most recent call last\):
  File "<string>", line 1, in <module>
(?:  .*\n)+?  File ".*multiprocessing/spawn\.py", .* in _main
(?:  .*\n)+EOFError: Ran out of input
"""
)


def unforeseen(process: Process) -> list[str]:
    """What it said around each traceback."""
    said = BORN_ORPHAN.sub("", process.said())
    return [said[max(at.start() - 500, 0) : at.start() + 3000] for at in re.finditer("Traceback", said)]


@asynccontextmanager
async def looked_into(server: postgres.Server) -> AsyncIterator[asyncpg.Connection]:
    """A connection to see how things stand."""
    connection = await asyncpg.connect(server.url)
    try:
        yield connection
    finally:
        await connection.close()


async def start(bots: list[Process]) -> None:
    """Start them, and wait until all are there."""
    for process in bots:
        process.arguments = ("-m", "tests.faults.bot_without_pace")
        process.start()
    for process in bots:
        await process.says("is ready")


async def stopped(bots: list[Process]) -> None:
    """Stop them: each ends as it should."""
    for process in bots:
        process.process.terminate()
    for process in bots:
        assert await process.ended(8) == 0, process.said()[-3000:]


def led(process: Process) -> int:
    """How often it has begun to lead."""
    return process.said().count("this bot leads:")


async def first_to_lead(bots: list[Process]) -> Process:
    """The one that leads, where none did before."""
    until = time.monotonic() + 30
    while not (leading := [each for each in bots if led(each)]):
        assert time.monotonic() < until, bots[0].said()[-3000:]
        await asyncio.sleep(0.01)
    return leading[0]


async def there(server: postgres.Server, bots: int) -> None:
    """Wait until so many say that they are there."""
    until = time.monotonic() + 30
    async with looked_into(server) as database:
        while await database.fetchval("SELECT count(*) FROM replicas") != bots:
            assert time.monotonic() < until
            await asyncio.sleep(0.05)


async def none(server: postgres.Server, of: str, process: Process) -> None:
    """Wait until there is no row of that table under that condition."""
    until = time.monotonic() + 60
    async with looked_into(server) as database:
        while await database.fetchval(f"SELECT count(*) FROM {of}"):  # noqa: S608 - a test's own words
            assert time.monotonic() < until, process.said()[-3000:]
            await asyncio.sleep(0.05)


async def test_three_share_the_chats(bot: Started, server: postgres.Server) -> None:
    world = World(seed=1)
    people = [world.user(f"P{n}") for n in range(12)]
    tables = [Table(world, person, world.group(person.first_name, person)) for person in people]
    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url) for _ in range(REPLICAS)]
        await start(bots)
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await asyncio.sleep(figure(60, 5))
            async with looked_into(server) as database:
                shares = await database.fetch(
                    "SELECT owner, count(*) FROM lanes WHERE lane < 0 GROUP BY owner"
                )
            over.set()
        await none(server, "outbox WHERE state = 'waiting'", bots[0])
        async with looked_into(server) as database:
            awards = await database.fetchrow("SELECT count(*), count(DISTINCT round_id) FROM awards")
        await stopped(bots)
    wins = sum(table.wins for table in tables)
    show(f"{wins} wins, {wins - awards[0]} lost; chats of each: {sorted(n for _, n in shares)}")
    assert tuple(awards) == (wins, wins)
    assert not repeated(world, [])
    assert not [where for process in bots for where in unforeseen(process)]


@dataclass
class Rivals:
    """Some who answer every hand at the same time, for as long as the test runs."""

    world: World
    players: list[User]
    chat: Chat
    table: Table
    # Chat and message of the first right answer of each round: the one that wins.
    first: list[tuple[int, int]]

    async def play(self, over: asyncio.Event) -> None:
        """Round after round."""
        while not over.is_set():
            await self.round()

    async def round(self) -> None:
        """A deal, and right answers; each reply is waited for."""
        deal = await self.table.deal()
        right = answer_to(deal)
        said = [self.world.say(player, self.chat, right, reply_to=deal) for player in self.players]
        await self.world.wait_until(lambda: self.table.won(deal), PATIENCE, "the win")
        self.first.append((self.chat.id, said[0].id))


@dataclass
class Service:
    """Several bots, and what happens to them. `moments` says when, on the world's clock."""

    world: World
    bots: list[Process]
    lines: list[postgres.Line]
    server: postgres.Server
    rng: random.Random
    moments: list[float] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    unreached: int = 0  # Starts in the midst of that which found no database, or lost it
    # How often each had been ready before its last start here.
    ready: dict[int, int] = field(default_factory=dict)

    def _now(self, what: str) -> None:
        self.moments.append(self.world.clock())
        self.happened.append(what)

    async def kill(self) -> None:
        """One is killed, and another one started."""
        bot = self.rng.choice(self.bots)
        self._now("kill")
        bot.kill()
        await asyncio.sleep(self.rng.uniform(0, 1))
        self._start(bot)

    async def freeze(self) -> None:
        """One stands still for longer than its lease, and goes on."""
        bot = self.rng.choice(self.bots)
        self._now("freeze")
        bot.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(LEASE + self.rng.uniform(0.5, 3))
        self._now("thaw")
        bot.process.send_signal(signal.SIGCONT)

    async def cut(self) -> None:
        """One reaches the database no more, for longer than its lease, and may not even be told."""
        line = self.rng.choice(self.lines)
        self._now("cut")
        line.refuses = True
        ways: list[Callable[[], None]] = [line.cut, partial(line.cut, server_knows=False), line.lose]
        self.rng.choice(ways)()
        await asyncio.sleep(LEASE + self.rng.uniform(0.5, 3))
        line.refuses = False

    async def restart(self) -> None:
        """The database restarts."""
        self._now("restart")
        await asyncio.to_thread(self.server.stop, self.rng.choice(["fast", "immediate"]))
        await asyncio.to_thread(self.server.start)

    async def suffer(self, rounds: list[tuple[int, int]], wanted: int) -> None:
        """All of that, again and again, until so many rounds are over."""
        restarts = 0
        while len(rounds) < wanted or restarts < 2:
            what = [self.kill, self.kill, self.kill, self.freeze, self.cut]
            if restarts < 2 and len(rounds) >= wanted * (restarts + 1) / 3:
                what, restarts = [self.restart], restarts + 1
            await self._two_are_up()
            await self.rng.choice(what)()
            await asyncio.sleep(self.rng.uniform(1, 4))
            for bot in self.bots:
                self._as_whoever_looks_after_it(bot)

    async def _two_are_up(self) -> None:
        """One is left whatever happens to another: where every core is taken a start lasts longer than a bot
        that is hit every few seconds lives, and nobody would ever play.
        """
        until = time.monotonic() + PATIENCE / 2
        while sum(map(self._is_up, self.bots)) < 2:
            assert time.monotonic() < until, [bot.said()[-1000:] for bot in self.bots]
            await asyncio.sleep(0.05)
            for bot in self.bots:
                self._as_whoever_looks_after_it(bot)

    def _is_up(self, bot: Process) -> bool:
        return bot.process.poll() is None and bot.said().count("is ready") > self.ready.get(id(bot), 0)

    def _start(self, bot: Process) -> None:
        self.ready[id(bot)] = bot.said().count("is ready")
        bot.start()

    def _as_whoever_looks_after_it(self, bot: Process) -> None:
        """A start that finds no database, or loses it, ends with 1 and is tried again, as by systemd; one
        that was ready goes on.
        """
        ended = bot.process.poll()
        if ended is None:
            return
        said = bot.said()
        starting = self.ready.get(id(bot)) == said.count("is ready")
        why = said.splitlines()[-1]
        assert starting, said[-3000:]
        assert (ended, "can't be opened" in why or "the database failed" in why) == (1, True), said[-3000:]
        self.unreached += 1
        self._start(bot)


def group_of_rivals(world: World, n: int, rounds: list[tuple[int, int]]) -> Rivals:
    """Three who play against each other in a group of their own."""
    players = [world.user(f"{name} {n}") for name in ("Ann", "Bob", "Cid")]
    group = world.group(f"G{n}", *players)
    return Rivals(world, players, group, Table(world, players[0], group), rounds)


@asynccontextmanager
async def ways_to(way: str, ports: list[int]) -> AsyncIterator[list[dict[str, str]]]:
    """How each of them gets its updates: they poll, or a proxy hands them what Telegram posts."""
    if way == "polling":
        yield [{} for _ in ports]
        return
    async with proxy(ports) as front:
        hook = {"WEBHOOK_URL": f"http://127.0.0.1:{front.port}/hook", "WEBHOOK_SECRET": "s" * 40}
        yield [hook | {"WEBHOOK_LISTEN": f"127.0.0.1:{port}"} for port in ports]


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_nothing_is_lost_whatever_happens_to_them(
    way: str, bot: Started, server: postgres.Server, free_ports: list[int]
) -> None:
    world, rounds = World(seed=1), list[tuple[int, int]]()
    tables = [group_of_rivals(world, n, rounds) for n in range(figure(60, 12))]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(postgres.line(server.port)) for _ in range(REPLICAS)]
        urls = [server.url.replace(f":{server.port}", f":{line.port}") for line in lines]
        ways = await stack.enter_async_context(ways_to(way, free_ports[1:]))
        bots = [bot(world, api.url, DATABASE_URL=url, **way) for url, way in zip(urls, ways, strict=True)]
        await start(bots)
        service, over = Service(world, bots, lines, server, random.Random(2)), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await service.suffer(rounds, figure(10_000, 40))
            over.set()
        await none(server, "outbox WHERE state = 'waiting'", bots[0])
        async with looked_into(server) as database:
            awards = await database.fetchrow(
                "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards"
            )
            total = await database.fetchval(
                "SELECT sum(points) FROM totals WHERE period = 'all' AND chat_id != 0"
            )
            winners = [tuple(row) for row in await database.fetch("SELECT chat_id, message_id FROM awards")]
        await stopped(bots)
    again = repeated(world, service.moments)
    faults = [what for what in service.happened if what != "thaw"]
    suffered = ", ".join(f"{n} x {what}" for what, n in sorted(Counter(service.happened).items()))
    suffered += f", {service.unreached} starts without a database"
    show(
        f"{way}: {len(rounds)} rounds through {suffered}: {len(rounds) - awards[0]} lost, "
        f"{awards[0] - awards[1]} doubled, {len(set(rounds) - set(winners))} won by another, "
        f"{sum(rivals.table.again for rivals in tables)} hands asked for again, posts repeated: "
        f"{[f'{n} after {service.happened[i - 1]}' for i, n in again.items()]}"
    )
    assert awards[0] == awards[1] == len(rounds)
    assert total == awards[2]
    assert sorted(winners) == sorted(rounds)
    assert again.total() <= len(faults)
    assert not [where for process in bots for where in unforeseen(process)]


@pytest.mark.exhaustive
async def test_without_leases_the_chats_of_one_that_is_killed_wait_for_ever(
    bot: Started, server: postgres.Server
) -> None:
    """So the test above would fail: it is they that let others take over."""
    world, rounds = World(seed=1), list[tuple[int, int]]()
    tables = [group_of_rivals(world, n, rounds) for n in range(6)]
    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url, WITHOUT="leases") for _ in range(2)]
        await start(bots[:1])  # which so has all chats for a while, and some of them when it is killed
        for table in tables:
            await table.round()
        await start(bots[1:])
        bots[0].kill()
        over = await asyncio.gather(
            *(asyncio.wait_for(table.round(), figure(30, 6)) for table in tables), return_exceptions=True
        )
    waits = sum(isinstance(outcome, TimeoutError) for outcome in over)
    show(f"without leases: {waits} of {len(tables)} groups wait for one that was killed")
    assert waits


@pytest.mark.exhaustive
@pytest.mark.parametrize("without", ["nothing", "fences"])
async def test_what_one_does_that_was_frozen(without: str, bot: Started, server: postgres.Server) -> None:
    """At most the post that was on its way comes twice; without fences all comes twice that it had begun."""
    world, again = World(seed=1), list[int]()
    people = [world.user(f"P{n}") for n in range(30)]

    def helped() -> list[int]:
        return [sum("/play" in post.text for post in world.posts(person)) for person in people]

    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url, WITHOUT=without) for _ in range(2)]
        await start(bots)
        for n in range(figure(20, 2)):
            frozen, before = bots[n % 2], helped()
            for person in people:
                world.say(person, person, "/help")
            await world.wait_until(lambda before=before: helped() != before, 30, "an answer")  # type: ignore[misc]
            frozen.process.send_signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(LEASE + 1)
                await world.wait_until(lambda: all(a > b for a, b in zip(helped(), before, strict=True)), 30)  # noqa: B023
            finally:
                frozen.process.send_signal(signal.SIGCONT)
            await there(server, len(bots))
            await none(server, "inbox WHERE state = 'waiting'", frozen)
            await none(server, "outbox WHERE state = 'waiting'", frozen)
            again.append(sum(helped()) - sum(before) - len(people))
        await stopped(bots)
    show(f"frozen {len(again)} times, without {without}: {again} answers twice")
    if without == "nothing":
        assert max(again) <= 1
    else:
        assert sum(again) > len(again)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_a_token_that_is_rotated_ends_all_who_have_the_old_one_and_loses_nothing(
    way: str, bot: Started, server: postgres.Server, free_ports: list[int]
) -> None:
    world, asked = World(seed=1), 0
    people = [world.user(f"P{n}") for n in range(12)]

    def answered() -> int:
        return sum("/play" in post.text for person in people for post in world.posts(person))

    async def ended(process: Process) -> tuple[int, float]:
        return await process.ended(60), time.monotonic()

    async with BotApi(world) as api, ways_to(way, free_ports) as ways:
        old = [bot(world, api.url, DATABASE_URL=server.url, **each) for each in ways[1:]]
        await start(old)
        for n in range(figure(50, 8)):
            for person in people:
                world.say(person, person, "/help")
                asked += 1
            if n == 1:  # each of the old ones has some of the chats by now
                await world.wait_until(lambda: answered() >= len(people), PATIENCE, "answers")
                world.rotate()
                began, ends = time.monotonic(), asyncio.gather(*(ended(each) for each in old))
                new = bot(world, api.url, DATABASE_URL=server.url, **ways[0])
                await start([new])
            await asyncio.sleep(1)
        codes, times = zip(*await ends, strict=True)
        await world.wait_until(lambda: answered() == asked, 60, "all answers")
        await none(server, "outbox WHERE state = 'waiting'", new)
        async with looked_into(server) as database:
            dead = await database.fetchval("SELECT count(*) FROM outbox WHERE state = 'dead'")
            dead += await database.fetchval("SELECT count(*) FROM inbox WHERE state = 'dead'")
        await stopped([new])
    took = ", ".join(f"{at - began:.1f}" for at in sorted(times))
    show(f"{way}: {answered()} of {asked} answered, {dead} dead letters; the old ones end after {took} s")
    assert codes == (2,) * len(old)
    assert [each.said().splitlines()[-1] for each in old] == [REFUSED] * len(old)
    assert (dead, answered()) == (0, asked)
    assert all("Traceback" not in each.said() for each in (*old, new))


@pytest.mark.exhaustive
async def test_one_with_another_way_in_is_refused_and_all_may_change_it(
    bot: Started, server: postgres.Server, free_ports: list[int]
) -> None:
    """Else each of the others would end once it leads, since Telegram posts elsewhere."""
    world = World(seed=1)
    ann = world.user("Ann")
    async with BotApi(world) as api, ways_to("webhook", free_ports) as ways:
        bots = [bot(world, api.url, DATABASE_URL=server.url, **way) for way in ways[1:]]
        await start(bots)
        elsewhere = ways[0] | {"WEBHOOK_URL": ways[0]["WEBHOOK_URL"].replace("/hook", "/elsewhere")}
        hook, took = world.updates.webhook, list[float]()
        for way in (elsewhere, {}):
            other, began = bot(world, api.url, DATABASE_URL=server.url, **way), time.monotonic()
            other.start()
            assert await other.ended(60) == 2
            took.append(time.monotonic() - began)
            assert other.said().splitlines()[-1].startswith("twentyfour-bot: WEBHOOK_URL: ")
        assert world.updates.webhook is hook
        world.say(ann, ann, "/help")
        await world.next_post(ann, "/play")
        assert [each.process.poll() for each in bots] == [None] * REPLICAS
        for each in bots:
            each.kill()
            each.environment["WEBHOOK_URL"] = elsewhere["WEBHOOK_URL"]
        began = time.monotonic()
        for each in bots:
            each.start()
        for each in bots:
            await each.repeats("is ready", 2)
        changed = time.monotonic() - began
        world.say(ann, ann, "/help")
        await world.next_post(ann, "/play")
        await stopped(bots)
    refused = ", ".join(f"{each:.1f}" for each in took)
    show(f"another way in is refused after {refused} s; killed, all have another after {changed:.1f} s")
    assert all("Traceback" not in each.said() for each in bots)


@pytest.mark.exhaustive
async def test_the_webhooks_secret_is_changed_under_them(
    bot: Started, server: postgres.Server, free_ports: list[int]
) -> None:
    """One after the other gets the new one beside the old one, and then alone; no post is refused."""
    world, over = World(seed=1), asyncio.Event()
    people, delivery = [world.user(f"P{n}") for n in range(8)], Delivery()
    asked = 0

    async def ask() -> None:
        nonlocal asked
        while not over.is_set():
            for person in people:
                world.say(person, person, "/help")
                asked += 1
            await asyncio.sleep(1)

    def answered() -> int:
        return sum("/play" in post.text for person in people for post in world.posts(person))

    async with BotApi(world, delivery=delivery) as api, ways_to("webhook", free_ports[1:]) as ways:
        bots = [bot(world, api.url, DATABASE_URL=server.url, **way) for way in ways]
        await start(bots)
        asking, told = asyncio.create_task(ask()), list[str | None]()
        for secret in ("n" * 40 + "," + "s" * 40, "n" * 40):
            for each in bots:
                ready = each.said().count("is ready")
                each.process.terminate()
                assert await each.ended(20) == 0
                each.environment["WEBHOOK_SECRET"] = secret
                each.start()
                await each.repeats("is ready", ready + 1)
                told.append(((world.updates.webhook and world.updates.webhook.secret) or "")[:1])
        over.set()
        await asking
        await world.wait_until(lambda: answered() == asked, 60, "all answers")
        odd = bot(
            world, api.url, DATABASE_URL=server.url, **ways[0] | {"WEBHOOK_SECRET": "canary_0123456789"}
        )
        odd.start()
        assert await odd.ended(60) == 2
        await stopped(bots)
    show(f"{asked} questions while the secret is changed: posts answered {Counter(delivery.statuses)}")
    assert told == ["s", "s", "n", "n", "n", "n"]
    assert not {401, 403} & set(delivery.statuses)
    assert odd.said().splitlines()[-1].startswith("twentyfour-bot: WEBHOOK_SECRET: none here that ")
    assert all("canary" not in each.said() and "s" * 40 not in each.said() for each in (*bots, odd))


async def test_another_one_leads_soon(bot: Started, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    took = dict[str, list[float]]()
    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url) for _ in range(2)]
        await start(bots)
        leader = await first_to_lead(bots)
        for n in range(figure(30, 3)):
            how = ("killed", "stopped", "frozen")[n % 3]
            other = next(each for each in bots if each is not leader)
            before, began = led(other), time.monotonic()
            leader.process.send_signal(ENDS[how])
            world.say(ann, ann, "/help")
            await other.repeats("this bot leads:", before + 1)
            took.setdefault(how, []).append(time.monotonic() - began)
            await world.next_post(ann, "/play")
            if how == "frozen":
                leader.process.send_signal(signal.SIGCONT)
            else:
                await leader.ended(10)
                ready = leader.said().count("is ready")
                leader.start()
                await leader.repeats("is ready", ready + 1)
            leader = other
    show("another leads after: " + ", ".join(f"{how} {max(each):.1f} s" for how, each in took.items()))
    assert max(map(max, took.values())) < within(5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["refused", "lost"])
async def test_one_that_telegram_does_not_answer_leaves_all_to_the_other(
    how: str, bot: Started, server: postgres.Server
) -> None:
    """Though it reaches the database. What it was asked meanwhile is answered by the other, and once."""
    world = World()
    people = [world.user(f"P{n}") for n in range(6)]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        port = int(api.url.rpartition(":")[2])
        lines = [await stack.enter_async_context(postgres.line(port)) for _ in range(2)]
        bots = [bot(world, f"http://127.0.0.1:{line.port}", DATABASE_URL=server.url) for line in lines]
        for each in bots:  # the first one leads
            await start([each])
        await all_answered(world, people)
        lines[0].refuses = True
        if how == "lost":
            lines[0].lose()
        else:
            lines[0].cut()
        took = await all_answered(world, people)
        await bots[0].says("Telegram answers other bots, and not this one")
        assert led(bots[1]) == 1
        await all_answered(world, people)
        lines[0].refuses = False
        await bots[0].says("this bot reaches Telegram again", 30)
        await there(server, 2)
        bots[1].process.terminate()
        assert await bots[1].ended(8) == 0
        await all_answered(world, people)
        await stopped(bots[:1])
    show(f"Telegram {how} for the one that leads: all answered by the other after {took:.1f} s")
    assert took < (40 if how == "lost" else 12)
    assert [len(world.posts(person)) for person in people] == [4] * len(people)
    assert not [troubles for each in bots if (troubles := unforeseen(each))]


async def leading(bots: list[Process]) -> int:
    """Which one leads, once one does."""
    until = time.monotonic() + 10
    while True:
        for n, each in enumerate(bots):
            if led(each) > each.said().count("this bot leads no more"):
                return n
        assert time.monotonic() < until, [each.said()[-1000:] for each in bots]
        await asyncio.sleep(0.01)


async def all_answered(world: World, people: list[User]) -> float:
    """Everybody asks something in private; how many seconds it takes until all have an answer."""
    before, began = [len(world.posts(person)) for person in people], time.monotonic()
    for person in people:
        world.say(person, person, "/help")
    for person, posts in zip(people, before, strict=True):
        await world.wait_until(lambda p=person, n=posts: len(world.posts(p)) > n, 60, "an answer")  # type: ignore[misc]
    return time.monotonic() - began


@pytest.mark.exhaustive
async def test_one_leads_after_the_database_was_away_for_a_moment(
    bot: Started, server: postgres.Server
) -> None:
    """The one that led, or all of them, can't say for some seconds that they are there."""
    world, took = World(seed=1), list[float]()
    people = [world.user(f"P{n}") for n in range(6)]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(postgres.line(server.port)) for _ in range(REPLICAS)]
        urls = [server.url.replace(f":{server.port}", f":{line.port}") for line in lines]
        bots = [bot(world, api.url, DATABASE_URL=url) for url in urls]
        await start(bots)
        for seconds in (2.2, 2.4, 2.6, 2.8, 3.0, *[4.0] * 3)[:: figure(1, 3)]:
            leader = await leading(bots)
            cut = lines if seconds == 4 else [lines[leader]]  # all of them, as when the server restarts
            for line in cut:
                line.refuses = True
                line.cut()
            await asyncio.sleep(seconds)
            for line in cut:
                line.refuses = False
            took.append(await all_answered(world, people))
        await stopped(bots)
    show("after the database was away all are answered in " + ", ".join(f"{each:.1f} s" for each in took))
    assert max(took) < within(10)
    assert not [where for process in bots for where in unforeseen(process)]


@pytest.mark.exhaustive
async def test_connections_that_are_lost_without_a_word_hold_up_nobody_for_long(
    bot: Started, server: postgres.Server
) -> None:
    """A firewall forgets them, and tells neither end. Whoever had them serves chats again soon after."""
    world, took = World(seed=1), list[float]()
    people = [world.user(f"P{n}") for n in range(24)]

    async with BotApi(world) as api, postgres.line(server.port) as line:
        far = bot(world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}"))
        near = bot(world, api.url, DATABASE_URL=server.url)
        await start([far])
        await all_answered(world, people)
        for _ in range(figure(10, 1)):
            await start([near])
            await there(server, 2)
            talk = asyncio.create_task(all_answered(world, people))
            await asyncio.sleep(0.05)  # in the midst of it
            line.refuses = True
            line.lose()
            await talk
            await asyncio.sleep(LEASE)
            line.refuses = False
            await there(server, 2)
            near.kill()
            took.append(await all_answered(world, people))
        await stopped([far])
    seconds = ", ".join(f"{each:.1f}" for each in took)
    show(f"after connections were lost without a word all are answered in {seconds} s")
    assert max(took) < within(10)
    assert "Traceback" not in far.said()


@pytest.mark.exhaustive
async def test_where_connections_are_scarce_nobody_waits_for_long(bot: Started, free_port: int) -> None:
    """A bot that gets none to write or read by leaves its chats to those that have theirs."""
    world, rng, took = World(seed=1), random.Random(3), list[float]()
    people = [world.user(f"P{n}") for n in range(24)]
    with postgres.server(free_port, "-c max_connections=20") as scarce:
        async with BotApi(world) as api, looked_into(scarce) as database:
            bots = [bot(world, api.url, DATABASE_URL=scarce.url) for _ in range(REPLICAS)]
            await start(bots)
            for _ in range(figure(60, 12)):
                named = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'twentyfour%'"
                theirs = [pid for (pid,) in await database.fetch(named)]
                for pid in rng.sample(theirs, min(len(theirs), rng.randint(2, 8))):
                    await database.execute("SELECT pg_terminate_backend($1)", pid)
                took.append(await all_answered(world, people))
            await stopped(bots)
    show(f"with too few connections all are answered in {max(took):.1f} s at the most")
    assert max(took) < within(15)
    assert not [where for process in bots for where in unforeseen(process)]


async def half_a_post(port: int) -> asyncio.StreamWriter:
    """What holds up the end of a webhook: somebody who knows its secret and never says all."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /hook HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: {'s' * 40}\r\n"
    writer.write(f"{head}Content-Length: 500\r\n\r\n{{".encode())
    await writer.drain()
    return writer


@pytest.mark.exhaustive
async def test_a_stop_that_takes_longer_than_a_lease_repeats_nothing(
    bot: Started, server: postgres.Server, free_ports: list[int]
) -> None:
    world = World(seed=1)
    people = [world.user(f"P{n}") for n in range(24)]

    def helped() -> list[int]:
        return [sum("/play" in post.text for post in world.posts(person)) for person in people]

    async with BotApi(world) as api, AsyncExitStack() as stack:
        ways = await stack.enter_async_context(ways_to("webhook", free_ports[:2]))
        bots = [bot(world, api.url, DATABASE_URL=server.url, WITHOUT="patience", **way) for way in ways]
        await start(bots)
        for person in people:  # so that it is known behind which message to look
            world.say(person, person, "/help")
        await world.wait_until(lambda: min(helped()) == 1, 60, "the first answers")
        world.faults.add("send*", effect=True, hang=60)
        for person in people:
            world.say(person, person, "/help")
        await asyncio.sleep(1.5)
        half = await half_a_post(free_ports[0])
        began = time.monotonic()
        await stopped(bots[:1])
        took = time.monotonic() - began
        half.close()
        world.faults.clear()
        await none(server, "outbox WHERE state = 'waiting'", bots[1])
        await stopped(bots[1:])
    again = sum(helped()) - 2 * len(people)
    show(f"a stop that took {took:.1f} s: {again} of {len(people)} answers came twice")
    assert min(helped()) == max(helped()) == 2
