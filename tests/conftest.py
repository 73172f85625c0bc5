"""What holds for every test: one profile for made-up inputs, and nothing inherited that changes a run."""

import contextlib
import gc
import importlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bot.settings import VARIABLES

settings.register_profile(
    "suite",
    # The same inputs on every machine and in every run: a clone in which nothing was changed stays green.
    # What is new is sought by the long suites, whose generators have seeds of their own.
    derandomize=True,
    # No inputs of former runs: a fresh clone has none.
    database=None,
    # Neither of these tests the code: they measure the machine, and the first run of all builds its tables.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

TESTS = Path(__file__).parent
ROOT = TESTS.parent
# What changes how programs write, and how Python runs those that the tests start.
TERMINALS = {
    *("LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"),
    *("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONUNBUFFERED"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONHASHSEED", "PYTHONSTARTUP", "PYTHONSAFEPATH"),
}


def pytest_configure(config: pytest.Config) -> None:
    """Make all runs alike, whoever starts them and from where."""
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("suite")
    for key in {*VARIABLES, *TERMINALS}:  # also what a developer's own bot reads
        os.environ.pop(key, None)
    os.environ |= {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT)}
    time.tzset()
    os.umask(0o022)
    # In the background a shell lets Ctrl-C be ignored, and programs that the tests start would inherit that.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN and hasattr(config, "workerinput"):
            signal.signal(number, signal.SIG_DFL)
    # The same as Python's own, of which asyncio would take the place, and give it back, some ten times in a
    # test: a twentieth of the suite's time, since the signal module writes out what the last task returned.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: signal.default_int_handler(number, frame))


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: no later search for garbage goes through it."""
    gc.collect()
    gc.freeze()


def pytest_collection(session: pytest.Session) -> None:
    """Of several processes that run all tests, each compiles a part of them before it reads them all.

    Each would compile everything otherwise, since they begin together: at the first run that took them
    longer than a third of the tests does.
    """
    worker: dict[str, object] = getattr(session.config, "workerinput", {})
    if not worker or sys.dont_write_bytecode or session.config.args != [TESTS.name]:
        return
    number, parts = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    for path in sorted(TESTS.rglob("test_*.py"))[number::parts]:
        with contextlib.suppress(Exception):  # the collection tells whoever reads it
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.fixture(autouse=True)
def _what_a_start_takes_over_is_given_back() -> Iterator[None]:
    """A bot that starts here takes over logging and the hooks for errors; later tests want theirs."""
    hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
    root.handlers[:] = handlers
    root.setLevel(level)
