"""Which messages go out as photos: pictures are drawn, or sent again by the id that Telegram gave them.

No message waits longer than `PATIENCE` for its picture, and it waits before its turn: then it goes as text,
or as a caption if it is a photo already. A chat that takes no photos, or takes them slowly, gets text for a
while.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from sqlalchemy import bindparam, delete, select
from telegram.error import BadRequest, ChatMigrated, InvalidToken, RetryAfter, TelegramError

from bot import logs
from bot.database import Store, Tx, build_insert_for, delete_batch
from bot.database.schema import uploads
from bot.i18n import Html
from bot.pictures.values import Picture
from bot.queue.delivery_check import DeliveryStatus, classify_error
from bot.queue.hooks import ApiCall, PictureLookup
from bot.queue.queries import QueuedRequest
from bot.queue.refusals import is_harmless, is_message_gone, is_too_large, is_topic_gone
from bot.telegram.api import describe_telegram_error, is_refusal
from bot.telegram.photo_messages import (
    UNKNOWN_CONTENT,
    UPLOAD_PART,
    MessagePhoto,
    append_description,
    convert_to_caption,
    convert_to_photo,
    find_largest_file_id,
    make_message_photo,
)

# Seconds after its latest upload for which a picture is remembered, and for which one that names people.
UPLOAD_RETENTION, PERSONAL_UPLOAD_RETENTION = 30 * 86_400.0, 86_400.0

# Built once, since every picture needs them and building takes longer than the database does

FILE_ID = select(uploads.c.file_id).where(uploads.c.content == bindparam("shown"))
FORGET = delete(uploads).where(uploads.c.content == bindparam("shown"))


@cache
def _keeping(dialect: str) -> Any:
    """An INSERT of a picture that Telegram has, again or for the first time."""
    statement = build_insert_for(dialect, uploads)
    latest = {name: statement.excluded[name] for name in ("file_id", "until")}
    return statement.on_conflict_do_update(index_elements=["content"], set_=latest)


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture that Telegram has."""

    content: str  # The hash of what the picture shows: the same for the same picture
    file_id: str  # By which this bot sends it again
    names_people: bool = False  # Whether it names people


def load_file_id(tx: Tx, content: str) -> str | None:
    """By which id the picture is sent; None where it has to be uploaded."""
    found = tx.scalar(FILE_ID, {"shown": content})
    return None if found is None else str(found)


def save_upload(tx: Tx, upload: Upload, now: float) -> None:
    """Remember that Telegram has the picture."""
    until = now + (PERSONAL_UPLOAD_RETENTION if upload.names_people else UPLOAD_RETENTION)
    row = {"content": upload.content, "file_id": upload.file_id, "until": until}
    tx.execute(_keeping(tx.dialect.name), row)


def delete_upload(tx: Tx, content: str) -> None:
    """Telegram doesn't know the picture by that id any more."""
    tx.execute(FORGET, {"shown": content})


def delete_expired_uploads(tx: Tx, now: float) -> bool:
    """Forget the pictures whose time is over; whether there may be more."""
    return delete_batch(tx, uploads, uploads.c.until < now)


log = logging.getLogger(__name__)

# Draws a picture in a language, elsewhere than on the event loop.
Painter = Callable[[Any, str], Awaitable[bytes]]

