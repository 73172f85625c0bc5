"""Logging to standard error, with every secret struck out of every line.

A secret may travel in a URL, a `repr` or a line of JSON, so each is struck out in all its spellings. A line
is struck after it is whole: message, traceback and all. What Python itself would print of an error that
nobody caught goes the same way.
"""

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

log = logging.getLogger(__name__)

TOKEN = r"[0-9]{5,20}(?::|%3A)[A-Za-z0-9_-]{30,}"  # noqa: S105 - the shape of every bot's token
SHORTEST_PART = 8
"""Characters from which the part of a token behind its colon is struck out by itself as well."""
CONTROL = {**{i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160))}, 9: "\t", 10: "\\n", 13: "\\r"}
"""How characters are shown that could end a line, and so forge the next one."""
QUIET = (
    "httpx",
    "httpcore",
    "telegram",
    "tornado",
    "apscheduler",
    "sqlalchemy",
    "alembic",
    "asyncio",
    "concurrent.futures",
    "pebble",
    "asyncpg",
)


class Redacted(logging.Formatter):
    """Formats a record and its traceback, then replaces what must not be seen."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
        longest_first = sorted(spellings, key=len, reverse=True)
        self._secret = re.compile("|".join([*map(re.escape, longest_first), TOKEN]))

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        return self.clean(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The message as one line, whatever a stranger put into it."""
        return super().formatMessage(record).translate(CONTROL)

    def clean(self, line: str) -> str:
        """`line` without secrets."""
        return self._secret.sub("[secret]", line)


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
    sys.excepthook = _uncaught
    sys.unraisablehook = _unraisable
    threading.excepthook = _in_thread


def _spellings(secret: str) -> Iterator[str]:
    """Every way in which `secret` may be written in a line."""
    _, colon, part = secret.partition(":")
    for text in {secret, part if colon and len(part) >= SHORTEST_PART else secret} - {""}:
        yield from (text, quote(text), quote(text, safe=""), quote_plus(text))
        yield from (repr(text)[1:-1], ascii(text)[1:-1], json.dumps(text)[1:-1])
        yield repr(text.encode())[2:-1]


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    log.critical("the bot ends: %s", kind.__name__, exc_info=(kind, error, trace))


def _in_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        log.error("a thread ended: %s", failed.exc_type.__name__, exc_info=failed.exc_value)


def _unraisable(failed: "UnraisableHookArgs") -> None:
    if failed.exc_value is not None:
        log.error("%s", failed.err_msg or "an error was ignored", exc_info=failed.exc_value)
