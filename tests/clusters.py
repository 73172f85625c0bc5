"""A Dask cluster on loopback: its scheduler and its workers are processes of their own."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent
LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
LISTENS, JOINED = "Scheduler at:", "Registered to:"


class Farm:
    """A scheduler, and as many workers as a test starts; all of them end with it."""

    def __init__(self, folder: Path, scheme: str = "tcp", more: tuple[str, ...] = ()) -> None:
        self._folder, self._more = folder, more
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"{scheme}://127.0.0.1:{free.getsockname()[1]}"
        self._started: list[tuple[psutil.Process, Path]] = []

    def scheduler(self, *, wait: bool = True) -> psutil.Process:
        """Start one, at the same address each time. It has nothing of ours."""
        port = self.address.rpartition(":")[2]
        return self._start(
            "scheduler",
            "--protocol",
            self.address.partition(":")[0],
            "--port",
            port,
            "--no-show",
            path="",
            wait=LISTENS if wait else "",
        )

    def worker(
        self, threads: int = 1, *more: str, path: str = str(ROOT), wait: bool = True, nanny: bool = False
    ) -> psutil.Process:
        """Start one with so many threads; it finds our packages in `path`."""
        where = ("--local-directory", str(self._folder), "--nthreads", str(threads))
        alone = () if nanny else ("--no-nanny",)
        return self._start(
            "worker", self.address, *where, *alone, *more, path=path, wait=JOINED if wait else ""
        )

    def said(self) -> str:
        """All that they have written."""
        return "\n".join(log.read_text("utf-8") for _, log in self._started)

    def running(self) -> list[psutil.Process]:
        """Those that were started and have not ended."""
        return [process for process, _ in self._started if not ended(process)]

    def close(self) -> None:
        """End all of them, whatever state they are in."""
        everybody = [process for process, _ in self._started]
        for process in everybody:
            with contextlib.suppress(psutil.NoSuchProcess):
                everybody = [*everybody, *process.children(recursive=True)]
        for process in everybody:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(everybody, timeout=30)

    def _start(self, what: str, *arguments: str, path: str = str(ROOT), wait: str) -> psutil.Process:
        log = self._folder / f"{what}{len(self._started)}.log"
        command = [
            sys.executable,
            "-P",
            "-m",
            f"distributed.cli.dask_{what}",
            *arguments,
            *LOOPBACK,
            *self._more,
        ]
        environment = {**os.environ, "PYTHONPATH": path}
        with log.open("wb") as file:
            process = psutil.Popen(command, env=environment, cwd=self._folder, stdout=file, stderr=file)
        self._started.append((process, log))
        if wait:
            until(lambda: wait in log.read_text("utf-8"), lambda: log.read_text("utf-8"))
        return process


def until(holds: Callable[[], bool], told: Callable[[], str] = str, seconds: float = 60.0) -> None:
    """Wait until that is so; AssertionError with what is `told` then."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, told()[-3000:]
        time.sleep(0.01)


def parent_after(seconds: float) -> int:
    """A task that takes so long, and tells whose process did it."""
    time.sleep(seconds)
    return os.getppid()


def ended(process: psutil.Process) -> bool:
    """Whether it does nothing more, buried or not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    return True


async def soon(holds: Callable[[], bool], told: Callable[[], str] = str, seconds: float = 60.0) -> None:
    """As `until`, while the event loop goes on."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, told()[-3000:]
        await asyncio.sleep(0.005)


@contextlib.contextmanager
def farm(folder: Path, scheme: str = "tcp", more: tuple[str, ...] = ()) -> Iterator[Farm]:
    """One without a scheduler yet; `more` is said to all its parts."""
    made = Farm(folder, scheme, more)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def frozen(process: psutil.Process) -> Iterator[None]:
    """It stands still meanwhile."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
