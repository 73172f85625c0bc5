"""Sends messages as photos: draws their pictures, or sends them by the file id that Telegram gave them.

A message waits for its picture for `PATIENCE` seconds at most, and before its turn. Then it goes as text, or
with a new caption if it is a photo already. A chat that takes no photos, or takes them slowly, gets text for
a while.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from typing import Any

from sqlalchemy import bindparam, delete, select
from telegram.error import BadRequest, ChatMigrated, InvalidToken, RetryAfter, TelegramError

from bot import logs
from bot.database import Store, Tx, build_insert_for, delete_batch
from bot.database.schema import uploads
from bot.durations import DAY, HOUR, MINUTE
from bot.i18n import Html
from bot.pictures.values import Picture
from bot.queue.delivery_check import DeliveryStatus, classify_error
from bot.queue.hooks import ApiCall, PictureLookup
from bot.queue.queries import QueuedRequest
from bot.queue.refusals import is_harmless, is_message_gone, is_too_large, is_topic_gone
from bot.telegram import photo_messages
from bot.telegram.api import describe_telegram_error, is_refusal
from bot.telegram.photo_messages import MessagePhoto

log = logging.getLogger(__name__)


# Pictures that Telegram has: queries

# Seconds after its latest upload for which a picture is remembered; less if it names people
UPLOAD_RETENTION, PERSONAL_UPLOAD_RETENTION = 30 * DAY, DAY


@dataclass(frozen=True, slots=True)
class Upload:
    content: str  # The hash of what it shows
    file_id: str  # The id by which this bot can send it again
    names_people: bool = False


SELECT_FILE_ID = select(uploads.c.file_id).where(uploads.c.content == bindparam("shown"))


@cache
def _build_upsert(dialect: str) -> Any:
    """Build the statement that stores a picture, or a known picture's newer file id and time."""
    statement = build_insert_for(dialect, uploads)
    latest = {name: statement.excluded[name] for name in ("file_id", "until")}
    return statement.on_conflict_do_update(index_elements=["content"], set_=latest)


def save_upload(tx: Tx, upload: Upload, now: float) -> None:
    until = now + (PERSONAL_UPLOAD_RETENTION if upload.names_people else UPLOAD_RETENTION)
    row = {"content": upload.content, "file_id": upload.file_id, "until": until}
    tx.execute(_build_upsert(tx.dialect.name), row)


DELETE_UPLOAD = delete(uploads).where(uploads.c.content == bindparam("shown"))


def delete_expired_uploads(tx: Tx, now: float) -> bool:
    """Delete a batch of expired pictures; return whether there may be more."""
    return delete_batch(tx, uploads, uploads.c.until < now)


# Photos in the outbox

Painter = Callable[[Any, str], Awaitable[bytes]]  # Draws a picture in a language, in another process

PATIENCE = 0.5  # Seconds for which a message waits for its picture
RETRY_PAUSE = 5.0  # Seconds until a picture that could not be drawn is tried again
MAX_DRAWINGS = 16  # Pictures that are drawn at once; messages with other pictures go without
SLOW_UPLOAD = 2.0  # Seconds for an upload from which its chat counts as slow
SLOW_CHAT_PAUSE, REFUSED_PAUSE = 15 * MINUTE, 10 * MINUTE  # Seconds for which a chat gets text
# Seconds for which it is remembered whether a group is in slow mode, or that Telegram did not tell
SLOW_MODE_MEMORY, UNKNOWN_MEMORY = HOUR, MINUTE
MAX_DRAWN, MAX_FILE_IDS = 256, 4096  # Entries that are remembered
MAX_PAUSES = 10_000  # Pauses beyond which all are forgotten

# Keys of stored requests: it goes without a new picture, since one was tried; its message is no photo; checks
# whether its photo shows the right picture by now
WITHOUT_PICTURE, IS_TEXT, PICTURE_CHECKS = "plain", "text", "owed"
# Key of a body that is sent: the photo will not show the right picture yet
LACKS_PICTURE = "lacks_picture"

