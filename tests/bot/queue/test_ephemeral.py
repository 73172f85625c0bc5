"""Delivery of messages to one person in a group, and what follows each answer of Telegram."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from telegram.error import (
    BadRequest,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.database import Tx
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.outbox import Outbox
from bot.queue.outgoing import TELL_PRIVATELY, DeliveryState, Outgoing, UncheckedPost, Way, WayClosedError
from bot.queue.pacing import Pace
from bot.queue.queries import Leases, QueuedRequest, insert_request
from bot.queue.rendering import DeliveryResult, OutboxHooks, RenderedRequest
from bot.telegram.messages import tell_privately
from tests.bot.queue.queue_database import QueueDatabase
from tests.fake_time import START, advance_time, now, with_fake_time

GROUP, ANN = -1_000_000_000_100, 7
PRIVATE = {"message_id": 0, "ephemeral_message_id": 55, "date": 1}
PUBLIC = {"message_id": 61, "date": 1}
DELETED = True


class Telegram:
    """An outbox for private messages; the first is sent as a trial until the server is known to hide them."""

    def __init__(self, *answers: Any, is_ephemeral_known: bool = False, status: str = "member") -> None:
        self.database = QueueDatabase()
        self.answers, self.is_ephemeral_known = list(answers), is_ephemeral_known
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.notes: list[tuple[object, ...]] = []
        hooks = OutboxHooks(
            renderers={TELL_PRIVATELY: self._render},
            load_names=lambda tx, wanted: {},
            before_send=lambda tx, about: False,
            on_delivered=self._record_delivery,
            on_message_gone=lambda tx, body, is_refresh: False,
            on_chat_migrated=lambda tx, old, new: None,
            choose_fallback=self._choose_fallback,
        )
        self.status = status
        permissions = BotPermissionCache(self._answer, 99, "server", now)
        self.token_checks: list[bool] = []  # Results of the token checks; then the token is known
        parts = (self.database.store, self._answer, hooks, Pace(), self._read_time, now, permissions)
        self.outbox = Outbox(*parts, is_token_known=self._check_token)

    async def _check_token(self) -> bool:
        return self.token_checks.pop(0) if self.token_checks else True

    @staticmethod
    def _read_time() -> float:
        return 1000.0 + now() - START

    async def _answer(self, method: str, parameters: Mapping[str, Any]) -> Any:
        if method == "getChatMember":
            return {"status": self.status}
        self.calls.append((method, parameters))
        answer = self.answers.pop(0)
        if isinstance(answer, TelegramError):
            raise answer
        return answer

    async def _render(self, request: Outgoing) -> RenderedRequest:
        private = request.private
        assert private
        if private.way != Way.EPHEMERAL or not (private.is_open or private.is_admin):
            raise WayClosedError
        kind, text = ("ephemeral", request.params["text"]) if self.is_ephemeral_known else ("trial", "hush")
        message = Outgoing(GROUP, "sendMessage", {"text": text}, about=f"{kind}:{private.server}")
        return RenderedRequest(message, is_ephemeral=True, is_trial=not self.is_ephemeral_known)

    def _record_delivery(self, tx: Tx, about: str, result: DeliveryResult | None) -> None:
        self.notes.append((about,))
        self.is_ephemeral_known = True

    def _choose_fallback(self, tx: Tx, request: Outgoing, is_server_too_old: bool) -> list[Outgoing]:
        assert request.private
        self.notes.append(("fallback", request.private.way, is_server_too_old))
        return []

    def send_privately(
        self, until: float = 1012.0, after: int = 60, left: UncheckedPost | None = None, **more: Any
    ) -> QueuedRequest:
        reply = more.pop("reply", 5)
        request = tell_privately(GROUP, ANN, "psst", until, language="en", ephemeral_id=reply, **more)
        request = replace(request, latest_id=after, state=DeliveryState(unchecked=left))
        stored = self.database.run(lambda tx: insert_request(tx, request, self._read_time(), ANN))
        self.outbox.enqueue([stored])
        return stored

    @property
    def texts(self) -> list[str]:
        return [str(parameters.get("text", method)) for method, parameters in self.calls]


@with_fake_time
async def test_trial_is_sent_first_and_its_result_kept() -> None:
    telegram = Telegram(PRIVATE, PRIVATE)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]
    assert telegram.notes == [("trial:server",), ("ephemeral:server",)]
    assert telegram.database.list_requests() == []


@pytest.mark.parametrize("is_ephemeral_known", [False, True])
@with_fake_time
async def test_public_message_is_deleted_at_once(is_ephemeral_known: bool) -> None:
    telegram = Telegram(PUBLIC, DELETED, is_ephemeral_known=is_ephemeral_known)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert telegram.calls[1] == ("deleteMessage", {"chat_id": GROUP, "message_id": 61})
    assert telegram.notes == [("fallback", "ephemeral", True)]
    assert telegram.database.list_requests() == []


@with_fake_time
async def test_failed_deletion_of_a_public_message_is_repeated() -> None:
    telegram = Telegram(PUBLIC, NetworkError("gone"), DELETED)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.calls] == ["sendMessage", "deleteMessage", "deleteMessage"]
    assert telegram.database.list_requests() == []


@pytest.mark.parametrize(
    "error", [BadRequest("any words"), Forbidden("others"), BadRequest("query is too old")]
)
@with_fake_time
async def test_refusal_leads_to_the_next_way(error: TelegramError) -> None:
    telegram = Telegram(error)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert telegram.notes == [("fallback", "ephemeral", False)]
    assert telegram.database.list_requests() == []


@with_fake_time
async def test_expired_window_leads_to_the_next_way() -> None:
    telegram = Telegram()
    telegram.send_privately(until=1000.0)
    await telegram.outbox.wait_until_idle()
    assert (telegram.calls, telegram.notes) == ([], [("fallback", "ephemeral", False)])


@with_fake_time
async def test_administrator_needs_no_window() -> None:
    telegram = Telegram(PRIVATE, PRIVATE, status="administrator")
    telegram.send_privately(until=900.0, reply=0)
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]


@with_fake_time
async def test_blocked_chat_delays_a_message_until_its_window_ends() -> None:
    telegram = Telegram(RetryAfter(40))
    telegram.send_privately()
    await advance_time(11.5)
    assert telegram.notes == []
    await telegram.outbox.wait_until_idle()
    assert now() - START == pytest.approx(12.0)
    assert telegram.notes == [("fallback", "ephemeral", False)]


@with_fake_time
async def test_message_that_may_have_arrived_is_searched_before_a_retry() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(TimedOut(), *missing, PRIVATE, PRIVATE)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    edits = [parameters for method, parameters in telegram.calls if method == "editMessageText"]
    assert [edit["message_id"] for edit in edits] == [61, 62, 63, 64, 65, 66]
    assert not any("psst" in edit["text"] for edit in edits)
    assert telegram.texts[-1] == "psst"


@with_fake_time
async def test_message_that_arrived_in_public_is_found_and_deleted() -> None:
    telegram = Telegram(TimedOut(), {"message_id": 61}, DELETED)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.calls] == ["sendMessage", "editMessageText", "deleteMessage"]
    assert telegram.notes == [("fallback", "ephemeral", True)]


@with_fake_time
async def test_message_without_known_start_of_the_search_is_sent_again() -> None:
    telegram = Telegram(PRIVATE, PRIVATE)
    telegram.send_privately(left=UncheckedPost(0, 990.0))
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]


@with_fake_time
async def test_failed_search_is_repeated() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(NetworkError("gone"), NetworkError("gone"), *missing, PRIVATE, PRIVATE)
    telegram.send_privately(until=1100.0, left=UncheckedPost(60, 1000.0))
    await advance_time(0.5)
    assert len(telegram.calls) == 1
    await telegram.outbox.wait_until_idle()
    assert telegram.texts[-1] == "psst"
    assert [method for method, _ in telegram.calls].count("editMessageText") == 8


@with_fake_time
async def test_message_is_searched_also_long_after_an_unknown_token() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(InvalidToken("Unauthorized"), *missing, PRIVATE, PRIVATE)
    telegram.token_checks = [False]
    telegram.send_privately(until=1100.0, left=UncheckedPost(60, 100.0))
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.calls] == ["editMessageText"] * 7 + ["sendMessage"] * 2


@with_fake_time
async def test_search_ends_after_ten_minutes() -> None:
    telegram = Telegram(*[NetworkError("gone")] * 1000)
    telegram.send_privately(left=UncheckedPost(60, 1000.0))
    await telegram.outbox.wait_until_idle()
    assert 600.0 <= now() - START < 700.0
    assert {method for method, _ in telegram.calls} == {"editMessageText"}
    assert telegram.notes == [("fallback", "ephemeral", False)]


class UncertainLeases(Leases):
    """Leases that are certain while `sure`."""

    shared = sure = True

    def surely_owns(self, lane: int) -> bool:
        return self.sure


class LosingTelegram(Telegram):
    """A bot whose lease becomes uncertain at the step `when`."""

    def __init__(self, when: str, *answers: Any) -> None:
        super().__init__(*answers)
        self.when, self.leases = when, UncertainLeases()
        self.outbox._leases = self.outbox._sender.leases = self.leases

    async def _answer(self, method: str, parameters: Mapping[str, Any]) -> Any:
        self.leases.sure &= self.when != method
        return await super()._answer(method, parameters)


@with_fake_time
async def test_search_stops_when_another_bot_may_own_the_chat() -> None:
    telegram = LosingTelegram("editMessageText", {"message_id": 61}, DELETED)
    request = telegram.send_privately(left=UncheckedPost(60, 1000.0))
    await advance_time(0.5)
    assert [method for method, _ in telegram.calls] == ["editMessageText"]
    assert (telegram.notes, telegram.database.list_requests()) == ([], [(request.id, "waiting")])
    telegram.outbox.abandon()
    await telegram.outbox.wait_until_idle()


@with_fake_time
async def test_public_message_is_deleted_also_without_the_lease() -> None:
    """The bot knows the message as its own by the id that Telegram returned."""
    telegram = LosingTelegram("sendMessage", PUBLIC, DELETED)
    telegram.send_privately()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.calls] == ["sendMessage", "deleteMessage"]
