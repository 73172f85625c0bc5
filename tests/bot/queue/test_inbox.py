"""Updates are stored before they are acknowledged, unless they are talk or too many."""

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, OperationalError

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue import queries
from bot.queue.admission import Admission, KindRules, UpdateKind
from bot.queue.inbox import Inbox, InboxFullError, InboxHooks
from bot.queue.queries import QueuedUpdate
from bot.queue.updates import Submission
from tests.bot.queue.queue_database import FULL_DISK, QueueDatabase
from tests.fake_time import START, advance_time, now, with_fake_time

GROUP, ANN = -100, 1
KINDS = KindRules({"help": UpdateKind.QUESTION, "doctor": UpdateKind.LOOKUP})


class Bot:
    """An inbox with a clock that the test sets; handled updates and error replies are recorded."""

    def __init__(self, hooks: InboxHooks | None = None, handle_seconds: float = 0.0) -> None:
        self.database = QueueDatabase()
        self.handle_seconds = handle_seconds
        self.handled: list[int] = []
        self.notes: list[Any] = []
        self.outage_began: float | None = None
        self.time = 1_000_000.0
        self.admission = Admission(rules=KINDS)
        self.inbox = Inbox(
            self.database.store, self._handle, self, lambda: self.time, self.admission, hooks, monotonic=now
        )

    async def _handle(self, incoming: QueuedUpdate) -> None:
        await asyncio.sleep(self.handle_seconds)
        self.database.run(lambda tx: queries.mark_done(tx, incoming.update_id, self.time))
        self.handled.append(incoming.update_id)

    async def report_failure(self, incoming: QueuedUpdate) -> None:
        self.notes.append(("gave up", incoming.update_id))

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        self.notes.append(("delayed", [incoming.update_id for incoming in updates]))


def make_update(
    number: int, text: str = "8/(3-8/3)", lane: int = GROUP, person: int = ANN, **more: Any
) -> dict[str, Any]:
    return {
        "update_id": number,
        "message": {"message_id": number, "chat": {"id": lane}, "from": {"id": person}, "text": text, **more},
    }


@with_fake_time
async def test_updates_are_stored_before_they_are_acknowledged() -> None:
    bot = Bot(handle_seconds=1.0)
    bot.database.commit_seconds = 2.0
    bot.outage_began = 1.0
    accepted = asyncio.create_task(bot.inbox.accept([make_update(1), make_update(2)]))
    await advance_time(1.9)
    assert not accepted.done()
    assert bot.inbox.waiting_count == 0
    await advance_time(0.2)
    assert accepted.done()
    assert [row[:2] for row in bot.database.list_updates()] == [(1, "waiting"), (2, "waiting")]
    assert bot.inbox.waiting_count == 2
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 2]
    assert bot.database.write_count == 1
    assert bot.outage_began is None


