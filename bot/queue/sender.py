"""Sends one request in its present form, unless it is found to have arrived, and records its result."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from telegram.error import NetworkError, RetryAfter, TelegramError

from bot import logs, trace
from bot.database import Store, describe_error, is_database_failure
from bot.queue import delivery_check, pacing, private_delivery, queries
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.deliveries import Delivery, DeliveryRecorder
from bot.queue.delivery_check import DeliveryCheck, DeliveryStatus, LatestMessages, SendAttempt
from bot.queue.error_policy import RETRY_MARGIN, ErrorPolicy
from bot.queue.hooks import ApiCall, Clocks, OutboxHooks
from bot.queue.leases import SINGLE_BOT, LaneLostError, Leases
from bot.queue.pacing import FIRST_PAUSE, Lane, Pace, describe_lane, is_post
from bot.queue.photos import LACKS_PICTURE, PICTURE_CHECKS, WITHOUT_PICTURE, Photos, Upload
from bot.queue.queries import LATEST_ID_KEY, SHOW_ROUND, UNCHECKED_KEY, QueuedRequest
from bot.queue.refusals import is_harmless, read_retry_delay
from bot.queue.send_mutex import SendTurn
from bot.supervision import is_cancelled
from bot.telegram import messages
from bot.telegram.api import NONSENSE_ANSWER, is_refusal, make_parameters
from bot.telegram.messages import Request
from bot.telegram.photo_messages import MessagePhoto, convert_to_caption

log = logging.getLogger(__name__)


MAX_ATTEMPTS = 5  # Errors of the bot itself after which a request is dead-lettered
FAILURE_PAUSE = 1.0  # Seconds for which a chat waits after such an error
# Seconds until a photo that does not show its picture yet is checked again, each once
PICTURE_CHECK_DELAYS = (1.0, 5.0, 15.0, 60.0)
PROBE_TEXT = "🤫"  # The text to which messages are edited to find an ephemeral one that may be public


class SearchDelayedError(Exception):
    """Telegram can't be asked now whether a post has arrived; the lane waits."""


