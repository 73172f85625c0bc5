"""How fast a chat is written to, and who goes first where not everything can be said at once.

Telegram takes about twenty posts a minute in a group. So that a flood of questions never keeps a round
waiting, in each group

- what belongs to a round goes first: the deal, its redraws, the win with its trophy, the next hand. Then
  everything else that is not an aside; among their like, requests keep their order;
- an *aside* is an answer to a command or to an answer, in words. It goes only while the last minute saw fewer
  posts than `Pace.asides_a_minute`, and fewer than `Pace.for_one` asides of the same person, so that there is
  always room for a round and for whoever asked for little: the first aside for a person still goes where
  others have filled that by as many as `FIRST`;
- at most `ASIDES` asides wait, and `ASIDES_FOR_ONE` of a person. Whoever asks for more is not answered, and
  costs no work. What waits already is not queued again in the same words, unless it waits only because
  somebody else has asked for too much;
- an aside that could not go within `LATE` seconds is dropped;
- at most `LOOKS` looks wait: reactions other than the trophy;
- what is told to one person alone is paced like an aside, but goes another way where its turn comes too late.

A deal, a win, an answer to a press, a file, and whatever goes to a private chat is never dropped.
"""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.durations import MINUTE
from bot.queue import private_delivery
from bot.queue.queries import DRAWN_POST_PREFIX, SEND_PERSONAL_DATA, SHOW_ROUND, TELL_PRIVATELY, QueuedRequest

