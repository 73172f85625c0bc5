"""Moves of a whole database to PostgreSQL and back, also after an interruption."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import BigInteger, Column, Text, delete, func, insert, select, text, update
from sqlalchemy.engine import URL, make_url

from bot.database import Store, StoreError, Tx
from bot.database import move as module
from bot.database.migrations import HEAD, read_revision
from bot.database.move import MOVED_TABLES, MoveError, move_database
from bot.database.schema import awards, chats, ratings, rounds
from bot.players import queries as people
from tests.bot.postgres import fresh_database

ODD = ["", "Ann", "你好 🃏", "\u202eevil\u2069", "a\tb\nc", "Äöß", "zz", "ZZ", "a" * 3000]


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as url:
        yield url


@pytest.fixture
def file(tmp_path: Path) -> URL:
    return make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}")


async def run_transaction(url: URL, verb: Any) -> Any:
    store = await Store.open(url, require_whole=False)
    try:
        return await store.write(verb)
    finally:
        await store.close()


def fill_tables(tx: Tx, many: int = 40) -> None:
    """Insert `many` odd rows into every table."""
    rng = Random(7)
    for table in MOVED_TABLES:
        rows = [{c.name: _make_odd_value(rng, c, number) for c in table.c} for number in range(1, many + 1)]
        tx.execute(insert(table), rows)


def _make_odd_value(rng: Random, column: Column[Any], number: int) -> object:
    """Return a value that no other row has in the column, or sometimes None."""
    if column.nullable and rng.random() < 0.3:
        return None
    if isinstance(column.type, Text):
        return f"{rng.choice(ODD)}{number}"
    if column.type.python_type is float:
        return rng.choice([0.1, 1e9, -3.0]) * number
    return number if isinstance(column.type, BigInteger) and number % 3 else number + 100


def load_rows(tx: Tx) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table.name: sorted((tuple(row) for row in tx.execute(select(table))), key=repr)
        for table in MOVED_TABLES
    }


@pytest.mark.long
async def test_move_there_and_back_keeps_every_row(file: URL, server: URL, tmp_path: Path) -> None:
    await run_transaction(file, fill_tables)
    before = await run_transaction(file, load_rows)
    assert min(map(len, before.values())) >= 40
    result: list[str] = []
    await move_database(file, server, result.append)
    assert await run_transaction(server, load_rows) == before
    assert await run_transaction(file, load_rows) == before
    begins, *tables = result
    assert begins == "copying everything and verifying the copy"
    assert [line.partition(":")[0] for line in tables] == [table.name for table in MOVED_TABLES]
    assert all(re.fullmatch(r"\w+: 4[0-9] rows, [0-9a-f]{12}", line) for line in tables), result
    back = make_url(f"sqlite:///{tmp_path / 'back.sqlite3'}")
    again: list[str] = []
    await move_database(server, back, again.append)
    assert again == result
    assert await run_transaction(back, load_rows) == before


REVISION = text("SELECT version_num FROM alembic_version")


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}


async def test_moved_file_is_unchanged(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    await run_transaction(
        make_url(f"sqlite:///{ours / 'games.sqlite3'}"),
        lambda tx: people.insert_or_update_player(tx, people.Player(1, "Ann")),
    )
    before, result = read_files(ours), list[str]()
    target = make_url(f"sqlite:///{theirs / 'games.sqlite3'}")
    await move_database(make_url(f"sqlite:///{ours / 'games.sqlite3'}"), target, result.append)
    assert read_files(ours) == before
    assert [line for line in result if line.startswith("players: 1 rows, ")]
    assert await Store.read_any_version(target, lambda tx: tx.scalar(REVISION)) == HEAD


@pytest.mark.usefixtures("_earlier_release")
async def test_server_of_an_older_version_is_refused(server: URL, tmp_path: Path) -> None:
    await run_transaction(
        server, lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '0099'")).rowcount
    )
    with pytest.raises(
        MoveError, match=rf"is at revision 0099, older than .* {HEAD}; run twentyfour-bot migrate$"
    ):
        await move_database(server, make_url(f"sqlite:///{tmp_path / 'other.sqlite3'}"), print)
    assert await Store.read_any_version(server, lambda tx: tx.scalar(REVISION)) == "0099"


async def test_empty_server_is_refused(server: URL, tmp_path: Path) -> None:
    with pytest.raises(MoveError, match=r"^the database to move from: the database is empty"):
        await move_database(server, make_url(f"sqlite:///{tmp_path / 'other.sqlite3'}"), print)
    assert await Store.read_any_version(server, read_revision) is None


@pytest.mark.long
async def test_progress_is_reported(file: URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    monkeypatch.setattr(module, "PROGRESS_ROWS", 20)
    await run_transaction(file, lambda tx: fill_tables(tx, 55))
    target, result = make_url(f"sqlite:///{tmp_path / 'other.sqlite3'}"), list[str]()
    await move_database(file, target, result.append)
    of_chats = [line for line in result if line.startswith("chats: ")]
    assert of_chats[:-1] == [
        *("chats: copied 20 rows so far", "chats: copied 40 rows so far"),
        *("chats: read there 20 rows so far", "chats: read there 40 rows so far"),
    ]
    assert of_chats[-1].startswith("chats: 55 rows, ")


@pytest.mark.long
async def test_new_rows_get_ids_behind_the_moved_ones(file: URL, server: URL) -> None:
    await run_transaction(file, fill_tables)
    await move_database(file, server, print)

    def added(tx: Tx) -> int:
        row = tx.execute(select(awards).limit(1)).one()._asdict()
        row.pop("id")
        row["round_id"] = 4711
        (number,) = tx.execute(insert(awards).values(row)).inserted_primary_key or (0,)
        return int(number)

    highest = await run_transaction(file, lambda tx: tx.scalar(select(func.max(awards.c.id))))
    assert await run_transaction(server, added) == highest + 1


@pytest.mark.long
async def test_move_that_was_cut_off_begins_again(
    file: URL, server: URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 7)
    await run_transaction(file, fill_tables)
    written = 0
    whole = Store.write

    async def cut(store: Store, work: Any) -> Any:
        nonlocal written
        written += store.dialect == "postgresql"
        if written == 60:
            written += 1
            raise ConnectionResetError("the line was cut")
        return await whole(store, work)

    monkeypatch.setattr(Store, "write", cut)
    with pytest.raises(ConnectionResetError):
        await move_database(file, server, print)
    with pytest.raises(StoreError, match="a move into this database was cut off"):
        await Store.open(server)
    with pytest.raises(MoveError, match=r"^the database to move from: a move into .* was cut off"):
        await move_database(server, make_url(f"sqlite:///{tmp_path / 'back.sqlite3'}"), print)
    await run_transaction(file, lambda tx: tx.execute(delete(rounds).where(rounds.c.id < 30)).rowcount)
    await move_database(file, server, print)
    assert await run_transaction(server, load_rows) == await run_transaction(file, load_rows)
    await (await Store.open(server)).close()


@pytest.mark.long
async def test_null_character_is_replaced_for_postgresql(file: URL, server: URL) -> None:
    await run_transaction(
        file, lambda tx: tx.execute(insert(chats).values(id=-1, kind="group\0", settings="{}")).rowcount
    )
    await move_database(file, server, print)
    assert await run_transaction(server, lambda tx: tx.scalar(select(chats.c.kind))) == "group\ufffd"


@pytest.mark.long
async def test_altered_rows_are_noticed(file: URL, server: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    await run_transaction(file, fill_tables)
    write = Store.write

    async def altering(store: Store, work: Any) -> Any:
        result = await write(store, work)
        if store.dialect == "postgresql":
            await write(store, lambda tx: tx.execute(update(ratings).values(mu=25.0)).rowcount)
        return result

    monkeypatch.setattr(Store, "write", altering)
    with pytest.raises(MoveError, match=r"^ratings differs: 40 rows"):
        await move_database(file, server, print)
    with pytest.raises(StoreError, match="was cut off"):
        await Store.open(server)


@pytest.mark.long
async def test_refusals_are_one_line(file: URL, server: URL, tmp_path: Path) -> None:
    async def refused(source: URL, target: URL, words: str) -> None:
        with pytest.raises(MoveError, match=re.escape(words)) as caught:
            await move_database(source, target, print)
        assert "\n" not in str(caught.value)

    await refused(file, server, "there is no database ")
    await run_transaction(file, fill_tables)
    await refused(file, file, "that is the same database")
    await run_transaction(server, fill_tables)
    await refused(
        file, server, "the target has rows, its own or those of a move that is complete: name an empty one"
    )
    alien = tmp_path / "alien.sqlite3"
    with closing(sqlite3.connect(alien)) as connection:
        connection.execute("CREATE TABLE alien (id)")
    await refused(make_url(f"sqlite:///{alien}"), server, "is no database of this bot")
    await refused(file, make_url("postgresql+asyncpg://nobody@127.0.0.1:1/none"), "the target: ")
    running = await Store.open(file)
    try:
        await refused(file, server, "the database to move from: another bot already runs on the database")
    finally:
        await running.close()
    running = await Store.open(server)
    try:
        await refused(file, server, "the target: another bot already runs on this database; stop it first")
    finally:
        await running.close()
    assert await run_transaction(server, lambda tx: tx.scalar(select(func.count()).select_from(rounds))) == 40
