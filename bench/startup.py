"""Start: the time until a new process has answered."""

import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from bench.report import Row, format_time

RUNS = 15
HAND = ["23", "45", "67", "89", "34", "66"]
IMPORT = "from time import perf_counter as now; start = now(); import solver; print(now() - start)"


# With this variable each start would compile the packages again; installed ones are compiled once.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure_rows() -> Iterator[Row]:
    measure_import()  # compiles the modules
    bare = median(measure_process("-c", "pass") for _ in range(RUNS))
    yield Row(
        "import solver",
        format_time(median(measure_import() for _ in range(RUNS))),
        "15 ms",
        "",
        f"timed inside {RUNS} fresh processes",
    )
    yield Row(
        f"python -m solver solve {' '.join(HAND)}",
        format_time(median(measure_process("-m", "solver", "solve", *HAND) for _ in range(RUNS))),
        "60 ms",
        format_time(bare),
        f"{RUNS} whole processes, all solutions printed; baseline: python itself, doing nothing",
    )


def measure_import() -> float:
    run = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, env=ENVIRONMENT)
    return float(run.stdout)


def measure_process(*arguments: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=ENVIRONMENT)
    return perf_counter() - start
