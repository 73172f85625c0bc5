"""What is sent when, and what is written down of it, by a Telegram that notes requests."""

import asyncio
import gc
import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text as sql
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

from bot.database import Store, Tx
from bot.database.schema import inbox, outbox, uploads
from bot.durations import DAY
from bot.i18n import Html
from bot.pictures.values import TilesPicture
from bot.queue import private_delivery, queries
from bot.queue.delivery_check import MAX_MISSING_SHARED, DeliveryCheck, DeliveryStatus, read_check
from bot.queue.hooks import OutboxHooks
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import SEND_PERSONAL_DATA, SHOW_ROUND, QueuedRequest
from bot.telegram.messages import Request
from bot.telegram.photo_messages import MessagePhoto
from tests.bot.postgres import migrated_database
from tests.bot.queue.rows import FULL_DISK, Rows, queued
from tests.jumping import START, jumping, now, passed

GROUP, ELSEWHERE, ANN = -100, -200, 1
UNWRITTEN = TimedOut()
UNWRITTEN.__cause__ = aiohttp.ConnectionTimeoutError("no route")
GATEWAY = NetworkError("Bad Gateway")
HARMLESS = BadRequest("Message is not modified")
LOST = BadRequest("Message to edit not found")


class Bot:
    """An outbox on rows in memory. Telegram takes `takes` seconds and answers by the list, then well."""

    def __init__(self, *answers: Any, takes: float = 0.0, pace: Pace | None = None) -> None:
        self.rows = Rows()
        self.answers = list(answers)
        self.takes = takes
        self.sent: list[tuple[float, str, dict[str, Any]]] = []
        self.notes: list[Any] = []
        self.most = self._now = 0
        self.drawings: dict[int, dict[str, Any] | None] = {}
        self.first, self.anew = True, False
        hooks = OutboxHooks(
            renderers={SHOW_ROUND: self._draw, SEND_PERSONAL_DATA: self._copy},
            load_names=self._names,
            before_send=self._leaving,
            on_delivered=lambda tx, about, result: self.notes.append((about, result)),
            on_message_gone=self._gone,
            on_chat_migrated=lambda tx, old, new: self.notes.append(("moved", old, new)),
            on_reaction_forbidden=lambda tx, chat, emoji: self.notes.append(("forbidden", chat, emoji)),
            on_topic_gone=self._topic_gone,
            on_chat_gone=lambda tx, chat: self.notes.append(("chat gone", chat)),
        )
        parts = (self.rows.store, self._ask, hooks, pace or Pace(), self._wall, now)
        self.outbox = Outbox(*parts, is_token_known=self._token_known)
        self.known: list[bool] = []
        """What is found out of the token, each time; after that it is known."""
        self.doubts = list[float]()
        """When that was."""

    async def _token_known(self) -> bool:
        self.doubts.append(round(now() - START, 6))
        return self.known.pop(0) if self.known else True

    @staticmethod
    def _wall() -> float:
        return 1000.0 + now() - START

    async def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self.sent.append((round(now() - START, 6), method, parameters))
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(self.takes)
        self._now -= 1
        answer = self.answers.pop(0) if self.answers else {"message_id": 40 + len(self.sent), "date": 1}
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _draw(self, body: dict[str, Any]) -> dict[str, Any] | None:
        return self.drawings.get(body["round"], text("a round", method="editMessageText", about="drawn:7"))

    async def _copy(self, body: dict[str, Any]) -> dict[str, Any] | None:
        return text("a copy", method="sendDocument", about=body["about"])

    def _names(self, tx: Tx, wanted: list[int]) -> Mapping[int, str]:
        self.notes.append(("names", wanted))
        return dict.fromkeys(wanted, "Ann")

    def _leaving(self, tx: Tx, about: str) -> bool:
        self.notes.append(("leaving", about))
        first, self.first = self.first, False
        return first

    def _gone(self, tx: Tx, body: dict[str, Any], is_refresh: bool) -> bool:
        self.notes.append(("gone", body["method"], is_refresh))
        return self.anew

    def _topic_gone(self, tx: Tx, chat_id: int, topic: int) -> list[Request]:
        self.notes.append(("topic gone", chat_id, topic))
        return [Request(chat_id, text("gone"))]

    def send(self, *bodies: dict[str, Any], lane: int = GROUP, by: int = 0) -> list[QueuedRequest]:
        requests = [queued(self.rows, lane, body, self._wall(), by) for body in bodies]
        self.outbox.enqueue(requests)
        return requests

    @property
    def times(self) -> list[float]:
        return [at for at, _, _ in self.sent]

    @property
    def texts(self) -> list[str]:
        return [parameters.get("text", "") for _, _, parameters in self.sent]


def text(said: str, method: str = "sendMessage", **more: Any) -> dict[str, Any]:
    return {"method": method, "params": {"text": said}, **more}


def show(number: int = 7, **more: Any) -> dict[str, Any]:
    return {"method": SHOW_ROUND, "round": number, **more}


# Order and pace


@jumping
async def test_requests_of_a_chat_go_one_after_the_other_and_are_deleted() -> None:
    bot = Bot(takes=1.0)
    bot.send(text("a"), text("b"), lane=ANN)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (1.0, "b")]
    assert bot.rows.requests() == []
    assert bot.notes == []


@jumping
async def test_a_request_counts_as_sent_once_that_is_written_down() -> None:
    bot = Bot()
    bot.rows.takes = 2.0
    bot.send(text("a"), text("b"), lane=ANN)
    await passed(1.0)
    assert bot.texts == ["a"]
    assert len(bot.rows.requests()) == 2
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 2.0]


