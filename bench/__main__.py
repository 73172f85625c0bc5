"""`python -m bench`: measure the times that the documentation promises, on this machine."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

from bench import comparison
from bench.report import Row, format_table, print_rows

# In the order of printing. Each is a module here with a function `measure_rows`.
BENCHES = (
    "search",
    "nearest",
    "yahtzee",
    "verdicts",
    "batch",
    "difficulty",
    "startup",
    "leaderboards",
    "ratings",
    "follow",
    "learners",
    "weaknesses",
    "storms",
    "pictures",
    "deals",
    "bot",
    "replicas",
    "pages",
    "taps",
    "classroom",
)

SLOW_BENCHES = ("years",)  # Take half an hour, so they run only by name

HANDS = ("3 8 3 8", "1 2 3 4 5", "23 45 67 89 34 66", "12 34 56 78 90 11 22")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _make_parser().parse_args(arguments)
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    print(f"Python {platform.python_version()}, {machine}. Times are medians.", flush=True)
    if options.against:
        return _run_comparison(options)
    for name in options.benches or _list_existing(BENCHES):
        bench = import_module(f"bench.{name}")
        rows: Iterator[Row] = bench.measure_rows()
        print_rows(str(bench.__doc__).splitlines()[0], rows)
    return 0


def _list_existing(names: Sequence[str] = BENCHES + SLOW_BENCHES) -> list[str]:
    return [name for name in names if find_spec(f"bench.{name}")]


def _parse_bench(name: str) -> str:
    if name not in _list_existing():
        raise argparse.ArgumentTypeError(f"no bench {name!r}; choose from {', '.join(_list_existing())}")
    return name


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "benches", nargs="*", type=_parse_bench, metavar="BENCH", help=", ".join(_list_existing())
    )
    other = parser.add_argument_group("side by side with another program")
    other.add_argument(
        "--against",
        metavar="COMMAND",
        help="{} stands for the hand, else stdin has it",
    )
    other.add_argument("--ours", default="solve {}", metavar="COMMAND", help="by default: %(default)s")
    other.add_argument("--input", nargs="+", default=HANDS, metavar="HAND", help="hands such as '3 8 3 8'")
    return parser


def _run_comparison(options: argparse.Namespace) -> int:
    try:
        rows = list(comparison.compare(options.against, options.ours, options.input))
    except (OSError, ValueError) as error:
        print(f"can't run {options.against!r}: {error}", file=sys.stderr)
        return 2
    print(f"\n{comparison.RUNS} whole processes of each program, in turn\n")
    print(format_table([comparison.HEADINGS, *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
