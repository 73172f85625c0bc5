"""Several bots on one PostgreSQL database, in one process. Skipped where no server answers."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from bot.database import (
    AccessMode,
    Postgresql,
    Store,
    StoreError,
    Tx,
)
from bot.database.migrations import HEAD
from bot.metrics import Connectivity, Pulse
from bot.queue import queries as queues
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import LaneLostError, QueuedUpdate
from bot.queue.rendering import OutboxHooks
from bot.queue.replicas import queries, replica
from bot.queue.replicas.replica import Replica
from bot.queue.replicas.settings_comparison import (
    ANOTHER_ADDRESS,
    make_shared_settings,
)
from bot.queue.replicas.telegram_contact import TelegramContact
from bot.queue.updates import read_uptime
from bot.telegram.messages import post_message
from tests.bot.postgres import migrated_database, run_as_owner
from tests.metric_counter import MetricCounter

pytestmark = pytest.mark.long

LEASE, BRIEF = 30.0, 1.5
SOON = "extract(epoch FROM clock_timestamp()) + 20"  # Expiry of a replica that no test deletes
QUICK = {
    "LEASE_SECONDS": LEASE,
    "RENEWAL_INTERVAL": 0.1,
    "LEASE_MARGIN": 0.1,
    "LOOK_INTERVAL": 0.03,
    "TIDY_INTERVAL": 0.0,
}
GROUP, OTHER = -100, -200


@pytest.fixture(autouse=True)
def _shorten_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all intervals, and leave leases long enough for a busy machine."""
    for name, seconds in QUICK.items():
        monkeypatch.setattr(replica, name, seconds)
    monkeypatch.setattr(replica, "JOIN_TIMEOUT", 0.3)


@pytest.fixture
def _shorten_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let leases of silent bots expire soon."""
    monkeypatch.setattr(replica, "LEASE_SECONDS", BRIEF)


@dataclass
class Bot:
    """One of several bots; handled updates and sent posts are recorded."""

    store: Store
    leases: Replica
    outbox: Outbox
    handled: list[int] = field(default_factory=list)
    posts: list[tuple[int, str]] = field(default_factory=list)  # Chat and text
    unblocked: asyncio.Event = field(default_factory=asyncio.Event)  # Handling waits for it
    running: list[asyncio.Task[None]] = field(default_factory=list)
    led: int = 0
    pulse: Pulse = field(default_factory=lambda: Pulse(time.monotonic()))
    connectivity: Connectivity = field(default_factory=Connectivity)
    inbox: Inbox = field(init=False)

    @property
    def sent(self) -> list[str]:
        """Return the texts that the bot sent."""
        return [text for _, text in self.posts]

    def list_sent_to(self, chat: int) -> list[str]:
        return [text for where, text in self.posts if where == chat]

    def __post_init__(self) -> None:
        self.unblocked.set()
        self.inbox = Inbox(self.store, self.handle, NoReplies(), leases=self.leases)

    async def handle(self, incoming: QueuedUpdate) -> None:
        """Answer with the update's own text, in the chat that it names."""
        message = json.loads(incoming.body)["message"]
        await self.unblocked.wait()

        def answer(tx: Tx) -> list[queues.QueuedRequest]:
            if not self.leases.mark_done(tx, incoming, 0.0):
                return []
            return [queues.insert_request(tx, post_message(message["to"], message["text"]), 0.0)]

        requests = await self.store.write(answer)
        self.outbox.enqueue(requests)
        # A look at the waiting updates may bring one that was just done; then nothing is written.
        if requests:
            self.handled.append(incoming.update_id)

    async def start(self, *parts: Callable[[], Awaitable[None]]) -> None:
        self.leases.connect(
            self.inbox, self.outbox, TelegramContact(self.pulse, self.connectivity, self.try_telegram)
        )
        await self.leases.join()
        for part in parts or (self.leases.keep_lease, self.leases.take_work):
            self.running.append(asyncio.ensure_future(part()))

    async def try_telegram(self) -> None:
        self.connectivity.record_answer()

    async def lead(self) -> None:
        """Count the bot as leader until cancelled."""
        self.led += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.led -= 1

    async def freeze(self) -> None:
        """Stop everything except running handlers and requests."""
        for part in self.running:
            part.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        self.running.clear()

    async def close(self) -> None:
        await self.freeze()
        self.unblocked.set()
        await self.inbox.close()
        await self.outbox.close()
        await self.leases.leave()
        await self.store.close()


