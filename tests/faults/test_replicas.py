"""Several bots on one database share the chats, replace each other, and lose nothing."""

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

from bot.queue.replicas.replica import LEASE_SECONDS
from tests.faults import postgres
from tests.faults.conftest import BotFactory, Process, choose_amount, relax_limit, report, solve_deal
from tests.faults.proxy import run_balancer
from tests.faults.test_kill import PATIENCE, Table, count_repeated_deals
from tests.telegram import BotApi, Chat, Delivery, User, World

pytestmark = pytest.mark.faults
REPLICAS = 3
REFUSED = "twentyfour-bot: BOT_TOKEN: Telegram refuses it"
ENDS = {"killed": signal.SIGKILL, "stopped": signal.SIGTERM, "frozen": signal.SIGSTOP}


@pytest.fixture
def free_ports() -> list[int]:
    """Return a free port for each bot, and one more."""
    with contextlib.ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in range(REPLICAS + 1)]
        for each in free:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in free]


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.run_server(free_port) as made:
        yield made


# The traceback of a new solver process whose bot was killed before it sent the task: it does no harm, and the
# killed bot can't prevent it.
ORPHAN_TRACEBACK = re.compile(
    r"""Traceback \(most recent call last\):
  File "<string>", line 1, in <module>
(?:  .*\n)+?  File ".*multiprocessing/spawn\.py", .* in _main
(?:  .*\n)+EOFError: Ran out of input
"""
)


def find_tracebacks(process: Process) -> list[str]:
    """Return the log around each traceback, except those of orphaned workers."""
    said = ORPHAN_TRACEBACK.sub("", process.read_log())
    return [said[max(at.start() - 500, 0) : at.start() + 3000] for at in re.finditer("Traceback", said)]


@asynccontextmanager
async def connect_database(server: postgres.Server) -> AsyncIterator[asyncpg.Connection]:
    """Connect to the server's database."""
    connection = await asyncpg.connect(server.url)
    try:
        yield connection
    finally:
        await connection.close()


async def start_bots(bots: list[Process]) -> None:
    """Start the bots and wait until all are ready."""
    for process in bots:
        process.arguments = ("-m", "tests.faults.bot_without_pace")
        process.start()
    for process in bots:
        await process.wait_for_log("is ready")


async def stop_bots(bots: list[Process]) -> None:
    """Stop the bots; each must exit with 0."""
    for process in bots:
        process.process.terminate()
    for process in bots:
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]


def count_leads(process: Process) -> int:
    """Return how often the bot has become the leader."""
    return process.read_log().count("this bot leads:")


async def wait_for_leader(bots: list[Process]) -> Process:
    """Wait until a bot leads for the first time, and return it."""
    until = time.monotonic() + 30
    while not (find_leader := [each for each in bots if count_leads(each)]):
        assert time.monotonic() < until, bots[0].read_log()[-3000:]
        await asyncio.sleep(0.01)
    return find_leader[0]


async def wait_for_replicas(server: postgres.Server, bots: int) -> None:
    """Wait until that many replicas are registered."""
    until = time.monotonic() + 30
    async with connect_database(server) as database:
        while await database.fetchval("SELECT count(*) FROM replicas") != bots:
            assert time.monotonic() < until
            await asyncio.sleep(0.05)


async def wait_until_empty(server: postgres.Server, table: str, process: Process) -> None:
    """Wait until a table, perhaps with a WHERE clause, has no row; AssertionError after a minute."""
    until = time.monotonic() + 60
    async with connect_database(server) as database:
        while await database.fetchval(f"SELECT count(*) FROM {table}"):  # noqa: S608 - a test's own words
            assert time.monotonic() < until, process.read_log()[-3000:]
            await asyncio.sleep(0.05)