PATIENCE = 0.5  # Seconds for which a message waits for its picture
# Seconds for which a picture that could not be had is not asked for again; one that is merely late comes.
RETRY_PAUSE = 5.0
MAX_DRAWINGS = 16  # Pictures that are drawn at once; whatever else is asked for meanwhile goes without
SLOW_UPLOAD = 2.0  # Seconds that an upload takes in a chat from which that chat counts as slow
# Seconds for which a slow chat gets text, and for which one that takes no photos.
SLOW_CHAT_PAUSE, REFUSED_PAUSE = 900.0, 600.0
# Seconds for which it is remembered whether a chat is in slow mode, and that this can't be had.
SLOW_MODE_MEMORY, UNKNOWN = 3600.0, 60.0
MAX_DRAWN, MAX_HELD, MAX_FILE_IDS, MAX_CHATS = 256, 256, 4096, 10_000
# How it says that a message whose text was to be changed is a photo …
NO_TEXT = ("no text in the message to edit",)
NO_CAPTION = ("no caption in the message to edit",)  # … that one whose caption was to be changed is none …
# Where a request holds that it goes without a new picture for once, since that was tried; that its message is
# no photo; and how often it was looked at again for a picture that its photo does not show yet.
WITHOUT_PICTURE, TEXT, PICTURE_CHECKS = "plain", "text", "owed"
# … and that a chat takes no photos.
NO_PHOTOS = ("photos", "chat_send_photos_forbidden", "chat_send_media_forbidden", "send media")
# What else than a picture's id it doesn't like. It has a dozen ways to say that it doesn't know one.
NO_FILE = (
    *(*NO_PHOTOS, "rights", "topic", "restricted", "caption", "chat", "peer", "user", "bot "),
    *("message", "reply", "replied", "entities", "payment"),
)
# … and that there is something wrong with a picture itself.
SPOILT = ("dimensions", "image_process", "photo_invalid", "too big", "too large")
ALL = ""  # Stands for every picture, where a chat takes none


