"""`twentyfour batch`: many hands, on all cores or on a Dask cluster, and their results in the order of the
input.

Hands travel in chunks. Only a window of chunks is read ahead, so that memory stays bounded. The first chunks
have one hand; later ones grow or shrink so that each takes about CHUNK_SECONDS.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from argparse import ArgumentTypeError
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from itertools import islice
from math import comb
from time import perf_counter

from solver.batch import Hand, Request, list_all_hands, write_hands
from solver.deal import list_draws
from solver.hands import BadInputError, read_hand_and_target, refuse_glued_hand
from solver.progress import open_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import IO, Protocol, TypeAlias

    from solver.progress import Progress

    class Result(Protocol):
        """Return the lines of JSON of a chunk, and the seconds that they took, once it is done."""

        def result(self) -> tuple[str, float]: ...

    Submit: TypeAlias = Callable[[Request, Sequence[Hand]], Result]

CHUNK_SECONDS = 0.25
MAX_CHUNK = 512  # Hands
WINDOW = 8  # Chunks that are read ahead for each process
CLUSTER_WINDOW = 256  # The same for a whole cluster, which may grow meanwhile
CLUSTER_SECONDS = 10  # After which a scheduler that does not answer is given up


def run_batch(options: argparse.Namespace) -> int:
    """Write the results of all hands, in order. Returns 2 if a line of the input was bad, else 0. Raises
    BadInputError for options that don't fit each other, and if the cluster or a process is lost.
    """
    request = _read_request(options)
    with _open_input(options) as lines, _open_output(options) as output:
        last_result = _drop_torn_line(options.output) if options.resume else ""
        done = int(json.loads(last_result)["line"]) if last_result else 0
        with open_progress(_count_hands(options, lines), done) as progress:
            hands = _generate_hands(options, lines, progress)
            if last_result:
                _skip_hands(request, hands, done, last_result)
            try:
                with _open_workers(options) as (submit, window):
                    for line, text in _solve_in_order(request, hands, submit, window):
                        output.write(text)
                        output.flush()
                        progress.update(line)
            except KeyboardInterrupt:
                progress.report(f"stopped; {_explain_resume(options)}")
                raise
            return 2 if progress.messages else 0


def _read_request(options: argparse.Namespace) -> Request:
    """Return what the options ask for. Raises BadInputError if it is nothing, or if they don't fit."""
    request = Request(**{field.name: getattr(options, field.name) for field in fields(Request)})
    if request == Request():
        names = ", ".join(f"--{field.name}" for field in fields(Request))
        raise BadInputError(f"say what is wanted of each hand: one or more of {names}")
    if bool(options.file) + options.all + options.countdown > 1:
        raise BadInputError("only one input can be read: a FILE, --all or --countdown")
    if options.resume and not options.output:
        raise BadInputError("--resume goes on with a file: name it with --output")
    return request


def _open_input(options: argparse.Namespace) -> AbstractContextManager[IO[str]]:
    """Open FILE, if it is given, else return standard input. Raises BadInputError if it can't be read."""
    if not options.file:
        return nullcontext(sys.stdin)
    try:
        return open(options.file, encoding="utf-8", errors="replace")  # noqa: PTH123
    except OSError as error:
        raise BadInputError(f"can't read {options.file}: {error.strerror}") from None


def _open_output(options: argparse.Namespace) -> AbstractContextManager[IO[str]]:
    """Open the file of `--output`, if it is given, else return standard output. Raises BadInputError if it
    can't be written, and, without `--resume`, if it has results already.
    """
    path = options.output
    if not path:
        return nullcontext(sys.stdout)
    try:
        file = open(path, "a", encoding="utf-8", newline="\n")  # noqa: PTH123, SIM115
    except OSError as error:
        raise BadInputError(f"can't write {path}: {error.strerror}") from None
    if file.tell() and not options.resume:
        file.close()
        raise BadInputError(f"{path} is not empty: go on with it by --resume, or delete it")
    return file


def _drop_torn_line(path: str) -> str:
    """Delete what follows the last whole line of a file of results, and return that line; empty without one.
    Raises BadInputError if it is no result.
    """
    last, end = b"", 0
    with open(path, "r+b") as file:  # noqa: PTH123
        for line in file:
            if line.endswith(b"\n"):
                last = line
                end += len(line)
        file.truncate(end)
    if last and not last.startswith(b'{"line": '):
        raise BadInputError(f"--resume: {path} has other lines than results of batch")
    return last.decode()


def _count_hands(options: argparse.Namespace, lines: IO[str]) -> int | None:
    """Return the number of lines of the input; None if it can't be known before they are read."""
    if options.all:
        return comb(options.highest + options.cards - 1, options.cards)
    if options.countdown:
        return len(list_draws())
    if not options.file or not lines.seekable():
        return None
    count = sum(1 for _ in lines)
    lines.seek(0)
    return count


def _generate_hands(options: argparse.Namespace, lines: IO[str], progress: Progress) -> Iterator[Hand]:
    """Generate the hands of the input. Lines without a hand are skipped; bad ones are reported."""
    if options.all or options.countdown:
        is_countdown = options.countdown
        hands = list_draws() if is_countdown else list_all_hands(options.cards, options.highest)
        yield from (Hand(line, numbers, options.target) for line, numbers in enumerate(hands, 1))
        return
    for line, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            numbers, target = read_hand_and_target(text)
            refuse_glued_hand(numbers, target)
        except (ArgumentTypeError, BadInputError) as error:
            progress.report(f"line {line}: {error}")
            continue
        if numbers:
            yield Hand(line, tuple(numbers), options.target if target is None else target)
        else:
            progress.report(f"line {line}: a number is wanted, not {text.strip()[:40]!r}")


