"""The queues of one bot of several: what is another's is left to it. Several bots for real are tested with
`bot.queue.replicas`; here the leases are what a test says.
"""

import asyncio
import json
from collections.abc import Collection
from typing import Any

import pytest

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue import queries
from bot.queue.admission import UpdateKind
from bot.queue.inbox import Inbox
from bot.queue.leases import LaneLostError, Leases
from bot.queue.outbox import Outbox
from bot.queue.queries import QueuedUpdate
from tests.bot.queue import test_inbox, test_lane_dispatcher, test_outbox
from tests.bot.queue.rows import Rows, queued
from tests.bot.queue.test_lane_dispatcher import ANN, BOB, GROUP, Served, update
from tests.jumping import jumping, now, passed

OTHER = -200
TEXT = {"method": "sendMessage", "params": {"text": "x"}}


class Several(Leases):
    """This bot has the chats in `own`, and surely those in `sure`."""

    shared = True

    def __init__(self, *own: int) -> None:
        self.own = self.sure = set(own)
        self.hints = self.slots = 0

    def owns(self, lane: int) -> bool:
        return lane in self.own

    def surely_owns(self, lane: int) -> bool:
        return lane in self.sure

    def get_token(self, lane: int) -> int:
        return 7 if lane in self.own else 0

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        if token != 7 or lane not in self.own:
            raise LaneLostError

    def notify_others(self) -> None:
        self.hints += 1

    async def wait_for_slot(self) -> None:
        self.slots += 1

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        return queries.load_waiting_updates(tx, [lane for lane in lanes if lane in self.own])


class Sender(test_outbox.Bot):
    """An outbox of one bot of several."""

    def __init__(self, *own: int, takes: float = 0.0) -> None:
        super().__init__(takes=takes)
        self.leases = Several(*own)
        hooks, pace = self.outbox._sender.hooks, self.outbox._pace
        self.outbox = Outbox(self.rows.store, self._ask, hooks, pace, self._wall, now, leases=self.leases)


class Hearer(test_inbox.Bot):
    """An inbox of one bot of several."""

    def __init__(self, *own: int, takes: float = 0.0) -> None:
        super().__init__(takes=takes)
        self.leases = Several(*own)
        self.inbox = Inbox(
            *(self.rows.store, self._handle, self, lambda: self.wall, self.admission, None, self.leases),
            monotonic=now,
        )


# Requests


@jumping
async def test_a_request_of_anothers_chat_is_left_to_it() -> None:
    bot = Sender(GROUP)
    bot.send(TEXT)
    bot.send(TEXT, lane=OTHER)
    await bot.outbox.wait_until_idle()
    assert (len(bot.sent), bot.leases.hints) == (1, 1)


@jumping
async def test_posts_alone_wait_for_the_pace_of_all_bots() -> None:
    bot = Sender(GROUP)
    bot.send(TEXT, test_outbox.text("edited", method="editMessageText"), TEXT)
    await bot.outbox.wait_until_idle()
    assert (len(bot.sent), bot.leases.slots) == (3, 2)


class LostMeanwhile(Sender):
    """While it writes down that a timed post is about to leave, its claim may end."""

    def _leaving(self, tx: Tx, about: str) -> bool:
        self.leases.sure = set()
        return super()._leaving(tx, about)


@jumping
async def test_a_timed_post_of_a_chat_that_may_be_anothers_by_now_is_left_to_it() -> None:
    bot = LostMeanwhile(GROUP)
    bot.send({**TEXT, "timed": True, "about": "hand:1"})
    await passed(0.05)
    assert bot.notes == [("leaving", "hand:1")]
    assert bot.sent == []
    bot.outbox.abandon()
    await passed(0.2)
    assert bot.sent == []


@jumping
async def test_a_post_is_not_looked_for_in_a_chat_that_may_be_anothers_by_now() -> None:
    bot = Sender(GROUP)
    sending, lane = bot.outbox._sender, bot.outbox._lane(GROUP)
    await sending._call_if_owned(lane, "editMessageText", {"chat_id": GROUP, "message_id": 1, "text": "x"})
    bot.leases.sure = set()
    with pytest.raises(LaneLostError):
        await sending._call_if_owned(
            lane, "editMessageText", {"chat_id": GROUP, "message_id": 2, "text": "x"}
        )
    assert len(bot.sent) == 1


@jumping
async def test_a_request_is_taken_once_however_often_it_is_seen() -> None:
    bot = Sender(GROUP)
    requests = bot.send(TEXT)
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.outbox.has_request(requests[0].id)


class Slow(Several):
    """The pace of all bots on the database lets a post go after a while."""

    async def wait_for_slot(self) -> None:
        await super().wait_for_slot()
        await passed(0.05)


