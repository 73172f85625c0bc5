"""One chat's requests that wait, and what is known of the chat for as long as any of it counts."""

import asyncio
from dataclasses import dataclass, field

from bot.delivery import queries as mail
from bot.delivery.doubt import Doubt
from bot.delivery.pacing import Posts


@dataclass(slots=True)
class Lane:
    """The requests of a chat, or of a person for answers to presses."""

    key: int
    """The chat or the person."""
    waiting: list[mail.QueuedRequest] = field(default_factory=list)
    posts: Posts = field(default_factory=Posts)
    redrawn: dict[int, float] = field(default_factory=dict)
    """When a round was last drawn, on the monotonic clock."""
    blocked_until: float = 0.0
    pause: float = 1.0
    """Seconds to wait after the next failure of the network."""
    failures: dict[int, int] = field(default_factory=dict)
    """How often delivering a letter failed for a reason of our own."""
    doubts: dict[int, Doubt] = field(default_factory=dict)
    """What is to be found out of a letter before it is sent again."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def over(self, now: float) -> bool:
        """Whether nothing of it needs remembering."""
        idle = not self.waiting and self.task is None
        return idle and self.posts.quiet(now) and self.blocked_until <= now
