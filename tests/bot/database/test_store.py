"""Transactions: whole or not at all, whatever fails or is cancelled beside them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from bot.database import Store, StoreError, Tx, storage_trouble
from bot.database.backup import BackupError, backup
from bot.delivery import queries


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    yield opened
    await opened.close()


def add(tx: Tx, name: str) -> None:
    tx.execute(text("INSERT INTO meta VALUES (:name, '')"), {"name": name})


def add_and_fail(tx: Tx, name: str) -> None:
    add(tx, name)
    raise ZeroDivisionError


async def names(store: Store) -> list[str]:
    return await store.read(lambda tx: list(tx.scalars(text("SELECT key FROM meta ORDER BY key"))))


async def test_a_move_that_fails_takes_nothing_else_with_it(store: Store) -> None:
    """Moves that are queued together share one commit."""
    moves = [
        store.write(lambda tx, n=n: (add_and_fail if n % 3 else add)(tx, f"{n}"))  # type: ignore[misc]
        for n in range(9)
    ]
    results = await asyncio.gather(*moves, return_exceptions=True)
    assert [isinstance(result, ZeroDivisionError) for result in results] == [bool(n % 3) for n in range(9)]
    assert await names(store) == ["0", "3", "6"]


@pytest.mark.parametrize("steps", range(6))
async def test_a_handler_cancelled_at_any_await_is_whole(store: Store, steps: int) -> None:
    async def handler() -> None:
        await names(store)
        await store.write(lambda tx: [add(tx, name) for name in ("a", "b")])  # type: ignore[func-returns-value]

    task = asyncio.create_task(handler())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    kept = await names(store)
    assert kept in ([], ["a", "b"])
    await store.write(lambda tx: add(tx, "next"))
    assert await names(store) == [*kept, "next"]


async def test_a_full_disk_fails_whole_and_is_over_when_it_is_over(store: Store) -> None:
    pages = await store.write(lambda tx: tx.scalar(text("PRAGMA page_count")))
    await store.write(lambda tx: tx.execute(text(f"PRAGMA max_page_count = {pages}")).scalar())
    with pytest.raises(OperationalError, match="full") as caught:
        await store.write(lambda tx: [add(tx, f"{n:05}" + "x" * 900) for n in range(200)])  # type: ignore[func-returns-value]
    assert storage_trouble(caught.value)
    assert await names(store) == []
    await store.write(lambda tx: tx.execute(text("PRAGMA max_page_count = 100000")).scalar())
    await store.write(lambda tx: add(tx, "after"))
    assert await names(store) == ["after"]


async def test_a_database_has_one_bot(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="another bot"):
        await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_a_newer_schema_is_refused(store: Store, tmp_path: Path) -> None:
    await store.write(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '9999'")).rowcount)
    await store.close()
    with pytest.raises(StoreError, match="newer"):
        await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "b.sqlite3"
    file.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 64)
    with pytest.raises(StoreError, match=r"b\.sqlite3"):
        await Store.open(make_url(f"sqlite:///{file}"))


async def test_a_press_counts_once(store: Store) -> None:
    presses = [queries.Incoming(number, 1, "{}", press="p") for number in (1, 2)]
    assert await store.write(lambda tx: queries.accept(tx, presses, 1.0)) == presses[:1]
    assert await store.write(lambda tx: queries.accept(tx, presses, 1.0)) == []


async def test_what_is_set_aside_can_be_tried_again(store: Store) -> None:
    incoming = queries.Incoming(7, 1, "{}")
    await store.write(lambda tx: queries.accept(tx, [incoming], 1.0))
    assert await store.write(lambda tx: queries.failed(tx, 7, "KeyError: 'date'")) == 1
    await store.write(lambda tx: queries.dead_letter(tx, 7, 2.0))
    assert [(d.id, d.trouble) for d in await store.read(queries.dead_updates)] == [(7, "KeyError: 'date'")]
    assert await store.write(lambda tx: queries.retry(tx, [7], [])) == 1
    assert await store.write(queries.requeue) == ([replace(incoming, at=2.0)], [])
    assert await store.read(queries.waiting_updates) == [replace(incoming, at=2.0)]


async def test_a_backup_never_replaces_the_database_or_a_good_copy(store: Store, tmp_path: Path) -> None:
    url, copy = make_url(f"sqlite:///{tmp_path}/a.sqlite3"), tmp_path / "copy"
    with pytest.raises(BackupError, match="itself"):
        backup(url, tmp_path / "a.sqlite3")
    assert backup(url, copy) == copy.stat().st_size
    good = copy.read_bytes()
    with pytest.raises(BackupError, match="no database"):
        backup(make_url(f"sqlite:///{tmp_path}/none.sqlite3"), copy)
    with pytest.raises(BackupError, match="pg_dump"):
        backup(make_url("postgresql://u:secret@h/d"), copy)
    assert copy.read_bytes() == good
