"""Sends messages as photos: draws their pictures, or sends them by the file id that Telegram gave them.

A message waits for its picture for `PATIENCE` seconds at most, and before its turn. Then it goes as text, or
with a new caption if it is a photo already. A chat that takes no photos, or takes them slowly, gets text for
a while.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import bindparam, delete, select
from telegram.error import BadRequest, ChatMigrated, InvalidToken, RetryAfter, TelegramError

from bot import logs
from bot.database import Store, Tx, build_upsert, delete_batch
from bot.database.schema import uploads
from bot.durations import DAY, HOUR, MINUTE
from bot.i18n import Html
from bot.pictures.values import Picture
from bot.queue import refusals, rendering
from bot.queue.delivery_check import classify_error
from bot.queue.outgoing import DeliveryStatus, PictureRequest
from bot.queue.queries import QueuedRequest
from bot.queue.rendering import ApiCall, MessagePhoto, PictureLookup, RenderedRequest

log = logging.getLogger(__name__)


# Pictures that Telegram has: queries

UPLOAD_RETENTION = 30 * DAY  # Seconds after its latest upload for which a picture is remembered
PERSONAL_UPLOAD_RETENTION = DAY  # The same for one that names people


@dataclass(frozen=True, slots=True)
class Upload:
    content: str  # The hash of what it shows
    file_id: str  # The id by which this bot can send it again
    names_people: bool = False


SELECT_FILE_ID = select(uploads.c.file_id).where(uploads.c.content == bindparam("shown"))


def save_upload(tx: Tx, upload: Upload, now: float) -> None:
    """Store a picture, or a known picture's newer file id and time."""
    retention = PERSONAL_UPLOAD_RETENTION if upload.names_people else UPLOAD_RETENTION
    row = {"content": upload.content, "file_id": upload.file_id, "until": now + retention}
    upsert = build_upsert(tx.dialect.name, uploads, updated=("file_id", "until"))
    tx.execute(upsert, row)


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
# Seconds for which a chat gets text
SLOW_CHAT_PAUSE = 15 * MINUTE
REFUSED_PAUSE = 10 * MINUTE
SLOW_MODE_MEMORY = HOUR  # Seconds for which it is remembered whether a group is in slow mode
UNKNOWN_MEMORY = MINUTE  # Seconds for which it is remembered that Telegram did not tell
# Entries that are remembered
MAX_DRAWN = 256
MAX_FILE_IDS = 4096
MAX_PAUSES = 10_000  # Pauses beyond which all are forgotten

NOT_A_TEXT = ("no text in the message to edit",)
NOT_A_PHOTO = ("no caption in the message to edit",)
PHOTOS_FORBIDDEN = ("photos", "chat_send_photos_forbidden", "chat_send_media_forbidden", "send media")
# Words of errors that are not about the file id. Telegram has a dozen ways to say that it doesn't know one.
NOT_THE_FILE_ID = (
    *(*PHOTOS_FORBIDDEN, "rights", "topic", "restricted", "caption", "chat", "peer", "user", "bot "),
    *("message", "reply", "replied", "entities", "payment"),
)


