"""A rolling upgrade: two versions run on one database while people play."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.faults import postgres
from tests.faults.conftest import ROOT, BotFactory, Process, choose_amount, report
from tests.faults.test_kill import Table, count_repeated_deals
from tests.faults.test_replicas import connect_database, server, start_bots, wait_until_empty
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults
_ = server
REPLICAS = 3
REVISION = '''
"""A column and a table that the present version does not know."""

from alembic import op
from sqlalchemy import Column, Text

revision = "9001"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("players", Column("motto", Text))
    op.create_table("mottos", Column("motto", Text, primary_key=True))
'''


def replace_text(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """Copy the packages and add a database revision."""
    from bot.database.migrations import HEAD

    folder = tmp_path / "next"
    for package in ("bot", "solver"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    migrations = folder / "bot" / "database" / "migrations"
    (migrations / "versions" / "r9001_next.py").write_text(REVISION.format(head=HEAD), "utf-8")
    replace_text(migrations / "__init__.py", f'HEAD = "{HEAD}"', 'HEAD = "9001"')
    schema = folder / "bot" / "database" / "schema.py"
    name = '    Column("username", Text),'
    replace_text(schema, name, f'    Column("motto", Text),\n{name}')
    return folder


async def restart_from(process: Process, folder: Path) -> None:
    """Stop a bot and start it from the packages in `folder`."""
    process.process.terminate()
    assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    process.folder = folder
    process.start()
    await process.wait_for_log_count("is ready", process.starts)


@pytest.mark.exhaustive
async def test_rolling_upgrade_loses_nothing(
    make_bot: BotFactory, server: postgres.Server, next_version: Path
) -> None:
    world = World(seed=2)
    people = [world.user(f"P{n}") for n in range(9)]
    tables = [Table(world, person, world.group(person.first_name, person)) for person in people]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url, PYTHONPATH=path) for _ in range(REPLICAS)]
        await start_bots(bots)
        over, won = asyncio.Event(), list[int]()

        async def play_for_a_while() -> None:
            """Play for a while and record the number of wins."""
            before = sum(table.wins for table in tables)
            await asyncio.sleep(choose_amount(20, 2))
            won.append(sum(table.wins for table in tables) - before)

        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await world.wait_until(lambda: any(table.wins for table in tables), 60, "the first win")
            await play_for_a_while()
            job = make_bot(world, api.url, DATABASE_URL=server.url, PYTHONPATH=path)
            job.arguments, job.folder = ("-m", "bot"), next_version
            assert (await job.run_command("migrate")).endswith(" has this version's tables\n")
            await play_for_a_while()  # this version on the next one's tables
            for process in bots[:2]:
                await restart_from(process, next_version)
                await play_for_a_while()  # side by side
            await restart_from(bots[2], next_version)
            await play_for_a_while()
            over.set()
        await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[0])
        async with connect_database(server) as database:
            awards = await database.fetchrow("SELECT count(*), count(DISTINCT round_id) FROM awards")
            version = await database.fetchval("SELECT version_num FROM alembic_version")
        for process in bots:
            process.process.terminate()
            assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    wins = sum(table.wins for table in tables)
    report(f"an upgrade under play: {wins} wins, {wins - awards[0]} lost; wins in each period: {won}")
    assert version == "9001"
    assert tuple(awards) == (wins, wins)
    assert all(won)
    assert not count_repeated_deals(world, [])
    assert all("Traceback" not in process.read_log() for process in bots)
