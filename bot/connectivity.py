"""Tracks whether Telegram can be reached from here, by the requests that are sent anyway."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Connectivity:
    """Counts the answers and failures of this process's requests to Telegram."""

    monotonic: Callable[[], float] = time.monotonic
    last_answer_at: float = -math.inf  # when the last answer came
    _since: float | None = None

    def record_answer(self) -> None:
        """Note an answer, whatever it says."""
        self.last_answer_at, self._since = self.monotonic(), None

    def record_failure(self, began: float) -> None:
        """Note that a request from `began` had no answer."""
        if self._since is None:
            self._since = max(began, self.last_answer_at)

    @property
    def answer_age(self) -> float:
        """Seconds since the last answer."""
        return self.monotonic() - self.last_answer_at

    @property
    def outage_seconds(self) -> float:
        """Seconds for which no request has had an answer; 0 after an answer."""
        return 0.0 if self._since is None else self.monotonic() - self._since
