"""Requests are sent in order and at a limited pace, repeated after errors, and not sent twice."""

import asyncio
import gc
import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import aiohttp
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.database import Tx
from bot.database.schema import inbox, outbox, uploads
from bot.durations import DAY
from bot.i18n import Html
from bot.pictures.values import TilesPicture
from bot.queue import queries
from bot.queue.delivery_check import MAX_MISSING_SHARED
from bot.queue.outbox import Outbox
from bot.queue.outgoing import DeliveryCheck, DeliveryStatus, Outgoing
from bot.queue.pacing import Pace
from bot.queue.queries import QueuedRequest
from bot.queue.rendering import DeliveryResult, MessagePhoto, OutboxHooks, RenderedRequest
from bot.telegram.messages import SHOW_ROUND, show_round
from tests.bot.queue.queue_database import FULL_DISK, QueueDatabase, make_outgoing
from tests.fake_time import START, advance_time, now, with_fake_time

GROUP, ELSEWHERE, ANN = -100, -200, 1
UNSENT = TimedOut()
UNSENT.__cause__ = aiohttp.ConnectionTimeoutError("no route")
BAD_GATEWAY = NetworkError("Bad Gateway")
NOT_MODIFIED = BadRequest("Message is not modified")
NOT_FOUND = BadRequest("Message to edit not found")


class Bot:
    """An outbox whose Telegram gives the listed answers, one each, and then succeeds."""

    def __init__(self, *answers: Any, answer_seconds: float = 0.0, pace: Pace | None = None) -> None:
        self.database = QueueDatabase()
        self.answers = list(answers)
        self.answer_seconds = answer_seconds
        self.sent: list[tuple[float, str, Mapping[str, Any]]] = []
        self.notes: list[Any] = []
        self.max_running = self._running = 0
        self.rendered: dict[int, RenderedRequest | None] = {}
        self.is_first_time, self.is_posted_anew = True, False
        hooks = OutboxHooks(
            renderers={SHOW_ROUND: self._render},
            load_names=lambda tx, wanted: {},
            before_send=self._before_send,
            on_delivered=self._record_delivery,
            on_message_gone=self._record_message_gone,
            on_chat_migrated=lambda tx, old, new: self.notes.append(("migrated", old, new)),
            on_chat_gone=lambda tx, chat: self.notes.append(("chat gone", chat)),
        )
        parts = (self.database.store, self._answer, hooks, pace or Pace(), self._read_time, now)
        self.outbox = Outbox(*parts, is_token_known=self._check_token)
        self.token_checks: list[bool] = []  # Results of the token checks; then the token is known
        self.token_check_times = list[float]()

    async def _check_token(self) -> bool:
        self.token_check_times.append(round(now() - START, 6))
        return self.token_checks.pop(0) if self.token_checks else True

    @staticmethod
    def _read_time() -> float:
        return 1000.0 + now() - START

    async def _answer(self, method: str, parameters: Mapping[str, Any]) -> Any:
        self.sent.append((round(now() - START, 6), method, parameters))
        self._running += 1
        self.max_running = max(self.max_running, self._running)
        await asyncio.sleep(self.answer_seconds)
        self._running -= 1
        answer = self.answers.pop(0) if self.answers else {"message_id": 40 + len(self.sent), "date": 1}
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _render(self, request: Outgoing) -> RenderedRequest | None:
        return self.rendered.get(
            request.key, make_rendered("a round", "editMessageText", about="drawn:7", lane=request.lane)
        )

    def _record_delivery(self, tx: Tx, about: str, result: DeliveryResult | None) -> None:
        self.notes.append((about, result and (result.message, result.first_sent_at)))

    def _before_send(self, tx: Tx, about: str) -> bool:
        self.notes.append(("before send", about))
        is_first_time, self.is_first_time = self.is_first_time, False
        return is_first_time

    def _record_message_gone(self, tx: Tx, edit: Outgoing, is_refresh: bool) -> bool:
        self.notes.append(("gone", edit.method, is_refresh))
        return self.is_posted_anew

    def send(self, *bodies: dict[str, Any], lane: int = GROUP, by: int = 0) -> list[QueuedRequest]:
        requests = [self.database.insert_request(lane, body, self._read_time(), by) for body in bodies]
        self.outbox.enqueue(requests)
        return requests

    @property
    def times(self) -> list[float]:
        return [at for at, _, _ in self.sent]

    @property
    def texts(self) -> list[str]:
        return [parameters.get("text", "") for _, _, parameters in self.sent]