@jumping
async def test_idle_is_all_chats() -> None:
    bot = Bot(takes=1.0)
    bot.send(text("a", "editMessageText"))
    bot.send(text("b", "editMessageText"), text("c", "editMessageText"), lane=ANN)
    idle = asyncio.create_task(bot.outbox.wait_until_idle())
    await passed(1.5)
    assert not idle.done()
    await passed(1.0)
    assert idle.done()


@jumping
async def test_who_has_nothing_to_deliver_is_idle() -> None:
    await asyncio.wait_for(Bot().outbox.wait_until_idle(), 60.0)


@jumping
async def test_a_round_that_moved_is_shown_in_the_order_of_its_new_chat() -> None:
    """Else it is posted there twice: by that chat's own lane, and by the one in which it waited."""
    bot = Bot(takes=0.3)
    drawn = {"text": "a round", "chat_id": ELSEWHERE}
    bot.drawings[7] = {"method": "sendMessage", "params": drawn, "about": "shown:7"}
    bot.send(text("before it"), lane=ELSEWHERE)
    bot.send(show(7, after=3), show(7), lane=GROUP)
    await passed(0.05)
    waits = bot.rows.look(queries.load_waiting_requests)
    assert [(each.lane, each.body) for each in waits][1:] == [(ELSEWHERE, show(7))] * 2
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["before it", "a round"]
    assert bot.times[1] >= 0.3
    assert bot.rows.look(queries.load_waiting_requests) == []


@jumping
@pytest.mark.parametrize("moved", ["the round", "the chat"])
async def test_what_was_forgotten_meanwhile_moves_nowhere(moved: str) -> None:
    """A wish to be forgotten deletes a person's requests, which are still queued in memory."""
    bot = Bot(*([ChatMigrated(ELSEWHERE)] if moved == "the chat" else []))
    drawn = {"text": "a round", "chat_id": GROUP if moved == "the chat" else ELSEWHERE}
    bot.drawings[7] = {"method": "sendMessage", "params": drawn}
    stored = bot.send(show(7))
    bot.rows.look(lambda tx: queries.delete_requests(tx, stored))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == (1 if moved == "the chat" else 0)
    assert bot.rows.requests() == []


@jumping
async def test_what_comes_later_is_sent_as_well() -> None:
    bot = Bot()
    bot.send(text("a"))
    await passed(5.0)
    bot.send(text("b"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 5.0]


@jumping
async def test_so_many_are_under_way_at_once() -> None:
    bot = Bot(takes=1.0)
    for lane in range(1, 50):
        bot.send(text("a", "editMessageText"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.most == 30


@jumping
async def test_posts_leave_one_at_a_time_while_few_wait_and_a_tenth_of_a_second_apart_else() -> None:
    bot = Bot(takes=1.0)
    for lane in (1, 2, 3):
        bot.send(text("a"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.times == pytest.approx([0.0, 0.3, 0.8])
    many = Bot(takes=1.0)
    for lane in range(1, 26):
        many.send(text("a"), lane=lane)
    began = now() - START
    await many.outbox.wait_until_idle()
    assert [at - began for at in many.times[:20]] == pytest.approx([n / 10 for n in range(20)], abs=1e-6)


@jumping
async def test_a_group_gets_so_many_posts_a_minute() -> None:
    bot = Bot(pace=Pace(posts_a_minute=3))
    bot.send(*(text(f"{n}") for n in range(5)))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 0.0, 0.0, 60.0, 60.0]
    assert {state for _, state in bot.rows.requests()} == {"sent"}


@jumping
async def test_who_waits_is_overtaken_by_what_comes_and_may_go() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.send(text("a"), text("b"))
    await passed(10.0)
    bot.send(text("edit", "editMessageText"))
    await passed(1.0)
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (10.0, "edit")]
    await bot.outbox.wait_until_idle()
    assert bot.times[-1] == 60.0


@jumping
async def test_many_redraws_of_a_round_are_one_each_second() -> None:
    bot = Bot(takes=0.25)
    bot.send(show(), show(), show())
    await passed(0.5)
    bot.send(show(), show())
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0]
    assert bot.rows.requests() == []
    assert [note[0] for note in bot.notes] == ["drawn:7", "drawn:7"]


@jumping
async def test_each_round_is_drawn_by_itself() -> None:
    bot = Bot()
    bot.send(show(7), show(8))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 2


# What is drawn when its turn comes


@jumping
async def test_what_is_not_wanted_any_more_is_not_sent() -> None:
    bot = Bot()
    bot.drawings[7] = None
    bot.send(show(), show())
    await bot.outbox.wait_until_idle()
    assert bot.sent == []
    assert bot.rows.requests() == []


@jumping
async def test_names_are_put_in_when_it_is_sent() -> None:
    from bot.i18n import make_mention

    bot = Bot()
    bot.send(
        {"method": "sendMessage", "params": {"text": f"well done, {make_mention(5)}", "parse_mode": "HTML"}}
    )
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("names", [5])]
    assert bot.texts == ["well done, \u2068Ann\u2069"]


@jumping
async def test_a_copy_is_made_when_its_turn_comes() -> None:
    bot = Bot()
    bot.send({"method": SEND_PERSONAL_DATA, "player": 5, "about": "forget:5"}, lane=ANN)
    await bot.outbox.wait_until_idle()
    assert [method for _, method, _ in bot.sent] == ["sendDocument"]
    assert bot.notes == [("forget:5", {"message_id": 41, "date": 1})]


@jumping
async def test_a_redraw_that_becomes_a_post_waits_like_one() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.drawings[7] = text("a deal", about="deal:7")
    bot.send(text("a"))
    await passed(1.0)
    bot.send(show())
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (60.0, "a deal")]