@pytest.mark.parametrize("after", [0.02, 0.12])
@jumping
async def test_what_was_anothers_while_it_waited_for_its_turn_goes_out_once(after: float) -> None:
    """Behind another post, or for the pace of all bots."""
    bot = Sender(GROUP, OTHER, takes=0.05)
    bot.leases = bot.outbox._leases = bot.outbox._sender.leases = Slow(GROUP, OTHER)
    bot.send(test_outbox.text("before it"), lane=OTHER)
    bot.send(TEXT)
    await passed(after)
    bot.outbox.abandon()
    bot.outbox.enqueue(bot.rows.look(queries.load_waiting_requests))
    await bot.outbox.wait_until_idle()
    assert bot.texts.count("x") == 1
    assert bot.rows.look(queries.load_waiting_requests) == []


@jumping
async def test_what_went_out_is_known_for_a_while() -> None:
    bot = Sender(GROUP)
    (request,) = bot.send(TEXT)
    await bot.outbox.wait_until_idle()
    bot.outbox.forget_request_ids(now())
    assert bot.outbox.has_request(request.id)
    await passed(1.0)
    bot.outbox.forget_request_ids(now())
    assert not bot.outbox.has_request(request.id)


@jumping
async def test_what_waits_is_known_as_long_as_it_does() -> None:
    bot = Sender(GROUP, takes=5.0)
    requests = bot.send(TEXT, TEXT)
    await passed(1.0)
    bot.outbox.forget_request_ids(now())
    assert bot.outbox.has_request(requests[1].id)


@jumping
async def test_what_was_let_go_may_be_taken_again() -> None:
    bot = Sender(GROUP)
    bot.leases.sure = set()  # nobody knows: nothing goes out
    requests = bot.send(TEXT, TEXT)
    await passed(0.1)
    bot.outbox.abandon()
    assert not any(bot.outbox.has_request(request.id) for request in requests)
    bot.leases.sure = {GROUP}
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 2


@jumping
async def test_a_chat_of_which_something_counts_is_not_quiet() -> None:
    bot = Sender(GROUP)
    assert bot.outbox.is_lane_over(GROUP)
    bot.send(TEXT)
    assert not bot.outbox.is_lane_over(GROUP)
    await bot.outbox.wait_until_idle()
    assert not bot.outbox.is_lane_over(GROUP)  # the post counts for a minute
    await passed(61.0)
    assert bot.outbox.is_lane_over(GROUP)
    assert bot.outbox.is_lane_over(OTHER)


def test_which_requests_are_still_stored() -> None:
    rows = Rows()
    requests = [queued(rows, GROUP, TEXT, 1.0) for _ in range(3)]
    rows.look(lambda tx: queries.delete_requests(tx, requests[1:2]))
    assert rows.look(lambda tx: queries.select_still_stored(tx, requests)) == [requests[0], requests[2]]
    assert rows.look(lambda tx: queries.select_still_stored(tx, [])) == []


def test_posts_of_some_chats_are_told_apart() -> None:
    rows = Rows()
    here, there = queued(rows, GROUP, TEXT, 1.0), queued(rows, OTHER, TEXT, 1.0)
    rows.look(lambda tx: queries.mark_posted(tx, [(here, 11)], 2.0))
    rows.look(lambda tx: queries.mark_posted(tx, [(there, 12)], 3.0))
    assert rows.look(queries.load_recent_posts) == [(GROUP, 11, 2.0), (OTHER, 12, 3.0)]
    assert rows.look(lambda tx: queries.load_recent_posts(tx, [OTHER])) == [(OTHER, 12, 3.0)]


# Updates


@jumping
async def test_what_waits_is_known_under_its_number() -> None:
    served = Served()
    served.add(update(1))
    assert served.dispatcher.has_update(1)
    assert not served.dispatcher.has_update(2)
    await served.dispatcher.wait_until_idle()
    assert not served.dispatcher.has_update(1)


@jumping
async def test_what_is_anothers_now_is_let_go_but_for_what_is_under_way() -> None:
    served = Served()
    served.add(update(1), update(2), update(3, person=BOB), update(4, lane=ANN), update(5, lane=ANN))
    await passed(0.5)
    served.dispatcher.abandon()
    assert [served.dispatcher.has_update(number) for number in range(1, 6)] == [False] * 5
    served.add(update(2))  # it was claimed again meanwhile
    await served.dispatcher.wait_until_idle()
    assert [number for _, number in served.begun] == [1, 4, 2]
    assert served.dispatcher.waiting_count == served.dispatcher.waiting_size == 0


@jumping
async def test_an_update_has_the_token_of_its_claim() -> None:
    served, tokens = Served(), list[int]()
    serve = served._serve

    async def noting(incoming: QueuedUpdate) -> None:
        tokens.append(incoming.lease_token)
        await serve(incoming)

    served.dispatcher._handle = noting
    served.dispatcher.add(update(1))
    served.dispatcher.add(update(2), 9)
    await served.dispatcher.wait_until_idle()
    assert tokens == [0, 9]


