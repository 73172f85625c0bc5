"""What follows when a request was not taken: wait, let go, post anew, follow the chat, or dead-letter.

What the people of a chat forbid (reactions, to write there at all), deleted or closed (a topic) is no dead
letter: no operator can mend it.

A post that may have arrived (it was written, and no answer came, or a gateway's error) is looked for in the
chat first, as `doubt` says. Everything but a post may be repeated without anybody noticing.

That Telegram does not know the token any more is no request's fault: all wait for whoever has the new one.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from bot.database import Store, Tx
from bot.queue import private_delivery, queries
from bot.queue.deliveries import Delivery, DeliveryRecorder
from bot.queue.delivery_check import (
    CHECK_KEY,
    CHECKABLE_METHODS,
    DeliveryCheck,
    DeliveryStatus,
    SendMoment,
    classify_error,
    read_check,
    write_check,
)
from bot.queue.hooks import Clocks, OutboxHooks, assume_token_known
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.pacing import Lane, describe_lane, is_post
from bot.queue.queries import SHOW_ROUND, TELL_PRIVATELY, QueuedRequest
from bot.queue.refusals import (
    is_chat_gone,
    is_forbidden,
    is_harmless,
    is_message_gone,
    is_reaction_forbidden,
    is_too_large,
    is_topic_gone,
    read_retry_delay,
)
from bot.telegram.api import describe_telegram_error, is_refusal
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

RETRY_MARGIN = 0.1  # Seconds more than Telegram asks to wait
# Seconds after which what a chat had follows it to its new id though the chat itself never told of that.
# Until then that comes behind all that was said there, and what was said finds its round.
MIGRATION_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """Decides by the error. `send` queues stored requests; `token_known` asks Telegram for the token."""

    store: Store
    hooks: OutboxHooks
    deliveries: DeliveryRecorder
    enqueue: Callable[[Iterable[QueuedRequest]], None]
    clocks: Clocks
    leases: Leases = SINGLE_BOT
    is_token_known: Callable[[], Awaitable[bool]] = assume_token_known

    async def back_off_if_token_unknown(self, lane: Lane, error: TelegramError) -> bool:
        """Whether the token may be all that was refused: then the request is as good as before, and waits."""
        if not isinstance(error, InvalidToken) or not is_refusal(error) or await self.is_token_known():
            return False
        lane.back_off(self.clocks.monotonic())
        return True

    async def handle_error(
        self,
        lane: Lane,
        requests: Sequence[QueuedRequest],
        body: dict[str, Any],
        leaving: SendMoment,
        error: TelegramError,
    ) -> None:
        """Telegram, or something before it, did not take `body`, which was sent for `requests`."""
        if await self.back_off_if_token_unknown(lane, error):
            return
        method = body["method"]
        match error:
            case RetryAfter():
                lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
            case ChatMigrated():
                await self._follow(lane, requests, error.new_chat_id)
            case InvalidToken() if (
                method == private_delivery.EDIT_METHOD
            ):  # so the library calls a method that is unknown
                requests[0].body["server"] = body["server"]
                await self.send_fallback(lane, requests[0], private_delivery.SERVER_TOO_OLD)
            case BadRequest() | Forbidden() if _falls(requests[0], method, error):
                why = (
                    private_delivery.EDIT_FAILED
                    if method.startswith("edit")
                    else private_delivery.SEND_FAILED
                )
                await self.send_fallback(lane, requests[0], why)
            case BadRequest() if is_harmless(method, error):
                await self.deliveries.record_delivery(lane, Delivery(requests))
            case BadRequest() if is_message_gone(method, error):
                await self._replace(lane, requests, body)
            case BadRequest() | Forbidden() if is_forbidden(method, error) and not _is_wish(requests[0]):
                await self._not_allowed(lane, requests, body, error)
            case _ if is_refusal(error):
                log.warning(
                    "%s to %s was refused: %s",
                    method,
                    describe_lane(lane.key),
                    describe_telegram_error(error),
                )
                await self.deliveries.dead_letter(lane, requests, describe_telegram_error(error))
            case NetworkError() if is_too_large(error):
                await self.deliveries.dead_letter(lane, requests, describe_telegram_error(error))
            case _ if method.startswith("send") and not body.get("ephemeral"):
                await self._lost(lane, requests, body, leaving, error)
            case _:
                lane.back_off(self.clocks.monotonic())

    async def send_fallback(
        self, lane: Lane, request: QueuedRequest, why: str, also: Sequence[Request] = ()
    ) -> None:
        """What is told to one person goes its next way; `also` is stored with it."""

        def falls(tx: Tx) -> list[Request]:
            kept = queries.select_still_stored(tx, [request])
            return [*also, *(self.hooks.choose_fallback(tx, request.body, why) if kept else [])]

        await self._send_instead(lane, [request], falls)

    async def _send_instead(
        self, lane: Lane, requests: Sequence[QueuedRequest], instead: Callable[[Tx], list[Request]]
    ) -> None:
        """Delete the requests, and store and queue what is sent instead."""
        now, by = self.clocks.wall(), requests[0].caused_by

        def replaced(tx: Tx) -> list[QueuedRequest]:
            caused = instead(tx)
            queries.delete_requests(tx, requests)
            return [queries.insert_request(tx, r.lane, r.body, now, by) for r in caused]

        again = await self.store.write_with_retries(replaced)
        lane.remove(requests)
        self.enqueue(again)

    async def _not_allowed(
        self, lane: Lane, requests: Sequence[QueuedRequest], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Note what the people of the chat decided, and do without what they forbid."""
        log.info(
            "%s to %s is not allowed: %s",
            body["method"],
            describe_lane(lane.key),
            describe_telegram_error(error),
        )
        topic = body["params"].get("message_thread_id")
        if is_topic_gone(error) and topic:
            await self._leave_topic(lane, requests, topic)
        elif body["method"] == "setMessageReaction":
            await self._say_instead(lane, requests[0], error)
        else:
            await self._drop(lane, requests, error)

    async def _leave_topic(self, lane: Lane, requests: Sequence[QueuedRequest], topic: int) -> None:
        """The requests wait to be sent to the chat itself, and what is to be said of that behind them.

        They reply to nothing any more: a reply stands in the topic of what it replies to.
        """
        now = self.clocks.wall()

        def left(tx: Tx) -> list[QueuedRequest]:
            caused = self.hooks.on_topic_gone(tx, lane.key, topic)
            for request in requests:
                for key in ("message_thread_id", "reply_parameters"):
                    request.body.get("params", {}).pop(key, None)
                queries.update_request(tx, request)
            return [queries.insert_request(tx, r.lane, r.body, now) for r in caused]

        self.enqueue(await self.store.write_with_retries(left))

    async def _say_instead(self, lane: Lane, request: QueuedRequest, error: TelegramError) -> None:
        """Say in words what the reaction would have said, and all that wait with the same emoji."""
        emoji = _emoji(request)
        alike = [each for each in lane.waiting if _emoji(each) == emoji]

        def instead(tx: Tx) -> list[Request]:
            if is_reaction_forbidden(error):
                self.hooks.on_reaction_forbidden(tx, lane.key, emoji)
            said = [
                each.body["instead"]
                for each in queries.select_still_stored(tx, alike)
                if "instead" in each.body
            ]
            return [Request(lane.key, body) for body in said]

        await self._send_instead(lane, alike, instead)

    async def _drop(self, lane: Lane, requests: Sequence[QueuedRequest], error: TelegramError) -> None:
        """Drop the requests, and note it where nothing more can be sent to the chat."""

        def instead(tx: Tx) -> list[Request]:
            if is_chat_gone(lane.key, error):
                self.hooks.on_chat_gone(tx, lane.key)
            return []

        await self._send_instead(lane, requests, instead)

    async def _lost(
        self,
        lane: Lane,
        requests: Sequence[QueuedRequest],
        body: dict[str, Any],
        leaving: SendMoment,
        error: TelegramError,
    ) -> None:
        """A post failed on its way: look for it, send it again or dead-letter it, by what the error tells."""
        first, known = requests[0], classify_error(error)
        after = leaving.latest_message_id or first.body.get("after")
        if known is DeliveryStatus.ARRIVED:
            await self.deliveries.record_delivery(lane, Delivery(requests))
        elif known is not DeliveryStatus.UNSENT and after is not None and body["method"] in CHECKABLE_METHODS:
            doubt = read_check(first)
            at, picture = doubt.at if doubt else leaving.sent_at, str(body.get("content", ""))
            await self.store_check(first, DeliveryCheck(known, after, at, picture=picture))
            lane.back_off(self.clocks.monotonic())
        elif known is DeliveryStatus.UNKNOWN:
            await self.dead_letter_unconfirmed(lane, requests, body["method"], describe_telegram_error(error))
        else:
            lane.back_off(self.clocks.monotonic())

    async def move_to_chat(self, lane: Lane, requests: Sequence[QueuedRequest], chat_id: int) -> None:
        """These belong to another chat by now: they wait in its lane, behind its own and at its pace."""
        now, token = self.clocks.wall(), self.leases.get_token(lane.key)

        def over(tx: Tx) -> list[QueuedRequest]:
            self.leases.check_token(tx, lane.key, token)
            kept = queries.select_still_stored(tx, requests)
            queries.delete_requests(tx, kept)
            return [
                queries.insert_request(tx, chat_id, _without_its_place(e.body), now, e.caused_by)
                for e in kept
            ]

        again = await self.store.write_with_retries(over)
        lane.remove(requests)
        self.enqueue(again)

    async def dead_letter_unconfirmed(
        self, lane: Lane, requests: Sequence[QueuedRequest], method: str, why: str = "it is not found"
    ) -> None:
        """Dead-letter what may have arrived: two of it would be worse than one that is asked for again."""
        log.warning("%s to %s may have arrived, so it is not repeated", method, describe_lane(lane.key))
        await self.deliveries.dead_letter(lane, requests, f"may have arrived: {why}")

    async def store_check(self, request: QueuedRequest, doubt: DeliveryCheck) -> None:
        """Keep what is to be found out of the request, also through a stop."""
        write_check(request, doubt)
        await self.store.write_with_retries(lambda tx: queries.update_request(tx, request))

    async def _replace(self, lane: Lane, requests: Sequence[QueuedRequest], body: dict[str, Any]) -> None:
        """The message is gone. Its requests wait as a post where it is to be posted anew, else are let go."""
        unasked = all(request.body.get("unasked") for request in requests)
        if not await self.store.write_with_retries(
            lambda tx: self.hooks.on_message_gone(tx, body, unasked=unasked)
        ):
            await self.deliveries.record_delivery(lane, Delivery(requests))
            return
        for request in requests:
            request.body["new"] = True

    async def _follow(self, lane: Lane, requests: Sequence[QueuedRequest], new: int) -> None:
        """The chat is `new` now, with all its rows; these requests follow, but for edits of old messages.

        Only once nothing is left to handle that was said where it was: that finds its round by the old chat.
        The last of it is the chat's own report, which Telegram may be about to send.
        """
        here = self.clocks.monotonic()
        lane.migrated_at = here if lane.migrated_at is None else lane.migrated_at
        reported = here - lane.migrated_at > MIGRATION_PATIENCE
        now, token = self.clocks.wall(), self.leases.get_token(lane.key)
        posts = [request for request in requests if request.body["method"] == SHOW_ROUND or is_post(request)]

        def follow(tx: Tx) -> list[QueuedRequest] | None:
            self.leases.check_token(tx, lane.key, token)
            if queries.load_waiting_updates(tx, [lane.key]):
                return None
            if not reported and self.hooks.is_chat_known(tx, lane.key):
                return None
            self.hooks.on_chat_migrated(tx, lane.key, new)
            kept = queries.select_still_stored(tx, posts)
            queries.delete_requests(tx, requests)
            return [
                queries.insert_request(tx, new, _readdressed(each.body, new), now, each.caused_by)
                for each in kept
            ]

        again = await self.store.write_with_retries(follow)
        if again is None:
            lane.back_off(self.clocks.monotonic())
            return
        lane.remove(requests)
        self.enqueue(again)


