"""Logging to standard error, with every secret struck out of every line."""

import logging
import re
import sys
from collections.abc import Sequence

TOKEN = re.compile(r"[0-9]{5,20}(?::|%3A)[A-Za-z0-9_-]{30,}")
QUIET = (
    "httpx",
    "httpcore",
    "telegram",
    "tornado",
    "apscheduler",
    "aiosqlite",
    "sqlalchemy",
    "alembic",
    "asyncio",
    "concurrent.futures",
    "pebble",
)


class Redacted(logging.Formatter):
    """Formats a record and its traceback, then replaces what must not be seen."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = sorted(filter(None, secrets), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        return self.clean(super().format(record))

    def clean(self, line: str) -> str:
        """`line` without secrets."""
        for secret in self._secrets:
            line = line.replace(secret, "[secret]")
        return TOKEN.sub("[secret]", line)


def begin(level: str, secrets: Sequence[str]) -> None:
    """Log to standard error from now on; other people's libraries only when they warn."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacted(secrets))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    floor = max(logging.WARNING, logging.getLevelName(level))
    for name in QUIET:
        logging.getLogger(name).setLevel(floor)
