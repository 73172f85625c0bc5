"""Who is told that something went wrong, where, and how often."""

import json
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.error_replies import ErrorReplies
from bot.queue.leases import LaneLostError, Leases
from bot.queue.outbox import Outbox
from bot.queue.queries import QueuedRequest, QueuedUpdate
from bot.telegram.messages import Request
from tests.bot.queue.rows import Rows
from tests.jumping import jumping

BOT, ANN, GROUP = 9, 1, -100
SORRY = "Sorry, something went wrong here. It is noted."
WAITS = "I can't write anything down at the moment. What you sent is kept and will be answered."


class Mouth:
    """An outbox that notes what it would send and tell."""

    def __init__(self) -> None:
        self.sent: list[QueuedRequest] = []
        self.told: list[Request] = []

    def enqueue(self, requests: Iterable[QueuedRequest]) -> None:
        self.sent += requests

    def send_unstored(self, outgoing: Request) -> None:
        self.told.append(outgoing)


class Bot:
    def __init__(self) -> None:
        self.rows, self.mouth, self.ticks = Rows(), Mouth(), 7.0
        self.apology = self.made()

    def made(self, **more: Any) -> ErrorReplies:
        outbox = cast(Outbox, self.mouth)
        return ErrorReplies(self.rows.store, outbox, BOT, lambda: 50.0, monotonic=lambda: self.ticks, **more)

    def outage(self, updates: Iterable[QueuedUpdate]) -> None:
        """One that has lasted long enough for a word when these come."""
        self.apology.report_delay([])
        self.ticks += 1
        self.apology.report_delay(updates)


def said(
    text: str = "/help", lane: int = GROUP, by: dict[str, Any] | None = None, **more: Any
) -> QueuedUpdate:
    kind = "private" if lane > 0 else "supergroup"
    sender = {"id": ANN, "language_code": "en", **(by or {})}
    message = {"message_id": 3, "chat": {"id": lane, "type": kind}, "from": sender, "text": text, **more}
    return QueuedUpdate(7, lane, json.dumps({"update_id": 7, "message": message}))


PRESS = QueuedUpdate(7, GROUP, json.dumps({"callback_query": {"id": "55", "from": {"id": ANN}}}))


# Pressed by somebody whom Telegram can't have.
ODD = QueuedUpdate(7, GROUP, json.dumps({"callback_query": {"id": "55", "from": {"id": 2**63}}}))


async def given_up(incoming: QueuedUpdate) -> Bot:
    bot = Bot()
    bot.rows.add(inbox, update_id=7, lane=incoming.lane, body="{}", state="waiting", at=1.0)
    await bot.apology.report_failure(incoming)
    assert [row[1] for row in bot.rows.updates()] == ["dead"]
    assert [request.id for request in bot.mouth.sent] == [number for number, _ in bot.rows.requests()]
    return bot


class Book:
    """What pages are told."""

    def __init__(self) -> None:
        self.words: list[tuple[Any, ...]] = []
        self.changes = ChangeNotifier()

    def store_reply(self, _: Tx, *word: Any) -> None:
        self.words.append(word)


@jumping
@pytest.mark.parametrize("pressed", [True, False])
async def test_who_tapped_on_a_page_is_told_there(pressed: bool) -> None:
    """Whoever is by the chat knows nothing of it; nothing that can't be stored is said to be kept."""
    tap: dict[str, Any] = {"board": {"press": "p1"}}
    incoming = said(**tap)
    if pressed:
        query = {"id": "board:1", "from": {"id": ANN}, "message": {"chat": {"id": GROUP}, **tap}}
        incoming = QueuedUpdate(7, GROUP, json.dumps({"update_id": 7, "callback_query": query}))
    bot, book = Bot(), Book()
    bot.apology = bot.made(board=book)
    bot.rows.add(inbox, update_id=7, lane=GROUP, body="{}", state="waiting", at=1.0)
    await bot.apology.report_failure(incoming)
    bot.outage([incoming])
    assert book.words == [(ANN, "p1", SORRY, None, 50.0)]
    assert (bot.mouth.sent, bot.mouth.told) == ([], [])


class Lost(Leases):
    """Another bot has every chat whose token is not 4, and may have all but the group."""

    def surely_owns(self, lane: int) -> bool:
        return lane == GROUP

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        if token != 4:
            raise LaneLostError


