"""Serialises posts, so that a kill repeats one at most, and lets none keep the next waiting for long."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

# Seconds for which a post that Telegram has answered keeps the next one, until it is marked as delivered: as
# long as a bot that stands still may hold what the mark needs, before the others bury it.
STORED = 4.0


@dataclass(slots=True)
class SendTurn:
    """A post's time in which the next one waits.

    It is up a moment after it began, and some time after the request was `asked`: Telegram may be slow, and
    nobody waits long for that. What was `answered` has arrived: the next one waits until it is marked. One
    that is up before it is `ready` to ask has to wait for another, and comes before all who had none yet: it
    keeps a place of all that are under way, and once those who wait kept them all nobody could go.
    """

    mutex: "SendMutex | None"  # None where nobody waits
    _has: bool = False
    _asked: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        if self.mutex is not None:
            self._has = True
            self._last(self.mutex.overlap)

    async def prepare(self) -> None:
        """From here on it waits for nothing but the database until it asks."""
        if self.mutex is not None and not self._has:
            await self.mutex.acquire(again=True)
            self._has = True
        self._last(STORED)

    def mark_sent(self) -> None:
        """The request is sent now."""
        if self.mutex is not None:
            self._asked = asyncio.get_running_loop().time()
            self._last(self.mutex.overlap, looks=True)

    def mark_answered(self) -> None:
        """Telegram has answered."""
        self._last(STORED)

    def end(self) -> None:
        """It is marked, or came to nothing: the next one may go, if it didn't already."""
        has, self._has = self._has, False
        if self.mutex is not None and has:
            self.mutex.release()

    def _last(self, seconds: float, *, looks: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._has:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look if looks else self.end)

    def _look(self) -> None:
        if self.mutex is not None and self.mutex.may_still_block(
            asyncio.get_running_loop().time() - self._asked
        ):
            self._last(self.mutex.overlap, looks=True)
        else:
            self.end()


class SendMutex:
    """One post at a time, as long as each has its `Turn`.

    A post that Telegram hasn't answered keeps the next one for `overlap` seconds, and for longer where few
    wait: those who do share `patience` seconds among them, so that many are let go after a moment.
    """

    def __init__(self, overlap: float, patience: float) -> None:
        self.overlap = overlap
        self._patience = patience
        self._taken = False
        self._again, self._new = deque[asyncio.Future[None]](), deque[asyncio.Future[None]]()
        """Who waits: those who had a turn before, and the others behind them."""

    @asynccontextmanager
    async def take_turn(self, posts: bool) -> AsyncIterator[SendTurn]:
        """Wait until the post before is marked as delivered, or has had its time; only posts wait."""
        if not posts:
            yield SendTurn(None)
            return
        await self.acquire()
        turn = SendTurn(self)
        try:
            yield turn
        finally:
            turn.end()

    async def acquire(self, *, again: bool = False) -> None:
        """Wait until nobody else has their turn; whoever had one `again` before those who had none."""
        if not self._taken:
            self._taken = True
            return
        line, turn = self._again if again else self._new, asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given the turn just then
                self.release()
            elif turn in line:
                line.remove(turn)
            raise

    def release(self) -> None:
        """Whoever had their turn has it no longer: the next one does."""
        self._taken = False
        while not self._taken and (line := self._again or self._new):
            turn = line.popleft()
            if not turn.done():  # else it was cancelled, and whoever waited has not run yet
                turn.set_result(None)
                self._taken = True

    def may_still_block(self, since: float) -> bool:
        """Whether a post that was asked for so many seconds ago may still keep those who wait."""
        return since * max(len(self._again) + len(self._new), 1) < self._patience
