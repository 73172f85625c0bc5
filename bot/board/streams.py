"""Send live state to pages as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

A stream sends the state at the start and after each change, and the bot's replies to its player. It never
queues states: a slow reader gets the newest one.
"""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from bot.board import queries as boards
from bot.board.authentication import Session
from bot.board.live_views import LiveViews, Viewer
from bot.board.rules import StoredReply
from bot.database import Store, is_database_failure
from bot.i18n import choose_language
from bot.metrics import BOARD_STREAMS
from bot.queue.change_notifier import ChangeNotifier, Subscription
from bot.web.server import make_retry_after_header

HEARTBEAT_INTERVAL = 15.0  # seconds without an event after which an empty one shows that both ends are there
MEMBERSHIP_CHECK_INTERVAL = 180.0  # seconds; sooner if Telegram reports that a player left
HEARTBEAT = b":\n\n"
HEADERS = {
    "Content-Type": "text/event-stream",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}


class EventStream(StreamingResponse):
    """A response that goes on until the session ends, its player leaves the chat, or the bot stops."""

    def __init__(
        self,
        streams: "EventStreams",
        session: Session,
        language: str,
        after_id: int | None,
        can_go_on: Callable[[], Awaitable[bool]],
    ) -> None:
        self._streams = streams
        self._session = session
        self._can_go_on = can_go_on
        self._language = language
        self._after_id = after_id  # the last reply that the page has received; None for a new page
        self._viewer: Viewer
        self._wake = asyncio.Event()
        self._has_ended = False
        self._is_membership_due = False
        self._are_replies_due = session.player_id is not None
        self._last_event = b""
        self.player_id = session.player_id
        super().__init__(self._generate_events(), headers=HEADERS)

    def end(self, last_event: bytes = b"") -> None:
        """End the stream after one last event."""
        self._has_ended = True
        self._last_event = last_event
        self._wake.set()

    def check_membership(self) -> None:
        """Have the stream check soon whether it may go on."""
        self._is_membership_due = True
        self._wake.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the stream ends or the client disconnects."""
        self._join_live_view()
        subscription: Subscription | None = None
        follower: asyncio.Task[None] | None = None
        if self.player_id is not None:
            subscription = self._streams.changes.subscribe([self.player_id])
            follower = asyncio.create_task(self._follow_player(subscription))
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._viewer.leave()
            if subscription and follower:
                subscription.close()
                follower.cancel()
            self._streams.forget_stream(self)

    def _join_live_view(self) -> None:
        """Become a viewer of the place in the stream's language, and be woken by its new states."""
        self._viewer = self._streams.live_views.join(
            self._session.place, self._language, self.player_id, self._wake.set
        )

    async def _follow_player(self, subscription: Subscription) -> None:
        """Have replies and state read again after each change that concerns the player alone."""
        while True:
            await subscription.wait()
            self._are_replies_due = True
            self._viewer.request_read()
            self._wake.set()

    async def _generate_events(self) -> AsyncIterator[bytes]:
        """Yield new events, heartbeats in between, and the last event; end when the player may not go on."""
        get_time = asyncio.get_running_loop().time
        heartbeat_at = get_time() + HEARTBEAT_INTERVAL
        membership_check_at = get_time() + MEMBERSHIP_CHECK_INTERVAL
        while not self._has_ended:
            seconds_left = self._session.expires_at - self._streams.now()
            if seconds_left <= 0:
                break
            self._wake.clear()  # before the read: what comes during it wakes the stream again
            events = await self._read_events()
            if events or get_time() >= heartbeat_at:
                yield events or HEARTBEAT
                heartbeat_at = get_time() + HEARTBEAT_INTERVAL
            if self._is_membership_due or get_time() >= membership_check_at:
                self._is_membership_due = False
                membership_check_at = get_time() + MEMBERSHIP_CHECK_INTERVAL
                if not await self._can_go_on():
                    break
            # At the latest at the next heartbeat, which is often enough for the check of the membership
            wake_at = min(get_time() + seconds_left, heartbeat_at)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(wake_at):
                    await self._wake.wait()
        yield self._last_event  # empty unless `end` gave one

    async def _read_events(self) -> bytes:
        """Return the events that were not sent yet: replies, then the state; empty without any.

        The state carries the id of the last reply, after which a page that was away asks for more.
        """
        events = b""
        for reply in await self._read_replies():
            values = {"id": reply.press_id, "text": reply.text, "right": reply.is_right}
            data = json.dumps(values, ensure_ascii=False)
            events += f"id: {reply.id}\nevent: word\ndata: {data}\n\n".encode()
        state = self._viewer.take_new_state()
        if state is not None:
            if self._after_id is not None:
                events += b"id: %d\n" % self._after_id
            events += b"event: state\ndata: " + state + b"\n\n"
        return events

    async def _read_replies(self) -> list[StoredReply]:
        """Return the new replies and advance `_after_id`; change to the language chosen meanwhile.

        Return [] if none are due or the database fails, after which they stay due.
        """
        player_id = self.player_id
        after_id = self._after_id
        if player_id is None or not self._are_replies_due:
            return []
        self._are_replies_due = False
        try:
            replies, self._after_id, chosen_language = await self._streams.store.read(
                lambda tx: boards.load_board_replies_since(tx, player_id, after_id)
            )
        except Exception as error:
            if not is_database_failure(error):
                raise
            self._are_replies_due = True
            return []
        if chosen_language and choose_language(chosen_language) != self._language:
            self._language = choose_language(chosen_language)
            self._viewer.leave()
            self._join_live_view()
        return replies


