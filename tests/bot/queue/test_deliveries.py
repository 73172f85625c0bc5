"""Deliveries are stored together, and each by itself if one of them fails."""

import asyncio
from typing import Any

from bot.database import Tx
from bot.queue.pacing import Lane
from bot.queue.queries import QueuedRequest
from bot.queue.sender import Delivery, DeliveryRecorder
from tests.bot.queue.queue_database import FULL_DISK, QueueDatabase
from tests.fake_time import START, advance_time, now, with_fake_time

GROUP, ANN = -100, 1


class Recording:
    def __init__(self) -> None:
        self.database = QueueDatabase()
        self.notified: list[tuple[str, Any]] = []
        self.recorder = DeliveryRecorder(self.database.store, self._notify, lambda: 500.0 + now() - START)
        self.lanes = {key: Lane(key) for key in (GROUP, ANN)}

    def _notify(self, tx: Tx, about: str, result: Any) -> None:
        if about == "broken":
            raise ValueError(about)
        self.notified.append((about, result))

    def request(self, lane: int = GROUP, method: str = "sendMessage") -> QueuedRequest:
        request = self.database.insert_request(lane, {"method": method, "params": {}})
        self.lanes[lane].waiting.append(request)
        return request

    def record(self, request: QueuedRequest, **more: Any) -> "asyncio.Task[None]":
        lane = self.lanes[request.lane]
        return asyncio.create_task(self.recorder.record_delivery(lane, Delivery([request], **more)))


@with_fake_time
async def test_deliveries_during_a_commit_share_the_next_one() -> None:
    recording = Recording()
    recording.database.commit_seconds = 1.0
    requests = [recording.request(lane) for lane in (GROUP, ANN, GROUP, ANN)]
    first = recording.record(requests[0])
    await advance_time(0.5)
    others = [recording.record(request) for request in requests[1:]]
    await advance_time(0.5)
    assert [task.done() for task in (first, *others)] == [True, False, False, False]
    await advance_time(1.0)
    assert [task.done() for task in (first, *others)] == [True] * 4
    assert recording.database.write_count == 2
    assert recording.database.list_requests() == []


@with_fake_time
async def test_post_is_recorded_before_waiting_edits() -> None:
    recording = Recording()
    recording.database.commit_seconds = 1.0
    edits = [recording.request(lane, "editMessageText") for lane in (GROUP, ANN)]
    first = recording.record(edits[0])
    await advance_time(0.5)
    assert recording.database.urgent_count == 0
    others = [recording.record(request) for request in (recording.request(), edits[1])]
    await advance_time(1.0)
    assert [task.done() for task in (first, *others)] == [True, True, False]
    await advance_time(1.0)
    assert recording.database.list_requests() == []
    assert (recording.database.write_count, recording.database.urgent_count) == (3, 1)


@with_fake_time
async def test_failed_recording_does_not_affect_others() -> None:
    recording = Recording()
    recording.database.commit_seconds = 1.0
    requests = [recording.request() for _ in range(4)]
    tasks = [recording.record(requests[0])]
    await advance_time(0.5)
    tasks += [recording.record(r, about=a) for r, a in zip(requests[1:], ("a", "broken", "b"), strict=True)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), type(None), ValueError, type(None)]
    assert recording.database.list_requests() == [(requests[2].id, "waiting")]
    assert recording.lanes[GROUP].waiting == [requests[2]]
    assert [about for about, _ in recording.notified if about in "ab"][-2:] == ["a", "b"]


@with_fake_time
async def test_full_disk_is_waited_out() -> None:
    recording = Recording()
    recording.database.errors = [FULL_DISK, FULL_DISK]
    await recording.record(recording.request())
    assert now() - START == 1.0
    assert recording.database.list_requests() == []


@with_fake_time
async def test_cancelled_recording_does_not_affect_others() -> None:
    recording = Recording()
    recording.database.commit_seconds = 1.0
    one, other = recording.record(recording.request()), recording.record(recording.request())
    await advance_time(0.5)
    one.cancel()
    await other
    assert recording.database.list_requests() == []
