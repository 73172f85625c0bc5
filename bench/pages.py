"""200 pages at one table: from a tap to everybody's screen, memory, and what the chats notice of it.

The bot, the small Telegram with its chats, and the pages are a process each. The first hands and answers
after a start are played and not measured.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Any

from bench.table import Row, written
from bench.tables import A_SECOND, CHATS, HANDS

PAGES = 200
RUNS = 3
BAR = 0.150
MEMORY = 200
TIMES = 1.5


def rows() -> Iterator[Row]:
    # in turn, so that whatever else the machine does meets both
    runs = [(_figures(PAGES), _figures(0), _figures(0, "played")) for _ in range(RUNS)]
    full, bare, said = ([run[kind] for run in runs] for kind in range(3))
    yield _screens("an answer that wins", [run["win"] for run in full])
    yield _screens("the next hand, dealt", [run["next"] for run in full])
    memory = max(run["memory"] for run in full) / 2**20
    alone = max(run["memory"] for run in bare) / 2**20
    yield Row(
        f"memory of the main process, {PAGES} pages",
        f"{memory:.0f} MiB",
        f"{MEMORY} MiB",
        f"{alone:.0f} MiB",
        "resident, at the end of the worst run; baseline: no page is open",
    )
    ours, base, by_messages = (median(run["chat"][98] for run in kind) for kind in (full, bare, said))
    yield Row(
        f"an answer in a chat to its verdict, p99, {PAGES} pages",
        written(ours),
        written(TIMES * base),
        written(base),
        f"{A_SECOND} a second over {CHATS} chats, half within {written(full[0]['chat'][49])}, worst"
        f" {written(max(run['worst'] for run in full))}; median of {RUNS} runs in turn; baseline: no page,"
        " and nobody plays at that table",
    )
    yield Row(
        "the same, where the same hands are played without a page",
        written(ours),
        written(TIMES * by_messages),
        written(by_messages),
        "baseline: they are answered by messages in that table's chat; the rest is what pages cost",
    )


def _screens(what: str, runs: Sequence[Sequence[float]]) -> Row:
    each = [quantiles(run, n=100) for run in runs]
    note = f"{HANDS} taps, each seen on {PAGES} pages: p50 {written(median(run[49] for run in each))}, worst"
    note += f" {written(max(map(max, runs)))}; median of {RUNS} runs, after hands that warm up"
    ours = written(median(run[98] for run in each))
    return Row(f"a tap to everybody's screen, p99: {what}", ours, written(BAR), "", note)


def _figures(pages: int, *how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.tables", str(pages), *how]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(run.stdout)
    return figures