async def test_three_bots_share_the_chats(make_bot: BotFactory, server: postgres.Server) -> None:
    world = World(seed=1)
    people = [world.user(f"P{n}") for n in range(12)]
    tables = [Table(world, person, world.group(person.first_name, person)) for person in people]
    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url) for _ in range(REPLICAS)]
        await start_bots(bots)
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await asyncio.sleep(choose_amount(60, 5))
            async with connect_database(server) as database:
                shares = await database.fetch(
                    "SELECT owner, count(*) FROM lanes WHERE lane < 0 GROUP BY owner"
                )
            over.set()
        await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[0])
        async with connect_database(server) as database:
            awards = await database.fetchrow("SELECT count(*), count(DISTINCT round_id) FROM awards")
        await stop_bots(bots)
    wins = sum(table.wins for table in tables)
    report(f"{wins} wins, {wins - awards[0]} lost; chats of each: {sorted(n for _, n in shares)}")
    assert tuple(awards) == (wins, wins)
    assert not count_repeated_deals(world, [])
    assert not [where for process in bots for where in find_tracebacks(process)]


@dataclass
class RivalGroup:
    """Players of one group who all answer every hand at the same time."""

    world: World
    players: list[User]
    chat: Chat
    table: Table
    # Chat and message of the first right answer of each round, which wins.
    first: list[tuple[int, int]]

    async def play(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self.play_round()

    async def play_round(self) -> None:
        """Play one round in which all players answer."""
        deal = await self.table.deal()
        right = solve_deal(deal)
        said = [self.world.say(player, self.chat, right, reply_to=deal) for player in self.players]
        await self.world.wait_until(lambda: self.table.is_won(deal), PATIENCE, "the win")
        self.first.append((self.chat.id, said[0].id))


@dataclass
class Service:
    """Several bots and the faults that hit them; `moments` are the times of the faults."""

    world: World
    bots: list[Process]
    lines: list[postgres.Proxy]
    server: postgres.Server
    rng: random.Random
    moments: list[float] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    unreached: int = 0  # Starts that failed because the database was away
    # How often each bot had been ready before its last start here.
    ready: dict[int, int] = field(default_factory=dict)

    def _record(self, event: str) -> None:
        self.moments.append(self.world.clock())
        self.happened.append(event)

    async def kill(self) -> None:
        """Kill a bot and start it again."""
        bot = self.rng.choice(self.bots)
        self._record("kill")
        bot.kill()
        await asyncio.sleep(self.rng.uniform(0, 1))
        self._start_bot(bot)

    async def freeze(self) -> None:
        """Suspend a bot for longer than its lease."""
        bot = self.rng.choice(self.bots)
        self._record("freeze")
        bot.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(LEASE_SECONDS + self.rng.uniform(0.5, 3))
        self._record("thaw")
        bot.process.send_signal(signal.SIGCONT)

    async def cut(self) -> None:
        """Cut a bot off from the database for longer than its lease, in one of three ways."""
        line = self.rng.choice(self.lines)
        self._record("cut")
        line.refuses = True
        ways: list[Callable[[], None]] = [line.cut, partial(line.cut, server_knows=False), line.lose]
        self.rng.choice(ways)()
        await asyncio.sleep(LEASE_SECONDS + self.rng.uniform(0.5, 3))
        line.refuses = False

    async def restart(self) -> None:
        """Restart the database."""
        self._record("restart")
        await asyncio.to_thread(self.server.stop, self.rng.choice(["fast", "immediate"]))
        await asyncio.to_thread(self.server.start)

    async def cause_faults(self, rounds: list[tuple[int, int]], wanted: int) -> None:
        """Cause random faults until `wanted` rounds are over and the database was restarted twice."""
        restarts = 0
        while len(rounds) < wanted or restarts < 2:
            what = [self.kill, self.kill, self.kill, self.freeze, self.cut]
            if restarts < 2 and len(rounds) >= wanted * (restarts + 1) / 3:
                what, restarts = [self.restart], restarts + 1
            await self._wait_until_two_are_up()
            await self.rng.choice(what)()
            await asyncio.sleep(self.rng.uniform(1, 4))
            for bot in self.bots:
                self._restart_failed_start(bot)

    async def _wait_until_two_are_up(self) -> None:
        """Wait until two bots are ready.

        On a busy machine a start takes longer than the time between two faults, and nobody would ever play.
        """
        until = time.monotonic() + PATIENCE / 2
        while sum(map(self._is_up, self.bots)) < 2:
            assert time.monotonic() < until, [bot.read_log()[-1000:] for bot in self.bots]
            await asyncio.sleep(0.05)
            for bot in self.bots:
                self._restart_failed_start(bot)

    def _is_up(self, bot: Process) -> bool:
        return bot.process.poll() is None and bot.read_log().count("is ready") > self.ready.get(id(bot), 0)

    def _start_bot(self, bot: Process) -> None:
        self.ready[id(bot)] = bot.read_log().count("is ready")
        bot.start()

    def _restart_failed_start(self, bot: Process) -> None:
        """Start the bot again if its start failed without a database, as systemd does.

        AssertionError for any other exit.
        """
        wait_for_end = bot.process.poll()
        if wait_for_end is None:
            return
        said = bot.read_log()
        starting = self.ready.get(id(bot)) == said.count("is ready")
        why = said.splitlines()[-1]
        assert starting, said[-3000:]
        assert (wait_for_end, "can't be opened" in why or "the database failed" in why) == (1, True), said[
            -3000:
        ]
        self.unreached += 1
        self._start_bot(bot)


def make_rivals(world: World, n: int, rounds: list[tuple[int, int]]) -> RivalGroup:
    """Return three players in a new group."""
    players = [world.user(f"{name} {n}") for name in ("Ann", "Bob", "Cid")]
    group = world.group(f"G{n}", *players)
    return RivalGroup(world, players, group, Table(world, players[0], group), rounds)


@asynccontextmanager
async def update_settings(way: str, ports: list[int]) -> AsyncIterator[list[dict[str, str]]]:
    """Return the settings by which each bot gets its updates: by polling or through a balancer."""
    if way == "polling":
        yield [{} for _ in ports]
        return
    async with run_balancer(ports) as front:
        hook = {"WEBHOOK_URL": f"http://127.0.0.1:{front.port}/hook", "WEBHOOK_SECRET": "s" * 40}
        yield [hook | {"WEBHOOK_LISTEN": f"127.0.0.1:{port}"} for port in ports]


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_rounds_survive_kills_freezes_cuts_and_restarts(
    way: str, make_bot: BotFactory, server: postgres.Server, free_ports: list[int]
) -> None:
    world, rounds = World(seed=1), list[tuple[int, int]]()
    tables = [make_rivals(world, n, rounds) for n in range(choose_amount(60, 12))]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(postgres.run_proxy(server.port)) for _ in range(REPLICAS)]
        urls = [server.url.replace(f":{server.port}", f":{line.port}") for line in lines]
        ways = await stack.enter_async_context(update_settings(way, free_ports[1:]))
        bots = [
            make_bot(world, api.url, DATABASE_URL=url, **way) for url, way in zip(urls, ways, strict=True)
        ]
        await start_bots(bots)
        service, over = Service(world, bots, lines, server, random.Random(2)), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await service.cause_faults(rounds, choose_amount(10_000, 40))
            over.set()
        await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[0])
        async with connect_database(server) as database:
            awards = await database.fetchrow(
                "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards"
            )
            total = await database.fetchval(
                "SELECT sum(points) FROM totals WHERE period LIKE '% all' AND chat_id != 0"
            )
            winners = [tuple(row) for row in await database.fetch("SELECT chat_id, message_id FROM awards")]
        await stop_bots(bots)
    again = count_repeated_deals(world, service.moments)
    faults = [what for what in service.happened if what != "thaw"]
    suffered = ", ".join(f"{n} x {what}" for what, n in sorted(Counter(service.happened).items()))
    suffered += f", {service.unreached} starts without a database"
    report(
        f"{way}: {len(rounds)} rounds through {suffered}: {len(rounds) - awards[0]} lost, "
        f"{awards[0] - awards[1]} doubled, {len(set(rounds) - set(winners))} won by another, "
        f"{sum(rivals.table.refused_deals for rivals in tables)} hands asked for again, posts repeated: "
        f"{[f'{n} after {service.happened[i - 1]}' for (_, i), n in again.items()]}"
    )
    assert awards[0] == awards[1] == len(rounds)
    assert total == awards[2]
    assert sorted(winners) == sorted(rounds)
    assert again.total() <= len(faults)
    assert not [where for process in bots for where in find_tracebacks(process)]


