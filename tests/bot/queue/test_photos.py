"""Which messages go out as photos, and what follows where that fails."""

import asyncio
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
from bot.queue.photos import (
    MAX_DRAWINGS,
    MAX_DRAWN,
    PATIENCE,
    PERSONAL_UPLOAD_RETENTION,
    PICTURE_CHECKS,
    REFUSED_PAUSE,
    RETRY_PAUSE,
    SLOW_CHAT_PAUSE,
    SLOW_MODE_MEMORY,
    SLOW_UPLOAD,
    UPLOAD_RETENTION,
    WITHOUT_PICTURE,
    Pause,
    Photos,
    Upload,
    delete_expired_uploads,
    save_upload,
)
from bot.queue.queries import SHOW_ROUND, QueuedRequest
from bot.telegram.photo_messages import DescribedPicture, MessagePhoto, make_message_photo
from tests.bot.queue.rows import Rows
from tests.jumping import jumping, now

GROUP, ANN = -100, 1
CARDS, OTHERS = TilesPicture((25, 50), 75), TilesPicture((1, 2), 3)
DUE = MessagePhoto(Html("caption"), picture=CARDS, content_key="abc")
CHANGED = MessagePhoto(Html("caption"), picture=OTHERS, content_key="def", shown_key="abc")
SAME = MessagePhoto(Html("caption"), picture=CARDS, content_key="abc", shown_key="abc")
PARAMS = {"chat_id": GROUP, "text": "text"}


def load_file_id(tx: Tx, content: str) -> Any:
    """The id under which Telegram has the picture; None if it has to be uploaded."""
    return tx.scalar(photos.SELECT_FILE_ID, {"shown": content})


class Artist:
    """Photos on rows in memory; a drawing takes `takes` seconds."""

    def __init__(self, takes: float = 0.01, slow_mode: int = 0) -> None:
        rows = Rows()
        rows.look(table.create)
        self.rows, self.takes, self.slow_mode = rows, takes, slow_mode
        self.asking = 0.0
        self.drawn: list[Picture] = []
        self.asked: list[int] = []
        self.photos = Photos(rows.store, self._ask, now, self._paint)

    async def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self.asked.append(parameters["chat_id"])
        await asyncio.sleep(self.asking)
        return {"id": GROUP, "slow_mode_delay": self.slow_mode}

    async def _paint(self, picture: Any, language: str) -> bytes:
        await asyncio.sleep(self.takes)
        self.drawn.append(picture)
        return b"PNG"

    def dressed(self, shows: MessagePhoto, method: str = "sendMessage", *, plain: bool = False) -> Any:
        body = {"method": method, "params": PARAMS, "photo": shows}
        return self.photos.apply_picture(GROUP, request(plain=plain), body)


def request(*, plain: bool = False) -> QueuedRequest:
    return QueuedRequest(
        1, GROUP, {"method": SHOW_ROUND, "round": 7, **({WITHOUT_PICTURE: True} if plain else {})}
    )


def methods(*bodies: dict[str, Any]) -> list[str]:
    return [body["method"] for body in bodies]


@jumping
async def test_a_post_waits_for_its_picture_and_is_a_photo_then() -> None:
    artist = Artist()
    assert artist.dressed(DUE) is None
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.dressed(DUE)["method"] == "sendPhoto"
    assert artist.drawn == [CARDS]
    artist.photos._drawn.clear()
    assert artist.dressed(DUE) is None  # it could be had, so it is waited for once more


@jumping
async def test_right_after_the_machine_was_switched_on_pictures_are_as_ever() -> None:
    artist = Artist()
    artist.photos.monotonic = lambda: 0.0
    assert artist.dressed(DUE) is None
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.asked == [GROUP]
    assert artist.dressed(DUE)["method"] == "sendPhoto"


@jumping
async def test_what_telegram_has_is_not_drawn() -> None:
    artist = Artist()
    artist.rows.look(lambda tx: photos.save_upload(tx, Upload("abc", "an id"), 0.0))
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.dressed(DUE)["params"]["photo"] == "an id"
    assert artist.drawn == []