class NoReplies:
    outage_began: float | None = None

    async def report_failure(self, incoming: QueuedUpdate) -> None: ...
    def report_delay(self, updates: Any) -> None: ...


BotFactory = Callable[..., Awaitable[Bot]]


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with migrated_database() as made:
        yield made


@pytest.fixture
async def make_bot(url: URL) -> AsyncIterator[BotFactory]:
    async with AsyncExitStack() as stack:

        async def make(bot_id: int = 7, webhook: str | None = None, secrets: Sequence[str] = ()) -> Bot:
            store = await Store.open(url, AccessMode.SHARED)
            posts: list[tuple[int, str]] = []

            async def ask(_: str, params: Mapping[str, Any]) -> Any:
                posts.append((params["chat_id"], params["text"]))
                return {"message_id": len(posts), "date": 0}

            leases = Replica(server(store), make_shared_settings(bot_id, webhook, secrets))
            hooks = OutboxHooks(
                {}, lambda *_: {}, lambda *_: True, lambda *_: None, lambda *_, **__: False, lambda *_: None
            )
            made = Bot(
                store,
                leases,
                Outbox(store, ask, hooks, Pace(posts_a_minute=10**6), leases=leases),
                posts=posts,
            )
            stack.push_async_callback(made.close)
            return made

        yield make


def server(store: Store) -> Postgresql:
    assert store.shared_server
    return store.shared_server


def make_update(number: int, lane: int = GROUP, *, to: int | None = None) -> dict[str, Any]:
    """Return an update whose text is its number."""
    chat = {"id": lane, "type": "supergroup"}
    message = {"message_id": number, "date": 0, "chat": chat, "text": str(number), "to": to or lane}
    return {"update_id": number, "message": message}


async def wait_until(condition: Callable[[], object], within: float = 60.0) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def wait_until_async(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.02)


async def test_chat_is_served_by_one_bot_in_order(
    make_bot: BotFactory,
) -> None:
    bots = [await make_bot() for _ in range(3)]
    for each in bots:
        await each.start()
    for number in range(1, 31):
        await bots[number % 3].inbox.accept([make_update(number)])
    await wait_until(lambda: sum(len(each.handled) for each in bots) == 30)
    (owner,) = [each for each in bots if each.handled]
    assert owner.handled == list(range(1, 31))
    await wait_until(lambda: len(owner.sent) == 30)
    assert owner.sent == [str(number) for number in range(1, 31)]
    assert not any(each.sent for each in bots if each is not owner)


