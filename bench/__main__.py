"""`python -m bench`: what the speed claims rest on, measured here and now."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

from bench import against
from bench.table import Row, print_rows, table

# In the order of printing. Each is a module here whose rows() does the measuring.
BENCHES = (
    "search",
    "nearest",
    "yahtzee",
    "difficulty",
    "startup",
    "boards",
    "ratings",
    "pictures",
    "deals",
    "bot",
    "replicas",
    "pages",
    "taps",
)

ASKED_FOR = ("years",)  # What takes half an hour is measured where it is named

HANDS = ("3 8 3 8", "1 2 3 4 5", "23 45 67 89 34 66", "12 34 56 78 90 11 22")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    print(f"Python {platform.python_version()}, {machine}. Times are medians.", flush=True)
    if options.against:
        return _against(options)
    for name in options.benches or _present(BENCHES):
        bench = import_module(f"bench.{name}")
        rows: Iterator[Row] = bench.rows()
        print_rows(str(bench.__doc__).splitlines()[0], rows)
    return 0


def _present(names: Sequence[str] = BENCHES + ASKED_FOR) -> list[str]:
    return [name for name in names if find_spec(f"bench.{name}")]


def _bench(name: str) -> str:
    if name not in _present():
        raise argparse.ArgumentTypeError(f"there are {', '.join(_present())}, but not {name!r}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("benches", nargs="*", type=_bench, metavar="BENCH", help=", ".join(_present()))
    other = parser.add_argument_group("side by side with another program")
    other.add_argument("--against", metavar="COMMAND", help="{} in it is the hand, else stdin has it")
    other.add_argument("--ours", default="solve {}", metavar="COMMAND", help="by default: %(default)s")
    other.add_argument("--input", nargs="+", default=HANDS, metavar="HAND", help="such as '3 8 3 8'")
    return parser


def _against(options: argparse.Namespace) -> int:
    try:
        rows = list(against.compare(options.against, options.ours, options.input))
    except (OSError, ValueError) as error:
        print(f"can't run {options.against!r}: {error}", file=sys.stderr)
        return 2
    print(f"\n{against.RUNS} whole processes each, in turn\n\n{table([against.HEADINGS, *rows])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