@jumping
@pytest.mark.parametrize("token", [3, 4])
async def test_what_another_bot_serves_by_now_is_given_up_by_nobody_else(token: int) -> None:
    bot = Bot()
    bot.apology = bot.made(leases=Lost())
    bot.rows.add(inbox, update_id=7, lane=GROUP, body="{}", state="waiting", at=1.0)
    with nullcontext() if token == 4 else pytest.raises(LaneLostError):
        await bot.apology.report_failure(replace(said(), lease_token=token))
    assert [row[1] for row in bot.rows.updates()] == [("waiting", "dead")[token == 4]]
    assert len(bot.mouth.sent) == len(bot.rows.requests()) == (token == 4)


@jumping
async def test_who_asked_in_a_group_gets_a_reply() -> None:
    (request,) = (await given_up(said())).mouth.sent
    assert (request.lane, request.stored_at) == (GROUP, 50.0)
    assert request.body["method"] == "sendMessage"
    assert request.body["params"]["text"] == SORRY
    assert request.body["params"]["reply_parameters"]["message_id"] == 3


@jumping
async def test_in_private_it_is_no_reply() -> None:
    (request,) = (await given_up(said("hello", ANN))).mouth.sent
    assert request.body["params"]["text"] == SORRY
    assert "reply_parameters" not in request.body["params"]


@jumping
async def test_a_press_is_answered_in_its_persons_lane() -> None:
    (request,) = (await given_up(PRESS)).mouth.sent
    assert request.lane == ANN
    assert request.body["method"] == "answerCallbackQuery"
    assert request.body["params"] == {"callback_query_id": "55", "text": SORRY, "show_alert": False}


@jumping
async def test_it_is_said_in_the_senders_language() -> None:
    (request,) = (await given_up(said(by={"language_code": "es"}))).mouth.sent
    assert request.body["params"]["text"] not in {SORRY, ""}


@pytest.mark.parametrize(
    ("incoming", "told"),
    [
        (said("8/(3-8/3)"), False),
        (said("8/(3-8/3)", reply_to_message={"from": {"id": BOT}}), True),
        (said("8/(3-8/3)", reply_to_message={"from": {"id": 2}}), False),
        (said(by={"is_bot": True}), False),
        (said(lane=0), False),
        (QueuedUpdate(7, GROUP, json.dumps({"my_chat_member": {}})), False),
        (QueuedUpdate(7, GROUP, json.dumps({"message": {"chat": 5, "from": 3}})), False),
        (QueuedUpdate(7, GROUP, json.dumps({"callback_query": {"id": "5"}})), False),
        (QueuedUpdate(7, GROUP, "{"), False),
        (QueuedUpdate(7, GROUP, "[" * 100_000), False),
    ],
)
@jumping
async def test_only_who_meant_the_bot_is_told(incoming: QueuedUpdate, told: bool) -> None:
    assert len((await given_up(incoming)).mouth.sent) == told


def test_an_outage_is_told_once_in_a_chat_and_one_that_follows_at_once_is_not() -> None:
    bot = Bot()
    bot.outage([said(), said(), said(lane=ANN), PRESS, said("8/(3-8/3)", -200)])
    assert [(o.lane, o.body["params"]["text"]) for o in bot.mouth.told] == [(GROUP, WAITS), (ANN, WAITS)]
    bot.apology.report_delay([said()])
    assert len(bot.mouth.told) == 2
    bot.apology.end_outage()
    bot.outage([said()])
    assert len(bot.mouth.told) == 2
    bot.ticks += 600
    bot.apology.end_outage()
    bot.outage([said()])
    assert len(bot.mouth.told) == 3


def test_what_is_over_within_a_second_is_not_worth_a_word() -> None:
    bot = Bot()
    for _ in range(3):
        bot.apology.report_delay([said()])
        bot.ticks += 0.9
        bot.apology.report_delay([said()])
        bot.apology.end_outage()
    assert bot.mouth.told == []


def test_where_another_bot_may_have_answered_nothing_is_said() -> None:
    """One that was frozen finds its connections gone, and that of its chats it knows nothing any more."""
    bot = Bot()
    bot.apology = bot.made(leases=Lost())
    bot.outage([said(), said(lane=ANN)])
    assert [request.lane for request in bot.mouth.told] == [GROUP]


def test_so_many_chats_are_told_of_one_outage() -> None:
    bot = Bot()
    bot.outage(said(lane=-n) for n in range(1, 300))
    assert len(bot.mouth.told) == 200


@jumping
async def test_nobody_is_told_who_can_t_be() -> None:
    bot = await given_up(ODD)
    assert bot.mouth.sent == []
