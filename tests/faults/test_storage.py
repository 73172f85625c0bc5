"""A full disk, and a database that another process has locked."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.faults.conftest import (
    BotFactory,
    Process,
    choose_amount,
    fetch_rows,
    needs_sqlite_file,
    report,
)
from tests.telegram import BotApi, World

pytestmark = [pytest.mark.faults, needs_sqlite_file]

Act = Callable[[], object]
SORRY = "store anything at the moment"


async def _speak_during_fault(world: World, process: Process, database: Path, begin: Act, end: Act) -> None:
    """Let three people speak during a fault: each gets a notice, and an answer when it is over."""
    people = [world.user(name) for name in ("Ann", "Bob", "Cid")]
    world.say(people[0], people[0], "/help")
    await world.next_post(people[0])
    begin()
    said = [world.say(person, person, "/help") for person in people]
    for person in people:
        await world.next_post(person, SORRY)
    await asyncio.sleep(choose_amount(10, 1))
    assert process.process.poll() is None
    unacknowledged = set(world.updates.pending)
    kept = {number for (number,) in fetch_rows(database, "SELECT update_id FROM inbox")}
    sent = {update.id for update in world.updates.sent}
    assert sent - unacknowledged <= kept
    end()
    for person in people:
        await world.next_post(person, "/play")
    await world.wait_until_taken()
    kept = {number for (number,) in fetch_rows(database, "SELECT update_id FROM inbox")}
    report(
        f"{len(said)} notices, {len(sent - kept)} of {len(sent)} accepted updates not stored, all answered"
    )
    assert kept == sent
    assert not world.violations


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets another process set such a limit")
async def test_full_disk_loses_no_message(make_bot: BotFactory, database: Path) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")

        def limit(size: int) -> None:
            this = psutil.Process(process.process.pid)
            _, hard = this.rlimit(psutil.RLIMIT_FSIZE)
            this.rlimit(psutil.RLIMIT_FSIZE, (size, hard))

        await _speak_during_fault(world, process, database, lambda: limit(1), lambda: limit(-1))


@pytest.mark.exhaustive
async def test_locked_database_loses_no_message(make_bot: BotFactory, database: Path) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            await _speak_during_fault(
                world,
                process,
                database,
                lambda: other.execute("BEGIN IMMEDIATE"),
                lambda: other.execute("ROLLBACK"),
            )
