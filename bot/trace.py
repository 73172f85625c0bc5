"""Follows one update through its line, its effect and the requests that it caused, also past a restart.

Each update has a *trace*: `u` and Telegram's number of it; timed work has one of its own. Every log line that
is written meanwhile names it, and a stored request carries it along. Where OpenTelemetry is set up (see
`bot.telemetry`) the same steps are spans of one trace, by the W3C's rules of what an id is:
https://www.w3.org/TR/trace-context/
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from secrets import token_hex
from typing import Any

NONE = ""
CAUSE = "cause"
"""Where a request's body keeps its trace."""
_present: ContextVar[str] = ContextVar("trace", default=NONE)

Attributes = Mapping[str, str | int]
Open = Callable[[str, str, Attributes], AbstractContextManager[object]]
"""Opens a span: the trace, what is done in it, and what is to be known of that."""
_open: Open | None = None


def spans(open_span: Open | None) -> None:
    """Open a span for each step from now on; None: no more."""
    global _open
    _open = open_span


def present() -> str:
    """The trace of what is being done; empty for what nobody caused."""
    return _present.get()


def of_update(number: int) -> str:
    """An update's trace."""
    return f"u{number}"


def of_work() -> str:
    """A new one, for work that no update caused."""
    return f"t{token_hex(4)}"


@contextmanager
def following(trace: str, what: str, **attributes: str | int) -> Iterator[None]:
    """What is done within is done because of `trace`."""
    before = _present.set(trace)
    try:
        with step(what, **attributes):
            yield
    finally:
        _present.reset(before)


def marked(body: Mapping[str, Any], cause: str) -> dict[str, Any]:
    """A request's body, to be stored with the trace of what caused it."""
    return {**body, CAUSE: cause} if cause else dict(body)


def cause_of(body: Mapping[str, Any]) -> str:
    """The trace of what caused a request, empty where that is not known."""
    cause = body.get(CAUSE)
    return cause if isinstance(cause, str) else NONE


def step(what: str, **attributes: str | int) -> AbstractContextManager[object]:
    """A step within the present trace."""
    return nullcontext() if _open is None else _open(_present.get(), what, attributes)