@pytest.mark.exhaustive
async def test_control_without_leases_chats_of_a_killed_bot_wait(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    """The end of a lease lets others take over."""
    world, rounds = World(seed=1), list[tuple[int, int]]()
    tables = [make_rivals(world, n, rounds) for n in range(6)]
    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, WITHOUT="leases") for _ in range(2)]
        await start_bots(bots[:1])  # so that it owns all chats at first, and some of them when it is killed
        for table in tables:
            await table.play_round()
        await start_bots(bots[1:])
        bots[0].kill()
        over = await asyncio.gather(
            *(asyncio.wait_for(table.play_round(), choose_amount(30, 6)) for table in tables),
            return_exceptions=True,
        )
    waits = sum(isinstance(outcome, TimeoutError) for outcome in over)
    report(f"without leases: {waits} of {len(tables)} groups wait for one that was killed")
    assert waits


@pytest.mark.exhaustive
@pytest.mark.parametrize("without", ["nothing", "fences"])
async def test_frozen_bot_repeats_at_most_one_post(
    without: str, make_bot: BotFactory, server: postgres.Server
) -> None:
    """At most one post is repeated; without fences (the control) more are."""
    world, again = World(seed=1), list[int]()
    people = [world.user(f"P{n}") for n in range(30)]

    def count_answers() -> list[int]:
        return [sum("/play" in post.text for post in world.posts(person)) for person in people]

    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, WITHOUT=without) for _ in range(2)]
        await start_bots(bots)
        for n in range(choose_amount(20, 2)):
            frozen, before = bots[n % 2], count_answers()
            for person in people:
                world.say(person, person, "/help")
            await world.wait_until(lambda before=before: count_answers() != before, 60, "an answer")  # type: ignore[misc]
            frozen.process.send_signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(LEASE_SECONDS + 1)
                await world.wait_until(
                    lambda: all(a > b for a, b in zip(count_answers(), before, strict=True)),  # noqa: B023
                    30,
                )
            finally:
                frozen.process.send_signal(signal.SIGCONT)
            await wait_for_replicas(server, len(bots))
            await wait_until_empty(server, "inbox WHERE state = 'waiting'", frozen)
            await wait_until_empty(server, "outbox WHERE state = 'waiting'", frozen)
            again.append(sum(count_answers()) - sum(before) - len(people))
        await stop_bots(bots)
    report(f"frozen {len(again)} times, without {without}: {again} answers twice")
    if without == "nothing":
        assert max(again) <= 1
    else:
        assert sum(again) > len(again)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_rotated_token_ends_bots_with_the_old_one_without_loss(
    way: str, make_bot: BotFactory, server: postgres.Server, free_ports: list[int]
) -> None:
    world, asked = World(seed=1), 0
    people = [world.user(f"P{n}") for n in range(12)]

    def count_all_answers() -> int:
        return sum("/play" in post.text for person in people for post in world.posts(person))

    async def wait_for_end(process: Process) -> tuple[int, float]:
        return await process.wait_for_exit(60), time.monotonic()

    async with BotApi(world) as api, update_settings(way, free_ports) as ways:
        old = [make_bot(world, api.url, DATABASE_URL=server.url, **each) for each in ways[1:]]
        await start_bots(old)
        for n in range(choose_amount(50, 8)):
            for person in people:
                world.say(person, person, "/help")
                asked += 1
            if n == 1:  # each old bot owns some chats now
                await world.wait_until(lambda: count_all_answers() >= len(people), PATIENCE, "answers")
                world.rotate()
                began, ends = time.monotonic(), asyncio.gather(*(wait_for_end(each) for each in old))
                new = make_bot(world, api.url, DATABASE_URL=server.url, **ways[0])
                await start_bots([new])
            await asyncio.sleep(1)
        codes, times = zip(*await ends, strict=True)
        await world.wait_until(lambda: count_all_answers() == asked, 60, "all answers")
        await wait_until_empty(server, "outbox WHERE state = 'waiting'", new)
        async with connect_database(server) as database:
            dead = await database.fetchval("SELECT count(*) FROM outbox WHERE state = 'dead'")
            dead += await database.fetchval("SELECT count(*) FROM inbox WHERE state = 'dead'")
        await stop_bots([new])
    took = ", ".join(f"{at - began:.1f}" for at in sorted(times))
    report(
        f"{way}: {count_all_answers()} of {asked} answered, {dead} dead letters; old ones end after {took} s"
    )
    assert codes == (2,) * len(old)
    assert [each.read_log().splitlines()[-1] for each in old] == [REFUSED] * len(old)
    assert (dead, count_all_answers()) == (0, asked)
    assert all("Traceback" not in each.read_log() for each in (*old, new))


