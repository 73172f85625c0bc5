"""Telegram's known flood limits.

https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.telegram.chats import Chat
from tests.telegram.clock import Clock
from tests.telegram.errors import too_many_requests


@dataclass(slots=True)
class Limits:
    """Posts allowed in sliding windows; off until `World.limits` is set."""

    chat_burst: int = 3  # Posts in one chat within `chat_seconds`
    chat_seconds: float = 3
    group_minute: int = 20  # Posts in one group within a minute
    second: int = 30  # Posts of the bot within a second, in all chats
    edits: bool = False  # Whether edits count as posts
    refusals: int = 0  # How often the bot was told to wait
    _posts: dict[int | None, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def admit(self, chat: int, *, group: bool, now: float) -> None:
        """Count one post; raises error 429 with the seconds to wait."""
        here, everywhere = self._posts[chat], self._posts[None]
        waits = [
            _compute_wait(everywhere, self.second, 1, now),
            _compute_wait(here, self.chat_burst, self.chat_seconds, now),
        ]
        if group:
            waits.append(_compute_wait(here, self.group_minute, 60, now))
        if max(waits) > 0:
            self.refusals += 1
            raise too_many_requests(math.ceil(max(waits)))
        here.append(now)
        everywhere.append(now)


class Flood:
    """Applies the world's limits to posts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.limits: Limits | None = None

    def admit(self, chat: Chat, *, edit: bool = False) -> None:
        """Count a post or an edit; raises error 429 if the bot has to wait."""
        limits = self.limits
        if limits is not None and (limits.edits or not edit):
            limits.admit(chat.id, group=chat.is_group, now=self._clock())


def _compute_wait(posts: deque[float], most: int, window: float, now: float) -> float:
    """Return the seconds until fewer than `most` posts are within the window."""
    while posts and posts[0] <= now - 60:
        posts.popleft()
    within = [moment for moment in posts if moment > now - window]
    return within[-most] + window - now if len(within) >= most else 0


def busiest(moments: Iterable[float], window: float = 60) -> int:
    """Return the largest number of moments within any window of that many seconds."""
    recent: deque[float] = deque()
    most = 0
    for moment in sorted(moments):
        recent.append(moment)
        while recent[0] <= moment - window:
            recent.popleft()
        most = max(most, len(recent))
    return most
