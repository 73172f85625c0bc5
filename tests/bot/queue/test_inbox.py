"""What is stored before it is acknowledged, what is not, and what is known of the clocks."""

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
from tests.bot.queue.rows import FULL_DISK, Rows
from tests.jumping import START, jumping, now, passed

GROUP, ANN = -100, 1
KINDS = KindRules({"help": UpdateKind.QUESTION, "doctor": UpdateKind.LOOKUP})


class Bot:
    """An inbox whose handler and apologies are noted, with a clock that the test sets."""

    def __init__(self, hearing: InboxHooks | None = None, takes: float = 0.0) -> None:
        self.rows = Rows()
        self.takes = takes
        self.handled: list[int] = []
        self.notes: list[Any] = []
        self.wall = 1_000_000.0
        self.admission = Admission(rules=KINDS)
        self.inbox = Inbox(
            self.rows.store, self._handle, self, lambda: self.wall, self.admission, hearing, monotonic=now
        )

    async def _handle(self, incoming: QueuedUpdate) -> None:
        await asyncio.sleep(self.takes)
        self.rows.look(lambda tx: queries.mark_done(tx, incoming.update_id, self.wall))
        self.handled.append(incoming.update_id)

    async def report_failure(self, incoming: QueuedUpdate) -> None:
        self.notes.append(("gave up", incoming.update_id))

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        self.notes.append(("delayed", [incoming.update_id for incoming in updates]))

    def end_outage(self) -> None:
        self.notes.append("relieved")


def said(
    number: int, text: str = "8/(3-8/3)", lane: int = GROUP, person: int = ANN, **more: Any
) -> dict[str, Any]:
    return {
        "update_id": number,
        "message": {"message_id": number, "chat": {"id": lane}, "from": {"id": person}, "text": text, **more},
    }


@jumping
async def test_updates_are_stored_before_they_are_acknowledged_and_handled_after() -> None:
    bot = Bot(takes=1.0)
    bot.rows.takes = 2.0
    accepted = asyncio.create_task(bot.inbox.accept([said(1), said(2)]))
    await passed(1.9)
    assert not accepted.done()
    assert bot.inbox.waiting_count == 0
    await passed(0.2)
    assert accepted.done()
    assert [row[:2] for row in bot.rows.updates()] == [(1, "waiting"), (2, "waiting")]
    assert bot.inbox.waiting_count == 2
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 2]
    assert bot.rows.writes == 1
    assert bot.notes == ["relieved"]


@jumping
async def test_nothing_is_written_for_nothing() -> None:
    bot = Bot()
    await bot.inbox.accept([])
    assert bot.rows.writes == 0