@jumping
async def test_what_is_late_goes_without_and_is_there_for_the_next() -> None:
    artist = Artist(takes=2.0)
    began = now()
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert now() - began == pytest.approx(PATIENCE)
    assert artist.dressed(DUE)["method"] == "sendMessage"
    assert artist.dressed(CHANGED, "editMessageText") is None
    await asyncio.sleep(2)
    assert artist.dressed(DUE)["method"] == "sendPhoto"
    artist.photos._drawn.clear()
    assert artist.dressed(DUE) is None  # it was had since, so it may be asked for


@jumping
async def test_what_can_t_be_had_is_asked_for_again_after_a_while() -> None:
    artist = Artist()
    artist.photos.painter = None
    assert artist.dressed(DUE)["method"] == "sendMessage"  # there are no pictures at all

    async def fail(picture: Any, language: str) -> bytes:
        raise OSError("no art")

    artist.photos.painter = fail
    await artist.photos.wait_for_picture(GROUP, CHANGED)
    told = artist.dressed(CHANGED, "editMessageText")
    assert (told["method"], told["lacks_picture"]) == ("editMessageCaption", True)
    await asyncio.sleep(RETRY_PAUSE - 0.1)
    assert artist.dressed(CHANGED, "editMessageText") is not None
    await asyncio.sleep(0.1)
    assert artist.dressed(CHANGED, "editMessageText") is None


@jumping
async def test_a_crowd_of_drawings_waits_for_nothing() -> None:
    artist = Artist(takes=60.0)
    begun = [
        artist.photos.wait_for_picture(GROUP, MessagePhoto(Html(""), CARDS, content_key=str(n)))
        for n in range(MAX_DRAWINGS)
    ]
    await asyncio.gather(*begun)
    began = now()
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert now() == began
    artist.photos.prefetch(GROUP, OTHERS, "en")
    assert len(asyncio.all_tasks()) == 1 + MAX_DRAWINGS
    assert artist.dressed(DUE)["method"] == "sendMessage"
    await artist.photos.close()
    assert len(asyncio.all_tasks()) == 1
    assert now() == began


@jumping
async def test_a_photo_is_redrawn_by_its_caption_unless_its_picture_changes() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, CHANGED)
    bodies = (artist.dressed(SAME, "editMessageText"), artist.dressed(CHANGED, "editMessageText"))
    assert methods(*bodies) == ["editMessageCaption", "editMessageMedia"]
    assert not bodies[0]["lacks_picture"]


def test_what_shows_nothing_stays_as_it_is() -> None:
    body = {"method": "sendMessage", "params": PARAMS}
    assert Artist().photos.apply_picture(GROUP, request(), body) is body


@jumping
async def test_a_chat_in_slow_mode_gets_text_from_the_first_on() -> None:
    artist = Artist(slow_mode=10)
    assert artist.dressed(DUE) is None  # it is just being asked for
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.dressed(DUE)["method"] == "sendMessage"
    assert artist.photos.apply_picture(
        ANN, request(), {"method": "sendMessage", "params": PARAMS, "photo": DUE}
    )


@jumping
async def test_a_picture_at_hand_waits_for_the_chat_as_well() -> None:
    artist = Artist(slow_mode=10)
    artist.photos._drawn["abc"] = b"PNG"
    assert artist.dressed(DUE) is None
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.dressed(DUE)["method"] == "sendMessage"


@jumping
async def test_where_nobody_says_whether_a_chat_is_slow_it_is_not() -> None:
    artist = Artist()
    artist.asking = 60.0
    began = now()
    for lane in range(-1, -3 * MAX_DRAWINGS, -1):  # questions are no drawings: they make no crowd
        picture = MessagePhoto(Html("caption"), picture=TilesPicture((25, 50), -lane), content_key=f"c{lane}")
        artist.photos._ask_slow_mode(lane)
        artist.photos._drawn[picture.content_key] = b"PNG"
    await asyncio.gather(
        *(artist.photos.wait_for_picture(lane, DUE) for lane in range(-1, -3 * MAX_DRAWINGS, -1))
    )
    assert now() - began == pytest.approx(PATIENCE)
    body = {"method": "sendMessage", "params": PARAMS, "photo": DUE}
    sent = artist.photos.apply_picture(-3, request(), body)
    assert sent is not None
    assert sent["method"] == "sendPhoto"
    await artist.photos.close()


