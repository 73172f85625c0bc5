"""What is done with a request to one person by what comes back of it, by a Telegram that notes requests."""

import asyncio
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
from bot.queue import private_delivery
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.hooks import OutboxHooks
from bot.queue.leases import Leases
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import TELL_PRIVATELY, QueuedRequest
from bot.telegram.messages import Request, tell_privately
from tests.bot.queue.rows import Rows, queued
from tests.jumping import START, jumping, now, passed

GROUP, ANN = -1_000_000_000_100, 7
PRIVATE = {"message_id": 0, "ephemeral_message_id": 55, "date": 1}
PUBLIC = {"message_id": 61, "date": 1}
DELETED = True


class Telegram:
    """An outbox that draws what is told to one person: a trial first, until one was seen to be ephemeral."""

    def __init__(self, *answers: Any, tried: bool = False, status: str = "member") -> None:
        self.rows = Rows()
        self.answers, self.tried = list(answers), tried
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.notes: list[tuple[str, ...]] = []
        hooks = OutboxHooks(
            renderers={TELL_PRIVATELY: self._draw},
            load_names=lambda tx, wanted: {},
            before_send=lambda tx, about: False,
            on_delivered=self._receipt,
            on_message_gone=lambda tx, body, is_refresh: False,
            on_chat_migrated=lambda tx, old, new: None,
            choose_fallback=self._falls,
        )
        self.status = status
        standings = BotPermissionCache(self._ask, 99, "server", now)
        self.known: list[bool] = []
        """What is found out of the token, each time; after that it is known."""
        parts = (self.rows.store, self._ask, hooks, Pace(), self._wall, now, standings)
        self.outbox = Outbox(*parts, is_token_known=self._token_known)

    async def _token_known(self) -> bool:
        return self.known.pop(0) if self.known else True

    @staticmethod
    def _wall() -> float:
        return 1000.0 + now() - START

    async def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        if method == "getChatMember":
            return {"status": self.status}
        self.sent.append((method, parameters))
        answer = self.answers.pop(0)
        if isinstance(answer, TelegramError):
            raise answer
        return answer

    async def _draw(self, body: dict[str, Any]) -> dict[str, Any] | None:
        if private_delivery.get_current_way(body) != private_delivery.EPHEMERAL or not (
            body["open"] or body["admin"]
        ):
            return {"method": private_delivery.FALL_BACK}
        kind = private_delivery.EPHEMERAL if self.tried else private_delivery.TRIAL
        text = body["params"]["text"] if self.tried else "hush"
        return {
            "method": "sendMessage",
            "params": {"text": text},
            "ephemeral": kind,
            "about": f"{kind}:{body['server']}",
        }

    def _receipt(self, tx: Tx, about: str, result: dict[str, Any]) -> None:
        self.notes.append((about,))
        self.tried = True

    def _falls(self, tx: Tx, body: dict[str, Any], why: str) -> list[Request]:
        self.notes.append(("falls", private_delivery.get_current_way(body), why))
        return []

    def tell(self, until: float = 1012.0, after: int = 60, left: Any = None, **more: Any) -> QueuedRequest:
        reply = more.pop("reply", 5)
        request = tell_privately(GROUP, ANN, "psst", until, language="en", ephemeral_id=reply, **more)
        body = {**request.body, "after": after, **({"left": left} if left else {})}
        stored = queued(self.rows, request.lane, body, self._wall(), ANN)
        self.outbox.enqueue([stored])
        return stored

    @property
    def texts(self) -> list[str]:
        return [str(parameters.get("text", method)) for method, parameters in self.sent]


@jumping
async def test_the_trial_comes_first_and_is_remembered() -> None:
    telegram = Telegram(PRIVATE, PRIVATE)
    telegram.tell()
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]
    assert telegram.notes == [("trial:server",), ("ephemeral:server",)]
    assert telegram.rows.requests() == []


@pytest.mark.parametrize("tried", [False, True])
def test_what_is_public_is_taken_back_at_once(tried: bool) -> None:
    @jumping
    async def story() -> None:
        telegram = Telegram(PUBLIC, DELETED, tried=tried)
        telegram.tell()
        await telegram.outbox.wait_until_idle()
        assert telegram.sent[1] == ("deleteMessage", {"chat_id": GROUP, "message_id": 61})
        assert telegram.notes == [("falls", "ephemeral", "public")]
        assert telegram.rows.requests() == []

    story()


@jumping
async def test_what_can_not_be_taken_back_now_is_later() -> None:
    telegram = Telegram(PUBLIC, NetworkError("gone"), DELETED)
    telegram.tell()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.sent] == ["sendMessage", "deleteMessage", "deleteMessage"]
    assert telegram.rows.requests() == []


@pytest.mark.parametrize(
    "error", [BadRequest("any words"), Forbidden("others"), BadRequest("query is too old")]
)
def test_every_refusal_leads_to_the_next_way(error: TelegramError) -> None:
    @jumping
    async def story() -> None:
        telegram = Telegram(error)
        telegram.tell()
        await telegram.outbox.wait_until_idle()
        assert telegram.notes == [("falls", "ephemeral", "refused")]
        assert telegram.rows.requests() == []

    story()


@jumping
async def test_what_comes_too_late_for_its_window_goes_another_way() -> None:
    telegram = Telegram()
    telegram.tell(until=1000.0)
    await telegram.outbox.wait_until_idle()
    assert (telegram.sent, telegram.notes) == ([], [("falls", "ephemeral", "refused")])


@jumping
async def test_an_administrator_needs_no_window() -> None:
    telegram = Telegram(PRIVATE, PRIVATE, status="administrator")
    telegram.tell(until=900.0, reply=0)
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]