@pytest.mark.exhaustive
async def test_bot_with_another_webhook_is_refused_until_all_change(
    make_bot: BotFactory, server: postgres.Server, free_ports: list[int]
) -> None:
    """Otherwise the other bots would end one by one when they lead."""
    world = World(seed=1)
    ann = world.user("Ann")
    async with BotApi(world) as api, update_settings("webhook", free_ports) as ways:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, **way) for way in ways[1:]]
        await start_bots(bots)
        elsewhere = ways[0] | {"WEBHOOK_URL": ways[0]["WEBHOOK_URL"].replace("/hook", "/elsewhere")}
        hook, took = world.updates.webhook, list[float]()
        for way in (elsewhere, {}):
            other, began = make_bot(world, api.url, DATABASE_URL=server.url, **way), time.monotonic()
            other.start()
            assert await other.wait_for_exit(60) == 2
            took.append(time.monotonic() - began)
            assert other.read_log().splitlines()[-1].startswith("twentyfour-bot: WEBHOOK_URL: ")
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
            await each.wait_for_log_count("is ready", 2)
        changed = time.monotonic() - began
        world.say(ann, ann, "/help")
        await world.next_post(ann, "/play")
        await stop_bots(bots)
    refused = ", ".join(f"{each:.1f}" for each in took)
    report(f"another way in is refused after {refused} s; killed, all have another after {changed:.1f} s")
    assert all("Traceback" not in each.read_log() for each in bots)


