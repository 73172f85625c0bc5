"""Settings of every test: a profile for Hypothesis, and an environment that is the same in each run."""

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

import bot.features  # noqa: F401 - registers what the standings make of an award
from bot.settings import VARIABLES

settings.register_profile(
    "suite",
    # The same inputs in every run, so that an unchanged clone never fails by chance. The long suites try new
    # inputs: their generators have seeds of their own.
    derandomize=True,
    database=None,  # no failing inputs of earlier runs, as in a fresh clone
    # Both depend on the machine's speed; the first run also builds tables of Unicode.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

TESTS = Path(__file__).parent
ROOT = TESTS.parent
# Variables that change the output of programs, or how Python runs those that tests start.
INHERITED = {
    *("LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"),
    *("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONUNBUFFERED"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONHASHSEED", "PYTHONSTARTUP", "PYTHONSAFEPATH"),
}


def pytest_configure(config: pytest.Config) -> None:
    """Give each run the same environment, time zone, umask and signal handlers."""
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("suite")
    for key in {*VARIABLES, *INHERITED}:  # VARIABLES: those of a developer's own bot
        os.environ.pop(key, None)
    os.environ |= {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT)}
    time.tzset()
    os.umask(0o022)
    # A shell makes background processes ignore Ctrl-C, and programs that tests start would inherit that.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN and hasattr(config, "workerinput"):
            signal.signal(number, signal.SIG_DFL)
    # Same behaviour as Python's own handler. asyncio replaces only that one, and restores it, some ten times
    # in a test; that took 5 % of the suite's time: the signal module formats the result of the last task.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: signal.default_int_handler(number, frame))


def pytest_collection_finish() -> None:
    """Keep imported modules and collected tests out of later garbage collections."""
    gc.collect()
    gc.freeze()


def pytest_collection(session: pytest.Session) -> None:
    """Compile a part of the test modules in each worker process before all workers import all of them.

    They start together, so in a first run each would compile everything, which takes as long as a third of
    the tests.
    """
    worker: dict[str, object] = getattr(session.config, "workerinput", {})
    if not worker or sys.dont_write_bytecode or session.config.args != [TESTS.name]:
        return
    number, parts = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    for path in sorted(TESTS.rglob("test_*.py"))[number::parts]:
        with contextlib.suppress(Exception):  # the collection reports the error
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.fixture(autouse=True)
def _restore_logging_and_error_hooks() -> Iterator[None]:
    """Restore the log handlers and error hooks that a bot started by the test has replaced."""
    hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
    root.handlers[:] = handlers
    root.setLevel(level)
