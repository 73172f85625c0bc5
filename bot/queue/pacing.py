"""Decides which request of a chat goes next, and when; of all chats one post at a time is on its way.

Telegram takes about twenty posts a minute in a group. So that a flood of questions never keeps a game
waiting, in each group

- messages that are drawn when their turn comes, and changed again and again, go first, and so do urgent
  reactions. Then comes everything else but asides. Requests of the same priority keep their order;
- an *aside* is an answer in words to a command or to an answer. It goes only while the last minute saw fewer
  posts than `Pace.asides_a_minute`, and fewer than `Pace.asides_per_person` asides of the same person. The
  first aside for a person may exceed the former by `FIRST_ASIDE_BONUS`;
- at most `MAX_ASIDES` asides wait, and `MAX_ASIDES_PER_PERSON` of one person; the rest are not stored. Nor is
  an aside in the same words as one that waits, unless that person has asked for too much;
- an aside that has waited for `MAX_ASIDE_AGE` seconds is dropped;
- at most `MAX_REACTIONS` reactions that are not urgent wait;
- a private reply is paced like an aside, but goes another way if it has to wait too long.

A drawn message, an urgent reaction, an answer to a press, a file, and whatever goes to a private chat is
never dropped.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.durations import MINUTE
from bot.queue.outgoing import Outgoing, Way
from bot.queue.queries import QueuedRequest

MAX_ASIDE_AGE = 60.0  # Seconds
MAX_ASIDES = 4
MAX_ASIDES_PER_PERSON = 2
FIRST_ASIDE_BONUS = 2  # Posts within a minute
MAX_REACTIONS = 20


@dataclass(frozen=True, slots=True)
class Pace:
    """Limits for the posts and edits in a chat."""

    # Posts in a group within any minute: one under Telegram's limit, since a kill can hide one
    posts_a_minute: int = 19
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
        """Commands of one person in a group: more than can be answered, so that no player meets the limit."""
        return self.posts_a_minute + 5

    @property
    def presses_a_minute(self) -> int:
        return 2 * self.posts_a_minute


def is_aside(outgoing: Outgoing) -> bool:
    """Whether a request caused by a message is an aside: words in a group that nobody waits to see arrive."""
    is_group_message = outgoing.lane < 0 and outgoing.method == "sendMessage"
    return is_group_message and (outgoing.is_aside or not outgoing.about)


def is_minor_reaction(outgoing: Outgoing) -> bool:
    return outgoing.lane < 0 and outgoing.method == "setMessageReaction" and not outgoing.is_urgent


def is_expired(request: QueuedRequest, wall: float) -> bool:
    """Whether the request is an aside that is too late; a private reply goes another way instead."""
    if request.outgoing.private:
        return False
    return request.outgoing.is_aside and wall - request.stored_at > MAX_ASIDE_AGE


def get_priority(request: QueuedRequest) -> int:
    """Return the priority: 0 (first) for a drawn or urgent request in a group, 2 for an aside, else 1."""
    outgoing = request.outgoing
    if outgoing.lane >= 0:
        return 1  # a private chat keeps its order
    if outgoing.key or outgoing.is_urgent:
        return 0
    return 2 if outgoing.is_aside else 1


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


# Messages of chats

SUPERGROUP_LIMIT = -1_000_000_000_000  # Ids of supergroups are below this one


def shares_numbering(chat_id: int) -> bool:
    """Whether the messages of a chat are numbered together with those of other chats."""
    return chat_id > SUPERGROUP_LIMIT


MAX_PROBES = 60  # Ids of messages that are tried to find a lost post: people may have written meanwhile
MAX_CHATS = 10_000  # Chats of which the latest message is remembered
MAX_SHARED_NUMBERS = 10_000  # Messages of chats numbered together of which the chat is remembered


class LatestMessages:
    """Remembers the latest message of each chat, and which of its latest messages are the bot's own."""

    def __init__(self) -> None:
        self._latest: dict[int, int] = {}  # By chat, the one that was quiet for longest first
        self._own: dict[int, deque[int]] = {}
        self._chat_by_number: dict[int, int] = {}  # Of chats that are numbered together

    def record(self, chat_id: int, message_id: int, *, own: bool = False) -> None:
        """Remember a message, also as the bot's `own`; of too many chats forget the one quiet for longest."""
        former_id = self._latest.pop(chat_id, 0)  # removed, so that the chat becomes the newest entry
        self._latest[chat_id] = max(message_id, former_id)
        if shares_numbering(chat_id):
            self._chat_by_number[message_id] = chat_id
            if len(self._chat_by_number) > MAX_SHARED_NUMBERS:
                oldest_number = next(iter(self._chat_by_number))
                del self._chat_by_number[oldest_number]
        if own:
            self._own.setdefault(chat_id, deque(maxlen=MAX_PROBES)).append(message_id)
        if len(self._latest) > MAX_CHATS:
            quietest_chat = next(iter(self._latest))
            del self._latest[quietest_chat]
            self._own.pop(quietest_chat, None)

    def get_latest_id(self, chat_id: int) -> int:
        """Return the highest message id known in the chat; 0 if none is."""
        return self._latest.get(chat_id, 0)

    def find_other_ids(self, chat_id: int) -> Collection[int]:
        """Return ids that a lost post of this chat can't have: of other own posts, and of other chats."""
        own = self._own.get(chat_id, ())
        if not shares_numbering(chat_id):
            return own
        in_other_chats = (number for number, chat in self._chat_by_number.items() if chat != chat_id)
        return {*own, *in_other_chats}


