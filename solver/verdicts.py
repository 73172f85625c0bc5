"""`verify_batch`: the verdicts on many answers."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from itertools import chain

from solver.answer import build_verdict, check, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.answer import Fault, Verdict

    Item = tuple[str, Sequence[int]] | tuple[str, Sequence[int], int]

MIN_PARALLEL = 50_000  # Answers from which processes save more time than it takes to start them
CHUNK_SIZE = 5_000  # Answers that a process gets at once


def verify_batch(items: Iterable[Item], *, workers: int | None = None) -> list[Verdict]:
    """Return what `check` returns for each item, in the order of the items. An item is an answer and the
    numbers of its hand, and also the target if that is not 24.

    50 000 items or more are shared among `workers` processes: one for each core unless a number is given; 1
    checks all in this process. In a script on Windows or macOS, call this function below
    `if __name__ == "__main__":`, since processes there import the script.

    Examples:
        >>> [type(verdict).__name__ for verdict in verify_batch([("8*3", [8, 3]), ("6*7 = 42", (6, 6), 42)])]
        ['Correct', 'WrongNumbers']
    """
    all_items = list(items)
    if len(all_items) < MIN_PARALLEL or workers == 1:
        return [check(*item) for item in all_items]
    from multiprocessing import Pool

    chunks = [all_items[start : start + CHUNK_SIZE] for start in range(0, len(all_items), CHUNK_SIZE)]
    with _pause_garbage_collection(), Pool(workers) as processes:  # before the processes are forked
        faults = chain.from_iterable(processes.imap(_judge_items, chunks))
        return [_build_verdict(fault, *item) for item, fault in zip(all_items, faults, strict=True)]


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Stop Python's search for cycles, of which verdicts have none: it would double the time for millions."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _judge_items(items: Sequence[Item]) -> list[Fault | None]:
    """Return what is wrong with each answer; None for a right one."""
    return [judge(*item) for item in items]


def _build_verdict(fault: Fault | None, text: str, _numbers: Sequence[int], target: int = 24) -> Verdict:
    """Return the verdict on an item in which `judge` found that fault."""
    return build_verdict(text, target, fault)
