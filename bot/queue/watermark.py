"""Up to when everything that people sent has been taken in.

A deadline counts by when an answer was *sent*, and an answer may be on its way for long: the bot was down,
the network was, or Telegram holds it back. So whatever closes at a deadline waits until nothing sent before
it can still arrive. Who fetches updates reports how far they are known to be complete, and whoever waits for
that says so, since a long poll that began before the deadline proves nothing.
"""

import asyncio
import logging
import math
import sys
import threading
import time
from collections import deque

log = logging.getLogger(__name__)

# Seconds by which a message's date may differ from the present time; beyond that the present time counts.
MAX_DATE_ERROR = 2 * 86_400.0
# The latest posts whose dates tell how far the clocks are apart: the quickest of them tells it best.
POSTS = 20
WHOLE = 1.0  # Seconds that a date may lack, since it is in whole ones
# Seconds by which this machine's clock may differ from Telegram's before a person is told to set it right,
# and nothing is deleted, ended or announced by the time.
APART = 60.0
CLOCK_ADVICE = (
    "set it right (timedatectl set-ntp true); until then nothing is deleted and no round ends by the time"
)
JUMP = 1.0  # Seconds by which a clock must have been set for that to count
# Seconds that something sent may need to reach Telegram's queue, or that clocks may differ unnoticed.
TRANSIT_GRACE = 2.0


class Watermark:
    """What is known of updates that may still arrive. Times are seconds since 1970 by Telegram's clock."""

    def __init__(self, through: float = -math.inf) -> None:
        self.received_until = through
        """Everything that was sent up to `GRACE` before this has been stored; infinite where nothing is ever
        on its way.
        """
        self.next_deadline = math.inf
        """The next time at which somebody will want to know; a long poll should not outlast it."""
        self.clock_ahead = 0.0
        """Seconds by which this machine's clock is ahead of Telegram's; negative where it is behind."""
        self.is_compared = False
        """Whether this machine's clock was compared with Telegram's."""
        self._lags: deque[float] = deque(maxlen=POSTS)
        self._by_posts = False
        """Whether the lags are those of posts; until the first post, those of answers to any request."""
        self._apart: float | None = None
        """How far this machine's clock and the one that nobody sets were apart at the last look."""
        self._warned = False
        self._clocks = threading.Lock()
        """Held while clocks are compared: receipts are written in the database's own thread."""
        self._wanted = -math.inf
        self._asked = asyncio.Event()
        self._came = asyncio.Event()

    @property
    def requested_until(self) -> float:
        """The latest time for which completeness is waited for."""
        return self._wanted

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for more than is known."""
        return self._wanted > self.received_until

    def request(self, until: float) -> None:
        """Ask that everything sent before `until` be taken in soon."""
        self._wanted = max(self._wanted, until)
        if self.is_awaited:
            self._came.clear()
            self._asked.set()

    def mark_received(self, began: float) -> None:
        """A look at Telegram's queue that began at `began` has come back, and all it showed is stored."""
        self.received_until = (
            began  # also backwards: then the clock was set, and what was known before is void
        )
        if not self.is_awaited:
            self._asked.clear()
            self._came.set()

    def observe_update(self, dated: float, now: float) -> None:
        """An update dated `dated` has been stored at `now`: with it what was sent well before, in its order.

        That is known also where Telegram hands over only a part of what it holds, or never stops. Of its own
        second it tells nothing, since dates are whole ones: more of that second may follow.
        """
        if dated <= now + APART and dated > self.received_until:
            self.mark_received(dated)

    @property
    def is_clock_right(self) -> bool:
        """Whether this machine's clock is known to be within a minute of Telegram's."""
        return self.is_compared and abs(self.clock_ahead) <= APART

    def observe_response(self, dated: float, here: float) -> None:
        """Compare the clocks by the date in the header of an answer that has come at `here` by our own clock.

        It counts until a post is dated: a Bot API server on this machine would show this machine's own clock.
        """
        with self._clocks:
            if not self._by_posts:
                self._lags.append(here - dated)
                self._learn()

    def observe_post(self, dated: float, here: float) -> None:
        """A post of the bot that was dated `dated` by Telegram has come back at `here` by our own clock."""
        with self._clocks:
            if not self._by_posts:
                self._by_posts = True
                self._lags.clear()
            self._lags.append(here - dated)
            self._learn()

    def observe_message(self, dated: float, here: float) -> None:
        """Somebody's message, dated `dated`, has come at `here`: our clock is no further ahead than that.

        It may have been on its way for long, so it never shows that our clock is ahead.
        """
        with self._clocks:
            self.is_compared = self.is_compared or abs(here - dated) <= APART
            if -MAX_DATE_ERROR <= here - dated < self.clock_ahead:
                self._is_ahead(here - dated)

    def observe_uptime(self, here: float, uptime: float) -> None:
        """Our clock shows `here` at `uptime` by one that nobody sets: so it is seen when somebody sets ours.

        Where nothing was learnt of Telegram's clock before that, nobody knows whether ours is right now or
        was right before. Then what closes a round later is believed.
        """
        with self._clocks:
            apart = here - uptime
            if self._apart is None:
                self._apart = apart
            jump = apart - self._apart
            if abs(jump) > JUMP:
                self._apart = apart
                self._was_set(jump)

    def _was_set(self, jump: float) -> None:
        log.info("this machine's clock was set by %+.0f s", jump)
        self._by_posts = False  # was it right before or is it now? The next answer shows that
        if self._lags:
            self._lags = deque((lag + jump for lag in self._lags), maxlen=POSTS)
            self._learn()
        else:
            self._is_ahead(max(0.0, self.clock_ahead + jump))

    def _learn(self) -> None:
        """See by the lags how far our clock is ahead, and tell whoever runs the bot if that is far."""
        least = min(self._lags)
        self.is_compared = True
        self._is_ahead(least - WHOLE if least > WHOLE else min(least, 0.0))
        if self.clock_error and not self._warned:
            log.warning("%s: %s", self.clock_error, CLOCK_ADVICE)
        elif self._warned and not self.clock_error:
            log.info("this machine's clock agrees with Telegram's again")
        self._warned = bool(self.clock_error)

    @property
    def clock_error(self) -> str:
        """How far the clocks are apart, in words for an operator; empty where they agree, or nobody knows."""
        if abs(self.clock_ahead) <= APART:
            return ""
        side = "ahead of" if self.clock_ahead > 0 else "behind"
        return f"this machine's clock is {abs(self.clock_ahead):.0f} s {side} Telegram's"

    def _is_ahead(self, ahead: float) -> None:
        """Believe that. What had come by a clock that showed too much, had come only up to a time before."""
        self.received_until -= max(0.0, ahead - self.clock_ahead)
        self.clock_ahead = ahead

    async def wait_for_request(self) -> None:
        """Wait until somebody waits to know what was sent later than is known."""
        await self._asked.wait()

    async def wait_until_received(self) -> None:
        """Wait until all that was asked for is taken in."""
        if self.is_awaited:
            await self._came.wait()


def resolve_sent_time(dated: float, here: float) -> float:
    """The time of a message: its own date, unless that is days away from `here`, the present time.

    Telegram keeps updates for a day, so such a date is wrong.
    """
    return dated if abs(dated - here) <= MAX_DATE_ERROR else here


def read_uptime() -> float:
    """Seconds by a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()
