"""The commands for a PostgreSQL dump and its restore in the operators' pages."""

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import insert, select
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.database.schema import meta
from tests.faults import postgres
from tests.operator_pages import read_script

pytestmark = pytest.mark.faults


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.run_server(free_port) as made:
        yield made


def read_commands(about: str) -> list[str]:
    """Return the commands of the block that contains `about`, without systemctl and --pwprompt."""
    lines = [line.partition("   #")[0] for line in read_script(about).splitlines()]
    return [line.replace("--pwprompt ", "") for line in lines if not line.startswith("systemctl")]


def run_commands(server: postgres.Server, commands: list[str]) -> None:
    """Run the commands as the server's owner, with its port and its folder instead of /var/backups."""
    script = "; ".join(commands).replace("$(date +%F)", "2026-11-23")
    script = script.replace(
        "runuser -u postgres -- ", f"PGHOST=127.0.0.1 PGPORT={server.port} PGUSER=postgres "
    )
    server.run_shell(script.replace("/var/backups", f"{server.folder}/backups"))


async def test_dump_is_restored_into_a_new_database(server: postgres.Server) -> None:
    server.run_shell(f"mkdir {server.folder}/backups")
    await asyncio.to_thread(run_commands, server, read_commands("createuser"))
    url = make_url(server.url).set(drivername="postgresql+asyncpg", username="twentyfour")

    def write(tx: Tx) -> None:
        tx.execute(insert(meta).values(key="ours", value="x"))

    store = await Store.open(url.set(database="twentyfour"))
    await store.write(write)
    await store.close()
    await asyncio.to_thread(run_commands, server, read_commands("umask 077"))
    assert (server.folder / "backups" / "twentyfour-2026-11-23.dump").stat().st_mode & 0o077 == 0
    await asyncio.to_thread(run_commands, server, read_commands("pg_restore"))
    store = await Store.open(url.set(database="twentyfour_restored"))
    assert await store.read(lambda tx: tx.scalar(select(meta.c.value).where(meta.c.key == "ours"))) == "x"
    await store.close()
