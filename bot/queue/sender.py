"""Sends one request as things stand now, unless it is found to have arrived, and stores its result."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from telegram.error import NetworkError, RetryAfter, TelegramError

from bot import logs, trace
from bot.database import Store, describe_error, is_database_failure
from bot.queue import pacing, private_delivery, queries
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.deliveries import Delivery, DeliveryRecorder
from bot.queue.delivery_check import (
    CHECK_PERIOD,
    CHECKABLE_METHODS,
    MAX_CHECKS,
    DeliveryCheck,
    DeliveryStatus,
    LatestMessages,
    SendMoment,
    find_post,
    get_missing_limit,
    is_undelivered,
    read_check,
    write_check,
)
from bot.queue.error_policy import RETRY_MARGIN, ErrorPolicy
from bot.queue.hooks import ApiCall, Clocks, OutboxHooks
from bot.queue.leases import SINGLE_BOT, LaneLostError, Leases
from bot.queue.pacing import FIRST_PAUSE, Lane, Pace, describe_lane, is_post
from bot.queue.photos import PICTURE_CHECKS, WITHOUT_PICTURE, Photos, Upload
from bot.queue.queries import SHOW_ROUND, QueuedRequest
from bot.queue.refusals import is_harmless, read_retry_delay
from bot.queue.send_mutex import SendTurn
from bot.supervision import is_cancelled
from bot.telegram import messages
from bot.telegram.api import NONSENSE_ANSWER, is_refusal, make_parameters
from bot.telegram.messages import Request
from bot.telegram.photo_messages import MessagePhoto, convert_to_caption

ephemeral_log = logging.getLogger(__name__)

TAKEN_FOR = "🤫"  # What a message is changed to in which one is looked for that may be public: nothing secret


@dataclass(frozen=True, slots=True)
class EphemeralSender:
    """What `Sending` asks where a request goes the ephemeral way."""

    store: Store
    ask: ApiCall
    permissions: BotPermissionCache
    receipts: DeliveryRecorder
    troubles: ErrorPolicy
    latest: LatestMessages
    clock: Clocks
    pace: Pace

    async def load_send_context(self, lane: Lane, request: QueuedRequest) -> dict[str, Any]:
        """What only the outbox knows of the moment: `server`, and whether the bot may speak ephemerally.

        `open` is that within the 15 seconds, `admin` as an administrator; neither where the group has no
        room for a message now.
        """
        if private_delivery.get_current_way(request.body) != private_delivery.EPHEMERAL:
            return {}
        now = self.clock.monotonic()
        room = pacing.find_post_time(self.pace, lane.posts, request, now)
        free = max(room, lane.blocked_until) <= now
        is_open = free and private_delivery.is_within_window(request.body, self.clock.wall())
        admin = free and not is_open and (await self.permissions.load(lane.key)).is_admin
        return {"server": self.permissions.server, "open": is_open, "admin": admin}

    async def record_sending(self, request: QueuedRequest, leaving: SendMoment) -> None:
        """Store that it is about to be sent: the process may end before the result is looked at."""
        request.body["left"] = {
            "after": leaving.latest_message_id or request.body.get("after") or 0,
            "at": leaving.sent_at,
        }
        await self.store.write_with_retries(lambda tx: queries.update_request(tx, request), urgent=True)

    async def take_back_if_public(self, lane: Lane, request: QueuedRequest, ask: ApiCall) -> bool:
        """Whether it was sent before, nobody saw how it arrived, and it stands there for all to read. `ask`
        asks as long as the chat is this bot's: an edit that succeeds may find another bot's post else.
        """
        left = request.body.get("left")
        if not left or not left["after"]:
            return False
        params = {"chat_id": lane.key, "text": TAKEN_FOR}
        doubt = DeliveryCheck(DeliveryStatus.REFUSED, left["after"], left["at"])
        others, end = self.latest.find_other_ids(lane.key), get_missing_limit(lane.key)
        try:
            number = await find_post(ask, params, doubt, others, end)
        except TelegramError as error:
            if await self.troubles.back_off_if_token_unknown(lane, error):
                return True
            lane.back_off(self.clock.monotonic())  # it is not known yet, so it is looked for again
            return abs(self.clock.wall() - doubt.at) < CHECK_PERIOD
        if number is None:
            return False
        await self._take_back(lane, request, number, ask)
        return True

    async def handle_result(
        self, lane: Lane, request: QueuedRequest, body: dict[str, Any], result: Any
    ) -> None:
        """Write down what came back; a trial is followed by what the request really says."""
        request.body.pop("left", None)
        if not private_delivery.is_ephemeral_message(result):
            number = result.get("message_id") if isinstance(result, dict) else None
            await self._take_back(lane, request, number, self.ask)  # this bot's own, whoever has the chat
        elif body["ephemeral"] == private_delivery.TRIAL:
            await self.receipts.record_delivery(lane, Delivery([], body["about"], result))
        else:
            await self.receipts.record_delivery(lane, Delivery([request], body.get("about", ""), result))

    async def _take_back(self, lane: Lane, request: QueuedRequest, number: int | None, ask: ApiCall) -> None:
        """Delete a message that should have been ephemeral, and go another way."""
        ephemeral_log.warning(
            "this Bot API server knows no ephemeral messages: %s gets none", describe_lane(lane.key)
        )
        again = list[Request]()
        if number:
            params = {"chat_id": lane.key, "message_id": number}
            try:
                await ask("deleteMessage", params)
            except TelegramError:
                again = [Request(lane.key, {"method": "deleteMessage", "params": params})]
        request.body["server"] = self.permissions.server
        await self.troubles.send_fallback(lane, request, private_delivery.SERVER_TOO_OLD, again)


log = logging.getLogger(__name__)

TRIES = 5  # Failures of our own after which a request is dead-lettered; Telegram's are waited out
AFTER_FAILURE = 1.0  # Seconds for which a chat waits after one
# Seconds after which a photo is looked at again that does not show its picture yet: each once.
PICTURE_CHECK_DELAYS = (1.0, 5.0, 15.0, 60.0)


@dataclass(slots=True)
class Sender:
    """Sends through `ask` and stores what came back."""

    store: Store
    call: ApiCall
    hooks: OutboxHooks
    deliveries: DeliveryRecorder
    error_policy: ErrorPolicy
    latest: LatestMessages
    clocks: Clocks
    ephemerals: EphemeralSender
    photos: Photos
    leases: Leases = SINGLE_BOT
    dropped_count: int = 0  # Asides that came too late for anybody to want them
    # Posts that were on their way when the bot stopped; the next start looks for them first.
    interrupted: list[QueuedRequest] = field(default_factory=list)

    async def send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        """Send a request; one that fails for reasons of its own gives way to the next in the end.

        Returns the picture that is to be made ready first, where nothing was sent for want of it.
        """
        with trace.use_trace(trace.read_trace(request.body)):
            return await self._attempt(lane, request, turn)

    async def _attempt(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        try:
            return await self._send(lane, request, turn)
        except LaneLostError:
            pass  # whoever serves the chat now goes on with it
        except (Exception, asyncio.CancelledError) as error:  # counted, and in the end dead-lettered
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            lane.blocked_until = self.clocks.monotonic() + AFTER_FAILURE
            if is_database_failure(error):
                log.warning(
                    "a request (%s) waits for the database: %s",
                    request.body.get("method"),
                    describe_error(error),
                )
            else:
                await self._failed(lane, request, error)
        return None

    async def _failed(self, lane: Lane, request: QueuedRequest, error: BaseException) -> None:
        """Count a failure of the request's own; the last one sets it aside."""
        lane.failures[request.id] = failures = lane.failures.get(request.id, 0) + 1
        what = "stays stored" if failures < TRIES else "is set aside"
        logs.log_unexpected_error(log, f"a request ({request.body.get('method')}) {what}", error)
        if failures >= TRIES:
            with suppress(Exception):  # else it stays stored for the next start
                await self.deliveries.dead_letter(lane, [request], describe_error(error))
            lane.remove([request])

    async def _send(self, lane: Lane, request: QueuedRequest, turn: SendTurn) -> MessagePhoto | None:
        requests = _drawn_together(lane, request)
        body = await self._drawn(lane, request)
        if body is None:
            await self.deliveries.record_delivery(lane, Delivery(requests))
        elif (another := _another_chat(lane, request, body)) is not None:
            await self.error_policy.move_to_chat(lane, requests, another)
        else:
            return await self._send_drawn(lane, requests, request, body, turn)
        return None

    async def _send_drawn(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        request: QueuedRequest,
        body: dict[str, Any],
        turn: SendTurn,
    ) -> MessagePhoto | None:
        ask = partial(self._ask_here, lane)
        if "left" in request.body and await self.ephemerals.take_back_if_public(lane, request, ask):
            pass
        elif body["method"] == private_delivery.FALL_BACK:
            await self.error_policy.send_fallback(lane, request, private_delivery.SEND_FAILED)
        elif body["method"].startswith("send") and not is_post(request):
            request.body["new"] = True  # the post that it wanted to redraw never arrived: it waits like one
        elif request.body.get(PICTURE_CHECKS) and lane.find_edits_of_same_message(request, later=True):
            await self.deliveries.record_delivery(
                lane, Delivery(requests)
            )  # else it would undo what was said since
        elif not await self._found(lane, requests, body):
            dressed = self.photos.apply_picture(lane.key, request, body)
            if dressed is None:
                shows: MessagePhoto = body["photo"]
                return shows
            if dressed.get("owes") and requests == [request] and request.body.get(PICTURE_CHECKS):
                if not self._owes(lane, request):  # its words stand there already
                    await self.deliveries.record_delivery(lane, Delivery(requests))
                return None
            if request.body["method"] == SHOW_ROUND:
                lane.drawn_at = {request.body["round"]: self.clocks.monotonic()}
            if await self._may_go(lane, requests[0], dressed, turn):
                await self._post(lane, requests, dressed, turn)
        return None

    async def _may_go(self, lane: Lane, first: QueuedRequest, body: dict[str, Any], turn: SendTurn) -> bool:
        """Wait for the pace of all bots on the database; whether it is still this one's to send then."""
        if body["method"].startswith("send"):
            await self.leases.wait_for_slot()
        await turn.prepare()
        return self._may_still(lane, first)

    def _may_still(self, lane: Lane, request: QueuedRequest) -> bool:
        return self.leases.surely_owns(lane.key) and lane.is_waiting(request)

    async def _post(
        self, lane: Lane, requests: list[QueuedRequest], body: dict[str, Any], turn: SendTurn
    ) -> None:
        first, leaving = requests[0], SendMoment(self.latest.get_latest_id(lane.key), self.clocks.wall())
        if body["method"].startswith("send") and lane.key < 0:
            lane.posts.add(self.clocks.monotonic(), first.caused_by if first.body.get("aside") else 0)
        if not await self._announced(lane, first, body, leaving):
            return
        turn.mark_sent()
        asked = self.clocks.monotonic()
        try:
            result = await self._asked(body)
        except asyncio.CancelledError:
            self._cut_off(first, body, leaving)
            raise
        except TelegramError as error:
            if isinstance(error, RetryAfter) or is_refusal(error):
                first.body.pop("left", None)  # Telegram itself said no: it stands nowhere
            if body.get("owes") and is_harmless(body["method"], error):
                await self._arrived(lane, requests, body, result=True)  # its words stand: they came before
            elif not await self.photos.adapt_after_error(lane.key, first, body, error):
                await self.error_policy.handle_error(lane, requests, body, leaving, error)
            if body.get("began") and is_undelivered(error):
                await self.store.write_with_retries(lambda tx: self.hooks.on_delivered(tx, body["about"], {}))
        else:
            turn.mark_answered()
            lane.pause = FIRST_PAUSE
            if body.get("ephemeral"):
                await self.ephemerals.handle_result(lane, first, body, result)
            else:
                upload = self.photos.record_upload(lane.key, body, result, self.clocks.monotonic() - asked)
                await self._arrived(lane, requests, body, result, upload)

    async def _announced(
        self, lane: Lane, request: QueuedRequest, body: dict[str, Any], leaving: SendMoment
    ) -> bool:
        """Write down what must be known before it leaves; whether the chat is still this bot's after that."""
        if body.get("ephemeral"):
            await self.ephemerals.record_sending(request, leaving)
        if body.get("timed"):
            body["began"] = await self.store.write_with_retries(
                lambda tx: self.hooks.before_send(tx, body["about"]), urgent=True
            )
        return self._may_still(lane, request)

    async def _asked(self, body: dict[str, Any]) -> Any:
        """Telegram's answer. Raises TelegramError, also for a post without a number, and for a lost wait."""
        try:
            result = await self.call(body["method"], make_parameters(body))
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            raise NetworkError("what was waited for was cancelled") from None
        numbered = not isinstance(result, dict) or type(result.get("message_id")) is int
        if body["method"].startswith("send") and not numbered:
            raise TelegramError(NONSENSE_ANSWER)
        return result

    def _cut_off(self, request: QueuedRequest, body: dict[str, Any], leaving: SendMoment) -> None:
        """The bot stops while the request is on its way: it may arrive all the same."""
        after = leaving.latest_message_id or request.body.get("after")
        if body["method"] in CHECKABLE_METHODS and after is not None and not body.get("ephemeral"):
            write_check(
                request,
                DeliveryCheck(
                    DeliveryStatus.REFUSED, after, leaving.sent_at, picture=str(body.get("content", ""))
                ),
            )
            self.interrupted.append(request)

    async def _drawn(self, lane: Lane, request: QueuedRequest) -> dict[str, Any] | None:
        """The request as it is sent now, with names; None if it isn't wanted any more."""
        body: dict[str, Any] | None = request.body
        if pacing.is_expired(request, self.clocks.wall()):
            self.dropped_count += 1
            return None
        method = request.body["method"]
        if (draw := self.hooks.draw_by_method.get(method)) is not None:
            body = await draw({**request.body, **await self.ephemerals.load_send_context(lane, request)})
            if body and "photo" not in body and "shows" in request.body:
                body = {**body, "shows": request.body["shows"]}
        wanted = list(messages.find_mentioned_players(body)) if body else []
        if body is None or not wanted:
            return body and await self.photos.attach_picture(self.hooks.find_picture, body)
        named = messages.insert_request_names(
            body, await self.store.read(lambda tx: self.hooks.load_names(tx, wanted))
        )
        return await self.photos.attach_picture(self.hooks.find_picture, named)

    async def _arrived(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        body: dict[str, Any],
        result: Any,
        upload: Upload | None = None,
    ) -> None:
        """Write down what came back."""
        if "content" in body and isinstance(result, dict):
            result = {**result, "content": body["content"]}
        posted = body["method"].startswith("send") and isinstance(result, dict)
        if posted:
            self.latest.record(lane.key, int(result["message_id"]), own=True)
            if doubt := read_check(requests[0]):
                result = {**result, "since": doubt.at}
        known = body.get("timed") and not body.get("began")
        about = body.get("about", "") if isinstance(result, dict) and not known else ""
        number = int(result["message_id"]) if posted and lane.key < 0 else 0
        requests = [
            *requests,
            *(
                w
                for w in lane.find_edits_of_same_message(requests[0], later=False)
                if w.body.get(PICTURE_CHECKS)
            ),
        ]
        if body.get("owes") and self._owes(lane, requests[0]):
            requests = requests[1:]
        await self.deliveries.record_delivery(lane, Delivery(requests, about, result, number, upload))

    def _owes(self, lane: Lane, request: QueuedRequest) -> bool:
        """Whether the request stays until its photo shows what it is to show: it is looked at again later."""
        owed = request.body.get(PICTURE_CHECKS, 0)
        if owed >= len(PICTURE_CHECK_DELAYS):
            return False
        request.body[PICTURE_CHECKS] = owed + 1
        request.body.pop(WITHOUT_PICTURE, None)
        lane.recheck_at[request.id] = self.clocks.monotonic() + PICTURE_CHECK_DELAYS[owed]
        return True

    async def _found(self, lane: Lane, requests: list[QueuedRequest], body: dict[str, Any]) -> bool:
        """Look for a post in doubt; False when it may be sent, since there is no doubt, or not any more.

        What is to be looked for once more is not sent meanwhile.
        """
        first = requests[0]
        doubt = read_check(first)
        if doubt is None or doubt.over:
            return False
        try:
            number = await self._look(lane, body, doubt)
        except RetryAfter as error:
            lane.blocked_until = self.clocks.monotonic() + read_retry_delay(error) + RETRY_MARGIN
            return True
        except TelegramError as error:
            if await self.error_policy.back_off_if_token_unknown(lane, error):
                return True
            lane.back_off(self.clocks.monotonic())
            if not is_refusal(error) and abs(self.clocks.wall() - doubt.at) < CHECK_PERIOD:
                return True
            number = None
        await self._settle(lane, requests, body, doubt, number)
        left = read_check(first)
        return first not in lane.waiting or (left is not None and not left.over)

    async def _look(self, lane: Lane, body: dict[str, Any], doubt: DeliveryCheck) -> int | None:
        """The number of the post in doubt; None where it is not found. Raises as `find`."""
        others, end = self.latest.find_other_ids(lane.key), get_missing_limit(lane.key)
        looking = convert_to_caption(body, body.get("photo")) if doubt.picture else body
        return await find_post(partial(self._ask_here, lane), looking["params"], doubt, others, end)

    async def _ask_here(self, lane: Lane, method: str, params: dict[str, Any]) -> Any:
        """Ask unless another bot may have the chat: an edit would change its posts. Raises LaneLostError."""
        if not self.leases.surely_owns(lane.key):
            raise LaneLostError
        return await self.call(method, params)

    async def _settle(
        self,
        lane: Lane,
        requests: list[QueuedRequest],
        body: dict[str, Any],
        doubt: DeliveryCheck,
        number: int | None,
    ) -> None:
        """The post was looked for, and has this number if it stands in its chat."""
        wanted = bool(doubt.picture) or requests[0].body["method"] == SHOW_ROUND
        if number is not None:
            shown = {"content": doubt.picture} if doubt.picture else {}
            await self._arrived(lane, requests, {**body, **shown}, {"message_id": number})
        elif doubt.fate is DeliveryStatus.UNKNOWN and wanted and doubt.looked + 1 < MAX_CHECKS:
            lane.back_off(self.clocks.monotonic())
            await self.error_policy.store_check(requests[0], replace(doubt, looked=doubt.looked + 1))
        elif doubt.fate is DeliveryStatus.UNKNOWN and not wanted:
            await self.error_policy.dead_letter_unconfirmed(lane, requests, body["method"])
        else:
            await self.error_policy.store_check(requests[0], replace(doubt, over=True))


def _another_chat(lane: Lane, request: QueuedRequest, body: dict[str, Any]) -> int | None:
    """The group to which a round has moved since it was to be drawn here; None where it is where it was."""
    chat_id = body["params"].get("chat_id") if request.body["method"] == SHOW_ROUND else None
    return chat_id if lane.key < 0 and isinstance(chat_id, int) and chat_id not in (lane.key, 0) else None


def _drawn_together(lane: Lane, request: QueuedRequest) -> list[QueuedRequest]:
    """The request alone; where it draws a round, all that wait to draw the same one, oldest first."""
    if request.body["method"] != SHOW_ROUND:
        return [request]
    number = request.body["round"]
    return [w for w in lane.waiting if w.body.get("round") == number and w.body["method"] == SHOW_ROUND]