async def test_bot_that_slept_surely_owns_nothing(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The monotonic clock stood still meanwhile, so another bot may own the chats."""
    one = await make_bot()
    await one.start()
    await one.inbox.accept([make_update(1)])
    await wait_until(lambda: one.leases.surely_owns(GROUP))
    await one.freeze()
    assert one.leases.surely_owns(GROUP)
    monkeypatch.setattr(one.leases, "_read_uptime", lambda: read_uptime() + 3600.0)
    assert one.leases.owns(GROUP)
    assert not one.leases.surely_owns(GROUP)


async def test_request_for_another_bots_chat_is_sent_by_its_owner(
    make_bot: BotFactory,
) -> None:
    first, second = await make_bot(), await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    await second.start()
    await second.inbox.accept([make_update(2, OTHER, to=GROUP)])
    await wait_until(lambda: len(first.sent + second.sent) == 2)
    assert first.sent == ["1", "2"]


@pytest.mark.usefixtures("_shorten_lease")
async def test_chats_of_a_silent_bot_are_taken_over(make_bot: BotFactory) -> None:
    first, second = await make_bot(), await make_bot()
    await first.start()
    first.unblocked.clear()
    await first.inbox.accept([make_update(1), make_update(2)])
    await wait_until(lambda: first.leases.owns(GROUP))
    await first.freeze()
    await second.start()
    await wait_until(lambda: second.handled == [1, 2])
    first.unblocked.set()  # it goes on in the middle of handling
    await wait_until(lambda: not first.inbox.waiting_count)
    assert first.handled == []
    await wait_until(lambda: second.sent == ["1", "2"])
    assert first.sent == []


@pytest.mark.usefixtures("_shorten_lease")
async def test_silent_bot_sends_nothing_after_its_lease(make_bot: BotFactory) -> None:
    first = await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    await first.freeze()
    await wait_until(lambda: not first.leases.surely_owns(GROUP))
    assert first.leases.owns(GROUP)  # as far as it knows
    await first.inbox.accept([make_update(2)])
    await wait_until(lambda: first.handled == [1, 2])  # no other bot has the chat yet
    await asyncio.sleep(0.2)
    assert first.sent == ["1"]
    second = await make_bot()
    await second.start()
    await wait_until(lambda: second.sent == ["2"])
    assert first.sent == ["1"]


async def test_bot_with_a_lost_lease_rejoins_under_a_new_name(make_bot: BotFactory) -> None:
    first = await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas")).rowcount)
    await wait_until(lambda: not first.leases.owns(GROUP))
    await first.inbox.accept([make_update(2)])
    await wait_until(lambda: first.sent == ["1", "2"])
    assert first.handled == [1, 2]


@pytest.mark.usefixtures("_shorten_lease")
async def test_next_bot_leads_after_the_leader_is_gone(
    make_bot: BotFactory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first, second = await make_bot(), await make_bot()
    for each in (first, second):
        await each.start(each.leases.keep_lease, lambda each=each: each.leases.run_while_leader(each.lead))  # type: ignore[misc]
        await wait_until(lambda: first.led == 1)
    assert second.led == 0
    led, deleted = MetricCounter("takeovers_total", of="lead"), MetricCounter("takeovers_total", of="bot")
    await first.freeze()
    await wait_until(lambda: second.led == 1)
    assert (led.increase, deleted.increase) == (1, 1)
    assert sum(line.startswith("other bots (1) were silent for ") for line in caplog.messages) == 1
    assert sum(line.startswith("this bot leads: ") for line in caplog.messages) == 2
    with pytest.raises(LaneLostError):
        await first.store.write_with_retries(first.leases.check_leader)
    await second.store.write(second.leases.check_leader)


async def test_leaving_leader_is_replaced_at_once(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "LEASE_SECONDS", 60.0)
    first, second = await make_bot(), await make_bot()
    for each in (first, second):
        await each.start(each.leases.keep_lease, lambda each=each: each.leases.run_while_leader(each.lead))  # type: ignore[misc]
        await wait_until(lambda: first.led == 1)
    began = time.monotonic()
    await first.close()
    await wait_until(lambda: second.led == 1)
    assert time.monotonic() - began < 5


def get_lead_token(leases: Replica) -> int | None:
    """Return the token of the lead that the bot believes to have."""
    return leases._lead.token


async def test_bot_without_parts_releases_the_lead(make_bot: BotFactory) -> None:
    """A bot that starts or stops is registered, but does not lead."""
    first, second = await make_bot(), await make_bot()
    await first.start(first.leases.keep_lease)
    await asyncio.sleep(0.5)
    assert get_lead_token(first.leases) is None
    part = asyncio.ensure_future(first.leases.run_while_leader(first.lead))
    await wait_until(lambda: first.led == 1)
    await second.start(second.leases.keep_lease, lambda: second.leases.run_while_leader(second.lead))
    part.cancel()
    await wait_until(lambda: second.led == 1, 10)
    assert first.led == 0
    assert get_lead_token(first.leases) is None
    assert await first.store.read(lambda tx: tx.scalar(text("SELECT count(*) FROM replicas"))) == 2


async def test_leader_notices_that_another_bot_leads(
    make_bot: BotFactory,
) -> None:
    """A server may lose the row of the leader in a crash."""
    first = await make_bot()
    await first.start(first.leases.keep_lease, lambda: first.leases.run_while_leader(first.lead))
    await wait_until(lambda: first.led == 1)
    before = get_lead_token(first.leases)
    other = "UPDATE lanes SET owner = 'other', token = 5 WHERE lane < -4e18"
    there = f"INSERT INTO replicas VALUES ('other', 7, {SOON}, '', 0, 0)"  # noqa: S608 - our own
    for row in (there, other):
        await first.store.write(lambda tx, row=row: tx.execute(text(row)).rowcount)  # type: ignore[misc]
    await wait_until(lambda: first.led == 0, 10)
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas WHERE name = 'other'")).rowcount)
    await wait_until(lambda: first.led == 1, 10)
    assert get_lead_token(first.leases) not in (None, before)
    await first.store.write(first.leases.check_leader)


async def test_one_of_two_concurrent_bots_takes_the_lead(make_bot: BotFactory) -> None:
    """The other bot looked before the first was registered."""
    first, second = await make_bot(), await make_bot()
    waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
    await first.store.write(lambda tx: queries.take_lead(tx, "nobody", 1))
    watch = await server(second.store).open_dedicated_connection()
    try:
        async with server(first.store)._beside_pool.transaction() as sooner:
            await sooner.run_sync(
                lambda tx: queries.insert_replica(tx, "sooner", make_shared_settings(7, None), "", LEASE)
            )
            assert await sooner.run_sync(lambda tx: queries.take_lead(tx, "sooner", 2))
            later = asyncio.create_task(watch.run(lambda tx: queries.take_lead(tx, "later", 3)))
            await wait_until_async(lambda: first.store.read(lambda tx: tx.scalar(waits) == 1))
        assert not await later
        assert not await watch.run(lambda tx: queries.is_leader(tx, "later", 3))
        assert await watch.run(lambda tx: queries.is_leader(tx, "sooner", 2))
    finally:
        await watch.close()


async def test_slowly_taken_lead_ends_with_the_lease(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another bot may have deleted this one before it learned that it leads."""
    monkeypatch.setattr(replica, "LEASE_MARGIN", LEASE - 0.5)
    first, lead, renew, tokens = await make_bot(), queries.take_lead, queries.renew_lease, list[int]()

    def take_slowly(tx: Tx, name: str, number: int) -> bool:
        tx.execute(text("SELECT pg_sleep(0.8)"))
        tokens.append(number)
        return lead(tx, name, number)

    def fail(*row: Any) -> bool:
        if tokens:
            raise SQLAlchemyError("timeout")
        return renew(*row)

    monkeypatch.setattr(queries, "take_lead", take_slowly)
    monkeypatch.setattr(queries, "renew_lease", fail)
    await first.start(first.leases.keep_lease, lambda: first.leases.run_while_leader(first.lead))
    await wait_until(lambda: tokens)
    await asyncio.sleep(0.5)
    assert get_lead_token(first.leases) is None


async def test_leaders_contact_with_telegram_holds_for_all(make_bot: BotFactory) -> None:
    first, second = await make_bot(), await make_bot()
    await first.start(first.leases.keep_lease, lambda: first.leases.run_while_leader(first.lead))
    await wait_until(lambda: first.led)
    await second.start(second.leases.keep_lease)
    await asyncio.sleep(0.5)
    assert not second.pulse.success_count
    first.pulse.is_of_leader = False  # it asks Telegram by itself from now on
    first.pulse.record_success(time.monotonic())
    await wait_until(lambda: second.pulse.success_count)
    assert (first.pulse.is_of_leader, second.pulse.is_of_leader) == (False, True)


@pytest.mark.usefixtures("_shorten_lease")
async def test_bot_deletes_no_others_right_after_an_outage(make_bot: BotFactory) -> None:
    """During an outage of the database all bots fall silent."""
    first, second = await make_bot(), await make_bot()
    for each in (first, second):
        await each.start()
    await second.inbox.accept([make_update(1)])
    await wait_until(lambda: first.leases.owns(GROUP) or second.leases.owns(GROUP))
    deleted = MetricCounter("takeovers_total", of="bot")
    await first.freeze()
    await second.freeze()
    over = text("SELECT count(*) FROM replicas WHERE until < extract(epoch FROM clock_timestamp())")
    await wait_until_async(lambda: first.store.read(lambda tx: tx.scalar(over) == 2))
    await asyncio.sleep(0.2)  # longer than LEASE_MARGIN, too
    for each in (first, second):
        each.running.append(asyncio.ensure_future(each.leases.keep_lease()))
    await wait_until_async(lambda: first.store.read(lambda tx: tx.scalar(over) == 0))
    assert deleted.increase == 0
    assert first.leases.owns(GROUP) is not second.leases.owns(GROUP)


async def test_outdated_tables_are_logged_once(
    make_bot: BotFactory, url: URL, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as after a restore of an older backup, which holds none of the running bots."""
    first = await make_bot()
    await first.start()
    older = ("ALTER TABLE replicas DROP COLUMN told", "UPDATE alembic_version SET version_num = '0099'")
    await run_as_owner(url, *older, "DELETE FROM replicas")
    await wait_until(lambda: first.leases._has_warned)
    tried = first.leases._name
    await run_as_owner(
        url,
        "ALTER TABLE replicas ADD COLUMN told VARCHAR",
        f"UPDATE alembic_version SET version_num = '{HEAD}'",  # noqa: S608 - our own constant
    )
    await wait_until(lambda: not first.leases._has_warned and first.leases._name != tried)
    older_than = (
        f"the database is at revision 0099, older than this version's {HEAD}; run twentyfour-bot migrate"
    )
    lines = [line for line in caplog.messages if "older" in line]
    assert lines == [f"other bots can't be told that this one is there: {older_than}"]


async def test_unexpected_error_ends_the_renewal(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await make_bot()

    async def fail_to_connect() -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(server(first.store), "open_dedicated_connection", fail_to_connect)
    with pytest.raises(ZeroDivisionError):
        async with asyncio.timeout(60):
            await first.leases.keep_lease()


async def test_bot_with_an_uncertain_lease_leases_no_chats(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "LEASE_SECONDS", 2.0)
    first = await make_bot()
    await first.start(first.leases.take_work)
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.leases.owns(GROUP))
    await wait_until(lambda: not first.leases.surely_owns(GROUP))
    await first.inbox.accept([make_update(2, OTHER)])
    await asyncio.sleep(0.5)  # many checks
    assert not first.leases.owns(OTHER)
    first.running.append(asyncio.ensure_future(first.leases.keep_lease()))
    await wait_until(lambda: first.leases.owns(OTHER))


@pytest.mark.parametrize("ahead", [-90.0, 90.0])
async def test_pace_of_a_group_ignores_the_machines_clocks(ahead: float, make_bot: BotFactory) -> None:
    first, second = await make_bot(), await make_bot()
    first.outbox._wall = lambda: time.time() + ahead
    await first.start()
    await first.inbox.accept([make_update(1), make_update(2)])
    await wait_until(lambda: first.sent == ["1", "2"])
    await wait_until(lambda: first.outbox.has_request(2) and not first.outbox._lanes[GROUP].waiting)
    await first.close()
    await second.start()
    await second.inbox.accept([make_update(3)])
    await wait_until(lambda: second.sent == ["3"])
    now = time.monotonic()
    assert 30 < second.outbox._lanes[GROUP].posts.find_free_time(3, now) - now <= 60


async def test_bot_with_another_token_is_refused(make_bot: BotFactory) -> None:
    first, second = await make_bot(7), await make_bot(8)
    await first.start()
    with pytest.raises(StoreError, match="another token"):
        await second.leases.join()
    await first.close()
    await second.leases.join()


async def test_one_of_two_concurrent_bots_with_different_tokens_is_refused(
    make_bot: BotFactory,
) -> None:
    first, second = await make_bot(7), await make_bot(8)
    async with server(first.store)._beside_pool.transaction() as sooner:
        why = await sooner.run_sync(
            lambda tx: queries.insert_replica(tx, "sooner", make_shared_settings(7, None), "", LEASE)
        )
        assert why == ""
        later = asyncio.create_task(second.leases.join())
        await asyncio.sleep(0.3)
        assert not later.done()
    with pytest.raises(StoreError, match="another token"):
        await later


HERE, ELSEWHERE = "https://bot.example/here", "https://bot.example/elsewhere"


@pytest.mark.usefixtures("_shorten_lease")
async def test_bot_waits_for_conflicting_bots_to_leave(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The row of a killed bot stays until its lease ends."""
    monkeypatch.setattr(replica, "JOIN_TIMEOUT", 60.0)
    first, second = await make_bot(webhook=HERE), await make_bot(webhook=ELSEWHERE)
    await first.start()
    await first.freeze()
    await second.start()
    assert caplog.text.count(ANOTHER_ADDRESS) == 1
    await second.inbox.accept([make_update(1)])
    await wait_until(lambda: second.sent == ["1"])


async def test_rejoining_bot_ends_beside_bots_with_another_address(
    make_bot: BotFactory,
) -> None:
    first, second = await make_bot(webhook=HERE), await make_bot(webhook=ELSEWHERE)
    await first.start()
    await first.freeze()
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas")).rowcount)
    await second.start()
    with pytest.raises(StoreError, match=r"^WEBHOOK_URL: "):
        await first.leases.keep_lease()


async def test_bots_choose_a_secret_that_all_accept(
    make_bot: BotFactory,
) -> None:
    before = [await make_bot(webhook=HERE, secrets=["old"]) for _ in range(2)]
    for each in before:
        await each.leases.join()
    first, second, third = [await make_bot(webhook=HERE, secrets=["new", "old"]) for _ in range(3)]
    await before[0].leases.leave()
    await first.leases.join()
    assert await first.leases.load_secret_index() == 1  # Telegram posts to the other bot as well
    late = await make_bot(webhook=HERE, secrets=["new"])
    with pytest.raises(StoreError, match=r"^WEBHOOK_SECRET: "):
        await late.leases.join()
    await before[1].leases.leave()
    await second.leases.join()
    assert await first.leases.load_secret_index() == await second.leases.load_secret_index() == 0
    await late.leases.join()
    await third.leases.join()
    assert await third.leases.load_secret_index() == await late.leases.load_secret_index() == 0
    shown = await first.store.read(lambda tx: str(tx.execute(text("SELECT * FROM replicas")).all()))
    assert "'new'" not in shown
    assert "'old'" not in shown


async def test_idle_chats_are_released(make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "RELEASE_AFTER", 0.1)
    first = await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1, 5)])
    await wait_until(lambda: first.sent == ["1"])
    await wait_until(lambda: not first.leases.owns(5))
    left = text("SELECT count(*) FROM lanes WHERE lane = 5")

    async def is_deleted() -> bool:
        return not await first.store.read(lambda tx: tx.scalar(left))

    await wait_until_async(is_deleted)
    await first.inbox.accept([make_update(2, 5)])
    await wait_until(lambda: first.sent == ["1", "2"])


