"""Replies to people whose update failed or is delayed."""

import json
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.outbox import Outbox
from bot.queue.outgoing import Outgoing
from bot.queue.queries import LaneLostError, Leases, QueuedRequest, QueuedUpdate
from bot.queue.updates import Submission, make_queued_update
from bot.telegram.context import BoardReply
from bot.telegram.error_replies import ErrorReplies
from tests.bot.queue.queue_database import QueueDatabase
from tests.fake_time import with_fake_time

BOT, ANN, GROUP = 9, 1, -100
SORRY = "Sorry, something went wrong here. It is noted."
WAITS = "I can’t store anything at the moment. Your message is not lost: I will answer it."


class FakeOutbox:
    """An outbox that records what it is given."""

    def __init__(self) -> None:
        self.sent: list[QueuedRequest] = []
        self.unstored: list[Outgoing] = []

    def enqueue(self, requests: Iterable[QueuedRequest]) -> None:
        self.sent += requests

    def send_unstored(self, outgoing: Outgoing) -> None:
        self.unstored.append(outgoing)


class Bot:
    def __init__(self) -> None:
        self.database, self.outbox, self.now = QueueDatabase(), FakeOutbox(), 7.0
        self.replies = self.make_replies()

    def make_replies(self, **more: Any) -> ErrorReplies:
        outbox = cast(Outbox, self.outbox)
        return ErrorReplies(
            self.database.store, outbox, BOT, lambda: 50.0, monotonic=lambda: self.now, **more
        )

    def report_outage(self, updates: Iterable[QueuedUpdate]) -> None:
        """Report an outage that has lasted long enough for a reply when these updates come."""
        self.replies.report_delay([])
        self.now += 1
        self.replies.report_delay(updates)


SENDER = {"id": ANN, "is_bot": False, "first_name": "Ann", "language_code": "en"}


def make_update(
    text: str = "/help", lane: int = GROUP, by: dict[str, Any] | None = None, **more: Any
) -> QueuedUpdate:
    kind = "private" if lane > 0 else "supergroup"
    place = {"message_id": 3, "date": 1, "chat": {"id": lane, "type": kind}}
    message = {**place, "from": SENDER | (by or {}), "text": text, **more}
    return QueuedUpdate(7, lane, json.dumps({"update_id": 7, "message": message}))


def make_press(person_id: int) -> QueuedUpdate:
    query = {"id": "55", "from": SENDER | {"id": person_id}, "chat_instance": "1", "data": "h:1"}
    return QueuedUpdate(7, GROUP, json.dumps({"update_id": 7, "callback_query": query}))


def make_reply_to(author_id: int) -> dict[str, Any]:
    author = SENDER | {"id": author_id, "is_bot": True}
    return {"message_id": 2, "date": 1, "chat": {"id": GROUP, "type": "supergroup"}, "from": author}


PRESS = make_press(ANN)
ODD = make_press(2**63)  # by a person with an id that Telegram never gives


async def report_failure_of(incoming: QueuedUpdate) -> Bot:
    bot = Bot()
    bot.database.insert(inbox, update_id=7, lane=incoming.lane, body="{}", state="waiting", at=1.0)
    await bot.replies.report_failure(incoming)
    assert [row[1] for row in bot.database.list_updates()] == ["dead"]
    assert [request.id for request in bot.outbox.sent] == [
        number for number, _ in bot.database.list_requests()
    ]
    return bot


class BoardReplies:
    """The replies on the board."""

    def __init__(self) -> None:
        self.stored: list[tuple[Any, ...]] = []
        self.changes = ChangeNotifier()

    def store_replies(self, _: Tx, *replies: Any) -> None:
        self.stored.append(replies)


@with_fake_time
@pytest.mark.parametrize("pressed", [True, False])
async def test_failed_tap_gets_its_reply_on_the_board(pressed: bool) -> None:
    """The chat gets no reply, and no reply says that an unstored tap is kept."""
    button, answer = ("h:1", "") if pressed else ("", "1+1")
    submission = Submission(ANN, "Ann", None, "en", GROUP, "group", 0, "p1", 1.0, button, answer)
    incoming = make_queued_update(submission, 1.0, b"")
    bot, board = Bot(), BoardReplies()
    bot.replies = bot.make_replies(board=board)
    number = submission.update_id
    bot.database.insert(inbox, update_id=number, lane=GROUP, body="{}", state="waiting", at=1.0)
    await bot.replies.report_failure(incoming)
    bot.report_outage([incoming])
    assert board.stored == [(submission, [BoardReply(SORRY)], 50.0)]
    assert (bot.outbox.sent, bot.outbox.unstored) == ([], [])


