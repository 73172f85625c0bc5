"""Decides which request of a chat goes next, and when.

Telegram takes about twenty posts a minute in a group. So that a flood of questions never keeps a round
waiting, in each group

- what belongs to a round goes first: the deal, its redraws, the win with its trophy, the next hand. Then
  comes everything else but asides. Requests of the same priority keep their order;
- an *aside* is an answer in words to a command or to an answer. It goes only while the last minute saw fewer
  posts than `Pace.asides_a_minute`, and fewer than `Pace.asides_per_person` asides of the same person. The
  first aside for a person may exceed the former by `FIRST_ASIDE_BONUS`;
- at most `MAX_ASIDES` asides wait, and `MAX_ASIDES_PER_PERSON` of one person; the rest are not stored. Nor is
  an aside in the same words as one that waits, unless that person has asked for too much;
- an aside that has waited for `MAX_ASIDE_AGE` seconds is dropped;
- at most `MAX_REACTIONS` reactions other than the trophy wait;
- a private answer is paced like an aside, but goes another way if it has to wait too long.

A deal, a win, an answer to a press, a file, and whatever goes to a private chat is never dropped.
"""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.durations import MINUTE
from bot.queue import private_delivery, queries
from bot.queue.queries import DRAWN_POST_PREFIX, SEND_PERSONAL_DATA, SHOW_ROUND, TELL_PRIVATELY, QueuedRequest

MAX_ASIDE_AGE = 60.0  # Seconds
MAX_ASIDES, MAX_ASIDES_PER_PERSON = 4, 2
FIRST_ASIDE_BONUS = 2  # Posts within a minute
MAX_REACTIONS = 20
TROPHY = "🏆"  # The reaction to an answer that scores


@dataclass(frozen=True, slots=True)
class Pace:
    """Limits for the posts and edits in a chat."""

    # Posts in a group within any minute: one under Telegram's limit, since a kill can hide one
    posts_a_minute: int = 19
    # Posts in all chats, for several bots with one token; a bot that is alone waits when Telegram says so
    posts_a_second: int = 30
    redraw_gap: float = 1.0  # Seconds between two edits of one message
    # Seconds for which a post without an answer from Telegram makes posts to other chats wait, if many do. A
    # post is repeated if the process is killed after it has arrived and before it is marked; if Telegram
    # answers sooner than this, that happens to one post at most. Edits and reactions can be repeated.
    overlap: float = 0.1
    # Seconds for which such a post makes one other wait; ten others wait for a tenth of it.
    patience: float = 0.5

    @property
    def asides_a_minute(self) -> int:
        """Posts within a minute up to which asides may go."""
        return self.posts_a_minute * 3 // 4

    @property
    def asides_per_person(self) -> int:
        return self.posts_a_minute // 3

    @property
    def commands_a_minute(self) -> int:
        """Commands of one person in a group: more than can be dealt, so that no player meets the limit."""
        return self.posts_a_minute + 5

    @property
    def presses_a_minute(self) -> int:
        return 2 * self.posts_a_minute


# Kinds of `about` that an aside may have: none, or that of a table of the daily hand that somebody requested
ASIDE_RECEIPTS = {"", "daily"}


def is_aside(lane: int, body: dict[str, Any]) -> bool:
    """Whether a request caused by a message is an aside: words in a group on which no round depends."""
    kind = str(body.get("about", "")).partition(":")[0]
    return lane < 0 and body.get("method") == "sendMessage" and kind in ASIDE_RECEIPTS


def is_minor_reaction(lane: int, body: dict[str, Any]) -> bool:
    """Whether a request is a reaction in a group to something that does not score."""
    return lane < 0 and body.get("method") == "setMessageReaction" and not _has_trophy(body)


def _has_trophy(body: dict[str, Any]) -> bool:
    return TROPHY in str(body["params"].get("reaction"))  # whatever shape a row gives it


def is_post(request: QueuedRequest) -> bool:
    """Whether the request sends a new message; the redraw of a round and an alert do not."""
    method = str(request.body.get("method"))
    if method == SHOW_ROUND:
        return bool(request.body.get("new"))
    if method == TELL_PRIVATELY:
        return private_delivery.get_current_way(request.body) != private_delivery.ALERT
    return method.startswith(("send", DRAWN_POST_PREFIX)) or method == SEND_PERSONAL_DATA


