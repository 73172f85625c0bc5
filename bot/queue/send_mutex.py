"""Lets one post at a time be on its way, so that a kill repeats one at most, unless many wait for it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

# Seconds for which a post that Telegram has answered keeps its turn until it is marked as delivered. A frozen
# bot may hold the database's locks for so long, before other bots take over.
MARKING_TIME = 4.0


@dataclass(slots=True)
class SendTurn:
    """The turn of a post, while which other posts wait.

    A turn ends `overlap` seconds after it began. It is renewed once the post is sent, and again once Telegram
    has answered, until the post is marked as delivered. A post whose turn has ended before it could be sent
    gets another one, before all that had none yet.
    """

    mutex: "SendMutex | None"  # None for a request that is no post: it does not wait
    _is_current: bool = False
    _sent_at: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        if self.mutex is not None:
            self._is_current = True
            self._set_timer(self.mutex.overlap)

    async def prepare(self) -> None:
        """Wait for another turn if this one has ended; the post is about to be sent."""
        if self.mutex is not None and not self._is_current:
            await self.mutex.acquire(again=True)
            self._is_current = True
        self._set_timer(MARKING_TIME)

    def mark_sent(self) -> None:
        """Keep the turn for as long as others can wait for Telegram's answer."""
        if self.mutex is not None:
            self._sent_at = asyncio.get_running_loop().time()
            self._set_timer(self.mutex.overlap, is_sent=True)

    def mark_answered(self) -> None:
        """Keep the turn until the post is marked as delivered."""
        self._set_timer(MARKING_TIME)

    def end(self) -> None:
        """Let the next post go, if the turn has not ended yet."""
        was_current, self._is_current = self._is_current, False
        if self.mutex is not None and was_current:
            self.mutex.release()

    def _set_timer(self, seconds: float, *, is_sent: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._is_current:
            call = self._end_if_others_wait if is_sent else self.end
            self._timer = asyncio.get_running_loop().call_later(seconds, call)

    def _end_if_others_wait(self) -> None:
        waited = asyncio.get_running_loop().time() - self._sent_at
        if self.mutex is not None and self.mutex.may_still_block(waited):
            self._set_timer(self.mutex.overlap, is_sent=True)
        else:
            self.end()


class SendMutex:
    """Gives turns to posts, one at a time.

    A post that Telegram hasn't answered keeps the next one for `overlap` seconds, and for longer if few wait:
    those who wait share `patience` seconds among them.
    """

    def __init__(self, overlap: float, patience: float) -> None:
        self.overlap = overlap
        self._patience = patience
        self._is_taken = False
        self._waiting_again = deque[asyncio.Future[None]]()
        """Posts whose turn has ended before they could be sent: they come first."""
        self._waiting = deque[asyncio.Future[None]]()

    @asynccontextmanager
    async def take_turn(self, is_post: bool) -> AsyncIterator[SendTurn]:
        """Wait for a turn, and end it at the end of the block; a request that is no post does not wait."""
        if not is_post:
            yield SendTurn(None)
            return
        await self.acquire()
        turn = SendTurn(self)
        try:
            yield turn
        finally:
            turn.end()

    async def acquire(self, *, again: bool = False) -> None:
        """Wait until no other post has a turn; `again` for one that has had a turn."""
        if not self._is_taken:
            self._is_taken = True
            return
        waiting = self._waiting_again if again else self._waiting
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn was given just before
                self.release()
            elif turn in waiting:
                waiting.remove(turn)
            raise

    def release(self) -> None:
        self._is_taken = False
        while not self._is_taken and (waiting := self._waiting_again or self._waiting):
            turn = waiting.popleft()
            if not turn.done():  # else it was cancelled, and its task has not run yet
                turn.set_result(None)
                self._is_taken = True

    def may_still_block(self, seconds: float) -> bool:
        """Whether a post that was sent so many seconds ago may still make others wait."""
        return seconds * max(len(self._waiting_again) + len(self._waiting), 1) < self._patience