async def test_updates_over_the_limit_are_dropped_by_the_owner(
    make_bot: BotFactory,
) -> None:
    """Also if another bot stores them."""
    first, second = await make_bot(), await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    first.unblocked.clear()
    await second.start()
    crowd = [make_update(number) for number in range(2, 200)]
    for update in crowd:
        update["message"] |= {"from": {"id": 1}}
    await second.inbox.accept(crowd)
    await wait_until(lambda: first.inbox.waiting_count == 150)
    first.unblocked.set()
    await wait_until(lambda: len(first.handled) == 151)
    left = await first.store.read(queries.count_waiting_updates)
    assert (left, first.inbox.dropped_count, second.inbox.dropped_count) == (0, 48, 0)


async def test_lease_too_far_in_the_future_is_deleted(
    make_bot: BotFactory,
) -> None:
    """The bot died before the server's clock was set back; its lease would last too long."""
    first = await make_bot()
    await first.start()
    row = "INSERT INTO replicas VALUES ('{0}', 7, extract(epoch FROM clock_timestamp()) + {1}, '{0}', 0, 0)"
    for one in (row.format("alive", LEASE - 1), row.format("dead", LEASE + 60)):
        await first.store.write(lambda tx, one=one: tx.execute(text(one)).rowcount)  # type: ignore[misc]
    names = text("SELECT name FROM replicas WHERE name IN ('alive', 'dead')")
    await wait_until_async(lambda: first.store.read(lambda tx: list(tx.scalars(names)) == ["alive"]))


