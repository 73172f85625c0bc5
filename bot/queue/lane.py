"""One chat's requests that wait, which of them goes next, and what is known of the chat meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.queue import pacing, secret
from bot.queue.pacing import Pace, Posts, is_post
from bot.queue.queries import SHOW_ROUND, QueuedRequest

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0  # Seconds to wait after the network failed; each failure doubles them


@dataclass(slots=True)
class Lane:
    """The requests of a chat, or of a person for answers to presses. Times are on the monotonic clock."""

    key: int  # The chat or the person
    waiting: list[QueuedRequest] = field(default_factory=list)
    posts: Posts = field(default_factory=Posts)
    redrawn: dict[int, float] = field(default_factory=dict)  # When a round was last drawn
    blocked_until: float = 0.0
    pause: float = FIRST_PAUSE  # Seconds to wait after the next failure of the network
    # When a request is looked at again that waits for nothing but a picture, by its id.
    later: dict[int, float] = field(default_factory=dict)
    # How often delivering a request failed for a reason of our own.
    failures: dict[int, int] = field(default_factory=dict)
    moved: float | None = None  # When Telegram first refused something since the chat has another id
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def over(self, now: float) -> bool:
        """Whether nothing of it needs remembering."""
        idle = not self.waiting and self.task is None
        return idle and self.posts.is_quiet(now) and self.blocked_until <= now

    def next(self, pace: Pace, now: float, wall: float) -> tuple[QueuedRequest, float]:
        """The first request whose time has come, and 0; else whose comes next, and the seconds until then."""
        best, soonest, posts_wait = self.waiting[0], float("inf"), False
        for request in sorted(self.waiting, key=pacing.rank):
            if posts_wait and is_post(request):
                continue
            ready = max(self._ready_at(request, pace, now, wall), self.later.get(request.id, 0.0))
            if ready <= now:
                return request, 0.0
            posts_wait |= is_post(request) and not request.body.get("aside")
            if ready < soonest:
                best, soonest = request, ready
        return best, soonest - now

    def _ready_at(self, request: QueuedRequest, pace: Pace, now: float, wall: float) -> float:
        if pacing.late(request, wall):
            return 0.0
        if "left" in request.body:
            return self.blocked_until  # it is looked for first, which no window hurries
        if (until := secret.waits_until(request.body)) is not None:
            room = max(self.blocked_until, pacing.find_post_time(pace, self.posts, request, now))
            return min(room, now + until - wall)
        if is_post(request):
            room = pacing.find_post_time(pace, self.posts, request, now) if self.key < 0 else 0.0
            return max(self.blocked_until, room)
        drawn = self.redrawn.get(request.body["round"]) if request.body.get("method") == SHOW_ROUND else None
        return self.blocked_until if drawn is None else max(self.blocked_until, drawn + pace.redraw_gap)

    def changed_by(self, request: QueuedRequest, *, later: bool) -> list[QueuedRequest]:
        """Those that wait and change the same message as the request, and were queued later, or before it."""
        message = _changes(request)
        return [
            other
            for other in self.waiting
            if message is not None and _changes(other) == message and (other.id > request.id) is later
            if other is not request
        ]

    def holds(self, request: QueuedRequest) -> bool:
        """Whether this very one still waits: its chat may have been another bot's meanwhile."""
        return any(waits is request for waits in self.waiting)

    def back_off(self, now: float) -> None:
        """The network failed: wait, each time longer."""
        self.blocked_until = now + self.pause
        self.pause = min(LONGEST_PAUSE, self.pause * 2)

    def drop(self, requests: Sequence[QueuedRequest]) -> None:
        """These don't wait any more. Told by identity: SQLite may give a later request the same id."""
        gone = {id(request) for request in requests}
        self.waiting = [request for request in self.waiting if id(request) not in gone]
        for request in requests:
            self.failures.pop(request.id, None)
            self.later.pop(request.id, None)


def _changes(request: QueuedRequest) -> int | None:
    """The message that it changes or deletes; None for neither, and for a round, drawn as it is."""
    changes = str(request.body.get("method", "")).startswith(("edit", "delete"))
    number = request.body.get("params", {}).get("message_id") if changes else None
    return number if isinstance(number, int) else None


def place(key: int) -> str:
    """A lane as a log may name it: a private chat's id is the person's."""
    return "a private chat" if key > 0 else f"chat {key}"
