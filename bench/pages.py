"""200 pages open for one group: time from a tap to all screens, memory, and delays in the chats meanwhile.

The bot, the fake Telegram with its chats, and the pages have a process each. The first hands and answers
after a start are not measured.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Any

from bench.page_load import A_SECOND, CHATS, HANDS
from bench.report import Row, format_time

PAGES = 200
RUNS = 3
BAR = 0.150  # Seconds from a tap to all screens
MEMORY_BAR = 200  # MiB
CHAT_BAR = 1.5  # Times the p99 without pages


def measure_rows() -> Iterator[Row]:
    # In turn, so that other work on the machine affects both.
    runs = [(_measure_load(PAGES), _measure_load(0), _measure_load(0, "played")) for _ in range(RUNS)]
    full, bare, by_chat = ([run[kind] for run in runs] for kind in range(3))
    yield _make_screen_row("an answer that wins", [run["win"] for run in full])
    yield _make_screen_row("the next hand, dealt", [run["next"] for run in full])
    memory = max(run["memory"] for run in full) / 2**20
    alone = max(run["memory"] for run in bare) / 2**20
    yield Row(
        f"memory of the main process, {PAGES} pages",
        f"{memory:.0f} MiB",
        f"{MEMORY_BAR} MiB",
        f"{alone:.0f} MiB",
        "resident, at the end of the worst run; baseline: no page is open",
    )
    ours, base, by_messages = (median(run["chat"][98] for run in kind) for kind in (full, bare, by_chat))
    yield Row(
        f"an answer in a chat to its verdict, p99, {PAGES} pages",
        format_time(ours),
        format_time(CHAT_BAR * base),
        format_time(base),
        f"{A_SECOND} a second over {CHATS} chats, half within {format_time(full[0]['chat'][49])}, worst"
        f" {format_time(max(run['worst'] for run in full))}; median of {RUNS} runs in turn; baseline: no"
        " page, and nobody plays in that group",
    )
    yield Row(
        "the same, where the same hands are played without a page",
        format_time(ours),
        format_time(CHAT_BAR * by_messages),
        format_time(by_messages),
        "baseline: the hands are answered by messages in the chat; the rest is the cost of pages",
    )


def _make_screen_row(what: str, runs: Sequence[Sequence[float]]) -> Row:
    each = [quantiles(run, n=100) for run in runs]
    half = format_time(median(run[49] for run in each))
    note = f"{HANDS} taps, each shown on {PAGES} pages: p50 {half}, worst"
    note += f" {format_time(max(map(max, runs)))}; median of {RUNS} runs, after hands that warm up"
    ours = format_time(median(run[98] for run in each))
    return Row(f"a tap to all screens, p99: {what}", ours, format_time(BAR), "", note)


def _measure_load(pages: int, *how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.page_load", str(pages), *how]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(run.stdout)
    return figures