@with_fake_time
async def test_repeated_update_is_handled_once() -> None:
    bot = Bot()
    await bot.inbox.accept([make_update(1)])
    await bot.inbox.accept([make_update(1), make_update(2), make_update(2)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 2]
    assert not bot.admission.waiting


@with_fake_time
async def test_time_of_the_last_accepted_update_is_kept() -> None:
    bot = Bot()
    assert bot.inbox.last_accepted_at == 1_000_000.0
    bot.time = 1_000_005.0
    await bot.inbox.accept([make_update(1)])
    assert bot.inbox.last_accepted_at == 1_000_005.0
    bot.time = 1_000_009.0
    await bot.inbox.accept([Submission(3, "Ann", None, "en", GROUP, "supergroup", 0, "p1", bot.time)])
    assert bot.inbox.last_accepted_at == 1_000_005.0, "a tap on the board does not come from Telegram"
    assert bot.database.run(lambda tx: tx.scalars(inbox.select().with_only_columns(inbox.c.at)).all()) == [
        1_000_005.0,
        1_000_009.0,
    ]


@with_fake_time
async def test_talk_is_not_stored() -> None:
    overheard: list[Any] = []
    hooks = InboxHooks(
        lambda raw: raw["update_id"] == 2, lambda tx, raw: overheard.append((type(tx).__name__, raw))
    )
    bot = Bot(hooks)
    await bot.inbox.accept([make_update(1), make_update(2)])
    await bot.inbox.accept([make_update(2)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert [row[0] for row in bot.database.list_updates()] == [1]
    assert overheard == [("Connection", make_update(2))] * 2
    assert bot.inbox.count_updates_since(GROUP, 999_999.0) == 3


@with_fake_time
async def test_update_without_usable_id_is_a_dead_letter() -> None:
    bot = Bot()
    await bot.inbox.accept([{"message": {}}, make_update(0)])
    await bot.inbox.wait_until_idle()
    ((odd, state, _, trouble), (good, *_)) = bot.database.list_updates()
    assert odd < 0 == good
    assert (state, trouble) == ("dead", "no usable update_id")
    assert bot.handled == [0]


@with_fake_time
async def test_updates_over_the_limit_are_dropped_and_counted() -> None:
    bot = Bot(handle_seconds=1.0)
    await bot.inbox.accept([make_update(n, "/help") for n in range(12)])
    assert bot.inbox.dropped_count == 2
    assert bot.inbox.waiting_count == 10
    await bot.inbox.accept([make_update(n, "/help") for n in range(20, 23)])
    assert bot.inbox.dropped_count == 5
    await bot.inbox.close(0.0)


@pytest.mark.parametrize(("count", "size"), [(20_000, 0), (0, 64 * 2**20)])
@with_fake_time
async def test_full_inbox_accepts_no_update(count: int, size: int) -> None:
    bot = Bot()
    bot.inbox._lanes.waiting_count, bot.inbox._lanes.waiting_size = count, size
    with pytest.raises(InboxFullError, match=f"{count} updates wait"):
        await bot.inbox.accept([make_update(1)])
    assert bot.database.write_count == 0


@with_fake_time
async def test_full_disk_raises_and_accepts_nothing() -> None:
    bot = Bot()
    bot.database.errors = [FULL_DISK]
    with pytest.raises(OperationalError):
        await bot.inbox.accept([make_update(1), {"odd": 1}])
    assert bot.notes == [("delayed", [1])]
    assert bot.inbox.waiting_count == 0
    assert not bot.admission.waiting
    await bot.inbox.accept([make_update(1)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]


@with_fake_time
async def test_update_that_the_database_refuses_is_dead_lettered_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bot = Bot()
    refused = IntegrityError("INSERT", {}, Exception("constraint failed"))
    bot.database.errors = [refused]  # for the batch; then each update is stored by itself
    write, writes = bot.database.write, []

    async def write_and_fail_third(work: Callable[[Tx], Any], *, urgent: bool = False) -> Any:
        writes.append(1)
        if len(writes) == 3:
            bot.database.errors = [refused]
        return await write(work, urgent=urgent)

    bot.database.write = write_and_fail_third  # type: ignore[method-assign]
    await bot.inbox.accept([make_update(1), make_update(2), make_update(3)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 3]
    (line,) = caplog.messages
    assert line.partition(" (")[0] == "an update can't be stored as it is, it is set aside: Exception"
    assert not bot.admission.waiting
    (dead,) = bot.database.run(lambda tx: list(tx.execute(select(inbox).where(inbox.c.state == "dead"))))
    assert (dead.update_id, dead.trouble) == (2, "Exception: constraint failed")
    assert json.loads(json.loads(dead.body)["unreadable"]) == make_update(2)


@with_fake_time
async def test_updates_of_a_group_are_counted_by_time() -> None:
    bot = Bot()
    await bot.inbox.accept([make_update(1), make_update(2, lane=ANN), "garbage"])
    bot.time += 10.0
    await bot.inbox.accept([make_update(n) for n in range(3, 6)])
    assert bot.inbox.count_updates_since(GROUP, 999_999.0) == 4
    assert bot.inbox.count_updates_since(GROUP, 1_000_000.0) == 3
    assert bot.inbox.count_updates_since(GROUP, 1_000_010.0) == 0
    assert bot.inbox.count_updates_since(ANN, 0.0) == 0
    await bot.inbox.wait_until_idle()


@with_fake_time
async def test_deadline_waits_for_updates_sent_before_it() -> None:
    bot = Bot(handle_seconds=1.0)
    await bot.inbox.accept([make_update(1, date=999_990)])
    assert await bot.inbox.has_waiting(GROUP, 999_990.0)
    assert not await bot.inbox.has_waiting(GROUP, 999_989.0)
    await bot.inbox.wait_until_idle()
    assert not await bot.inbox.has_waiting(GROUP, 999_990.0)


@with_fake_time
async def test_close_finishes_the_running_update_only() -> None:
    bot = Bot(handle_seconds=1.0)
    await bot.inbox.accept([make_update(1), make_update(2)])
    await advance_time(0.5)
    await bot.inbox.close()
    assert bot.handled == [1]
    assert now() - START == 1.0


@with_fake_time
async def test_close_waits_three_seconds_at_most() -> None:
    bot = Bot(handle_seconds=100.0)
    await bot.inbox.accept([make_update(1)])
    await advance_time(0.5)
    await bot.inbox.close()
    assert now() - START == 3.5


@with_fake_time
async def test_deadline_of_a_group_waits_ten_seconds_for_private_chats() -> None:
    bot = Bot(handle_seconds=100.0)
    deadline = bot.time

    async def pass_time(seconds: float) -> None:
        bot.time += seconds
        await advance_time(seconds)

    async def has_waiting(*people: int) -> tuple[bool, bool]:
        of_people = await bot.inbox.has_waiting_answers(GROUP, people, deadline)
        return of_people, await bot.inbox.has_waiting_answers(GROUP, None, deadline)

    bot.time -= 20
    await bot.inbox.accept([make_update(1, lane=ANN, date=int(deadline) - 20)])
    await pass_time(29)
    assert await has_waiting(ANN) == (True, True)
    assert await has_waiting(2) == (False, True)
    await pass_time(2)
    assert await has_waiting(ANN) == (False, False)  # eleven seconds after the deadline
    await bot.inbox.accept(
        [make_update(2, lane=2, date=int(deadline)), make_update(3, lane=3, date=int(deadline) + 1)]
    )
    assert await has_waiting(ANN, 2) == (True, True)  # Telegram held it back
    assert await has_waiting(ANN, 3) == (False, True)
    await pass_time(11)
    assert await has_waiting(ANN, 2, 3) == (False, False)
    await bot.inbox.accept([make_update(4, date=int(deadline))])
    await pass_time(50)
    assert await has_waiting() == (True, True)  # without a limit in the group itself
    await bot.inbox.wait_until_idle()
    assert await has_waiting(ANN, 2, 3) == (False, False)
