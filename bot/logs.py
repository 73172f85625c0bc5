"""Logging to standard error, with every secret struck out of every line.

A secret may travel in a URL, a `repr` or a line of JSON, so each is struck out in all its spellings. A line
is struck after it is whole: message, traceback and all. What Python itself would print of an error that
nobody caught goes the same way.
"""

import asyncio
import json
import logging
import re
import socket
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from bot import trace

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

log = logging.getLogger(__name__)

HOME = Path(__file__).parent.parent  # Where our own code is
TOKEN = r"[0-9]{5,20}(?::|%3A)[A-Za-z0-9_-]{30,}"  # noqa: S105 - the shape of every bot's token
# Characters from which a secret is struck out wherever it stands. A shorter one, as of a database, may be a
# part of other words, and is struck out only where it stands as a password.
SHORTEST = 16
# A password as a URL, an argument, a `repr` or an object of JSON shows it.
SHOWN = r"(?<=:){0}(?=@)|(?i:(?<=password=)|(?<=password=['\"])|(?<=password['\"]: ['\"])){0}"
# Characters from which the part of a token behind its colon is struck out by itself as well.
SHORTEST_PART = 8
# How characters are shown that could end a line, and so forge the next one.
CONTROL = {**{i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160))}, 9: "\t", 10: "\\n", 13: "\\r"}
QUIET = (
    "aiohttp",
    "telegram",
    "apscheduler",
    "sqlalchemy",
    "alembic",
    "asyncio",
    "concurrent.futures",
    "pebble",
    "asyncpg",
    "aiosqlite",
)
AGAIN = 60.0  # Seconds for which a warning is not said again in the same words
MARK = "trace"  # What a record calls the mark of its trace at the end of a line
# What an error means that has no words of its own.
MEANINGS: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "timed out"),
    (ConnectionRefusedError, "the connection was refused"),
    (ConnectionError, "the connection was lost"),
    (EOFError, "the other end closed the connection"),
    (MemoryError, "out of memory"),
    (asyncio.CancelledError, "what it waited for was cancelled"),
)
REMEMBERED = 500  # Warnings that are remembered for that
# Loggers that print whole answers which are no JSON; whoever asked says it in a line.
MUTE = ("telegram.request.BaseRequest", "sqlalchemy.pool")


class RedactingFormatter(logging.Formatter):
    """Formats a record and its traceback, then replaces what must not be seen."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(f"%(asctime)s %(levelname)s %(name)s: %(message)s%({MARK})s")
        known = [secret for secret in secrets if secret]
        anywhere = [secret for secret in known if len(secret) >= SHORTEST or ":" in secret]
        patterns = [*_patterns(anywhere), TOKEN]
        if short := "|".join(_patterns(set(known) - set(anywhere))):
            patterns.append(SHOWN.format(f"(?:{short})"))
        self._secret = re.compile("|".join(patterns))

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        present = trace.get_current_trace()
        setattr(record, MARK, f" [{present}]" if present else "")
        return self.redact(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The message as one line, whatever a stranger put into it."""
        return super().formatMessage(record).translate(CONTROL)

    def redact(self, line: str) -> str:
        """`line` without secrets."""
        return self._secret.sub("[secret]", line)


