"""Everything there is to solve, on a cluster of one, two and four workers: all draws of Countdown, all hands.

`FARM_EVERY=20` takes one in twenty hands of six cards, which are nine tenths of the whole time.
"""

import asyncio
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from bench.nearest import HIGHEST, LOWEST, TILES
from bench.table import Row, written
from bot.workers.cluster import Cluster
from bot.workers.pool import Pool
from bot.workers.processes import NICE
from solver import reachable, solve
from tests.clusters import Farm, farm, soon

WORKERS = (1, 2, 4)
EVERY = int(os.environ.get("FARM_EVERY", "1"))
"""One in so many hands of six cards is solved."""
LONGEST = 3600.0
"""Seconds for a batch: whatever it takes."""
PLAIN = 10
"""One in so many of each batch is solved without a cluster too, and the time of all reckoned from that."""
PUBLISHED = 10_858_746
"""Games of the television show that can be solved, of 11 905 457."""
SOLVABLE = 1362
"""Of 1820 hands of four cards 1-13, those that make 24."""

Numbers = tuple[int, ...]
Batch = Sequence[Numbers]


@dataclass(frozen=True, slots=True)
class Job:
    """What is solved, in batches."""

    name: str
    task: Callable[[Batch], Counter[str]]
    batches: Sequence[Batch]
    known: dict[str, int]
    """Totals that somebody else found, too."""

    @property
    def size(self) -> int:
        """Draws, or hands."""
        return sum(map(len, self.batches))


def rows() -> Iterator[Row]:
    logging.disable(logging.WARNING)
    for job in (_draws(), _hands()):
        plain, found = _plainly(job), None
        alone = 0.0
        for workers in WORKERS:
            took, totals = asyncio.run(_on_cluster(job, workers))
            alone, found = alone or took, found or totals
            assert totals == found, f"{totals} with {workers} workers, {found} with one"
            assert job.known.items() <= totals.items(), f"{totals}, but known are {job.known}"
            yield Row(
                f"{job.name}, {workers} worker{'s' * (workers > 1)}",
                written(took),
                "",
                written(plain),
                f"{job.size / took:.0f} a second, {alone / took:.2f} times as fast as one worker; "
                + ", ".join(f"{count} {what}" for what, count in sorted(totals.items()))
                + f"; baseline: one plain process, reckoned from one in {PLAIN}",
            )


def _draws() -> Job:
    draws = sorted(set(combinations(sorted(TILES), 6)))
    return Job("all 13 243 draws", targets, _split(draws, 50), {"targets": PUBLISHED})


def _hands() -> Job:
    """Of one to six cards; the fewer cards, the larger the batch."""
    batches = [batch for cards in range(1, 6) for batch in _split(_of(cards), 200)]
    batches += _split(_of(6)[::EVERY], 50)
    less = f" (of six: one in {EVERY})" if EVERY > 1 else ""
    return Job(f"all hands of 1-6 cards{less}", solutions, batches, {"of 4 cards": SOLVABLE})


def _of(cards: int) -> list[Numbers]:
    return list(combinations_with_replacement(range(1, 14), cards))


def _split(whole: Batch, size: int) -> list[Batch]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def targets(draws: Batch) -> Counter[str]:
    """How many targets of 100 to 999 can be made, of all the draws together."""
    made = sum(len(reachable(tiles, HIGHEST).difference(range(LOWEST))) for tiles in draws)
    return Counter({"targets": made})


def solutions(hands: Batch) -> Counter[str]:
    """How many of the hands make 24, by their cards, and all ways in which they do."""
    found = Counter[str]()
    for hand in hands:
        ways = sum(1 for _ in solve(hand))
        found["solutions"] += ways
        found[f"of {len(hand)} cards"] += bool(ways)
    return found


def _plainly(job: Job) -> float:
    """Seconds that one process takes by itself, as nice as the workers', as far as a sample tells."""
    sample = [batch[n % PLAIN :: PLAIN] for n, batch in enumerate(job.batches)]
    with ProcessPoolExecutor(1, get_context("spawn"), os.nice, (NICE,)) as one:
        took = sum(one.map(partial(_timed, job.task), sample))
    return took * job.size / sum(map(len, sample))


def _timed(task: Callable[[Batch], Counter[str]], batch: Batch) -> float:
    began = perf_counter()
    task(batch)
    return perf_counter() - began


async def _on_cluster(job: Job, workers: int) -> tuple[float, Counter[str]]:
    """Seconds that a cluster takes for all, and the totals."""
    with tempfile.TemporaryDirectory() as folder, farm(Path(folder)) as machines:
        machines.scheduler()
        for _ in range(workers):
            machines.worker()
        return await _solved(job, machines, workers)


async def _solved(job: Job, machines: Farm, workers: int) -> tuple[float, Counter[str]]:
    cluster = Cluster(machines.address)
    staying = asyncio.create_task(cluster.stay())
    pool = Pool(1, LONGEST, cluster)
    try:
        await soon(lambda: cluster.threads == workers, machines.said)
        began = perf_counter()
        asked = [pool.ask(job.task, batch, long=True, patience=24 * LONGEST) for batch in job.batches]
        totals = sum(await asyncio.gather(*asked), Counter[str]())
        took = perf_counter() - began
        assert cluster.threads == workers, "it fell apart meanwhile"
        return took, totals
    finally:
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)
        await asyncio.to_thread(pool.close)
