"""Log to standard error, with every secret removed from every line.

A secret may appear in a URL, a `repr` or a line of JSON, so it is removed in all its spellings, and from the
whole line: message, traceback and all. Errors that nobody caught are logged the same way.
"""

import asyncio
import json
import logging
import re
import socket
import sys
import threading
import traceback
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

log = logging.getLogger(__name__)

# The trace of the work in progress, which each log line names and each stored request carries along: `u` and
# Telegram's number of an update, `t` and a random one of timed work, "" for work that nothing caused.
current_trace: ContextVar[str] = ContextVar("trace", default="")

TOKEN = r"[0-9]{5,20}(?::|%3A)[A-Za-z0-9_-]{30,}"  # noqa: S105 - the shape of every bot's token
# Characters from which a secret is removed wherever it stands. A shorter one may be a part of other words,
# and is removed only where it stands as a password.
SHORTEST_SECRET = 16
# A password as a URL, an argument, a `repr` or an object of JSON shows it.
PASSWORD = r"(?<=:){0}(?=@)|(?i:(?<=password=)|(?<=password=['\"])|(?<=password['\"]: ['\"])){0}"  # noqa: S105
# How characters are shown that could end a line, and so forge the next one.
CONTROL = {**{i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160))}, 9: "\t", 10: "\\n", 13: "\\r"}


class RedactingFormatter(logging.Formatter):
    """Formats a record with its traceback and trace, and removes secrets."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s%(trace)s")
        known = {secret for secret in secrets if secret}
        # Those that are removed wherever they stand: no other word is so long, or holds a token's colon
        distinctive = {secret for secret in known if len(secret) >= SHORTEST_SECRET or ":" in secret}
        patterns = [*_make_patterns(distinctive), TOKEN]
        short_patterns = _make_patterns(known - distinctive)
        if short_patterns:
            patterns.append(PASSWORD.format(f"(?:{'|'.join(short_patterns)})"))
        self._secret = re.compile("|".join(patterns))

    def format(self, record: logging.LogRecord) -> str:
        current = current_trace.get()
        record.trace = f" [{current}]" if current else ""
        return self.redact(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the message as one line, whatever a stranger put into it."""
        return super().formatMessage(record).translate(CONTROL)

    def redact(self, line: str) -> str:
        """Replace secrets in a line by `[secret]`."""
        return self._secret.sub("[secret]", line)


SHORTEST_SECRET_PART = 8  # characters from which the part of a token after its colon is a secret by itself


def _make_patterns(secrets: Iterable[str]) -> list[str]:
    """Return patterns of all spellings of the secrets and their parts after a colon, the longest first."""
    texts = set(secrets)
    parts = {secret.split(":", maxsplit=1)[-1] for secret in texts if ":" in secret}
    texts |= {part for part in parts if len(part) >= SHORTEST_SECRET_PART}
    spellings = set[str]()
    for text in texts:
        spellings |= {text, quote(text), quote(text, safe=""), quote_plus(text)}
        spellings |= {repr(text)[1:-1], ascii(text)[1:-1], json.dumps(text)[1:-1]}  # without the quotes
        spellings.add(repr(text.encode())[2:-1])  # without b''
    return [re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True)]