def make_body(text: str, method: str = "sendMessage", **more: Any) -> dict[str, Any]:
    return {"method": method, "params": {"text": text}, **more}


def make_rendered(
    text: str,
    method: str = "sendMessage",
    photo: MessagePhoto | None = None,
    about: str = "",
    lane: int = GROUP,
) -> RenderedRequest:
    return RenderedRequest(Outgoing(lane, method, {"text": text}, about=about), photo)


def make_show_body(number: int = 7, **more: Any) -> dict[str, Any]:
    return {"method": SHOW_ROUND, "round": number, **more}


# Order and pace


@with_fake_time
async def test_requests_of_a_chat_are_sent_in_order_and_deleted() -> None:
    bot = Bot(answer_seconds=1.0)
    bot.send(make_body("a"), make_body("b"), lane=ANN)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (1.0, "b")]
    assert bot.database.list_requests() == []
    assert bot.notes == []


@with_fake_time
async def test_next_request_waits_until_the_last_delivery_is_stored() -> None:
    bot = Bot()
    bot.database.commit_seconds = 2.0
    bot.send(make_body("a"), make_body("b"), lane=ANN)
    await advance_time(1.0)
    assert bot.texts == ["a"]
    assert len(bot.database.list_requests()) == 2
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 2.0]


@with_fake_time
async def test_migrated_round_is_sent_in_the_lane_of_its_new_chat() -> None:
    """Else both lanes would post it."""
    bot = Bot(answer_seconds=0.3)
    bot.rendered[7] = make_rendered("a round", about="shown:7", lane=ELSEWHERE)
    bot.send(make_body("before it"), lane=ELSEWHERE)
    bot.send(make_show_body(7, after=3), make_show_body(7), lane=GROUP)
    await advance_time(0.05)
    waiting = bot.database.run(queries.load_waiting_requests)
    assert [each.outgoing for each in waiting][1:] == [show_round(ELSEWHERE, 7)] * 2
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["before it", "a round"]
    assert bot.times[1] >= 0.3
    assert bot.database.run(queries.load_waiting_requests) == []


@with_fake_time
@pytest.mark.parametrize("moved", ["round", "chat"])
async def test_deleted_request_does_not_migrate(moved: str) -> None:
    """/forgetme deletes a person's stored requests while they are still queued in memory."""
    bot = Bot(*([ChatMigrated(ELSEWHERE)] if moved == "chat" else []))
    bot.rendered[7] = make_rendered("a round", lane=GROUP if moved == "chat" else ELSEWHERE)
    stored = bot.send(make_show_body(7))
    bot.database.run(lambda tx: queries.delete_requests(tx, stored))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == (1 if moved == "chat" else 0)
    assert bot.database.list_requests() == []


@with_fake_time
async def test_30_requests_run_at_once() -> None:
    bot = Bot(answer_seconds=1.0)
    for lane in range(1, 50):
        bot.send(make_body("a", "editMessageText"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.max_running == 30


@with_fake_time
async def test_posts_to_a_group_are_limited_per_minute() -> None:
    bot = Bot(pace=Pace(posts_a_minute=3))
    bot.send(*(make_body(f"{n}") for n in range(5)))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 0.0, 0.0, 60.0, 60.0]
    assert {state for _, state in bot.database.list_requests()} == {"sent"}


@with_fake_time
async def test_edit_overtakes_a_post_that_waits_for_room() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.send(make_body("a"), make_body("b"))
    await advance_time(10.0)
    bot.send(make_body("edit", "editMessageText"))
    await advance_time(1.0)
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (10.0, "edit")]
    await bot.outbox.wait_until_idle()
    assert bot.times[-1] == 60.0


@with_fake_time
async def test_round_is_redrawn_once_a_second() -> None:
    bot = Bot(answer_seconds=0.25)
    bot.send(make_show_body(), make_show_body(), make_show_body())
    await advance_time(0.5)
    bot.send(make_show_body(), make_show_body())
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0]
    assert bot.database.list_requests() == []
    assert [note[0] for note in bot.notes] == ["drawn:7", "drawn:7"]


