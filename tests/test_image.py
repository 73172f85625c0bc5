"""Installation by deploy/Dockerfile and by the commands of the operators' pages, each in a clean Debian.

Debian's own Python takes the place of the base image's, and an empty script that of systemctl. `make image`
runs these tests: they fetch a Debian and the locked packages, which takes some minutes.
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
from tests.dockerfile import Stage, make_clean_root, parse_stages
from tests.faults.conftest import ROOT, free_port, report, solve_deal
from tests.operator_pages import read_script
from tests.telegram import BotApi, World

pytestmark = [pytest.mark.image, pytest.mark.timeout(3600)]
_ = free_port

# Packages that the base image has, or that the commands of the pages need.
PACKAGES = ("python3", "python3-venv", "python-is-python3", "binutils", "passwd", "apt", "git")
BASE = re.compile(r"python:(?P<python>3\.\d+)-slim-(?P<release>[a-z]+)@sha256:[0-9a-f]{64}")
SIZE = "4g"
MEGABYTE = 1_000_000
BASE_MEGABYTES = 135  # at most, for python:3.11-slim-bookworm unpacked
MAX_MEGABYTES = 250
TIMEOUT = 300.0


def find_obstacle() -> str:
    """Return the reason why these tests can't run here; empty if they can."""
    if os.geteuid() != 0:
        return "chroot needs root"
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        return "nothing can be mounted here"
    if not shutil.which("mmdebstrap"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = "apt-get update -qq && apt-get install -y -qq mmdebstrap"
        if subprocess.run(["sh", "-c", install], check=False, capture_output=True, env=quiet).returncode:
            return "there is no mmdebstrap, and none can be installed"
    return ""


@contextmanager
def mount_in_memory(folder: Path) -> Iterator[Path]:
    """Mount a folder in memory, and unmount it afterwards."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


BuildImage = Callable[[], Stage]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder in memory with a clean Debian in its `base`."""
    if reason := find_obstacle():
        pytest.skip(reason)
    with mount_in_memory(tmp_path_factory.mktemp("image")) as folder:
        (*_, (base, _)) = parse_stages((ROOT / "deploy" / "Dockerfile").read_text("utf-8")).values()
        match = BASE.fullmatch(base)
        assert match, f"no Debian is known for {base}"
        began = time.monotonic()
        try:
            make_clean_root(folder / "base", match["release"], PACKAGES)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no Debian can be fetched: {error}")
        assert (folder / "base" / "usr" / "bin" / f"python{match['python']}").exists()
        report(f"a clean root of Debian {match['release']}: {time.monotonic() - began:.0f} s")
        yield folder


@pytest.fixture(scope="module")
def build_image(folder: Path) -> BuildImage:
    """Return a function that builds the image of the last commit."""
    context = folder / "context"
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(context, filter="data")
    text = (context / "deploy" / "Dockerfile").read_text("utf-8")

    def build() -> Stage:
        began = time.monotonic()
        made = dict[str, Stage]()
        for name, (_, steps) in parse_stages(text).items():
            root = folder / (name or "image")
            subprocess.run(["cp", "-a", folder / "base", root], check=True)
            stage = made[name] = Stage(root, context, dict(made))
            for step in steps:
                stage.run_step(*step)
        last = made.pop("")
        for other in made.values():
            shutil.rmtree(other.root)
        report(f"the Dockerfile's steps: {time.monotonic() - began:.0f} s")
        return last

    return build


class Container:
    """Processes in an image, with a volume; `close` kills them."""

    def __init__(self, image: Stage, folder: Path) -> None:
        self.image, self.log = image, folder / "log"
        self.data = folder / "data"
        (volume,) = image.volumes
        subprocess.run(["cp", "-a", f"{image.root}{volume}", self.data], check=True)
        self._processes = list[subprocess.Popen[bytes]]()

    def start(self, *command: str, read_only: bool, **more: str) -> subprocess.Popen[bytes]:
        """Start a command; by default the image's entry point."""
        with self.log.open("ab") as log:
            line = command or tuple(self.image.entrypoint)
            process = self.image.start(line, log, data=self.data, read_only=read_only, **more)
        self._processes.append(process)
        return process

    def read_log(self) -> str:
        return self.log.read_text("utf-8")

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


async def stop(process: subprocess.Popen[bytes], container: Container) -> None:
    """Stop the process as Docker does; it must exit with 0."""
    process.send_signal(signal.Signals[container.image.stop])
    assert await asyncio.to_thread(process.wait, 15) == 0, container.read_log()[-3000:]


async def wait_until_ready(container: Container) -> None:
    async with asyncio.timeout(TIMEOUT):
        while "is ready" not in container.read_log():  # noqa: ASYNC110 - a file can not be awaited
            await asyncio.sleep(0.1)


async def check_health(container: Container, port: int) -> None:
    """Run the image's own health check."""
    command = [each.replace(":8090/", f":{port}/") for each in container.image.health]
    assert command != container.image.health
    await asyncio.to_thread(container.image.run, command)


def measure_megabytes(root: Stage) -> float:
    """Return the size of all files in a root folder."""
    return sum(size for size, *_ in root.list_contents().values()) / MEGABYTE


async def test_bot_plays_in_image(
    build_image: BuildImage, folder: Path, tmp_path: Path, free_port: int
) -> None:
    image = await asyncio.to_thread(build_image)
    assert not (image.root / "opt" / "tools").exists()
    added = measure_megabytes(image) - measure_megabytes(Stage(folder / "base", folder))
    report(f"the image adds {added:.0f} MB to its base")
    assert added + BASE_MEGABYTES < MAX_MEGABYTES
    world = World()
    ann = world.user("Ann")
    with closing(Container(image, tmp_path)) as container:
        async with BotApi(world) as api:
            settings = {"BOT_TOKEN": world.token, "BOT_API_URL": api.url, "SOLVER_WORKERS": "1"}
            settings["HEALTH_LISTEN"] = f"127.0.0.1:{free_port}"
            before = image.list_contents()
            process = container.start(read_only=False, **settings)
            await wait_until_ready(container)
            world.say(ann, ann, "/play")
            deal = await world.next_post(ann, "→ 24", timeout=TIMEOUT)
            await check_health(container, free_port)
            owner = (Path("/proc") / str(process.pid)).stat()
            assert (owner.st_uid, owner.st_gid) == (2424, 2424)
            await stop(process, container)
            assert image.list_contents() == before
            process = container.start(read_only=True, **settings)
            world.say(ann, ann, solve_deal(deal))
            await world.wait_until(lambda: "🏆" in deal.text, TIMEOUT, "the win")
            await check_health(container, free_port)
            await stop(process, container)
    assert [file.name for file in container.data.glob("*.sqlite3")] == ["twentyfour.sqlite3"]
    assert "Traceback" not in container.read_log()


async def wait_for_condition(holds: Callable[[], bool], read_log: Callable[[], str], seconds: float) -> None:
    """Wait until the condition holds; fail with the end of the log after so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, read_log()[-3000:]
        await asyncio.sleep(0.005)


class Machine:
    """A Debian with a clone of /srv/upstream in /root/twentyfour."""

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
        self._stage.run_step("RUN", "git clone --quiet /srv/upstream /root/twentyfour")
        self._stage.run_step("WORKDIR", "/root/twentyfour")

    def run_script(self, script: str) -> None:
        """Run a script as root in the clone."""
        self._stage.run_step("RUN", script)

    def commit(self, path: str, text: str) -> None:
        """Write a file and commit it in /srv/upstream."""
        (self._upstream / path).write_text(text, "utf-8")
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        for command in (["add", "--all"], [*identity, "commit", "--quiet", "--message", path]):
            subprocess.run(["git", *command], cwd=self._upstream, check=True)

    def tag(self, name: str) -> None:
        """Give the last commit in /srv/upstream a tag."""
        subprocess.run(["git", "tag", name], cwd=self._upstream, check=True)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the command of the unit, with the settings of the unit and of bot.env."""
        unit = (self.root / "etc/systemd/system/twentyfour.service").read_text("utf-8")
        settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
        variables = f"set -a; {settings['Environment']}; . {settings['EnvironmentFile']}"
        line = f"{variables}; exec {settings['ExecStart']}"
        with self.log.open("ab") as log:
            return self._stage.start(["/bin/sh", "-c", line], log, data=self.root, read_only=False)

    def read_version(self) -> Path:
        """Return the folder that /opt/twentyfour points to, as a path inside the machine."""
        return (self.root / "opt" / "twentyfour").readlink()

    def read_revision(self) -> str:
        """Return the revision of the database."""
        with closing(sqlite3.connect(self.root / "var/lib/twentyfour/twentyfour.sqlite3")) as database:
            return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])


