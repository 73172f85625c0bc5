"""Follow one update through its handling and the requests that it caused, also past a restart.

Each update has a *trace*: `u` and Telegram's number of it; timed work has `t` and a random one. Every log
line that is written meanwhile names it, and a stored request carries it along.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_current: ContextVar[str] = ContextVar("trace", default="")


def get_current_trace() -> str:
    """Return the trace of the work in progress; "" for work that nothing caused."""
    return _current.get()


@contextmanager
def use_trace(trace: str) -> Iterator[None]:
    """Make `trace` the current one while the block runs."""
    token = _current.set(trace)  # holds the former trace
    try:
        yield
    finally:
        _current.reset(token)


CAUSE = "cause"  # the key of the trace in a request's body


def add_trace(body: Mapping[str, Any], trace: str) -> dict[str, Any]:
    """Return a copy of a request's body with the trace of what caused it; for "" without one."""
    return {**body, CAUSE: trace} if trace else dict(body)
