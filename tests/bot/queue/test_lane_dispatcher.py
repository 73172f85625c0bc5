"""Order of updates within a lane, lanes in parallel, and searches in lanes of their own."""

import asyncio

from bot.queue.admission import UpdateKind
from bot.queue.inbox import LaneDispatcher
from bot.queue.queries import QueuedUpdate
from tests.fake_time import START, advance_time, now, with_fake_time

GROUP, ANN, BOB = -100, 1, 2


class Dispatching:
    """A dispatcher whose handler takes a while and records each update."""

    def __init__(self, handle_seconds: float = 1.0) -> None:
        self.handle_seconds = handle_seconds
        self.started: list[tuple[float, int]] = []  # When, and which
        self.tokens: list[int] = []
        self.refused: list[int] = []
        self.done: list[int] = []
        self.max_running = self._running = 0
        self.dispatcher = LaneDispatcher(
            self._handle, lambda incoming: self.done.append(incoming.update_id), now
        )

    async def _handle(self, incoming: QueuedUpdate) -> None:
        self.tokens.append(incoming.lease_token)
        self.started.append((round(now() - START, 6), incoming.update_id))
        if incoming.is_refused:
            self.refused.append(incoming.update_id)
        self._running += 1
        self.max_running = max(self.max_running, self._running)
        await asyncio.sleep(self.handle_seconds)
        self._running -= 1

    def add(self, *updates: QueuedUpdate) -> None:
        for incoming in updates:
            self.dispatcher.add(incoming)


def make_update(
    number: int, lane: int = GROUP, kind: UpdateKind = UpdateKind.ANSWER, person: int = ANN, body: str = "{}"
) -> QueuedUpdate:
    return QueuedUpdate(number, lane, body, kind=kind, person_id=person)


@with_fake_time
async def test_updates_of_a_chat_are_handled_one_by_one_in_order() -> None:
    dispatching = Dispatching()
    dispatching.add(make_update(1), make_update(2, person=BOB), make_update(3))
    await dispatching.dispatcher.wait_until_idle()
    assert dispatching.started == [(0.0, 1), (1.0, 2), (2.0, 3)]
    assert dispatching.done == [1, 2, 3]


@with_fake_time
async def test_32_chats_are_served_at_once() -> None:
    dispatching = Dispatching()
    dispatching.add(*(make_update(n, lane=-n) for n in range(1, 50)))
    await dispatching.dispatcher.wait_until_idle()
    assert dispatching.max_running == 32
    assert [n for at, n in dispatching.started if at == 0.0] == list(range(1, 33))
    assert now() - START == 2.0


@with_fake_time
async def test_8_searches_run_beside_the_chats() -> None:
    dispatching = Dispatching()
    dispatching.add(
        *(make_update(n, n, UpdateKind.SEARCH, n) for n in range(1, 20)),
        *(make_update(50 + n, -n) for n in range(1, 5)),
    )
    await advance_time()
    assert dispatching.max_running == 8 + 4
    await dispatching.dispatcher.wait_until_idle()


@with_fake_time
async def test_search_delays_no_other_update() -> None:
    dispatching = Dispatching()
    dispatching.add(make_update(1, kind=UpdateKind.SEARCH))
    await advance_time(0.25)
    dispatching.add(make_update(2, person=BOB), make_update(3))
    await dispatching.dispatcher.wait_until_idle()
    assert dispatching.started == [(0.0, 1), (0.25, 2), (1.25, 3)]


@with_fake_time
async def test_lookup_waits_for_earlier_updates_of_its_person() -> None:
    dispatching = Dispatching()
    dispatching.add(make_update(1), make_update(2, person=BOB), make_update(3))
    await advance_time(0.25)
    dispatching.add(make_update(4, kind=UpdateKind.LOOKUP))
    await advance_time(0.25)
    dispatching.add(make_update(5))
    await dispatching.dispatcher.wait_until_idle()
    assert sorted(dispatching.started) == [(0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4), (3.0, 5)]


@with_fake_time
async def test_lookup_does_not_wait_for_other_people() -> None:
    dispatching = Dispatching()
    dispatching.add(make_update(1, person=BOB), make_update(2, kind=UpdateKind.LOOKUP))
    await advance_time()
    assert [n for _, n in dispatching.started] == [1, 2]
    await dispatching.dispatcher.wait_until_idle()


@with_fake_time
async def test_search_is_refused_after_two_seconds() -> None:
    dispatching = Dispatching(handle_seconds=1.5)
    dispatching.add(*(make_update(n, kind=UpdateKind.SEARCH) for n in (1, 2, 3)))
    await advance_time(0.25)
    dispatching.add(make_update(4), make_update(5))
    await dispatching.dispatcher.wait_until_idle()
    assert dispatching.refused == [3]


@with_fake_time
async def test_waiting_updates_are_counted() -> None:
    dispatching = Dispatching()
    assert (dispatching.dispatcher.waiting_count, dispatching.dispatcher.waiting_size) == (0, 0)
    dispatching.add(make_update(1, body="12345"), make_update(2, body="123"))
    assert (dispatching.dispatcher.waiting_count, dispatching.dispatcher.waiting_size) == (2, 8)
    await advance_time(1.0)
    assert (dispatching.dispatcher.waiting_count, dispatching.dispatcher.waiting_size) == (1, 3)
    await dispatching.dispatcher.wait_until_idle()
    assert (dispatching.dispatcher.waiting_count, dispatching.dispatcher.waiting_size) == (0, 0)
    assert now() - START == 2.0


@with_fake_time
async def test_close_finishes_the_running_update_only() -> None:
    dispatching = Dispatching(handle_seconds=2.0)
    dispatching.add(make_update(1), make_update(2), make_update(3, kind=UpdateKind.LOOKUP))
    await advance_time(0.5)
    await dispatching.dispatcher.close(3.0)
    assert now() - START == 2.0
    assert dispatching.done == [1]
    assert dispatching.dispatcher.closing
    assert asyncio.all_tasks() == {asyncio.current_task()}


@with_fake_time
async def test_close_waits_no_longer_than_its_patience() -> None:
    dispatching = Dispatching(handle_seconds=100.0)
    dispatching.add(make_update(1))
    await advance_time(0.5)
    await dispatching.dispatcher.close(3.0)
    assert now() - START == 3.5
    assert dispatching.done == []
    assert asyncio.all_tasks() == {asyncio.current_task()}
