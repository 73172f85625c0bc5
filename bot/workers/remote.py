"""The far side of a cluster: Dask calls `run` in a thread of its worker, and a process of ours does the task.

A thread can't be stopped in the midst of arithmetic, and what Dask starts under a nanny may have no children
by `multiprocessing`. So each thread at work here has a process to itself, which is started plainly and spoken
to by its standard input, a socket. It stops a late task just as the bot's own workers do; where that fails it
is killed and replaced. It ends when its standard input does, however the Dask worker came to its end.

Nothing here imports Dask. What goes to and fro is bytes, as `multiprocessing` packs them, so that neither the
scheduler nor the Dask worker has to know what is in them.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

import solver
from bot.workers import timed
from bot.workers.errors import NotBegunError, SolvingError, TooSlowError, WorkerLostError
from bot.workers.timed import BACKSTOP

VERSION = solver.__version__
"""What the bot and all workers must have alike."""

STARTING = 20.0
"""Seconds for a process to start and to read its task, on a busy machine."""
REMEMBERED = 1000
"""Tasks that were stopped before they came, of which is known that they are to do nothing."""
BEGUN = b""
"""What a process says once it has read its task and begins."""


class OtherVersionError(SolvingError):
    """This machine has another version of the package than the bot that asks."""


def packed(task: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> bytes:
    """A task that may take so many seconds, as `run` takes it."""
    return bytes(ForkingPickler.dumps((task, arguments, seconds)))


def unpacked(answer: bytes) -> Any:
    """What `run` came to: the task's result, or its error, raised."""
    error, result = ForkingPickler.loads(answer)
    if error is not None:
        raise error
    return result


class _Child:
    """A process of ours, at work for one thread at a time."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        path = os.pathsep.join(place for place in sys.path if place)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bot.workers.remote"],
            stdin=theirs.fileno(),
            env={**os.environ, "PYTHONPATH": path},
        )
        theirs.close()

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Its answer. Raises TooSlowError when it is late, NotBegunError when it never began, EOFError or
        OSError when it is gone since.
        """
        try:
            self._pipe.send_bytes(request)
            said = self._heard(STARTING)
        except (EOFError, OSError):
            raise NotBegunError("its process died before it began") from None
        return self._heard(seconds + BACKSTOP) if said == BEGUN else said

    def _heard(self, seconds: float) -> bytes:
        if not self._pipe.poll(seconds):
            raise TooSlowError("out of time")
        return self._pipe.recv_bytes()

    @property
    def lives(self) -> bool:
        """Whether its process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    def bury(self) -> None:
        """End it and forget it, from the thread that asked it."""
        self.kill()
        self._process.wait()
        self._pipe.close()


class _Children:
    """The processes of one Dask worker: as many as its threads ever needed at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[_Child] = []
        self._working: dict[str, _Child] = {}
        self._unwanted = deque[str](maxlen=REMEMBERED)
        """Tasks that nobody waited for any more before they came."""

    def prepare(self, count: int) -> None:
        """Start so many in all, without waiting for them."""
        with self._lock, contextlib.suppress(OSError):  # the first task says so
            while len(self._free) + len(self._working) < count:
                self._free.append(_Child())

    def ask(self, name: str, request: bytes, seconds: float) -> bytes:
        """What one of them answers. Raises TooSlowError or WorkerLostError, which cost it its life, and
        NotBegunError.
        """
        with self._lock:
            if name in self._unwanted:
                raise WorkerLostError("nobody waits for it")
            child = self._working[name] = self._free.pop() if self._free else _started()
        try:
            answer = child.ask(request, seconds)
        except BaseException as error:
            with self._lock:
                del self._working[name]
                unwanted = name in self._unwanted
            child.bury()
            if isinstance(error, NotBegunError):
                self._bury_the_dead()
            if unwanted:
                raise WorkerLostError("nobody waits for it") from None
            if isinstance(error, EOFError | OSError):
                raise WorkerLostError("its process died") from None
            raise
        with self._lock:
            del self._working[name]
            self._free.append(child)
        return answer

    def stop(self, name: str) -> None:
        """Nobody waits for that task any more."""
        with self._lock:
            self._unwanted.append(name)
            if name in self._working:
                self._working[name].kill()

    def _bury_the_dead(self) -> None:
        """Where one was killed that had nothing to do, others may have been: no task of theirs is lost."""
        with self._lock:
            dead = [child for child in self._free if not child.lives]
            self._free = [child for child in self._free if child not in dead]
        for child in dead:
            child.bury()

    def close(self) -> None:
        """End those that have nothing to do."""
        with self._lock:
            free, self._free = self._free, []
        for child in free:
            child.bury()


def _started() -> _Child:
    try:
        return _Child()
    except OSError as error:  # such as no memory, or as many processes as there may be
        raise NotBegunError(f"no process can be started: {error.strerror or error}") from None


_CHILDREN = _Children()
"""Of this process: Dask calls functions, not objects of ours."""


def run(version: str, name: str, request: bytes, seconds: float) -> bytes:
    """The answer to a `packed` task, for `unpacked`. Raises OtherVersionError.

    `name` is unique to the task; `stop` knows it by that.
    """
    if version != VERSION:
        raise OtherVersionError(f"{VERSION} is here, {version!r} was asked for")
    try:
        return _CHILDREN.ask(name, request, seconds)
    except SolvingError as error:
        return bytes(ForkingPickler.dumps((error, None)))


def trial() -> int:
    """A short task that shows whether tasks are done: how many solutions a hand has."""
    return sum(1 for _ in solver.solve((3, 3, 8, 8)))


def stop(name: str) -> None:
    """Stop a task that nobody waits for any more."""
    _CHILDREN.stop(name)


def ready(threads: int, version: str) -> str:
    """The version that is here; if it is the one asked for, processes are started for so many threads."""
    if version == VERSION:
        _CHILDREN.prepare(threads)
    return VERSION


def close() -> None:
    """End the processes that have nothing to do."""
    _CHILDREN.close()


# Within the process


def serve(pipe: Connection) -> None:
    """Answer one request after the other. The process ends with the pipe, also in mid-task."""
    requests = SimpleQueue[bytes]()
    threading.Thread(target=_listen, args=(pipe, requests.put), daemon=True).start()
    with contextlib.suppress(OSError):  # the other end is gone
        while True:
            pipe.send_bytes(_answer(requests.get(), pipe))


def _listen(pipe: Connection, put: Callable[[bytes], None]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            put(pipe.recv_bytes())
    os._exit(0)


def _answer(request: bytes, pipe: Connection) -> bytes:
    try:
        task, arguments, seconds = ForkingPickler.loads(request)
        pipe.send_bytes(BEGUN)
        return bytes(ForkingPickler.dumps((None, timed.timed(task, arguments, seconds, False))))
    except MemoryError:
        error: Exception = WorkerLostError("out of memory")
    except Exception as trouble:  # noqa: BLE001 - whatever the task raises is its answer
        error = trouble
    return bytes(ForkingPickler.dumps((error, None)))


def _main() -> None:
    timed.settle()
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    pipe = Connection(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    serve(pipe)


if __name__ == "__main__":
    _main()