@jumping
async def test_a_chat_that_must_wait_holds_it_up_no_longer_than_its_window() -> None:
    telegram = Telegram(RetryAfter(40))
    telegram.tell()
    await passed(11.5)
    assert telegram.notes == []
    await telegram.outbox.wait_until_idle()
    assert now() - START == pytest.approx(12.0)
    assert telegram.notes == [("falls", "ephemeral", "refused")]


@jumping
async def test_what_may_have_arrived_is_looked_for_before_it_is_sent_again() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(TimedOut(), *missing, PRIVATE, PRIVATE)
    telegram.tell()
    await telegram.outbox.wait_until_idle()
    edits = [parameters for method, parameters in telegram.sent if method == "editMessageText"]
    assert [edit["message_id"] for edit in edits] == [61, 62, 63, 64, 65, 66]
    assert not any("psst" in edit["text"] for edit in edits)
    assert telegram.texts[-1] == "psst"


@jumping
async def test_what_arrived_for_all_to_read_is_found_and_taken_back() -> None:
    telegram = Telegram(TimedOut(), {"message_id": 61}, DELETED)
    telegram.tell()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.sent] == ["sendMessage", "editMessageText", "deleteMessage"]
    assert telegram.notes == [("falls", "ephemeral", "public")]


@pytest.mark.parametrize("after", [60, 0])
def test_that_it_leaves_is_stored_before_it_does(after: int) -> None:
    jumping(_leaving)(after)


async def _leaving(after: int) -> None:
    telegram = Telegram(PRIVATE, PRIVATE)
    gate = asyncio.Event()
    ask = telegram._ask

    async def held(method: str, parameters: dict[str, Any]) -> Any:
        await gate.wait()
        return await ask(method, parameters)

    telegram.outbox._sender.call = held
    request = telegram.tell(after=after)
    await passed(0.5)
    assert request.body["left"] == {"after": after, "at": 1000.0}
    assert telegram.rows.urgent == 1
    gate.set()
    await telegram.outbox.wait_until_idle()
    assert "left" not in request.body


@jumping
async def test_what_left_when_nothing_was_known_of_its_chat_is_not_looked_for() -> None:
    telegram = Telegram(PRIVATE, PRIVATE)
    telegram.tell(left={"after": 0, "at": 990.0})
    await telegram.outbox.wait_until_idle()
    assert telegram.texts == ["hush", "psst"]


@jumping
async def test_where_it_can_not_be_looked_for_now_it_is_soon_and_ever_more_seldom() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(NetworkError("gone"), NetworkError("gone"), *missing, PRIVATE, PRIVATE)
    telegram.tell(until=1100.0, left={"after": 60, "at": 1000.0})
    await passed(0.5)
    assert len(telegram.sent) == 1
    await telegram.outbox.wait_until_idle()
    assert telegram.texts[-1] == "psst"
    assert [method for method, _ in telegram.sent].count("editMessageText") == 8


@jumping
async def test_it_is_looked_for_before_it_is_sent_however_long_the_token_was_not_known() -> None:
    missing = [BadRequest("Message to edit not found")] * 6
    telegram = Telegram(InvalidToken("Unauthorized"), *missing, PRIVATE, PRIVATE)
    telegram.known = [False]
    telegram.tell(until=1100.0, left={"after": 60, "at": 100.0})
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.sent] == ["editMessageText"] * 7 + ["sendMessage"] * 2


@jumping
async def test_what_can_not_be_looked_for_in_ten_minutes_counts_as_not_arrived() -> None:
    telegram = Telegram(*[NetworkError("gone")] * 1000)
    telegram.tell(left={"after": 60, "at": 1000.0})
    await telegram.outbox.wait_until_idle()
    assert 600.0 <= now() - START < 700.0
    assert {method for method, _ in telegram.sent} == {"editMessageText"}
    assert telegram.notes == [("falls", "ephemeral", "refused")]


class Claimed(Leases):
    """This bot surely has its chats for as long as `sure`."""

    shared = sure = True

    def surely_owns(self, lane: int) -> bool:
        return self.sure


class Losing(Telegram):
    """Another bot may have the chat from when this one does what `when` says."""

    def __init__(self, when: str, *answers: Any) -> None:
        super().__init__(*answers)
        self.when, self.leases = when, Claimed()
        self.outbox._leases = self.outbox._sender.leases = self.leases

    async def _draw(self, body: dict[str, Any]) -> dict[str, Any] | None:
        self.leases.sure &= self.when != "draw"
        return await super()._draw(body)

    async def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self.leases.sure &= self.when != method
        return await super()._ask(method, parameters)


@pytest.mark.parametrize(("when", "asked"), [("draw", []), ("editMessageText", ["editMessageText"])])
def test_what_may_be_another_bots_post_by_now_is_neither_changed_nor_deleted(
    when: str, asked: list[str]
) -> None:
    @jumping
    async def story() -> None:
        telegram = Losing(when, {"message_id": 61}, DELETED)
        request = telegram.tell(left={"after": 60, "at": 1000.0})
        await passed(0.5)
        assert [method for method, _ in telegram.sent] == asked
        assert (telegram.notes, telegram.rows.requests()) == ([], [(request.id, "waiting")])
        telegram.outbox.abandon()
        await telegram.outbox.wait_until_idle()

    story()


@jumping
async def test_what_came_back_as_public_is_taken_back_whoever_has_the_chat_by_then() -> None:
    """It is this bot's own, by the number that Telegram told."""
    telegram = Losing("sendMessage", PUBLIC, DELETED)
    telegram.tell()
    await telegram.outbox.wait_until_idle()
    assert [method for method, _ in telegram.sent] == ["sendMessage", "deleteMessage"]