@jumping
async def test_what_came_back_is_told_with_what_it_is_about() -> None:
    bot = Bot({"message_id": 3, "date": 9}, True)
    bot.send(text("a", about="deal:7"), text("b", about="deal:8"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("deal:7", {"message_id": 3, "date": 9})]


# Asides


@jumping
async def test_an_aside_that_is_late_is_dropped_and_counted() -> None:
    bot = Bot(pace=Pace(posts_a_minute=4))
    bot.send(*(text(f"{n}", aside=True) for n in range(4)), by=5)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "0"), (60.0, "1")]
    assert bot.outbox.dropped_count == 2
    bot.outbox.count_unanswered()
    assert bot.outbox.dropped_count == 3


@jumping
async def test_a_chat_tells_what_it_has_room_for() -> None:
    bot = Bot(pace=Pace(posts_a_minute=4))
    assert bot.outbox.get_room(GROUP, 5).has_aside_room
    bot.send(*(text("a") for _ in range(3)))
    await passed()
    bot.send(*(text(said, aside=True) for said in "qrs"), by=5)
    await passed()
    assert not bot.outbox.get_room(GROUP, 5).has_aside_room
    assert bot.outbox.get_room(GROUP, 6).has_aside_room
    assert bot.outbox.get_room(ELSEWHERE, 5).has_aside_room
    bot.send(text("q", aside=True), text("r", aside=True), lane=ANN, by=5)
    assert bot.outbox.get_room(ANN, 5).has_aside_room
    await bot.outbox.close(0.0)


@jumping
async def test_an_aside_counts_for_whoever_asked() -> None:
    bot = Bot(pace=Pace(posts_a_minute=6))
    bot.send(text("a", aside=True), text("b", aside=True), text("c", aside=True), by=5)
    await passed(1.0)
    assert bot.texts == ["a", "b"]
    await bot.outbox.close(0.0)


# What Telegram refuses


