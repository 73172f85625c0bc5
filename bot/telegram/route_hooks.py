"""Call the features that render, follow and replace requests, on behalf of the outbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.database import Store, Tx, call_after_commit
from bot.queue.inbox import Inbox
from bot.queue.watermark import resolve_sent_time
from bot.telegram.messages import MakeBoardUrl, Request, make_no_board_url
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import DRAWN_ROUND, DeliveredRequest, LostMessage, Routes


@dataclass(frozen=True, slots=True)
class RouteHooks:
    """The outbox's hooks, implemented by the handlers in the routes."""

    store: Store
    routes: Routes
    get_inbox: Callable[[], Inbox]  # The queue whose clock is used is built after this object
    # Called, on any thread, with each chat of a new message
    on_change: Callable[[int], None] = lambda _: None
    make_board_url: MakeBoardUrl = make_no_board_url

    async def render(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """Make the request that `body` stands for, as of now; None if it isn't wanted any more."""
        method, now = body["method"], self.get_inbox().now()
        if method in self.routes.linked_renderers:
            render = self.routes.linked_renderers[method]
            return await render(self.store, body, now, self.make_board_url)
        return await self.routes.renderers[method](self.store, body, now)

    def find_picture(self, tx: Tx, asked: Mapping[str, Any]) -> DescribedPicture | None:
        """Find the picture that `add_picture` asked for; None if there is none any more."""
        find = self.routes.picture_finders.get(str(asked.get("kind")))
        return find(tx, asked, self.get_inbox().now()) if find else None

    def before_send(self, tx: Tx, about: str) -> bool:
        """Record that a timed request is about to be sent. Return whether for the first time."""
        handle = self.routes.before_send_handlers[about.partition(":")[0]]
        return handle(tx, about, self.get_inbox().now())

    def on_delivered(self, tx: Tx, about: str, result: dict[str, Any]) -> None:
        """Tell the feature, the watermark and the pages Telegram's result; {} for a lost timed request."""
        kind = about.partition(":")[0]
        is_edit = kind == DRAWN_ROUND
        inbox = self.get_inbox()
        telegram_time = result.get("edit_date" if is_edit else "date")  # When Telegram did it
        if isinstance(telegram_time, int | float) and telegram_time:
            inbox.watermark.observe_post(float(telegram_time), inbox.read_local_time())
        handler = self.routes.delivery_handlers.get(kind)
        if handler is not None:
            handler(tx, _make_delivered_request(about, result, inbox.now()))
        if not is_edit and "chat" in result:
            call_after_commit(tx, partial(self.on_change, int(result["chat"]["id"])))

    def on_message_lost(self, tx: Tx, body: dict[str, Any], is_refresh: bool) -> bool:
        """Record that a message can't be edited any more. Return whether its content is to be posted anew.

        `is_refresh` says that the edit would have changed nothing but the time left.
        """
        params = body["params"]
        lost = LostMessage(body.get("about", ""), params["chat_id"], params["message_id"], is_refresh)
        # Any True suffices: handlers after the first to return it are not called
        return any(handle(tx, lost) for handle in self.routes.lost_message_handlers)

    def choose_fallback(self, tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
        """Make what is sent instead of a private request whose present way failed for the reason `why`."""
        dated = {**body, "now": self.get_inbox().now()}
        return [request for handle in self.routes.fallback_handlers for request in handle(tx, dated, why)]


def _make_delivered_request(about: str, result: dict[str, Any], now: float) -> DeliveredRequest:
    """Describe a request, delivered at the message's date, else when it was first sent, else now."""
    first_sent_at = result.get("since")  # Of a request that was found in the chat afterwards
    delivered_at = now if first_sent_at is None else first_sent_at
    if "date" in result:
        delivered_at = resolve_sent_time(float(result["date"]), now)
    return DeliveredRequest(about, result, delivered_at, first_sent_at, now)
