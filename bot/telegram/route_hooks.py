"""What features make of requests: drawn when their turn comes, remembered once they arrived."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bot.database import Store, Tx, call_after_commit
from bot.queue.inbox import Inbox
from bot.queue.watermark import resolve_sent_time
from bot.telegram.messages import MakeBoardUrl, Request, make_no_board_url
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import DRAWN_ROUND, DeliveredRequest, LostMessage, Routes


class RouteHooks:
    """The outbox's questions, answered by the features that registered for them.

    `inbox` gives the queue that keeps the time; it is asked for only once that is there. `changed` is told,
    on whatever thread, of each chat in which something new has arrived: somebody's time runs from then on.
    """

    def __init__(
        self,
        store: Store,
        routes: Routes,
        inbox: Callable[[], Inbox],
        changed: Callable[[int], None] = lambda _: None,
        board: MakeBoardUrl = make_no_board_url,
    ) -> None:
        self._store = store
        self._routes = routes
        self._inbox = inbox
        self._changed = changed
        self._board = board

    async def render(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The request that `body` stands for, as of now; None if it isn't wanted any more."""
        method, now = body["method"], self._inbox().now()
        if (linking := self._routes.linked_renderers.get(method)) is not None:
            return await linking(self._store, body, now, self._board)
        return await self._routes.renderers[method](self._store, body, now)

    def find_picture(self, tx: Tx, asked: Mapping[str, Any]) -> DescribedPicture | None:
        """What a message shows; None where there is nothing to look at, or was when it was asked for."""
        look = self._routes.picture_finders.get(str(asked.get("kind")))
        return look(tx, asked, self._inbox().now()) if look else None

    def before_send(self, tx: Tx, about: str) -> bool:
        """A request from which somebody's time runs is about to be sent; whether for the first time."""
        return self._routes.before_send_handlers[_kind(about)](tx, about, self._inbox().now())

    def on_delivered(self, tx: Tx, about: str, result: dict[str, Any]) -> None:
        """Remember what came back of a request; nothing where `result` is empty, since it came to nothing."""
        kind, inbox = _kind(about), self._inbox()
        if result:
            self._compare(result.get("edit_date" if kind == DRAWN_ROUND else "date"))
        since = result.get("since")
        receipt = self._routes.delivery_handlers.get(kind)
        if receipt is not None:
            now = inbox.now()
            at = (
                resolve_sent_time(float(result["date"]), now)
                if "date" in result
                else now
                if since is None
                else since
            )
            receipt(tx, DeliveredRequest(about, result, at, since, now))
        if kind != DRAWN_ROUND and "chat" in result:
            call_after_commit(tx, partial(self._changed, int(result["chat"]["id"])))

    def on_message_lost(self, tx: Tx, body: dict[str, Any], *, unasked: bool) -> bool:
        """A message can't be changed any more; whether what it showed is to be posted anew."""
        params = body["params"]
        lost = LostMessage(body.get("about", ""), params["chat_id"], params["message_id"], unasked)
        return any(losing(tx, lost) for losing in self._routes.lost_message_handlers)

    def choose_fallback(self, tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
        """What is sent instead of a request to one person whose present way failed."""
        known = {**body, "now": self._inbox().now()}
        return [each for falling in self._routes.fallback_handlers for each in falling(tx, known, why)]

    def _compare(self, dated: Any) -> None:
        """Telegram has just dated something: see how far this machine's clock is ahead."""
        if not isinstance(dated, int | float) or not dated:
            return
        inbox = self._inbox()
        inbox.watermark.observe_post(float(dated), inbox.read_local_time())


def _kind(about: str) -> str:
    return about.partition(":")[0]
