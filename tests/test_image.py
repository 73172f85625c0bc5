"""The steps of deploy/Dockerfile, and those of deploy/README.md without a container, in a clean root: the bot
plays from there.

Debian's own Python stands in for the base image's, and a script that does nothing for systemctl. `make image`
runs this: it fetches a Debian and the locks' packages, which takes some minutes.
"""

import asyncio
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path

import pytest

from bot.database.migrations import HEAD
from tests.dockerfile import Stage, clean_root, stages
from tests.faults.conftest import ROOT, free_port, report, solve_deal
from tests.telegram import BotApi, World

pytestmark = [pytest.mark.image, pytest.mark.timeout(3600)]
_ = free_port

# What makes a Debian the base image, or a machine on which deploy/README.md's commands work.
PACKAGES = ("python3", "python3-venv", "python-is-python3", "passwd", "apt", "git")
BASE = re.compile(r"python:(?P<python>3\.\d+)-slim-(?P<release>[a-z]+)")
SIZE = "4g"
PATIENCE = 300.0


def lacking() -> str:
    """Why it can't be done here."""
    if os.geteuid() != 0:
        return "only root may change its root folder"
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        return "nothing can be mounted here"
    if not shutil.which("mmdebstrap"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = "apt-get update -qq && apt-get install -y -qq mmdebstrap"
        if subprocess.run(["sh", "-c", install], check=False, capture_output=True, env=quiet).returncode:
            return "there is no mmdebstrap, and none can be installed"
    return ""


@contextmanager
def in_memory(folder: Path) -> Iterator[Path]:
    """A folder whose contents are gone afterwards, whatever was left there."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


Built = Callable[[], Stage]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory with a clean Debian in its `base`."""
    if why := lacking():
        pytest.skip(why)
    with in_memory(tmp_path_factory.mktemp("image")) as folder:
        ((base, _), *_) = stages((ROOT / "deploy" / "Dockerfile").read_text("utf-8")).values()
        wanted = BASE.fullmatch(base)
        assert wanted, f"no Debian is known for {base}"
        began = time.monotonic()
        try:
            clean_root(folder / "base", wanted["release"], PACKAGES)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no Debian can be fetched: {error}")
        assert (folder / "base" / "usr" / "bin" / f"python{wanted['python']}").exists()
        report(f"a clean root of Debian {wanted['release']}: {time.monotonic() - began:.0f} s")
        yield folder


@pytest.fixture(scope="module")
def built(folder: Path) -> Built:
    """`built()` builds the image of what is committed."""
    context = folder / "context"
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(context, filter="data")
    text = (context / "deploy" / "Dockerfile").read_text("utf-8")

    def build() -> Stage:
        began = time.monotonic()
        made = dict[str, Stage]()
        for name, (_, steps) in stages(text).items():
            root = folder / (name or "image")
            subprocess.run(["cp", "-a", folder / "base", root], check=True)
            stage = made[name] = Stage(root, context, dict(made))
            for step in steps:
                stage.do(*step)
        last = made.pop("")
        for other in made.values():
            shutil.rmtree(other.root)
        report(f"the Dockerfile's steps: {time.monotonic() - began:.0f} s")
        return last

    return build


class Container:
    """Processes in an image, with a volume; all end with it."""

    def __init__(self, image: Stage, folder: Path) -> None:
        self.image, self.log = image, folder / "log"
        self.data = folder / "data"
        (volume,) = image.volumes
        subprocess.run(["cp", "-a", f"{image.root}{volume}", self.data], check=True)
        self._started = list[subprocess.Popen[bytes]]()

    def start(self, *command: str, read_only: bool, **more: str) -> subprocess.Popen[bytes]:
        """Start a command, or what the image is for."""
        with self.log.open("ab") as log:
            whole = command or tuple(self.image.entrypoint)
            started = self.image.start(whole, log, data=self.data, read_only=read_only, **more)
        self._started.append(started)
        return started

    def said(self) -> str:
        """All that they have written."""
        return self.log.read_text("utf-8")

    def close(self) -> None:
        """End all of them."""
        for process in self._started:
            process.kill()
            process.wait()


async def stopped(process: subprocess.Popen[bytes], container: Container) -> None:
    """Stop it as Docker does; it ends well."""
    process.send_signal(signal.Signals[container.image.stop])
    assert await asyncio.to_thread(process.wait, 15) == 0, container.said()[-3000:]


async def ready(container: Container) -> None:
    """Wait until the bot says that it is ready."""
    async with asyncio.timeout(PATIENCE):
        while "is ready" not in container.said():  # noqa: ASYNC110 - a file can not be awaited
            await asyncio.sleep(0.1)


async def well(container: Container, port: int) -> None:
    """The image's own check says so."""
    asked = [each.replace(":8090/", f":{port}/") for each in container.image.health]
    assert asked != container.image.health
    await asyncio.to_thread(container.image.run, asked)


async def test_the_image_is_a_bot(built: Built, tmp_path: Path, free_port: int) -> None:
    image = await asyncio.to_thread(built)
    assert not (image.root / "opt" / "tools").exists()
    world = World()
    ann = world.user("Ann")
    with closing(Container(image, tmp_path)) as container:
        async with BotApi(world) as api:
            settings = {"BOT_TOKEN": world.token, "BOT_API_URL": api.url, "SOLVER_WORKERS": "1"}
            settings["HEALTH_LISTEN"] = f"127.0.0.1:{free_port}"
            before = image.contents()
            process = container.start(read_only=False, **settings)
            await ready(container)
            world.say(ann, ann, "/play")
            deal = await world.next_post(ann, "→ 24", timeout=PATIENCE)
            await well(container, free_port)
            owner = (Path("/proc") / str(process.pid)).stat()
            assert (owner.st_uid, owner.st_gid) == (2424, 2424)
            await stopped(process, container)
            assert image.contents() == before
            process = container.start(read_only=True, **settings)
            world.say(ann, ann, solve_deal(deal))
            await world.wait_until(lambda: "🏆" in deal.text, PATIENCE, "the win")
            await well(container, free_port)
            await stopped(process, container)
    assert [file.name for file in container.data.glob("*.sqlite3")] == ["twentyfour.sqlite3"]
    assert "Traceback" not in container.said()


async def soon(holds: Callable[[], bool], told: Callable[[], str] = str, seconds: float = 60.0) -> None:
    """As `until`, while the event loop goes on."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, told()[-3000:]
        await asyncio.sleep(0.005)


def pasted(start: str) -> str:
    """The commands of the first block on deploy/README.md that has such a line, as a script."""
    page = (ROOT / "deploy" / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    block = next(block for block in blocks if f"\n# {start}" in f"\n{block}")
    return "\n".join(["set -e", *(line.removeprefix("# ") for line in block.splitlines())])


class Machine:
    """A Debian with a clone in /root/twentyfour, whose commits come from /srv/upstream."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.root, self.log = folder / "machine", log
        subprocess.run(["cp", "-a", folder / "base", self.root], check=True)
        for name in ("etc/nginx/conf.d", "etc/systemd/system", "var/lib/twentyfour", "var/backups"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        systemctl = self.root / "usr" / "bin" / "systemctl"
        systemctl.write_text("#!/bin/sh\n")
        systemctl.chmod(0o755)
        self._upstream = self.root / "srv" / "upstream"
        subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", self._upstream], check=True)
        self._stage = Stage(self.root, self.root)
        self._stage.do("RUN", "git clone --quiet /srv/upstream /root/twentyfour")
        self._stage.do("WORKDIR", "/root/twentyfour")

    def paste(self, script: str) -> None:
        """Run a block of the page as root in the clone."""
        self._stage.do("RUN", script)

    def commit(self, path: str, text: str) -> None:
        """Commit a file upstream."""
        (self._upstream / path).write_text(text, "utf-8")
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        for command in (["add", "--all"], [*identity, "commit", "--quiet", "--message", path]):
            subprocess.run(["git", *command], cwd=self._upstream, check=True)

    def start(self) -> subprocess.Popen[bytes]:
        """Start what the unit starts, with the unit's and the page's settings."""
        unit = (self.root / "etc/systemd/system/twentyfour.service").read_text("utf-8")
        said = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
        line = f"set -a; {said['Environment']}; . {said['EnvironmentFile']}; exec {said['ExecStart']}"
        with self.log.open("ab") as log:
            return self._stage.start(["/bin/sh", "-c", line], log, data=self.root, read_only=False)

    def version(self) -> Path:
        """The folder that /opt/twentyfour leads to, seen from within."""
        return (self.root / "opt" / "twentyfour").readlink()

    def revision(self) -> str:
        """The database's."""
        with closing(sqlite3.connect(self.root / "var/lib/twentyfour/twentyfour.sqlite3")) as database:
            return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])


