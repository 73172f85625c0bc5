"""How arrivals are written down: together, and each by itself where one of them fails."""

import asyncio
from typing import Any

import pytest

from bot.database import Tx
from bot.database.schema import outbox
from bot.queue.deliveries import Delivery, DeliveryRecorder
from bot.queue.pacing import Lane
from bot.queue.queries import QueuedRequest
from tests.bot.queue.rows import FULL_DISK, Rows, queued
from tests.jumping import START, jumping, now, passed

GROUP, ANN = -100, 1


class Told:
    """Receipts on rows in memory; `told` is what features were told."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.told: list[tuple[str, Any]] = []
        self.receipts = DeliveryRecorder(self.rows.store, self._receipt, lambda: 500.0 + now() - START)
        self.lanes = {key: Lane(key) for key in (GROUP, ANN)}

    def _receipt(self, tx: Tx, about: str, result: Any) -> None:
        if about == "broken":
            raise ValueError(about)
        self.told.append((about, result))

    def request(self, lane: int = GROUP, method: str = "sendMessage") -> QueuedRequest:
        request = queued(self.rows, lane, {"method": method, "params": {}})
        self.lanes[lane].waiting.append(request)
        return request

    def arrived(self, request: QueuedRequest, **more: Any) -> "asyncio.Task[None]":
        lane = self.lanes[request.lane]
        return asyncio.create_task(self.receipts.record_delivery(lane, Delivery([request], **more)))


@jumping
async def test_what_arrived_is_deleted_and_leaves_its_lane() -> None:
    this = Told()
    one, other = this.request(), this.request()
    await this.arrived(one, about="deal:7", result={"message_id": 3})
    assert this.rows.requests() == [(other.id, "waiting")]
    assert this.lanes[GROUP].waiting == [other]
    assert this.told == [("deal:7", {"message_id": 3})]


@jumping
async def test_nothing_is_told_of_what_is_about_nothing() -> None:
    this = Told()
    await this.arrived(this.request(), result={"message_id": 3})
    assert this.told == []
    assert this.rows.requests() == []


@jumping
async def test_of_a_post_its_time_and_number_stay_and_of_older_ones_nothing() -> None:
    this = Told()
    for number, lane, at in ((91, GROUP, -401.0), (92, GROUP, -400.0), (93, ANN, -900.0)):
        this.rows.add(outbox, id=number, lane=lane, body="", state="sent", at=at)
    one, with_it = this.request(), this.request()
    await this.receipts.record_delivery(this.lanes[GROUP], Delivery([one, with_it], message_id=71))
    assert this.rows.requests() == [(92, "sent"), (93, "sent"), (one.id, "sent")]
    kept = this.rows.look(lambda tx: tx.execute(outbox.select().where(outbox.c.id == one.id)).one())
    assert (kept.at, kept.body) == (500.0, "71")


@jumping
async def test_what_arrives_during_a_commit_shares_the_next() -> None:
    this = Told()
    this.rows.takes = 1.0
    requests = [this.request(lane) for lane in (GROUP, ANN, GROUP, ANN)]
    first = this.arrived(requests[0])
    await passed(0.5)
    others = [this.arrived(request) for request in requests[1:]]
    await passed(0.5)
    assert [told.done() for told in (first, *others)] == [True, False, False, False]
    await passed(1.0)
    assert [told.done() for told in (first, *others)] == [True] * 4
    assert this.rows.writes == 2
    assert this.rows.requests() == []


@jumping
async def test_a_post_is_marked_urgently_and_waits_for_nothing_else_that_arrived() -> None:
    this = Told()
    this.rows.takes = 1.0
    edits = [this.request(lane, "editMessageText") for lane in (GROUP, ANN)]
    first = this.arrived(edits[0])
    await passed(0.5)
    assert this.rows.urgent == 0
    others = [this.arrived(request) for request in (this.request(), edits[1])]
    await passed(1.0)
    assert [told.done() for told in (first, *others)] == [True, True, False]
    await passed(1.0)
    assert this.rows.requests() == []
    assert (this.rows.writes, this.rows.urgent) == (3, 1)


@jumping
async def test_one_that_fails_keeps_no_other_from_being_written() -> None:
    this = Told()
    this.rows.takes = 1.0
    requests = [this.request() for _ in range(4)]
    tasks = [this.arrived(requests[0])]
    await passed(0.5)
    tasks += [this.arrived(r, about=a) for r, a in zip(requests[1:], ("a", "broken", "b"), strict=True)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), type(None), ValueError, type(None)]
    assert this.rows.requests() == [(requests[2].id, "waiting")]
    assert this.lanes[GROUP].waiting == [requests[2]]
    assert [about for about, _ in this.told if about in "ab"][-2:] == ["a", "b"]


@jumping
async def test_of_two_only_the_one_that_fails_is_not_written() -> None:
    this = Told()
    good, bad = this.request(), this.request()
    tasks = [this.arrived(good, about="a"), this.arrived(bad, about="broken")]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), ValueError]
    assert this.rows.requests() == [(bad.id, "waiting")]


@jumping
async def test_one_alone_that_fails_says_so() -> None:
    this = Told()
    with pytest.raises(ValueError, match="broken"):
        await this.arrived(this.request(), about="broken")
    await this.arrived(this.request())
    assert this.rows.writes == 2


@jumping
async def test_a_full_disk_is_waited_for() -> None:
    this = Told()
    this.rows.troubles = [FULL_DISK, FULL_DISK]
    await this.arrived(this.request())
    assert now() - START == 1.0
    assert this.rows.requests() == []


@jumping
async def test_who_waits_no_more_does_not_disturb_the_others() -> None:
    this = Told()
    this.rows.takes = 1.0
    one, other = this.arrived(this.request()), this.arrived(this.request())
    await passed(0.5)
    one.cancel()
    await other
    assert this.rows.requests() == []


@jumping
async def test_closing_lets_go_of_what_cant_be_written() -> None:
    this = Told()
    await this.receipts.close()
    this.rows.troubles = [FULL_DISK] * 100
    task = this.arrived(this.request())
    await passed(1.0)
    await this.receipts.close()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert now() - START == 1.0


@jumping
async def test_what_can_never_arrive_is_dead() -> None:
    this = Told()
    one, other = this.request(), this.request()
    await this.receipts.dead_letter(this.lanes[GROUP], [one], "Forbidden")
    assert this.rows.requests() == [(one.id, "dead"), (other.id, "waiting")]
    assert this.lanes[GROUP].waiting == [other]
    assert this.rows.urgent == 1