# Requests that are rendered when they are sent


@with_fake_time
async def test_unwanted_request_is_deleted_unsent() -> None:
    bot = Bot()
    bot.rendered[7] = None
    bot.send(make_show_body(), make_show_body())
    await bot.outbox.wait_until_idle()
    assert bot.sent == []
    assert bot.database.list_requests() == []


@with_fake_time
async def test_redraw_that_becomes_a_post_waits_for_room() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.rendered[7] = make_rendered("a deal", about="deal:7")
    bot.send(make_body("a"))
    await advance_time(1.0)
    bot.send(make_show_body())
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (60.0, "a deal")]


@with_fake_time
async def test_result_is_passed_on_with_the_about_key() -> None:
    bot = Bot({"message_id": 3, "date": 9}, True)
    bot.send(make_body("a", about="deal:7"), make_body("b", about="deal:8"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("deal:7", ({"message_id": 3, "date": 9}, None))]


# Asides


@with_fake_time
async def test_expired_aside_is_dropped_and_counted() -> None:
    bot = Bot(pace=Pace(posts_a_minute=4))
    bot.send(*(make_body(f"{n}", aside=True) for n in range(4)), by=5)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "0"), (60.0, "1")]
    assert bot.outbox.dropped_count == 2
    bot.outbox.count_unanswered()
    assert bot.outbox.dropped_count == 3


# Refusals of Telegram