@jumping
async def test_a_repeat_is_handled_once_and_waits_for_nothing() -> None:
    bot = Bot()
    await bot.inbox.accept([said(1)])
    await bot.inbox.accept([said(1), said(2), said(2)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 2]
    assert not bot.admission.waiting
    assert not bot.admission.waiting


@jumping
async def test_when_updates_were_last_stored_is_known() -> None:
    bot = Bot()
    assert bot.inbox.last_accepted_at == 1_000_000.0
    bot.wall = 1_000_005.0
    await bot.inbox.accept([said(1)])
    assert bot.inbox.last_accepted_at == 1_000_005.0
    bot.wall = 1_000_009.0
    await bot.inbox.accept([said(2)], from_board=True)
    assert bot.inbox.last_accepted_at == 1_000_005.0, "a tap on the board says nothing of how Telegram posts"
    assert bot.rows.look(lambda tx: tx.scalars(inbox.select().with_only_columns(inbox.c.at)).all()) == [
        1_000_005.0,
        1_000_009.0,
    ]


@jumping
async def test_talk_is_not_stored_but_overheard() -> None:
    heard: list[Any] = []
    hearing = InboxHooks(
        lambda raw: raw["update_id"] == 2, lambda tx, raw: heard.append((type(tx).__name__, raw))
    )
    bot = Bot(hearing)
    await bot.inbox.accept([said(1), said(2)])
    await bot.inbox.accept([said(2)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert [row[0] for row in bot.rows.updates()] == [1]
    assert heard == [("Connection", said(2))] * 2
    assert bot.inbox.count_updates_since(GROUP, 999_999.0) == 3


@jumping
async def test_without_a_usable_id_an_update_is_dead_at_once() -> None:
    bot = Bot()
    await bot.inbox.accept([{"message": {}}, said(0)])
    await bot.inbox.wait_until_idle()
    ((odd, state, _, trouble), (good, *_)) = bot.rows.updates()
    assert odd < 0 == good
    assert (state, trouble) == ("dead", "no usable update_id")
    assert bot.handled == [0]


@jumping
async def test_a_press_is_hashed_with_the_bots_own_key() -> None:
    presses = []
    for key in (b"one", b"two"):
        bot = Bot(InboxHooks(press_key=key))
        await bot.inbox.accept([{"update_id": 1, "callback_query": {"id": "5", "from": {"id": ANN}}}])
        presses.append(bot.rows.look(lambda tx: tx.scalar(inbox.select().with_only_columns(inbox.c.press))))
        await bot.inbox.wait_until_idle()
    assert presses[0] != presses[1]


@jumping
async def test_who_sends_too_much_is_dropped_and_counted() -> None:
    bot = Bot(takes=1.0)
    await bot.inbox.accept([said(n, "/help") for n in range(12)])
    assert bot.inbox.dropped_count == 2
    assert bot.inbox.waiting_count == 10
    await bot.inbox.accept([said(n, "/help") for n in range(20, 23)])
    assert bot.inbox.dropped_count == 5
    await bot.inbox.close(0.0)


@pytest.mark.parametrize(("wait", "full"), [(19_999, False), (20_000, True)])
@jumping
async def test_so_many_updates_may_wait(wait: int, full: bool) -> None:
    bot = Bot()
    bot.inbox._lanes.waiting_count = wait
    if not full:
        await bot.inbox.accept([said(1)])
        return
    with pytest.raises(InboxFullError, match="20000 updates wait"):
        await bot.inbox.accept([said(1)])
    assert bot.rows.writes == 0


@pytest.mark.parametrize(("size", "full"), [(64 * 2**20 - 1, False), (64 * 2**20, True)])
@jumping
async def test_so_many_bytes_may_wait(size: int, full: bool) -> None:
    bot = Bot()
    bot.inbox._lanes.waiting_size = size
    if not full:
        await bot.inbox.accept([said(1)])
        return
    with pytest.raises(InboxFullError):
        await bot.inbox.accept([said(1)])


@jumping
async def test_a_full_disk_takes_nothing_and_says_so() -> None:
    bot = Bot()
    bot.rows.troubles = [FULL_DISK]
    with pytest.raises(OperationalError):
        await bot.inbox.accept([said(1), {"odd": 1}])
    assert bot.notes == [("delayed", [1])]
    assert bot.inbox.waiting_count == 0
    assert not bot.admission.waiting
    await bot.inbox.accept([said(1)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]


@jumping
async def test_one_that_the_database_refuses_is_set_aside_alone(caplog: pytest.LogCaptureFixture) -> None:
    bot = Bot()
    refused = IntegrityError("INSERT", {}, Exception("constraint failed"))
    bot.rows.troubles = [refused]  # all of them together; then each by itself
    write, seen = bot.rows.write, []

    async def picky(work: Callable[[Tx], Any], *, urgent: bool = False) -> Any:
        seen.append(1)
        if len(seen) == 3:
            bot.rows.troubles = [refused]
        return await write(work, urgent=urgent)

    bot.rows.write = picky  # type: ignore[method-assign]
    await bot.inbox.accept([said(1), said(2), said(3)])
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1, 3]
    (line,) = caplog.messages
    assert line.partition(" (")[0] == "an update can't be stored as it is, it is set aside: Exception"
    assert not bot.admission.waiting
    (dead,) = bot.rows.look(lambda tx: list(tx.execute(select(inbox).where(inbox.c.state == "dead"))))
    assert (dead.update_id, dead.trouble) == (2, "Exception: constraint failed")
    assert json.loads(json.loads(dead.body)["unreadable"]) == said(2)


@jumping
async def test_a_start_goes_on_with_what_was_not_finished() -> None:
    bot = Bot()
    bot.rows.add(inbox, update_id=1, lane=GROUP, body='{"update_id": 1}', state="waiting", at=1.0)
    bot.rows.add(inbox, update_id=2, lane=GROUP, body="", state="done", at=1.0)
    await bot.inbox.resume()
    assert bot.inbox.waiting_count == 1
    assert bot.admission.waiting[GROUP, 0, "all"] == 1
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert not bot.admission.waiting


@jumping
async def test_telegrams_time_is_this_machines_but_for_what_it_is_ahead() -> None:
    bot = Bot()
    bot.inbox.watermark.clock_ahead = 30.0
    assert bot.inbox.read_local_time() == 1_000_000.0
    assert bot.inbox.now() == 999_970.0


@jumping
async def test_a_clock_that_is_set_is_seen_by_one_that_nobody_sets() -> None:
    bot = Bot()
    bot.inbox.read_uptime = lambda: 50.0
    bot.inbox.read_local_time()
    bot.wall += 3600.0
    assert bot.inbox.read_local_time() == 1_003_600.0
    assert bot.inbox.watermark.clock_ahead == 3600.0


@jumping
async def test_a_message_from_the_future_shows_that_the_clock_is_behind() -> None:
    bot = Bot()
    await bot.inbox.accept([said(1, date=1_000_060)])
    assert bot.inbox.watermark.clock_ahead == -60.0
    await bot.inbox.wait_until_idle()


@jumping
async def test_how_busy_a_group_is() -> None:
    bot = Bot()
    await bot.inbox.accept([said(1), said(2, lane=ANN), "garbage"])
    bot.wall += 10.0
    await bot.inbox.accept([said(n) for n in range(3, 6)])
    assert bot.inbox.count_updates_since(GROUP, 999_999.0) == 4
    assert bot.inbox.count_updates_since(GROUP, 1_000_000.0) == 3
    assert bot.inbox.count_updates_since(GROUP, 1_000_010.0) == 0
    assert bot.inbox.count_updates_since(ANN, 0.0) == 0
    await bot.inbox.wait_until_idle()


@jumping
async def test_of_a_group_so_many_are_counted() -> None:
    bot = Bot(InboxHooks(lambda raw: True))
    await bot.inbox.accept([said(n) for n in range(150)])
    assert bot.inbox.count_updates_since(GROUP, 0.0) == 100


@jumping
async def test_a_deadline_is_held_by_what_was_sent_before_it() -> None:
    bot = Bot(takes=1.0)
    await bot.inbox.accept([said(1, date=999_990)])
    assert await bot.inbox.has_waiting(GROUP, 999_990.0)
    assert not await bot.inbox.has_waiting(GROUP, 999_989.0)
    await bot.inbox.wait_until_idle()
    assert not await bot.inbox.has_waiting(GROUP, 999_990.0)


@jumping
async def test_what_others_stored_is_queued_once_and_in_order() -> None:
    bot = Bot()
    bot.rows.add(inbox, update_id=1, lane=GROUP, body=json.dumps(said(1)), state="waiting", at=1.0)
    stored = QueuedUpdate(1, GROUP, json.dumps(said(1)))
    await bot.inbox.enqueue_backlog([stored, stored])
    assert bot.inbox.waiting_count == 1
    await bot.inbox.wait_until_idle()
    assert bot.handled == [1]
    assert not bot.admission.waiting


@jumping
async def test_what_is_left_for_the_next_start_is_not_taken_up_again() -> None:
    bot = Bot()
    bot.inbox._handler.postponed.add(1)
    await bot.inbox.enqueue_backlog([QueuedUpdate(1, GROUP, json.dumps(said(1)))])
    await bot.inbox.wait_until_idle()
    assert bot.handled == []


@jumping
async def test_what_others_stored_beyond_a_share_is_marked_done() -> None:
    bot, many = Bot(takes=1.0), [said(n, "/help") for n in range(60)]
    for raw in many:
        bot.rows.add(
            *(inbox,), update_id=raw["update_id"], lane=GROUP, body=json.dumps(raw), state="waiting", at=1.0
        )
    await bot.inbox.enqueue_backlog([QueuedUpdate(raw["update_id"], GROUP, json.dumps(raw)) for raw in many])
    assert 0 < bot.inbox.waiting_count < 60
    states = [row[1] for row in bot.rows.updates()]
    assert (states.count("waiting"), states.count("done")) == (
        bot.inbox.waiting_count,
        60 - bot.inbox.waiting_count,
    )


@jumping
async def test_closing_tries_nothing_again() -> None:
    bot = Bot(takes=1.0)
    await bot.inbox.accept([said(1), said(2)])
    await passed(0.5)
    await bot.inbox.close()
    assert bot.handled == [1]
    assert now() - START == 1.0
    assert bot.inbox._handler.closing
    await bot.inbox._handler.handle(QueuedUpdate(9, GROUP, "{}"))
    assert bot.handled == [1]


@jumping
async def test_closing_waits_for_three_seconds() -> None:
    bot = Bot(takes=100.0)
    await bot.inbox.accept([said(1)])
    await passed(0.5)
    await bot.inbox.close()
    assert now() - START == 3.5


@jumping
async def test_what_is_requeued_is_sorted_and_counted_like_the_rest() -> None:
    bot = Bot(takes=5.0)
    bot.inbox.enqueue([QueuedUpdate(1, GROUP, '{"message": {"text": "/doctor", "from": {"id": 1}}}')])
    assert bot.admission.waiting[GROUP, ANN, "commands"] == 1
    await bot.inbox.wait_until_idle()
    assert not bot.admission.waiting


@jumping
async def test_a_groups_deadline_waits_for_a_private_chat_only_so_long() -> None:
    bot = Bot(takes=100.0)
    until = bot.wall

    async def goes_by(seconds: float) -> None:
        bot.wall += seconds
        await passed(seconds)

    async def waited(*people: int) -> tuple[bool, bool]:
        mine = await bot.inbox.has_waiting_answers(GROUP, people, until)
        return mine, await bot.inbox.has_waiting_answers(GROUP, None, until)

    bot.wall -= 20
    await bot.inbox.accept([said(1, lane=ANN, date=int(until) - 20)])
    await goes_by(29)
    assert await waited(ANN) == (True, True)
    assert await waited(2) == (False, True)
    await goes_by(2)
    assert await waited(ANN) == (False, False)  # eleven seconds after the deadline
    await bot.inbox.accept([said(2, lane=2, date=int(until)), said(3, lane=3, date=int(until) + 1)])
    assert await waited(ANN, 2) == (True, True)  # it had been held back
    assert await waited(ANN, 3) == (False, True)
    await goes_by(11)
    assert await waited(ANN, 2, 3) == (False, False)
    await bot.inbox.accept([said(4, date=int(until))])
    await goes_by(50)
    assert await waited() == (True, True)  # in the group itself as long as it takes
    await bot.inbox.wait_until_idle()
    assert await waited(ANN, 2, 3) == (False, False)


@pytest.mark.parametrize("own", [True, False])
async def test_only_pages_of_the_bots_own_may_say_that_something_is_a_tap(own: bool) -> None:
    bot = Bot()
    await bot.inbox.accept([said(1, board={"press": "x"})], from_board=own)
    stored = bot.rows.look(lambda tx: list(tx.scalars(select(inbox.c.body))))
    assert ["board" in json.loads(body)["message"] for body in stored] == [own]
    await bot.inbox.wait_until_idle()