@jumping
async def test_a_chat_that_takes_no_photos_any_more_is_asked_once() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, CHANGED)
    edit = artist.dressed(CHANGED, "editMessageText")
    assert await artist.photos.adapt_after_error(GROUP, request(), edit, NO_RIGHT)
    again = artist.dressed(CHANGED, "editMessageText")
    assert again["method"] == "editMessageCaption"
    assert not again["lacks_picture"]
    await asyncio.sleep(REFUSED_PAUSE + 1)
    assert artist.dressed(CHANGED, "editMessageText")["method"] == "editMessageMedia"


@pytest.mark.parametrize(
    "reason",
    ["chat not found", "CHAT_WRITE_FORBIDDEN", "message to be replied not found", "PAYMENT_REQUIRED"],
)
@jumping
async def test_what_is_wrong_with_a_chat_says_nothing_of_an_id(reason: str) -> None:
    artist = Artist()
    artist.rows.look(lambda tx: photos.save_upload(tx, Upload("abc", "an id"), 0.0))
    await artist.photos.wait_for_picture(GROUP, DUE)
    await artist.photos.adapt_after_error(GROUP, request(), artist.dressed(DUE), BadRequest(reason))
    assert artist.rows.look(lambda tx: load_file_id(tx, "abc")) == "an id"


@jumping
async def test_what_was_uploaded_goes_by_its_id_from_then_on() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, DUE)
    body = artist.dressed(DUE)
    result = {"message_id": 4, "photo": [{"file_id": "an id", "width": 9, "height": 9}]}
    assert artist.photos.record_upload(GROUP, body, result, 0.1) == Upload("abc", "an id")
    assert list(artist.photos._drawn) == []
    again = artist.dressed(DUE)
    assert again["params"]["photo"] == "an id"
    assert artist.photos.record_upload(GROUP, again, result, 0.1) is None
    assert artist.photos.upload_count == 1


@jumping
async def test_a_chat_where_an_upload_took_long_rests() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, DUE)
    artist.photos.record_upload(GROUP, artist.dressed(DUE), {"message_id": 4}, SLOW_UPLOAD)
    assert artist.dressed(DUE)["method"] == "sendPhoto"
    artist.photos.record_upload(GROUP, artist.dressed(DUE), {"message_id": 4}, SLOW_UPLOAD + 1)
    assert artist.dressed(DUE)["method"] == "sendMessage"
    await asyncio.sleep(SLOW_CHAT_PAUSE - 1)
    assert artist.dressed(DUE)["method"] == "sendMessage"
    await asyncio.sleep(1)
    assert artist.dressed(DUE)["method"] == "sendPhoto"


@jumping
async def test_in_a_slow_chat_the_words_of_a_photo_go_before_its_next_picture() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, CHANGED)
    artist.photos._pause(Pause.UPLOADS, GROUP, SLOW_CHAT_PAUSE)
    first = artist.dressed(CHANGED, "editMessageText")
    assert (first["method"], first["lacks_picture"]) == ("editMessageCaption", True)
    owed = QueuedRequest(1, GROUP, {"method": SHOW_ROUND, "round": 7, PICTURE_CHECKS: 1})
    body = {"method": "editMessageText", "params": PARAMS, "photo": CHANGED}
    again = artist.photos.apply_picture(GROUP, owed, body)
    assert again is not None
    assert again["method"] == "editMessageMedia"
    await asyncio.sleep(SLOW_CHAT_PAUSE)
    assert artist.dressed(CHANGED, "editMessageText")["method"] == "editMessageMedia"