NOT_A_TEXT = ("no text in the message to edit",)
NOT_A_PHOTO = ("no caption in the message to edit",)
PHOTOS_FORBIDDEN = ("photos", "chat_send_photos_forbidden", "chat_send_media_forbidden", "send media")
# Words of errors that are not about the file id. Telegram has a dozen ways to say that it doesn't know one.
NOT_THE_FILE_ID = (
    *(*PHOTOS_FORBIDDEN, "rights", "topic", "restricted", "caption", "chat", "peer", "user", "bot "),
    *("message", "reply", "replied", "entities", "payment"),
)


class Pause(StrEnum):
    """What is not done for a while, for one picture or one chat."""

    DRAWING = "drawing"  # A picture that is late or can't be drawn: no message waits for it
    UPLOADS = "uploads"  # A chat gets text, and the captions of its photos change before their pictures
    PHOTOS = "photos"  # A chat allows no photos
    SLOW_MODE = "slow mode"  # A group that was asked whether it is in slow mode is not asked again


@dataclass(slots=True)
class Photos:
    """The pictures at hand; without a `painter` there are none. Times are on the monotonic clock."""

    store: Store
    call: ApiCall
    monotonic: Callable[[], float]
    painter: Painter | None = None
    _drawn: OrderedDict[str, bytes] = field(default_factory=OrderedDict)  # By content
    _file_ids: OrderedDict[str, str] = field(default_factory=OrderedDict)  # By content
    _paused_until: dict[tuple[Pause, str | int], float] = field(default_factory=dict)  # By content or chat
    _tasks: dict[str | int, asyncio.Task[None]] = field(default_factory=dict)  # By content or chat

    def _pause(self, what: Pause, key: str | int, seconds: float) -> None:
        if len(self._paused_until) >= MAX_PAUSES:
            self._paused_until.clear()
        self._paused_until[what, key] = self.monotonic() + seconds

    def _is_paused(self, what: Pause, key: str | int) -> bool:
        return self._paused_until.get((what, key), 0.0) > self.monotonic()

    async def attach_picture(self, find_picture: PictureLookup, body: dict[str, Any]) -> dict[str, Any]:
        """Return the request with `photo`, if its message has a picture or is a photo already."""
        stored = body.get("shows")
        if not isinstance(stored, dict):
            return body
        shown_key = stored["shown"]  # of the picture that the message has; empty for a text or a new message
        if not self.painter and not shown_key:
            return body
        try:
            described = await self.store.read(lambda tx: find_picture(tx, stored))
        except Exception as error:  # noqa: BLE001 - the message goes without
            logs.log_unexpected_error(log, "a picture is left out", error)
            described = None
        if described is None and not shown_key:
            return body
        picture = described.picture if described else None
        descriptions = described.descriptions if described else ()
        caption = photo_messages.append_description(Html(body["params"]["text"]), descriptions)
        photo = photo_messages.make_message_photo(picture, stored["language"], caption, shown_key)
        return {**body, "photo": photo}

    def apply_picture(self, lane: int, request: QueuedRequest, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the request as a photo, text or mere caption; None if a picture has to be waited for."""
        photo = body.get("photo")
        if not isinstance(photo, MessagePhoto) or request.body.get(IS_TEXT):
            return body
        if not body["method"].startswith("send"):
            return self._apply_to_edit(lane, request, body, photo)
        if not photo.is_due or self.painter is None or request.body.get(WITHOUT_PICTURE):
            return body
        return self._apply_to_post(lane, body, photo)

    def _apply_to_post(self, lane: int, body: dict[str, Any], photo: MessagePhoto) -> dict[str, Any] | None:
        """Return the post as a photo; as a text if the chat gets none; None if something is waited for."""
        self._ask_slow_mode(lane)
        if self._is_paused(Pause.UPLOADS, lane):
            return body
        if lane in self._tasks:  # slow mode is being asked
            return None
        if self._is_paused(Pause.PHOTOS, lane):
            return body
        file = self._get_file(photo.content_key)
        if file:
            return photo_messages.convert_to_photo(body, photo, file)
        return body if self._is_paused(Pause.DRAWING, photo.content_key) else None

    def _apply_to_edit(
        self, lane: int, request: QueuedRequest, body: dict[str, Any], photo: MessagePhoto
    ) -> dict[str, Any] | None:
        """Return the edit with its picture, or of the caption alone; None if the picture is waited for."""
        is_due = photo.is_due and self.painter is not None and not self._is_paused(Pause.PHOTOS, lane)
        if is_due and not request.body.get(WITHOUT_PICTURE):
            file = self._get_file(photo.content_key)
            if not file and not self._is_paused(Pause.DRAWING, photo.content_key):
                return None
            # Where uploads are slow the caption goes first, and the picture when it is checked again.
            is_upload = isinstance(file, bytes)  # else a file id
            must_caption_go_first = is_upload and self._is_paused(Pause.UPLOADS, lane)
            if file and (not must_caption_go_first or request.body.get(PICTURE_CHECKS)):
                return photo_messages.convert_to_photo(body, photo, file)
        return photo_messages.convert_to_caption(body, photo) | {LACKS_PICTURE: is_due}

    def _get_file(self, content: str) -> str | bytes | None:
        """Return a file id or a drawn picture; None if there is neither."""
        return self._file_ids.get(content) or self._drawn.get(content)

    def prefetch(self, lane: int, picture: Picture, language: str) -> None:
        """Begin to draw a picture that a chat will soon be shown, unless the chat gets text for a while."""
        if self.painter and not self._is_paused(Pause.UPLOADS, lane):
            self._ask_slow_mode(lane)
            self._begin_picture(photo_messages.make_message_photo(picture, language, Html("")))

    async def wait_for_picture(self, lane: int, photo: MessagePhoto) -> None:
        """Wait until the picture is there or can't be drawn, and for `PATIENCE` seconds at most.

        Whether the chat is in slow mode is waited for too; if nobody answers, it counts as not. If the
        picture is not there by then, no message waits for it for a while.
        """
        self._begin_picture(photo)
        if not photo.shown_key:  # a new message
            self._ask_slow_mode(lane)
        tasks = [self._tasks[key] for key in (photo.content_key, lane) if key in self._tasks]
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE)
        slow_mode_task = self._tasks.pop(lane, None)
        if slow_mode_task:
            slow_mode_task.cancel()
        if self._get_file(photo.content_key) is None:
            self._pause(Pause.DRAWING, photo.content_key, RETRY_PAUSE)

    def _begin_picture(self, photo: MessagePhoto) -> None:
        """Begin to load or draw a picture, unless it is there or under way, or `MAX_DRAWINGS` are."""
        content = photo.content_key
        if self._get_file(content) or content in self._tasks:
            return
        drawings = [key for key in self._tasks if isinstance(key, str)]  # the other tasks are of chats
        if len(drawings) < MAX_DRAWINGS:
            self._start_task(content, partial(self._load_or_draw, photo))

    async def _load_or_draw(self, photo: MessagePhoto) -> None:
        """Remember the picture's stored file id, or else draw it."""
        content = photo.content_key
        file_id = await self.store.read(lambda tx: tx.scalar(SELECT_FILE_ID, {"shown": content}))
        if file_id is not None:
            _put_latest(self._file_ids, content, file_id, MAX_FILE_IDS)
        elif self.painter is not None:
            picture_file = await self.painter(photo.picture, photo.language)
            _put_latest(self._drawn, content, picture_file, MAX_DRAWN)
        self._paused_until.pop((Pause.DRAWING, content), None)  # messages may wait for it again

    def _ask_slow_mode(self, lane: int) -> None:
        """Begin to ask whether a group is in slow mode, unless that is known."""
        is_group = lane < 0
        if is_group and not self._is_paused(Pause.SLOW_MODE, lane):
            self._pause(Pause.SLOW_MODE, lane, UNKNOWN_MEMORY)
            self._start_task(lane, partial(self._load_slow_mode, lane))

    async def _load_slow_mode(self, chat_id: int) -> None:
        """Ask Telegram whether a group is in slow mode, and pause uploads there if it is."""
        chat = await self.call("getChat", {"chat_id": chat_id})
        self._pause(Pause.SLOW_MODE, chat_id, SLOW_MODE_MEMORY)
        if isinstance(chat, dict) and chat.get("slow_mode_delay"):
            self._pause(Pause.UPLOADS, chat_id, SLOW_MODE_MEMORY)

    def _start_task(self, key: str | int, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in the background, and log its errors; `key` is a picture's content, or a chat."""

        async def run() -> None:
            try:
                await work()
            except Exception as error:  # noqa: BLE001 - the message goes without its picture
                what = "a picture" if isinstance(key, str) else "whether a chat is slow"
                log.info("%s can't be had: %s", what, type(error).__name__)
            finally:
                self._tasks.pop(key, None)

        self._tasks[key] = asyncio.create_task(run())

    async def close(self) -> None:
        """Cancel what is being drawn or asked."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def record_upload(self, lane: int, body: dict[str, Any], result: Any, seconds: float) -> Upload | None:
        """Remember and return the file id of a picture that was uploaded; None if the request uploaded none.

        Pause uploads in the chat if it took long.
        """
        content = body.get("content")
        if not content or photo_messages.UPLOAD_PART not in body["params"]:
            return None
        if seconds > SLOW_UPLOAD:
            self._pause(Pause.UPLOADS, lane, SLOW_CHAT_PAUSE)
        file_id = photo_messages.find_largest_file_id(result)
        if not file_id:
            return None
        _put_latest(self._file_ids, content, file_id, MAX_FILE_IDS)
        self._drawn.pop(content, None)
        return Upload(content, file_id, names_people=bool(body.get("names_people")))

    async def adapt_after_error(
        self, lane: int, request: QueuedRequest, body: dict[str, Any], error: TelegramError
    ) -> bool:
        """Change a request so that it can be sent again in another form; return whether to do so at once.

        An edit of a text becomes that of a caption, or the reverse. After an unknown file id the picture is
        uploaded. After another refusal the request goes without its picture. After an error that leaves open
        whether it has arrived, it does so if it is sent again.
        """
        if is_refusal(error) and _switch_edit(request, error):
            return True
        method = body["method"]
        if "content" not in body or isinstance(error, ChatMigrated | InvalidToken):
            return False
        if isinstance(error, RetryAfter):
            self._pause(Pause.UPLOADS, lane, SLOW_CHAT_PAUSE)
            return False
        if is_harmless(method, error) or is_message_gone(method, error) or is_topic_gone(error):
            return False
        is_sent_by_id = photo_messages.UPLOAD_PART not in body["params"]
        if isinstance(error, BadRequest) and is_sent_by_id and not _says(error, NOT_THE_FILE_ID):
            content = body["content"]
            self._file_ids.pop(content, None)
            await self.store.write_with_retries(lambda tx: tx.execute(DELETE_UPLOAD, {"shown": content}))
            return True
        if classify_error(error) is not DeliveryStatus.UNSENT:
            request.body[WITHOUT_PICTURE] = True
            self._pause_after_error(lane, error)
        return is_refusal(error) or is_too_large(error)

    def _pause_after_error(self, lane: int, error: TelegramError) -> None:
        """Send text for a while to a chat that forbids photos, or in which one met no answer of Telegram."""
        if not is_refusal(error):
            self._pause(Pause.UPLOADS, lane, SLOW_CHAT_PAUSE)
        elif _says(error, PHOTOS_FORBIDDEN):
            self._pause(Pause.UPLOADS, lane, REFUSED_PAUSE)
            self._pause(Pause.PHOTOS, lane, REFUSED_PAUSE)


def _switch_edit(request: QueuedRequest, error: TelegramError) -> bool:
    """Make a text's edit that of a caption, or the reverse, if the error says so; return whether it did."""
    if _says(error, NOT_A_TEXT) and "shows" not in request.body:
        # The message is a photo, of which nothing is known.
        request.body["shows"] = {"kind": "", "language": "", "shown": photo_messages.UNKNOWN_CONTENT}
        return True
    if _says(error, NOT_A_PHOTO) and not request.body.get(IS_TEXT):
        request.body[IS_TEXT] = True
        return True
    return False


def _says(error: TelegramError, signs: tuple[str, ...]) -> bool:
    text = describe_telegram_error(error).lower()
    return any(sign in text for sign in signs)


def _put_latest(entries: OrderedDict[str, Any], key: str, value: Any, limit: int) -> None:
    """Put an entry last, and drop the first ones beyond the limit."""
    entries[key] = value
    entries.move_to_end(key)
    while len(entries) > limit:
        entries.popitem(last=False)