def is_expired(request: QueuedRequest, wall: float) -> bool:
    """Whether the request is an aside that is too late; a private answer goes another way instead."""
    if request.body.get("method") == TELL_PRIVATELY:
        return False
    return bool(request.body.get("aside")) and wall - request.stored_at > MAX_ASIDE_AGE


def get_priority(request: QueuedRequest) -> int:
    """Return the priority: 0 (first) for a round or trophy in a group, 2 (last) for an aside, else 1."""
    if request.lane >= 0:
        return 1  # a private chat keeps its order
    method = request.body.get("method")
    if method == SHOW_ROUND or (method == "setMessageReaction" and _has_trophy(request.body)):
        return 0
    return 2 if request.body.get("aside") else 1


@dataclass(slots=True)
class RecentPosts:
    """The posts of the last minute in one chat, on the monotonic clock."""

    posts: deque[tuple[float, int]] = field(default_factory=deque)  # Time, and for an aside the person

    def add(self, at: float, person_id: int = 0) -> None:
        """Count one; `person_id` is 0 unless it is an aside for somebody."""
        self.posts.append((at, person_id))

    def find_free_time(self, limit: int, now: float, person_id: int | None = None) -> float:
        """Return when fewer than `limit` posts, or asides for this person, lie within a minute; 0 if now."""
        while self.posts:
            oldest_at, _ = self.posts[0]
            if now - oldest_at < MINUTE:
                break
            self.posts.popleft()
        times = [at for at, person in self.posts if person_id is None or person == person_id]
        if len(times) < limit:
            return 0.0
        return times[-limit] + MINUTE  # once this post is a minute old, `limit` - 1 are left


def find_post_time(pace: Pace, posts: RecentPosts, request: QueuedRequest, now: float) -> float:
    """Return when a post may go to its group, a past time if now; asides have lower limits than others."""
    person = request.caused_by
    if not request.body.get("aside"):
        return posts.find_free_time(pace.posts_a_minute, now)
    is_first_aside = person and posts.find_free_time(limit=1, now=now, person_id=person) <= now
    if is_first_aside:  # the person has had none within a minute
        return posts.find_free_time(pace.asides_a_minute + FIRST_ASIDE_BONUS, now)
    for_person = posts.find_free_time(pace.asides_per_person, now, person) if person else 0.0
    return max(posts.find_free_time(pace.asides_a_minute, now), for_person)


@dataclass(frozen=True, slots=True)
class Room:
    """What a chat has room for beside its rounds."""

    has_aside_room: bool = True
    has_reaction_room: bool = True
    queued_texts: Collection[str] = ()  # Of asides that wait and will go as soon as a new one would

    def accepts(self, lane: int, body: dict[str, Any]) -> bool:
        """Whether a request caused by a message is to be stored."""
        if is_minor_reaction(lane, body):
            return self.has_reaction_room
        if not is_aside(lane, body):
            return True
        return self.has_aside_room and body["params"].get("text") not in self.queued_texts


def compute_room(
    person: int, waiting: Collection[QueuedRequest], wall: float, limited_people: Collection[int] = ()
) -> Room:
    """Return what a group has room for when `person` (0: nobody) asks, by the requests that wait there."""
    asides = [request for request in waiting if request.body.get("aside") and not is_expired(request, wall)]
    own_asides = [request for request in asides if person and request.caused_by == person]
    minor_reactions = [request for request in waiting if is_minor_reaction(request.lane, request.body)]
    # Asides of the limited may wait for long, so others may get the same text before.
    sent_soon = [one for one in asides if one.caused_by == person or one.caused_by not in limited_people]
    return Room(
        has_aside_room=len(asides) < MAX_ASIDES and len(own_asides) < MAX_ASIDES_PER_PERSON,
        has_reaction_room=len(minor_reactions) < MAX_REACTIONS,
        queued_texts={str(request.body["params"].get("text")) for request in sent_soon},
    )


def find_limited_people(
    pace: Pace, posts: RecentPosts, waiting: Iterable[QueuedRequest], now: float
) -> set[int]:
    """Return the people whose asides wait because they had `Pace.asides_per_person` in the last minute."""
    people = {request.caused_by for request in waiting if request.caused_by and request.body.get("aside")}
    return {person for person in people if posts.find_free_time(pace.asides_per_person, now, person) > now}


# Lanes

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0  # Seconds to wait after a network error; doubled by each