# When a post may go


def find_post_time(pace: Pace, posts: RecentPosts, request: QueuedRequest, now: float) -> float:
    """Return when a post may go to its group, a past time if now; asides have lower limits than others."""
    if not request.outgoing.is_aside:
        return posts.find_free_time(pace.posts_a_minute, now)
    person = request.caused_by
    if not person:
        return posts.find_free_time(pace.asides_a_minute, now)
    has_had_none = posts.find_free_time(1, now, person) <= now  # no aside within a minute
    if has_had_none:
        return posts.find_free_time(pace.asides_a_minute + FIRST_ASIDE_BONUS, now)
    person_may_post_at = posts.find_free_time(pace.asides_per_person, now, person)
    return max(posts.find_free_time(pace.asides_a_minute, now), person_may_post_at)


@dataclass(frozen=True, slots=True)
class Room:
    """The room that a chat has beside its drawn messages."""

    has_aside_room: bool = True
    has_reaction_room: bool = True
    queued_texts: Collection[str] = ()  # Of asides that wait and will go as soon as a new one would

    def accepts(self, outgoing: Outgoing) -> bool:
        """Whether a request caused by a message is to be stored."""
        if is_minor_reaction(outgoing):
            return self.has_reaction_room
        if not is_aside(outgoing):
            return True
        return self.has_aside_room and outgoing.text not in self.queued_texts


def compute_room(
    person: int, waiting: Collection[QueuedRequest], wall: float, limited_people: Collection[int] = ()
) -> Room:
    """Return what a group has room for when `person` (0: nobody) asks, by the requests that wait there."""
    fresh = [request for request in waiting if not is_expired(request, wall)]
    asides = [request for request in fresh if request.outgoing.is_aside]
    own_asides = [aside for aside in asides if person and aside.caused_by == person]
    minor_reactions = [request for request in waiting if is_minor_reaction(request.outgoing)]
    # Asides of limited people may wait for long, so others may get the same text before.
    slow_people = set(limited_people) - {person}
    sent_soon = [aside for aside in asides if aside.caused_by not in slow_people]
    return Room(
        has_aside_room=len(asides) < MAX_ASIDES and len(own_asides) < MAX_ASIDES_PER_PERSON,
        has_reaction_room=len(minor_reactions) < MAX_REACTIONS,
        queued_texts={aside.outgoing.text for aside in sent_soon},
    )


