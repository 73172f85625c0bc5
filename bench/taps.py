"""Taps for a hand on the page, beside the least possible number."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.report import Row

SCRIPT = Path(__file__).parents[1] / "tests" / "web_page" / "count_taps.mjs"
LEAST = 7  # A tap for each of four numbers and for each operation between them


def measure_rows() -> Iterator[Row]:
    node = shutil.which("node")
    if node is None:
        yield Row("taps to a solution", "?", f"{LEAST + 1}", f"{LEAST}", "not counted: node is missing")
        return
    run = subprocess.run([node, str(SCRIPT)], check=True, capture_output=True, text=True)
    hands, middle, most = run.stdout.split()
    yield Row(
        "taps to a solution, median",
        middle,
        f"{LEAST + 1}",
        f"{LEAST}",
        f"{hands} hands by the page's own model, most {most}; baseline: a tap for each number and operation",
    )
