"""An event loop with a fake clock, which stands still while a task can run and then jumps to the next timer.

A test of pauses, timeouts and deadlines runs in milliseconds, the same each time, and sees exactly how long
the code waited. It can't use threads or sockets: the loop does not wait for them.
"""

import asyncio
import functools
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

P = ParamSpec("P")
START = 5000.0  # Time of the clock when a test begins, in seconds
MAX_TURNS = 20_000  # Turns of the loop after which an endless test fails


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Move the clock by the time that the loop would have waited."""
        assert timeout is not None, "all tasks wait, and no timer is set that would wake one"
        self.now += max(timeout, 0.0)
        self._turns += 1
        assert self._turns < MAX_TURNS, "the test does not end"
        return super().select(0)


class FakeTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._selector_clock = _JumpingSelector()
        super().__init__(self._selector_clock)

    def time(self) -> float:
        """Return the fake time in seconds."""
        return self._selector_clock.now


def with_fake_time(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run an async test on a loop with a fake clock."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
            runner.run(_await_test(test(*args, **kwargs)))

    return run


async def _await_test(test: Awaitable[None]) -> None:
    await test


def now() -> float:
    """Return the fake time, as `time.monotonic` does; to be passed as a clock."""
    return asyncio.get_running_loop().time()


def wall_time() -> float:
    """Return the fake time in seconds since 1970."""
    return 1_000_000.0 + now()


async def advance_time(seconds: float = 0.0) -> None:
    """Let time pass; then run all that is due or ready."""
    await asyncio.sleep(seconds)
    for _ in range(30):
        await asyncio.sleep(0)
