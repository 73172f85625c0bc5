"""The database's server restarts, is gone for a while, is cut off, or is given to somebody else."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.engine import make_url

from bot.database import AccessMode, Store, Tx
from bot.database.postgresql import INSTANCE_LOCK
from bot.database.schema import meta
from tests.faults import postgres
from tests.faults.conftest import Process, Started, answer_to, figure, show, within
from tests.telegram import BotApi, Message, World

pytestmark = pytest.mark.faults


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.server(free_port) as made:
        yield made


def lines(process: Process) -> list[str]:
    """What the log holds of warnings and worse."""
    return [line for line in process.said().splitlines() if " INFO " not in line]


@pytest.mark.parametrize("how", ["fast", "immediate"])
async def test_a_server_that_is_gone_for_a_while(how: str, bot: Started, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        world.say(ann, family, f"/play@{world.bot.username}")
        deal = await world.next_post(family, "→ 24")
        seconds = figure(20, 4)
        server.stop(how)
        began = time.monotonic()
        world.say(ann, family, answer_to(deal), reply_to=deal)
        world.say(ann, ann, "/help")
        await asyncio.sleep(seconds)
        assert process.process.poll() is None, process.said()[-3000:]
        await asyncio.to_thread(server.start)
        up = time.monotonic()
        await world.wait_until(lambda: "🏆" in deal.text, 60, "the win")
        await world.next_post(ann, "/play", timeout=30)
        took = time.monotonic() - up
        world.say(ann, family, f"/play@{world.bot.username}")
        await world.next_post(family, "→ 24")
        assert process.process.poll() is None
        process.process.terminate()
        assert await process.ended(8) == 0
    said = lines(process)
    show(
        f"{how} stop for {up - began:.0f} s: same process, all answered {took:.1f} s after the start, "
        f"{len(said)} lines of warning"
    )
    assert process.starts == 1
    assert "Traceback" not in process.said()
    assert any("database" in line for line in said)
    assert len(said) < within(10 + seconds)
    assert deal.text.count("🏆") == 1


async def test_restarts_one_after_the_other(bot: Started, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        for n in range(figure(10, 2)):
            await asyncio.to_thread(server.stop, "immediate" if n % 2 else "fast")
            await asyncio.to_thread(server.start)
            for _ in range(3):
                world.say(ann, ann, "/help")
            await world.wait_until(lambda n=n: len(_helps(world)) >= 3 * n + 3, 30, "the replies")  # type: ignore[misc]
        assert process.process.poll() is None
    show(f"{n + 1} restarts: {len(_helps(world))} of {3 * n + 3} answered, by one process")
    assert len(_helps(world)) == 3 * n + 3


def _helps(world: World) -> list[object]:
    return [post for chat in world.chats.values() for post in world.posts(chat) if "/play" in post.text]


@pytest.mark.parametrize("server_knows", [True, False])
async def test_a_line_that_is_cut_and_refused(
    server_knows: bool, bot: Started, server: postgres.Server
) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api, postgres.line(server.port) as line:
        process = bot(world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}"))
        process.start()
        await process.says("is ready", 30)
        line.refuses = True
        line.cut(server_knows=server_knows)
        world.say(ann, ann, "/help")
        await asyncio.sleep(figure(20, 2))
        assert process.process.poll() is None
        line.refuses = False
        began = time.monotonic()
        await world.next_post(ann, "/play", timeout=60)
        took = time.monotonic() - began
        holders = await _holders(server)
        assert process.process.poll() is None
    show(f"a cut line, noticed by the server: {server_knows}; answered after {took:.1f} s, {holders} lock")
    assert holders == 1  # for being there
    assert "Traceback" not in process.said()


async def test_connections_that_are_lost_right_after_the_login(bot: Started, server: postgres.Server) -> None:
    """As behind a pooler whose server is gone: no right answer is lost by that, and nothing told twice."""
    world = World()
    people = [world.user(f"P{n}") for n in range(6)]
    groups = [world.group(f"G{n}", each) for n, each in enumerate(people)]
    async with BotApi(world) as api, postgres.line(server.port) as line:
        process = bot(world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}"))
        process.start()
        await process.says("is ready", 30)
        deals = list[Message]()
        for ann, group in zip(people, groups, strict=True):
            world.say(ann, group, f"/play@{world.bot.username}")
            deals.append(await world.next_post(group, "→ 24"))
        line.drops = True
        line.cut()
        for ann, group, deal in zip(people, groups, deals, strict=True):
            world.say(ann, group, answer_to(deal), reply_to=deal)
            world.say(ann, ann, "/help")
        await asyncio.sleep(figure(20, 5))
        assert process.process.poll() is None
        line.drops = False
        began = time.monotonic()
        await world.wait_until(lambda: all("🏆" in deal.text for deal in deals), 60, "the wins")
        await world.wait_until(lambda: all(world.posts(ann) for ann in people), 60, "the replies")
        took = time.monotonic() - began
        await world.wait_until_taken()
        process.process.terminate()
        assert await process.ended(8) == 0
    show(f"lost right after the login: all answered {took:.1f} s after it was over")
    assert took < within(5)
    assert [len(world.posts(ann)) for ann in people] == [1] * len(people)
    assert "Traceback" not in process.said()
    assert not any(" ERROR " in line for line in lines(process)), lines(process)[-20:]


async def _holders(server: postgres.Server) -> int:
    connection = await asyncpg.connect(server.url)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
    finally:
        await connection.close()


async def test_its_connections_are_ended_by_an_operator(bot: Started, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        operator = await asyncpg.connect(server.url)
        for n in range(figure(20, 3)):
            await operator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            )
            world.say(ann, ann, "/help")
            await world.wait_until(lambda n=n: len(_helps(world)) == n + 1, 30, "the reply")  # type: ignore[misc]
        await operator.close()
        assert process.process.poll() is None
    show(f"all connections ended {n + 1} times: {n + 1} replies")
    assert "Traceback" not in process.said()


async def test_another_bot_that_took_the_database_meanwhile(bot: Started, server: postgres.Server) -> None:
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        server.stop()
        server.start()
        other = await asyncpg.connect(server.url)
        taken = await other.fetchval("SELECT pg_try_advisory_lock($1)", INSTANCE_LOCK)
        if not taken:  # the bot was quicker: its connection ends, and then it is the other's
            await other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            )
            taken = await other.fetchval("SELECT pg_advisory_lock($1) IS NOT NULL", INSTANCE_LOCK)
        world.say(world.user("Ann"), world.group("Family"), "hello")
        code = await process.ended(30)
        await other.close()
    show(f"a lock that another took: exit {code}")
    assert code == 2
    assert "another bot already runs on this database" in process.said().splitlines()[-1]
    assert "Traceback" not in process.said()


async def test_a_server_that_is_down_at_the_start(bot: Started, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    server.stop()
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        began = time.monotonic()
        code = await process.ended(30)
        took = time.monotonic() - began
        assert code == 1  # systemd and a container's supervisor try again
        assert len(process.said().splitlines()) == 1
        assert process.said().startswith("twentyfour-bot: DATABASE_URL: the database at 127.0.0.1")
        process.start()
        await asyncio.to_thread(server.start)
        await process.says("is ready", 30)
        world.say(ann, ann, "/help")
        await world.next_post(ann, "/play")
    show(f"no server: exit {code} with one line after {took:.1f} s; one that comes up is waited for")


async def test_what_a_person_must_mend_is_exit_2(bot: Started, server: postgres.Server) -> None:
    world = World()
    async with BotApi(world) as api:
        for url in (server.url.replace("/postgres", "/nothing"), server.url.replace("postgres@", "nobody@")):
            process = bot(world, api.url, DATABASE_URL=url)
            process.start()
            assert await process.ended(30) == 2
            assert len(process.said().splitlines()) == 1
            assert process.said().startswith("twentyfour-bot: DATABASE_URL: ")


@pytest.fixture
def cramped(free_port: int) -> Iterator[postgres.Server]:
    """A server that has as little room as can be set for what it must know of serializable transactions."""
    few = "-c max_pred_locks_per_transaction=10 -c max_connections=20 -c enable_seqscan=off"
    with postgres.server(free_port, few) as made:
        yield made


async def test_a_server_without_room_for_what_bots_have_read_is_waited_for(
    cramped: postgres.Server, caplog: pytest.LogCaptureFixture
) -> None:
    """While a bot stands still in the midst of a transaction, the server remembers what all others read."""
    store = await Store.open(make_url(cramped.url).set(drivername="postgresql+asyncpg"), AccessMode.SHARED)
    keys = [f"key {n}" for n in range(4000)]
    await store.write(lambda tx: tx.execute(insert(meta), [{"key": key, "value": "x" * 500} for key in keys]))
    still = await asyncpg.connect(cramped.url)
    standing = still.transaction(isolation="serializable")
    await standing.start()
    await still.fetchval("SELECT count(*) FROM meta")

    def touched(tx: Tx, key: str) -> int:
        others = keys[int(key.split()[1]) % 25 :: 25]
        assert len(tx.scalars(select(meta.c.value).where(meta.c.key.in_(others))).all()) == len(others)
        return tx.execute(update(meta).where(meta.c.key == key).values(value="y")).rowcount

    began = time.monotonic()
    all_told = asyncio.gather(*(one_by_one(store, touched, keys[n::8]) for n in range(8)))
    await asyncio.sleep(figure(3, 1))
    waited = not all_told.done()
    await standing.rollback()
    counts = await all_told
    show(f"no room for locks: {sum(counts)} transactions, all done within {time.monotonic() - began:.1f} s")
    await still.close()
    await store.close()
    assert waited, "it was never full"
    assert sum(counts) == len(keys)


async def one_by_one(store: Store, work: Callable[..., int], keys: Sequence[str]) -> int:
    counts: list[int] = [await store.write(partial(work, key=key)) for key in keys]
    return sum(counts)


# Nothing can be stored, for that reason.
PLANTED = (
    "CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE 'planted' USING errcode = '{}'; END $$;"
    " CREATE TRIGGER trouble BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION trouble()"
)
CODES = ("53100", "57014", "42501", "42P01", "54000", "XX001", "40003", "55000", "23514")


async def test_what_the_server_refuses_for_a_while_is_taken_afterwards(
    bot: Started, server: postgres.Server
) -> None:
    """Whatever reason it gives: an update that was acknowledged and not stored would be lost."""
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        operator = await asyncpg.connect(server.url)
        for code in CODES:
            who = world.user(f"P{code}")
            await operator.execute(PLANTED.format(code))
            world.say(who, who, "/help")
            await asyncio.sleep(0.5)
            answered = [post for post in world.posts(who) if "/play" in post.text]
            assert not answered  # it may say that it can't just now
            await operator.execute("DROP FUNCTION trouble() CASCADE")
            await world.next_post(who, "/play", timeout=30)
        await operator.close()
        process.process.terminate()
        assert await process.ended(8) == 0
    show(f"{len(CODES)} reasons to store nothing: each update was answered afterwards")
