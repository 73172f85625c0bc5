"""Posts with a wrong secret or none, told in a line a minute: anyone on the internet can send them."""

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

SELDOM = 60.0
"""Seconds between two lines, however many posts there are."""


class Visitors:
    """How many were refused since that was last said; `monotonic` is the clock."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._refused = 0
        self._said: float | None = None

    def refuse(self) -> None:
        """One more was refused. What it sent is not said: it may be a secret, and is a stranger's word."""
        self._refused += 1
        now = self._monotonic()
        if self._said is not None and now - self._said < SELDOM:
            return
        log.warning(
            "posts to the webhook with a wrong secret, or none, were refused, %d since this was last said;"
            " where /healthz says that Telegram can't post, it has another WEBHOOK_SECRET, else somebody is"
            " trying",
            self._refused,
        )
        self._said, self._refused = now, 0
