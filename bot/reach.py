"""Whether Telegram is reached from here, as each request shows by the way."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Reach:
    """What came of the requests of this process: an answer, whatever it says, or nothing."""

    monotonic: Callable[[], float] = time.monotonic
    heard: float = -math.inf
    """When the last answer came."""
    _since: float | None = None

    def answered(self) -> None:
        """Telegram has answered."""
        self.heard, self._since = self.monotonic(), None

    def failed(self, began: float) -> None:
        """To a request that began then no answer came."""
        if self._since is None:
            self._since = max(began, self.heard)

    @property
    def ago(self) -> float:
        """Seconds since the last answer."""
        return self.monotonic() - self.heard

    @property
    def lost(self) -> float:
        """Seconds for which no request has had an answer; 0 where the last one had one."""
        return 0.0 if self._since is None else self.monotonic() - self._since
