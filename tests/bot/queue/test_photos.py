"""Messages are sent as photos where possible, and as text after errors or delays."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import StaticPool, create_engine
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.database import Tx
from bot.database.schema import metadata
from bot.database.schema import uploads as table
from bot.i18n import Html
from bot.pictures.values import Picture, TilesPicture
from bot.queue import photos
from bot.queue.outgoing import DeliveryState, Outgoing, PictureRequest
from bot.queue.photos import (
    MAX_DRAWINGS,
    PATIENCE,
    PERSONAL_UPLOAD_RETENTION,
    REFUSED_PAUSE,
    SLOW_CHAT_PAUSE,
    SLOW_MODE_MEMORY,
    SLOW_UPLOAD,
    UPLOAD_RETENTION,
    Photos,
    Upload,
    delete_expired_uploads,
    save_upload,
)
from bot.queue.queries import QueuedRequest
from bot.queue.rendering import DescribedPicture, MessagePhoto, RenderedRequest, make_message_photo
from bot.telegram.messages import show_round
from tests.bot.queue.queue_database import QueueDatabase
from tests.fake_time import now, with_fake_time

GROUP, ANN = -100, 1
CARDS, OTHER_CARDS = TilesPicture((25, 50), 75), TilesPicture((1, 2), 3)
DUE = MessagePhoto(Html("caption"), picture=CARDS, content_key="abc")
CHANGED = MessagePhoto(Html("caption"), picture=OTHER_CARDS, content_key="def", shown_key="abc")
UNCHANGED = MessagePhoto(Html("caption"), picture=CARDS, content_key="abc", shown_key="abc")
PARAMS = {"chat_id": GROUP, "text": "text"}


def load_file_id(tx: Tx, content: str) -> Any:
    return tx.scalar(photos.SELECT_FILE_ID, {"shown": content})


class PhotoBot:
    """Photos whose drawing takes a while; drawn pictures and slow mode calls are recorded."""

    def __init__(self, draw_seconds: float = 0.01, slow_mode: int = 0) -> None:
        database = QueueDatabase()
        database.run(table.create)
        self.database, self.draw_seconds, self.slow_mode = database, draw_seconds, slow_mode
        self.call_seconds = 0.0
        self.drawn: list[Picture] = []
        self.calls: list[int] = []
        self.photos = Photos(database.store, self._answer_slow_mode, now, self._draw)

    async def _answer_slow_mode(self, method: str, parameters: Mapping[str, Any]) -> Any:
        self.calls.append(parameters["chat_id"])
        await asyncio.sleep(self.call_seconds)
        return {"id": GROUP, "slow_mode_delay": self.slow_mode}

    async def _draw(self, picture: Any, language: str) -> bytes:
        await asyncio.sleep(self.draw_seconds)
        self.drawn.append(picture)
        return b"PNG"

    def apply(self, photo: MessagePhoto, method: str = "sendMessage", *, plain: bool = False) -> Any:
        rendered = RenderedRequest(Outgoing(GROUP, method, PARAMS), photo)
        return self.photos.apply_picture(make_request(plain=plain), rendered)


def make_request(*, plain: bool = False, lane: int = GROUP) -> QueuedRequest:
    state = DeliveryState(goes_without_picture=plain)
    return QueuedRequest(1, replace(show_round(lane, 7), state=state))


TO_ANN = RenderedRequest(Outgoing(ANN, "sendMessage", PARAMS), DUE)


@with_fake_time
async def test_post_waits_for_its_picture() -> None:
    bot = PhotoBot()
    assert bot.apply(DUE) is None
    await bot.photos.wait_for_picture(GROUP, DUE)
    assert bot.apply(DUE).outgoing.method == "sendPhoto"
    assert bot.drawn == [CARDS]


@with_fake_time
async def test_uploaded_picture_is_not_drawn_again() -> None:
    bot = PhotoBot()
    bot.database.run(lambda tx: photos.save_upload(tx, Upload("abc", "an id"), 0.0))
    await bot.photos.wait_for_picture(GROUP, DUE)
    assert bot.apply(DUE).outgoing.params["photo"] == "an id"
    assert bot.drawn == []


@with_fake_time
async def test_late_picture_is_left_out_and_used_for_the_next_message() -> None:
    bot = PhotoBot(draw_seconds=2.0)
    start = now()
    await bot.photos.wait_for_picture(GROUP, DUE)
    assert now() - start == pytest.approx(PATIENCE)
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    assert bot.apply(CHANGED, "editMessageText") is None
    await asyncio.sleep(2)
    assert bot.apply(DUE).outgoing.method == "sendPhoto"


@with_fake_time
async def test_post_does_not_wait_behind_too_many_drawings() -> None:
    bot = PhotoBot(draw_seconds=60.0)
    waits = [
        bot.photos.wait_for_picture(GROUP, MessagePhoto(Html(""), CARDS, content_key=str(n)))
        for n in range(MAX_DRAWINGS)
    ]
    await asyncio.gather(*waits)
    start = now()
    await bot.photos.wait_for_picture(GROUP, DUE)
    assert now() == start
    bot.photos.prefetch(GROUP, OTHER_CARDS, "en")
    assert len(asyncio.all_tasks()) == 1 + MAX_DRAWINGS
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    await bot.photos.close()
    assert len(asyncio.all_tasks()) == 1
    assert now() == start


@with_fake_time
async def test_edit_changes_the_caption_unless_the_picture_changed() -> None:
    bot = PhotoBot()
    await bot.photos.wait_for_picture(GROUP, CHANGED)
    unchanged, changed = bot.apply(UNCHANGED, "editMessageText"), bot.apply(CHANGED, "editMessageText")
    methods = (unchanged.outgoing.method, changed.outgoing.method)
    assert methods == ("editMessageCaption", "editMessageMedia")
    assert not unchanged.lacks_picture


@with_fake_time
async def test_chat_in_slow_mode_gets_text() -> None:
    bot = PhotoBot(slow_mode=10)
    assert bot.apply(DUE) is None  # it is just being asked for
    await bot.photos.wait_for_picture(GROUP, DUE)
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    assert bot.photos.apply_picture(make_request(lane=ANN), TO_ANN)


@pytest.mark.parametrize(
    "reason",
    ["chat not found", "CHAT_WRITE_FORBIDDEN", "message to be replied not found", "PAYMENT_REQUIRED"],
)
@with_fake_time
async def test_error_of_a_chat_keeps_the_file_id(reason: str) -> None:
    bot = PhotoBot()
    bot.database.run(lambda tx: photos.save_upload(tx, Upload("abc", "an id"), 0.0))
    await bot.photos.wait_for_picture(GROUP, DUE)
    await bot.photos.adapt_after_error(make_request(), bot.apply(DUE), BadRequest(reason))
    assert bot.database.run(lambda tx: load_file_id(tx, "abc")) == "an id"


@with_fake_time
async def test_uploaded_picture_is_sent_by_its_file_id() -> None:
    bot = PhotoBot()
    await bot.photos.wait_for_picture(GROUP, DUE)
    body = bot.apply(DUE)
    result = {"message_id": 4, "photo": [{"file_id": "an id", "width": 9, "height": 9}]}
    assert bot.photos.record_upload(body, result, 0.1) == Upload("abc", "an id")
    again = bot.apply(DUE)
    assert again.outgoing.params["photo"] == "an id"
    assert bot.photos.record_upload(again, result, 0.1) is None


@with_fake_time
async def test_chat_with_a_slow_upload_gets_text_for_a_while() -> None:
    bot = PhotoBot()
    await bot.photos.wait_for_picture(GROUP, DUE)
    bot.photos.record_upload(bot.apply(DUE), {"message_id": 4}, SLOW_UPLOAD)
    assert bot.apply(DUE).outgoing.method == "sendPhoto"
    bot.photos.record_upload(bot.apply(DUE), {"message_id": 4}, SLOW_UPLOAD + 1)
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    await asyncio.sleep(SLOW_CHAT_PAUSE - 1)
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    await asyncio.sleep(1)
    assert bot.apply(DUE).outgoing.method == "sendPhoto"


@with_fake_time
async def test_slow_mode_of_a_group_is_read_once_an_hour() -> None:
    bot = PhotoBot()
    await bot.photos.wait_for_picture(GROUP, DUE)
    for _ in range(3):
        bot.apply(DUE)
        bot.apply(DUE, plain=True)
        bot.photos.apply_picture(make_request(lane=ANN), TO_ANN)
        await asyncio.sleep(1)
    assert bot.calls == [GROUP]
    await asyncio.sleep(SLOW_MODE_MEMORY - 3)
    bot.apply(DUE, plain=True)
    await asyncio.sleep(1)
    assert bot.calls == [GROUP]
    bot.apply(DUE)
    await asyncio.sleep(1)
    assert bot.calls == [GROUP, GROUP]


NO_RIGHT = BadRequest("not enough rights to send photos to the chat")


@pytest.mark.parametrize(
    ("error", "at_once", "plain", "rests"),
    [
        (NO_RIGHT, True, True, True),
        (BadRequest("CHAT_SEND_PHOTOS_FORBIDDEN"), True, True, True),
        (BadRequest("IMAGE_PROCESS_FAILED"), True, True, False),
        (Forbidden("bot was kicked"), True, True, False),
        (NetworkError("Unknown HTTPError (413)"), True, True, True),
        (NetworkError("Bad Gateway"), False, True, True),
        (TimedOut(), False, True, True),
        (RetryAfter(3), False, False, True),
        (ChatMigrated(-8), False, False, False),
    ],
)
@with_fake_time
async def test_error_of_a_photo_leads_to_text(
    error: TelegramError, at_once: bool, plain: bool, rests: bool
) -> None:
    bot, calls = PhotoBot(), make_request()
    await bot.photos.wait_for_picture(GROUP, DUE)
    body = bot.apply(DUE)
    assert await bot.photos.adapt_after_error(calls, body, error) is at_once
    assert calls.outgoing.state.goes_without_picture is plain
    assert (bot.apply(DUE).outgoing.method == "sendMessage") is rests
    assert bot.apply(DUE, plain=True).outgoing.method == "sendMessage"


@with_fake_time
async def test_photos_are_tried_again_ten_minutes_after_a_missing_right() -> None:
    bot = PhotoBot()
    await bot.photos.wait_for_picture(GROUP, DUE)
    await bot.photos.adapt_after_error(make_request(), bot.apply(DUE), NO_RIGHT)
    await asyncio.sleep(REFUSED_PAUSE - 1)
    assert bot.apply(DUE).outgoing.method == "sendMessage"
    await asyncio.sleep(2)
    assert bot.apply(DUE).outgoing.method == "sendPhoto"


async def test_picture_is_looked_up_when_it_is_sent() -> None:
    bot = PhotoBot()
    asked = PictureRequest("podium", "en", "", {"week": 3})
    post = RenderedRequest(Outgoing(GROUP, "sendMessage", PARAMS, picture=asked))
    lookups: list[Any] = []

    def find_picture(_: Any, found: Any) -> DescribedPicture | None:
        lookups.append(found)
        return DescribedPicture(CARDS, [Html("<i>shown</i>")])

    photo = (await bot.photos.attach_picture(find_picture, post)).photo
    assert lookups == [asked]
    assert photo
    assert (photo.picture, photo.caption, photo.shown_key) == (CARDS, "text\n<i>shown</i>", "")
    assert await bot.photos.attach_picture(lambda _tx, _found: None, post) == post
    edit = RenderedRequest(replace(post.outgoing, picture=replace(asked, shown_key="-")))
    photo = (await bot.photos.attach_picture(lambda _tx, _found: None, edit)).photo
    assert photo
    assert (photo.picture, photo.caption, photo.shown_key) == (None, "text", "-")
    bot.photos.painter = None
    assert await bot.photos.attach_picture(find_picture, post) == post
    photo = (await bot.photos.attach_picture(find_picture, edit)).photo
    assert photo
    assert photo.picture == CARDS


async def test_failed_lookup_leaves_only_the_picture_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Any, found: Any) -> DescribedPicture | None:
        raise KeyError("week")

    post = RenderedRequest(Outgoing(GROUP, "sendMessage", PARAMS, picture=PictureRequest("podium", "en")))
    assert await PhotoBot().photos.attach_picture(fail, post) == post
    assert "a picture is left out" in caplog.text


@pytest.mark.parametrize("reason", ["message is not modified", "message to edit not found"])
async def test_harmless_errors_keep_the_picture(reason: str) -> None:
    bot, calls = PhotoBot(), make_request()
    body = RenderedRequest(Outgoing(GROUP, "editMessageMedia", PARAMS), DUE, picture_key="abc")
    assert not await bot.photos.adapt_after_error(calls, body, BadRequest(reason))
    assert not calls.outgoing.state.goes_without_picture


@with_fake_time
async def test_prefetched_picture_is_sent_at_once() -> None:
    bot = PhotoBot()
    bot.photos.prefetch(GROUP, CARDS, "en")
    bot.photos.prefetch(GROUP, CARDS, "es")
    await asyncio.sleep(0.1)
    due = make_message_photo(CARDS, "en", Html("caption"))
    assert bot.apply(due).outgoing.method == "sendPhoto"
    bot.photos.prefetch(GROUP, CARDS, "en")
    await asyncio.sleep(0.1)
    assert bot.drawn == [CARDS]


@with_fake_time
async def test_nothing_is_prefetched_for_chats_that_get_text() -> None:
    bot = PhotoBot(slow_mode=30)
    bot.apply(DUE)
    await asyncio.sleep(0.1)
    bot.photos.prefetch(GROUP, OTHER_CARDS, "en")
    bot.photos.painter = None
    bot.photos.prefetch(ANN, CARDS, "en")
    await asyncio.sleep(0.1)
    assert bot.drawn == []


def test_upload_is_kept_for_its_retention_time() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine, tables=[table])
    with engine.begin() as tx:
        assert load_file_id(tx, "deal") is None
        save_upload(tx, Upload("deal", "one"), 100.0)
        save_upload(tx, Upload("deal", "two"), 200.0)
        save_upload(tx, Upload("race", "three", names_people=True), 200.0)
        assert load_file_id(tx, "deal") == "two"
        delete_expired_uploads(tx, 200.0 + PERSONAL_UPLOAD_RETENTION + 1)
        assert (load_file_id(tx, "deal"), load_file_id(tx, "race")) == ("two", None)
        delete_expired_uploads(tx, 200.0 + UPLOAD_RETENTION)
        assert load_file_id(tx, "deal") == "two"
        delete_expired_uploads(tx, 201.0 + UPLOAD_RETENTION)
        assert load_file_id(tx, "deal") is None