def _is_wish(request: QueuedRequest) -> bool:
    """Whether it is of somebody's wish to be forgotten, of which the bot keeps what was refused."""
    return str(request.body.get("about", "")).partition(":")[0] in queries.DELETION_KINDS


def _emoji(request: QueuedRequest) -> str:
    """The emoji with which a request reacts; empty for any other request."""
    reaction = request.body.get("params", {}).get("reaction")
    return str(reaction[0]["emoji"]) if reaction else ""


def _falls(request: QueuedRequest, method: str, error: TelegramError) -> bool:
    """Whether it is told to one person, and nothing but the way to them is wrong."""
    unchanged = method.startswith("edit") and is_harmless(method, error)
    return request.body["method"] == TELL_PRIVATELY and is_refusal(error) and not unchanged


def _without_its_place(body: dict[str, Any]) -> dict[str, Any]:
    """Without what is known of the messages in the chat where it waited."""
    return {key: value for key, value in body.items() if key not in {CHECK_KEY, "after", "left"}}


def _readdressed(body: dict[str, Any], chat_id: int) -> dict[str, Any]:
    if "params" not in body:
        return body
    params = {key: value for key, value in body["params"].items() if key != "reply_parameters"}
    return {**body, "params": {**params, "chat_id": chat_id}}