def find_limited_people(
    pace: Pace, posts: RecentPosts, waiting: Iterable[QueuedRequest], now: float
) -> set[int]:
    """Return the people whose asides wait because they had `Pace.asides_per_person` in the last minute."""
    asides = [request for request in waiting if request.outgoing.is_aside]
    people = {aside.caused_by for aside in asides if aside.caused_by}
    return {person for person in people if posts.find_free_time(pace.asides_per_person, now, person) > now}


# Lanes

FIRST_PAUSE = 1.0  # Seconds to wait after a network error; doubled by each
LONGEST_PAUSE = 15.0


@dataclass(slots=True)
class Lane:
    """The requests that wait in one chat. Times are on the monotonic clock."""

    key: int  # The chat, or the person for answers to presses
    waiting: list[QueuedRequest] = field(default_factory=list)
    posts: RecentPosts = field(default_factory=RecentPosts)
    drawn_at: dict[int, float] = field(default_factory=dict)  # By `Outgoing.key`, when it was last drawn
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
        """Return the first request that may go now and 0; else the one to go next and its seconds to wait.

        Posts keep their order: one that must wait holds later ones back, unless it is an aside, which may be
        dropped. `recheck_at` has the times of requests that were just refused.
        """
        next_request = self.waiting[0]
        soonest = float("inf")
        must_posts_wait = False
        for request in sorted(self.waiting, key=get_priority):
            if must_posts_wait and request.outgoing.is_post:
                continue
            ready_at = self._find_ready_time(request, pace, now, wall)
            if request.id in self.recheck_at:
                ready_at = max(ready_at, self.recheck_at[request.id])
            if ready_at <= now:
                return request, 0.0
            if request.outgoing.is_post and not request.outgoing.is_aside:
                must_posts_wait = True
            if ready_at < soonest:
                next_request = request
                soonest = ready_at
        return next_request, soonest - now

    def _find_ready_time(self, request: QueuedRequest, pace: Pace, now: float, wall: float) -> float:
        """Return when a request may go, or may be dropped or go another way; a past time if now."""
        if is_expired(request, wall):
            return now  # to be dropped
        outgoing = request.outgoing
        if outgoing.state.unchecked:
            return self.blocked_until  # it is to be looked for, which takes no post
        ready_at = self.blocked_until
        if outgoing.private and outgoing.private.way == Way.EPHEMERAL:
            ready_at = max(ready_at, find_post_time(pace, self.posts, request, now))
            seconds_left = outgoing.private.until - wall
            return min(ready_at, now + seconds_left)  # after that it goes another way
        is_group = self.key < 0
        if outgoing.is_post and is_group:
            return max(ready_at, find_post_time(pace, self.posts, request, now))
        if not outgoing.is_post and outgoing.key in self.drawn_at:
            return max(ready_at, self.drawn_at[outgoing.key] + pace.redraw_gap)
        return ready_at

    def find_edits_of_same_message(self, request: QueuedRequest, *, later: bool) -> list[QueuedRequest]:
        """Return the waiting edits of the message that `request` edits, stored later, or else before it."""
        message_id = request.outgoing.edited_id
        if message_id is None:
            return []
        others = [other for other in self.waiting if other is not request]
        edits = [other for other in others if other.outgoing.edited_id == message_id]
        if later:
            return [edit for edit in edits if edit.id > request.id]
        return [edit for edit in edits if edit.id <= request.id]

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


def describe_lane(key: int) -> str:
    """Name a lane for the log, without the id of a person."""
    return "a private chat" if key > 0 else f"chat {key}"


# One post at a time

# Seconds for which a post that Telegram has answered keeps its turn until it is marked as delivered. A frozen
# bot may hold the database's locks for so long, before other bots take over.
MARKING_TIME = 4.0


