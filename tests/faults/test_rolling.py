"""The next version comes while this one plays: both run side by side on one database, and all play on."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.faults import postgres
from tests.faults.conftest import ROOT, Process, Started, figure, show
from tests.faults.test_kill import Table, repeated
from tests.faults.test_replicas import looked_into, none, server, start
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults
_ = server
REPLICAS = 3
REVISION = '''
"""What a next version may bring: a column and a table that this one knows nothing of."""

from alembic import op
from sqlalchemy import Column, Text

revision = "9001"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("players", Column("motto", Text))
    op.create_table("mottos", Column("motto", Text, primary_key=True))
'''


def replaced(path: Path, before: str, after: str) -> None:
    """Write a change into a copied file."""
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """The packages as they may be one version later: with a revision more."""
    from bot.database.migrations import HEAD

    folder = tmp_path / "next"
    for package in ("bot", "solver"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    migrations = folder / "bot" / "database" / "migrations"
    (migrations / "versions" / "r9001_next.py").write_text(REVISION.format(head=HEAD), "utf-8")
    replaced(migrations / "__init__.py", f'HEAD = "{HEAD}"', 'HEAD = "9001"')
    schema = folder / "bot" / "database" / "schema.py"
    name = '    Column("username", Text),'
    replaced(schema, name, f'    Column("motto", Text),\n{name}')
    return folder


async def again(process: Process, folder: Path) -> None:
    """Stop one as a deployment does, and start it from those packages."""
    process.process.terminate()
    assert await process.ended(8) == 0, process.said()[-3000:]
    process.folder = folder
    process.start()
    await process.repeats("is ready", process.starts)


@pytest.mark.exhaustive
async def test_the_next_version_comes_while_this_one_plays(
    bot: Started, server: postgres.Server, next_version: Path
) -> None:
    world = World(seed=2)
    people = [world.user(f"P{n}") for n in range(9)]
    tables = [Table(world, person, world.group(person.first_name, person)) for person in people]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url, PYTHONPATH=path) for _ in range(REPLICAS)]
        await start(bots)
        over, won = asyncio.Event(), list[int]()

        async def some() -> None:
            """Play on for a while, and see that it goes on."""
            before = sum(table.wins for table in tables)
            await asyncio.sleep(figure(20, 2))
            won.append(sum(table.wins for table in tables) - before)

        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            await world.wait_until(lambda: any(table.wins for table in tables), 60, "the first win")
            await some()
            job = bot(world, api.url, DATABASE_URL=server.url, PYTHONPATH=path)
            job.arguments, job.folder = ("-m", "bot"), next_version
            assert (await job.operator("migrate")).endswith(" has this version's tables\n")
            await some()  # this version on the next one's tables
            for process in bots[:2]:
                await again(process, next_version)
                await some()  # side by side
            await again(bots[2], next_version)
            await some()
            over.set()
        await none(server, "outbox WHERE state = 'waiting'", bots[0])
        async with looked_into(server) as database:
            awards = await database.fetchrow("SELECT count(*), count(DISTINCT round_id) FROM awards")
            at = await database.fetchval("SELECT version_num FROM alembic_version")
        for process in bots:
            process.process.terminate()
            assert await process.ended(8) == 0, process.said()[-3000:]
    wins = sum(table.wins for table in tables)
    show(f"an upgrade under play: {wins} wins, {wins - awards[0]} lost; wins in each stretch: {won}")
    assert at == "9001"
    assert tuple(awards) == (wins, wins)
    assert all(won)
    assert not repeated(world, [])
    assert all("Traceback" not in process.said() for process in bots)