def _skip_hands(request: Request, hands: Iterator[Hand], done: int, last_result: str) -> None:
    """Skip the hands up to the line `done` of the input. Raises BadInputError if `last_result` is not its
    result, as with another input or other options.
    """
    for hand in hands:
        if hand.line == done and write_hands(request, [hand]) == last_result:
            return
        if hand.line >= done:
            break
    raise BadInputError(f"--resume: the file has another result for line {done}; other input or options?")


def _explain_resume(options: argparse.Namespace) -> str:
    """Return what to do to go on after an interruption."""
    if not options.output:
        return "with --output FILE, --resume could go on from here"
    arguments = sys.argv[1:]
    resume = [] if options.resume else ["--resume"]
    return f"go on with: twentyfour {shlex.join([*arguments, *resume])}"


def _solve_in_order(
    request: Request, hands: Iterator[Hand], submit: Submit, window: int
) -> Iterator[tuple[int, str]]:
    """Generate the last line number and the results of each chunk of hands, in order. At most `window` chunks
    are submitted ahead.
    """
    size = 1
    waiting: deque[tuple[list[Hand], Result]] = deque()
    while True:
        while len(waiting) < window and (chunk := list(islice(hands, size))):
            waiting.append((chunk, submit(request, chunk)))
        if not waiting:
            return
        chunk, result = waiting.popleft()
        text, seconds = result.result()
        yield chunk[-1].line, text
        fitting = int(len(chunk) * CHUNK_SECONDS / max(seconds, 1e-6))
        size = max(1, min(fitting, 4 * len(chunk), MAX_CHUNK))  # the next hands may be much harder


def solve_chunk(request: Request, hands: Sequence[Hand]) -> tuple[str, float]:
    """Return the lines of JSON for some hands, and the seconds that they took."""
    start = perf_counter()
    text = write_hands(request, hands)
    return text, perf_counter() - start


def _open_workers(options: argparse.Namespace) -> AbstractContextManager[tuple[Submit, int]]:
    """Return a context with the function that submits a chunk, and the number of chunks to submit ahead."""
    if options.scheduler:
        return _open_cluster(options)
    count = options.workers or len(os.sched_getaffinity(0))
    if count == 1:
        return nullcontext((_Solved, 1))
    return _open_processes(options, count)


class _Solved:
    """A chunk that was solved in this process when it was submitted."""

    def __init__(self, request: Request, hands: Sequence[Hand]) -> None:
        self._result = solve_chunk(request, hands)

    def result(self) -> tuple[str, float]:
        return self._result


@contextmanager
def _open_processes(options: argparse.Namespace, count: int) -> Iterator[tuple[Submit, int]]:
    """Start so many processes, and kill them if the block is left by an exception. Raises BadInputError if
    one of them was killed.
    """
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, initializer=_follow_parent)
    try:
        # A process inherits what Ctrl-C does when it starts: nothing, so that only this process reports it.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in range(count):
            pool.submit(int)  # starts a process
        signal.signal(signal.SIGINT, previous)
        yield lambda request, hands: pool.submit(solve_chunk, request, hands), count * WINDOW
    except BaseException as error:
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            message = f"a process was killed, perhaps for lack of memory; {_explain_resume(options)}"
            raise BadInputError(message) from None
        raise
    pool.shutdown()


def _follow_parent() -> None:
    """Exit as soon as the process that started this one is gone."""
    from multiprocessing import parent_process
    from threading import Thread

    def wait_and_exit() -> None:
        parent = parent_process()
        if parent:
            parent.join()
        os._exit(1)

    Thread(target=wait_and_exit, daemon=True).start()


@contextmanager
def _open_cluster(options: argparse.Namespace) -> Iterator[tuple[Submit, int]]:
    """Connect to the scheduler of a Dask cluster, whose workers need this package. Chunks of a lost worker
    are given to another one. Raises BadInputError if the scheduler is lost or can't be reached, or if several
    workers were lost with the same chunk.
    """
    try:
        from distributed import CancelledError, Client, KilledWorker
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise BadInputError("--scheduler needs Dask: pip install 'twentyfour[dask]'") from None
    import logging

    address = options.scheduler
    logging.disable()  # else Dask logs each lost connection with a traceback
    try:
        client = Client(address, timeout=CLUSTER_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):
        logging.disable(logging.NOTSET)
        raise BadInputError(f"no Dask scheduler answers at {address}") from None
    try:
        yield lambda request, hands: client.submit(solve_chunk, request, hands, pure=False), CLUSTER_WINDOW
    except (CancelledError, CommClosedError):
        raise BadInputError(f"the Dask scheduler at {address} is gone; {_explain_resume(options)}") from None
    except KilledWorker:
        raise BadInputError(f"several Dask workers died of one chunk; {_explain_resume(options)}") from None
    finally:
        client.close(timeout=0.5)  # type: ignore[no-untyped-call]
        logging.disable(logging.NOTSET)