@jumping
async def test_what_telegram_has_keeps_no_words_waiting_in_a_slow_chat() -> None:
    artist = Artist()
    artist.rows.look(lambda tx: photos.save_upload(tx, Upload("def", "an id"), 0.0))
    await artist.photos.wait_for_picture(GROUP, CHANGED)
    artist.photos._pause(Pause.UPLOADS, GROUP, SLOW_CHAT_PAUSE)
    assert artist.dressed(CHANGED, "editMessageText")["method"] == "editMessageMedia"


@jumping
async def test_whether_a_group_is_in_slow_mode_is_asked_once_an_hour_and_in_private_never() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, DUE)
    for _ in range(3):
        artist.dressed(DUE)
        artist.dressed(DUE, plain=True)
        artist.photos.apply_picture(ANN, request(), {"method": "sendMessage", "params": PARAMS, "photo": DUE})
        await asyncio.sleep(1)
    assert artist.asked == [GROUP]
    await asyncio.sleep(SLOW_MODE_MEMORY - 3)
    artist.dressed(DUE, plain=True)
    await asyncio.sleep(1)
    assert artist.asked == [GROUP]
    artist.dressed(DUE)
    await asyncio.sleep(1)
    assert artist.asked == [GROUP, GROUP]


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
@jumping
async def test_what_follows_an_error(error: TelegramError, at_once: bool, plain: bool, rests: bool) -> None:
    artist, asked = Artist(), request()
    await artist.photos.wait_for_picture(GROUP, DUE)
    body = artist.dressed(DUE)
    assert await artist.photos.adapt_after_error(GROUP, asked, body, error) is at_once
    assert bool(asked.body.get(WITHOUT_PICTURE)) is plain
    assert (artist.dressed(DUE)["method"] == "sendMessage") is rests
    assert artist.dressed(DUE, plain=True)["method"] == "sendMessage"


@jumping
async def test_a_right_that_was_lacking_is_asked_for_again_after_ten_minutes() -> None:
    artist = Artist()
    await artist.photos.wait_for_picture(GROUP, DUE)
    await artist.photos.adapt_after_error(GROUP, request(), artist.dressed(DUE), NO_RIGHT)
    await asyncio.sleep(REFUSED_PAUSE - 1)
    assert artist.dressed(DUE)["method"] == "sendMessage"
    await asyncio.sleep(2)
    assert artist.dressed(DUE)["method"] == "sendPhoto"


@jumping
async def test_an_id_that_telegram_doesn_t_know_is_forgotten() -> None:
    artist, asked = Artist(), request()
    artist.rows.look(lambda tx: photos.save_upload(tx, Upload("abc", "an id"), 0.0))
    await artist.photos.wait_for_picture(GROUP, DUE)
    error = BadRequest("Wrong file identifier/http url specified")
    assert await artist.photos.adapt_after_error(GROUP, asked, artist.dressed(DUE), error)
    assert WITHOUT_PICTURE not in asked.body
    await artist.photos.wait_for_picture(GROUP, DUE)
    assert artist.dressed(DUE)["params"]["picture"] == b"PNG"
    assert await artist.photos.adapt_after_error(GROUP, asked, artist.dressed(DUE), error)
    assert asked.body[WITHOUT_PICTURE]  # uploaded once


def test_an_error_of_what_has_no_picture_is_none_of_its_business() -> None:
    artist, body = Artist(), {"method": "sendMessage", "params": PARAMS}
    assert asyncio.run(artist.photos.adapt_after_error(GROUP, request(), body, NO_RIGHT)) is False


async def test_a_picture_is_found_by_its_kind_when_it_is_sent() -> None:
    artist = Artist()
    asked = {"kind": "podium", "language": "en", "shown": "", "week": 3}
    body = {"method": "sendMessage", "params": PARAMS, "shows": asked}
    looks: list[Any] = []

    def look(_: Any, found: Any) -> DescribedPicture | None:
        looks.append(found)
        return DescribedPicture(CARDS, [Html("<i>seen</i>")])

    shows = (await artist.photos.attach_picture(look, body))["photo"]
    assert looks == [asked]
    assert (shows.picture, shows.caption, shows.shown_key) == (CARDS, "text\n<i>seen</i>", "")
    assert await artist.photos.attach_picture(lambda _tx, _found: None, body) == body
    changed = {**body, "shows": {**asked, "shown": "-"}}
    shows = (await artist.photos.attach_picture(lambda _tx, _found: None, changed))["photo"]
    assert (shows.picture, shows.caption, shows.shown_key) == (None, "text", "-")
    artist.photos.painter = None
    assert await artist.photos.attach_picture(look, body) == body
    assert (await artist.photos.attach_picture(look, changed))["photo"].picture == CARDS