class JsonFormatter(RedactingFormatter):
    """Formats a record as a line of JSON without secrets, for tools that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        """Return an object with time, level, process, logger and message, and trace and error if any."""
        error = self.formatException(record.exc_info) if record.exc_info else None
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "process": f"{socket.gethostname()}:{record.process}",  # tells several bots apart
            "logger": record.name,
            "message": record.getMessage(),
            "trace": current_trace.get(),
            "error": error,
        }
        return json.dumps({key: self.redact(value) for key, value in fields.items() if value})


REPEAT_AFTER = 60.0  # seconds for which a warning is not logged again in the same words
MAX_REMEMBERED_WARNINGS = 500  # warnings that are remembered for that


class WarningThrottle(logging.Filter):
    """Passes the same warning once in `REPEAT_AFTER` seconds; the next one says how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        # By logger and message: when it was last printed, and how often it was left out since
        self._last_printed: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is to be printed; adds to its message how many like it were left out."""
        if record.levelno < logging.WARNING:
            return True
        key = record.name, record.getMessage()
        printed_at, left_out = self._last_printed.get(key, (-REPEAT_AFTER, 0))  # by default long ago
        if record.created - printed_at < REPEAT_AFTER:
            self._last_printed[key] = printed_at, left_out + 1
            return False
        if left_out:
            record.msg = f"{record.getMessage()} (and {left_out} times more before)"
            record.args = ()  # the message has them already
        self._last_printed[key] = record.created, 0
        if len(self._last_printed) > MAX_REMEMBERED_WARNINGS:
            self._last_printed.clear()  # at worst some are printed again too soon
        return True


# Libraries that log only warnings.
QUIET_LIBRARIES = (
    *("aiohttp", "telegram", "apscheduler", "sqlalchemy", "alembic", "asyncio", "concurrent.futures"),
    *("pebble", "asyncpg", "aiosqlite"),
)
# Loggers that print whole answers which are no JSON; the caller logs that in a line.
MUTED_LOGGERS = ("telegram.request.BaseRequest", "sqlalchemy.pool")


def configure_logging(level: str, secrets: Sequence[str], form: str = "text") -> None:
    """Log to standard error as `text` or `json`: the bot's lines, libraries' warnings, uncaught errors."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(secrets) if form == "json" else RedactingFormatter(secrets))
    handler.addFilter(WarningThrottle())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    library_level = max(logging.WARNING, logging.getLevelName(level))
    for name in QUIET_LIBRARIES:
        logging.getLogger(name).setLevel(library_level)
    for name in MUTED_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # above all levels: nothing is logged
    sys.excepthook = _log_uncaught
    sys.unraisablehook = _log_ignored
    threading.excepthook = _log_ignored


def _log_uncaught(kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    """Log an error that ends the process, but no KeyboardInterrupt."""
    if not issubclass(kind, KeyboardInterrupt):
        log.critical("the bot ends: %s", kind.__name__, exc_info=(kind, error, frames))


def _log_ignored(failed: "threading.ExceptHookArgs | UnraisableHookArgs") -> None:
    """Log an error of a thread or a destructor, after which the process goes on."""
    if failed.exc_value is not None:
        log.error("an error was not caught", exc_info=failed.exc_value)


def print_line(level: int, line: str) -> None:
    """Print a line for whoever runs a tool; as JSON of that level if the log is JSON."""
    if any(isinstance(handler.formatter, JsonFormatter) for handler in logging.getLogger().handlers):
        log.log(level, "%s", line)
    else:
        print(f"twentyfour-bot: {line}", file=sys.stderr)


CODE_FOLDER = Path(__file__).parent.parent  # of the bot's own code


def log_unexpected_error(log: logging.Logger, what: str, error: BaseException) -> None:
    """Log in one line what failed, the kind of error and its place in the bot's own code. The error's
    message is left out: it may quote what somebody wrote. The traceback is logged at DEBUG.
    """
    kind = type(getattr(error, "orig", None) or error).__name__  # SQLAlchemy wraps the driver's error
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if Path(frame.filename).is_relative_to(CODE_FOLDER)]
    place = ""
    if own_frames:
        innermost = own_frames[-1]
        place = f" ({Path(innermost.filename).relative_to(CODE_FOLDER)}:{innermost.lineno})"
    log.error("%s: %s%s", what, kind, place)
    log.debug("%s", what, exc_info=remove_error_text(error))


def remove_error_text(error: BaseException) -> BaseException:
    """Return a new error that is logged with the same class, traceback and causes, all without messages."""
    # A class of the same name: the error's own class might need arguments, or build a message
    bare_class = type(type(error).__name__, (Exception,), {"__module__": type(error).__module__})
    bare: BaseException = bare_class().with_traceback(error.__traceback__)
    cause = error.__cause__
    if cause is None and not error.__suppress_context__:  # as a traceback chooses what to show
        cause = error.__context__
    if cause is not None:
        bare.__cause__ = remove_error_text(cause)
    return bare


# The meaning of errors without a message.
MEANINGS_OF_CLASSES: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "timed out"),
    (ConnectionRefusedError, "the connection was refused"),
    (ConnectionError, "the connection was lost"),
    (EOFError, "the other end closed the connection"),
    (MemoryError, "out of memory"),
    (asyncio.CancelledError, "what it waited for was cancelled"),
)


def get_error_reason(error: BaseException) -> str:
    """Return the first line of an error's message; without one, the meaning or the name of its class."""
    for line in str(error).splitlines():
        if line.strip():
            return line.strip()
    for kind, meaning in MEANINGS_OF_CLASSES:
        if isinstance(error, kind):
            return meaning
    return type(error).__name__
