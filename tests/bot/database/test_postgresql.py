"""The store on a PostgreSQL server: the same promises as on a file."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.util import await_only

from bot.database import (
    AccessMode,
    Postgresql,
    Store,
    StoreError,
    Tx,
    call_after_commit,
    is_database_failure,
    postgresql,
    read_server_time,
)
from bot.database.postgresql import MAX_PER_COMMIT, OTHERS_WITH_URGENT
from bot.queue import dead_letters, queries
from bot.queue.outgoing import Outgoing
from bot.web.health import count_pending_rows
from tests.bot.postgres import migrated_database

pytestmark = pytest.mark.long


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with migrated_database() as made:
        yield made


@pytest.fixture
async def store(url: URL) -> AsyncIterator[Store]:
    opened = await Store.open(url)
    yield opened
    await opened.close()


def add(name: str, *, fails: bool = False) -> Callable[[Tx], str]:
    def work(tx: Tx) -> str:
        tx.execute(text("INSERT INTO meta VALUES (:name, '')"), {"name": name})
        if fails:
            raise ZeroDivisionError(name)
        return name

    return work


async def load_names(store: Store) -> list[str]:
    ours = text("SELECT key FROM meta ORDER BY key")
    return await store.read(lambda tx: list(tx.scalars(ours)))


async def test_failing_transaction_rolls_back_no_other(store: Store) -> None:
    works = [add("a"), add("b", fails=True), add("a"), add("c")]
    results = await asyncio.gather(*map(store.write, works), return_exceptions=True)
    assert [results[0], type(results[1]), type(results[2]), results[3]] == [
        *("a", ZeroDivisionError, IntegrityError, "c")
    ]
    assert await load_names(store) == ["a", "c"]


async def test_commit_callbacks_run_once_and_not_after_a_rollback(
    store: Store,
) -> None:
    called = list[str]()

    def work(tx: Tx, name: str) -> None:
        call_after_commit(tx, lambda: called.append(name))
        add(name, fails=name in "bd")(tx)

    writes = [store.write(lambda tx, name=name: work(tx, name)) for name in "abcd"]  # type: ignore[misc]
    await asyncio.gather(*writes, return_exceptions=True)
    assert called == ["a", "c"]
    await store.write(add("next"))
    assert called == ["a", "c"]
    assert await load_names(store) == ["a", "c", "next"]


@pytest.mark.parametrize("steps", range(4))
async def test_handler_cancelled_at_any_await_leaves_whole_transactions(store: Store, steps: int) -> None:
    task = asyncio.create_task(store.write(lambda tx: [add(name)(tx) for name in "ab"]))
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    kept = await load_names(store)
    assert kept in ([], ["a", "b"])
    assert await store.write(add("next")) == "next"
    assert await load_names(store) == [*kept, "next"]


async def test_database_has_one_bot(store: Store, url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.database.postgresql.LOCK_TRIES", 1)
    with pytest.raises(StoreError, match="another bot"):
        await Store.open(url)
    beside = await Store.open_without_lock(url)
    assert await beside.write(add("a")) == "a"
    assert await load_names(beside) == ["a"]
    await beside.close()


async def test_closing_waits_for_the_running_transaction(store: Store, url: URL) -> None:
    begun = asyncio.Event()

    def work(tx: Tx) -> str:
        begun.set()
        return add("a")(tx)

    writing = asyncio.create_task(store.write(work))
    await begun.wait()
    await store.close()
    assert await writing == "a"
    again = await Store.open(url)
    assert await load_names(again) == ["a"]
    await again.close()


async def end_connections(store: Store) -> None:
    """End all connections but the one that asks."""
    server = store.shared_server
    assert server
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    for _ in range(2):
        with contextlib.suppress(DBAPIError):
            await server.run_beside_writer(
                lambda tx: list(tx.scalars(text(f"{ends} AND pid <> pg_backend_pid()")))
            )


async def test_connections_are_replaced_after_a_read_only_period(url: URL) -> None:
    # A connection keeps the setting of its start, also while it rests in a pool.
    store = await Store.open(url, AccessMode.SHARED)
    server = store.shared_server
    assert server
    there = "SELECT current_setting('default_transaction_read_only'), pg_sleep(0.1)"

    async def switch(how: str) -> None:
        where = url.set(drivername="postgresql").render_as_string(hide_password=False)
        other = await asyncpg.connect(where, server_settings={"default_transaction_read_only": "off"})
        await other.execute(f"ALTER DATABASE {url.database} SET default_transaction_read_only = {how}")
        await other.close()

    try:
        await switch("on")
        await end_connections(store)
        for _ in range(2):  # the first finds its connection ended
            with pytest.raises(DBAPIError):
                await store.write(add("a"))
        for ask in (store.read, server.run_beside_writer):  # fill the pools
            asked = (ask(lambda tx: tx.execute(text(there)).scalar_one()) for _ in range(4))
            found = await asyncio.gather(*asked, return_exceptions=True)
            assert "on" in found
        watch = await server.open_dedicated_connection()
        await switch("off")
        await store.write(add("b"))  # its connection was lost when it was refused
        tries = (server.run_beside_writer(add("c")), watch.run(add("d")))
        refused = await asyncio.gather(*tries, return_exceptions=True)
        assert all(isinstance(error, DBAPIError) and is_database_failure(error) for error in refused)
        await watch.close()
        watch = await server.open_dedicated_connection()
        await asyncio.gather(*(server.run_beside_writer(add(name)) for name in "efgh"))
        await watch.run(add("d"))
        await watch.close()
        assert await load_names(store) == list("bdefgh")
    finally:
        await store.close()


async def test_all_connections_can_be_replaced_under_load(url: URL) -> None:
    store = await Store.open(url, AccessMode.SHARED)
    server, over = store.shared_server, asyncio.Event()
    assert server

    async def busy() -> None:
        while not over.is_set():
            with contextlib.suppress(DBAPIError):
                await store.write(lambda tx: tx.execute(text("SELECT 1")).scalar_one())

    many = [asyncio.create_task(busy()) for _ in range(4)]
    watch = await server.open_dedicated_connection()
    try:
        async with asyncio.timeout(60):
            for name in "abcde":
                await store.write(add(name))
                await server.reconnect_all(watch)
        assert await load_names(store) == list("abcde")
    finally:
        over.set()
        await asyncio.gather(*many)
        await watch.close()
        await store.close()


async def test_any_number_of_dead_letters_can_be_retried_and_dropped(store: Store) -> None:
    many = 33_000  # more than a statement may have arguments
    rows = "SELECT n, '{}', 'dead', 0 FROM generate_series(1, :many) n"
    letters = text("INSERT INTO outbox (lane, body, state, at) " + rows)
    await store.write(lambda tx: tx.execute(letters, {"many": many}).rowcount)
    assert await store.write(lambda tx: dead_letters.retry_dead_letters(tx, [])) == many
    await store.write(lambda tx: tx.execute(text("UPDATE outbox SET state = 'dead'")).rowcount)
    assert await store.write(lambda tx: dead_letters.delete_dead_letters(tx, [])) == many


async def test_vacuum_does_nothing_on_a_server(store: Store) -> None:
    await store.truncate_wal()
    assert await store.vacuum()


async def test_queries_of_inbox_and_outbox_run_on_postgresql(store: Store) -> None:
    # The statements are built once, for either database.
    presses = [queries.QueuedUpdate(number, 1, "{}", press_hash="p") for number in (1, 2)]
    for expected in (presses[:1], []):
        assert await store.write(lambda tx: queries.insert_updates(tx, presses, 1.0)) == expected
    assert [await store.write(lambda tx: queries.mark_done(tx, 1, 2.0)) for _ in range(2)] == [True, False]
    request = await store.write(lambda tx: queries.insert_request(tx, Outgoing(-1, "sendMessage"), 3.0))
    await store.write(lambda tx: queries.mark_posted(tx, [(request, 71)], 4.0))
    (posted,), now = await store.read(lambda tx: (queries.load_recent_posts(tx), read_server_time(tx, 5.0)))
    assert posted[:2] == (-1, 71)
    assert 0 <= now - posted[2] < 60  # by the server's clock, which has nothing to do with 4.0
    request.update_state(is_text=True)
    await store.write(lambda tx: queries.update_request(tx, request))
    await store.write(lambda tx: queries.delete_requests(tx, [request]))
    counted = await store.read(count_pending_rows)
    assert (counted.updates["waiting"], counted.requests["waiting"]) == (0, 0)


async def test_slow_statement_times_out_unless_it_changes_tables(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "STATEMENT_TIMEOUT", 1.0)
    long, mine = text("SELECT pg_sleep(1.5)"), text("SELECT pg_backend_pid()")
    store = await Store.open(url)
    try:
        before = await store.read(lambda tx: tx.scalar(mine))
        with pytest.raises(TimeoutError) as lost:
            await store.read(lambda tx: tx.execute(long))
        assert is_database_failure(lost.value)
        assert await store.read(lambda tx: tx.scalar(mine)) != before
        with pytest.raises(TimeoutError):
            await store.write(lambda tx: tx.execute(long).rowcount)
        assert await store.write(add("a")) == "a"
        assert await store._database.run_schema_change(lambda tx: tx.execute(long).rowcount)
    finally:
        await store.close()


async def test_idle_schema_change_does_not_block_another(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    makes = asyncio.Event()

    def stands_still(tx: Tx) -> None:
        makes.set()
        await_only(asyncio.Event().wait())

    lost = Postgresql(url, AccessMode.SHARED)
    with monkeypatch.context() as patched:  # for the lost one only
        patched.setitem(postgresql.SCHEMA_LIMIT, "idle", "500ms")
        standing = asyncio.create_task(lost.run_schema_change(stands_still))
        await makes.wait()
    async with asyncio.timeout(60):
        other = Postgresql(url, AccessMode.SHARED)
        assert await other.run_schema_change(lambda tx: tx.scalar(text("SELECT 1"))) == 1
    await other.close()
    standing.cancel()
    with pytest.raises(DBAPIError):  # its connection is gone
        await standing
    await lost.close()


async def test_urgent_transactions_come_first_in_the_next_commit(url: URL) -> None:
    store, begun = await Store.open(url), list[tuple[object, list[str]]]()
    marks = list["asyncio.Future[str]"]()

    def work(tx: Tx, name: str) -> str:
        tx.execute(text("SELECT 1"))  # it begins with that
        if not begun or begun[-1][0] is not tx.get_transaction():
            begun.append((tx.get_transaction(), []))
        begun[-1][1].append(name)
        if name == "03":  # it waits from now on
            mark = store.write(lambda tx: work(tx, "mark"), urgent=True)
            marks.append(asyncio.ensure_future(mark))
            await_only(asyncio.sleep(0))
        return add(name)(tx)

    asked = [f"{n:02}" for n in range(MAX_PER_COMMIT + OTHERS_WITH_URGENT + 2)]
    writes = (store.write(lambda tx, name=name: work(tx, name)) for name in asked)  # type: ignore[misc]
    assert await asyncio.gather(*writes) == asked
    assert await marks[0] == "mark"
    second = MAX_PER_COMMIT + OTHERS_WITH_URGENT
    assert [held for _, held in begun] == [
        asked[:MAX_PER_COMMIT],
        ["mark", *asked[MAX_PER_COMMIT:second]],
        asked[second:],
    ]
    await store.close()


async def test_batch_in_conflict_is_run_one_by_one(url: URL) -> None:
    store = await Store.open(url, AccessMode.SHARED)
    begun = list[str]()

    def meets(name: str) -> Callable[[Tx], str]:
        def work(tx: Tx) -> str:
            begun.append(name)
            if name == "01" and begun.count(name) <= 1 + postgresql.FEW_RETRIES:
                tx.execute(text("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"))
            return add(name)(tx)

        return work

    asked = ["00", "01", "02"]
    assert await asyncio.gather(*(store.write(meets(name)) for name in asked)) == asked
    assert await load_names(store) == asked
    assert begun == [*["00", "01"] * (1 + postgresql.FEW_RETRIES), *asked]
    await store.close()


async def test_transactions_of_two_bots_are_serializable(url: URL) -> None:
    # Also if each writes a row of its own, by what it read of the other's.
    pairs = [(await Store.open(url, AccessMode.SHARED), name) for name in "ab"]
    read, both = set[str](), asyncio.Event()

    def next_one(tx: Tx, name: str) -> int:
        found = int(tx.scalar(text("SELECT count(*) FROM meta WHERE key IN ('a', 'b')")) or 0)
        read.add(name)
        if len(read) == 2:
            both.set()
        await_only(both.wait())
        add(name)(tx)
        return found

    works = (store.write(lambda tx, name=name: next_one(tx, name)) for store, name in pairs)  # type: ignore[misc]
    async with asyncio.timeout(60):
        counted = await asyncio.gather(*works)
    assert sorted(counted) == [0, 1]
    for store, _ in pairs:
        await store.close()


@pytest.mark.parametrize(("code", "again"), [("40001", 5), ("23505", postgresql.FEW_RETRIES), ("23514", 0)])
async def test_conflicts_are_retried_and_possible_conflicts_a_few_times(
    code: str, again: int, url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "CONFLICT_RETRIES", 5)
    store, runs = await Store.open(url, AccessMode.SHARED), list[None]()

    def refused(tx: Tx) -> None:
        runs.append(None)
        tx.execute(text(f"DO $$ BEGIN RAISE SQLSTATE '{code}'; END $$"))

    with pytest.raises(DBAPIError):
        await store.write(refused)
    assert len(runs) == 1 + again
    await store.close()
