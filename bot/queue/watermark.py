"""Tracks the time up to which all updates have been received, and how far this machine's clock is off.

A deadline counts by the time an answer was *sent*, and an answer can be late: the bot or the network was
down, or Telegram held it back. So a deadline is acted on only once nothing sent before it can still arrive.
Whoever fetches updates reports the time up to which they are complete. Whoever waits for a time requests it,
since a long poll that began before the deadline proves nothing.
"""

import asyncio
import logging
import math
import sys
import threading
import time
from collections import deque

from bot.durations import DAY

log = logging.getLogger(__name__)

# Seconds by which a message's date may differ from the present time; beyond that the present time counts.
MAX_DATE_ERROR = 2 * DAY
LAG_SAMPLES = 20  # The latest posts by which the clocks are compared; the quickest of them tells most
DATE_RESOLUTION = 1.0  # Dates are in whole seconds
# Seconds by which this machine's clock may differ from Telegram's. Beyond that the operator is warned, and
# nothing is deleted, ended or announced by the time.
MAX_CLOCK_DIFFERENCE = 60.0
CLOCK_ADVICE = (
    "set it right (timedatectl set-ntp true); until then nothing is deleted and no round ends by the time"
)
MIN_CLOCK_JUMP = 1.0  # Seconds by which a clock must have been set to count as set
# Seconds that an update may need to reach Telegram's queue, or by which clocks may differ unnoticed
TRANSIT_GRACE = 2.0


class Watermark:
    """The time up to which all updates have been received, in seconds since 1970 by Telegram's clock."""

    def __init__(self, received_until: float = -math.inf) -> None:
        self.received_until = received_until  # All that was sent `TRANSIT_GRACE` before is stored
        self.requested_until = -math.inf  # The latest time that somebody waits for
        self.next_deadline = math.inf  # Somebody will wait for it; a long poll should not outlast it
        self.clock_ahead = 0.0  # Seconds by which this machine's clock is ahead of Telegram's
        self.is_compared = False  # Whether this machine's clock was ever compared with Telegram's
        self._lags: deque[float] = deque(maxlen=LAG_SAMPLES)
        self._lags_are_of_posts = False
        self._boot_time: float | None = None  # By the clock at the last look; it changes when that is set
        self._has_warned = False
        self._clock_lock = threading.Lock()  # clocks are also compared in the database's thread
        self._requested = asyncio.Event()
        self._received = asyncio.Event()

    # What has been received

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for a time that is not reached."""
        return self.requested_until > self.received_until

    def request_until(self, until: float) -> None:
        """Ask that everything sent before `until` be fetched soon; `wait_until_received` waits for it."""
        self.requested_until = max(self.requested_until, until)
        if self.is_awaited:
            self._received.clear()
            self._requested.set()

    def mark_received(self, until: float) -> None:
        """Record that everything sent up to `until` is stored, and wake those who wait if that is enough."""
        self.received_until = until  # may be an earlier time: then the clock was set
        if not self.is_awaited:
            self._requested.clear()
            self._received.set()

    def observe_update(self, dated: float, now: float) -> None:
        """Record that updates sent up to this date are stored; ignore one over a minute in the future."""
        if dated <= now + MAX_CLOCK_DIFFERENCE and dated > self.received_until:
            self.mark_received(dated)  # Telegram hands updates over in their order

    async def wait_for_request(self) -> None:
        """Wait until somebody waits for a time that is not reached."""
        await self._requested.wait()

    async def wait_until_received(self) -> None:
        """Wait until every requested time is reached."""
        if self.is_awaited:
            await self._received.wait()

    # How far this machine's clock is off; `here` is its present time

    @property
    def is_clock_right(self) -> bool:
        """Whether this machine's clock is known to be within a minute of Telegram's."""
        return self.is_compared and abs(self.clock_ahead) <= MAX_CLOCK_DIFFERENCE

    @property
    def clock_error(self) -> str:
        """The difference of the clocks in words, for the operator; empty if none is known."""
        if abs(self.clock_ahead) <= MAX_CLOCK_DIFFERENCE:
            return ""
        side = "ahead of" if self.clock_ahead > 0 else "behind"
        return f"this machine's clock is {abs(self.clock_ahead):.0f} s {side} Telegram's"

    def observe_response(self, dated: float, here: float) -> None:
        """Compare the clocks by the date in the header of a response, unless dates of posts are known."""
        with self._clock_lock:
            if not self._lags_are_of_posts:  # a Bot API server on this machine shows this machine's clock
                self._lags.append(here - dated)
                self._update_clock_ahead()

    def observe_post(self, dated: float, here: float) -> None:
        """Compare the clocks by the date that Telegram gave to a post; from now on responses don't count."""
        with self._clock_lock:
            if not self._lags_are_of_posts:
                self._lags_are_of_posts = True
                self._lags.clear()
            self._lags.append(here - dated)
            self._update_clock_ahead()

    def observe_message(self, dated: float, here: float) -> None:
        """Lower `clock_ahead` if the date of somebody's message, which may have come late, shows that."""
        with self._clock_lock:
            lag = here - dated
            if abs(lag) <= MAX_CLOCK_DIFFERENCE:
                self.is_compared = True
            if -MAX_DATE_ERROR <= lag < self.clock_ahead:
                self._set_clock_ahead(lag)

    def observe_uptime(self, here: float, uptime: float) -> None:
        """Correct `clock_ahead` if this machine's clock was set, seen by the `uptime` that nobody can set."""
        with self._clock_lock:
            boot_time = here - uptime
            if self._boot_time is None:
                self._boot_time = boot_time
            jump = boot_time - self._boot_time
            if abs(jump) > MIN_CLOCK_JUMP:
                self._boot_time = boot_time
                self._follow_jump(jump)

    def _follow_jump(self, jump: float) -> None:
        """Correct `clock_ahead` after this machine's clock was set by `jump` seconds."""
        log.info("this machine's clock was set by %+.0f s", jump)
        self._lags_are_of_posts = False  # the next response shows whether it was right before or is now
        if self._lags:
            self._lags = deque((lag + jump for lag in self._lags), maxlen=LAG_SAMPLES)
            self._update_clock_ahead()
        else:  # nothing is known of Telegram's clock: assume what ends a round later
            self._set_clock_ahead(max(0.0, self.clock_ahead + jump))

    def _update_clock_ahead(self) -> None:
        """Set `clock_ahead` by the lags, and log when the clock becomes wrong or right."""
        self.is_compared = True
        least = min(self._lags)
        # A lag within 0 and 1 s shows no difference, since dates are cut to whole seconds.
        if least > DATE_RESOLUTION:
            self._set_clock_ahead(least - DATE_RESOLUTION)
        else:
            self._set_clock_ahead(min(least, 0.0))
        if self.clock_error and not self._has_warned:
            log.warning("%s: %s", self.clock_error, CLOCK_ADVICE)
        elif self._has_warned and not self.clock_error:
            log.info("this machine's clock agrees with Telegram's again")
        self._has_warned = bool(self.clock_error)

    def _set_clock_ahead(self, ahead: float) -> None:
        """Set `clock_ahead`; if it grows, lower `received_until`, which came from a clock that was ahead."""
        self.received_until -= max(0.0, ahead - self.clock_ahead)
        self.clock_ahead = ahead


def resolve_sent_time(dated: float, here: float) -> float:
    """Return a message's date, or the present time `here` if the date is days off."""
    return dated if abs(dated - here) <= MAX_DATE_ERROR else here  # Telegram keeps updates for a day


def read_uptime() -> float:
    """Return seconds by a clock that nobody can set; on Linux it goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()