async def test_the_page_installs_upgrades_and_goes_back(folder: Path, tmp_path: Path) -> None:
    machine = await asyncio.to_thread(Machine, folder, tmp_path / "log")
    versions = "bot/database/migrations/versions"
    for stale in (f"build/lib/{versions}/r9999_stale.py", f"{versions}/r9998_left.py"):
        file = machine.root / "root" / "twentyfour" / stale
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'revision, down_revision = "9998", "{HEAD}"\n\n\ndef upgrade():\n    pass\n')
    await asyncio.to_thread(machine.paste, pasted("new=$(deploy/install.sh) && "))
    first = machine.version()
    installed = {each.name for each in (machine.root / str(first)[1:] / "lib").rglob("r[0-9]*.py")}
    assert {f"r{HEAD}", "r9998", "r9999"} & {name[:5] for name in installed} == {f"r{HEAD}"}

    world = World()
    ann = world.user("Ann")
    running = list[subprocess.Popen[bytes]]()

    async def plays(count: int) -> None:
        """Start the bot, win a hand and stop the bot."""
        running.append(machine.start())
        await soon(lambda: log().count("is ready") == count, log, PATIENCE)
        world.say(ann, ann, "/play")
        deal = await world.next_post(ann, "→ 24", timeout=PATIENCE)
        world.say(ann, ann, solve_deal(deal))
        await world.wait_until(lambda: "🏆" in deal.text, PATIENCE, "the win")
        running[-1].terminate()
        assert await asyncio.to_thread(running[-1].wait, 30) == 0, log()[-3000:]

    def log() -> str:
        return machine.log.read_text("utf-8")

    async with BotApi(world) as api:
        try:
            with (machine.root / "etc/twentyfour/bot.env").open("a") as env:
                env.write(f"BOT_TOKEN={world.token}\nBOT_API_URL={api.url}\nSOLVER_WORKERS=1\n")
            await plays(1)
            assert machine.revision() == HEAD

            newer = f"{int(HEAD) + 1:04}"
            code = (ROOT / "bot/database/migrations/__init__.py").read_text("utf-8")
            code = re.sub(r'^HEAD = "\d+"', f'HEAD = "{newer}"', code, flags=re.MULTILINE)
            machine.commit("bot/database/migrations/__init__.py", code)
            revision = f'revision, down_revision = "{newer}", "{HEAD}"\n\n\ndef upgrade():\n    pass\n'
            machine.commit(f"{versions}/r{newer}_next.py", revision)
            upgrade = pasted("git pull && new=$(deploy/install.sh)   #")
            await asyncio.to_thread(machine.paste, upgrade)
            second = machine.version()
            assert second != first
            await plays(2)
            assert machine.revision() == newer

            back = pasted("ln -sfT /opt/twentyfour-2026-").replace("2026-11-23-0a1b2c3", first.name[11:])
            await asyncio.to_thread(machine.paste, back)
            running.append(machine.start())
            assert await asyncio.to_thread(running[-1].wait, PATIENCE) == 2
            assert f"at revision {newer}, newer than this version's {HEAD}" in log()
            restore = pasted("twentyfour-bot restore /var/backups/before-")
            restore = restore.replace("2026-11-24-4c5d6e7", second.name[11:])
            await asyncio.to_thread(machine.paste, restore)
            await plays(3)
            assert machine.revision() == HEAD
        finally:
            for process in running:
                process.kill()
                process.wait()
