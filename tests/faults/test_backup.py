"""A backup while the bot plays, and a restore."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, needs_sqlite_file, report
from tests.faults.test_kill import Table
from tests.telegram import BotApi, World

pytestmark = [pytest.mark.faults, needs_sqlite_file]


def _count_awards(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM awards").fetchone()[0])


@pytest.mark.exhaustive
async def test_backup_under_load_is_complete_and_restorable(
    make_bot: BotFactory, database: Path, tmp_path: Path
) -> None:
    world = World(validate=False)
    people = [world.user(f"P{n}") for n in range(4)]
    tables = [Table(world, person, world.chat_of(person)) for person in people]
    copies = choose_amount(60, 4)
    torn = 0
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        over = asyncio.Event()
        playing = [asyncio.create_task(table.play(over)) for table in tables]
        await world.wait_until(lambda: sum(table.wins for table in tables) > 3)
        for number in range(copies):
            earlier = sum(table.wins for table in tables)
            copy = tmp_path / f"backup{number}.sqlite3"
            assert "checked" in await process.run_command("backup", str(copy))
            assert _count_awards(copy) >= earlier
            played = sum(table.wins for table in tables)
            await world.wait_until(lambda: sum(table.wins for table in tables) > played)  # noqa: B023 - awaited here
            torn += _is_plain_copy_damaged(database, tmp_path / "plain.sqlite3")
        over.set()
        await asyncio.gather(*playing)
        before = sum(table.wins for table in tables)
        last = tmp_path / "last.sqlite3"
        await process.run_command("backup", str(last))
        process.kill()
        _restore_copy(last, database)
        process.start()
        await process.wait_for_log("is ready")
        world.say(people[0], people[0], "/stats")
        await world.next_post(people[0])
    restored = fetch_rows(database, "SELECT count(*) FROM awards")[0][0]
    report(
        f"{copies} of {copies} backups whole, each with all earlier points; {restored} of {before} restored; "
        f"control, copying the file itself: {torn} of {copies} lack points or are damaged"
    )
    assert restored == before
    assert torn


def _restore_copy(copy: Path, database: Path) -> None:
    """Replace the database's three files by a copy, as the runbook says."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
    shutil.copy(copy, database)


def _is_plain_copy_damaged(database: Path, copy: Path) -> bool:
    """Whether a plain copy of the file is damaged or lacks points (the control)."""
    earlier = int(fetch_rows(database, "SELECT count(*) FROM awards")[0][0])
    shutil.copy(database, copy)
    try:
        return _count_awards(copy) < earlier
    except (sqlite3.DatabaseError, AssertionError):
        return True
