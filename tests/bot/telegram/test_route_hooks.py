"""Deliveries, lost messages and renderers are passed to the features that registered for them."""

from dataclasses import replace
from typing import Any, cast

import pytest

from bot.queue.inbox import Inbox
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import DeliveryResult, RenderedRequest
from bot.queue.updates import Watermark
from bot.telegram.messages import edit_message, post_message, show_round
from bot.telegram.routes import (
    DeliveredRequest,
    LostMessage,
    LostMessageHandler,
    RenderContext,
    RouteHooks,
    Routes,
)

NOW = 1_795_262_400.0
AHEAD = 3.0  # Seconds by which this machine's clock is ahead of Telegram's


class InboxClock:
    """An inbox that only tells the time."""

    def __init__(self) -> None:
        self.watermark = Watermark()
        self.watermark.clock_ahead = AHEAD
        self.observed: list[tuple[float, float]] = []
        self.watermark.observe_post = lambda dated, here: self.observed.append((dated, here))  # type: ignore[method-assign]

    def now(self) -> float:
        return NOW

    def read_local_time(self) -> float:
        return NOW + AHEAD


@pytest.fixture
def inbox_clock() -> InboxClock:
    return InboxClock()


TX: Any = "tx"
SHOW = show_round(-5, 7)


def make_hooks(inbox_clock: InboxClock, routes: Routes) -> RouteHooks:
    return RouteHooks(cast("Any", "store"), routes, lambda: cast("Inbox", inbox_clock))


def deliver(inbox_clock: InboxClock, about: str, result: DeliveryResult | None) -> list[DeliveredRequest]:
    """Deliver a result, and return what the handlers received."""
    deliveries: list[DeliveredRequest] = []
    kinds = dict.fromkeys(("deal", "drawn"), lambda _, delivered: deliveries.append(delivered))
    make_hooks(inbox_clock, Routes(delivery_handlers=kinds)).on_delivered(TX, about, result)
    return deliveries


def test_post_is_dated_by_telegram(inbox_clock: InboxClock) -> None:
    (deal,) = deliver(inbox_clock, "deal:7", DeliveryResult({"message_id": 5, "date": int(NOW) - 2}))
    assert (deal.about_id, deal.delivered_at, deal.first_sent_at, deal.now) == (7, NOW - 2, None, NOW)
    assert inbox_clock.observed == [(NOW - 2, NOW + AHEAD)]


def test_edit_is_dated_by_its_edit_date(inbox_clock: InboxClock) -> None:
    deliver(inbox_clock, "drawn:7", DeliveryResult({"message_id": 5, "date": 1, "edit_date": int(NOW)}))
    deliver(inbox_clock, "drawn:7", DeliveryResult({"message_id": 5, "date": 1}))
    assert inbox_clock.observed == [(NOW, NOW + AHEAD)]


def test_found_post_is_dated_by_its_first_sending(inbox_clock: InboxClock) -> None:
    (deal,) = deliver(inbox_clock, "deal:7", DeliveryResult({"message_id": 5}, first_sent_at=NOW - 30))
    assert (deal.delivered_at, deal.first_sent_at) == (NOW - 30, NOW - 30)
    assert inbox_clock.observed == []


def test_undelivered_request_reaches_its_handler_without_result(inbox_clock: InboxClock) -> None:
    (deal,) = deliver(inbox_clock, "deal:7", None)
    assert (deal.has_arrived, deal.delivered_at) == (False, NOW)
    assert inbox_clock.observed == []


def test_result_without_handler_is_ignored(inbox_clock: InboxClock) -> None:
    assert deliver(inbox_clock, "other:7", DeliveryResult({"message_id": 5, "date": int(NOW)})) == []


def test_first_handler_that_knows_a_lost_message_ends_the_search(inbox_clock: InboxClock) -> None:
    asked: list[tuple[int, LostMessage]] = []

    def make_lost_handler(number: int, *, known: bool) -> LostMessageHandler:
        def handle_lost(_: object, lost: LostMessage) -> bool:
            asked.append((number, lost))
            return known

        return handle_lost

    routes = Routes(
        lost_message_handlers=[
            make_lost_handler(1, known=False),
            make_lost_handler(2, known=True),
            make_lost_handler(3, known=True),
        ]
    )
    edit = replace(edit_message(-5, 9, "text"), about="drawn:7")
    lost = LostMessage("drawn:7", -5, 9, is_refresh=True)
    assert make_hooks(inbox_clock, routes).on_message_lost(TX, edit, True)
    assert asked == [(1, lost), (2, lost)]


def test_timed_request_is_announced_before_sending(inbox_clock: InboxClock) -> None:
    routes = Routes(
        before_send_handlers={"hand": lambda tx, about, now: (tx, about, now) == (TX, "hand:1", NOW)}
    )
    assert make_hooks(inbox_clock, routes).before_send(TX, "hand:1")


async def test_request_is_rendered_by_its_method(inbox_clock: InboxClock) -> None:
    async def draw(context: RenderContext, request: Outgoing) -> RenderedRequest:
        return RenderedRequest(post_message(-5, f"{context.store} {request.key} {context.now:.0f}"))

    drawn = await make_hooks(inbox_clock, Routes(renderers={"show": draw})).render(SHOW)
    assert drawn == RenderedRequest(post_message(-5, f"store 7 {NOW:.0f}"))


async def test_renderer_gets_the_board_url(inbox_clock: InboxClock) -> None:
    async def draw(context: RenderContext, request: Outgoing) -> RenderedRequest:
        return RenderedRequest(post_message(-5, context.make_board_url(-5, 3, request.key)))

    def board(chat_id: int, topic: int, round_id: int) -> str:
        return f"https://t.me/b?startapp={-chat_id}-{topic}-{round_id}"

    routes = Routes(renderers={"show": draw})
    store, inbox = cast("Any", "store"), cast("Inbox", inbox_clock)
    hooks = RouteHooks(store, routes, lambda: inbox, make_board_url=board)
    assert await hooks.render(SHOW) == RenderedRequest(post_message(-5, "https://t.me/b?startapp=5-3-7"))
    without_board = RouteHooks(store, routes, lambda: inbox)
    assert await without_board.render(SHOW) == RenderedRequest(post_message(-5, ""))


@pytest.mark.parametrize(("about", "expected"), [("deal:7", [-5]), ("hand:1", [-5]), ("drawn:7", [])])
def test_delivered_message_wakes_the_chats_pages(
    inbox_clock: InboxClock, monkeypatch: pytest.MonkeyPatch, about: str, expected: list[int]
) -> None:
    monkeypatch.setattr("bot.telegram.routes.call_after_commit", lambda _, call: call())
    woken_chats: list[int] = []
    hooks = RouteHooks(cast("Any", "store"), Routes(), lambda: cast("Inbox", inbox_clock), woken_chats.append)
    message = {"message_id": 5, "date": int(NOW), "chat": {"id": -5}}
    hooks.on_delivered(TX, about, DeliveryResult(message))
    hooks.on_delivered(TX, about, None)
    assert woken_chats == expected
