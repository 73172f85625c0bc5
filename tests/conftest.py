"""What holds for every test: one profile for made-up inputs, and nothing inherited that changes a run."""

import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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

ROOT = Path(__file__).parent.parent
OURS = {
    *("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET"),
    *("SOLVER_WORKERS", "SOLVER_DEADLINE", "SOLVER_SCHEDULER", "HEALTH_LISTEN", "LOG_LEVEL"),
}
"""What the bot would read: a developer's own bot is no business of the tests."""
TERMINALS = {
    *("LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"),
    *("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONUNBUFFERED"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONHASHSEED", "PYTHONSTARTUP", "PYTHONSAFEPATH"),
}
"""What changes how programs write, and how Python runs those that the tests start."""


def pytest_configure(config: pytest.Config) -> None:
    """Make all runs alike, whoever starts them and from where."""
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("suite")
    for key in OURS | TERMINALS:
        os.environ.pop(key, None)
    os.environ |= {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT)}
    time.tzset()
    os.umask(0o022)
    # In the background a shell lets Ctrl-C be ignored, and programs that the tests start would inherit that.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN and hasattr(config, "workerinput"):
            signal.signal(number, signal.SIG_DFL)
