"""Sends one request, records its delivery, and decides what follows if Telegram did not accept it.

A request counts as not sent until its delivery is recorded. A post that may have arrived is looked for before
it is sent again, see `delivery_check`. Every other request can be repeated without anybody noticing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
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

from bot import logs
from bot.database import Store, Tx, describe_error, is_database_failure
from bot.database.store import Batcher
from bot.queue import delivery_check, pacing, photos, queries, refusals, rendering
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.delivery_check import classify_error
from bot.queue.outgoing import (
    DeliveryCheck,
    DeliveryStatus,
    Outgoing,
    PrivateReply,
    UncheckedPost,
    Way,
    WayClosedError,
)
from bot.queue.pacing import FIRST_PAUSE, Lane, LatestMessages, Pace, SendTurn, describe_lane
from bot.queue.photos import Photos, Upload
from bot.queue.queries import SINGLE_BOT, LaneLostError, Leases, QueuedRequest
from bot.queue.refusals import NONSENSE_ANSWER, describe_telegram_error, is_refusal, read_retry_delay
from bot.queue.rendering import ApiCall, DeliveryHook, DeliveryResult, MessagePhoto, RenderedRequest
from bot.supervision import raise_if_cancelled

log = logging.getLogger(__name__)


# Deliveries


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message or call that fulfilled these requests, with its result; or requests that are not needed."""

    requests: Sequence[QueuedRequest]
    about: str = ""  # What the hook is told the result is about; it is not called if this is empty
    result: DeliveryResult | None = None
    message_id: int = 0  # Of a post in a group, which is kept for a while
    upload: Upload | None = None  # A picture that Telegram has from now on


class DeliveryRecorder:
    """Records all deliveries that come during one commit in the next one.

    A post makes the next one wait until its delivery is recorded, see `SendMutex`. So deliveries of posts are
    urgent, and are recorded apart from the others. `on_delivered` stores what features remember of a result.
    """

    def __init__(self, store: Store, on_delivered: DeliveryHook, wall: Callable[[], float]) -> None:
        self._store = store
        self._on_delivered = on_delivered
        self._wall = wall
        self._batcher_of_posts = Batcher[Delivery](partial(self._record_batch, is_urgent=True))
        self._batcher_of_others = Batcher[Delivery](partial(self._record_batch, is_urgent=False))

    async def record_delivery(self, lane: Lane, delivery: Delivery) -> None:
        """Commit a delivery and remove its requests from the lane. Raises what `on_delivered` raises."""
        batcher = self._batcher_of_posts if _has_post(delivery.requests) else self._batcher_of_others
        await batcher.submit(delivery)
        lane.remove(delivery.requests)

    async def dead_letter(self, lane: Lane, requests: Sequence[QueuedRequest], reason: str) -> None:
        """Dead-letter requests, and remove them from the lane."""

        def mark_dead(tx: Tx) -> None:
            for request in requests:
                queries.dead_letter_request(tx, request, reason)

        await self._store.write_with_retries(mark_dead, urgent=_has_post(requests))
        lane.remove(requests)

    async def close(self) -> None:
        """Cancel what is being recorded: the next start sends those requests again."""
        await self._batcher_of_posts.close()
        await self._batcher_of_others.close()

    async def _record_batch(
        self, deliveries: Sequence[Delivery], *, is_urgent: bool
    ) -> Sequence[Exception | None]:
        """Record a batch in one transaction, or one by one if that fails. Return each one's error or None."""
        now = self._wall()
        try:
            await self._store.write_with_retries(
                lambda tx: self._store_deliveries(tx, deliveries, now), urgent=is_urgent
            )
        except Exception as error:  # noqa: BLE001 - it is raised where the delivery came in
            if len(deliveries) == 1:
                return [error]
            errors = list[Exception | None]()
            for delivery in deliveries:
                errors += await self._record_batch([delivery], is_urgent=is_urgent)
            return errors
        return [None] * len(deliveries)

    def _store_deliveries(self, tx: Tx, deliveries: Sequence[Delivery], now: float) -> None:
        """Store uploads, call `on_delivered`, keep posts in groups as sent, and delete all other requests."""
        posts = list[tuple[QueuedRequest, int]]()
        finished = list[QueuedRequest]()
        for delivery in deliveries:
            if delivery.upload:
                photos.save_upload(tx, delivery.upload, now)
            if delivery.about:
                self._on_delivered(tx, delivery.about, delivery.result)
            if delivery.message_id:  # the first request's row is kept for the post
                posts.append((delivery.requests[0], delivery.message_id))
                finished += delivery.requests[1:]
            else:
                finished += delivery.requests
        queries.mark_posted(tx, posts, now)
        queries.delete_requests(tx, finished)


