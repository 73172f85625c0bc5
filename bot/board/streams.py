"""Live state as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

A stream sends the state at the start and whenever that has changed, and what the bot says to the person
alone, in the language that the person has chosen by then. It never queues: whoever reads slowly gets the
newest state once they have read the one before, holds nobody else up, and is cut off after a while.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bot.board import queries as board
from bot.board.authentication import Session
from bot.board.live_views import LiveViews, Viewer
from bot.board.rules import BoardReply
from bot.database import Store, is_database_failure
from bot.i18n import choose_language
from bot.metrics import BOARD_STREAMS
from bot.queue.change_notifier import ChangeNotifier
from bot.web.server import make_retry_after_header

log = logging.getLogger(__name__)

# Seconds after which a line that says nothing goes out, so that both ends know that the other is there.
HEARTBEAT_INTERVAL = 15.0
SEND_TIMEOUT = 30.0  # seconds that a reader may take before it is cut off
# Seconds after which it is looked at again whether a person is still a member, where nobody told that they
# left.
MEMBERSHIP_CHECK_INTERVAL = 180.0
HEADERS = {
    "Content-Type": "text/event-stream",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}
SILENCE = b":\n\n"
Stays = Callable[[], Awaitable[bool]]


class EventStream(Response):
    """An answer that goes on until the session ends, the person leaves, or the bot stops."""

    def __init__(
        self, streams: "EventStreams", session: Session, language: str, after: int | None, stays: Stays
    ):
        self._streams, self._session, self._stays = streams, session, stays
        self._language, self._after = language, after
        self._seat: Viewer
        self._wake = asyncio.Event()
        # Wakes it when something is due by the clock, or before that.
        self._alarm: asyncio.TimerHandle | None = None
        self._ended = self._words_due = self._stays_due = False
        self._last = b""
        self.owner = session.player_id
        super().__init__(headers=HEADERS)

    def end(self, last: bytes = b"") -> None:
        """End the stream; `last` is all that is still sent."""
        self._ended, self._last = True, last
        self._wake.set()

    def check_membership(self) -> None:
        """Look again whether the person may stay."""
        self._stays_due = True
        self._wake.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the stream ends."""
        player = self._session.player_id
        self._sit()
        subscription = None if player is None else self._streams.changes.subscribe([], player)
        own = [asyncio.create_task(self._watch(receive))]
        if subscription:
            self._words_due = True
            own.append(asyncio.create_task(self._hear(subscription.wait)))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self._head()})
            await self._send_all(player, send)
        except TimeoutError:
            log.info("a board that reads nothing any more is cut off")
        finally:
            if self._alarm is not None:
                self._alarm.cancel()
            self._seat.leave()
            if subscription:
                subscription.close()
            for task in own:
                task.cancel()
            self._streams.forget_stream(self)

    def _sit(self) -> None:
        session = self._session
        self._seat = self._streams.live_views.join(
            session.place, self._language, session.player_id, self._wake.set
        )

    def _speak(self, language: str) -> None:
        """Go on in another language."""
        if language != self._language:
            self._language = language
            self._seat.leave()
            self._sit()

    def _head(self) -> list[tuple[bytes, bytes]]:
        """Return the headers, without a length."""
        return [(name, value) for name, value in self.raw_headers if name != b"content-length"]

    async def _watch(self, receive: Receive) -> None:
        """Wait until the reader has gone, then end."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self.end()

    async def _hear(self, changed: Callable[[], Awaitable[None]]) -> None:
        """Read again whenever something of the person's own has changed."""
        while True:
            await changed()
            self._words_due = True
            self._seat.request_read()
            self._wake.set()

    async def _send_all(self, player: int | None, send: Send) -> None:
        clock = asyncio.get_running_loop()
        beat, stays = clock.time() + HEARTBEAT_INTERVAL, clock.time() + MEMBERSHIP_CHECK_INTERVAL
        while not self._ended and (left := self._session.expires_at - self._streams.now()) > 0:
            self._wake.clear()
            said = b"".join(await self._read_events(player))
            if not said and clock.time() >= beat:
                said = SILENCE
            if said:
                async with asyncio.timeout(SEND_TIMEOUT):
                    await send({"type": "http.response.body", "body": said, "more_body": True})
                beat = clock.time() + HEARTBEAT_INTERVAL
            if self._stays_due or clock.time() >= stays:
                self._stays_due, stays = False, clock.time() + MEMBERSHIP_CHECK_INTERVAL
                if not await self._stays():
                    break
            self._wake_at(min(clock.time() + left, beat))
            await self._wake.wait()
        async with asyncio.timeout(SEND_TIMEOUT):
            await send({"type": "http.response.body", "body": self._last, "more_body": False})

    def _wake_at(self, due: float) -> None:
        """Be awake by then, by the loop's clock.

        An earlier alarm stays as it is: to set one for each event would take a good part of the event's time,
        and one that rings too soon costs little.
        """
        if self._alarm is not None and self._alarm.when() > due:
            self._alarm.cancel()
            self._alarm = None
        if self._alarm is None:
            self._alarm = asyncio.get_running_loop().call_at(due, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._wake.set()

    async def _read_events(self, player: int | None) -> list[bytes]:
        """Return the events that were not sent yet.

        A state carries the number of the last word, from which on a page that was away asks for more.
        """
        events = list[bytes]()
        if self._words_due and player is not None:
            self._words_due = False
            events += [_format_word(word) for word in await self._read_words(player)]
        if state := self._seat.take_new_state():
            number = b"" if self._after is None else b"id: %d\n" % self._after
            events.append(number + b"event: state\ndata: " + state + b"\n\n")
        return events

    async def _read_words(self, player: int) -> list[BoardReply]:
        """Return what was said to the person since; nothing while the database does not answer."""
        try:
            if self._after is None:
                self._after = await self._streams.store.read(
                    lambda tx: board.find_latest_reply_id(tx, player)
                )
            after = self._after
            found, chosen = await self._streams.store.read(
                lambda tx: board.load_board_replies_since(tx, player, after)
            )
        except Exception as error:
            if not is_database_failure(error):
                raise
            self._words_due = True
            return []
        self._after = found[-1].id if found else after
        if chosen:
            self._speak(choose_language(chosen))
        return found


def _format_word(word: BoardReply) -> bytes:
    said = json.dumps({"id": word.press_id, "text": word.text, "right": word.is_right}, ensure_ascii=False)
    return f"id: {word.id}\nevent: word\ndata: {said}\n\n".encode()


# The last event of a stream that has made room for a newer one: a page that came back at once would take the
# room of another, and that one of the next, without end.
ELSEWHERE = b"event: elsewhere\ndata: {}\n\n"
# Streams of one person, of all who look on, and of everybody: however many look on, there is room for those
# who play.
MAX_STREAMS_PER_PERSON, MAX_SPECTATOR_STREAMS, MAX_STREAMS = 8, 1000, 2000


class EventStreams:
    """All streams that are open."""

    def __init__(
        self, scenes: LiveViews, store: Store, changes: ChangeNotifier, now: Callable[[], float]
    ) -> None:
        self.live_views, self.store, self.changes, self.now = scenes, store, changes, now
        self._open = defaultdict[int | None, dict[EventStream, None]](
            dict
        )  # by person; None for all who look on
        self._all = 0
        self._closed = False

    def open_stream(self, session: Session, language: str, after: int | None, stays: Stays) -> EventStream:
        """Return a new stream; the oldest of a person who has `EACH` ends. Raises HTTPException."""
        looks_on = session.person is None
        if (
            self._closed
            or len(self) >= MAX_STREAMS
            or (looks_on and len(self._open[None]) >= MAX_SPECTATOR_STREAMS)
        ):
            raise HTTPException(503, headers=make_retry_after_header(HEARTBEAT_INTERVAL))
        stream = EventStream(self, session, language, after, stays)
        if not looks_on and len(mine := self._open[stream.owner]) >= MAX_STREAMS_PER_PERSON:
            oldest = next(iter(mine))
            oldest.end(ELSEWHERE)
            self.forget_stream(oldest)
        self._open[stream.owner][stream] = None
        self._count(1)
        return stream

    def forget_stream(self, stream: EventStream) -> None:
        """Forget a stream that is over."""
        if stream in self._open[stream.owner]:
            del self._open[stream.owner][stream]
            self._count(-1)
        if not self._open[stream.owner]:
            del self._open[stream.owner]

    def _count(self, more: int) -> None:
        self._all += more
        BOARD_STREAMS.set(self._all)

    def check_membership(self, player_id: int) -> None:
        """Look again whether that person may stay in each of their streams."""
        for stream in self._open.get(player_id, ()):
            stream.check_membership()

    def __len__(self) -> int:
        return self._all

    def close(self) -> None:
        """End all streams, and let no new one begin."""
        self._closed = True
        for mine in list(self._open.values()):
            for stream in list(mine):
                stream.end()


def parse_last_event_id(header: str | None) -> int | None:
    """Return the number of the last word that a page heard; None if the header tells none."""
    known: Any = header if header and header.isascii() and header.isdecimal() and len(header) < 19 else None
    return int(known) if known is not None else None
