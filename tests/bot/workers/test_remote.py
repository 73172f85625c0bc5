"""The far side of a cluster: its processes answer, are stopped in time, and end with whoever started them."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import psutil
import pytest

from bot.workers import remote, timed
from bot.workers.errors import NotBegunError, TooSlowError, WorkerLostError
from bot.workers.remote import VERSION, OtherVersionError, packed, run, stop, unpacked
from tests.clusters import ROOT, ended, until


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No process is left behind."""
    yield
    remote.close()


def ask(task: Callable[..., Any], *arguments: Any, seconds: float = 60.0, name: str = "one") -> Any:
    return unpacked(run(VERSION, name, packed(task, arguments, seconds), seconds))


def stubborn() -> None:
    """A task that swallows what would stop it."""
    while True:
        try:
            time.sleep(60)
        except TooSlowError:
            continue


def lambda_maker() -> Any:
    """What can't be sent back."""
    return lambda: None


def children() -> list[psutil.Process]:
    found = psutil.Process().children()
    return [child for child in found if not ended(child) and "bot.workers.remote" in child.cmdline()]


@pytest.mark.long
def test_another_process_answers_and_is_asked_again() -> None:
    first = ask(os.getpid)
    assert first != os.getpid()
    assert ask(os.getpid) == first
    assert ask(pow, 2, 100) == 2**100


def computed(seconds: float) -> float:
    """Compute until the process has done so for so long, all in all."""
    while time.process_time() < seconds:
        pass
    return time.process_time()


@pytest.mark.long
def test_it_is_bounded_and_nice_once_it_is_awake() -> None:
    before = os.nice(0)
    assert ask(computed, 1.0) >= 1.0
    assert ask(os.nice, 0) == min(before + 5, 19)
    import resource

    gib = 1024 * 1024 * 1024
    assert ask(resource.getrlimit, resource.RLIMIT_AS) == (gib, gib)
    assert ask(signal.getsignal, signal.SIGINT) == signal.SIG_IGN


def test_what_a_task_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError, match="division"):
        ask(divmod, 1, 0)
    with pytest.raises(WorkerLostError):
        ask(bytearray, 2**33)
    with pytest.raises(AttributeError, match="lambda"):
        ask(lambda_maker)


def test_a_late_task_is_stopped_and_its_process_kept() -> None:
    pid = ask(os.getpid)
    began = time.monotonic()
    with pytest.raises(TooSlowError):
        ask(time.sleep, 60, seconds=0.1)
    assert time.monotonic() - began < 30
    assert ask(os.getpid) == pid


@pytest.mark.long
def test_one_that_can_not_be_stopped_costs_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "BACKSTOP", 0.1)
    pid = ask(os.getpid)
    with pytest.raises(TooSlowError):
        ask(stubborn, seconds=0.1)
    assert not psutil.pid_exists(pid)
    assert ask(os.getpid) != pid


@pytest.mark.long
def test_a_process_that_dies_takes_its_task_alone() -> None:
    pid = ask(os.getpid)
    with pytest.raises(WorkerLostError):
        ask(os.kill, pid, signal.SIGKILL)
    assert ask(os.getpid) != pid


@pytest.mark.long
def test_one_that_died_before_its_task_is_not_the_tasks_doing() -> None:
    """All that were killed with it are replaced."""
    remote.ready(2, VERSION)
    killed = children()
    for child in killed:
        child.kill()
    until(lambda: children() == [])
    with pytest.raises(NotBegunError, match="died before it began"):
        ask(os.getpid)
    assert not any(psutil.pid_exists(child.pid) for child in killed)
    assert ask(remote.trial) == 1


def test_one_that_can_not_be_started_is_not_the_tasks_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert remote.ready(1, VERSION) == VERSION
    with pytest.raises(NotBegunError, match="no process can be started: No such file"):
        ask(os.getpid)


def test_what_nobody_waits_for_is_stopped() -> None:
    lost = list[BaseException]()

    def wait() -> None:
        try:
            ask(time.sleep, 60, name="two")
        except WorkerLostError as error:
            lost.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    until(lambda: bool(remote._CHILDREN._working))
    stop("two")
    waiting.join(60)
    assert len(lost) == 1
    assert not remote._CHILDREN._working


def test_what_nobody_waits_for_does_not_begin() -> None:
    stop("three")
    with pytest.raises(WorkerLostError):
        ask(os.getpid, name="three")
    assert children() == []


def test_another_version_does_nothing() -> None:
    with pytest.raises(OtherVersionError, match=r"'0\.0'"):
        run("0.0", "one", b"", 1.0)
    assert remote.ready(2, "0.0") == VERSION
    assert children() == []


def test_processes_can_be_started_beforehand() -> None:
    assert remote.ready(2, VERSION) == VERSION
    assert len(children()) == 2
    remote.ready(1, VERSION)
    ask(os.getpid)
    assert len(children()) == 2


SLEEPS = """
import time
from bot.workers.remote import VERSION, packed, run
print(flush=True)
run(VERSION, "one", packed(time.sleep, (60,), 60.0), 60.0)
"""


@pytest.mark.long
def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = psutil.Popen([sys.executable, "-c", SLEEPS], env=environment, cwd=tmp_path)
    until(lambda: any("bot.workers.remote" in c.cmdline() for c in parent.children()))
    (child,) = parent.children()
    parent.kill()
    parent.wait()
    until(lambda: ended(child))


def test_within_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without a process: what it says, and that it ends with the pipe."""
    monkeypatch.setattr(timed, "timed", lambda task, arguments, seconds, gives_way: task(*arguments))
    over = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda code: over.set())
    ours, theirs = Pipe()
    serving = threading.Thread(target=remote.serve, args=(theirs,), daemon=True)
    serving.start()
    ours.send_bytes(packed(divmod, (7, 2), 1.0))
    assert ours.recv_bytes() == remote.BEGUN
    assert unpacked(ours.recv_bytes()) == (3, 1)
    ours.send_bytes(b"no task")
    with pytest.raises(Exception, match="invalid load key"):
        unpacked(ours.recv_bytes())
    ours.close()
    assert over.wait(60)