@jumping
async def test_a_deadline_waits_for_what_any_of_them_has_stored() -> None:
    bot = Hearer(GROUP)
    until, sent = bot.wall, int(bot.wall) - 5

    def stored(number: int, lane: int, at: float) -> None:
        raw: dict[str, Any] = test_inbox.said(number, lane=lane, date=sent)
        bot.rows.add(inbox, update_id=number, lane=lane, body=json.dumps(raw), state="waiting", at=at)

    assert not await bot.inbox.has_waiting_answers(GROUP, None, until)
    stored(1, 5, bot.wall)
    assert await bot.inbox.has_waiting_answers(GROUP, None, until)
    assert await bot.inbox.has_waiting_answers(GROUP, [5], until)
    assert not await bot.inbox.has_waiting_answers(GROUP, [6], until)
    assert not await bot.inbox.has_waiting_answers(GROUP, None, sent - 1)
    stored(2, GROUP, bot.wall)
    assert await bot.inbox.has_waiting_answers(GROUP, [6], until)


@jumping
async def test_what_was_admitted_before_is_taken_up_without_being_counted_again() -> None:
    bot = Hearer(GROUP)
    many = [test_inbox.said(number, "/help") for number in range(1, 80)]
    asked: dict[str, Any] = {"kind": UpdateKind.QUESTION, "person_id": ANN}
    stored = [QueuedUpdate(raw["update_id"], GROUP, json.dumps(raw), **asked) for raw in many]
    await bot.inbox.enqueue_backlog(stored, {one.update_id for one in stored})
    assert bot.inbox.waiting_count == 79
    await bot.inbox.wait_until_idle()
    assert len(bot.handled) == 79


@jumping
async def test_what_is_stored_for_a_chat_that_was_let_go_meanwhile_is_counted_no_more() -> None:
    """Nothing here is told when it is done: whoever has the chat by then counts it."""
    bot = Hearer(GROUP)
    bot.rows.takes = 1.0
    storing = asyncio.create_task(bot.inbox.accept([test_inbox.said(1), test_inbox.said(2)]))
    await passed(0.5)
    bot.leases.own.clear()
    await storing
    assert [row[:2] for row in bot.rows.updates()] == [(1, "waiting"), (2, "waiting")]
    assert (bot.inbox.waiting_count, bot.leases.hints) == (0, 1)
    assert not bot.admission.waiting
    assert not bot.admission.waiting


@jumping
async def test_what_a_look_took_up_before_its_storing_was_told_is_counted_once() -> None:
    bot = Hearer(GROUP, takes=5.0)
    bot.rows.takes = 1.0
    storing = asyncio.create_task(bot.inbox.accept([test_inbox.said(1)]))
    await passed(0.5)
    await bot.inbox.enqueue_backlog([QueuedUpdate(1, GROUP, json.dumps(test_inbox.said(1)))])
    await storing
    assert bot.admission.waiting[GROUP, 0, "all"] == 1
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert not bot.admission.waiting


@jumping
async def test_a_repeat_of_what_another_has_stored_is_counted_while_it_waits() -> None:
    bot = Hearer(GROUP, takes=5.0)
    body = json.dumps(test_inbox.said(1))
    bot.rows.add(inbox, update_id=1, lane=GROUP, body=body, state="waiting", at=bot.wall)
    await bot.inbox.accept([test_inbox.said(1), test_inbox.said(2)])
    assert bot.admission.waiting[GROUP, 0, "all"] == 2
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 2]
    assert not bot.admission.waiting


@jumping
async def test_what_is_over_a_share_is_dropped_in_the_chats_alone_that_are_still_its_own() -> None:
    """In the others whoever has them decides, and may be handling it just now."""
    bot = Hearer(GROUP, OTHER, takes=60.0)
    many = [
        QueuedUpdate(number, lane, json.dumps(test_inbox.said(number, "/help", lane=lane)))
        for lane, first in ((GROUP, 1), (OTHER, 101))
        for number in range(first, first + 30)
    ]
    for one in many:
        bot.rows.add(inbox, update_id=one.update_id, lane=one.lane, body=one.body, state="waiting", at=1.0)
    bot.rows.takes = 1.0
    taking = asyncio.create_task(bot.inbox.enqueue_backlog(many))
    await passed(0.5)
    bot.leases.own.discard(OTHER)
    await taking
    waits = {number for number, state, *_ in bot.rows.updates() if state == "waiting"}
    most = len([number for number in waits if number < 100])
    assert most < 30
    assert waits >= set(range(101, 131))


def test_these_lanes_are_those_of_the_tests_beside() -> None:
    assert (test_lane_dispatcher.GROUP, test_inbox.GROUP, test_outbox.GROUP) == (GROUP, GROUP, GROUP)