@pytest.mark.parametrize("error", [BadRequest("Button_data_invalid"), InvalidToken("x")])
@with_fake_time
async def test_refused_request_is_dead_and_the_next_is_sent(error: TelegramError) -> None:
    bot = Bot(error)
    bot.send(make_body("a"), make_body("b"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert [state for _, state in bot.database.list_requests()] == ["dead", "sent"]


@pytest.mark.parametrize(
    ("lane", "error", "gone"),
    [
        (GROUP, Forbidden("Forbidden: bot was kicked from the group chat"), True),
        (GROUP, BadRequest("Chat not found"), True),
        (GROUP, Forbidden("Forbidden: CHAT_WRITE_FORBIDDEN"), False),
        (GROUP, BadRequest("Not enough rights to send text messages to the chat"), False),
        (ANN, Forbidden("Forbidden: bot was blocked by the user"), True),
    ],
)
@with_fake_time
async def test_forbidden_request_is_deleted(lane: int, error: TelegramError, gone: bool) -> None:
    bot = Bot(error)
    bot.send(make_body("a"), make_body("b"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert "dead" not in [state for _, state in bot.database.list_requests()]
    assert bot.notes == [("chat gone", lane)] * gone


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText", "setMessageReaction"])
@with_fake_time
async def test_request_stays_stored_while_the_token_is_unknown(method: str) -> None:
    bot = Bot(InvalidToken("Unauthorized"), InvalidToken("Unauthorized"))
    bot.token_checks = [False, False]
    (request,) = bot.send(make_body("a", method))
    await advance_time(0.5)
    assert bot.database.list_requests() == [(request.id, "waiting")]
    await advance_time(1.0)
    assert bot.database.list_requests() == [(request.id, "waiting")]
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.token_check_times) == ([0.0, 1.0, 3.0], [0.0, 1.0])
    assert "dead" not in [state for _, state in bot.database.list_requests()]


@with_fake_time
async def test_unknown_method_is_dead_while_the_token_is_known() -> None:
    bot = Bot(InvalidToken("Not Found"))
    bot.send(make_body("a", "sendRichMessage"))
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.token_check_times) == ([0.0], [0.0])
    assert [state for _, state in bot.database.list_requests()] == ["dead"]


@pytest.mark.parametrize("error", [Forbidden("kicked"), BadRequest("Chat not found"), NOT_MODIFIED])
@with_fake_time
async def test_other_refusals_cause_no_token_check(error: TelegramError) -> None:
    bot = Bot(error)
    bot.send(make_body("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.token_check_times == []


@with_fake_time
async def test_html_page_causes_no_token_check() -> None:
    page = InvalidToken("Not Found (404). Parsing the server response b'<html>' failed")
    page.__cause__ = TelegramError("Invalid server response")
    bot = Bot(page)
    bot.send(make_body("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.token_check_times) == ([0.0, 1.0], [])


@pytest.mark.parametrize("error", [BAD_GATEWAY, TimedOut()])
@with_fake_time
async def test_search_goes_on_once_the_token_is_known(error: TelegramError) -> None:
    """Else the post would be lost or sent twice."""
    bot = Bot(error, InvalidToken("Unauthorized"), NOT_MODIFIED)
    bot.token_checks = [False]
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        (1.0, "editMessageText"),
        (3.0, "editMessageText"),
    ]
    assert bot.notes == [("deal:7", ({"message_id": 4}, 1000.0))]


@with_fake_time
async def test_retry_after_delays_its_own_chat_only() -> None:
    bot = Bot(RetryAfter(7))
    bot.send(make_body("a"))
    await advance_time()
    bot.send(make_body("b"), lane=ELSEWHERE)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (0.0, "b"), (7.1, "a")]


@with_fake_time
async def test_failed_edit_is_repeated_with_growing_pauses() -> None:
    bot = Bot(*[TimedOut()] * 6)
    bot.send(make_body("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0, 3.0, 7.0, 15.0, 30.0, 45.0]


@with_fake_time
async def test_pauses_are_reset_after_a_success() -> None:
    bot = Bot(TimedOut(), TimedOut(), True, TimedOut())
    bot.send(make_body("a", "editMessageText"), make_body("b", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0, 3.0, 3.0, 4.0]


@with_fake_time
async def test_deleted_message_is_posted_anew() -> None:
    bot = Bot(NOT_FOUND, pace=Pace(posts_a_minute=1))
    bot.is_posted_anew = True
    bot.send(make_body("a"))
    await advance_time()
    bot.answers = [NOT_FOUND]
    bot.send(make_show_body(unasked=True))
    await advance_time()
    bot.rendered[7] = make_rendered("a deal")
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("gone", "editMessageText", True)]
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (0.0, "a round"), (60.0, "a deal")]


@with_fake_time
async def test_chat_migrates_after_its_waiting_updates() -> None:
    """An answer finds its round by the id of the old chat."""
    bot = Bot(*[ChatMigrated(ELSEWHERE)] * 3)
    bot.database.insert(inbox, update_id=5, lane=GROUP, body="{}", state="waiting", at=1.0)
    bot.send(make_body("a"))
    await advance_time(1.5)
    assert bot.notes == []
    bot.database.run(lambda tx: queries.mark_done(tx, 5, 2.0))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("migrated", GROUP, ELSEWHERE)]
    assert bot.times == [0.0, 1.0, 3.0, 3.0]
    assert bot.database.run(queries.load_waiting_requests) == []


@with_fake_time
async def test_edit_is_dropped_when_its_chat_migrates() -> None:
    bot = Bot(ChatMigrated(ELSEWHERE))
    bot.send(make_body("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.database.list_requests() == []


# Posts that may have arrived


@with_fake_time
async def test_unsent_post_is_repeated() -> None:
    bot = Bot(UNSENT, UNSENT)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [(at, "sendMessage") for at in (0.0, 1.0, 3.0)]


@with_fake_time
async def test_post_without_answer_is_not_repeated() -> None:
    bot = Bot(TimedOut())
    bot.send(make_body("a"), make_body("b"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert [state for _, state in bot.database.list_requests()] == ["dead", "sent"]
    reason = bot.database.run(lambda tx: tx.scalar(outbox.select().with_only_columns(outbox.c.trouble)))
    assert reason == "may have arrived: Timed out"


@with_fake_time
async def test_bad_gateway_without_known_message_id_is_repeated() -> None:
    bot = Bot(BAD_GATEWAY)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0]


@with_fake_time
async def test_post_that_a_moderator_deleted_is_not_repeated() -> None:
    bot = Bot(NetworkError("Internal Server Error (500): immediately deleted"))
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.database.list_requests() == []


@pytest.mark.parametrize(("number", "searches"), [(0, []), (1, [2])])
@with_fake_time
async def test_search_starts_after_a_real_message_id(number: int, searches: list[int]) -> None:
    """An ephemeral message has id 0, which says nothing about ids of posts."""
    bot = Bot(BAD_GATEWAY, *([NOT_MODIFIED] if searches else []))
    bot.outbox.record_message(GROUP, number)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert [params["message_id"] for _, method, params in bot.sent if method == "editMessageText"] == searches
    assert bot.texts == ["a", "a"]


@with_fake_time
async def test_delivery_check_is_stored_before_the_search() -> None:
    bot = Bot(BAD_GATEWAY, NOT_MODIFIED)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await advance_time(0.5)
    stored = bot.database.run(queries.load_waiting_requests)
    assert [request.outgoing.state.check for request in stored] == [
        DeliveryCheck(DeliveryStatus.REFUSED, 3, 1000.0)
    ]
    await bot.outbox.wait_until_idle()


@with_fake_time
async def test_file_is_not_searched() -> None:
    bot = Bot(TimedOut())
    bot.outbox.record_message(ANN, 3)
    bot.send(make_body("a", "sendDocument"), lane=ANN)
    await bot.outbox.wait_until_idle()
    assert [state for _, state in bot.database.list_requests()] == ["dead"]


@pytest.mark.parametrize("error", [BAD_GATEWAY, TimedOut()])
@with_fake_time
async def test_post_that_arrived_is_found(error: TelegramError) -> None:
    bot = Bot(error, BadRequest("can't be edited"), NOT_MODIFIED)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert [(at, method, parameters.get("message_id")) for at, method, parameters in bot.sent] == [
        (0.0, "sendMessage", None),
        (1.0, "editMessageText", 4),
        (1.0, "editMessageText", 5),
    ]
    assert bot.notes == [("deal:7", ({"message_id": 5}, 1000.0))]
    assert [state for _, state in bot.database.list_requests()] == ["sent"]


@with_fake_time
async def test_missing_post_is_repeated_after_bad_gateway_only() -> None:
    not_found = [BadRequest("message to edit not found")] * MAX_MISSING_SHARED
    bot = Bot(BAD_GATEWAY, *not_found)
    searches = ["editMessageText"] * MAX_MISSING_SHARED
    bot.send(make_body("a", after=3))
    await bot.outbox.wait_until_idle()
    assert [method for _, method, _ in bot.sent] == ["sendMessage", *searches, "sendMessage"]
    other = Bot(TimedOut(), *not_found)
    other.send(make_body("a", after=3))
    await other.outbox.wait_until_idle()
    assert [method for _, method, _ in other.sent] == ["sendMessage", *searches]
    assert [state for _, state in other.database.list_requests()] == ["dead"]


@with_fake_time
async def test_search_without_answer_is_repeated_for_ten_minutes() -> None:
    bot = Bot(BAD_GATEWAY, *[TimedOut()] * 43)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    searches = (1.0, 3.0, 7.0, *(15.0 * n for n in range(1, 41)))
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        *((at, "editMessageText") for at in searches),
        (600.0, "sendMessage"),
    ]


@with_fake_time
async def test_search_obeys_retry_after() -> None:
    bot = Bot(BAD_GATEWAY, RetryAfter(30), NOT_MODIFIED)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        (1.0, "editMessageText"),
        (31.1, "editMessageText"),
    ]


@with_fake_time
async def test_post_is_repeated_when_the_search_is_refused() -> None:
    bot = Bot(BAD_GATEWAY, Forbidden("bot is not a member of the chat"))
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert [method for _, method, _ in bot.sent] == ["sendMessage", "editMessageText", "sendMessage"]


@with_fake_time
async def test_second_search_starts_at_the_first_attempt() -> None:
    bot = Bot(BAD_GATEWAY, *[BadRequest("not found")] * 6, BAD_GATEWAY, NOT_MODIFIED)
    bot.outbox.record_message(GROUP, 3)
    bot.send(make_body("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("deal:7", ({"message_id": 4}, 1000.0))]


@with_fake_time
async def test_search_starts_after_the_last_delivered_post() -> None:
    bot = Bot({"message_id": 70, "date": 1}, BAD_GATEWAY, NOT_MODIFIED)
    bot.send(make_body("a"), make_body("b"))
    await bot.outbox.wait_until_idle()
    assert bot.sent[-1][2]["message_id"] == 71


# Posts that start a time limit


@with_fake_time
async def test_timed_post_is_announced_before_it_is_sent() -> None:
    bot = Bot()
    bot.send(make_body("a", timed=True, about="hand:1"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("before send", "hand:1"), ("hand:1", ({"message_id": 41, "date": 1}, None))]
    assert (bot.database.write_count, bot.database.urgent_count) == (2, 2)


@with_fake_time
async def test_undelivered_timed_post_has_no_message() -> None:
    bot = Bot(UNSENT)
    bot.send(make_body("a", timed=True, about="hand:1"))
    await advance_time()
    assert bot.notes == [("before send", "hand:1"), ("hand:1", None)]
    await bot.outbox.wait_until_idle()
    assert bot.notes[2:] == [("before send", "hand:1")]


@with_fake_time
async def test_timed_post_that_may_have_arrived_has_no_result() -> None:
    bot = Bot(TimedOut())
    bot.send(make_body("a", timed=True, about="hand:1"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("before send", "hand:1")]


# Errors of the bot and its database


@with_fake_time
async def test_unexpected_error_is_dead_lettered_after_five_times(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot = Bot(*[ValueError("odd")] * 9)
    with caplog.at_level(logging.ERROR):
        bot.send(make_body("a", "editMessageText"), make_body("b", "editMessageText"))
        await advance_time(3.9)
        assert [state for _, state in bot.database.list_requests()] == ["waiting", "waiting"]
        await advance_time(0.2)
    assert bot.times[:5] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert bot.database.list_requests()[0][1] == "dead"
    lines = [record.getMessage() for record in caplog.records]
    assert ["stays stored" in line for line in lines[:5]] == [True] * 4 + [False]
    await bot.outbox.wait_until_idle()


@with_fake_time
async def test_request_that_cannot_be_dead_lettered_delays_no_others() -> None:
    bot = Bot(*[ValueError("odd")] * 5)
    bot.database.errors = [ValueError("odd as well")]
    bot.send(make_body("a", "editMessageText"), make_body("b", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a"] * 5 + ["b"]
    assert bot.database.list_requests() == [(1, "waiting")]


@with_fake_time
async def test_database_failure_does_not_count_as_attempt(caplog: pytest.LogCaptureFixture) -> None:
    bot = Bot(*[FULL_DISK] * 9)
    bot.send(make_body("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    expected = "a request (editMessageText) waits for the database: Exception: database or disk is full"
    assert set(caplog.messages) == {expected}
    assert bot.times == [float(n) for n in range(10)]
    assert bot.database.list_requests() == []


# Start and stop


@with_fake_time
async def test_posts_before_a_restart_count_for_the_pace() -> None:
    bot = Bot(pace=Pace(posts_a_minute=2))
    for number, at in ((91, 939.0), (92, 970.0), (93, 1005.0)):
        bot.database.insert(outbox, id=number, lane=GROUP, body="", state="sent", at=at)
    await bot.outbox.resume()
    bot.send(make_body("a"), make_body("b"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [30.0, 60.0]


@with_fake_time
async def test_posts_dated_in_the_future_delay_nothing() -> None:
    """They were stored while the clock was ahead, and would delay the chat for a minute."""
    bot = Bot(pace=Pace(posts_a_minute=2))
    for number in (91, 92, 93):
        bot.database.insert(outbox, id=number, lane=GROUP, body="", state="sent", at=1000.0 + 400 * DAY)
    await bot.outbox.resume()
    bot.send(make_body("a"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0]


@with_fake_time
async def test_waiting_post_counts_for_the_pace_after_a_restart() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.database.insert_request(GROUP, make_body("a"))
    bot.database.insert_request(ELSEWHERE, make_body("edit", "editMessageText"))
    bot.database.insert_request(ANN, make_body("b"))
    await bot.outbox.resume()
    bot.send(make_body("c"), lane=ELSEWHERE)
    await bot.outbox.wait_until_idle()
    assert sorted(zip(bot.texts, bot.times, strict=True)) == [
        ("a", 60.0),
        ("b", 0.0),
        ("c", 0.0),
        ("edit", 0.0),
    ]


@with_fake_time
async def test_search_after_a_restart_skips_known_posts() -> None:
    bot = Bot(NOT_MODIFIED)
    for number, message_id in ((91, 4), (92, 0), (93, 6)):
        bot.database.insert(outbox, id=number, lane=GROUP, body=str(message_id), state="sent", at=0.0)
    bot.database.insert_request(
        GROUP, make_body("a", doubt=asdict(DeliveryCheck(DeliveryStatus.REFUSED, 3, 990.0)))
    )
    await bot.outbox.resume()
    bot.answers = [BadRequest("not found"), NOT_MODIFIED]
    await bot.outbox.wait_until_idle()
    assert [params["message_id"] for _, _, params in bot.sent] == [5, 7]


@with_fake_time
async def test_unstored_request_is_sent_once() -> None:
    bot = Bot(Forbidden("kicked"))
    bot.outbox.send_unstored(make_outgoing(GROUP, make_body("sorry")))
    await advance_time()
    assert bot.texts == ["sorry"]
    assert bot.database.write_count == 0


@with_fake_time
async def test_search_skips_unstored_messages() -> None:
    bot = Bot()
    bot.outbox.send_unstored(make_outgoing(GROUP, make_body("sorry")))
    await advance_time()
    assert (
        list(bot.outbox._latest.find_other_ids(GROUP)) == [bot.outbox._latest.get_latest_id(GROUP)] != [None]
    )


@with_fake_time
async def test_unstored_request_is_dropped_without_room() -> None:
    bot = Bot(pace=Pace(posts_a_minute=4))
    for _ in range(5):
        bot.outbox.send_unstored(make_outgoing(GROUP, make_body("sorry")))
        bot.outbox.send_unstored(make_outgoing(ANN, make_body("sorry, Ann")))
    await advance_time()
    assert sorted(bot.texts) == ["sorry"] * 3 + ["sorry, Ann"] * 5
    blocked = Bot(RetryAfter(7))
    blocked.send(make_body("a"))
    await advance_time()
    blocked.outbox.send_unstored(make_outgoing(GROUP, make_body("sorry")))
    await advance_time()
    assert blocked.texts == ["a"]
    await blocked.outbox.close(0.0)


@with_fake_time
async def test_close_finishes_running_requests_and_keeps_the_rest() -> None:
    bot = Bot(answer_seconds=1.0)
    bot.send(make_body("a"), make_body("b"))
    bot.outbox.send_unstored(make_outgoing(ANN, make_body("sorry")))
    await advance_time(0.5)
    await bot.outbox.close()
    assert now() - START == 1.0
    assert sorted(bot.texts) == ["a", "sorry"]
    assert [state for _, state in bot.database.list_requests()] == ["sent", "waiting"]
    bot.send(make_body("c"))
    bot.outbox.send_unstored(make_outgoing(ANN, make_body("sorry")))
    await advance_time(5.0)
    assert len(bot.sent) == 2
    assert asyncio.all_tasks() == {asyncio.current_task()}


@with_fake_time
async def test_close_waits_two_seconds_at_most() -> None:
    bot = Bot(answer_seconds=100.0)
    bot.send(make_body("a"))
    await advance_time(0.5)
    await bot.outbox.close()
    assert now() - START == 2.5
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.long
@with_fake_time
async def test_close_sends_no_post_that_waits_for_another_chat() -> None:
    bot, troubles = Bot(answer_seconds=1.0, pace=Pace(overlap=60.0)), list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
    bot.send(make_body("a"))
    bot.send(make_body("b"), lane=ANN)
    await advance_time(0.5)
    await bot.outbox.close()
    gc.collect()
    assert (bot.texts, troubles) == (["a"], [])


@with_fake_time
async def test_close_does_not_wait_for_the_pace() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.send(make_body("a"), make_body("b"))
    await advance_time(1.0)
    await bot.outbox.close()
    assert now() - START == 1.0


def make_bot_with_picture(*answers: Any, until: float = 0.0) -> Bot:
    """Return a bot that draws the picture of round 7 in 0.25 s, and fails to before `until` seconds."""

    async def draw_slowly(picture: Any, language: str) -> bytes:
        if now() - START < until:
            raise OSError("no art")
        await asyncio.sleep(0.25)
        return b"PNG"

    bot = Bot(*answers)
    bot.database.run(uploads.create)
    bot.outbox.photos.painter = draw_slowly
    bot.rendered[7] = make_rendered(
        "a deal", photo=MessagePhoto(Html("a deal"), TilesPicture((25, 50), 75), content_key="abc")
    )
    return bot


@pytest.mark.parametrize(("until", "drawn_at"), [(2.0, 6.25), (10.0, 21.25), (30.0, 81.25), (90.0, None)])
@with_fake_time
async def test_late_picture_is_added_to_the_message(until: float, drawn_at: float | None) -> None:
    bot = make_bot_with_picture(until=until)
    changed = MessagePhoto(Html("a deal"), TilesPicture((25, 50), 75), content_key="abc", shown_key="def")
    bot.rendered[7] = make_rendered("a deal", method="editMessageText", photo=changed)
    bot.send(make_show_body())
    await bot.outbox.wait_until_idle()
    captioned = [(0.0, "editMessageCaption")]  # the caption is sent at once, and once
    pictured = [] if drawn_at is None else [(drawn_at, "editMessageMedia")]
    assert [sent[:2] for sent in bot.sent] == captioned + pictured
    assert now() - START == (drawn_at or 81.0)
    assert bot.database.list_requests() == []


@with_fake_time
async def test_photo_without_answer_becomes_text_after_three_searches() -> None:
    bot = make_bot_with_picture(
        TimedOut(), *[BadRequest("message to edit not found")] * (3 * MAX_MISSING_SHARED)
    )
    bot.outbox.record_message(ANN, 3)
    bot.send(make_show_body(new=True), lane=ANN)
    await bot.outbox.wait_until_idle()
    sent = list(dict.fromkeys((at, method) for at, method, _ in bot.sent))
    searches = [(at, "editMessageCaption") for at in (1.25, 3.25, 7.25)]
    assert sent == [(0.25, "sendPhoto"), *searches, (7.25, "sendMessage")]


@with_fake_time
async def test_post_waits_for_its_picture_and_delays_no_other_post() -> None:
    bot = make_bot_with_picture()
    bot.send(make_show_body(new=True), lane=ANN)
    bot.send(make_body("b"))
    await bot.outbox.wait_until_idle()
    assert [sent[:2] for sent in bot.sent] == [(0.0, "sendMessage"), (0.25, "sendPhoto")]


@with_fake_time
async def test_close_does_not_wait_for_a_slow_database() -> None:
    bot = Bot()
    bot.database.commit_seconds = 3600.0
    bot.send(make_body("a"))
    await advance_time()
    await bot.outbox.close()
    assert bot.texts == ["a"]
    assert len(asyncio.all_tasks()) == 1


# Cancelled waits


@with_fake_time
@pytest.mark.parametrize("lane", [GROUP, ANN])
async def test_request_with_a_cancelled_call_is_repeated(
    lane: int,
) -> None:
    bot = Bot(asyncio.CancelledError(), BadRequest("message to edit not found"))
    bot.send(make_body("a", method="editMessageText"), make_body("b"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "a", "b"]


@with_fake_time
async def test_cancelled_rendering_is_repeated() -> None:
    bot, cancelled = Bot(), [asyncio.CancelledError()]
    draw = bot._render

    async def drawn_at(request: Outgoing) -> RenderedRequest | None:
        if cancelled:
            raise cancelled.pop()
        return await draw(request)

    bot.outbox._sender.hooks = replace(bot.outbox._sender.hooks, renderers={SHOW_ROUND: drawn_at})
    bot.send(make_show_body())
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.texts, bot.database.list_requests()) == ([1.0], ["a round"], [])


@with_fake_time
@pytest.mark.parametrize("after", [5, None])
async def test_post_that_is_cut_off_is_searched_after_its_command(
    after: int | None,
) -> None:
    bot = Bot(answer_seconds=60.0)
    more: dict[str, Any] = {} if after is None else {"after": after}
    bot.send(make_body("hi", **more))
    await advance_time(1.0)
    await bot.outbox.close(patience=1.0)
    (reason,) = bot.database.list_requests()
    check = bot.database.run(queries.load_waiting_requests)[0].outgoing.state.check
    assert (check.after if check else None) == after, reason
