"""What features make of requests: each kind goes to whoever registered for it, with the times it needs."""

from typing import Any, cast

import pytest

from bot.queue.inbox import Inbox
from bot.queue.watermark import Watermark
from bot.telegram.messages import MakeBoardUrl
from bot.telegram.route_hooks import RouteHooks
from bot.telegram.routes import DeliveredRequest, LostMessage, LostMessageHandler, Routes

NOW = 1_795_262_400.0
AHEAD = 3.0  # Seconds by which this machine's clock is ahead of Telegram's


class Watch:
    """An inbox as far as it keeps the time."""

    def __init__(self) -> None:
        self.watermark = Watermark()
        self.watermark.clock_ahead = AHEAD
        self.noted: list[tuple[float, float]] = []
        self.watermark.observe_post = lambda dated, here: self.noted.append((dated, here))  # type: ignore[method-assign]

    def now(self) -> float:
        return NOW

    def read_local_time(self) -> float:
        return NOW + AHEAD


@pytest.fixture
def watch() -> Watch:
    return Watch()


TX: Any = "tx"


def receipts(watch: Watch, routes: Routes) -> RouteHooks:
    return RouteHooks(cast("Any", "store"), routes, lambda: cast("Inbox", watch))


def came(watch: Watch, about: str, result: dict[str, Any]) -> list[DeliveredRequest]:
    """What the features heard of a request that came back with `result`."""
    heard: list[DeliveredRequest] = []
    kinds = dict.fromkeys(("deal", "drawn"), lambda _, delivered: heard.append(delivered))
    receipts(watch, Routes(delivery_handlers=kinds)).on_delivered(TX, about, result)
    return heard


def test_post_is_dated_by_telegram(watch: Watch) -> None:
    (deal,) = came(watch, "deal:7", {"message_id": 5, "date": int(NOW) - 2})
    assert (deal.about_id, deal.delivered_at, deal.first_sent_at, deal.now) == (7, NOW - 2, None, NOW)
    assert watch.noted == [(NOW - 2, NOW + AHEAD)]


def test_edit_is_dated_by_its_edit_date(watch: Watch) -> None:
    came(watch, "drawn:7", {"message_id": 5, "date": 1, "edit_date": int(NOW)})
    came(watch, "drawn:7", {"message_id": 5, "date": 1})
    assert watch.noted == [(NOW, NOW + AHEAD)]


def test_found_post_is_dated_by_its_first_sending(watch: Watch) -> None:
    (deal,) = came(watch, "deal:7", {"message_id": 5, "since": NOW - 30})
    assert (deal.delivered_at, deal.first_sent_at) == (NOW - 30, NOW - 30)
    assert watch.noted == []


def test_undelivered_request_reaches_its_handler_without_result(watch: Watch) -> None:
    (deal,) = came(watch, "deal:7", {})
    assert (deal.result, deal.delivered_at) == ({}, NOW)
    assert watch.noted == []


def test_result_without_handler_is_ignored(watch: Watch) -> None:
    assert came(watch, "other:7", {"message_id": 5, "date": int(NOW)}) == []


def test_first_handler_that_knows_a_lost_message_ends_the_search(watch: Watch) -> None:
    asked: list[tuple[int, LostMessage]] = []

    def losing(number: int, *, known: bool) -> LostMessageHandler:
        def lose(_: object, lost: LostMessage) -> bool:
            asked.append((number, lost))
            return known

        return lose

    routes = Routes(
        lost_message_handlers=[losing(1, known=False), losing(2, known=True), losing(3, known=True)]
    )
    body = {"about": "drawn:7", "params": {"chat_id": -5, "message_id": 9}}
    lost = LostMessage("drawn:7", -5, 9, is_refresh=True)
    assert receipts(watch, routes).on_message_lost(TX, body, True)
    assert asked == [(1, lost), (2, lost)]


def test_timed_request_is_announced_before_sending(watch: Watch) -> None:
    routes = Routes(
        before_send_handlers={"hand": lambda tx, about, now: (tx, about, now) == (TX, "hand:1", NOW)}
    )
    assert receipts(watch, routes).before_send(TX, "hand:1")


async def test_request_is_rendered_by_its_method(watch: Watch) -> None:
    async def draw(store: Any, body: dict[str, Any], now: float) -> dict[str, Any]:
        return {"store": store, "round": body["round"], "now": now}

    drawn = await receipts(watch, Routes(renderers={"show": draw})).render({"method": "show", "round": 7})
    assert drawn == {"store": "store", "round": 7, "now": NOW}


async def test_linked_renderer_gets_the_board_url(watch: Watch) -> None:
    async def draw(store: Any, body: dict[str, Any], now: float, board: MakeBoardUrl) -> dict[str, Any]:
        return {"page": board(-5, 3, body["round"])}

    def board(chat_id: int, topic: int, round_id: int) -> str:
        return f"https://t.me/b?startapp={-chat_id}-{topic}-{round_id}"

    routes = Routes(linked_renderers={"show": draw})
    store, inbox = cast("Any", "store"), cast("Inbox", watch)
    hooks = RouteHooks(store, routes, lambda: inbox, make_board_url=board)
    drawn = await hooks.render({"method": "show", "round": 7})
    assert drawn == {"page": "https://t.me/b?startapp=5-3-7"}
    assert await RouteHooks(store, routes, lambda: inbox).render({"method": "show", "round": 7}) == {
        "page": ""
    }


@pytest.mark.parametrize(("about", "wakes"), [("deal:7", [-5]), ("hand:1", [-5]), ("drawn:7", [])])
def test_delivered_message_wakes_the_chats_pages(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, about: str, wakes: list[int]
) -> None:
    monkeypatch.setattr("bot.telegram.route_hooks.call_after_commit", lambda _, call: call())
    woken: list[int] = []
    waking = RouteHooks(cast("Any", "store"), Routes(), lambda: cast("Inbox", watch), woken.append)
    waking.on_delivered(TX, about, {"message_id": 5, "date": int(NOW), "chat": {"id": -5}})
    waking.on_delivered(TX, about, {})
    assert woken == wakes