@pytest.mark.parametrize("error", [BadRequest("Button_data_invalid"), InvalidToken("x")])
@jumping
async def test_what_telegram_refuses_is_dead_and_the_next_goes(error: TelegramError) -> None:
    bot = Bot(error)
    bot.send(text("a"), text("b"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert [state for _, state in bot.rows.requests()] == ["dead", "sent"]


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
@jumping
async def test_what_people_forbid_is_let_go(lane: int, error: TelegramError, gone: bool) -> None:
    bot = Bot(error)
    bot.send(text("a"), text("b"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert "dead" not in [state for _, state in bot.rows.requests()]
    assert bot.notes == [("chat gone", lane)] * gone


def reaction(emoji: str, instead: str) -> dict[str, Any]:
    params = {"message_id": 1, "reaction": [{"type": "emoji", "emoji": emoji}]}
    return {"method": "setMessageReaction", "params": params, "instead": text(instead)}


@jumping
async def test_what_a_forbidden_reaction_would_say_is_said_in_words() -> None:
    bot = Bot(BadRequest("Reaction_invalid"))
    bot.send(reaction("👎", "a"), reaction("👀", "b"), reaction("👎", "c"))
    await bot.outbox.wait_until_idle()
    methods = [method for _, method, _ in bot.sent]
    assert methods == ["setMessageReaction", "setMessageReaction", "sendMessage", "sendMessage"]
    assert bot.texts[2:] == ["a", "c"]
    assert bot.notes == [("forbidden", GROUP, "👎")]


@jumping
async def test_a_post_to_a_topic_that_is_gone_goes_to_the_chat_itself() -> None:
    bot = Bot(BadRequest("Message thread not found"))
    body = text("a")
    body["params"]["message_thread_id"] = 7
    bot.send(body)
    await bot.outbox.wait_until_idle()
    assert [parameters for _, _, parameters in bot.sent] == [
        {"text": "a", "message_thread_id": 7},
        {"text": "a"},
        {"text": "gone"},
    ]
    assert bot.notes == [("topic gone", GROUP, 7)]


@pytest.mark.parametrize(
    "method", ["sendMessage", "editMessageText", "setMessageReaction", private_delivery.EDIT_METHOD]
)
@jumping
async def test_what_is_refused_because_the_token_is_not_known_any_more_stays_stored(method: str) -> None:
    bot = Bot(InvalidToken("Unauthorized"), InvalidToken("Unauthorized"))
    bot.known = [False, False]
    (request,) = bot.send(text("a", method))
    await passed(0.5)
    assert bot.rows.requests() == [(request.id, "waiting")]
    assert bot.outbox._lane(GROUP).failures == {}
    await passed(1.0)
    assert bot.rows.requests() == [(request.id, "waiting")]
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.doubts) == ([0.0, 1.0, 3.0], [0.0, 1.0])
    assert "dead" not in [state for _, state in bot.rows.requests()]


@jumping
async def test_a_method_that_is_not_known_is_the_requests_own_fault() -> None:
    bot = Bot(InvalidToken("Not Found"))
    bot.send(text("a", "sendRichMessage"))
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.doubts) == ([0.0], [0.0])
    assert [state for _, state in bot.rows.requests()] == ["dead"]


@pytest.mark.parametrize("error", [Forbidden("kicked"), BadRequest("Chat not found"), HARMLESS])
@jumping
async def test_what_tells_nothing_of_the_token_raises_no_doubt_of_it(error: TelegramError) -> None:
    bot = Bot(error)
    bot.send(text("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.doubts == []


@jumping
async def test_a_page_in_telegrams_place_raises_no_doubt_of_the_token() -> None:
    page = InvalidToken("Not Found (404). Parsing the server response b'<html>' failed")
    page.__cause__ = TelegramError("Invalid server response")
    bot = Bot(page)
    bot.send(text("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.doubts) == ([0.0, 1.0], [])


@pytest.mark.parametrize("error", [GATEWAY, TimedOut()])
@jumping
async def test_a_post_in_doubt_is_looked_for_again_once_the_token_is_known(error: TelegramError) -> None:
    """Else what nobody looked for would be let go, or sent twice."""
    bot = Bot(error, InvalidToken("Unauthorized"), HARMLESS)
    bot.known = [False]
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        (1.0, "editMessageText"),
        (3.0, "editMessageText"),
    ]
    assert bot.notes == [("deal:7", {"message_id": 4, "since": 1000.0})]


@jumping
async def test_what_is_so_already_needs_no_operator() -> None:
    bot = Bot(HARMLESS)
    bot.send(show())
    await bot.outbox.wait_until_idle()
    assert (bot.rows.requests(), bot.notes) == ([], [])


@jumping
async def test_what_is_too_large_is_dead() -> None:
    bot = Bot(NetworkError("Request Entity Too Large (413)"))
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert [state for _, state in bot.rows.requests()] == ["dead"]


@jumping
async def test_a_limit_of_one_chat_makes_that_chat_wait() -> None:
    bot = Bot(RetryAfter(7))
    bot.send(text("a"))
    await passed()
    bot.send(text("b"), lane=ELSEWHERE)
    await bot.outbox.wait_until_idle()
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (0.0, "b"), (7.1, "a")]


@jumping
async def test_an_edit_that_fails_on_its_way_is_sent_again_and_again() -> None:
    bot = Bot(*[TimedOut()] * 6)
    bot.send(text("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0, 3.0, 7.0, 15.0, 30.0, 45.0]


@jumping
async def test_after_a_success_pauses_begin_anew() -> None:
    bot = Bot(TimedOut(), TimedOut(), True, TimedOut())
    bot.send(text("a", "editMessageText"), text("b", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0, 3.0, 3.0, 4.0]


@jumping
async def test_a_message_that_is_gone_is_let_go() -> None:
    bot = Bot(LOST)
    bot.send(show(unasked=True), show())
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("gone", "editMessageText", False)]
    assert bot.sent == [(0.0, "editMessageText", {"text": "a round"})]
    assert bot.rows.requests() == []


@jumping
async def test_a_message_that_is_gone_is_posted_anew_where_it_is_wanted() -> None:
    bot = Bot(LOST, pace=Pace(posts_a_minute=1))
    bot.anew = True
    bot.send(text("a"))
    await passed()
    bot.answers = [LOST]
    bot.send(show(unasked=True))
    await passed()
    bot.drawings[7] = text("a deal")
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("gone", "editMessageText", True)]
    assert list(zip(bot.times, bot.texts, strict=True)) == [(0.0, "a"), (0.0, "a round"), (60.0, "a deal")]


@jumping
async def test_a_chat_that_moved_takes_its_requests_along() -> None:
    bot = Bot(ChatMigrated(ELSEWHERE))
    bot.send(
        {
            "method": "sendMessage",
            "params": {"text": "a", "chat_id": GROUP, "reply_parameters": {"message_id": 3}},
        }
    )
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("moved", GROUP, ELSEWHERE)]
    assert bot.sent[-1] == (0.0, "sendMessage", {"text": "a", "chat_id": ELSEWHERE})
    assert len(bot.sent) == 2


@jumping
async def test_a_chat_moves_once_all_is_handled_that_was_said_where_it_was() -> None:
    """An answer finds its round by the old chat and its message there."""
    bot = Bot(*[ChatMigrated(ELSEWHERE)] * 3)
    bot.rows.add(inbox, update_id=5, lane=GROUP, body="{}", state="waiting", at=1.0)
    bot.send(text("a"))
    await passed(1.5)
    assert bot.notes == []
    bot.rows.look(lambda tx: queries.mark_done(tx, 5, 2.0))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("moved", GROUP, ELSEWHERE)]
    assert bot.times == [0.0, 1.0, 3.0, 3.0]
    assert bot.rows.look(queries.load_waiting_requests) == []


@jumping
async def test_edits_of_old_messages_do_not_move() -> None:
    bot = Bot(ChatMigrated(ELSEWHERE))
    bot.send(text("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.rows.requests() == []


@jumping
async def test_a_round_moves_and_is_drawn_there() -> None:
    bot = Bot(ChatMigrated(ELSEWHERE))
    bot.send(show())
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 2
    assert bot.rows.requests() == []


# Posts that may have arrived


@jumping
async def test_a_post_that_was_never_written_is_sent_again() -> None:
    bot = Bot(UNWRITTEN, UNWRITTEN)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [(at, "sendMessage") for at in (0.0, 1.0, 3.0)]


@jumping
async def test_a_post_without_an_answer_is_not_repeated() -> None:
    bot = Bot(TimedOut())
    bot.send(text("a"), text("b"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "b"]
    assert [state for _, state in bot.rows.requests()] == ["dead", "sent"]
    kept = bot.rows.look(lambda tx: tx.scalar(outbox.select().with_only_columns(outbox.c.trouble)))
    assert kept == "may have arrived: Timed out"


@jumping
async def test_a_gateways_error_without_a_known_message_is_tried_again() -> None:
    bot = Bot(GATEWAY)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0, 1.0]


@jumping
async def test_what_telegram_took_and_a_moderator_deleted_has_arrived() -> None:
    bot = Bot(NetworkError("Internal Server Error (500): immediately deleted"))
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.rows.requests() == []


@pytest.mark.parametrize(("number", "looks"), [(0, []), (1, [2])])
@jumping
async def test_a_post_is_looked_for_behind_the_first_message_of_a_chat(number: int, looks: list[int]) -> None:
    """An ephemeral message has no number, and tells nothing of where a post may stand."""
    bot = Bot(GATEWAY, *([HARMLESS] if looks else []))
    bot.outbox.record_message(GROUP, number)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert [said["message_id"] for _, method, said in bot.sent if method == "editMessageText"] == looks
    assert bot.texts == ["a", "a"]


@jumping
async def test_a_doubt_is_stored_before_anybody_looks() -> None:
    bot = Bot(GATEWAY, HARMLESS)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await passed(0.5)
    stored = bot.rows.look(queries.load_waiting_requests)
    assert [read_check(request) for request in stored] == [DeliveryCheck(DeliveryStatus.REFUSED, 3, 1000.0)]
    await bot.outbox.wait_until_idle()


@jumping
async def test_a_file_is_not_looked_for() -> None:
    bot = Bot(TimedOut())
    bot.outbox.record_message(ANN, 3)
    bot.send(text("a", "sendDocument"), lane=ANN)
    await bot.outbox.wait_until_idle()
    assert [state for _, state in bot.rows.requests()] == ["dead"]


@pytest.mark.parametrize("error", [GATEWAY, TimedOut()])
@jumping
async def test_a_post_in_doubt_is_looked_for_and_found(error: TelegramError) -> None:
    bot = Bot(error, BadRequest("can't be edited"), HARMLESS)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert [(at, method, parameters.get("message_id")) for at, method, parameters in bot.sent] == [
        (0.0, "sendMessage", None),
        (1.0, "editMessageText", 4),
        (1.0, "editMessageText", 5),
    ]
    assert bot.notes == [("deal:7", {"message_id": 5, "since": 1000.0})]
    assert [state for _, state in bot.rows.requests()] == ["sent"]


@jumping
async def test_a_post_that_is_not_found_is_sent_again_only_after_a_gateways_error() -> None:
    missing = [BadRequest("message to edit not found")] * MAX_MISSING_SHARED
    bot = Bot(GATEWAY, *missing)
    looks = ["editMessageText"] * MAX_MISSING_SHARED
    bot.send(text("a", after=3))
    await bot.outbox.wait_until_idle()
    assert [method for _, method, _ in bot.sent] == ["sendMessage", *looks, "sendMessage"]
    lost = Bot(TimedOut(), *missing)
    lost.send(text("a", after=3))
    await lost.outbox.wait_until_idle()
    assert [method for _, method, _ in lost.sent] == ["sendMessage", *looks]
    assert [state for _, state in lost.rows.requests()] == ["dead"]


@jumping
async def test_a_look_without_an_answer_is_repeated_for_ten_minutes() -> None:
    bot = Bot(GATEWAY, *[TimedOut()] * 43)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    looks = (1.0, 3.0, 7.0, *(15.0 * n for n in range(1, 41)))
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        *((at, "editMessageText") for at in looks),
        (600.0, "sendMessage"),
    ]


@jumping
async def test_a_look_for_which_telegram_asks_to_wait_waits() -> None:
    bot = Bot(GATEWAY, RetryAfter(30), HARMLESS)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert [(at, method) for at, method, _ in bot.sent] == [
        (0.0, "sendMessage"),
        (1.0, "editMessageText"),
        (31.1, "editMessageText"),
    ]


@jumping
async def test_where_telegram_refuses_the_look_the_post_is_sent_again() -> None:
    bot = Bot(GATEWAY, Forbidden("bot is not a member of the chat"))
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert [method for _, method, _ in bot.sent] == ["sendMessage", "editMessageText", "sendMessage"]


@jumping
async def test_what_was_on_its_way_when_the_bot_stopped_is_in_doubt() -> None:
    bot = Bot(takes=3600.0)
    bot.outbox.record_message(GROUP, 3)
    (one,) = bot.send(text("a"))
    await passed()
    await bot.outbox.close()
    assert read_check(one) == DeliveryCheck(DeliveryStatus.REFUSED, 3, 1000.0)
    stored = bot.rows.look(queries.load_waiting_requests)
    assert [read_check(request) for request in stored] == [read_check(one)]


@jumping
async def test_a_second_doubt_remembers_the_first_attempt() -> None:
    bot = Bot(GATEWAY, *[BadRequest("not found")] * 6, GATEWAY, HARMLESS)
    bot.outbox.record_message(GROUP, 3)
    bot.send(text("a", about="deal:7"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("deal:7", {"message_id": 4, "since": 1000.0})]


@jumping
async def test_of_an_arrived_post_its_number_is_remembered() -> None:
    bot = Bot({"message_id": 70, "date": 1}, GATEWAY, HARMLESS)
    bot.send(text("a"), text("b"))
    await bot.outbox.wait_until_idle()
    assert bot.sent[-1][2]["message_id"] == 71


# Posts from which somebody's time runs


@jumping
async def test_a_timed_post_is_announced_and_its_receipt_follows() -> None:
    bot = Bot()
    bot.send(text("a", timed=True, about="hand:1"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("leaving", "hand:1"), ("hand:1", {"message_id": 41, "date": 1})]
    assert (bot.rows.writes, bot.rows.urgent) == (2, 2)


@jumping
async def test_a_timed_post_that_came_to_nothing_has_an_empty_receipt() -> None:
    bot = Bot(UNWRITTEN)
    bot.send(text("a", timed=True, about="hand:1"))
    await passed()
    assert bot.notes == [("leaving", "hand:1"), ("hand:1", {})]
    await bot.outbox.wait_until_idle()
    assert bot.notes[2:] == [("leaving", "hand:1")]


@jumping
async def test_a_timed_post_that_may_have_arrived_has_none() -> None:
    bot = Bot(TimedOut())
    bot.send(text("a", timed=True, about="hand:1"))
    await bot.outbox.wait_until_idle()
    assert bot.notes == [("leaving", "hand:1")]


# What fails for reasons of our own


@jumping
async def test_a_request_that_fails_by_itself_is_dead_after_five_times(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot = Bot(*[ValueError("odd")] * 9)
    with caplog.at_level(logging.ERROR):
        bot.send(text("a", "editMessageText"), text("b", "editMessageText"))
        await passed(3.9)
        assert [state for _, state in bot.rows.requests()] == ["waiting", "waiting"]
        await passed(0.2)
    assert bot.times[:5] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert bot.rows.requests()[0][1] == "dead"
    said = [record.getMessage() for record in caplog.records]
    assert ["stays stored" in line for line in said[:5]] == [True] * 4 + [False]
    await bot.outbox.wait_until_idle()


@jumping
async def test_one_that_cannot_even_be_set_aside_stays_stored_and_holds_up_no_others() -> None:
    bot = Bot(*[ValueError("odd")] * 5)
    bot.rows.troubles = [ValueError("odd as well")]
    bot.send(text("a", "editMessageText"), text("b", "editMessageText"))
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a"] * 5 + ["b"]
    assert bot.rows.requests() == [(1, "waiting")]


@jumping
async def test_a_database_in_trouble_counts_as_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    """The log says why, in the database's own words."""
    bot = Bot(*[FULL_DISK] * 9)
    bot.send(text("a", "editMessageText"))
    await bot.outbox.wait_until_idle()
    told = "a request (editMessageText) waits for the database: Exception: database or disk is full"
    assert set(caplog.messages) == {told}
    assert bot.times == [float(n) for n in range(10)]
    assert bot.rows.requests() == []


# Starting and ending


@jumping
async def test_a_start_sends_what_a_former_run_left() -> None:
    bot = Bot()
    queued(bot.rows, ANN, text("a"))
    queued(bot.rows, ANN, {"method": 7})
    await bot.outbox.resume()
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a"]
    assert [state for _, state in bot.rows.requests()] == ["dead"]


@jumping
async def test_a_start_counts_what_was_posted_within_the_minute() -> None:
    bot = Bot(pace=Pace(posts_a_minute=2))
    for number, at in ((91, 939.0), (92, 970.0), (93, 1005.0)):
        bot.rows.add(outbox, id=number, lane=GROUP, body="", state="sent", at=at)
    await bot.outbox.resume()
    bot.send(text("a"), text("b"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [30.0, 60.0]


@jumping
async def test_posts_of_a_time_to_come_hold_up_nothing() -> None:
    """The clock was ahead when they were stored: a chat would be silent for a minute."""
    bot = Bot(pace=Pace(posts_a_minute=2))
    for number in (91, 92, 93):
        bot.rows.add(outbox, id=number, lane=GROUP, body="", state="sent", at=1000.0 + 400 * DAY)
    await bot.outbox.resume()
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert bot.times == [0.0]


@jumping
async def test_a_start_counts_one_post_more_that_may_have_gone_out() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    queued(bot.rows, GROUP, text("a"))
    queued(bot.rows, ELSEWHERE, text("edit", "editMessageText"))
    queued(bot.rows, ANN, text("b"))
    await bot.outbox.resume()
    bot.send(text("c"), lane=ELSEWHERE)
    await bot.outbox.wait_until_idle()
    assert sorted(zip(bot.texts, bot.times, strict=True)) == [
        ("a", 60.0),
        ("b", 0.0),
        ("c", 0.0),
        ("edit", 0.0),
    ]


@jumping
async def test_a_start_looks_for_a_post_in_doubt_among_what_is_not_known_to_be_another() -> None:
    bot = Bot(HARMLESS)
    for number, message_id in ((91, 4), (92, 0), (93, 6)):
        bot.rows.add(outbox, id=number, lane=GROUP, body=str(message_id), state="sent", at=0.0)
    queued(bot.rows, GROUP, text("a", doubt=asdict(DeliveryCheck(DeliveryStatus.REFUSED, 3, 990.0))))
    await bot.outbox.resume()
    bot.answers = [BadRequest("not found"), HARMLESS]
    await bot.outbox.wait_until_idle()
    assert [said["message_id"] for _, _, said in bot.sent] == [5, 7]


@jumping
async def test_a_start_looks_for_a_post_behind_the_last_one_of_a_former_run() -> None:
    bot = Bot(GATEWAY, HARMLESS)
    bot.rows.add(outbox, id=91, lane=GROUP, body="70", state="sent", at=0.0)
    await bot.outbox.resume()
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert bot.sent[-1][2]["message_id"] == 71


@jumping
async def test_what_could_not_be_stored_is_told_once() -> None:
    bot = Bot(Forbidden("kicked"))
    bot.outbox.send_unstored(Request(GROUP, text("sorry")))
    await passed()
    assert bot.texts == ["sorry"]
    assert bot.rows.writes == 0
    assert bot.outbox._unstored_tasks == set()


@jumping
async def test_what_was_told_so_is_never_taken_for_a_post_that_is_looked_for() -> None:
    bot = Bot()
    bot.outbox.send_unstored(Request(GROUP, text("sorry")))
    await passed()
    assert (
        list(bot.outbox._latest.find_other_ids(GROUP)) == [bot.outbox._latest.get_latest_id(GROUP)] != [None]
    )


@jumping
async def test_what_could_not_be_stored_is_not_told_where_there_is_no_room() -> None:
    bot = Bot(pace=Pace(posts_a_minute=4))
    for _ in range(5):
        bot.outbox.send_unstored(Request(GROUP, text("sorry")))
        bot.outbox.send_unstored(Request(ANN, text("sorry, Ann")))
    await passed()
    assert sorted(bot.texts) == ["sorry"] * 3 + ["sorry, Ann"] * 5
    blocked = Bot(RetryAfter(7))
    blocked.send(text("a"))
    await passed()
    blocked.outbox.send_unstored(Request(GROUP, text("sorry")))
    await passed()
    assert blocked.texts == ["a"]
    blocked.outbox._lane(GROUP).blocked_until = now()
    blocked.outbox.send_unstored(Request(GROUP, text("sorry")))
    await passed()
    assert blocked.texts == ["a", "sorry"]
    await blocked.outbox.close(0.0)


@jumping
async def test_closing_finishes_what_is_under_way_and_leaves_the_rest_stored() -> None:
    bot = Bot(takes=1.0)
    bot.send(text("a"), text("b"))
    bot.outbox.send_unstored(Request(ANN, text("sorry")))
    await passed(0.5)
    await bot.outbox.close()
    assert now() - START == 1.0
    assert sorted(bot.texts) == ["a", "sorry"]
    assert [state for _, state in bot.rows.requests()] == ["sent", "waiting"]
    bot.send(text("c"))
    bot.outbox.send_unstored(Request(ANN, text("sorry")))
    await passed(5.0)
    assert len(bot.sent) == 2
    assert asyncio.all_tasks() == {asyncio.current_task()}


@jumping
async def test_closing_finishes_what_is_told_without_being_stored() -> None:
    bot = Bot(takes=1.0)
    bot.outbox.send_unstored(Request(ANN, text("sorry")))
    await bot.outbox.close()
    assert now() - START == 1.0
    assert asyncio.all_tasks() == {asyncio.current_task()}


@jumping
async def test_closing_waits_for_two_seconds() -> None:
    bot = Bot(takes=100.0)
    bot.send(text("a"))
    await passed(0.5)
    await bot.outbox.close()
    assert now() - START == 2.5
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.long
@jumping
async def test_closing_sends_nothing_that_waits_behind_another_chats_post() -> None:
    bot, troubles = Bot(takes=1.0, pace=Pace(overlap=60.0)), list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
    bot.send(text("a"))
    bot.send(text("b"), lane=ANN)
    await passed(0.5)
    await bot.outbox.close()
    gc.collect()
    assert (bot.texts, troubles) == (["a"], [])


@jumping
async def test_closing_wakes_a_chat_that_waits_for_its_time() -> None:
    bot = Bot(pace=Pace(posts_a_minute=1))
    bot.send(text("a"), text("b"))
    await passed(1.0)
    await bot.outbox.close()
    assert now() - START == 1.0


@pytest.mark.long
@jumping
async def test_of_many_chats_those_that_are_over_are_forgotten() -> None:
    bot = Bot()
    for lane in range(1, 499):
        bot.send(text("a"), lane=lane)
    bot.send(text("a"))
    await bot.outbox.wait_until_idle()
    assert len(bot.outbox._lanes) == 499
    bot.send(text("b"), lane=9000)
    assert set(bot.outbox._lanes) == {GROUP, 9000}  # the group's post still counts
    await bot.outbox.wait_until_idle()


@jumping
async def test_a_wish_to_be_forgotten_is_no_dead_letter() -> None:
    bot = Bot(Forbidden("blocked"))
    (request,) = bot.send(text("a", about="ask:5"), lane=ANN)
    await bot.outbox.wait_until_idle()
    assert bot.rows.requests() == [(request.id, "wish")]


def painting(*answers: Any, until: float = 0.0) -> Bot:
    """A bot whose round 7 has a picture: it takes a quarter of a second, and can't be drawn `until` then."""

    async def paint(picture: Any, language: str) -> bytes:
        if now() - START < until:
            raise OSError("no art")
        await asyncio.sleep(0.25)
        return b"PNG"

    bot = Bot(*answers)
    bot.rows.look(uploads.create)
    bot.outbox.photos.painter = paint
    bot.drawings[7] = text(
        "a deal", photo=MessagePhoto(Html("a deal"), TilesPicture((25, 50), 75), content_key="abc")
    )
    return bot


@pytest.mark.parametrize(("until", "drawn"), [(2.0, 6.25), (10.0, 21.25), (30.0, 81.25), (90.0, None)])
@jumping
async def test_a_photo_is_looked_at_again_until_it_shows_its_picture(
    until: float, drawn: float | None
) -> None:
    bot = painting(until=until)
    changed = MessagePhoto(Html("a deal"), TilesPicture((25, 50), 75), content_key="abc", shown_key="def")
    bot.drawings[7] = text("a deal", method="editMessageText", photo=changed)
    bot.send(show())
    await bot.outbox.wait_until_idle()
    captioned = [(0.0, "editMessageCaption")]  # the words come at once, and once
    pictured = [] if drawn is None else [(drawn, "editMessageMedia")]
    assert [sent[:2] for sent in bot.sent] == captioned + pictured
    assert now() - START == (drawn or 81.0)
    assert bot.rows.requests() == []


@jumping
async def test_a_photo_without_an_answer_is_looked_for_three_times_and_goes_as_text_then() -> None:
    bot = painting(TimedOut(), *[BadRequest("message to edit not found")] * (3 * MAX_MISSING_SHARED))
    bot.outbox.record_message(ANN, 3)
    bot.send(show(new=True), lane=ANN)
    await bot.outbox.wait_until_idle()
    sent = list(dict.fromkeys((at, method) for at, method, _ in bot.sent))
    looks = [(at, "editMessageCaption") for at in (1.25, 3.25, 7.25)]
    assert sent == [(0.25, "sendPhoto"), *looks, (7.25, "sendMessage")]


@jumping
async def test_a_post_waits_for_its_picture_and_no_other_post_does() -> None:
    bot = painting()
    bot.send(show(new=True), lane=ANN)
    bot.send(text("b"))
    await bot.outbox.wait_until_idle()
    assert [sent[:2] for sent in bot.sent] == [(0.0, "sendMessage"), (0.25, "sendPhoto")]


@jumping
async def test_closing_lets_go_of_pictures_that_are_being_drawn() -> None:
    async def never(picture: Any, language: str) -> bytes:
        await asyncio.sleep(3600.0)
        return b""

    bot = Bot()
    bot.rows.look(uploads.create)
    bot.outbox.photos.painter = never
    bot.outbox.photos.prefetch(GROUP, TilesPicture((25, 50), 75), "en")
    await passed()
    assert len(asyncio.all_tasks()) == 2
    await bot.outbox.close()
    assert len(asyncio.all_tasks()) == 1


@jumping
async def test_closing_lets_go_of_what_can_not_be_written_down() -> None:
    bot = Bot()
    bot.rows.takes = 3600.0
    bot.send(text("a"))
    await passed()
    await bot.outbox.close()
    assert bot.texts == ["a"]
    assert len(asyncio.all_tasks()) == 1


# Beside handlers


async def test_on_a_server_a_post_waits_for_few_of_the_handlers_that_are_at_work() -> None:
    """It is marked before the next one goes, and all that write share one transaction at a time."""
    async with migrated_database() as url:
        store, handled, posted = await Store.open(url), list[None](), list[int]()

        def handle(tx: Tx) -> None:
            handled.append(None)
            tx.execute(sql("SELECT 1"))

        async def backlog() -> None:
            while len(posted) < 21:
                await store.write(handle)

        async def ask(method: str, parameters: dict[str, Any]) -> Any:
            posted.append(len(handled))
            return {"message_id": len(posted), "date": 1}

        for person in range(1, 22):
            await store.write(partial(queries.insert_request, lane=person, body=text("x"), now=0.0))
        hooks = Bot().outbox._sender.hooks
        sender = Outbox(store, ask, hooks, Pace(overlap=60.0, patience=60.0))
        handlers = [asyncio.create_task(backlog()) for _ in range(40)]
        await sender.resume()
        await sender.wait_until_idle()
        await asyncio.gather(*handlers)
        await sender.close()
        assert not await store.read(queries.load_waiting_requests)
        await store.close()
    assert posted[-1] - posted[0] < 20 * 20  # of the forty it was each, with every post


# Answers that make no sense


@jumping
@pytest.mark.parametrize("odd", [{"x": 1}, {"message_id": "x"}, {"message_id": None}, {"message_id": True}])
async def test_a_post_whose_answer_names_no_message_is_looked_for_before_it_is_sent_again(odd: Any) -> None:
    bot = Bot(odd)
    bot.send(text("hi", after=5))
    await bot.outbox.wait_until_idle()
    methods = [method for _, method, _ in bot.sent]
    assert methods[:2] == ["sendMessage", "editMessageText"]
    assert methods.count("sendMessage") == 1


@jumping
@pytest.mark.parametrize("lane", [GROUP, ANN])
async def test_a_request_whose_wait_was_cancelled_by_somebody_else_is_a_request_that_failed(
    lane: int,
) -> None:
    bot = Bot(asyncio.CancelledError(), BadRequest("message to edit not found"))
    bot.send(text("a", method="editMessageText"), text("b"), lane=lane)
    await bot.outbox.wait_until_idle()
    assert bot.texts == ["a", "a", "b"]


@jumping
async def test_a_drawing_that_was_cancelled_by_somebody_else_is_tried_again() -> None:
    bot, cancelled = Bot(), [asyncio.CancelledError()]
    draw = bot._draw

    async def drawn(body: dict[str, Any]) -> dict[str, Any] | None:
        if cancelled:
            raise cancelled.pop()
        return await draw(body)

    bot.outbox._sender.hooks = replace(bot.outbox._sender.hooks, renderers={SHOW_ROUND: drawn})
    bot.send(show())
    await bot.outbox.wait_until_idle()
    assert (bot.times, bot.texts, bot.rows.requests()) == ([1.0], ["a round"], [])


@jumping
@pytest.mark.parametrize("after", [5, None])
async def test_a_post_that_is_cut_off_is_looked_for_behind_the_message_that_asked_for_it(
    after: int | None,
) -> None:
    bot = Bot(takes=60.0)
    more: dict[str, Any] = {} if after is None else {"after": after}
    bot.send(text("hi", **more))
    await passed(1.0)
    await bot.outbox.close(patience=1.0)
    (kept,) = bot.rows.requests()
    doubt = read_check(bot.rows.look(queries.load_waiting_requests)[0])
    assert (doubt.after if doubt else None) == after, kept