class Pause(StrEnum):
    """An action that is left out for a while, for one picture or one chat."""

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

    async def attach_picture(self, find_picture: PictureLookup, rendered: RenderedRequest) -> RenderedRequest:
        """Return the request with its `photo`, if its message has a picture or is a photo already."""
        asked = rendered.outgoing.picture
        if asked is None or rendered.photo is not None:
            return rendered
        if not self.painter and not asked.shown_key:
            return rendered
        try:
            described = await self.store.read(lambda tx: find_picture(tx, asked))
        except Exception as error:  # noqa: BLE001 - the message goes without
            logs.log_unexpected_error(log, "a picture is left out", error)
            described = None
        if described is None and not asked.shown_key:
            return rendered
        picture = described.picture if described else None
        descriptions = described.descriptions if described else ()
        caption = rendering.append_description(Html(rendered.outgoing.text), descriptions)
        photo = rendering.make_message_photo(picture, asked.language, caption, asked.shown_key)
        return replace(rendered, photo=photo)

    def apply_picture(self, request: QueuedRequest, rendered: RenderedRequest) -> RenderedRequest | None:
        """Return the request as a photo, text or mere caption; None if a picture has to be waited for."""
        photo = rendered.photo
        state = request.outgoing.state
        if photo is None or state.is_text:
            return rendered
        if not rendered.outgoing.method.startswith("send"):
            return self._apply_to_edit(request, rendered, photo)
        if not photo.is_due or self.painter is None or state.goes_without_picture:
            return rendered
        return self._apply_to_post(request.lane, rendered, photo)

    def _apply_to_post(
        self, lane: int, rendered: RenderedRequest, photo: MessagePhoto
    ) -> RenderedRequest | None:
        """Return the post as a photo; as a text if the chat gets none; None if something is waited for."""
        self._ask_slow_mode(lane)
        if self._is_paused(Pause.UPLOADS, lane):
            return rendered
        if lane in self._tasks:  # slow mode is being asked
            return None
        if self._is_paused(Pause.PHOTOS, lane):
            return rendered
        file = self._get_file(photo.content_key)
        if file:
            return _apply_file(rendered, photo, file)
        if self._is_paused(Pause.DRAWING, photo.content_key):
            return rendered
        return None

    def _apply_to_edit(
        self, request: QueuedRequest, rendered: RenderedRequest, photo: MessagePhoto
    ) -> RenderedRequest | None:
        """Return the edit with its picture, or of the caption alone; None if the picture is waited for."""
        lane = request.lane
        state = request.outgoing.state
        can_show_photos = self.painter is not None and not self._is_paused(Pause.PHOTOS, lane)
        is_due = photo.is_due and can_show_photos
        if is_due and not state.goes_without_picture:
            file = self._get_file(photo.content_key)
            if not file and not self._is_paused(Pause.DRAWING, photo.content_key):
                return None
            is_slow_upload = isinstance(file, bytes) and self._is_paused(Pause.UPLOADS, lane)
            # Where uploads are slow the caption goes first, and the picture when it is checked again.
            must_caption_go_first = is_slow_upload and not state.picture_checks
            if file and not must_caption_go_first:
                return _apply_file(rendered, photo, file)
        captioned = rendering.convert_to_caption(rendered.outgoing, photo)
        return replace(rendered, outgoing=captioned, lacks_picture=is_due)

    def _get_file(self, content: str) -> str | bytes | None:
        """Return a file id or a drawn picture; None if there is neither."""
        return self._file_ids.get(content) or self._drawn.get(content)

    def prefetch(self, lane: int, picture: Picture, language: str) -> None:
        """Begin to draw a picture that a chat will soon be shown, unless the chat gets text for a while."""
        if self.painter and not self._is_paused(Pause.UPLOADS, lane):
            self._ask_slow_mode(lane)
            self._begin_picture(rendering.make_message_photo(picture, language, Html("")))

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
                log.info("%s can't be loaded: %s", what, type(error).__name__)
            finally:
                self._tasks.pop(key, None)

        self._tasks[key] = asyncio.create_task(run())

    async def close(self) -> None:
        """Cancel what is being drawn or asked."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def record_upload(self, rendered: RenderedRequest, result: Any, seconds: float) -> Upload | None:
        """Remember and return the file id of a picture that was uploaded; None if the request uploaded none.

        Pause uploads in the chat if it took long.
        """
        content = rendered.picture_key
        photo = rendered.photo
        if photo is None or not _is_upload(rendered):
            return None
        if seconds > SLOW_UPLOAD:
            self._pause(Pause.UPLOADS, rendered.outgoing.lane, SLOW_CHAT_PAUSE)
        file_id = rendering.find_largest_file_id(result)
        if not file_id:
            return None
        _put_latest(self._file_ids, content, file_id, MAX_FILE_IDS)
        self._drawn.pop(content, None)
        return Upload(content, file_id, names_people=photo.names_people)

    async def adapt_after_error(
        self, request: QueuedRequest, rendered: RenderedRequest, error: TelegramError
    ) -> bool:
        """Change a request so that it can be sent again in another form; return whether to do so at once.

        An edit of a text becomes that of a caption, or the reverse. After an unknown file id the picture is
        uploaded. After another refusal the request goes without its picture; likewise, if it is sent again,
        after an error that leaves open whether it has arrived. Uploads pause in a lane where a request with a
        picture was throttled, got no answer of Telegram or met a chat that forbids photos.
        """
        if refusals.is_refusal(error) and _switch_edit(request, error):
            return True
        content = rendered.picture_key
        if not content or _has_other_cause(rendered.outgoing.method, error):
            return False
        if isinstance(error, RetryAfter):
            self._pause(Pause.UPLOADS, request.lane, SLOW_CHAT_PAUSE)
        elif _is_file_id_unknown(rendered, error):
            self._file_ids.pop(content, None)
            await self.store.write_with_retries(lambda tx: tx.execute(DELETE_UPLOAD, {"shown": content}))
            return True
        elif classify_error(error) is not DeliveryStatus.UNSENT:
            request.update_state(goes_without_picture=True)
            self._pause_after_error(request.lane, error)
        # After any other error the sender waits, or looks whether the request has arrived
        return refusals.is_refusal(error) or refusals.is_too_large(error)

    def _pause_after_error(self, lane: int, error: TelegramError) -> None:
        """Send text for a while to a chat that forbids photos, or in which one met no answer of Telegram."""
        if not refusals.is_refusal(error):
            self._pause(Pause.UPLOADS, lane, SLOW_CHAT_PAUSE)
        elif _says(error, PHOTOS_FORBIDDEN):
            self._pause(Pause.UPLOADS, lane, REFUSED_PAUSE)
            self._pause(Pause.PHOTOS, lane, REFUSED_PAUSE)


def _apply_file(rendered: RenderedRequest, photo: MessagePhoto, file: str | bytes) -> RenderedRequest:
    """Return the request as a photo with this file id or picture."""
    as_photo = rendering.convert_to_photo(rendered.outgoing, photo, file)
    return replace(rendered, outgoing=as_photo, picture_key=photo.content_key)


def _has_other_cause(method: str, error: TelegramError) -> bool:
    """Whether the error has nothing to do with the request's picture."""
    if isinstance(error, ChatMigrated | InvalidToken) or refusals.is_topic_gone(error):
        return True
    return refusals.is_harmless(method, error) or refusals.is_message_gone(method, error)