LATE = 60.0  # Seconds from being written after which an aside is of no use to anybody
ASIDES, ASIDES_FOR_ONE = 4, 2
FIRST = 2  # More posts within a minute up to which the first aside for a person goes
LOOKS = 20
TROPHY = "🏆"  # The reaction to an answer that scores


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a chat may be written to."""

    # New messages in a group within any minute: one under Telegram's limit, since a kill can hide one.
    posts_a_minute: int = 19
    # New messages in all chats, where several bots share one token and one database; a bot that is alone
    # waits where Telegram says so.
    posts_a_second: int = 30
    redraw_gap: float = 1.0  # Seconds between two edits of one message
    # Seconds in which Telegram may answer before a post no longer keeps many others waiting, in any chat. A
    # post that has arrived but is not marked done yet when the process is killed is made again; as long as
    # Telegram answers in less time than this, that is one post at most, however busy the machine is. Edits
    # and reactions don't wait: they can be repeated without anybody noticing.
    overlap: float = 0.1
    # Seconds that those who wait for such an answer share: one waits for so long, ten for a tenth of it.
    patience: float = 0.5

    @property
    def asides_a_minute(self) -> int:
        """Posts within a minute up to which asides may be among them."""
        return self.posts_a_minute * 3 // 4

    @property
    def asides_per_person(self) -> int:
        """Asides for one person within a minute."""
        return self.posts_a_minute // 3

    @property
    def commands_a_minute(self) -> int:
        """What one person may ask for in a group: more than it can be dealt, so that no player meets it."""
        return self.posts_a_minute + 5

    @property
    def presses_a_minute(self) -> int:
        """Buttons that one person may press in a group before they are told to slow down."""
        return 2 * self.posts_a_minute


@dataclass(slots=True)
class RecentPosts:
    """The posts of the last minute in one chat, on the monotonic clock."""

    posts: deque[tuple[float, int]] = field(default_factory=deque)  # When, and for whom if it was an aside

    def add(self, at: float, person_id: int = 0) -> None:
        """Count one; `by` is 0 unless it is an aside for somebody."""
        self.posts.append((at, person_id))

    def find_free_time(self, limit: int, now: float, person_id: int | None = None) -> float:
        """When fewer than `most` lie within a minute: of all, or of the asides for `by`."""
        while self.posts and now - self.posts[0][0] >= MINUTE:
            self.posts.popleft()
        counted = [at for at, who in self.posts if person_id is None or who == person_id]
        return counted[-limit] + MINUTE if len(counted) >= limit else 0.0

    def is_quiet(self, now: float) -> bool:
        """Whether none lies within a minute."""
        return not self.posts or now - self.posts[-1][0] >= MINUTE


def is_aside(lane: int, body: dict[str, Any]) -> bool:
    """Whether a request that a message caused is an aside: words in a group that no round rests on."""
    rests = str(body.get("about", "")).partition(":")[0]
    return lane < 0 and body.get("method") == "sendMessage" and rests in {"", "daily"}


def is_minor_reaction(lane: int, body: dict[str, Any]) -> bool:
    """Whether a request only reacts to something that does not score."""
    return lane < 0 and body.get("method") == "setMessageReaction" and not _trophy(body)


def _trophy(body: dict[str, Any]) -> bool:
    return TROPHY in str(body["params"].get("reaction"))  # whatever shape a row gives it


def get_priority(request: QueuedRequest) -> int:
    """Who goes first in a group: the smaller. In private everything keeps its order."""
    if request.lane >= 0:
        return 1
    method = request.body.get("method")
    if method == SHOW_ROUND or (method == "setMessageReaction" and _trophy(request.body)):
        return 0
    return 2 if request.body.get("aside") else 1


def is_post(request: QueuedRequest) -> bool:
    """Whether the request makes a new message."""
    method = str(request.body.get("method"))
    if method == SHOW_ROUND:
        return bool(request.body.get("new"))
    if method == TELL_PRIVATELY:
        return private_delivery.get_current_way(request.body) != private_delivery.ALERT
    return method.startswith(("send", DRAWN_POST_PREFIX)) or method == SEND_PERSONAL_DATA


def is_expired(request: QueuedRequest, wall: float) -> bool:
    """Whether nobody wants it any more. What is told to one person goes another way instead."""
    if request.body.get("method") == TELL_PRIVATELY:
        return False
    return bool(request.body.get("aside")) and wall - request.stored_at > LATE


def find_post_time(pace: Pace, posts: RecentPosts, request: QueuedRequest, now: float) -> float:
    """When a post may go to its group."""
    if not request.body.get("aside"):
        return posts.find_free_time(pace.posts_a_minute, now)
    if request.caused_by and posts.find_free_time(1, now, request.caused_by) <= now:
        return posts.find_free_time(pace.asides_a_minute + FIRST, now)
    theirs = (
        posts.find_free_time(pace.asides_per_person, now, request.caused_by) if request.caused_by else 0.0
    )
    return max(posts.find_free_time(pace.asides_a_minute, now), theirs)


@dataclass(frozen=True, slots=True)
class Room:
    """What a chat still has room for."""

    has_aside_room: bool = True
    has_reaction_room: bool = True
    queued_texts: Collection[str] = ()  # The asides that wait and will go as soon as this one

    def accepts(self, lane: int, body: dict[str, Any]) -> bool:
        """Whether a request that a message caused is worth storing."""
        if is_minor_reaction(lane, body):
            return self.has_reaction_room
        return not is_aside(lane, body) or (
            self.has_aside_room and body["params"].get("text") not in self.queued_texts
        )


def find_limited_people(
    pace: Pace, posts: RecentPosts, waiting: Iterable[QueuedRequest], now: float
) -> set[int]:
    """Those of the people whose asides wait who have had their share of the last minute."""
    people = {request.caused_by for request in waiting if request.caused_by and request.body.get("aside")}
    return {person for person in people if posts.find_free_time(pace.asides_per_person, now, person) > now}


def compute_room(
    person: int, waiting: Iterable[QueuedRequest], wall: float, held: Collection[int] = ()
) -> Room:
    """What there is room for when `person` asks; what waits for somebody who is `held` helps nobody else."""
    queued = list(waiting)
    asides = [request for request in queued if request.body.get("aside") and not is_expired(request, wall)]
    soon = [request for request in asides if request.caused_by == person or request.caused_by not in held]
    mine = sum(request.caused_by == person for request in asides) if person else 0
    return Room(
        has_aside_room=len(asides) < ASIDES and mine < ASIDES_FOR_ONE,
        has_reaction_room=sum(is_minor_reaction(request.lane, request.body) for request in queued) < LOOKS,
        queued_texts={str(request.body["params"].get("text")) for request in soon},
    )


FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0  # Seconds to wait after the network failed; each failure doubles them


@dataclass(slots=True)
class Lane:
    """The requests of a chat, or of a person for answers to presses. Times are on the monotonic clock."""

    key: int  # The chat or the person
    waiting: list[QueuedRequest] = field(default_factory=list)
    posts: RecentPosts = field(default_factory=RecentPosts)
    drawn_at: dict[int, float] = field(default_factory=dict)  # When a round was last drawn
    blocked_until: float = 0.0
    pause: float = FIRST_PAUSE  # Seconds to wait after the next failure of the network
    # When a request is looked at again that waits for nothing but a picture, by its id.
    recheck_at: dict[int, float] = field(default_factory=dict)
    # How often delivering a request failed for a reason of our own.
    failures: dict[int, int] = field(default_factory=dict)
    migrated_at: float | None = None  # When Telegram first refused something since the chat has another id
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def is_over(self, now: float) -> bool:
        """Whether nothing of it needs remembering."""
        idle = not self.waiting and self.task is None
        return idle and self.posts.is_quiet(now) and self.blocked_until <= now

    def choose_next(self, pace: Pace, now: float, wall: float) -> tuple[QueuedRequest, float]:
        """The first request whose time has come, and 0; else whose comes next, and the seconds until then."""
        best, soonest, posts_wait = self.waiting[0], float("inf"), False
        for request in sorted(self.waiting, key=get_priority):
            if posts_wait and is_post(request):
                continue
            ready = max(self._ready_at(request, pace, now, wall), self.recheck_at.get(request.id, 0.0))
            if ready <= now:
                return request, 0.0
            posts_wait |= is_post(request) and not request.body.get("aside")
            if ready < soonest:
                best, soonest = request, ready
        return best, soonest - now

    def _ready_at(self, request: QueuedRequest, pace: Pace, now: float, wall: float) -> float:
        if is_expired(request, wall):
            return 0.0
        if "left" in request.body:
            return self.blocked_until  # it is looked for first, which no window hurries
        if (until := private_delivery.get_waiting_limit(request.body)) is not None:
            room = max(self.blocked_until, find_post_time(pace, self.posts, request, now))
            return min(room, now + until - wall)
        if is_post(request):
            room = find_post_time(pace, self.posts, request, now) if self.key < 0 else 0.0
            return max(self.blocked_until, room)
        drawn = self.drawn_at.get(request.body["round"]) if request.body.get("method") == SHOW_ROUND else None
        return self.blocked_until if drawn is None else max(self.blocked_until, drawn + pace.redraw_gap)

    def find_edits_of_same_message(self, request: QueuedRequest, *, later: bool) -> list[QueuedRequest]:
        """Those that wait and change the same message as the request, and were queued later, or before it."""
        message = _changes(request)
        return [
            other
            for other in self.waiting
            if message is not None and _changes(other) == message and (other.id > request.id) is later
            if other is not request
        ]

    def is_waiting(self, request: QueuedRequest) -> bool:
        """Whether this very one still waits: its chat may have been another bot's meanwhile."""
        return any(waits is request for waits in self.waiting)

    def back_off(self, now: float) -> None:
        """The network failed: wait, each time longer."""
        self.blocked_until = now + self.pause
        self.pause = min(LONGEST_PAUSE, self.pause * 2)

    def remove(self, requests: Sequence[QueuedRequest]) -> None:
        """These don't wait any more. Told by identity: SQLite may give a later request the same id."""
        gone = {id(request) for request in requests}
        self.waiting = [request for request in self.waiting if id(request) not in gone]
        for request in requests:
            self.failures.pop(request.id, None)
            self.recheck_at.pop(request.id, None)


def _changes(request: QueuedRequest) -> int | None:
    """The message that it changes or deletes; None for neither, and for a round, drawn as it is."""
    changes = str(request.body.get("method", "")).startswith(("edit", "delete"))
    number = request.body.get("params", {}).get("message_id") if changes else None
    return number if isinstance(number, int) else None


def describe_lane(key: int) -> str:
    """A lane as a log may name it: a private chat's id is the person's."""
    return "a private chat" if key > 0 else f"chat {key}"
