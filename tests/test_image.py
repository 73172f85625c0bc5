"""deploy/Dockerfile, its steps replayed in a clean root: the bot plays from there.

Debian's own Python stands in for the base image's. `make image` runs this: it fetches a Debian and the locks'
packages, which takes two minutes or so.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from tests.clusters import soon
from tests.dockerfile import Stage, clean_root, stages
from tests.faults.conftest import ROOT, answer_to, free_port, show
from tests.telegram import BotApi, World

pytestmark = [pytest.mark.image, pytest.mark.timeout(3600)]
_ = free_port

PACKAGES = ("python3", "python3-venv", "python-is-python3", "passwd", "apt")
"""What makes a Debian the base image."""
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


Built = Callable[..., Stage]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """`built(LOCK="…")` builds the image of what is committed."""
    if why := lacking():
        pytest.skip(why)
    with in_memory(tmp_path_factory.mktemp("image")) as folder:
        context = folder / "context"
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(context, filter="data")
        text = (context / "deploy" / "Dockerfile").read_text("utf-8")
        (base,) = {base for base, _ in stages(text).values()}
        wanted = BASE.fullmatch(base)
        assert wanted, f"no Debian is known for {base}"
        began = time.monotonic()
        try:
            clean_root(folder / "base", wanted["release"], PACKAGES)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no Debian can be fetched: {error}")
        assert (folder / "base" / "usr" / "bin" / f"python{wanted['python']}").exists()
        show(f"a clean root of Debian {wanted['release']}: {time.monotonic() - began:.0f} s")

        def build(**arguments: str) -> Stage:
            began = time.monotonic()
            made = dict[str, Stage]()
            for name, (_, steps) in stages(text).items():
                root = folder / (name or "image" + "".join(arguments.values()))
                subprocess.run(["cp", "-a", folder / "base", root], check=True)
                stage = made[name] = Stage(root, context, dict(made), arguments)
                for step in steps:
                    stage.do(*step)
            last = made.pop("")
            for other in made.values():
                shutil.rmtree(other.root)
            show(f"the Dockerfile's steps, {arguments or 'as it is'}: {time.monotonic() - began:.0f} s")
            return last

        yield build


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


async def well(container: Container, port: int) -> None:
    """The image's own check says so."""
    asked = [each.replace(":8081/", f":{port}/") for each in container.image.health]
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
            await soon(lambda: "is ready" in container.said(), container.said, PATIENCE)
            world.say(ann, ann, "/play")
            deal = await world.next_post(ann, "→ 24", timeout=PATIENCE)
            await well(container, free_port)
            owner = (Path("/proc") / str(process.pid)).stat()
            assert (owner.st_uid, owner.st_gid) == (2424, 2424)
            await stopped(process, container)
            assert image.contents() == before
            process = container.start(read_only=True, **settings)
            world.say(ann, ann, answer_to(deal))
            await world.until(lambda: "🏆" in deal.text, PATIENCE, "the win")
            await well(container, free_port)
            await stopped(process, container)
    assert [file.name for file in container.data.glob("*.sqlite3")] == ["twentyfour.sqlite3"]
    assert "Traceback" not in container.said()


async def test_the_image_with_dask_is_a_cluster(built: Built, tmp_path: Path, free_port: int) -> None:
    image = await asyncio.to_thread(built, LOCK="requirements-dask.lock")
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]
    address = f"tcp://127.0.0.1:{free_port}"

    def command(name: str) -> list[str]:
        said = "\n".join(services[name]["entrypoint"] + services[name]["command"])
        here = {"tcp://scheduler:8786": address, "8786": str(free_port), "0.0.0.0": "127.0.0.1"}  # noqa: S104
        for known, ours in here.items():
            said = said.replace(known, ours)
        return said.splitlines()

    world = World()
    ann = world.user("Ann")
    with closing(Container(image, tmp_path)) as container:
        before = image.contents()
        scheduler, worker = (
            container.start(*command(name), read_only=True, **services[name]["environment"])
            for name in ("scheduler", "worker")
        )
        async with BotApi(world) as api:
            settings = {"BOT_TOKEN": world.token, "BOT_API_URL": api.url, "HEALTH_LISTEN": "127.0.0.1:0"}
            bot = container.start(read_only=True, SOLVER_SCHEDULER=address, **settings)
            await soon(lambda: "does long tasks: 2 threads" in container.said(), container.said, PATIENCE)
            world.say(ann, ann, "/solve 3 8 3 8")
            await world.next_post(ann, "8/(3-8/3)", timeout=PATIENCE)
            await stopped(bot, container)
        for process in (worker, scheduler):
            process.terminate()
            await asyncio.to_thread(process.wait, 30)
        assert image.contents() == before
