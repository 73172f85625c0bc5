"""Follows one update through its lane, its effect and the requests that it caused, also past a restart.

Each update has a *trace*: `u` and Telegram's number of it; timed work has a random one. Every log line that
is written meanwhile names it, and a stored request carries it along.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from secrets import token_hex
from typing import Any

NONE = ""
CAUSE = "cause"  # where a request's body keeps its trace
_present: ContextVar[str] = ContextVar("trace", default=NONE)


def get_current_trace() -> str:
    """The trace of what is being done; empty for what nobody caused."""
    return _present.get()


def make_update_trace(number: int) -> str:
    """An update's trace."""
    return f"u{number}"


def make_work_trace() -> str:
    """A new one, for work that no update caused."""
    return f"t{token_hex(4)}"


@contextmanager
def use_trace(trace: str) -> Iterator[None]:
    """Make `trace` the present one while the block runs."""
    before = _present.set(trace)
    try:
        yield
    finally:
        _present.reset(before)


def add_trace(body: Mapping[str, Any], cause: str) -> dict[str, Any]:
    """A request's body, to be stored with the trace of what caused it."""
    return {**body, CAUSE: cause} if cause else dict(body)


def read_trace(body: Mapping[str, Any]) -> str:
    """The trace of what caused a request, empty where that is not known."""
    cause = body.get(CAUSE)
    return cause if isinstance(cause, str) else NONE
