"""The whole bot, which stores each update, beside a bare python-telegram-bot, which stores nothing.

The players and the fake Telegram run in another process, so that they don't use the bot's time.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from bench.crowd import A_SECOND, AT_ONCE, CHATS, SECONDS
from bench.report import Row, format_time

RUNS = 5
WAYS = ("polling", "webhook")
BARE = ("bench.echo", "hello")
OURS = ("bot", "/help")
BAR = 0.65  # Of the bare echo bot's rate


def measure_rows() -> Iterator[Row]:
    for way in WAYS:
        # In turn, so that other work on the machine affects both.
        runs = [(_measure_bot(*OURS, way), _measure_bot(*BARE, way)) for _ in range(RUNS)]
        ours, bare = ({key: median(run[i][key] for run in runs) for key in runs[0][i]} for i in (0, 1))
        ratio = median(one["rate"] / other["rate"] for one, other in runs)
        yield Row(
            f"{way}: {AT_ONCE} updates at once over {CHATS} chats",
            f"{ours['rate']:.0f} a second",
            f"{BAR * bare['rate']:.0f} a second",
            f"{bare['rate']:.0f} a second",
            f"ratio to a bare echo bot {ratio:.2f}, ours stored and answered; median of {RUNS} runs in turn",
        )
        yield Row(
            f"{way}: {A_SECOND} updates a second, p99",
            format_time(ours["p99"]),
            "10 ms",
            format_time(bare["p99"]),
            f"from update to answer, for {SECONDS} seconds; half within {format_time(ours['p50'])}",
        )
        if way == "polling":
            yield from _compare_start_and_memory(ours, bare)


def _compare_start_and_memory(ours: dict[str, float], bare: dict[str, float]) -> Iterator[Row]:
    yield Row(
        "start to first reply",
        format_time(ours["first"]),
        "2 s",
        format_time(bare["first"]),
        "whole process",
    )
    yield Row(
        "memory of the main process",
        f"{ours['memory'] / 2**20:.0f} MiB",
        "130 MiB",
        f"{bare['memory'] / 2**20:.0f} MiB",
        "resident, after all of the above",
    )


def _measure_bot(module: str, text: str, way: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.crowd", module, text, way]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout)
    return figures