@pytest.mark.exhaustive
async def test_webhook_secret_is_changed_without_a_refused_post(
    make_bot: BotFactory, server: postgres.Server, free_ports: list[int]
) -> None:
    """Each bot gets the new secret beside the old one first, and then alone; no post is refused."""
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

    def count_all_answers() -> int:
        return sum("/play" in post.text for person in people for post in world.posts(person))

    async with BotApi(world, delivery=delivery) as api, update_settings("webhook", free_ports[1:]) as ways:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, **way) for way in ways]
        await start_bots(bots)
        asking, told = asyncio.create_task(ask()), list[str | None]()
        for secret in ("n" * 40 + "," + "s" * 40, "n" * 40):
            for each in bots:
                ready = each.read_log().count("is ready")
                each.process.terminate()
                assert await each.wait_for_exit(20) == 0
                each.environment["WEBHOOK_SECRET"] = secret
                each.start()
                await each.wait_for_log_count("is ready", ready + 1)
                told.append(((world.updates.webhook and world.updates.webhook.secret) or "")[:1])
        over.set()
        await asking
        await world.wait_until(lambda: count_all_answers() == asked, 60, "all answers")
        odd = make_bot(
            world, api.url, DATABASE_URL=server.url, **ways[0] | {"WEBHOOK_SECRET": "canary_0123456789"}
        )
        odd.start()
        assert await odd.wait_for_exit(60) == 2
        await stop_bots(bots)
    report(f"{asked} questions while the secret is changed: posts answered {Counter(delivery.statuses)}")
    assert told == ["s", "s", "n", "n", "n", "n"]
    assert not {401, 403} & set(delivery.statuses)
    assert odd.read_log().splitlines()[-1].startswith("twentyfour-bot: WEBHOOK_SECRET: none here that ")
    assert all("canary" not in each.read_log() and "s" * 40 not in each.read_log() for each in (*bots, odd))


@pytest.mark.exhaustive
async def test_another_bot_leads_soon_after_the_leader_is_gone(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    ann = world.user("Ann")
    took = dict[str, list[float]]()
    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url) for _ in range(2)]
        await start_bots(bots)
        leader = await wait_for_leader(bots)
        for n in range(choose_amount(30, 3)):
            how = ("killed", "stopped", "frozen")[n % 3]
            other = next(each for each in bots if each is not leader)
            before, began = count_leads(other), time.monotonic()
            leader.process.send_signal(ENDS[how])
            world.say(ann, ann, "/help")
            await other.wait_for_log_count("this bot leads:", before + 1)
            took.setdefault(how, []).append(time.monotonic() - began)
            await world.next_post(ann, "/play")
            if how == "frozen":
                leader.process.send_signal(signal.SIGCONT)
            else:
                await leader.wait_for_exit(10)
                ready = leader.read_log().count("is ready")
                leader.start()
                await leader.wait_for_log_count("is ready", ready + 1)
            leader = other
    report("another leads after: " + ", ".join(f"{how} {max(each):.1f} s" for how, each in took.items()))
    assert max(map(max, took.values())) < relax_limit(5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["refused", "lost"])
