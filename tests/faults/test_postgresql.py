"""The PostgreSQL server restarts, is down, is cut off, or refuses statements."""

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
from tests.faults.conftest import FULL, BotFactory, Process, choose_amount, relax_limit, report, solve_deal
from tests.telegram import BotApi, Message, World

pytestmark = pytest.mark.faults


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.run_server(free_port) as made:
        yield made


def read_warnings(process: Process) -> list[str]:
    """Return the log's lines at WARNING and above."""
    return [line for line in process.read_log().splitlines() if " INFO " not in line]


@pytest.mark.parametrize("how", ["fast", "immediate"] if FULL else ["fast"])
async def test_stopped_server_is_waited_for(how: str, make_bot: BotFactory, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.wait_for_log("is ready")
        world.say(ann, family, f"/play@{world.bot.username}")
        deal = await world.next_post(family, "→ 24")
        seconds = choose_amount(20, 4)
        server.stop(how)
        began = time.monotonic()
        world.say(ann, family, solve_deal(deal), reply_to=deal)
        world.say(ann, ann, "/help")
        await asyncio.sleep(seconds)
        assert process.process.poll() is None, process.read_log()[-3000:]
        await asyncio.to_thread(server.start)
        up = time.monotonic()
        await world.wait_until(lambda: "🏆" in deal.text, 60, "the win")
        await world.next_post(ann, "/play", timeout=60)
        took = time.monotonic() - up
        world.say(ann, family, f"/play@{world.bot.username}")
        await world.next_post(family, "→ 24")
        assert process.process.poll() is None
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    said = read_warnings(process)
    report(
        f"{how} stop for {up - began:.0f} s: same process, all answered {took:.1f} s after the start, "
        f"{len(said)} lines of warning"
    )
    assert process.starts == 1
    assert "Traceback" not in process.read_log()
    assert any("database" in line for line in said)
    assert len(said) < relax_limit(10 + seconds)
    assert deal.text.count("🏆") == 1


@pytest.mark.exhaustive
async def test_repeated_restarts_lose_no_reply(make_bot: BotFactory, server: postgres.Server) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.wait_for_log("is ready")
        for n in range(choose_amount(10, 2)):
            await asyncio.to_thread(server.stop, "immediate" if n % 2 else "fast")
            await asyncio.to_thread(server.start)
            for _ in range(3):
                world.say(ann, ann, "/help")
            await world.wait_until(lambda n=n: len(_help_posts(world)) >= 3 * n + 3, 60, "the replies")  # type: ignore[misc]
        assert process.process.poll() is None
    report(f"{n + 1} restarts: {len(_help_posts(world))} of {3 * n + 3} answered, by one process")
    assert len(_help_posts(world)) == 3 * n + 3


def _help_posts(world: World) -> list[object]:
    return [post for chat in world.chats.values() for post in world.posts(chat) if "/play" in post.text]


@pytest.mark.parametrize("server_knows", [True, False] if FULL else [False])
async def test_cut_connection_is_replaced(
    server_knows: bool, make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api, postgres.run_proxy(server.port) as line:
        process = make_bot(
            world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}")
        )
        process.start()
        await process.wait_for_log("is ready")
        line.refuses = True
        line.cut(server_knows=server_knows)
        world.say(ann, ann, "/help")
        await asyncio.sleep(choose_amount(20, 2))
        assert process.process.poll() is None
        line.refuses = False
        began = time.monotonic()
        await world.next_post(ann, "/play", timeout=60)
        took = time.monotonic() - began
        holders = await _count_locks(server)
        assert process.process.poll() is None
    report(f"a cut line, noticed by the server: {server_knows}; answered after {took:.1f} s, {holders} lock")
    assert holders == 1  # the lock that marks a running bot
    assert "Traceback" not in process.read_log()


@pytest.mark.exhaustive
async def test_connections_lost_after_the_login_lose_no_answer(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    """A pooler without its server closes connections so."""
    world = World()
    people = [world.user(f"P{n}") for n in range(6)]
    groups = [world.group(f"G{n}", each) for n, each in enumerate(people)]
    async with BotApi(world) as api, postgres.run_proxy(server.port) as line:
        process = make_bot(
            world, api.url, DATABASE_URL=server.url.replace(f":{server.port}", f":{line.port}")
        )
        process.start()
        await process.wait_for_log("is ready")
        deals = list[Message]()
        for ann, group in zip(people, groups, strict=True):
            world.say(ann, group, f"/play@{world.bot.username}")
            deals.append(await world.next_post(group, "→ 24"))
        line.drops = True
        line.cut()
        for ann, group, deal in zip(people, groups, deals, strict=True):
            world.say(ann, group, solve_deal(deal), reply_to=deal)
            world.say(ann, ann, "/help")
        await asyncio.sleep(choose_amount(20, 5))
        assert process.process.poll() is None
        line.drops = False
        began = time.monotonic()
        await world.wait_until(lambda: all("🏆" in deal.text for deal in deals), 60, "the wins")
        await world.wait_until(lambda: all(world.posts(ann) for ann in people), 60, "the replies")
        took = time.monotonic() - began
        await world.wait_until_taken()
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    report(f"lost right after the login: all answered {took:.1f} s after it was over")
    assert took < relax_limit(5)
    assert [len(world.posts(ann)) for ann in people] == [1] * len(people)
    assert "Traceback" not in process.read_log()
    assert not any(" ERROR " in line for line in read_warnings(process)), read_warnings(process)[-20:]


async def _count_locks(server: postgres.Server) -> int:
    connection = await asyncpg.connect(server.url)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
    finally:
        await connection.close()


@pytest.mark.exhaustive
async def test_connections_ended_by_an_operator_lose_no_reply(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.wait_for_log("is ready")
        operator = await asyncpg.connect(server.url)
        for n in range(choose_amount(20, 3)):
            await operator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            )
            world.say(ann, ann, "/help")
            await world.wait_until(lambda n=n: len(_help_posts(world)) == n + 1, 60, "the reply")  # type: ignore[misc]
        await operator.close()
        assert process.process.poll() is None
    report(f"all connections ended {n + 1} times: {n + 1} replies")
    assert "Traceback" not in process.read_log()


@pytest.mark.exhaustive
async def test_bot_ends_when_another_has_taken_the_database(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.wait_for_log("is ready")
        server.stop()
        server.start()
        other = await asyncpg.connect(server.url)
        taken = await other.fetchval("SELECT pg_try_advisory_lock($1)", INSTANCE_LOCK)
        if not taken:  # the bot was quicker: end its connection and take the lock
            await other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            )
            taken = await other.fetchval("SELECT pg_advisory_lock($1) IS NOT NULL", INSTANCE_LOCK)
        world.say(world.user("Ann"), world.group("Family"), "hello")
        code = await process.wait_for_exit(30)
        await other.close()
    report(f"a lock that another took: exit {code}")
    assert code == 2
    assert "another bot already runs on this database" in process.read_log().splitlines()[-1]
    assert "Traceback" not in process.read_log()


@pytest.mark.exhaustive
async def test_server_down_at_the_start_ends_the_bot_with_1(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    ann = world.user("Ann")
    server.stop()
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        began = time.monotonic()
        code = await process.wait_for_exit(30)
        took = time.monotonic() - began
        assert code == 1  # systemd and container supervisors start it again
        assert len(process.read_log().splitlines()) == 1
        assert process.read_log().startswith("twentyfour-bot: DATABASE_URL: the database at 127.0.0.1")
        process.start()
        await asyncio.to_thread(server.start)
        await process.wait_for_log("is ready")
        world.say(ann, ann, "/help")
        await world.next_post(ann, "/play")
    report(f"no server: exit {code} with one line after {took:.1f} s; one that comes up is waited for")


@pytest.mark.exhaustive
async def test_wrong_database_or_user_ends_the_bot_with_2(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    world = World()
    async with BotApi(world) as api:
        for url in (server.url.replace("/postgres", "/nothing"), server.url.replace("postgres@", "nobody@")):
            process = make_bot(world, api.url, DATABASE_URL=url)
            process.start()
            assert await process.wait_for_exit(30) == 2
            assert len(process.read_log().splitlines()) == 1
            assert process.read_log().startswith("twentyfour-bot: DATABASE_URL: ")


@pytest.fixture
def small_server(free_port: int) -> Iterator[postgres.Server]:
    """Run a server with the least memory for locks of serializable transactions."""
    few = "-c max_pred_locks_per_transaction=10 -c max_connections=20 -c enable_seqscan=off"
    with postgres.run_server(free_port, few) as made:
        yield made


@pytest.mark.exhaustive
async def test_server_out_of_lock_memory_is_waited_for(
    small_server: postgres.Server, caplog: pytest.LogCaptureFixture
) -> None:
    """During an open transaction the server keeps the read locks of all others."""
    store = await Store.open(
        make_url(small_server.url).set(drivername="postgresql+asyncpg"), AccessMode.SHARED
    )
    keys = [f"key {n}" for n in range(4000)]
    await store.write(lambda tx: tx.execute(insert(meta), [{"key": key, "value": "x" * 500} for key in keys]))
    idle_connection = await asyncpg.connect(small_server.url)
    open_transaction = idle_connection.transaction(isolation="serializable")
    await open_transaction.start()
    await idle_connection.fetchval("SELECT count(*) FROM meta")

    def touch_rows(tx: Tx, key: str) -> int:
        others = keys[int(key.split()[1]) % 25 :: 25]
        assert len(tx.scalars(select(meta.c.value).where(meta.c.key.in_(others))).all()) == len(others)
        return tx.execute(update(meta).where(meta.c.key == key).values(value="y")).rowcount

    began = time.monotonic()
    writes = asyncio.gather(*(write_in_turn(store, touch_rows, keys[n::8]) for n in range(8)))
    await asyncio.sleep(choose_amount(3, 1))
    waited = not writes.done()
    await open_transaction.rollback()
    counts = await writes
    report(f"no room for locks: {sum(counts)} transactions, all done within {time.monotonic() - began:.1f} s")
    await idle_connection.close()
    await store.close()
    assert waited, "the memory for locks was never full"
    assert sum(counts) == len(keys)


async def write_in_turn(store: Store, work: Callable[..., int], keys: Sequence[str]) -> int:
    counts: list[int] = [await store.write(partial(work, key=key)) for key in keys]
    return sum(counts)


# Makes each insert into the inbox fail with this SQLSTATE.
FAILING_INSERT = (
    "CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE 'planted' USING errcode = '{}'; END $$;"
    " CREATE TRIGGER trouble BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION trouble()"
)
CODES = ("53100", "57014", "42501", "42P01", "54000", "XX001", "40003", "55000", "23514")


@pytest.mark.exhaustive
async def test_updates_refused_by_the_server_are_handled_later(
    make_bot: BotFactory, server: postgres.Server
) -> None:
    """An update that is acknowledged but not stored would be lost."""
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.wait_for_log("is ready")
        operator = await asyncpg.connect(server.url)
        for code in CODES:
            who = world.user(f"P{code}")
            await operator.execute(FAILING_INSERT.format(code))
            world.say(who, who, "/help")
            await asyncio.sleep(0.5)
            answered = [post for post in world.posts(who) if "/play" in post.text]
            assert not answered  # there may be a reply that nothing can be stored now
            await operator.execute("DROP FUNCTION trouble() CASCADE")
            await world.next_post(who, "/play", timeout=60)
        await operator.close()
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    report(f"{len(CODES)} reasons to store nothing: each update was answered afterwards")