def _has_post(requests: Sequence[QueuedRequest]) -> bool:
    return any(request.outgoing.is_post for request in requests)


# Sending

RETRY_MARGIN = 0.1  # Seconds more than Telegram asks to wait
# Seconds to wait for a chat's own report that it has a new id. Telegram sends it after everything that was
# said under the old id, so all that is handled before the move.
MIGRATION_PATIENCE = 30.0
MAX_ATTEMPTS = 5  # Errors of the bot itself after which a request is dead-lettered
FAILURE_PAUSE = 1.0  # Seconds for which a chat waits after such an error
# Seconds until a photo that does not show its picture yet is checked again, each once
PICTURE_CHECK_DELAYS = (1.0, 5.0, 15.0, 60.0)
PROBE_TEXT = "🤫"  # The text to which messages are edited to find an ephemeral one that may be public


CHECKABLE_METHODS = ("sendMessage", "sendPhoto")  # Of posts that can be looked for


@dataclass(frozen=True, slots=True)
class SendAttempt:
    """One call of Telegram for a waiting request, or for several that draw the same message."""

    requests: list[QueuedRequest]  # Oldest first
    rendered: RenderedRequest  # As it is sent
    latest_message_id: int  # Of the chat, 0 if unknown; the post can only have a higher one
    sent_at: float

    def make_check(self, fate: DeliveryStatus) -> DeliveryCheck | None:
        """Make the check of a post that was sent; an earlier check's time of sending is kept.

        None if it can't be looked for: no message id before it is known, or it is ephemeral or a file.
        """
        first = self.requests[0].outgoing
        after = self.latest_message_id or first.latest_id
        is_checkable = self.rendered.outgoing.method in CHECKABLE_METHODS and not self.rendered.is_ephemeral
        if not after or not is_checkable:
            return None
        former = first.state.check
        at = former.at if former else self.sent_at
        return DeliveryCheck(fate, after, at, picture=self.rendered.picture_key)


class SearchDelayedError(Exception):
    """Telegram can't be asked now whether a post has arrived; the lane waits."""