async def test_pages_install_upgrade_and_go_back(folder: Path, tmp_path: Path) -> None:
    machine = await asyncio.to_thread(Machine, folder, tmp_path / "log")
    versions = "bot/database/migrations/versions"
    leftover = machine.root / "root" / "twentyfour" / versions / "r9998_left.py"
    leftover.write_text(f'revision, down_revision = "9998", "{HEAD}"\n\n\ndef upgrade():\n    pass\n')
    for text in ("deploy/bot.env.example /etc/", "cp deploy/twentyfour.service /etc/systemd/system/\n"):
        await asyncio.to_thread(machine.run_script, read_script(text))
    first = machine.read_version()
    installed = {each.name for each in (machine.root / str(first)[1:] / "lib").rglob("r[0-9]*.py")}
    assert {f"r{HEAD}", "r9998"} & {name[:5] for name in installed} == {f"r{HEAD}"}

    world = World()
    ann = world.user("Ann")
    running = list[subprocess.Popen[bytes]]()

    async def play_one_hand(starts: int) -> None:
        """Start the bot, win a hand and stop the bot."""
        running.append(machine.start())
        await wait_for_condition(lambda: read_log().count("is ready") == starts, read_log, TIMEOUT)
        world.say(ann, ann, "/play")
        deal = await world.next_post(ann, "→ 24", timeout=TIMEOUT)
        world.say(ann, ann, solve_deal(deal))
        await world.wait_until(lambda: "🏆" in deal.text, TIMEOUT, "the win")
        running[-1].terminate()
        assert await asyncio.to_thread(running[-1].wait, 30) == 0, read_log()[-3000:]

    def read_log() -> str:
        return machine.log.read_text("utf-8")

    async with BotApi(world) as api:
        try:
            with (machine.root / "etc/twentyfour/bot.env").open("a") as env:
                env.write(f"BOT_TOKEN={world.token}\nBOT_API_URL={api.url}\nSOLVER_WORKERS=1\n")
            await play_one_hand(1)
            assert machine.read_revision() == HEAD

            newer = f"{int(HEAD) + 1:04}"
            code = (ROOT / "bot/database/migrations/__init__.py").read_text("utf-8")
            code = re.sub(r'^HEAD = "\d+"', f'HEAD = "{newer}"', code, flags=re.MULTILINE)
            machine.commit("bot/database/migrations/__init__.py", code)
            revision = f'revision, down_revision = "{newer}", "{HEAD}"\n\n\ndef upgrade():\n    pass\n'
            machine.commit(f"{versions}/r{newer}_next.py", revision)
            machine.tag("v1.1.0")
            upgrade = read_script("new=$(deploy/install.sh)   #")
            await asyncio.to_thread(machine.run_script, upgrade)
            second = machine.read_version()
            assert second != first
            await play_one_hand(2)
            assert machine.read_revision() == newer

            back = read_script("ln -sfT /opt/twentyfour-2026-")
            back = back.replace("2026-11-23-0a1b2c3", first.name.removeprefix("twentyfour-"))
            await asyncio.to_thread(machine.run_script, back)
            running.append(machine.start())
            assert await asyncio.to_thread(running[-1].wait, TIMEOUT) == 2
            assert f"at revision {newer}, newer than this version's {HEAD}" in read_log()
            restore = read_script("twentyfour-bot restore /var/backups/before-")
            restore = restore.replace("twentyfour-2026-11-24-4c5d6e7", second.name)
            await asyncio.to_thread(machine.run_script, restore)
            await play_one_hand(3)
            assert machine.read_revision() == HEAD
        finally:
            for process in running:
                process.kill()
                process.wait()