class OneStatement:
    """A transaction whose process ends after the first statement."""

    def __init__(self, tx: Tx) -> None:
        self._tx, self._over = tx, False

    def execute(self, *statement: Any) -> Any:
        assert not self._over
        self._over = True
        return self._tx.execute(*statement)

    scalars = scalar = execute


async def test_deleting_a_replica_ends_its_connections(
    make_bot: BotFactory,
) -> None:
    """Else a frozen bot could go on if this one died between the two statements."""
    first, frozen = await make_bot(), await make_bot()
    tag, held = server(frozen.store).application_name, await server(frozen.store).open_dedicated_connection()
    rows = "INSERT INTO replicas VALUES ('frozen', 7, 1, '{0}', 0, 0), ('lost', 7, 1, 'without any', 0, 0)"
    await first.store.write(lambda tx: tx.execute(text(rows.format(tag))).rowcount)
    connections = text("SELECT count(*) FROM pg_stat_activity WHERE application_name = :tag")

    async def are_closed() -> bool:
        return not await first.store.read(lambda tx: tx.scalar(connections, {"tag": tag}))

    assert not await are_closed()
    watch = await server(first.store).open_dedicated_connection()
    try:
        assert await watch.run(lambda tx: queries.delete_expired_replicas(OneStatement(tx), LEASE)) == 2  # type: ignore[arg-type]
        await wait_until_async(are_closed)
        assert await watch.run(lambda tx: queries.delete_expired_replicas(tx, LEASE)) == 0
    finally:
        await watch.close()
        await held.close()