@dataclass(slots=True)
class Sender:
    """Sends requests to Telegram and records their results."""

    store: Store
    call: ApiCall
    hooks: rendering.OutboxHooks
    deliveries: DeliveryRecorder
    latest: LatestMessages
    clocks: rendering.Clocks
    permissions: BotPermissionCache
    pace: Pace
    photos: Photos
    enqueue: Callable[[Iterable[QueuedRequest]], None]  # Queues stored requests
    leases: Leases = SINGLE_BOT
    is_token_known: Callable[[], Awaitable[bool]] = rendering.assume_token_known  # Asks Telegram
    dropped_count: int = 0  # Replies that were too late
    # Posts that were on their way when the bot stopped; the next start looks for them
    interrupted: list[QueuedRequest] = field(default_factory=list)

    async def send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        """Try to send a request, or return the photo to wait for first; after an error block the lane."""
        logs.current_trace.set(request.outgoing.cause)
        try:
            return await self._draw_and_send(lane, request, turn)
        except (LaneLostError, SearchDelayedError):
            pass  # the bot that serves the chat now sends it, or this one later
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - counted, and in the end dead-lettered
            raise_if_cancelled(error)
            await self._record_failure(lane, request, error)
        return None

    async def _record_failure(self, lane: Lane, request: QueuedRequest, error: BaseException) -> None:
        """Block the lane, log the error, and dead-letter the request at its `MAX_ATTEMPTS`-th. Failures of
        the database are not counted.
        """
        lane.blocked_until = self.clocks.monotonic() + FAILURE_PAUSE
        if is_database_failure(error):
            why = describe_error(error)
            log.warning("a request (%s) waits for the database: %s", request.outgoing.method, why)
            return
        failures = lane.failures.get(request.id, 0) + 1
        lane.failures[request.id] = failures
        what = "stays stored" if failures < MAX_ATTEMPTS else "is set aside"
        logs.log_unexpected_error(log, f"a request ({request.outgoing.method}) {what}", error)
        if failures >= MAX_ATTEMPTS:
            with suppress(Exception):  # else it stays stored for the next start
                await self.deliveries.dead_letter(lane, [request], describe_error(error))
            lane.remove([request])

    async def _draw_and_send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        """Draw a request, then send it, drop it, move it or find it arrived; return a photo to wait for."""
        requests = _find_same_message(lane, request)
        if await self._take_back_if_public(lane, request):
            return None  # the request goes its next way instead
        try:
            rendered = await self._draw(lane, request)
        except WayClosedError:
            await self._send_fallback(lane, request)
            return None
        if rendered is None:  # no longer wanted
            await self.deliveries.record_delivery(lane, Delivery(requests))
            return None
        new_chat = _find_new_chat(request, rendered)
        if new_chat is not None:
            await self._move_to_chat(lane, requests, new_chat)
        elif rendered.outgoing.method.startswith("send") and not request.outgoing.is_post:
            # the post to redraw has never arrived: wait like a post
            request.outgoing = replace(request.outgoing, is_new=True)
        elif _is_picture_check(request) and lane.find_edits_of_same_message(request, later=True):
            # a later edit will show the picture; this one would undo its text
            await self.deliveries.record_delivery(lane, Delivery(requests))
        elif not await self._look_for_post(lane, requests, rendered):
            return await self._send_with_picture(lane, requests, request, rendered, turn)
        return None

    async def _draw(self, lane: Lane, request: QueuedRequest) -> RenderedRequest | None:
        """Return the request as it is sent now, with names and picture; None if it is late or not wanted.

        Raises WayClosedError.
        """
        if pacing.is_expired(request, self.clocks.wall()):
            self.dropped_count += 1
            return None
        rendered = await self._render(lane, request)
        if rendered is None:
            return None
        players = list(rendering.find_mentioned_players(rendered.outgoing))
        if players:
            names = await self.store.read(lambda tx: self.hooks.load_names(tx, players))
            named = rendering.insert_player_names(rendered.outgoing, names)
            rendered = replace(rendered, outgoing=named)
        if rendered.outgoing.picture is None:
            return rendered
        return await self.photos.attach_picture(self.hooks.find_picture, rendered)

    async def _render(self, lane: Lane, request: QueuedRequest) -> RenderedRequest | None:
        """Return the request that the renderer makes of this one, or this one if its method has no renderer.
        Return None if it is not wanted any more. Raises WayClosedError.
        """
        stored = request.outgoing
        render = self.hooks.renderers.get(stored.method)
        if render is None:
            return RenderedRequest(stored)
        if stored.private:
            private = await self._load_ephemeral_chances(lane, request, stored.private)
            stored = replace(stored, private=private)
        rendered = await render(stored)
        if rendered is None or stored.picture is None:
            return rendered
        # The renderer made a new request, which lacks the picture that was asked for
        outgoing = replace(rendered.outgoing, picture=stored.picture)
        return replace(rendered, outgoing=outgoing)

    async def _send_with_picture(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        request: QueuedRequest,
        rendered: RenderedRequest,
        turn: SendTurn,
    ) -> MessagePhoto | None:
        """Send `request`, for all of `requests`, once a turn is free; or return its photo to wait for first.

        None if it was sent, or nothing is to be sent: the picture that it checks for is still lacking, or
        this bot may not send it any more.
        """
        applied = self.photos.apply_picture(request, rendered) if rendered.photo else rendered
        if applied is None:  # the picture is not drawn yet, or Telegram is being asked about slow mode
            return rendered.photo
        if requests == [request] and _is_picture_check(request) and applied.lacks_picture:
            await self._finish_picture_check(lane, request)
            return None
        if request.outgoing.key:
            lane.drawn_at = {request.outgoing.key: self.clocks.monotonic()}  # other messages are forgotten
        await turn.prepare()
        if self._may_send(lane, requests[0]):
            await self._send_rendered(lane, requests, applied, turn)
        return None

    async def _finish_picture_check(self, lane: Lane, request: QueuedRequest) -> None:
        """Let a request whose picture is still lacking be checked again, or record it after the last time."""
        if not self._schedule_picture_check(lane, request):
            await self.deliveries.record_delivery(lane, Delivery([request]))

    def _may_send(self, lane: Lane, request: QueuedRequest) -> bool:
        """Whether this bot still serves the chat, and the request still waits."""
        return self.leases.surely_owns(lane.key) and lane.is_waiting(request)

    async def _send_rendered(
        self, lane: Lane, requests: list[QueuedRequest], rendered: RenderedRequest, turn: SendTurn
    ) -> None:
        """Call Telegram for these requests, and record the result or handle the error."""
        first = requests[0]
        if rendered.outgoing.method.startswith("send") and lane.key < 0:  # a group, whose posts are limited
            aside_for = first.caused_by if first.outgoing.is_aside else 0
            lane.posts.add(self.clocks.monotonic(), person_id=aside_for)
        rendered = await self._record_sending(lane, first, rendered)
        latest_id = self.latest.get_latest_id(lane.key)
        attempt = SendAttempt(requests, rendered, latest_message_id=latest_id, sent_at=self.clocks.wall())
        if not self._may_send(lane, first):
            return
        turn.mark_sent()
        began = self.clocks.monotonic()
        try:
            result = await self._call(rendered.outgoing)
        except asyncio.CancelledError:
            # The bot stops. Its next start looks for the post, and sends it again unless it has arrived.
            check = attempt.make_check(DeliveryStatus.REFUSED)
            if check is not None:
                first.update_state(check=check)
                self.interrupted.append(first)
            raise
        except TelegramError as error:
            await self._handle_error(lane, attempt, error)
            return
        turn.mark_answered()
        lane.pause = FIRST_PAUSE
        if rendered.is_ephemeral:
            await self._record_ephemeral_result(lane, first, rendered, result)
            return
        upload = None
        if rendered.photo:
            upload = self.photos.record_upload(rendered, result, self.clocks.monotonic() - began)
        await self._record_result(lane, requests, rendered, result, upload)

    async def _record_sending(
        self, lane: Lane, request: QueuedRequest, rendered: RenderedRequest
    ) -> RenderedRequest:
        """Store that an ephemeral post is unchecked or a timed post sent; return it with `is_first_send`."""
        if rendered.is_ephemeral:
            after = self.latest.get_latest_id(lane.key) or request.outgoing.latest_id
            request.update_state(unchecked=UncheckedPost(after, self.clocks.wall()))
            await self.store.write_with_retries(lambda tx: queries.update_request(tx, request), urgent=True)
        if not rendered.outgoing.is_timed:
            return rendered
        is_first = await self.store.write_with_retries(
            lambda tx: self.hooks.before_send(tx, rendered.outgoing.about), urgent=True
        )
        return replace(rendered, is_first_send=is_first)

    async def _call(self, outgoing: Outgoing) -> Any:
        """Return Telegram's result. Raises TelegramError, also if the result of a post has no message id."""
        try:
            result = await self.call(outgoing.method, outgoing.params)
        except asyncio.CancelledError as error:
            raise_if_cancelled(error)
            raise NetworkError("what was waited for was cancelled") from None
        lacks_id = isinstance(result, dict) and type(result.get("message_id")) is not int
        if outgoing.method.startswith("send") and lacks_id:
            raise TelegramError(NONSENSE_ANSWER)
        return result

    async def _call_if_owned(self, lane: Lane, method: str, params: Mapping[str, Any]) -> Any:
        """Call Telegram. Raises LaneLostError if another bot may serve the chat and edit its posts."""
        if not self.leases.surely_owns(lane.key):
            raise LaneLostError
        return await self.call(method, params)

    async def _handle_error(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Change the request's form or handle the error; an edit that changes nothing counts as sent.
        Tell the feature that a timed post wasn't sent.
        """
        first = attempt.requests[0]
        rendered = attempt.rendered
        if isinstance(error, RetryAfter) or is_refusal(error):
            # Telegram itself refused it: no ephemeral message, which all might read, is in the chat
            first.update_state(unchecked=None)
        if rendered.lacks_picture and refusals.is_harmless(rendered.outgoing.method, error):
            # The message shows this caption already; only its picture is lacking.
            await self._record_result(lane, attempt.requests, rendered, result=True)  # no message came back
        elif not await self.photos.adapt_after_error(first, rendered, error):
            await self._decide_after_error(lane, attempt, error)
        if rendered.is_first_send and delivery_check.is_undelivered(error):
            await self._report_unsent(rendered.outgoing.about)

    async def _report_unsent(self, about: str) -> None:
        """Tell the feature that its timed post has not arrived, by None in the place of a result."""
        await self.store.write_with_retries(lambda tx: self.hooks.on_delivered(tx, about, None))

    async def _record_result(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        rendered: RenderedRequest,
        result: Any,
        upload: Upload | None = None,
    ) -> None:
        """Record a delivery and its message id; an edit without its picture waits to be checked again."""
        about = ""  # then features learn nothing of the result
        message_id = 0  # then nothing is kept of the post
        delivered = None
        if isinstance(result, dict):
            is_repeated = rendered.outgoing.is_timed and not rendered.is_first_send
            if not is_repeated:  # else its time runs already
                about = rendered.outgoing.about
            check = None
            if rendered.outgoing.method.startswith("send"):
                posted_id = int(result["message_id"])
                self.latest.record(lane.key, posted_id, own=True)
                message_id = posted_id if lane.key < 0 else 0  # below 0: a group
                check = requests[0].outgoing.state.check  # of a post that was looked for
            delivered = DeliveryResult(result, rendered.picture_key, check.at if check else None)
        # Earlier edits that wait only for their picture would undo this one: they are done, too.
        earlier_edits = lane.find_edits_of_same_message(requests[0], later=False)
        requests = requests + [edit for edit in earlier_edits if _is_picture_check(edit)]
        if rendered.lacks_picture and self._schedule_picture_check(lane, requests[0]):
            requests = requests[1:]  # the first one stays in the lane, to be checked
        await self.deliveries.record_delivery(lane, Delivery(requests, about, delivered, message_id, upload))

    def _schedule_picture_check(self, lane: Lane, request: QueuedRequest) -> bool:
        """Let a request wait until its picture is drawn; return False once that was tried often enough."""
        checks = request.outgoing.state.picture_checks
        if checks >= len(PICTURE_CHECK_DELAYS):
            return False
        request.update_state(picture_checks=checks + 1, goes_without_picture=False)
        lane.recheck_at[request.id] = self.clocks.monotonic() + PICTURE_CHECK_DELAYS[checks]
        return True

    # Posts that may have arrived

    async def _look_for_post(
        self, lane: Lane, requests: list[QueuedRequest], rendered: RenderedRequest
    ) -> bool:
        """Look for a post that may have arrived, and record it; return False if it is to be sent.

        If Telegram gave no answer and the post is not found, a text is dead-lettered. A picture or a drawn
        message is looked for a few times more, and then sent.
        """
        first = requests[0]
        check = first.outgoing.state.check
        if check is None or check.over:  # over: it was looked for, and has not arrived
            return False
        sought = rendered.outgoing
        if check.picture:
            sought = rendering.convert_to_caption(sought, rendered.photo)
        message_id = await self._find_post(lane, sought.params, check)
        may_be_sent_twice = bool(check.picture) or bool(first.outgoing.key)
        if message_id is not None:
            found = replace(rendered, picture_key=check.picture)
            await self._record_result(lane, requests, found, result={"message_id": message_id})
        elif check.fate is DeliveryStatus.UNKNOWN and not may_be_sent_twice:
            await self._dead_letter_unconfirmed(lane, requests, rendered.outgoing.method)
        elif check.fate is DeliveryStatus.UNKNOWN and check.looked + 1 < delivery_check.MAX_CHECKS:
            lane.back_off(self.clocks.monotonic())
            await self._store_check(first, replace(check, looked=check.looked + 1))
        else:
            await self._store_check(first, replace(check, over=True))
            return False
        return True

    async def _find_post(self, lane: Lane, params: Mapping[str, Any], check: DeliveryCheck) -> int | None:
        """Return the post's message id; None if not found. Raises SearchDelayedError if Telegram fails."""
        call = partial(self._call_if_owned, lane)
        try:
            return await delivery_check.find_post(call, lane.key, params, check, self.latest)
        except RetryAfter as error:
            lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
        except TelegramError as error:
            if not await self._back_off_if_token_unknown(lane, error):
                lane.back_off(self.clocks.monotonic())
                if is_refusal(error) or abs(self.clocks.wall() - check.at) >= delivery_check.CHECK_PERIOD:
                    return None  # it counts as not found
        raise SearchDelayedError

    # Ephemeral messages, see `Way`

    async def _load_ephemeral_chances(
        self, lane: Lane, request: QueuedRequest, private: PrivateReply
    ) -> PrivateReply:
        """Return a reply with `is_open` and `is_admin` as they are now if its present way is ephemeral; both
        are False if the group has no room for a message.
        """
        if private.way != Way.EPHEMERAL:
            return private
        now = self.clocks.monotonic()
        free_time = pacing.find_post_time(self.pace, lane.posts, request, now)
        has_room = max(free_time, lane.blocked_until) <= now
        is_answer = bool(private.press_id or private.ephemeral_id)  # Telegram takes one for a few seconds
        is_open = has_room and is_answer and self.clocks.wall() < private.until
        is_admin = False
        if has_room and not is_open:
            permissions = await self.permissions.load(lane.key)
            is_admin = permissions.is_admin
        return replace(private, server=self.permissions.server, is_open=is_open, is_admin=is_admin)

    async def _take_back_if_public(self, lane: Lane, request: QueuedRequest) -> bool:
        """Take back an ephemeral message that all can read, if one is found, and return whether it was."""
        unchecked = request.outgoing.state.unchecked
        if not unchecked or not unchecked.after:  # nothing to look for, or it is unknown from which id on
            return False
        check = DeliveryCheck(fate=DeliveryStatus.REFUSED, after=unchecked.after, at=unchecked.at)
        probe = {"chat_id": lane.key, "text": PROBE_TEXT}  # only a public message of the bot takes this edit
        message_id = await self._find_post(lane, probe, check)
        if message_id is None:
            return False
        await self._take_back(lane, request, message_id, partial(self._call_if_owned, lane))
        return True

    async def _record_ephemeral_result(
        self, lane: Lane, request: QueuedRequest, rendered: RenderedRequest, result: Any
    ) -> None:
        """Record the delivery, but take back a public message; a trial leaves its request waiting."""
        request.update_state(unchecked=None)
        message = result if isinstance(result, dict) else {}
        if not message.get("ephemeral_message_id"):  # all can read it
            await self._take_back(lane, request, message.get("message_id"), self.call)
        else:
            requests = [] if rendered.is_trial else [request]
            delivery = Delivery(requests, rendered.outgoing.about, DeliveryResult(message))
            await self.deliveries.record_delivery(lane, delivery)

    async def _take_back(
        self, lane: Lane, request: QueuedRequest, message_id: int | None, call: ApiCall
    ) -> None:
        """Delete a message that should have been ephemeral, or queue that; send the request its next way."""
        log.warning("this Bot API server knows no ephemeral messages: %s gets none", describe_lane(lane.key))
        deletion = list[Outgoing]()
        if message_id:
            delete = Outgoing(lane.key, "deleteMessage", {"chat_id": lane.key, "message_id": message_id})
            try:
                await call(delete.method, delete.params)
            except TelegramError:
                deletion = [delete]  # queued before the reply
        if request.outgoing.private:  # names the server, which is remembered as too old
            private = replace(request.outgoing.private, server=self.permissions.server)
            request.outgoing = replace(request.outgoing, private=private)
        await self._send_fallback(lane, request, deletion, is_server_too_old=True)

    # Errors. What the people of a chat forbid, delete or close is no dead letter: no operator can change it.
    # If Telegram no longer knows the token, all requests wait for the new one.

    async def _decide_after_error(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Retry, replace, drop or dead-letter the requests of an attempt that met this error."""
        if await self._back_off_if_token_unknown(lane, error):
            return
        requests = attempt.requests
        rendered = attempt.rendered
        is_private_reply = requests[0].outgoing.private is not None
        is_lasting_post = rendered.outgoing.method.startswith("send") and not rendered.is_ephemeral
        match error:
            case RetryAfter():
                lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
            case ChatMigrated():
                await self._follow_migration(lane, requests, error.new_chat_id)
            case BadRequest() | Forbidden() if is_private_reply and is_refusal(error):
                await self._send_fallback(lane, requests[0])
            case _ if is_refusal(error):
                await self._handle_refusal(lane, requests, rendered.outgoing, error)
            case NetworkError() if refusals.is_too_large(error):
                await self.deliveries.dead_letter(lane, requests, describe_telegram_error(error))
            case _ if is_lasting_post:  # it may have arrived
                await self._handle_lost_post(lane, attempt, error)
            case _:  # it can be repeated without anybody noticing
                lane.back_off(self.clocks.monotonic())

    async def _handle_refusal(
        self, lane: Lane, requests: Sequence[QueuedRequest], sent: Outgoing, error: TelegramError
    ) -> None:
        """Drop requests of which nothing is lost, replace or drop what people forbid; dead-letter others."""
        method = sent.method
        reason = describe_telegram_error(error)
        is_kept = queries.is_of_deletion(requests[0])  # it is never dropped, so that people hear of it
        match error:
            case BadRequest() if refusals.is_harmless(method, error):
                await self.deliveries.record_delivery(lane, Delivery(requests))
            case BadRequest() if refusals.is_message_gone(method, error):
                await self._post_anew_or_drop(lane, requests, sent)
            case BadRequest() | Forbidden() if refusals.is_forbidden(method, error) and not is_kept:
                log.info("%s to %s is not allowed: %s", method, describe_lane(lane.key), reason)
                await self._do_without(lane, requests, sent, error)
            case _:
                log.warning("%s to %s was refused: %s", method, describe_lane(lane.key), reason)
                await self.deliveries.dead_letter(lane, requests, reason)

    async def _back_off_if_token_unknown(self, lane: Lane, error: TelegramError) -> bool:
        """Make the lane wait if Telegram, asked once more, refuses the bot's token; return whether so."""
        denies_token = isinstance(error, InvalidToken) and is_refusal(error)
        if not denies_token or await self.is_token_known():
            return False
        lane.back_off(self.clocks.monotonic())
        return True

    async def _replace(
        self,
        lane: Lane,
        requests: Sequence[QueuedRequest],
        store_others: Callable[[Tx, list[QueuedRequest]], list[QueuedRequest] | None],
    ) -> bool:
        """Delete requests, and queue those that `store_others` stores in their place; it gets those of them
        that are still stored. Return False, and delete nothing, if it returns None.
        """

        def replace_stored(tx: Tx) -> list[QueuedRequest] | None:
            replacements = store_others(tx, queries.select_still_stored(tx, requests))
            if replacements is not None:
                queries.delete_requests(tx, requests)
            return replacements

        replacements = await self.store.write_with_retries(replace_stored)
        if replacements is None:
            return False
        lane.remove(requests)
        self.enqueue(replacements)
        return True

    def _insert_requests(self, tx: Tx, requests: Iterable[Outgoing], caused_by: int) -> list[QueuedRequest]:
        now = self.clocks.wall()
        return [queries.insert_request(tx, one, now, caused_by) for one in requests]

    async def _send_fallback(
        self,
        lane: Lane,
        request: QueuedRequest,
        also: Sequence[Outgoing] = (),
        *,
        is_server_too_old: bool = False,
    ) -> None:
        """Replace a private reply by what goes its next way, and queue the requests `also` before that.

        Of a reply that was deleted meanwhile, `also` alone is queued.
        """

        def store_fallback(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            # None are left if the reply was deleted together with the person's data.
            fallback = self.hooks.choose_fallback(tx, request.outgoing, is_server_too_old) if stored else []
            return self._insert_requests(tx, [*also, *fallback], request.caused_by)

        await self._replace(lane, [request], store_fallback)

    async def _post_anew_or_drop(self, lane: Lane, requests: Sequence[QueuedRequest], sent: Outgoing) -> None:
        """Let edits of a message that is gone go as a new post, or delete them, as `on_message_gone` says."""
        is_refresh = all(request.outgoing.is_refresh for request in requests)
        must_post_anew = await self.store.write_with_retries(
            lambda tx: self.hooks.on_message_gone(tx, sent, is_refresh)
        )
        if must_post_anew:
            for request in requests:  # they still wait; the next attempt posts the message
                request.outgoing = replace(request.outgoing, is_new=True)
        else:
            await self.deliveries.record_delivery(lane, Delivery(requests))

    async def _do_without(
        self, lane: Lane, requests: Sequence[QueuedRequest], sent: Outgoing, error: TelegramError
    ) -> None:
        """Record what is forbidden; leave a topic that is gone, replace reactions, drop other requests."""
        if refusals.is_topic_gone(error) and sent.topic:
            await self._leave_topic(lane, requests, sent.topic)
            return
        if sent.method == "setMessageReaction":
            await self._replace_reactions(lane, requests[0], error)
            return

        def record_if_gone(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            if refusals.is_chat_gone(lane.key, error):
                self.hooks.on_chat_gone(tx, lane.key)
            return []

        await self._replace(lane, requests, record_if_gone)

    async def _replace_reactions(self, lane: Lane, reaction: QueuedRequest, error: TelegramError) -> None:
        """Replace the waiting reactions with the same emoji by their texts; record a forbidden emoji."""
        emoji = reaction.outgoing.emoji
        reactions = [request for request in lane.waiting if request.outgoing.emoji == emoji]

        def store_texts(tx: Tx, stored: list[QueuedRequest]) -> list[QueuedRequest]:
            if refusals.is_reaction_forbidden(error):
                self.hooks.on_reaction_forbidden(tx, lane.key, emoji)
            texts = [one.outgoing.instead for one in stored if one.outgoing.instead]
            return self._insert_requests(tx, texts, reaction.caused_by)

        await self._replace(lane, reactions, store_texts)

    async def _leave_topic(self, lane: Lane, requests: Sequence[QueuedRequest], topic: int) -> None:
        """Address the requests to the chat without the topic, and queue what `on_topic_gone` returns."""

        def leave(tx: Tx) -> list[QueuedRequest]:
            caused = self.hooks.on_topic_gone(tx, lane.key, topic)
            for request in requests:
                request.outgoing = request.outgoing.leave_topic()
                queries.update_request(tx, request)
            return self._insert_requests(tx, caused, caused_by=0)

        notices = await self.store.write_with_retries(leave)
        self.enqueue(notices)

    async def _handle_lost_post(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Store a check, so that the post is looked for; else retry or dead-letter it, as the error tells."""
        requests = attempt.requests
        status = classify_error(error)
        if status is DeliveryStatus.ARRIVED:
            await self.deliveries.record_delivery(lane, Delivery(requests))
            return
        check: DeliveryCheck | None = None
        if status is not DeliveryStatus.UNSENT:
            check = attempt.make_check(status)
        if check is not None:
            await self._store_check(requests[0], check)
        elif status is DeliveryStatus.UNKNOWN:
            method = attempt.rendered.outgoing.method
            await self._dead_letter_unconfirmed(lane, requests, method, describe_telegram_error(error))
            return
        lane.back_off(self.clocks.monotonic())

    async def _store_check(self, request: QueuedRequest, check: DeliveryCheck) -> None:
        """Put a check into its request, and store that, so that it survives a stop."""
        request.update_state(check=check)
        await self.store.write_with_retries(lambda tx: queries.update_request(tx, request))

    async def _dead_letter_unconfirmed(
        self, lane: Lane, requests: Sequence[QueuedRequest], method: str, why: str = "it is not found"
    ) -> None:
        """Dead-letter a post that may have arrived: a second one would be worse than none."""
        log.warning("%s to %s may have arrived, so it is not repeated", method, describe_lane(lane.key))
        await self.deliveries.dead_letter(lane, requests, f"may have arrived: {why}")

    async def _move_to_chat(self, lane: Lane, requests: Sequence[QueuedRequest], chat_id: int) -> None:
        """Move requests of a drawn message to the lane of the chat it is in now. Raises LaneLostError."""
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
            posts = [one for one in stored if one.outgoing.key or one.outgoing.is_post]
            return self._insert_moved(tx, posts, new_id)

        if not await self._replace(lane, requests, move_chat):
            lane.back_off(self.clocks.monotonic())

    def _insert_moved(self, tx: Tx, requests: Iterable[QueuedRequest], chat_id: int) -> list[QueuedRequest]:
        """Store the requests for another chat, without message ids of the one in which they waited."""
        now = self.clocks.wall()
        inserted = list[QueuedRequest]()
        for request in requests:
            moved = request.outgoing.move(chat_id)
            inserted.append(queries.insert_request(tx, moved, now, request.caused_by))
        return inserted


def _is_picture_check(request: QueuedRequest) -> bool:
    """Whether the request has arrived, and waits only for the picture of its message."""
    return request.outgoing.state.picture_checks > 0


def _find_new_chat(request: QueuedRequest, rendered: RenderedRequest) -> int | None:
    """Return the chat to which a drawn message has moved from this group; None if it has not moved."""
    new_chat = rendered.outgoing.lane
    is_drawn_in_group = request.outgoing.key and request.lane < 0
    if is_drawn_in_group and new_chat != request.lane:
        return new_chat
    return None


def _find_same_message(lane: Lane, request: QueuedRequest) -> list[QueuedRequest]:
    """Return all waiting requests to draw the same message, oldest first; else the request alone."""
    key = request.outgoing.key
    if not key:
        return [request]
    same_key = [other for other in lane.waiting if other.outgoing.key == key]
    return [other for other in same_key if other.outgoing.method == request.outgoing.method]