# The last event of a stream that makes room for a newer one. A page that then connected again at once would
# push out another page, and that one the next, without end.
OPENED_ELSEWHERE_EVENT = b"event: elsewhere\ndata: {}\n\n"
MAX_STREAMS_PER_PERSON = 8
MAX_SPECTATOR_STREAMS = 1000  # less than all, so that players find room
MAX_STREAMS = 2000


class EventStreams:
    def __init__(
        self, live_views: LiveViews, store: Store, changes: ChangeNotifier, now: Callable[[], float]
    ) -> None:
        self.live_views = live_views
        self.store = store
        self.changes = changes
        self.now = now
        # By player, the oldest first; None for spectators.
        self._open_streams = defaultdict[int | None, list[EventStream]](list)
        self._is_closed = False

    def open_stream(
        self, session: Session, language: str, after_id: int | None, can_go_on: Callable[[], Awaitable[bool]]
    ) -> EventStream:
        """Return a new stream; end the oldest one of a player who has `MAX_STREAMS_PER_PERSON`.

        Raises HTTPException 503 if there are too many streams, or the bot stops.
        """
        is_spectator = session.person is None
        # The player's own, or those of all spectators
        open_streams = self._open_streams.get(session.player_id, [])
        is_full = len(self) >= MAX_STREAMS
        if is_spectator and len(open_streams) >= MAX_SPECTATOR_STREAMS:
            is_full = True
        if self._is_closed or is_full:
            raise HTTPException(503, headers=make_retry_after_header(HEARTBEAT_INTERVAL))
        if not is_spectator and len(open_streams) >= MAX_STREAMS_PER_PERSON:
            oldest = open_streams[0]
            oldest.end(OPENED_ELSEWHERE_EVENT)
            self.forget_stream(oldest)
        stream = EventStream(self, session, language, after_id, can_go_on)
        self._open_streams[session.player_id].append(stream)
        BOARD_STREAMS.set(len(self))
        return stream

    def forget_stream(self, stream: EventStream) -> None:
        """Count the stream no longer; do nothing if it was forgotten before."""
        open_streams = self._open_streams[stream.player_id]
        if stream in open_streams:
            open_streams.remove(stream)
        if not open_streams:
            del self._open_streams[stream.player_id]
        BOARD_STREAMS.set(len(self))

    def check_membership(self, player_id: int) -> None:
        """Have each of the player's streams check soon whether it may go on."""
        for stream in self._open_streams.get(player_id, ()):
            stream.check_membership()

    def __len__(self) -> int:
        return sum(len(streams) for streams in self._open_streams.values())

    def close(self) -> None:
        """End all streams, and open no new one."""
        self._is_closed = True
        for streams_of_player in self._open_streams.values():
            for stream in streams_of_player:
                stream.end()


def parse_last_event_id(header: str | None) -> int | None:
    """Return the id in a Last-Event-ID header; None if it holds no number of at most 18 digits."""
    if header is None or not re.fullmatch("[0-9]{1,18}", header):
        return None
    return int(header)
