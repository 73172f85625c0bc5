"""Decides what follows when Telegram did not accept a request: retry, fallback, replacement or dead letter.

What the people of a chat forbid, delete or close is no dead letter, since no operator can change it.

A post that may have arrived is looked for first, see `delivery_check`. Every other request can be repeated
without anybody noticing. If Telegram no longer knows the token, all requests wait for the new one.
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
from bot.queue import private_delivery, queries, refusals
from bot.queue.deliveries import Delivery, DeliveryRecorder
from bot.queue.delivery_check import (
    DeliveryCheck,
    DeliveryStatus,
    SendAttempt,
    classify_error,
    make_check,
    write_check,
)
from bot.queue.hooks import Clocks, OutboxHooks, assume_token_known
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.pacing import Lane, describe_lane, is_post
from bot.queue.queries import SHOW_ROUND, TELL_PRIVATELY, QueuedRequest
from bot.queue.refusals import read_retry_delay
from bot.telegram.api import describe_telegram_error, is_refusal
from bot.telegram.messages import Request

log = logging.getLogger(__name__)

RETRY_MARGIN = 0.1  # Seconds more than Telegram asks to wait
# Seconds to wait for a chat's own report that it has a new id. Telegram sends it after everything that was
# said under the old id, so all that is handled before the move.
MIGRATION_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """Handles errors of requests. `enqueue` queues stored requests."""

    store: Store
    hooks: OutboxHooks
    deliveries: DeliveryRecorder
    enqueue: Callable[[Iterable[QueuedRequest]], None]
    clocks: Clocks
    leases: Leases = SINGLE_BOT
    is_token_known: Callable[[], Awaitable[bool]] = assume_token_known  # Asks Telegram

    async def handle_error(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Retry, replace, drop or dead-letter the requests of an attempt that met this error."""
        if await self.back_off_if_token_unknown(lane, error):
            return
        requests = attempt.requests
        body = attempt.body
        method = body["method"]
        match error:
            case RetryAfter():
                lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
            case ChatMigrated():
                await self._follow_migration(lane, requests, error.new_chat_id)
            case BadRequest() | Forbidden() if _is_private_way_refused(requests[0], error):
                await self.send_fallback(lane, requests[0], private_delivery.SEND_FAILED)
            case _ if is_refusal(error):
                await self._handle_refusal(lane, requests, body, error)
            case NetworkError() if refusals.is_too_large(error):
                await self.deliveries.dead_letter(lane, requests, describe_telegram_error(error))
            case _ if method.startswith("send") and not body.get("ephemeral"):  # it may have arrived
                await self._handle_lost_post(lane, attempt, error)
            case _:  # it can be repeated without anybody noticing
                lane.back_off(self.clocks.monotonic())

    async def _handle_refusal(
        self, lane: Lane, requests: Sequence[QueuedRequest], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Drop requests of which nothing is lost, replace or drop what people forbid; dead-letter others."""
        method = body["method"]
        reason = describe_telegram_error(error)
        is_kept = queries.is_of_deletion(requests[0])  # it is never dropped, so that people hear of it
        match error:
            case BadRequest() if refusals.is_harmless(method, error):
                await self.deliveries.record_delivery(lane, Delivery(requests))
            case BadRequest() if refusals.is_message_gone(method, error):
                await self._post_anew_or_drop(lane, requests, body)
            case BadRequest() | Forbidden() if refusals.is_forbidden(method, error) and not is_kept:
                log.info("%s to %s is not allowed: %s", method, describe_lane(lane.key), reason)
                await self._do_without(lane, requests, body, error)
            case _:
                log.warning("%s to %s was refused: %s", method, describe_lane(lane.key), reason)
                await self.deliveries.dead_letter(lane, requests, reason)

    async def back_off_if_token_unknown(self, lane: Lane, error: TelegramError) -> bool:
        """Make the lane wait if Telegram, asked once more, refuses the bot's token; return whether so."""
        if not isinstance(error, InvalidToken) or not is_refusal(error) or await self.is_token_known():
            return False
        lane.back_off(self.clocks.monotonic())
        return True

    async def _replace(
        self,
        lane: Lane,
        requests: Sequence[QueuedRequest],
        store_others: Callable[[Tx, list[QueuedRequest]], list[QueuedRequest] | None],
    ) -> bool:
        """Delete requests, and queue those that `store_others` stores instead of the ones still stored.

        Return False, and delete nothing, if it returns None.
        """

        def replace(tx: Tx) -> list[QueuedRequest] | None:
            replacements = store_others(tx, queries.select_still_stored(tx, requests))
            if replacements is not None:  # else the requests stay
                queries.delete_requests(tx, requests)
            return replacements

        replacements = await self.store.write_with_retries(replace)
        if replacements is None:
            return False
        lane.remove(requests)
        self.enqueue(replacements)
        return True

    def _insert_requests(self, tx: Tx, requests: Iterable[Request], caused_by: int) -> list[QueuedRequest]:
        now = self.clocks.wall()
        return [queries.insert_request(tx, one.lane, one.body, now, caused_by) for one in requests]

    async def send_fallback(
        self, lane: Lane, request: QueuedRequest, why: str, also: Sequence[Request] = ()
    ) -> None:
        """Replace a private answer by what goes its next way, and queue the requests `also` before that."""

        def store_fallback(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            # Nothing is stored if the answer was deleted together with the person's data.
            fallback = self.hooks.choose_fallback(tx, request.body, why) if stored else []
            return self._insert_requests(tx, [*also, *fallback], request.caused_by)

        await self._replace(lane, [request], store_fallback)

    async def _post_anew_or_drop(
        self, lane: Lane, requests: Sequence[QueuedRequest], body: dict[str, Any]
    ) -> None:
        """Let edits of a message that is gone go as a new post, or delete them, as `on_message_gone` says."""
        is_refresh = all(request.body.get("unasked") for request in requests)  # to show the time
        if await self.store.write_with_retries(lambda tx: self.hooks.on_message_gone(tx, body, is_refresh)):
            for request in requests:
                request.body["new"] = True  # they still wait; the next attempt posts the message
        else:
            await self.deliveries.record_delivery(lane, Delivery(requests))

    async def _do_without(
        self, lane: Lane, requests: Sequence[QueuedRequest], body: dict[str, Any], error: TelegramError
    ) -> None:
        """Record what is forbidden; leave a topic that is gone, replace reactions, drop other requests."""
        topic = body["params"].get("message_thread_id")
        if refusals.is_topic_gone(error) and topic:
            await self._leave_topic(lane, requests, topic)
            return
        if body["method"] == "setMessageReaction":
            await self._replace_reactions(lane, requests[0], error)
            return

        def record_if_gone(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            if refusals.is_chat_gone(lane.key, error):
                self.hooks.on_chat_gone(tx, lane.key)
            return []

        await self._replace(lane, requests, record_if_gone)

    async def _replace_reactions(self, lane: Lane, reaction: QueuedRequest, error: TelegramError) -> None:
        """Replace the waiting reactions with the same emoji by their texts; record a forbidden emoji."""
        emoji = _get_emoji(reaction)
        reactions = [request for request in lane.waiting if _get_emoji(request) == emoji]

        def store_texts(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            if refusals.is_reaction_forbidden(error):
                self.hooks.on_reaction_forbidden(tx, lane.key, emoji)
            texts = [Request(lane.key, one.body["instead"]) for one in stored if "instead" in one.body]
            return self._insert_requests(tx, texts, reaction.caused_by)

        await self._replace(lane, reactions, store_texts)

    async def _leave_topic(self, lane: Lane, requests: Sequence[QueuedRequest], topic: int) -> None:
        """Address the requests to the chat without the topic, and queue what `on_topic_gone` returns."""

        def leave(tx: Tx) -> list[QueuedRequest]:
            caused = self.hooks.on_topic_gone(tx, lane.key, topic)
            for request in requests:
                for key in ("message_thread_id", "reply_parameters"):  # a reply would be in the topic
                    request.body.get("params", {}).pop(key, None)
                queries.update_request(tx, request)
            return self._insert_requests(tx, caused, caused_by=0)

        self.enqueue(await self.store.write_with_retries(leave))

    async def _handle_lost_post(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Store a check, so that the post is looked for; else retry or dead-letter it, as the error tells."""
        requests = attempt.requests
        status = classify_error(error)
        if status is DeliveryStatus.ARRIVED:
            await self.deliveries.record_delivery(lane, Delivery(requests))
            return
        check: DeliveryCheck | None = None
        if status is not DeliveryStatus.UNSENT:
            check = make_check(attempt, status)
        if check is not None:
            await self.store_check(requests[0], check)
        elif status is DeliveryStatus.UNKNOWN:
            method = attempt.body["method"]
            await self.dead_letter_unconfirmed(lane, requests, method, describe_telegram_error(error))
            return
        lane.back_off(self.clocks.monotonic())

    async def store_check(self, request: QueuedRequest, check: DeliveryCheck) -> None:
        """Put a check into its request, and store that, so that it survives a stop."""
        write_check(request, check)
        await self.store.write_with_retries(lambda tx: queries.update_request(tx, request))

    async def dead_letter_unconfirmed(
        self, lane: Lane, requests: Sequence[QueuedRequest], method: str, why: str = "it is not found"
    ) -> None:
        """Dead-letter a post that may have arrived: a second one would be worse than none."""
        log.warning("%s to %s may have arrived, so it is not repeated", method, describe_lane(lane.key))
        await self.deliveries.dead_letter(lane, requests, f"may have arrived: {why}")

    async def move_to_chat(self, lane: Lane, requests: Sequence[QueuedRequest], chat_id: int) -> None:
        """Move a round's requests to the end of the lane of the chat it is in now. Raises LaneLostError."""
        token = self.leases.get_token(lane.key)

        def store_moved(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            self.leases.check_token(tx, lane.key, token)
            return self._insert_moved(tx, stored, chat_id)

        await self._replace(lane, requests, store_moved)

    async def _follow_migration(self, lane: Lane, requests: Sequence[QueuedRequest], new_id: int) -> None:
        """Move the chat's rows and its posts to its new id; edits of old messages are dropped.

        The lane waits until all updates from the old id are handled, since answers find their round by it.
        The last of them is the chat's own report, which may be about to come. Raises LaneLostError.
        """
        now = self.clocks.monotonic()
        if lane.migrated_at is None:
            lane.migrated_at = now
        report_may_come = now - lane.migrated_at <= MIGRATION_PATIENCE
        token = self.leases.get_token(lane.key)

        def move_chat(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest] | None:
            """Return the posts as stored for the new id; None to wait."""
            self.leases.check_token(tx, lane.key, token)
            if queries.load_waiting_updates(tx, [lane.key]):
                return None
            if report_may_come and self.hooks.is_chat_known(tx, lane.key):
                return None
            self.hooks.on_chat_migrated(tx, lane.key, new_id)
            posts = [one for one in stored if one.body["method"] == SHOW_ROUND or is_post(one)]
            return self._insert_moved(tx, posts, new_id)

        if not await self._replace(lane, requests, move_chat):
            lane.back_off(self.clocks.monotonic())

    def _insert_moved(self, tx: Tx, requests: Iterable[QueuedRequest], chat_id: int) -> list[QueuedRequest]:
        """Store the requests for another chat, without message ids of the one in which they waited."""
        message_id_keys = (queries.CHECK_KEY, queries.LATEST_ID_KEY, queries.UNCHECKED_KEY)
        moved = list[QueuedRequest]()
        for request in requests:
            body = {k: v for k, v in request.body.items() if k not in message_id_keys}
            if "params" in body:
                params = {k: v for k, v in body["params"].items() if k != "reply_parameters"}
                body["params"] = {**params, "chat_id": chat_id}
            moved += self._insert_requests(tx, [Request(chat_id, body)], request.caused_by)
        return moved


def _get_emoji(request: QueuedRequest) -> str:
    """Return the emoji of a reaction; empty for any other request."""
    reaction = request.body.get("params", {}).get("reaction")
    return str(reaction[0]["emoji"]) if reaction else ""


def _is_private_way_refused(request: QueuedRequest, error: TelegramError) -> bool:
    """Whether it is a private answer whose current way is refused."""
    return request.body["method"] == TELL_PRIVATELY and is_refusal(error)