@dataclass(slots=True)
class Lane:
    """The requests that wait in one chat. Times are on the monotonic clock."""

    key: int  # The chat, or the person for answers to presses
    waiting: list[QueuedRequest] = field(default_factory=list)
    posts: RecentPosts = field(default_factory=RecentPosts)
    drawn_at: dict[int, float] = field(default_factory=dict)  # By round, when it was last drawn
    blocked_until: float = 0.0
    pause: float = FIRST_PAUSE  # Seconds to wait after the next network error
    # By request id, when a request is tried again that waits only for its picture
    recheck_at: dict[int, float] = field(default_factory=dict)
    failures: dict[int, int] = field(default_factory=dict)  # By request id, errors that are the bot's own
    migrated_at: float | None = None  # When Telegram first said that the chat has a new id
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def is_over(self, now: float) -> bool:
        """Whether nothing waits or is under way, and neither a post of the last minute nor a pause counts."""
        if self.waiting or self.task is not None or self.blocked_until > now:
            return False
        if not self.posts.posts:
            return True
        latest_at, _ = self.posts.posts[-1]
        return now - latest_at >= MINUTE

    def choose_next(self, pace: Pace, now: float, wall: float) -> tuple[QueuedRequest, float]:
        """Return the first request that may go now and 0; else the one to go next and its seconds to wait."""
        next_request, soonest = self.waiting[0], float("inf")
        must_posts_wait = False
        for request in sorted(self.waiting, key=get_priority):
            if must_posts_wait and is_post(request):
                continue
            recheck_at = self.recheck_at.get(request.id, 0.0)
            ready = max(self._find_ready_time(request, pace, now, wall), recheck_at)
            if ready <= now:
                return request, 0.0
            if is_post(request) and not request.body.get("aside"):
                must_posts_wait = True  # posts keep their order, but no post waits for an aside
            if ready < soonest:
                next_request = request
                soonest = ready
        return next_request, soonest - now

    def _find_ready_time(self, request: QueuedRequest, pace: Pace, now: float, wall: float) -> float:
        """Return when a request may go, or may be dropped or go another way; a past time if now."""
        if is_expired(request, wall):
            return 0.0  # it is dropped now
        if queries.UNCHECKED_KEY in request.body:
            return self.blocked_until  # it is to be looked for, which takes no post
        if private_delivery.get_current_way(request.body) == private_delivery.EPHEMERAL:
            free_time = max(self.blocked_until, find_post_time(pace, self.posts, request, now))
            seconds_left = float(request.body["until"]) - wall
            return min(free_time, now + seconds_left)  # after that it goes another way
        if is_post(request) and self.key < 0:
            return max(self.blocked_until, find_post_time(pace, self.posts, request, now))
        if request.body.get("method") == SHOW_ROUND and not is_post(request):
            drawn_at = self.drawn_at.get(request.body["round"], float("-inf"))
            return max(self.blocked_until, drawn_at + pace.redraw_gap)
        return self.blocked_until

    def find_edits_of_same_message(self, request: QueuedRequest, *, later: bool) -> list[QueuedRequest]:
        """Return the waiting edits of the message that `request` edits, stored later, or else before it."""
        message_id = _get_edited_id(request)
        if message_id is None:
            return []
        edits = [one for one in self.waiting if one is not request and _get_edited_id(one) == message_id]
        return [edit for edit in edits if (edit.id > request.id) == later]

    def is_waiting(self, request: QueuedRequest) -> bool:
        """Whether this very object still waits: the chat may have been another bot's meanwhile."""
        return any(one is request for one in self.waiting)

    def back_off(self, now: float) -> None:
        """Block the lane for `pause` seconds after a network error, and double that for the next one."""
        self.blocked_until = now + self.pause
        self.pause = min(LONGEST_PAUSE, self.pause * 2)

    def remove(self, requests: Sequence[QueuedRequest]) -> None:
        """Remove these requests. Objects are compared: SQLite may give a later request a deleted one's id."""
        removed = {id(request) for request in requests}
        self.waiting = [request for request in self.waiting if id(request) not in removed]
        for request in requests:
            self.failures.pop(request.id, None)
            self.recheck_at.pop(request.id, None)


def _get_edited_id(request: QueuedRequest) -> int | None:
    """Return the id of the message that a request edits or deletes; None for any other, or for a round's."""
    if not str(request.body.get("method", "")).startswith(("edit", "delete")):
        return None
    message_id = request.body.get("params", {}).get("message_id")
    return message_id if isinstance(message_id, int) else None


def describe_lane(key: int) -> str:
    """Name a lane for the log, without the id of a person."""
    return "a private chat" if key > 0 else f"chat {key}"