@dataclass(slots=True)
class Sender:
    """Sends requests to Telegram and records their results."""

    store: Store
    call: ApiCall
    hooks: OutboxHooks
    deliveries: DeliveryRecorder
    error_policy: ErrorPolicy
    latest: LatestMessages
    clocks: Clocks
    permissions: BotPermissionCache
    pace: Pace
    photos: Photos
    leases: Leases = SINGLE_BOT
    dropped_count: int = 0  # Asides that were too late
    # Posts that were on their way when the bot stopped; the next start looks for them
    interrupted: list[QueuedRequest] = field(default_factory=list)

    async def send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        """Try to send a request, or return the photo to wait for first; dead-letter it after many errors."""
        with trace.use_trace(str(request.body.get(trace.CAUSE, ""))):
            try:
                return await self._draw_and_send(lane, request, turn)
            except (LaneLostError, SearchDelayedError):
                pass  # the bot that serves the chat now sends it, or this one later
            except (Exception, asyncio.CancelledError) as error:  # counted, and in the end dead-lettered
                if isinstance(error, asyncio.CancelledError) and is_cancelled():
                    raise
                lane.blocked_until = self.clocks.monotonic() + FAILURE_PAUSE
                if is_database_failure(error):
                    method, why = request.body.get("method"), describe_error(error)
                    log.warning("a request (%s) waits for the database: %s", method, why)
                else:
                    await self._count_failure(lane, request, error)
        return None

    async def _count_failure(self, lane: Lane, request: QueuedRequest, error: BaseException) -> None:
        """Log and count an error; after `MAX_ATTEMPTS` dead-letter the request and take it from the lane."""
        failures = lane.failures.get(request.id, 0) + 1
        lane.failures[request.id] = failures
        what = "stays stored" if failures < MAX_ATTEMPTS else "is set aside"
        logs.log_unexpected_error(log, f"a request ({request.body.get('method')}) {what}", error)
        if failures >= MAX_ATTEMPTS:
            with suppress(Exception):  # else it stays stored for the next start
                await self.deliveries.dead_letter(lane, [request], describe_error(error))
            lane.remove([request])

    async def _draw_and_send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        """Draw a request, then send it, drop it, move it or find it arrived; return a photo to wait for."""
        requests = _find_same_round(lane, request)
        body = await self._draw(lane, request)
        if body is None:  # no longer wanted
            await self.deliveries.record_delivery(lane, Delivery(requests))
            return None
        new_chat = _find_new_chat(lane, request, body)
        if new_chat is not None:
            await self.error_policy.move_to_chat(lane, requests, new_chat)
        elif await self._take_back_if_public(lane, request):
            pass  # the request goes its next way instead
        elif body["method"] == private_delivery.FALL_BACK:
            await self.error_policy.send_fallback(lane, request, private_delivery.SEND_FAILED)
        elif body["method"].startswith("send") and not is_post(request):
            request.body["new"] = True  # the post to redraw has never arrived: wait like a post
        elif request.body.get(PICTURE_CHECKS) and lane.find_edits_of_same_message(request, later=True):
            # a later edit will show the picture; this one would undo its text
            await self.deliveries.record_delivery(lane, Delivery(requests))
        elif not await self._look_for_post(lane, requests, body):
            return await self._send_with_picture(lane, requests, request, body, turn)
        return None

    async def _draw(self, lane: Lane, request: QueuedRequest) -> dict[str, Any] | None:
        """Return the body as it is sent now, with names and picture; None if it is late or not wanted."""
        if pacing.is_expired(request, self.clocks.wall()):
            self.dropped_count += 1
            return None
        body: dict[str, Any] | None = request.body
        draw = self.hooks.renderers.get(request.body["method"])
        if draw is not None:
            context = await self._load_ephemeral_context(lane, request)
            body = await draw({**request.body, **context})
            # `attach_picture` finds the picture by `shows`, unless the feature has drawn it.
            if body and "photo" not in body and "shows" in request.body:
                body = {**body, "shows": request.body["shows"]}
        if body is None:
            return None
        players = list(messages.find_mentioned_players(body))
        if players:
            names = await self.store.read(lambda tx: self.hooks.load_names(tx, players))
            body = messages.insert_request_names(body, names)
        return await self.photos.attach_picture(self.hooks.find_picture, body)

    async def _send_with_picture(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        request: QueuedRequest,
        body: dict[str, Any],
        turn: SendTurn,
    ) -> MessagePhoto | None:
        """Send the body once a slot and a turn are free; return the photo instead if it is waited for."""
        applied = self.photos.apply_picture(lane.key, request, body)
        if applied is None:
            photo: MessagePhoto = body["photo"]
            return photo
        is_only_picture_check = requests == [request] and request.body.get(PICTURE_CHECKS)
        if is_only_picture_check and applied.get(LACKS_PICTURE):  # there is nothing new to send
            if not self._schedule_picture_check(lane, request):
                await self.deliveries.record_delivery(lane, Delivery(requests))
            return None
        if request.body["method"] == SHOW_ROUND:
            lane.drawn_at = {request.body["round"]: self.clocks.monotonic()}  # other rounds are forgotten
        if applied["method"].startswith("send"):
            await self.leases.wait_for_slot()
        await turn.prepare()
        if self._may_send(lane, requests[0]):
            await self._send_body(lane, requests, applied, turn)
        return None

    def _may_send(self, lane: Lane, request: QueuedRequest) -> bool:
        """Whether this bot still serves the chat, and the request still waits."""
        return self.leases.surely_owns(lane.key) and lane.is_waiting(request)

    async def _send_body(
        self, lane: Lane, requests: list[QueuedRequest], body: dict[str, Any], turn: SendTurn
    ) -> None:
        """Call Telegram for these requests, and record the result or handle the error."""
        first = requests[0]
        latest_id = self.latest.get_latest_id(lane.key)
        attempt = SendAttempt(requests, body, latest_message_id=latest_id, sent_at=self.clocks.wall())
        if body["method"].startswith("send") and lane.key < 0:  # a group, whose posts are limited
            aside_for = first.caused_by if first.body.get("aside") else 0
            lane.posts.add(self.clocks.monotonic(), person_id=aside_for)
        await self._record_sending(attempt)
        if not self._may_send(lane, first):
            return
        turn.mark_sent()
        began = self.clocks.monotonic()
        try:
            result = await self._call(body)
        except asyncio.CancelledError:
            # The bot stops. Its next start looks for the post, and sends it again unless it has arrived.
            check = delivery_check.make_check(attempt, DeliveryStatus.REFUSED)
            if check is not None:
                delivery_check.write_check(first, check)
                self.interrupted.append(first)
            raise
        except TelegramError as error:
            await self._handle_error(lane, attempt, error)
            return
        turn.mark_answered()
        lane.pause = FIRST_PAUSE
        if body.get("ephemeral"):
            await self._record_ephemeral_result(lane, first, body, result)
            return
        upload = self.photos.record_upload(lane.key, body, result, self.clocks.monotonic() - began)
        await self._record_result(lane, requests, body, result, upload)

    async def _record_sending(self, attempt: SendAttempt) -> None:
        """Store that an ephemeral post is unchecked or a timed post sent; set `is_first_send` in its body."""
        request = attempt.requests[0]
        body = attempt.body
        if body.get("ephemeral"):
            after = attempt.latest_message_id or request.body.get(LATEST_ID_KEY) or 0  # 0: unknown
            request.body[UNCHECKED_KEY] = {"after": after, "at": attempt.sent_at}
            await self.store.write_with_retries(lambda tx: queries.update_request(tx, request), urgent=True)
        if body.get("timed"):
            body["is_first_send"] = await self.store.write_with_retries(
                lambda tx: self.hooks.before_send(tx, body["about"]), urgent=True
            )

    async def _call(self, body: dict[str, Any]) -> Any:
        """Return Telegram's result. Raises TelegramError, also if the result of a post has no message id."""
        try:
            result = await self.call(body["method"], make_parameters(body))
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            raise NetworkError("what was waited for was cancelled") from None
        lacks_id = isinstance(result, dict) and type(result.get("message_id")) is not int
        if body["method"].startswith("send") and lacks_id:
            raise TelegramError(NONSENSE_ANSWER)
        return result

    async def _call_if_owned(self, lane: Lane, method: str, params: dict[str, Any]) -> Any:
        """Call Telegram. Raises LaneLostError if another bot may serve the chat and edit its posts."""
        if not self.leases.surely_owns(lane.key):
            raise LaneLostError
        return await self.call(method, params)

    async def _handle_error(self, lane: Lane, attempt: SendAttempt, error: TelegramError) -> None:
        """Change the request's form or handle the error; tell the feature that a timed post wasn't sent."""
        first = attempt.requests[0]
        body = attempt.body
        if isinstance(error, RetryAfter) or is_refusal(error):
            first.body.pop(UNCHECKED_KEY, None)  # Telegram itself refused it, so it is not in the chat
        if body.get(LACKS_PICTURE) and is_harmless(body["method"], error):
            # The message shows this caption already; only its picture is lacking.
            await self._record_result(lane, attempt.requests, body, result=True)
        elif not await self.photos.adapt_after_error(lane.key, first, body, error):
            await self.error_policy.handle_error(lane, attempt, error)
        if body.get("is_first_send") and delivery_check.is_undelivered(error):
            not_sent = dict[str, Any]()  # an empty result tells the feature so
            await self.store.write_with_retries(
                lambda tx: self.hooks.on_delivered(tx, body["about"], not_sent)
            )

    async def _record_result(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        body: dict[str, Any],
        result: Any,
        upload: Upload | None = None,
    ) -> None:
        """Record a delivery and its message id; an edit without its picture waits to be checked again."""
        about = ""  # then features learn nothing of the result
        message_id = 0  # then nothing is kept of the post
        if isinstance(result, dict):
            is_repeated = body.get("timed") and not body.get("is_first_send")
            if not is_repeated:  # else its time runs already
                about = body.get("about", "")
            if body["method"].startswith("send"):
                posted_id = int(result["message_id"])
                self.latest.record(lane.key, posted_id, own=True)
                is_group = lane.key < 0
                message_id = posted_id if is_group else 0
            result = _add_to_result(requests[0], body, result)
        # Earlier edits that wait only for their picture would undo this one: they are done, too.
        earlier_edits = lane.find_edits_of_same_message(requests[0], later=False)
        requests = [*requests, *(edit for edit in earlier_edits if edit.body.get(PICTURE_CHECKS))]
        if body.get(LACKS_PICTURE) and self._schedule_picture_check(lane, requests[0]):
            requests = requests[1:]  # the first one stays in the lane, to be checked
        await self.deliveries.record_delivery(lane, Delivery(requests, about, result, message_id, upload))

    def _schedule_picture_check(self, lane: Lane, request: QueuedRequest) -> bool:
        """Let a request wait until its picture is drawn; return False once that was tried often enough."""
        checks = request.body.get(PICTURE_CHECKS, 0)
        if checks >= len(PICTURE_CHECK_DELAYS):
            return False
        request.body[PICTURE_CHECKS] = checks + 1
        request.body.pop(WITHOUT_PICTURE, None)
        lane.recheck_at[request.id] = self.clocks.monotonic() + PICTURE_CHECK_DELAYS[checks]
        return True

    # Posts that may have arrived

    async def _look_for_post(self, lane: Lane, requests: list[QueuedRequest], body: dict[str, Any]) -> bool:
        """Look for a post that may have arrived, and record it; return False if it is to be sent.

        If Telegram gave no answer and the post is not found, a text is dead-lettered. A picture or a round is
        looked for a few times more, and then sent.
        """
        first = requests[0]
        check = delivery_check.read_check(first)
        if check is None or check.over:  # over: it was looked for, and has not arrived
            return False
        sought = convert_to_caption(body, body.get("photo")) if check.picture else body
        message_id = await self._find_post(lane, sought["params"], check)
        may_be_sent_twice = bool(check.picture) or first.body["method"] == SHOW_ROUND
        if message_id is not None:
            sent_body = {**body, "content": check.picture} if check.picture else body
            await self._record_result(lane, requests, sent_body, result={"message_id": message_id})
        elif check.fate is DeliveryStatus.UNKNOWN and not may_be_sent_twice:
            await self.error_policy.dead_letter_unconfirmed(lane, requests, body["method"])
        elif check.fate is DeliveryStatus.UNKNOWN and check.looked + 1 < delivery_check.MAX_CHECKS:
            lane.back_off(self.clocks.monotonic())
            await self.error_policy.store_check(first, replace(check, looked=check.looked + 1))
        else:
            await self.error_policy.store_check(first, replace(check, over=True))
            return False
        return True

    async def _find_post(self, lane: Lane, params: dict[str, Any], check: DeliveryCheck) -> int | None:
        """Return the post's message id; None if not found. Raises SearchDelayedError if Telegram fails."""
        call = partial(self._call_if_owned, lane)
        try:
            return await delivery_check.find_post(call, lane.key, params, check, self.latest)
        except RetryAfter as error:
            lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
        except TelegramError as error:
            if not await self.error_policy.back_off_if_token_unknown(lane, error):
                lane.back_off(self.clocks.monotonic())
                if is_refusal(error) or abs(self.clocks.wall() - check.at) >= delivery_check.CHECK_PERIOD:
                    return None  # it counts as not found
        raise SearchDelayedError

    # Ephemeral messages, see `private_delivery`

    async def _load_ephemeral_context(self, lane: Lane, request: QueuedRequest) -> dict[str, Any]:
        """Return whether an ephemeral message may be sent now; empty if the request is none.

        `open`: within the window after a press or command, `admin`: as an administrator; neither if the group
        has no room for a message. `server` names the Bot API server.
        """
        if private_delivery.get_current_way(request.body) != private_delivery.EPHEMERAL:
            return {}
        now = self.clocks.monotonic()
        free_time = pacing.find_post_time(self.pace, lane.posts, request, now)
        has_room = max(free_time, lane.blocked_until) <= now
        is_caused = bool(request.body.get("press") or request.body.get("reply"))
        is_open = has_room and is_caused and self.clocks.wall() < float(request.body["until"])
        is_admin = has_room and not is_open and (await self.permissions.load(lane.key)).is_admin
        return {"server": self.permissions.server, "open": is_open, "admin": is_admin}

    async def _take_back_if_public(self, lane: Lane, request: QueuedRequest) -> bool:
        """Take back an ephemeral message that all can read, if one is found, and return whether it was."""
        unchecked = request.body.get(UNCHECKED_KEY)
        if not unchecked or not unchecked["after"]:
            return False
        check = DeliveryCheck(fate=DeliveryStatus.REFUSED, after=unchecked["after"], at=unchecked["at"])
        message_id = await self._find_post(lane, {"chat_id": lane.key, "text": PROBE_TEXT}, check)
        if message_id is None:
            return False
        await self._take_back(lane, request, message_id, partial(self._call_if_owned, lane))
        return True

    async def _record_ephemeral_result(
        self, lane: Lane, request: QueuedRequest, body: dict[str, Any], result: Any
    ) -> None:
        """Record the delivery, but take back a public message; a trial leaves its request waiting."""
        request.body.pop(UNCHECKED_KEY, None)
        message = result if isinstance(result, dict) else {}
        if not message.get("ephemeral_message_id"):
            await self._take_back(lane, request, message.get("message_id"), self.call)
        else:
            is_trial = body["ephemeral"] == private_delivery.TRIAL  # its request goes on waiting
            requests = [] if is_trial else [request]
            await self.deliveries.record_delivery(lane, Delivery(requests, body.get("about", ""), result))

    async def _take_back(
        self, lane: Lane, request: QueuedRequest, message_id: int | None, call: ApiCall
    ) -> None:
        """Delete a message that should have been ephemeral, or queue that; send the request its next way."""
        log.warning("this Bot API server knows no ephemeral messages: %s gets none", describe_lane(lane.key))
        deletion = list[Request]()
        if message_id:
            params = {"chat_id": lane.key, "message_id": message_id}
            try:
                await call("deleteMessage", params)
            except TelegramError:  # the deletion is queued before the answer
                deletion = [Request(lane.key, {"method": "deleteMessage", "params": params})]
        request.body["server"] = self.permissions.server
        await self.error_policy.send_fallback(lane, request, private_delivery.SERVER_TOO_OLD, deletion)


def _add_to_result(request: QueuedRequest, body: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Add the picture's content key to the result; for a post that was looked for, also when it was sent."""
    if "content" in body:
        result = {**result, "content": body["content"]}
    check = delivery_check.read_check(request)
    if check and body["method"].startswith("send"):
        result = {**result, "since": check.at}
    return result


def _find_new_chat(lane: Lane, request: QueuedRequest, body: dict[str, Any]) -> int | None:
    """Return the chat to which a round has moved from this group; None if it has not moved."""
    if request.body["method"] != SHOW_ROUND or lane.key >= 0:
        return None
    chat_id = body["params"].get("chat_id")
    has_moved = isinstance(chat_id, int) and chat_id not in (lane.key, 0)
    return chat_id if has_moved else None


def _find_same_round(lane: Lane, request: QueuedRequest) -> list[QueuedRequest]:
    """Return all waiting requests to draw the same round, oldest first; else the request alone."""
    if request.body["method"] != SHOW_ROUND:
        return [request]
    number = request.body["round"]
    return [
        one for one in lane.waiting if one.body.get("round") == number and one.body["method"] == SHOW_ROUND
    ]