@dataclass(slots=True)
class SendTurn:
    """The turn of a post, while which other posts wait.

    A turn ends `overlap` seconds after it began. It is renewed once the post is sent, and again once Telegram
    has answered, until the post is marked as delivered. A post whose turn has ended before it could be sent
    gets another one, before all that had none yet.
    """

    mutex: "SendMutex | None"  # None for a request that is no post: it does not wait
    _is_current: bool = False
    _sent_at: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        if self.mutex is not None:
            self._is_current = True
            self._call_later(self.mutex.overlap, self.end)

    async def prepare(self) -> None:
        """Take another turn if this one has ended, and schedule its end: a commit comes before sending."""
        if self.mutex is not None and not self._is_current:
            await self.mutex.acquire(again=True)
            self._is_current = True
        self._call_later(MARKING_TIME, self.end)

    def mark_sent(self) -> None:
        """Keep the turn for as long as others can wait for Telegram's answer."""
        if self.mutex is not None:
            self._sent_at = asyncio.get_running_loop().time()
            self._call_later(self.mutex.overlap, self._end_or_look_again)

    def mark_answered(self) -> None:
        """Keep the turn until the post is marked as delivered, for `MARKING_TIME` at most."""
        self._call_later(MARKING_TIME, self.end)

    def end(self) -> None:
        """Let the next post go, if the turn has not ended yet."""
        if self.mutex is not None and self._is_current:
            self._is_current = False
            self.mutex.release()

    def _call_later(self, seconds: float, function: Callable[[], None]) -> None:
        """Set the timer, in place of an earlier one, to call `function`; not if the turn has ended."""
        if self._timer is not None:
            self._timer.cancel()
        if self._is_current:
            self._timer = asyncio.get_running_loop().call_later(seconds, function)

    def _end_or_look_again(self) -> None:
        """End the turn if the posts that wait can wait no longer; else look again after `overlap` seconds."""
        seconds_since_sent = asyncio.get_running_loop().time() - self._sent_at
        if self.mutex is not None and self.mutex.may_still_block(seconds_since_sent):
            self._call_later(self.mutex.overlap, self._end_or_look_again)
        else:
            self.end()


class SendMutex:
    """Gives turns to posts, one at a time, so that a kill repeats one at most, unless many wait for it.

    A post that Telegram hasn't answered keeps the next one for `overlap` seconds, and for longer if few wait:
    those who wait share `patience` seconds among them.
    """

    def __init__(self, overlap: float, patience: float) -> None:
        self.overlap = overlap
        self._patience = patience
        self._is_taken = False
        self._waiting_again = deque[asyncio.Future[None]]()  # They come first
        self._waiting = deque[asyncio.Future[None]]()

    @asynccontextmanager
    async def take_turn(self, is_post: bool) -> AsyncIterator[SendTurn]:
        """Wait for a turn, and end it at the end of the block; a request that is no post does not wait."""
        if not is_post:
            yield SendTurn(mutex=None)
            return
        await self.acquire()
        turn = SendTurn(self)
        try:
            yield turn
        finally:
            turn.end()

    async def acquire(self, *, again: bool = False) -> None:
        """Wait until no other post has a turn, and take it; `again`: before those that have had none."""
        if not self._is_taken:
            self._is_taken = True
            return
        waiting = self._waiting_again if again else self._waiting
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just before the cancellation
                self.release()
            elif turn in waiting:
                waiting.remove(turn)
            raise

    def release(self) -> None:
        """Give the turn to the next post that waits, if any."""
        self._is_taken = False
        while self._waiting_again or self._waiting:
            first_queue = self._waiting_again or self._waiting
            turn = first_queue.popleft()
            if not turn.done():  # else it was cancelled, and its task has not run yet
                turn.set_result(None)
                self._is_taken = True
                return

    def may_still_block(self, seconds: float) -> bool:
        """Whether a post sent so many seconds ago may still make others wait; less long the more wait."""
        waiting_count = len(self._waiting_again) + len(self._waiting)
        share = self._patience / max(waiting_count, 1)
        return seconds < share