class JsonFormatter(RedactingFormatter):
    """The same as JSON, a line for each record, for tools that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        """An object with `time`, `level`, `process`, `logger` and `message`; `trace` and `error` where there
        is one. `process` is the machine and the process on it, the same from the first line to the last: it
        tells the lines of several bots apart.
        """
        error = self.formatException(record.exc_info) if record.exc_info else None
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {
            "time": at,
            "level": record.levelname,
            "process": f"{socket.gethostname()}:{record.process}",
            "logger": record.name,
            "message": record.getMessage(),
            "trace": trace.get_current_trace(),
            "error": error,
        }
        return json.dumps({key: self.redact(value) for key, value in told.items() if value})


FORMS: dict[str, type[RedactingFormatter]] = {
    "text": RedactingFormatter,
    "json": JsonFormatter,
}  # What LOG_FORMAT may be


class WarningThrottle(logging.Filter):
    """Lets a warning through once in `AGAIN` seconds; the next one tells how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], tuple[float, int]] = {}
        """When each was last said, and how often it was left out since."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is to be printed."""
        if record.levelno < logging.WARNING:
            return True
        key = record.name, record.getMessage()
        at, left_out = self._said.get(key, (-AGAIN, 0))
        if record.created - at < AGAIN:
            self._said[key] = at, left_out + 1
            return False
        if left_out:
            record.msg, record.args = f"{key[1]} (and {left_out} times more before)", ()
        self._said[key] = record.created, 0
        self._forget(record.created)
        return True

    def _forget(self, now: float) -> None:
        if len(self._said) > REMEMBERED:
            fresh = {key: said for key, said in self._said.items() if now - said[0] < AGAIN}
            self._said = fresh if len(fresh) <= REMEMBERED else {}


def configure_logging(level: str, secrets: Sequence[str], form: str = "text") -> None:
    """Log to standard error from now on; other people's libraries only when they warn."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FORMS[form](secrets))
    handler.addFilter(WarningThrottle())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    floor = max(logging.WARNING, logging.getLevelName(level))
    for name in QUIET:
        logging.getLogger(name).setLevel(floor)
    for name in MUTE:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    sys.excepthook = _uncaught
    sys.unraisablehook = _unraisable
    threading.excepthook = _in_thread


def configure_logging_for_tools(form: str) -> None:
    """Log as tools read it, where LOG_FORMAT says so, before it is known whether all else is well."""
    if form.strip().lower() == "json":
        configure_logging("INFO", (), "json")


def log_exit_reason(line: str) -> None:
    """Say why the process ends, in the form of all the lines before: tools gather this one as well."""
    _say(logging.CRITICAL, line)


def log_note(line: str) -> None:
    """Say the same way what whoever runs a tool should know beside what that prints."""
    _say(logging.WARNING, line)


def _say(level: int, line: str) -> None:
    if any(isinstance(handler.formatter, JsonFormatter) for handler in logging.getLogger().handlers):
        log.log(level, "%s", line)
    else:
        print(f"twentyfour-bot: {line}", file=sys.stderr)


def log_unexpected_error(log: logging.Logger, what: str, error: BaseException) -> None:
    """Say in one line what failed, why and where in the code; the whole traceback only at DEBUG.

    A line is what an operator reads among a thousand others and what may be counted; whoever looks for the
    mistake itself starts the bot at DEBUG.
    """
    log.error("%s: %s", what, locate_error(error))
    log.debug("%s", what, exc_info=remove_error_text(error))


def locate_error(error: BaseException) -> str:
    """What kind of error it is, and the place in our own code where it came up.

    Its words are left out: they may quote what somebody wrote, or a name. They are kept with what was set
    aside, for its time.
    """
    kind = type(getattr(error, "orig", None) or error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if Path(f.filename).is_relative_to(HOME)]
    return f"{kind} ({Path(ours[-1].filename).relative_to(HOME)}:{ours[-1].lineno})" if ours else kind


def describe_error(error: BaseException) -> str:
    """What an error says of itself in one line; where it says nothing, what its kind means."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return line or next((told for kind, told in MEANINGS if isinstance(error, kind)), type(error).__name__)


def remove_error_text(error: BaseException) -> BaseException:
    """`error` as a log may show it: what it is and where it was raised, without its words."""
    kind = type(type(error).__name__, (Exception,), {"__module__": type(error).__module__})
    shown: BaseException = kind().with_traceback(error.__traceback__)
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    shown.__cause__ = remove_error_text(before) if before is not None else None
    return shown


def _patterns(secrets: Iterable[str]) -> list[str]:
    """Every spelling of the secrets as a regular expression, the longest first."""
    spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
    return [re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True)]


def _spellings(secret: str) -> Iterator[str]:
    """Every way in which `secret` may be written in a line."""
    _, colon, part = secret.partition(":")
    for text in {secret, part if colon and len(part) >= SHORTEST_PART else secret}:
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
