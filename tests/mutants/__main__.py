"""Counts how many small changes of the code the ordinary tests notice: `make mutants`.

A change is made in memory, in a process forked for it, which runs the tests of that module (the file that
mirrors it) and, if these notice nothing, the stories that lead through it. The first failure ends it. What
survives and changes nothing that anybody could see is listed in `judged.toml`, with the reason; the figure
is of the others. Of the tools that are kept up, mutmut changes functions alone, so that no constant is moved,
and runs the whole suite first; cosmic-ray changes the files themselves and starts Python anew each time.
"""

import argparse
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.changes import Change, changes

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
MODULES: dict[str, list[str]] = tomllib.loads((HERE / "modules.toml").read_text("utf-8"))
"""Modules, and what is run after the file that mirrors each."""
JUDGED: dict[str, dict[str, str]] = tomllib.loads((HERE / "judged.toml").read_text("utf-8"))
"""By module: changes that mean nothing, and why."""
WARM = ("hypothesis", "pytest_asyncio", "telegram.ext", "sqlalchemy.dialects.sqlite", "alembic")
"""What every child would import; nothing of ours is among it."""
QUIET = [
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
]
"""How pytest is run."""
ALL, EACH = 0.92, 0.80
"""What is to be noticed, of all changes and of each module's."""
LONGEST, SLOWER = 600.0, 5.0
"""Seconds that a file may take unchanged; times that, and ten more, it counts as failed with a change."""


@dataclass
class Tally:
    """What was found of one module."""

    noticed: int = 0
    survivors: list[Change] = field(default_factory=list)
    judged: int = 0

    @property
    def share(self) -> float:
        """What was noticed of the changes that mean something."""
        return self.noticed / max(1, self.noticed + len(self.survivors))


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from other code than its file's."""

    def __init__(self, module: str, path: Path, code: str) -> None:
        self._module, self._path, self._code = module, path, code

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        found = importlib.machinery.ModuleSpec(name, self, origin=str(self._path))
        return found if name == self._module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._code, self._path, "exec"), module.__dict__)  # noqa: S102 - the very purpose


def path_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")


def files_of(module: str) -> list[str]:
    """The files whose tests are to notice a change of a module: first the one that mirrors it."""
    *folders, name = module.split(".")
    mirror = ROOT.joinpath("tests", *folders, f"test_{name}.py")
    return [*([str(mirror)] if mirror.exists() else []), *MODULES.get(module, [])]


def start(module: str, code: str, file: str) -> int:
    """Run the tests against other code of the module in a process of its own; its id."""
    if pid := os.fork():
        return pid
    os.setsid()
    out = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.meta_path.insert(0, _Changed(module, path_of(module), code))
    code_ = 1
    try:
        code_ = int(pytest.main([*QUIET, file]))
    finally:
        os._exit(code_)


def outcomes(
    module: str, codes: Sequence[str], file: str, jobs: int, longest: float
) -> Iterator[tuple[int, bool]]:
    """For each of the codes, by its index, whether a test failed; in the order in which they end."""
    running: dict[int, tuple[int, float]] = {}
    left = list(enumerate(codes))[::-1]
    while left or running:
        while left and len(running) < jobs:
            index, code = left.pop()
            running[start(module, code, file)] = index, time.monotonic()
        for pid, (index, began) in list(running.items()):
            late = time.monotonic() - began > longest
            if late:
                os.killpg(pid, signal.SIGKILL)
            done, status = os.waitpid(pid, 0 if late else os.WNOHANG)
            if done:
                del running[pid]
                yield index, late or status != 0
        time.sleep(0.01)


def examine(module: str, count: int, jobs: int) -> Tally:
    """Try `count` of the module's changes, the same in every run; all of them where it is 0."""
    source, judged, tally = path_of(module).read_text("utf-8"), JUDGED.get(module, {}), Tally()
    found = changes(source)
    stale = judged.keys() - {change.name for change in found}
    assert not stale, f"judged.toml names changes that are none any more: {sorted(stale)}"
    chosen = sorted(random.Random(module).sample(range(len(found)), min(count or len(found), len(found))))
    left = [found[index] for index in chosen if found[index].name not in judged]
    tally.judged = len(chosen) - len(left)
    for file in files_of(module) if left else ():
        began = time.monotonic()
        ((_, fails),) = outcomes(module, [source], file, 1, LONGEST)
        assert not fails, f"{file} fails by itself"
        longest = 10.0 + SLOWER * (time.monotonic() - began)
        codes = [change.code for change in left]
        failed = {index for index, fails in outcomes(module, codes, file, jobs, longest) if fails}
        tally.noticed += len(failed)
        left = [change for index, change in enumerate(left) if index not in failed]
    tally.survivors = left
    return tally


def main() -> int:
    """Print a line for each module with what survived, and the whole; 1 where too much did."""
    options = _options()
    sys.dont_write_bytecode = False  # else each child compiles the tests again
    for name in WARM:
        importlib.import_module(name)
    tallies = {}
    for module in options.modules or MODULES:
        tallies[module] = tally = examine(module, options.count, options.jobs)
        told = f"{tally.noticed} of {tally.noticed + len(tally.survivors)} noticed"
        print(f"{module:36} {tally.share:4.0%}  {told}, {tally.judged} mean nothing", flush=True)
        for change in tally.survivors:
            print(f"    {change.name}", flush=True)
    noticed = sum(tally.noticed for tally in tallies.values())
    survived = sum(len(tally.survivors) for tally in tallies.values())
    share = noticed / max(1, noticed + survived)
    print(f"{'in all':36} {share:4.0%}  {noticed} of {noticed + survived} noticed")
    return int(share < ALL or any(tally.share < EACH for tally in tallies.values()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="all of modules.toml, unless some are named"
    )
    parser.add_argument("-n", dest="count", type=int, default=30, help="changes of each module; 0: every one")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
