"""Limits on how much one person may ask: buckets of tokens that fill again, in bounded memory."""

import math
from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of requests at once, and a second on end."""

    burst: float
    per_second: float


# Buckets that are kept; of more, the one that was used least lately is let go, and is full the next time.
MAX_BUCKETS = 10_000


class RateLimiter:
    """One bucket for each person, all of one rate. Times are in seconds, by any clock that goes on."""

    def __init__(self, rate: Rate, max_buckets: int = MAX_BUCKETS) -> None:
        self._rate, self._most = rate, max_buckets
        # What was left in each when it was last looked at, and when that was.
        self._left = OrderedDict[int, tuple[float, float]]()

    def take_token(self, name: int, now: float) -> float:
        """Take a token; return 0, or the seconds after which there is one if none is left."""
        left, at = self._left.pop(name, (self._rate.burst, now))
        left = min(self._rate.burst, left + max(0.0, now - at) * self._rate.per_second)
        taken = left >= 1.0
        self._left[name] = (left - 1.0 if taken else left), now
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self._rate.per_second

    def __len__(self) -> int:
        return len(self._left)


def make_retry_after_header(seconds: float) -> dict[str, str]:
    """Return the header that says when to come again."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
