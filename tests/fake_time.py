"""Time that jumps: a loop whose clock stands while anybody has work, and then goes to the next timer.

So a test of pauses, timeouts and deadlines runs in milliseconds, always alike, and sees exactly how long the
code waited. Threads and sockets have no place here: nobody waits for them.
"""

import asyncio
import functools
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

P = ParamSpec("P")
START = 5000.0  # What the clock shows at first, in seconds
MOST = 20_000  # Turns of the loop after which a test that goes on for ever fails


class _Clock(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Let the time pass that the loop would have waited."""
        assert timeout is not None, "everybody waits, and nothing is left that would wake them"
        self.now += max(timeout, 0.0)
        self._turns += 1
        assert self._turns < MOST, "it goes on for ever"
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on that clock."""

    def __init__(self) -> None:
        self._jumps = _Clock()
        super().__init__(self._jumps)

    def time(self) -> float:
        """The made-up time."""
        return self._jumps.now


def jumping(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run an async test on such a loop."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=JumpingLoop) as runner:
            runner.run(_awaited(test(*args, **kwargs)))

    return run


async def _awaited(test: Awaitable[None]) -> None:
    await test


def now() -> float:
    """The made-up time, for what takes a clock."""
    return asyncio.get_running_loop().time()


def wall() -> float:
    """The same as seconds since 1970."""
    return 1_000_000.0 + now()


async def passed(seconds: float = 0.0) -> None:
    """Let time pass; all that is due by then, or that can go on at once, has happened."""
    await asyncio.sleep(seconds)
    for _ in range(30):
        await asyncio.sleep(0)