class OtherLeases(Leases):
    """Leases with token 4; only that of the group is certain."""

    def surely_owns(self, lane: int) -> bool:
        return lane == GROUP

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        if token != 4:
            raise LaneLostError


@with_fake_time
@pytest.mark.parametrize("token", [3, 4])
async def test_failure_is_reported_under_a_valid_lease_only(token: int) -> None:
    bot = Bot()
    bot.replies = bot.make_replies(leases=OtherLeases())
    bot.database.insert(inbox, update_id=7, lane=GROUP, body="{}", state="waiting", at=1.0)
    with nullcontext() if token == 4 else pytest.raises(LaneLostError):
        await bot.replies.report_failure(replace(make_update(), lease_token=token))
    assert [row[1] for row in bot.database.list_updates()] == [("waiting", "dead")[token == 4]]
    assert len(bot.outbox.sent) == len(bot.database.list_requests()) == (token == 4)


@pytest.mark.parametrize(("lane", "reply_to"), [(GROUP, 3), (ANN, None)])
@with_fake_time
async def test_failed_message_gets_a_reply(lane: int, reply_to: int | None) -> None:
    (request,) = (await report_failure_of(make_update(lane=lane))).outbox.sent
    assert (request.lane, request.stored_at, request.outgoing.method) == (lane, 50.0, "sendMessage")
    assert request.outgoing.params["text"] == SORRY
    assert request.outgoing.params.get("reply_parameters", {}).get("message_id") == reply_to


@with_fake_time
async def test_failed_press_is_answered_in_the_lane_of_its_person() -> None:
    (request,) = (await report_failure_of(PRESS)).outbox.sent
    assert request.lane == ANN
    assert request.outgoing.method == "answerCallbackQuery"
    assert request.outgoing.params == {"callback_query_id": "55", "text": SORRY, "show_alert": False}


@with_fake_time
async def test_reply_is_in_the_language_of_the_sender() -> None:
    (request,) = (await report_failure_of(make_update(by={"language_code": "es"}))).outbox.sent
    assert request.outgoing.params["text"] not in {SORRY, ""}


@pytest.mark.parametrize(
    ("incoming", "unstored"),
    [
        (make_update("8/(3-8/3)"), False),
        (make_update("8/(3-8/3)", reply_to_message=make_reply_to(BOT)), True),
        (make_update("8/(3-8/3)", reply_to_message=make_reply_to(2)), False),
        (make_update(by={"is_bot": True}), False),
        (make_update(lane=0), False),
        (QueuedUpdate(7, GROUP, json.dumps({"my_chat_member": {}})), False),
        (QueuedUpdate(7, GROUP, json.dumps({"message": {"chat": 5, "from": 3}})), False),
        (QueuedUpdate(7, GROUP, json.dumps({"callback_query": {"id": "5"}})), False),
        (ODD, False),
        (QueuedUpdate(7, GROUP, "{"), False),
        (QueuedUpdate(7, GROUP, "[" * 100_000), False),
    ],
)
@with_fake_time
async def test_reply_is_sent_only_to_people_who_addressed_the_bot(
    incoming: QueuedUpdate, unstored: bool
) -> None:
    assert len((await report_failure_of(incoming)).outbox.sent) == unstored


def test_outage_is_reported_once_in_a_chat_within_ten_minutes() -> None:
    bot = Bot()
    bot.report_outage(
        [make_update(), make_update(), make_update(lane=ANN), PRESS, make_update("8/(3-8/3)", -200)]
    )
    assert [(o.lane, o.params["text"]) for o in bot.outbox.unstored] == [(GROUP, WAITS), (ANN, WAITS)]
    bot.replies.report_delay([make_update()])
    assert len(bot.outbox.unstored) == 2
    bot.replies.outage_began = None
    bot.report_outage([make_update()])
    assert len(bot.outbox.unstored) == 2
    bot.now += 600
    bot.replies.outage_began = None
    bot.report_outage([make_update()])
    assert len(bot.outbox.unstored) == 3


def test_outage_under_a_second_is_not_reported() -> None:
    bot = Bot()
    for _ in range(3):
        bot.replies.report_delay([make_update()])
        bot.now += 0.9
        bot.replies.report_delay([make_update()])
        bot.replies.outage_began = None
    assert bot.outbox.unstored == []


def test_outage_is_not_reported_in_chats_with_an_uncertain_lease() -> None:
    bot = Bot()
    bot.replies = bot.make_replies(leases=OtherLeases())
    bot.report_outage([make_update(), make_update(lane=ANN)])
    assert [request.lane for request in bot.outbox.unstored] == [GROUP]


def test_outage_is_reported_in_200_chats_at_most() -> None:
    bot = Bot()
    bot.report_outage(make_update(lane=-n) for n in range(1, 300))
    assert len(bot.outbox.unstored) == 200
