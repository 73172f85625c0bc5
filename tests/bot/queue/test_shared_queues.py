"""Inbox and outbox of one of several bots, with leases that the test sets."""

import asyncio
import json
from collections.abc import Collection
from typing import Any

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue import queries
from bot.queue.admission import UpdateKind
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.queries import LaneLostError, Leases, QueuedUpdate
from tests.bot.queue import test_inbox, test_outbox
from tests.bot.queue.queue_database import QueueDatabase
from tests.bot.queue.test_lane_dispatcher import ANN, BOB, GROUP, Dispatching, make_update
from tests.fake_time import advance_time, now, with_fake_time

OTHER = -200
TEXT = {"method": "sendMessage", "params": {"text": "x"}}


class PartialLeases(Leases):
    """Leases of the chats in `own`; those in `sure` are certain."""

    shared = True

    def __init__(self, *own: int) -> None:
        self.own = self.sure = set(own)
        self.notification_count = 0

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
        self.notification_count += 1

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        return queries.load_waiting_updates(tx, [lane for lane in lanes if lane in self.own])


class SharedOutbox(test_outbox.Bot):
    """An outbox of one bot of several."""

    def __init__(self, *own: int, seconds: float = 0.0) -> None:
        super().__init__(answer_seconds=seconds)
        self.leases = PartialLeases(*own)
        hooks, pace = self.outbox._sender.hooks, self.outbox._pace
        self.outbox = Outbox(
            self.database.store, self._answer, hooks, pace, self._read_time, now, leases=self.leases
        )


class SharedInbox(test_inbox.Bot):
    """An inbox of one bot of several."""

    def __init__(self, *own: int, seconds: float = 0.0) -> None:
        super().__init__(handle_seconds=seconds)
        self.leases = PartialLeases(*own)
        self.inbox = Inbox(
            *(self.database.store, self._handle, self, lambda: self.time, self.admission, None, self.leases),
            monotonic=now,
        )


# Requests


@with_fake_time
async def test_request_for_another_bots_chat_is_left_to_that_bot() -> None:
    bot = SharedOutbox(GROUP)
    bot.send(TEXT)
    bot.send(TEXT, lane=OTHER)
    await bot.outbox.wait_until_idle()
    assert (len(bot.sent), bot.leases.notification_count) == (1, 1)


class LosingOutbox(SharedOutbox):
    """A bot whose leases become uncertain while a timed post is announced."""

    def _before_send(self, tx: Tx, about: str) -> bool:
        self.leases.sure = set()
        return super()._before_send(tx, about)


@with_fake_time
async def test_timed_post_is_not_sent_under_an_uncertain_lease() -> None:
    bot = LosingOutbox(GROUP)
    bot.send({**TEXT, "timed": True, "about": "hand:1"})
    await advance_time(0.05)
    assert bot.notes == [("before send", "hand:1")]
    assert bot.sent == []
    bot.outbox.abandon()
    await advance_time(0.2)
    assert bot.sent == []


@with_fake_time
async def test_request_that_is_enqueued_twice_is_sent_once() -> None:
    bot = SharedOutbox(GROUP)
    requests = bot.send(TEXT)
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 1
    assert bot.outbox.has_request(requests[0].id)


@with_fake_time
async def test_abandoned_requests_can_be_enqueued_again() -> None:
    bot = SharedOutbox(GROUP)
    bot.leases.sure = set()  # so nothing is sent
    requests = bot.send(TEXT, TEXT)
    await advance_time(0.1)
    bot.outbox.abandon()
    assert not any(bot.outbox.has_request(request.id) for request in requests)
    bot.leases.sure = {GROUP}
    bot.outbox.enqueue(requests)
    await bot.outbox.wait_until_idle()
    assert len(bot.sent) == 2


@with_fake_time
async def test_lane_with_a_recent_post_is_not_over() -> None:
    bot = SharedOutbox(GROUP)
    assert bot.outbox.is_lane_over(GROUP)
    bot.send(TEXT)
    assert not bot.outbox.is_lane_over(GROUP)
    await bot.outbox.wait_until_idle()
    assert not bot.outbox.is_lane_over(GROUP)  # the post counts for a minute
    await advance_time(61.0)
    assert bot.outbox.is_lane_over(GROUP)
    assert bot.outbox.is_lane_over(OTHER)


def test_recent_posts_are_loaded_by_chat() -> None:
    database = QueueDatabase()
    here, there = database.insert_request(GROUP, TEXT, 1.0), database.insert_request(OTHER, TEXT, 1.0)
    database.run(lambda tx: queries.mark_posted(tx, [(here, 11)], 2.0))
    database.run(lambda tx: queries.mark_posted(tx, [(there, 12)], 3.0))
    assert database.run(queries.load_recent_posts) == [(GROUP, 11, 2.0), (OTHER, 12, 3.0)]
    assert database.run(lambda tx: queries.load_recent_posts(tx, [OTHER])) == [(OTHER, 12, 3.0)]


# Updates


