"""`twentyfour batch` with two processes, from start to end."""

import subprocess
import sys
from collections.abc import Iterator
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from bench.report import Row, format_time

BATCH = (sys.executable, "-m", "solver", "batch", "--workers", "2")
# By job: the options, and the promised time
JOBS = {
    "ideas and rating of the 1820 hands": (("--all", "--ideas", "--rate"), "4 s"),
    "every target of all 13 243 draws": (("--countdown", "--targets"), "10 s"),
}


def measure_rows() -> Iterator[Row]:
    for job, (options, bar) in JOBS.items():
        before = getrusage(RUSAGE_CHILDREN)
        start = perf_counter()
        lines = subprocess.run([*BATCH, *options], capture_output=True, check=True).stdout.count(b"\n")
        seconds = perf_counter() - start
        after = getrusage(RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        yield Row(job, format_time(seconds), bar, "", f"{lines} lines; {format_time(used)} of CPU time")
