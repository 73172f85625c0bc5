"""Starting: how long the first answer of a fresh process takes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from bench.table import Row, written

RUNS = 15
HAND = ["23", "45", "67", "89", "34", "66"]
IMPORT = "from time import perf_counter as now; start = now(); import solver; print(now() - start)"


# Installed packages are compiled; where that is switched off, every start would compile them anew.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def rows() -> Iterator[Row]:
    import_time()  # compiles
    bare = median(process_time("-c", "pass") for _ in range(RUNS))
    yield Row(
        "import solver",
        written(median(import_time() for _ in range(RUNS))),
        "15 ms",
        "",
        f"timed inside {RUNS} fresh processes",
    )
    yield Row(
        f"python -m solver solve {' '.join(HAND)}",
        written(median(process_time("-m", "solver", "solve", *HAND) for _ in range(RUNS))),
        "60 ms",
        written(bare),
        f"{RUNS} whole processes, all solutions printed; baseline: python itself, doing nothing",
    )


def import_time() -> float:
    run = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, env=ENVIRONMENT)
    return float(run.stdout)


def process_time(*arguments: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=ENVIRONMENT)
    return perf_counter() - start