@with_fake_time
async def test_abandoned_updates_are_dropped_unless_running() -> None:
    dispatching = Dispatching()
    dispatching.add(
        make_update(1),
        make_update(2),
        make_update(3, person=BOB),
        make_update(4, lane=ANN),
        make_update(5, lane=ANN),
    )
    await advance_time(0.5)
    dispatching.dispatcher.abandon()
    assert [dispatching.dispatcher.has_update(number) for number in range(1, 6)] == [False] * 5
    dispatching.add(make_update(2))  # leased again
    await dispatching.dispatcher.wait_until_idle()
    assert [number for _, number in dispatching.started] == [1, 4, 2]
    assert dispatching.dispatcher.waiting_count == dispatching.dispatcher.waiting_size == 0


@with_fake_time
async def test_update_keeps_the_token_of_its_lease() -> None:
    dispatching = Dispatching()
    dispatching.dispatcher.add(make_update(1))
    dispatching.dispatcher.add(make_update(2), 9)
    await dispatching.dispatcher.wait_until_idle()
    assert dispatching.tokens == [0, 9]


@with_fake_time
async def test_deadline_waits_for_updates_stored_by_any_bot() -> None:
    bot = SharedInbox(GROUP)
    deadline, sent_at = bot.time, int(bot.time) - 5

    def insert_waiting(number: int, lane: int, at: float) -> None:
        raw: dict[str, Any] = test_inbox.make_update(number, lane=lane, date=sent_at)
        bot.database.insert(inbox, update_id=number, lane=lane, body=json.dumps(raw), state="waiting", at=at)

    assert not await bot.inbox.has_waiting_answers(GROUP, None, deadline)
    insert_waiting(1, 5, bot.time)
    assert await bot.inbox.has_waiting_answers(GROUP, None, deadline)
    assert await bot.inbox.has_waiting_answers(GROUP, [5], deadline)
    assert not await bot.inbox.has_waiting_answers(GROUP, [6], deadline)
    assert not await bot.inbox.has_waiting_answers(GROUP, None, sent_at - 1)
    insert_waiting(2, GROUP, bot.time)
    assert await bot.inbox.has_waiting_answers(GROUP, [6], deadline)


@with_fake_time
async def test_admitted_backlog_is_not_limited_again() -> None:
    bot = SharedInbox(GROUP)
    many = [test_inbox.make_update(number, "/help") for number in range(1, 80)]
    classified: dict[str, Any] = {"kind": UpdateKind.QUESTION, "person_id": ANN}
    insert_waiting = [QueuedUpdate(raw["update_id"], GROUP, json.dumps(raw), **classified) for raw in many]
    await bot.inbox.enqueue_backlog(insert_waiting, {one.update_id for one in insert_waiting})
    assert bot.inbox.waiting_count == 79
    await bot.inbox.wait_until_idle()
    assert len(bot.handled) == 79


@with_fake_time
async def test_update_of_a_chat_lost_while_storing_is_not_queued() -> None:
    bot = SharedInbox(GROUP)
    bot.database.commit_seconds = 1.0
    accepting = asyncio.create_task(bot.inbox.accept([test_inbox.make_update(1), test_inbox.make_update(2)]))
    await advance_time(0.5)
    bot.leases.own.clear()
    await accepting
    assert [row[:2] for row in bot.database.list_updates()] == [(1, "waiting"), (2, "waiting")]
    assert (bot.inbox.waiting_count, bot.leases.notification_count) == (0, 1)
    assert not bot.admission.waiting


@with_fake_time
async def test_update_found_before_its_commit_returns_is_handled_once() -> None:
    bot = SharedInbox(GROUP, seconds=5.0)
    bot.database.commit_seconds = 1.0
    accepting = asyncio.create_task(bot.inbox.accept([test_inbox.make_update(1)]))
    await advance_time(0.5)
    await bot.inbox.enqueue_backlog([QueuedUpdate(1, GROUP, json.dumps(test_inbox.make_update(1)))])
    await accepting
    assert bot.admission.waiting[GROUP, 0, "all"] == 1
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert not bot.admission.waiting


@with_fake_time
async def test_backlog_over_the_limit_is_dropped_in_owned_chats_only() -> None:
    bot = SharedInbox(GROUP, OTHER, seconds=60.0)
    many = [
        QueuedUpdate(number, lane, json.dumps(test_inbox.make_update(number, "/help", lane=lane)))
        for lane, first in ((GROUP, 1), (OTHER, 101))
        for number in range(first, first + 30)
    ]
    for one in many:
        bot.database.insert(
            inbox, update_id=one.update_id, lane=one.lane, body=one.body, state="waiting", at=1.0
        )
    bot.database.commit_seconds = 1.0
    enqueuing = asyncio.create_task(bot.inbox.enqueue_backlog(many))
    await advance_time(0.5)
    bot.leases.own.discard(OTHER)
    await enqueuing
    waiting = {number for number, state, *_ in bot.database.list_updates() if state == "waiting"}
    kept = len([number for number in waiting if number < 100])
    assert kept < 30
    assert waiting >= set(range(101, 131))
