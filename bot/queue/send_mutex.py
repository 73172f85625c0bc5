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
            self._end_after(self.mutex.overlap)

    async def prepare(self) -> None:
        """Take another turn if this one has ended. Then time it anew, as a commit may come first."""
        if self.mutex is not None and not self._is_current:
            await self.mutex.acquire(again=True)
            self._is_current = True
        self._end_after(MARKING_TIME)

    def mark_sent(self) -> None:
        """Keep the turn for as long as others can wait for Telegram's answer."""
        if self.mutex is not None:
            self._sent_at = asyncio.get_running_loop().time()
            self._end_after(self.mutex.overlap, only_if_others_lose_patience=True)

    def mark_answered(self) -> None:
        """Keep the turn until the post is marked as delivered, for `MARKING_TIME` at most."""
        self._end_after(MARKING_TIME)

    def end(self) -> None:
        """Let the next post go, if the turn has not ended yet."""
        if self.mutex is not None and self._is_current:
            self._is_current = False
            self.mutex.release()

    def _end_after(self, seconds: float, *, only_if_others_lose_patience: bool = False) -> None:
        """Set the timer, in place of an earlier one, that ends the turn; none if the turn has ended."""
        if self._timer is not None:
            self._timer.cancel()
        if self._is_current:
            call = self._end_if_patience_is_over if only_if_others_lose_patience else self.end
            self._timer = asyncio.get_running_loop().call_later(seconds, call)

    def _end_if_patience_is_over(self) -> None:
        """End the turn if the posts that wait can wait no longer; else look again after `overlap` seconds."""
        seconds_since_sent = asyncio.get_running_loop().time() - self._sent_at
        if self.mutex is not None and self.mutex.may_still_block(seconds_since_sent):
            self._end_after(self.mutex.overlap, only_if_others_lose_patience=True)
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
        self._waiting_again = deque[asyncio.Future[None]]()  # They come first
        self._waiting = deque[asyncio.Future[None]]()

    @asynccontextmanager
    async def take_turn(self, is_post: bool) -> AsyncIterator[SendTurn]:
        """Wait for a turn, and end it at the end of the block; a request that is no post does not wait."""
        if not is_post:
            yield SendTurn(mutex=None)
            return
        await self.acquire()
        turn = SendTurn(self)
        try:
            yield turn
        finally:
            turn.end()

    async def acquire(self, *, again: bool = False) -> None:
        """Wait until no other post has a turn, and take it; `again`: before those that have had none."""
        if not self._is_taken:
            self._is_taken = True
            return
        waiting = self._waiting_again if again else self._waiting
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just before the cancellation
                self.release()
            elif turn in waiting:
                waiting.remove(turn)
            raise

    def release(self) -> None:
        """Give the turn to the next post that waits, if any."""
        self._is_taken = False
        while self._waiting_again or self._waiting:
            first_queue = self._waiting_again or self._waiting
            turn = first_queue.popleft()
            if not turn.done():  # else it was cancelled, and its task has not run yet
                turn.set_result(None)
                self._is_taken = True
                return

    def may_still_block(self, seconds: float) -> bool:
        """Whether a post sent so many seconds ago may still make others wait; less long the more wait."""
        waiting_count = len(self._waiting_again) + len(self._waiting)
        share = self._patience / max(waiting_count, 1)
        return seconds < share