async def test_bot_cut_off_from_telegram_leaves_all_to_the_other(
    how: str, make_bot: BotFactory, server: postgres.Server
) -> None:
    """The bot still reaches the database; the other bot answers everything, once."""
    world = World()
    people = [world.user(f"P{n}") for n in range(6)]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        port = int(api.url.rpartition(":")[2])
        lines = [await stack.enter_async_context(postgres.run_proxy(port)) for _ in range(2)]
        bots = [make_bot(world, f"http://127.0.0.1:{line.port}", DATABASE_URL=server.url) for line in lines]
        for each in bots:  # the first one leads
            await start_bots([each])
        await ask_everybody(world, people)
        lines[0].refuses = True
        if how == "lost":
            lines[0].lose()
        else:
            lines[0].cut()
        took = await ask_everybody(world, people)
        await bots[0].wait_for_log("Telegram answers other bots, and not this one")
        assert count_leads(bots[1]) == 1
        await ask_everybody(world, people)
        lines[0].refuses = False
        await bots[0].wait_for_log("this bot reaches Telegram again", 30)
        await wait_for_replicas(server, 2)
        bots[1].process.terminate()
        assert await bots[1].wait_for_exit(8) == 0
        await ask_everybody(world, people)
        await stop_bots(bots[:1])
    report(f"Telegram {how} for the one that leads: all answered by the other after {took:.1f} s")
    assert took < (40 if how == "lost" else 12)
    assert [len(world.posts(person)) for person in people] == [4] * len(people)
    assert not [troubles for each in bots if (troubles := find_tracebacks(each))]


async def find_leader(bots: list[Process]) -> int:
    """Wait until a bot leads, and return its index."""
    until = time.monotonic() + 10
    while True:
        for n, each in enumerate(bots):
            if count_leads(each) > each.read_log().count("this bot no longer leads"):
                return n
        assert time.monotonic() < until, [each.read_log()[-1000:] for each in bots]
        await asyncio.sleep(0.01)


async def ask_everybody(world: World, people: list[User]) -> float:
    """Let everybody ask in private; return the seconds until all have an answer."""
    before, began = [len(world.posts(person)) for person in people], time.monotonic()
    for person in people:
        world.say(person, person, "/help")
    for person, posts in zip(people, before, strict=True):
        await world.wait_until(lambda p=person, n=posts: len(world.posts(p)) > n, 60, "an answer")  # type: ignore[misc]
    return time.monotonic() - began


@pytest.mark.exhaustive
async def test_one_bot_leads_after_a_short_database_outage(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    """The leader, or all bots, can't renew their leases for some seconds."""
    world, took = World(seed=1), list[float]()
    people = [world.user(f"P{n}") for n in range(6)]
    async with BotApi(world) as api, AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(postgres.run_proxy(server.port)) for _ in range(REPLICAS)]
        urls = [server.url.replace(f":{server.port}", f":{line.port}") for line in lines]
        bots = [make_bot(world, api.url, DATABASE_URL=url) for url in urls]
        await start_bots(bots)
        for seconds in (2.2, 2.4, 2.6, 2.8, 3.0, *[4.0] * 3)[:: choose_amount(1, 3)]:
            leader = await find_leader(bots)
            cut = lines if seconds == 4 else [lines[leader]]  # all bots, as when the server restarts
            for line in cut:
                line.refuses = True
                line.cut()
            await asyncio.sleep(seconds)
            for line in cut:
                line.refuses = False
            took.append(await ask_everybody(world, people))
        await stop_bots(bots)
    report("after the database was away all are answered in " + ", ".join(f"{each:.1f} s" for each in took))
    assert max(took) < relax_limit(10)
    assert not [where for process in bots for where in find_tracebacks(process)]