MANY = 33_000  # More than a statement may have arguments


async def insert_backlog(store: Store, chats: int, waiting: int) -> None:
    """Insert waiting requests spread over the chats; each text is the position in its chat."""
    body = """'{"method"\\: "sendMessage", "params"\\: {"chat_id"\\: ' || lane || '"""
    body += """, "text"\\: "' || turn || '"}}'"""
    turns = "SELECT -1000 - n % :chats AS lane, n / :chats AS turn FROM generate_series(0, :last) n"
    rows = f"INSERT INTO outbox (lane, body, state, at) SELECT lane, {body}, 'waiting', 0 FROM ({turns}) x"  # noqa: S608
    many = {"chats": chats, "last": waiting - 1}
    await store.write(lambda tx: tx.execute(text(rows), many).rowcount)


@pytest.mark.parametrize("chats", [1, pytest.param(MANY, marks=pytest.mark.exhaustive)])
async def test_backlog_does_not_delay_the_renewal(chats: int, make_bot: BotFactory) -> None:
    """In one chat the whole backlog is queued before the answer."""
    first = await make_bot()
    await insert_backlog(first.store, chats, MANY)
    await first.start()
    await first.inbox.accept([make_update(1, OTHER)])
    await wait_until(lambda: first.handled and len(first.sent) > chats // 1000)
    await wait_until(lambda: chats > 1 or first.list_sent_to(OTHER) == ["1"])


async def test_any_number_of_chats_is_released(make_bot: BotFactory) -> None:
    first = await make_bot()
    there = f"INSERT INTO lanes SELECT n, 'a', 1 FROM generate_series(1, {MANY}) n"  # noqa: S608
    await first.store.write(lambda tx: tx.execute(text(there)).rowcount)
    await first.store.write(lambda tx: queries.release_lanes(tx, "a", range(2, MANY + 1)))
    assert await first.store.read(lambda tx: queries.load_lease_tokens(tx, "a")) == {1: 1}


async def test_backlog_of_a_takeover_is_sent_before_new_requests(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Updates are handled while those over the limit are being dropped."""
    first = await make_bot()
    take_up = first.inbox.enqueue_backlog

    async def take_slowly(stored: Sequence[QueuedUpdate], counted: Sequence[int] = ()) -> None:
        await take_up(stored, counted)
        if stored:
            await wait_until(lambda: first.handled)

    monkeypatch.setattr(first.inbox, "enqueue_backlog", take_slowly)
    await first.store.write(lambda tx: queues.insert_request(tx, post_message(GROUP, "before"), 0.0))
    await first.inbox.accept([make_update(1)])
    await first.start()
    await wait_until(lambda: len(first.sent) == 2)
    assert first.sent == ["before", "1"]


async def test_lease_with_a_lost_commit_answer_is_found(
    make_bot: BotFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await make_bot()
    claim, fails = queries.lease_lanes, [True]

    def lease_and_lose_answer(tx: Tx, name: str, token: int, most: int) -> list[int]:
        found = claim(tx, name, token, most)
        if found and fails:
            fails.clear()
            tx.commit()
            raise ConnectionResetError("gone")
        return found

    monkeypatch.setattr(queries, "lease_lanes", lease_and_lose_answer)
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    assert not fails


async def test_lease_lost_in_a_server_crash_is_forgotten(
    make_bot: BotFactory,
) -> None:
    """A lease is not synced to the disk at once; another bot may have the chat."""
    first = await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1), make_update(2, OTHER)])
    await wait_until(lambda: len(first.sent) == 2)
    await first.freeze()
    forgotten = f"DELETE FROM lanes WHERE lane = {GROUP}"  # noqa: S608 - our own
    await first.store.write(lambda tx: tx.execute(text(forgotten)).rowcount)
    assert first.leases.owns(GROUP)
    for part in (first.leases.keep_lease, first.leases.take_work):  # as after a new connection to the server
        first.running.append(asyncio.ensure_future(part()))
    await wait_until(lambda: not first.leases.owns(GROUP), 10)
    assert first.leases.owns(OTHER)
    await first.inbox.accept([make_update(3)])
    await wait_until(lambda: first.list_sent_to(GROUP) == ["1", "3"])


async def test_request_sent_by_another_bot_is_sent_once(
    make_bot: BotFactory,
) -> None:
    """A chat is lost and leased again while a post waits for its time."""
    first = await make_bot()
    await first.start()
    await first.inbox.accept([make_update(1)])
    await wait_until(lambda: first.sent == ["1"])
    first.outbox._get_or_add_lane(GROUP).blocked_until = time.monotonic() + 1.0
    await first.inbox.accept([make_update(2)])
    await wait_until(lambda: first.handled == [1, 2])
    (waits,) = await first.store.read(queues.load_waiting_requests)
    another = text(f"UPDATE lanes SET owner = '', token = 5 WHERE lane = {GROUP}")  # noqa: S608 - our own

    def send_elsewhere(tx: Tx) -> None:
        queues.delete_requests(tx, [waits])
        tx.execute(another)

    await first.store.write(send_elsewhere)
    del first.leases._tokens[GROUP]
    await first.inbox.accept([make_update(3)])
    await wait_until(lambda: "3" in first.sent)
    assert first.sent == ["1", "3"]


async def test_duplicate_row_fails_soon(make_bot: BotFactory) -> None:
    """Another bot may have inserted it at the same time, so it is tried three times."""
    first, tries = await make_bot(), list[int]()

    def add(tx: Tx) -> int:
        tries.append(1)
        return tx.execute(text("INSERT INTO meta VALUES ('n', '0')")).rowcount

    await first.store.write(add)
    with pytest.raises(IntegrityError):
        await first.store.write(add)
    assert len(tries) == 4