def _is_file_id_unknown(rendered: RenderedRequest, error: TelegramError) -> bool:
    if _is_upload(rendered):
        return False
    return isinstance(error, BadRequest) and not _says(error, NOT_THE_FILE_ID)


def _is_upload(rendered: RenderedRequest) -> bool:
    """Whether the request carries a picture and no mere file id."""
    return rendering.UPLOAD_PART in rendered.outgoing.params


def _switch_edit(request: QueuedRequest, error: TelegramError) -> bool:
    """Make a text's edit that of a caption, or the reverse, if the error says so; return whether it did."""
    outgoing = request.outgoing
    if _says(error, NOT_A_TEXT) and outgoing.picture is None:
        # The message is a photo, of which nothing is known.
        unknown = PictureRequest(kind="", language="", shown_key=rendering.UNKNOWN_CONTENT)
        request.outgoing = replace(outgoing, picture=unknown)
        return True
    if _says(error, NOT_A_PHOTO) and not outgoing.state.is_text:
        request.update_state(is_text=True)
        return True
    return False


def _says(error: TelegramError, signs: tuple[str, ...]) -> bool:
    text = refusals.describe_telegram_error(error).lower()
    return any(sign in text for sign in signs)


def _put_latest(entries: OrderedDict[str, Any], key: str, value: Any, limit: int) -> None:
    """Put an entry last, and drop the first ones beyond the limit."""
    entries[key] = value
    entries.move_to_end(key)
    while len(entries) > limit:
        entries.popitem(last=False)
