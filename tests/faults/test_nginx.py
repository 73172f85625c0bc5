"""One bot and several behind Debian's nginx, set up as the operators' pages say."""

import asyncio
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import aiohttp
import psutil
import pytest

from tests.faults import postgres
from tests.faults.conftest import ROOT, BotFactory, choose_amount, needs_sqlite_file, report, solve_deal
from tests.faults.test_kill import Table
from tests.faults.test_replicas import (
    REPLICAS,
    connect_database,
    free_ports,
    server,
    stop_bots,
    wait_until_empty,
)
from tests.operator_pages import list_commands
from tests.telegram import BotApi, World
from tests.telegram.webhook import Delivery

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed (Debian's package nginx-light)"),
]
_ = free_ports, server
# Seconds for further wins of everybody; nginx's own timeout for a frozen bot is 60.
FROZEN = 40.0
DEPLOY = ROOT / "deploy"
MAIN = "daemon off; pid {0}/pid; error_log {0}/error.log; events {{}} http {{ {1} include {0}/site.conf; }}"


def read_unit_environment(number: int, web: int) -> dict[str, str]:
    """Return the template's environment for one of the bots, with a free port."""
    said = (DEPLOY / "several.conf").read_text("utf-8").replace("%i", str(number))
    (line,) = re.findall(r"^Environment=(.*)$", said, re.MULTILINE)
    found = dict(each.split("=") for each in line.split())
    assert found["WEBHOOK_LISTEN"] in (DEPLOY / "nginx-site.conf").read_text("utf-8")
    return {**found, "WEBHOOK_LISTEN": f"127.0.0.1:{web}", "HEALTH_LISTEN": "127.0.0.1:0"}


@pytest.fixture
def nginx_port() -> int:
    """Return the port at which nginx listens."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def suspend(process: psutil.Process) -> Iterator[None]:
    """Suspend a process while the block runs."""
    process.suspend()
    try:
        yield
    finally:
        process.resume()


@contextmanager
def run_nginx(folder: Path, port: int, bots: list[int]) -> Iterator[None]:
    """Run nginx with the site in front of the bots, without TLS."""
    file = folder / "site.conf"
    shutil.copy(DEPLOY / "nginx-site.conf", file)
    name, several = (line for line in list_commands() if line.startswith("sed "))
    for line in (name, several) if len(bots) > 1 else (name,):
        subprocess.run(["sh", "-c", line.replace("/etc/nginx/conf.d/twentyfour.conf", str(file))], check=True)
    site = file.read_text("utf-8").replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}")
    site = re.sub(r"^ +ssl_.*\n", "", site, flags=re.MULTILINE)
    for bot in bots:
        site = re.sub(
            r"^  server 127\.0\.0\.1:808\d\b", f"  server 127.0.0.1:{bot}", site, count=1, flags=re.MULTILINE
        )
    file.write_text(site, "utf-8")
    own = " ".join(
        f"{each}_temp_path {folder}/{each};" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(MAIN.format(folder, own), "utf-8")
    command = [str(NGINX), "-c", f"{folder}/nginx.conf", "-e", f"{folder}/start.log"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    running = subprocess.Popen(command)
    try:
        yield
    finally:
        running.terminate()
        running.wait(30)


@needs_sqlite_file
async def test_one_bot_behind_nginx(
    make_bot: BotFactory, free_ports: list[int], nginx_port: int, tmp_path: Path
) -> None:
    world = World()
    ann = world.user("Ann")
    delivery, site = Delivery(), f"http://127.0.0.1:{nginx_port}"
    async with BotApi(world, delivery=delivery) as api:
        more = {"WEBHOOK_URL": f"{site}/telegram", "WEBHOOK_SECRET": "s" * 40, "WEB_URL": f"{site}/board"}
        process = make_bot(world, api.url, **more, WEBHOOK_LISTEN=f"127.0.0.1:{free_ports[0]}")
        with run_nginx(tmp_path, nginx_port, free_ports[:1]):
            process.start()
            world.say(ann, ann, "/play")
            deal = await world.next_post(ann, "→ 24", timeout=300)
            world.say(ann, ann, solve_deal(deal))
            await world.wait_until(lambda: "🏆" in deal.text, 300, "the win")
            async with aiohttp.ClientSession(site) as session:
                async with session.get("/board/") as page:
                    assert (page.status, page.content_type) == (200, "text/html")
                async with session.get("/healthz") as page:
                    assert page.status == 404
        await stop_bots([process])
    assert set(delivery.statuses) == {200}


async def test_three_bots_behind_nginx_survive_kills_and_a_freeze(
    make_bot: BotFactory, server: postgres.Server, free_ports: list[int], nginx_port: int, tmp_path: Path
) -> None:
    world = World(seed=3)
    people = [world.user(f"P{n}") for n in range(6)]
    tables = [Table(world, person, world.chat_of(person)) for person in people]
    delivery = Delivery()
    async with BotApi(world, delivery=delivery) as api:
        url = f"http://127.0.0.1:{nginx_port}/telegram"
        patient = {"SOLVER_DEADLINE": "60"}  # so that no deal is refused for taking too long
        more = patient | {"DATABASE_URL": server.url, "WEBHOOK_URL": url, "WEBHOOK_SECRET": "s" * 40}
        bots = [
            make_bot(world, api.url, **more, **read_unit_environment(number, port))
            for number, port in enumerate(free_ports[:REPLICAS], 1)
        ]
        assert len(bots) == REPLICAS
        with run_nginx(tmp_path, nginx_port, free_ports[:REPLICAS]):
            for process in bots:
                process.start()
            for process in bots:
                await process.wait_for_log("is ready", 300)
            over = asyncio.Event()
            async with asyncio.TaskGroup() as evening:
                for table in tables:
                    evening.create_task(table.play(over))
                for process in bots[:2]:
                    await wait_for_wins(tables, world)
                    process.kill()
                    await wait_for_wins(tables, world)
                    process.start()
                    await process.wait_for_log_count("is ready", 2, 300)
                await wait_for_wins(tables, world)
                before = time.monotonic()
                with suspend(psutil.Process(bots[0].process.pid)):
                    await wait_for_wins_of_each(tables, world)
                waited = time.monotonic() - before
                over.set()
            await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[2])
        async with connect_database(server) as database:
            awards = await database.fetchval("SELECT count(*) FROM awards")
        await stop_bots(bots)
    wins, posts = sum(table.wins for table in tables), delivery.statuses
    refused = [each for each in posts if each != 200]
    report(
        f"three bots behind nginx, two killed once, one frozen while all won more within {waited:.1f} s:"
        f" {wins} wins; of {len(posts)} posts not taken: {refused}"
    )
    assert awards == wins
    assert not refused


async def wait_for_wins(tables: list[Table], world: World) -> None:
    """Wait until the players have won some more rounds."""
    before = sum(table.wins for table in tables)
    await world.wait_until(
        lambda: sum(table.wins for table in tables) >= before + choose_amount(30, 6), 300, "more wins"
    )


async def wait_for_wins_of_each(tables: list[Table], world: World) -> None:
    """Wait until every player has won twice more, whichever bot got the messages."""
    before = [table.wins for table in tables]

    def all_won() -> bool:
        return all(table.wins >= wins + 2 for table, wins in zip(tables, before, strict=True))

    await world.wait_until(all_won, FROZEN, "wins of each")