@dataclass(slots=True)
class Photos:
    """The pictures at hand; without `paint` there are none. Times are on the monotonic clock."""

    store: Store
    ask: ApiCall
    monotonic: Callable[[], float]
    painter: Painter | None = None
    upload_count: int = 0  # Pictures that were uploaded; all others went by the id of an earlier one
    _drawn: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    _ids: OrderedDict[str, str] = field(default_factory=OrderedDict)
    # By chat: the picture that its message waited for, and takes along when its turn comes.
    _held: dict[int, tuple[str, str | bytes]] = field(default_factory=dict)
    _without: dict[str, float] = field(default_factory=dict)  # Until when a picture can't be had
    _resting: dict[int, float] = field(default_factory=dict)  # Until when a chat gets text
    # Until when a chat takes a picture no more, or `ALL`.
    _refused: dict[tuple[int, str], float] = field(default_factory=dict)
    _looked: dict[int, float] = field(default_factory=dict)  # Until when a chat's slow mode is known
    # Chats whose slow mode is just being asked for, whose pictures wait for that.
    _asking: set[int] = field(default_factory=set)
    # What is being drawn or found, by content, and what is asked about a chat.
    _tasks: dict[str | int, asyncio.Task[None]] = field(default_factory=dict)

    # What goes out

    async def attach_picture(self, look: PictureLookup, body: dict[str, Any]) -> dict[str, Any]:
        """The request with the picture of its message, if that is to be found by kind when it is sent."""
        asked = body.get("shows")
        if not isinstance(asked, dict) or not (self.painter or asked["shown"]):
            return body
        try:
            found = await self.store.read(lambda tx: look(tx, asked))
        except Exception as error:  # noqa: BLE001 - the message goes without
            logs.log_unexpected_error(log, "a picture is left out", error)
            found = None
        if found is None and not asked["shown"]:
            return body
        picture = found.picture if found else None
        caption = append_description(Html(body["params"]["text"]), found.descriptions if found else ())
        return {**body, "photo": make_message_photo(picture, asked["language"], caption, asked["shown"])}

    def apply_picture(self, lane: int, request: QueuedRequest, body: dict[str, Any]) -> dict[str, Any] | None:
        """The request as it is sent now; None where its picture is to be made `ready` first.

        An edit that leaves a photo with another picture than it is to show `owes` that.
        """
        shows, posts = body.get("photo"), body["method"].startswith("send")
        if not isinstance(shows, MessagePhoto) or request.body.get(TEXT):
            return body
        if posts and not (shows.is_due and self._may(lane, request)):
            return body
        if posts and lane in self._asking:
            return None
        due = shows.is_due and self.painter is not None and self._takes(lane, shows.content_key)
        if due and not request.body.get(WITHOUT_PICTURE):
            photo = self._at_hand(shows.content_key) or self._taken_along(lane, shows.content_key)
            if photo and not self._would_wait(lane, request, photo, posts=posts):
                return convert_to_photo(body, shows, photo)
            if not photo and self._without.get(shows.content_key, 0.0) <= self.monotonic():
                return None
        return body if posts else convert_to_caption(body, shows) | {"owes": due}

    def _at_hand(self, content: str) -> str | bytes | None:
        return self._ids.get(content) or self._drawn.get(content)

    def _taken_along(self, lane: int, content: str) -> str | bytes | None:
        kept, photo = self._held.get(lane, ("", b""))
        return photo if kept == content else None

    def _would_wait(self, lane: int, request: QueuedRequest, photo: str | bytes, *, posts: bool) -> bool:
        """Whether the words of an edit would wait for a slow upload: they go first."""
        return (
            isinstance(photo, bytes)
            and not posts
            and self._rests(lane)
            and not request.body.get(PICTURE_CHECKS)
        )

    def _rests(self, lane: int) -> bool:
        return self._resting.get(lane, 0.0) > self.monotonic()

    def _takes(self, lane: int, content: str) -> bool:
        """Whether a chat takes a picture, as far as is known."""
        return all(self._refused.get((lane, each), 0.0) <= self.monotonic() for each in (ALL, content))

    def _may(self, lane: int, request: QueuedRequest) -> bool:
        """Whether a post there may be a photo."""
        if self.painter is None or request.body.get(WITHOUT_PICTURE):
            return False
        self._ask(lane)
        return not self._rests(lane)

    def _ask(self, lane: int) -> None:
        """See to it that a group's slow mode is known, or asked for."""
        if lane < 0 and self._looked.get(lane, 0.0) <= self.monotonic():
            if len(self._looked) > MAX_CHATS:
                self._looked.clear()
            self._looked[lane] = self.monotonic() + UNKNOWN
            self._asking.add(lane)
            self._begin(lane, partial(self._look_up, lane))

    def _is_crowded(self) -> bool:
        return sum(isinstance(key, str) for key in self._tasks) >= MAX_DRAWINGS

    def prefetch(self, lane: int, picture: Picture, language: str) -> None:
        """A chat will soon be shown this: begin to get it, unless there is enough to do."""
        shown = make_message_photo(picture, language, Html(""))
        if not self.painter or self._rests(lane):
            return
        self._ask(lane)
        at_hand = self._at_hand(shown.content_key) or shown.content_key in self._tasks
        if not at_hand and not self._is_crowded():
            self._begin(shown.content_key, partial(self._get, shown))

    async def wait_for_picture(self, lane: int, shows: MessagePhoto) -> None:
        """Wait until the picture is there or can't be had, and no longer than `PATIENCE`.

        The chat's message holds it from then on: many may be drawn before its turn comes. Whether the chat is
        slow is waited for as long; where nobody says so, it is not.
        """
        key = shows.content_key
        if not self._at_hand(key) and key not in self._tasks and not self._is_crowded():
            self._begin(key, partial(self._get, shows))
        if not shows.shown_key:
            self._ask(lane)
        if waiting := [self._tasks[each] for each in (key, lane) if each in self._tasks]:
            await asyncio.wait(waiting, timeout=PATIENCE)
        self._asking.discard(lane)
        photo = self._at_hand(key)
        if photo is None or len(self._held) >= MAX_HELD:
            self._fails(key)
        else:
            self._held[lane] = key, photo

    def release_picture(self, lane: int) -> None:
        """The chat's messages have gone out: it holds no picture any more."""
        self._held.pop(lane, None)

    def _fails(self, key: str) -> None:
        if len(self._without) > MAX_FILE_IDS:
            self._without.clear()
        self._without[key] = self.monotonic() + RETRY_PAUSE

    async def _get(self, shows: MessagePhoto) -> None:
        """Find the picture among those that Telegram has, or draw it."""
        key = shows.content_key
        known = await self.store.read(lambda tx: load_file_id(tx, key))
        if known is not None:
            _put(self._ids, key, known, MAX_FILE_IDS)
        elif self.painter is not None:
            _put(self._drawn, key, await self.painter(shows.picture, shows.language), MAX_DRAWN)
        self._without.pop(key, None)

    async def _look_up(self, chat_id: int) -> None:
        """Find out whether a group is in slow mode."""
        try:
            chat = await self.ask("getChat", {"chat_id": chat_id})
        finally:
            self._asking.discard(chat_id)
        self._looked[chat_id] = self.monotonic() + SLOW_MODE_MEMORY
        if isinstance(chat, dict) and chat.get("slow_mode_delay"):
            self._resting[chat_id] = self.monotonic() + SLOW_MODE_MEMORY

    def _begin(self, key: str | int, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks[key] = asyncio.create_task(self._done(key, work))

    async def _done(self, key: str | int, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - the message goes without its picture
            what = "a picture" if isinstance(key, str) else "whether a chat is slow"
            log.info("%s can't be had: %s", what, type(error).__name__)
        finally:
            self._tasks.pop(key, None)

    async def close(self) -> None:
        """Let go of what is under way."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # What came of it

    def record_upload(self, lane: int, body: dict[str, Any], result: Any, took: float) -> Upload | None:
        """A request arrived within so many seconds: what Telegram has from now on, if that is new."""
        content = body.get("content")
        if not content or UPLOAD_PART not in body["params"]:
            return None
        self.upload_count += 1
        if took > SLOW_UPLOAD:
            self._rest(lane, SLOW_CHAT_PAUSE)
        if not (number := find_largest_file_id(result)):
            return None
        _put(self._ids, content, number, MAX_FILE_IDS)
        self._drawn.pop(content, None)
        return Upload(content, number, bool(body.get("passing")))

    async def adapt_after_error(
        self, lane: int, request: QueuedRequest, body: dict[str, Any], error: TelegramError
    ) -> bool:
        """Whether a request that met this error is sent again at once, in another form.

        What was to change the text of a photo changes its caption, and the reverse, where that was not known.
        An id that Telegram refuses is forgotten, and the picture uploaded; what else it refuses goes
        without. Where nobody knows whether it arrived, it goes without once that is found out.
        """
        if is_refusal(error) and _says(error, NO_TEXT) and "shows" not in request.body:
            request.body["shows"] = {"kind": "", "language": "", "shown": UNKNOWN_CONTENT}
            return True
        if is_refusal(error) and _says(error, NO_CAPTION) and not request.body.get(TEXT):
            request.body[TEXT] = True
            return True
        if "content" not in body or isinstance(error, ChatMigrated | InvalidToken):
            return False
        if isinstance(error, RetryAfter):
            self._rest(lane, SLOW_CHAT_PAUSE)
            return False
        if (
            is_harmless(body["method"], error)
            or is_message_gone(body["method"], error)
            or is_topic_gone(error)
        ):
            return False
        if isinstance(error, BadRequest) and UPLOAD_PART not in body["params"] and not _says(error, NO_FILE):
            await self._forget(lane, body["content"])
            return True
        if classify_error(error) is not DeliveryStatus.UNSENT:
            request.body[WITHOUT_PICTURE] = True
            if not is_refusal(error):
                self._rest(lane, SLOW_CHAT_PAUSE)
            else:
                self._refuses(lane, body["content"], error)
        return is_refusal(error) or is_too_large(error)

    def _refuses(self, lane: int, content: str, error: TelegramError) -> None:
        """The chat does not take the picture, or none at all: it is not asked to again for a while."""
        if len(self._refused) > MAX_CHATS:
            self._refused.clear()
        until = self.monotonic() + REFUSED_PAUSE
        if _says(error, NO_PHOTOS):
            self._refused[lane, ALL] = self._resting[lane] = until
        elif _says(error, SPOILT):
            self._refused[lane, content] = until

    async def _forget(self, lane: int, content: str) -> None:
        self._ids.pop(content, None)
        self._held.pop(lane, None)
        await self.store.write_with_retries(lambda tx: delete_upload(tx, content))

    def _rest(self, lane: int, seconds: float) -> None:
        """The chat gets text for so long."""
        if len(self._resting) > MAX_CHATS:
            self._resting.clear()
            self._looked.clear()
        self._resting[lane] = self.monotonic() + seconds


def _says(error: TelegramError, signs: tuple[str, ...]) -> bool:
    reason = describe_telegram_error(error).lower()
    return any(sign in reason for sign in signs)


def _put(kept: OrderedDict[str, Any], key: str, value: Any, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
