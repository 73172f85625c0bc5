"""PostgreSQL's log, kept piece by piece: the steps of `deploy/README.md`, done to a server of our own."""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import delete, insert, select
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.database.schema import meta
from tests.faults import postgres
from tests.faults.conftest import Started, show
from tests.faults.test_kill import Table
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

DEPLOY = Path(__file__).parents[2] / "deploy"
BLOCKS = re.findall(
    r"^```console\n(.*?)^```$", (DEPLOY / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
SCRIPT = "/usr/local/bin/twentyfour-base-backup"
TARGET = "2026-11-23 12:00:00 UTC"


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.server(free_port) as made:
        yield made


def steps(about: str) -> list[str]:
    """The commands of the block that holds these words."""
    (block,) = (block for block in BLOCKS if about in block)
    return [line.removeprefix("# ").partition("   #")[0] for line in block.splitlines()]


def done(server: postgres.Server, commands: list[str]) -> None:
    """Do what stands there, as whoever runs the server, with its folders and port."""
    mask = ""
    for command in commands:
        if command.startswith("umask"):
            mask = f"{command}; "  # each line has a shell of its own here
            continue
        if command.startswith("systemctl"):
            if "postgresql" in command:
                {"stop": server.stop, "start": server.start, "restart": server.restart}[command.split()[1]]()
            continue
        if "/etc/systemd/system/" in command:
            continue
        for known, ours in (
            ("-o postgres ", ""),
            ("--pwprompt ", ""),
            ("sudo -u postgres ", f"PGHOST=127.0.0.1 PGPORT={server.port} PGUSER=postgres "),
            (" twentyfour-base-backup", f" {SCRIPT} /var/backups/twentyfour"),
            (SCRIPT, f"{server.folder}/twentyfour-base-backup"),
            ("deploy/base-backup.sh", f"{server.folder}/base-backup.sh"),
            ("deploy/archive.conf /etc/postgresql/15/main/conf.d/", f"/dev/null {server.folder}/unused"),
            ("/var/backups", f"{server.folder}/backups"),
            ("/var/lib/postgresql/15/main", f"{server.folder}/data"),
            ("/var/lib/postgresql/15", f"{server.folder}"),
        ):
            command = command.replace(known, ours)
        server.shell(mask + command)


def configured(server: postgres.Server) -> None:
    """`deploy/archive.conf` in the server's own folder, whose configuration has no conf.d; and the script."""
    (server.folder / "base-backup.sh").write_bytes((DEPLOY / "base-backup.sh").read_bytes())
    text = (DEPLOY / "archive.conf").read_text("utf-8").replace("/var/backups", f"{server.folder}/backups")
    with (server.folder / "data" / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
        file.write(text)


async def counted(server: postgres.Server) -> int:
    """The points that the database holds."""
    line = await asyncpg.connect(server.url)
    try:
        return int(await line.fetchval("SELECT count(*) FROM awards"))
    finally:
        await line.close()


async def kept(server: postgres.Server) -> None:
    """Wait until all that was written so far is kept: what a minute does by itself."""
    line = await asyncpg.connect(server.url)
    try:
        last = await line.fetchval("SELECT pg_walfile_name(pg_switch_wal())")
        async with asyncio.timeout(60):
            while not (server.folder / "backups" / "twentyfour" / "log" / last).exists():  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    finally:
        await line.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("to", ["the end", "a moment"])
async def test_a_server_that_was_lost_is_put_back(bot: Started, server: postgres.Server, to: str) -> None:
    world = World(validate=False)
    people = [world.user(f"P{n}") for n in range(3)]
    tables = [Table(world, person, world.place(person)) for person in people]
    keep, again, goes_on = steps("base-backup.sh"), steps("recovery.signal"), steps("pg_is_in_recovery()")
    (weekly,) = (line for line in keep if line.endswith("sudo -u postgres twentyfour-base-backup"))
    configured(server)
    await asyncio.to_thread(done, server, keep[: keep.index(weekly)])
    async with BotApi(world) as api:
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        over = asyncio.Event()
        playing = [asyncio.create_task(table.play(over)) for table in tables]

        async def more(wins: int) -> None:
            before = sum(table.wins for table in tables)
            await world.until(lambda: sum(table.wins for table in tables) >= before + wins, 60)

        for _ in range(3):
            await more(5)
            await asyncio.to_thread(done, server, [weekly])
        holds_what_it_needs(server)
        await more(5)
        middle, moment = await counted(server), datetime.now(UTC)
        await asyncio.sleep(1.1)  # the target is a moment by the second
        await more(5)
        over.set()
        await asyncio.gather(*playing)
        process.stop()
        whole = await counted(server)
        await kept(server)
        await asyncio.to_thread(server.stop, "immediate")
        lines = [line.replace(TARGET, moment.strftime("%Y-%m-%d %H:%M:%S.%f UTC")) for line in again[1:]]
        if to == "the end":
            lines = [line for line in lines if 'echo "recovery_target' not in line]
        began = time.monotonic()
        await put_back(server, lines)
        took = time.monotonic() - began
        found = await counted(server)
        await asyncio.to_thread(done, server, goes_on)
        holds_what_it_needs(server)
        process = bot(world, api.url, DATABASE_URL=server.url)
        process.start()
        await process.says("is ready", 30)
        world.say(people[0], people[0], "/stats")
        await world.next_post(people[0], "won", timeout=30)
        process.stop()
    show(f"put back to {to}: {found} of {whole} points, {middle} at that moment, in {took:.1f} s")
    assert found == whole if to == "the end" else middle <= found < whole
    await written_later(server)
    await kept(server)
    await asyncio.to_thread(server.stop, "immediate")
    await put_back(server, [line for line in again[1:] if 'echo "recovery_target' not in line])
    assert (await counted(server), await later(server)) == (found, 1)  # all, whatever the first one was told


async def put_back(server: postgres.Server, lines: list[str]) -> None:
    """Do what puts a server back, and wait until all is there."""
    await asyncio.to_thread(done, server, lines)
    async with asyncio.timeout(60):
        while await recovering(server):  # noqa: ASYNC110 - the server alone knows
            await asyncio.sleep(0.05)


async def written_later(server: postgres.Server) -> None:
    """A row that no base backup holds."""
    line = await asyncpg.connect(server.url)
    try:
        await line.execute("INSERT INTO meta (key, value) VALUES ('later', 'x')")
    finally:
        await line.close()


async def later(server: postgres.Server) -> int:
    """How many of that row there are."""
    line = await asyncpg.connect(server.url)
    try:
        return int(await line.fetchval("SELECT count(*) FROM meta WHERE key = 'later'"))
    finally:
        await line.close()


def holds_what_it_needs(server: postgres.Server) -> None:
    """Two base backups are there, and of the log nothing that is older than what the first of them needs."""
    folder = server.folder / "backups" / "twentyfour"
    bases = sorted(path for path in (folder / "base").iterdir() if path.is_dir())
    assert [path.name[-1] for path in bases] == ["Z", "Z"]
    (first,) = re.findall(r"\(file ([0-9A-F]{24})\)", (bases[0] / "backup_label").read_text())
    pieces = sorted(
        path.name for path in (folder / "log").iterdir() if re.fullmatch("[0-9A-F]{24}", path.name)
    )
    assert first in pieces
    assert min(piece[8:] for piece in pieces) == first[8:]  # before that stands on which line of time it is


async def recovering(server: postgres.Server) -> bool:
    """Whether the log is still being worked through."""
    line = await asyncpg.connect(server.url)
    try:
        return bool(await line.fetchval("SELECT pg_is_in_recovery()"))
    finally:
        await line.close()


def test_a_piece_is_kept_once_and_nothing_is_written_over(server: postgres.Server) -> None:
    configured(server)
    server.shell(f"mkdir -p {server.folder}/backups/twentyfour/log")
    (command,) = re.findall(
        r"^archive_command = '(.*)'$",
        (server.folder / "data" / "postgresql.auto.conf").read_text(),
        re.MULTILINE,
    )
    log = server.folder / "backups" / "twentyfour" / "log"
    keep = command.replace("%p", f"{server.folder}/piece").replace("%f", "7")
    server.shell(f"echo part > {log}/7.part && echo first > {server.folder}/piece")
    for _ in range(
        2
    ):  # the server comes with it again where it went down before it had noted that it is kept
        server.shell(keep)
        assert [path.name for path in log.iterdir()] == ["7"]
    with pytest.raises(subprocess.CalledProcessError):
        server.shell(command.replace("%p", os.devnull).replace("%f", "7"))
    assert (log / "7").read_text() == "first\n"


async def test_a_dump_is_put_back_into_a_new_database(server: postgres.Server) -> None:
    made = [line for line in steps("createuser") if line.startswith("sudo -u postgres create")]
    dumped, back = steps("pg_dump"), steps("pg_restore")
    server.shell(f"mkdir {server.folder}/backups")
    await asyncio.to_thread(done, server, made)
    url = make_url(server.url).set(drivername="postgresql+asyncpg", username="twentyfour")

    def won(tx: Tx) -> None:
        tx.execute(insert(meta).values(key="ours", value="x"))

    store = await Store.open(url.set(database="twentyfour"))
    await store.write(won)
    await store.close()
    await asyncio.to_thread(done, server, [line.replace("$(date +%F)", "2026-11-23") for line in dumped])
    assert (server.folder / "backups" / "twentyfour-2026-11-23.dump").stat().st_mode & 0o077 == 0
    await asyncio.to_thread(done, server, back)
    store = await Store.open(url.set(database="twentyfour_restored"))
    assert await store.read(lambda tx: tx.scalar(select(meta.c.value).where(meta.c.key == "ours"))) == "x"
    await store.write(lambda tx: tx.execute(delete(meta).where(meta.c.key == "ours")).rowcount)
    await store.close()


@pytest.mark.parametrize("keep", ["0", "-1", "some"])
def test_a_base_backup_that_would_keep_none_is_refused(tmp_path: Path, keep: str) -> None:
    script = ["sh", str(DEPLOY / "base-backup.sh"), str(tmp_path), keep]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    said = f"twentyfour-base-backup: '{keep}' is not a number of backups to keep, 1 or more\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_without_a_log_there_is_no_base_backup(tmp_path: Path) -> None:
    script = ["sh", str(DEPLOY / "base-backup.sh"), str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, f"there is no folder '{tmp_path}/log'" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