@pytest.mark.exhaustive
async def test_silently_lost_connections_delay_nobody_for_long(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    """A firewall drops the connections without a word to either side."""
    world, took = World(seed=1), list[float]()
    people = [world.user(f"P{n}") for n in range(24)]

    async with BotApi(world) as api, postgres.run_proxy(server.port) as line:
        far = make_bot(world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}"))
        near = make_bot(world, api.url, DATABASE_URL=server.url)
        await start_bots([far])
        await ask_everybody(world, people)
        for _ in range(choose_amount(10, 1)):
            await start_bots([near])
            await wait_for_replicas(server, 2)
            talk = asyncio.create_task(ask_everybody(world, people))
            await asyncio.sleep(0.05)  # while they are being answered
            line.refuses = True
            line.lose()
            await talk
            await asyncio.sleep(LEASE_SECONDS)
            line.refuses = False
            await wait_for_replicas(server, 2)
            near.kill()
            took.append(await ask_everybody(world, people))
        await stop_bots([far])
    seconds = ", ".join(f"{each:.1f}" for each in took)
    report(f"after connections were lost without a word all are answered in {seconds} s")
    assert max(took) < relax_limit(10)
    assert "Traceback" not in far.read_log()


@pytest.mark.exhaustive
async def test_scarce_connections_delay_nobody_for_long(make_bot: BotFactory, free_port: int) -> None:
    """A bot without a connection leaves its chats to the others."""
    world, rng, took = World(seed=1), random.Random(3), list[float]()
    people = [world.user(f"P{n}") for n in range(24)]
    with postgres.run_server(free_port, "-c max_connections=20") as scarce:
        async with BotApi(world) as api, connect_database(scarce) as database:
            bots = [make_bot(world, api.url, DATABASE_URL=scarce.url) for _ in range(REPLICAS)]
            await start_bots(bots)
            for _ in range(choose_amount(60, 12)):
                named = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'twentyfour%'"
                theirs = [pid for (pid,) in await database.fetch(named)]
                for pid in rng.sample(theirs, min(len(theirs), rng.randint(2, 8))):
                    await database.execute("SELECT pg_terminate_backend($1)", pid)
                took.append(await ask_everybody(world, people))
            await stop_bots(bots)
    report(f"with too few connections all are answered in {max(took):.1f} s at the most")
    assert max(took) < relax_limit(15)
    assert not [where for process in bots for where in find_tracebacks(process)]


async def send_half_a_post(port: int) -> asyncio.StreamWriter:
    """Send an incomplete post with the right secret, which delays the webhook's end."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /hook HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: {'s' * 40}\r\n"
    writer.write(f"{head}Content-Length: 500\r\n\r\n{{".encode())
    await writer.drain()
    return writer


@pytest.mark.exhaustive
async def test_stop_longer_than_a_lease_repeats_nothing(
    make_bot: BotFactory, server: postgres.Server, free_ports: list[int]
) -> None:
    world = World(seed=1)
    people = [world.user(f"P{n}") for n in range(24)]

    def count_answers() -> list[int]:
        return [sum("/play" in post.text for post in world.posts(person)) for person in people]

    async with BotApi(world) as api, AsyncExitStack() as stack:
        ways = await stack.enter_async_context(update_settings("webhook", free_ports[:2]))
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, WITHOUT="patience", **way) for way in ways]
        await start_bots(bots)
        for person in people:  # so that the bot knows after which message to look for a lost post
            world.say(person, person, "/help")
        await world.wait_until(lambda: min(count_answers()) == 1, 60, "the first answers")
        world.faults.add("send*", effect=True, hang=60)
        for person in people:
            world.say(person, person, "/help")
        await asyncio.sleep(1.5)
        half = await send_half_a_post(free_ports[0])
        began = time.monotonic()
        await stop_bots(bots[:1])
        took = time.monotonic() - began
        half.close()
        world.faults.clear()
        await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[1])
        await stop_bots(bots[1:])
    again = sum(count_answers()) - 2 * len(people)
    report(f"a stop that took {took:.1f} s: {again} of {len(people)} answers came twice")
    assert min(count_answers()) == max(count_answers()) == 2