async def test_a_picture_that_is_not_to_be_found_costs_nothing_but_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Any, found: Any) -> DescribedPicture | None:
        raise KeyError("week")

    body = {"method": "sendMessage", "params": PARAMS, "shows": {"kind": "podium", "shown": ""}}
    assert await Artist().photos.attach_picture(fail, body) == body
    assert "a picture is left out" in caplog.text


async def test_what_turns_out_to_be_no_photo_is_changed_as_text_and_once() -> None:
    artist, asked, body = Artist(), request(), {"method": "editMessageCaption", "params": PARAMS}
    error = BadRequest("there is no caption in the message to edit")
    assert await artist.photos.adapt_after_error(GROUP, asked, {**body, "content": "abc"}, error)
    assert WITHOUT_PICTURE not in asked.body
    told = {"method": "editMessageText", "params": PARAMS, "photo": CHANGED}
    assert artist.photos.apply_picture(GROUP, asked, told) is told
    assert not await artist.photos.adapt_after_error(GROUP, asked, body, error)


@pytest.mark.parametrize("said", ["message is not modified", "message to edit not found"])
async def test_where_nothing_is_left_to_change_no_picture_is_at_fault(said: str) -> None:
    artist, asked = Artist(), request()
    body = {"method": "editMessageMedia", "params": PARAMS, "content": "abc"}
    assert not await artist.photos.adapt_after_error(GROUP, asked, body, BadRequest(said))
    assert WITHOUT_PICTURE not in asked.body


async def test_what_turns_out_to_be_a_photo_is_changed_as_one_and_once() -> None:
    artist, body = Artist(), {"method": "editMessageText", "params": PARAMS}
    asked, error = request(), BadRequest("there is no text in the message to edit")
    assert await artist.photos.adapt_after_error(GROUP, asked, body, error)
    assert asked.body["shows"]["shown"] == "-"
    assert not await artist.photos.adapt_after_error(GROUP, asked, body, error)


@jumping
async def test_what_is_foreseen_is_at_hand_once_it_is_due() -> None:
    artist = Artist()
    artist.photos.prefetch(GROUP, CARDS, "en")
    artist.photos.prefetch(GROUP, CARDS, "es")
    await asyncio.sleep(0.1)
    due = make_message_photo(CARDS, "en", Html("caption"))
    assert artist.dressed(due)["method"] == "sendPhoto"
    artist.photos.prefetch(GROUP, CARDS, "en")
    await asyncio.sleep(0.1)
    assert artist.drawn == [CARDS]


@jumping
async def test_nothing_is_foreseen_for_who_gets_text() -> None:
    artist = Artist(slow_mode=30)
    artist.dressed(DUE)
    await asyncio.sleep(0.1)
    artist.photos.prefetch(GROUP, OTHERS, "en")
    artist.photos.painter = None
    artist.photos.prefetch(ANN, CARDS, "en")
    await asyncio.sleep(0.1)
    assert artist.drawn == []


@jumping
async def test_only_so_many_pictures_are_kept_in_memory_the_latest_ones() -> None:
    artist = Artist(takes=0.0)
    for n in range(MAX_DRAWN + 2):
        await artist.photos.wait_for_picture(
            GROUP, MessagePhoto(Html(""), TilesPicture((n, n), n), content_key=str(n))
        )
    assert list(artist.photos._drawn) == [str(n) for n in range(2, MAX_DRAWN + 2)]


def test_a_picture_is_remembered_for_its_time() -> None:
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
