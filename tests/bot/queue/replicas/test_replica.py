"""Several bots on one PostgreSQL database, in one process. Skipped where no server answers."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from bot.database import (
    AccessMode,
    DedicatedConnection,
    Postgresql,
    Store,
    StoreError,
    Tx,
    WritesRefusedError,
    is_database_failure,
)
from bot.database.migrations import HEAD
from bot.pulse import Connectivity, Pulse
from bot.queue import queries as queues
from bot.queue.hooks import OutboxHooks
from bot.queue.inbox import Inbox
from bot.queue.leases import LaneLostError
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import QueuedUpdate
from bot.queue.replicas import notifications, queries, replica, telegram_contact
from bot.queue.replicas.replica import Replica
from bot.queue.replicas.settings_comparison import (
    ANOTHER_ADDRESS,
    NO_ADDRESS,
    OTHERS_POLL,
    make_shared_settings,
)
from bot.queue.replicas.telegram_contact import TelegramContact
from bot.queue.watermark import read_uptime
from tests.bot.postgres import as_owner, migrated_database
from tests.metric_counter import MetricCounter

LEASE, BRIEF = 30.0, 1.5
SOON = "extract(epoch FROM clock_timestamp()) + 20"  # Until when one is there that nobody buries meanwhile
QUICK = {"LEASE": LEASE, "BEAT": 0.1, "MARGIN": 0.1, "LOOK": 0.03, "TIDY_INTERVAL": 0.0}
HINTED, LOOKED = notifications.MIN_PAUSE, replica.LOOK
GROUP, OTHER = -100, -200


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """All is looked at often, and nobody is buried for being slow on a busy machine."""
    for name, seconds in QUICK.items():
        monkeypatch.setattr(replica, name, seconds)
    monkeypatch.setattr(replica, "JOIN_TIMEOUT", 0.3)


@pytest.fixture
def _brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that falls silent is buried soon."""
    monkeypatch.setattr(replica, "LEASE", BRIEF)


@dataclass
class Bot:
    """One of several: what it handled, and what it sent."""

    store: Store
    claims: Replica
    outbox: Outbox
    handled: list[int] = field(default_factory=list)
    posted: list[tuple[int, str]] = field(default_factory=list)  # Where, and what
    blocked: asyncio.Event = field(default_factory=asyncio.Event)  # Handling waits for it
    running: list[asyncio.Task[None]] = field(default_factory=list)
    led: int = 0
    pulse: Pulse = field(default_factory=lambda: Pulse(time.monotonic()))
    reach: Connectivity = field(default_factory=Connectivity)
    unanswered: bool = False  # Whether its requests to Telegram come to nothing
    inbox: Inbox = field(init=False)

    @property
    def sent(self) -> list[str]:
        """What it sent, wherever."""
        return [said for _, said in self.posted]

    def of(self, chat: int) -> list[str]:
        """What it sent there."""
        return [said for where, said in self.posted if where == chat]

    def __post_init__(self) -> None:
        self.blocked.set()
        self.inbox = Inbox(self.store, self.handle, NoApologies(), leases=self.claims)

    async def handle(self, incoming: QueuedUpdate) -> None:
        """Answer with the update's own text, in the chat that it names."""
        said = json.loads(incoming.body)["message"]
        await self.blocked.wait()

        def whole(tx: Tx) -> list[queues.QueuedRequest]:
            self.claims.check_token(tx, incoming.lane, incoming.lease_token)
            if not queues.mark_done(tx, incoming.update_id, 0.0):
                return []
            body = {"method": "sendMessage", "params": {"chat_id": said["to"], "text": said["text"]}}
            return [queues.insert_request(tx, said["to"], body, 0.0)]

        self.outbox.enqueue(await self.store.write(whole))
        self.handled.append(incoming.update_id)

    async def start(self, *parts: Callable[[], Awaitable[None]]) -> None:
        """Be there."""
        self.claims.connect(
            self.inbox, self.outbox, TelegramContact(self.pulse, self.reach, self.try_telegram)
        )
        await self.claims.join()
        for part in parts or (self.claims.keep_lease, self.claims.take_work):
            self.running.append(asyncio.ensure_future(part()))

    async def try_telegram(self) -> None:
        """A request of its own."""
        if self.unanswered:
            self.reach.record_failure(time.monotonic())
        else:
            self.reach.record_answer()

    async def lead(self) -> None:
        """Note that it leads, for as long as it does."""
        self.led += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.led -= 1

    async def freeze(self) -> None:
        """Do nothing from now on but what is under way."""
        for part in self.running:
            part.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        self.running.clear()

    async def close(self) -> None:
        """End in the right order."""
        await self.freeze()
        self.blocked.set()
        await self.inbox.close()
        await self.outbox.close()
        await self.claims.leave()
        await self.store.close()


class NoApologies:
    """Nobody is told anything."""

    async def report_failure(self, incoming: QueuedUpdate) -> None: ...
    def report_delay(self, updates: Any) -> None: ...
    def end_outage(self) -> None: ...


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    async with migrated_database() as made:
        yield made


@pytest.fixture
async def bot(url: URL) -> AsyncIterator[Callable[..., Awaitable[Bot]]]:
    """`await bot()` is another one."""
    async with AsyncExitStack() as stack:

        async def another(
            bot_id: int = 7, pace: Pace | None = None, webhook: str | None = None, secrets: Sequence[str] = ()
        ) -> Bot:
            store = await Store.open(url, AccessMode.SHARED)
            posted: list[tuple[int, str]] = []

            async def ask(_: str, params: dict[str, Any]) -> Any:
                posted.append((params["chat_id"], params["text"]))
                return {"message_id": len(posted), "date": 0}

            pace = pace or Pace(posts_a_minute=10**6, posts_a_second=10**6)
            claims = Replica(server(store), make_shared_settings(bot_id, webhook, secrets), pace)
            hooks = OutboxHooks(
                {}, lambda *_: {}, lambda *_: True, lambda *_: None, lambda *_, **__: False, lambda *_: None
            )
            made = Bot(store, claims, Outbox(store, ask, hooks, pace, leases=claims), posted=posted)
            stack.push_async_callback(made.close)
            return made

        yield another


def server(store: Store) -> Postgresql:
    """What several bots may share."""
    assert store.shared_server
    return store.shared_server


def said(number: int, lane: int = GROUP, *, to: int | None = None) -> dict[str, Any]:
    """An update: somebody says its number."""
    chat = {"id": lane, "type": "supergroup"}
    message = {"message_id": number, "date": 0, "chat": chat, "text": str(number), "to": to or lane}
    return {"update_id": number, "message": message}


async def until(true: Callable[[], object], within: float = 60.0) -> None:
    """Wait for it."""
    until = time.monotonic() + within
    while not true():
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


async def until_so(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait for it, as the database has it."""
    async with asyncio.timeout(60):
        while True:
            if await true():
                return
            await asyncio.sleep(0.02)


@pytest.mark.long
async def test_chat_is_served_by_one_bot_in_order(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """Whichever bot an update comes to."""
    bots = [await bot() for _ in range(3)]
    for each in bots:
        await each.start()
    for number in range(1, 31):
        await bots[number % 3].inbox.accept([said(number)])
    await until(lambda: sum(len(each.handled) for each in bots) == 30)
    (owner,) = [each for each in bots if each.handled]
    assert owner.handled == list(range(1, 31))
    await until(lambda: len(owner.sent) == 30)
    assert owner.sent == [str(number) for number in range(1, 31)]
    assert not any(each.sent for each in bots if each is not owner)


@pytest.mark.long
async def test_chats_are_shared_among_bots(bot: Callable[..., Awaitable[Bot]]) -> None:
    bots = [await bot() for _ in range(2)]
    for each in bots:
        await each.start()
    await bots[0].inbox.accept([said(number, -number) for number in range(1, 41)])
    await until(lambda: sum(len(each.handled) for each in bots) == 40)
    assert all(each.handled for each in bots), "how evenly depends on which of them looks when"
    assert sorted(bots[0].handled + bots[1].handled) == list(range(1, 41))


async def test_look_leases_an_even_share_of_free_chats(bot: Callable[..., Awaitable[Bot]]) -> None:
    bots = [await bot() for _ in range(2)]
    for each in bots:
        await each.claims.join()
    await bots[0].inbox.accept([said(number, -number) for number in range(1, 41)])

    async def looks(at: Bot, token: int) -> int:
        name = at.claims._name
        return len(await at.store.write(lambda tx: queries.lease_lanes(tx, name, token, replica.MAX_TAKEN)))

    assert [await looks(each, token) for token, each in enumerate([*bots, *bots])] == [20, 10, 5, 3]


@pytest.mark.long
async def test_bot_that_slept_surely_owns_nothing(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The monotonic clock stood still meanwhile, and another one may serve its chats by now."""
    one = await bot()
    await one.start()
    await one.inbox.accept([said(1)])
    await until(lambda: one.claims.surely_owns(GROUP))
    await one.freeze()
    assert one.claims.surely_owns(GROUP)
    monkeypatch.setattr(one.claims, "_read_uptime", lambda: read_uptime() + 3600.0)
    assert one.claims.owns(GROUP)
    assert not one.claims.surely_owns(GROUP)


@pytest.mark.long
async def test_overloaded_bot_leases_new_chats_at_the_next_look(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those may not work yet; and it hears of something all the time."""
    monkeypatch.setattr(replica, "OVERLOAD_FACTOR", 0.0)  # it has more than its share
    first, starting = await bot(), await bot()
    await first.start()
    await starting.claims.join()

    async def notifications_forever() -> None:
        while True:
            first.claims.notify_others()
            await asyncio.sleep(0)

    hinting = asyncio.create_task(notifications_forever())
    try:
        await first.inbox.accept([said(number, -number) for number in range(1, 31)])
        await until(lambda: len(first.handled) == 30)
    finally:
        hinting.cancel()


async def test_request_for_another_bots_chat_is_sent_by_its_owner(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    first, second = await bot(), await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    await second.start()
    await second.inbox.accept([said(2, OTHER, to=GROUP)])
    await until(lambda: len(first.sent + second.sent) == 2)
    assert first.sent == ["1", "2"]


@pytest.mark.long
@pytest.mark.usefixtures("_brief")
async def test_chats_of_a_silent_bot_are_taken_over(bot: Callable[..., Awaitable[Bot]]) -> None:
    first, second = await bot(), await bot()
    await first.start()
    first.blocked.clear()
    await first.inbox.accept([said(1), said(2)])
    await until(lambda: first.claims.owns(GROUP))
    await first.freeze()
    await second.start()
    await until(lambda: second.handled == [1, 2])
    first.blocked.set()  # it wakes in the midst of its work
    await until(lambda: not first.inbox.waiting_count)
    assert first.handled == []
    await until(lambda: second.sent == ["1", "2"])
    assert first.sent == []


@pytest.mark.long
@pytest.mark.usefixtures("_brief")
async def test_silent_bot_sends_nothing_after_its_lease(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    await first.freeze()
    await until(lambda: not first.claims.surely_owns(GROUP))
    assert first.claims.owns(GROUP)  # as far as it knows
    await first.inbox.accept([said(2)])
    await until(lambda: first.handled == [1, 2])  # nobody has taken the chat yet
    await asyncio.sleep(0.2)
    assert first.sent == ["1"]
    second = await bot()
    await second.start()
    await until(lambda: second.sent == ["2"])
    assert first.sent == ["1"]


async def test_bot_with_a_lost_lease_rejoins_under_a_new_name(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas")).rowcount)
    await until(lambda: not first.claims.owns(GROUP))
    await first.inbox.accept([said(2)])
    await until(lambda: first.sent == ["1", "2"])
    assert first.handled == [1, 2]


@pytest.mark.long
async def test_bot_without_database_connection_leaves_its_chats(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Though it can say that it is there."""
    first, second = await bot(), await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    await second.start()
    shared, reached = server(first.store), list[bool]()

    async def not_reached(_: float | None = None) -> bool:
        reached.append(False)
        return False

    reaches, again = shared.is_reachable, list[bool]()

    async def reached_again(_: float | None = None) -> bool:
        again.append(await reaches())
        return again[-1]

    with monkeypatch.context() as lacking:  # since the database was away no connection has been tried
        lacking.setattr(shared, "get_disconnected_seconds", lambda: LEASE + 1)
        lacking.setattr(shared, "is_reachable", reached_again)
        await until(lambda: again[:2] == [True, True])
    assert first.claims.owns(GROUP)
    with monkeypatch.context() as lacking:
        lacking.setattr(shared, "get_disconnected_seconds", lambda: LEASE + 1)
        lacking.setattr(shared, "is_reachable", not_reached)
        await until(lambda: len(reached) > 2)
        assert not first.claims.owns(GROUP)
        await second.inbox.accept([said(2)])
        await until(lambda: second.sent == ["2"])
    assert "leaves its 1 chats" in caplog.text
    lives = text("SELECT count(*) FROM replicas")
    await until_so(lambda: second.store.read(lambda tx: tx.scalar(lives) == 2))
    await second.freeze()
    await second.claims.leave()
    await first.inbox.accept([said(3)])
    await until(lambda: first.sent == ["1", "3"])


@pytest.mark.long
async def test_bot_cut_off_from_telegram_leaves_everything_to_others(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As long as it answers nobody, all stay as they are."""
    caplog.set_level(logging.INFO)
    for name, seconds in {"ASK_AFTER": 0.1, "GIVE_UP_AFTER": 0.4, "TRY_INTERVAL": 0.1}.items():
        monkeypatch.setattr(telegram_contact, name, seconds)
    first, second = await bot(), await bot()
    for each in (first, second):
        each.unanswered = True
        each.reach.record_failure(time.monotonic())
        parts = (
            each.claims.keep_lease,
            each.claims.take_work,
            lambda each=each: each.claims.run_while_leader(each.lead),
        )
        await each.start(*parts)
        await until(lambda: first.led == 1)
        if each is first:  # the chat is its own before the other is there
            await first.inbox.accept([said(1)])
            await until(lambda: first.sent == ["1"])
    await until(lambda: min(each.reach.outage_seconds for each in (first, second)) > 1)
    assert first.claims.owns(GROUP)
    assert (first.led, second.led) == (1, 0)
    second.unanswered = False  # it is idle, and finds out because the first one asks
    await until(lambda: second.led == 1)
    assert first.led == 0
    await second.inbox.accept([said(2)])
    await until(lambda: second.sent == ["2"])
    assert first.pulse.is_cut_off
    assert "Telegram answers other bots, and not this one; it leaves its 1 chats" in caplog.text
    lives = text("SELECT count(*) FROM replicas")
    assert await second.store.read(lambda tx: tx.scalar(lives)) == 1
    first.unanswered = False
    await until(lambda: not first.pulse.is_cut_off)
    assert "this bot reaches Telegram again" in caplog.messages
    await until_so(lambda: second.store.read(lambda tx: tx.scalar(lives) == 2))
    await second.freeze()
    await second.claims.leave()
    await first.inbox.accept([said(3)])
    await until(lambda: first.sent == ["1", "3"])
    await until(lambda: first.led == 1)


@pytest.mark.long
async def test_rejoining_bot_reconnects_until_that_succeeds(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await bot()
    await first.start()
    shared, failures = server(first.store), [WritesRefusedError("gone"), WritesRefusedError("gone")]
    anew = shared.reconnect_all

    async def fails_first(watch: DedicatedConnection) -> None:
        if failures:
            raise failures.pop()
        await anew(watch)

    monkeypatch.setattr(shared, "reconnect_all", fails_first)
    waits = [
        asyncio.create_task(look(lambda tx: tx.execute(text("SELECT pg_sleep(30)")).all()))
        for look in (first.store.read, shared.run_beside_writer)
    ]
    began = time.monotonic()
    await asyncio.sleep(0.2)
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas")).rowcount)
    ended = await asyncio.gather(*waits, return_exceptions=True)
    assert (failures, time.monotonic() - began < 5) == ([], True)
    assert all(isinstance(each, Exception) and is_database_failure(each) for each in ended)
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])


@pytest.mark.long
@pytest.mark.usefixtures("_brief")
async def test_next_bot_leads_after_the_leader_is_gone(
    bot: Callable[..., Awaitable[Bot]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first, second = await bot(), await bot()
    for each in (first, second):
        await each.start(each.claims.keep_lease, lambda each=each: each.claims.run_while_leader(each.lead))  # type: ignore[misc]
        await until(lambda: first.led == 1)
    assert second.led == 0
    led, buried = MetricCounter("takeovers_total", of="lead"), MetricCounter("takeovers_total", of="bot")
    await first.freeze()
    await until(lambda: second.led == 1)
    assert (led.increase, buried.increase) == (1, 1)
    assert sum(line.startswith("other bots (1) were silent for ") for line in caplog.messages) == 1
    assert sum(line.startswith("this bot leads: ") for line in caplog.messages) == 2
    with pytest.raises(LaneLostError):
        await first.store.write_with_retries(first.claims.check_leader)
    await second.store.write(second.claims.check_leader)


@pytest.mark.long
async def test_leaving_leader_is_replaced_at_once(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "LEASE", 60.0)
    first, second = await bot(), await bot()
    for each in (first, second):
        await each.start(each.claims.keep_lease, lambda each=each: each.claims.run_while_leader(each.lead))  # type: ignore[misc]
        await until(lambda: first.led == 1)
    began = time.monotonic()
    await first.close()
    await until(lambda: second.led == 1)
    assert time.monotonic() - began < 5


def token(claims: Replica) -> int | None:
    """What names its lead, as far as it knows."""
    return claims._lead.token


@pytest.mark.long
async def test_leader_leads_again_after_a_short_outage(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can't be sure of its lead any more, but is not buried: to the others it is there."""
    monkeypatch.setattr(replica, "MARGIN", LEASE - 1.0)
    first, second = await bot(), await bot()
    for each in (first, second):
        await each.start(each.claims.keep_lease, lambda each=each: each.claims.run_while_leader(each.lead))  # type: ignore[misc]
        await until(lambda: first.led == 1)
    before = token(first.claims)
    await first.freeze()
    await until(lambda: token(first.claims) is None)
    await asyncio.sleep(0.5)  # the other looks several times whether it may lead
    assert second.led == 0
    for part in (first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead)):
        first.running.append(asyncio.ensure_future(part()))
    await until(lambda: first.led == 1, 10)
    assert token(first.claims) != before
    await first.store.write(first.claims.check_leader)


@pytest.mark.long
async def test_bot_without_parts_releases_the_lead(bot: Callable[..., Awaitable[Bot]]) -> None:
    """So does one that starts, or that stops: it is there all the same."""
    first, second = await bot(), await bot()
    await first.start(first.claims.keep_lease)
    await asyncio.sleep(0.5)
    assert token(first.claims) is None
    part = asyncio.ensure_future(first.claims.run_while_leader(first.lead))
    await until(lambda: first.led == 1)
    await second.start(second.claims.keep_lease, lambda: second.claims.run_while_leader(second.lead))
    part.cancel()
    await until(lambda: second.led == 1, 10)
    assert first.led == 0
    assert token(first.claims) is None
    assert await first.store.read(lambda tx: tx.scalar(text("SELECT count(*) FROM replicas"))) == 2


async def test_leader_notices_that_another_bot_leads(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """So it is where a server forgot in a crash who led."""
    first = await bot()
    await first.start(first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead))
    await until(lambda: first.led == 1)
    before = token(first.claims)
    other = "UPDATE lanes SET owner = 'other', token = 5 WHERE lane < -4e18"
    there = f"INSERT INTO replicas VALUES ('other', 7, {SOON}, '', 0, 0)"  # noqa: S608 - our own
    for row in (there, other):
        await first.store.write(lambda tx, row=row: tx.execute(text(row)).rowcount)  # type: ignore[misc]
    await until(lambda: first.led == 0, 10)
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas WHERE name = 'other'")).rowcount)
    await until(lambda: first.led == 1, 10)
    assert token(first.claims) not in (None, before)
    await first.store.write(first.claims.check_leader)


async def test_one_of_two_concurrent_bots_takes_the_lead(bot: Callable[..., Awaitable[Bot]]) -> None:
    """Though the other looked before the one that takes it was there."""
    first, second = await bot(), await bot()
    waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
    await first.store.write(lambda tx: queries.take_lead(tx, "nobody", 1))
    watch = await server(second.store).open_dedicated_connection()
    try:
        async with server(first.store)._aside.transaction() as sooner:
            await sooner.run_sync(
                lambda tx: queries.insert_replica(tx, "sooner", make_shared_settings(7, None), "", LEASE)
            )
            assert await sooner.run_sync(lambda tx: queries.take_lead(tx, "sooner", 2))
            later = asyncio.create_task(watch.run(lambda tx: queries.take_lead(tx, "later", 3)))
            await until_so(lambda: first.store.read(lambda tx: tx.scalar(waits) == 1))
        assert not await later
        assert not await watch.run(lambda tx: queries.is_leader(tx, "later", 3))
        assert await watch.run(lambda tx: queries.is_leader(tx, "sooner", 2))
    finally:
        await watch.close()


async def test_slowly_taken_lead_ends_with_the_lease(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been buried before it heard that it leads, and hear nothing more."""
    monkeypatch.setattr(replica, "MARGIN", LEASE - 0.5)
    first, lead, stays, came = await bot(), queries.take_lead, queries.renew_lease, list[int]()

    def slow(tx: Tx, name: str, number: int) -> bool:
        tx.execute(text("SELECT pg_sleep(0.8)"))
        came.append(number)
        return lead(tx, name, number)

    def away(*row: Any) -> bool:
        if came:
            raise SQLAlchemyError("timeout")
        return stays(*row)

    monkeypatch.setattr(queries, "take_lead", slow)
    monkeypatch.setattr(queries, "renew_lease", away)
    await first.start(first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead))
    await until(lambda: came)
    await asyncio.sleep(0.5)
    assert token(first.claims) is None


class Far:
    """A database that is far away: each statement takes a while, by a clock that goes only meanwhile."""

    def __init__(self) -> None:
        self.clock = 1000.0
        self.said: list[float] = []
        """When each bot said that it is there, as it began to say so."""

    async def reached(self, watch: DedicatedConnection, work: Callable[[Tx], Any]) -> Any:
        """Run `work` there."""
        return await watch._connection.run_sync(lambda tx: work(FarTx(tx, self)))  # type: ignore[arg-type]


class FarTx:
    """What runs there."""

    def __init__(self, tx: Tx, far: Far) -> None:
        self._tx, self._far = tx, far

    def execute(self, statement: Any, *values: Any) -> Any:
        if statement is queries.RENEW:
            self._far.said.append(self._far.clock)
        self._far.clock += 0.25
        return self._tx.execute(statement, *values)

    def scalar(self, *statement: Any) -> Any:
        return self.execute(*statement).scalar()


@pytest.mark.long
async def test_lease_is_renewed_in_time_over_a_slow_connection(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many other things it asks in between."""
    first, second, far = await bot(), await bot(), Far()
    await first.start(first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead))
    await until(lambda: first.led == 1)
    monkeypatch.setattr(replica, "BEAT", 0.6)
    monkeypatch.setattr(DedicatedConnection, "run", lambda watch, work: far.reached(watch, work))
    await first.freeze()
    monkeypatch.setattr(second.claims, "_read_uptime", lambda: far.clock)
    await second.start(second.claims.keep_lease, lambda: second.claims.run_while_leader(second.lead))
    await until(lambda: len(far.said) > 6)
    gaps = [later - sooner for sooner, later in pairwise(far.said)]
    assert max(gaps) <= 0.75, gaps
    assert second.led == 0


async def test_follower_runs_one_query_about_the_lead(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    await first.start(first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead))
    await until(lambda: first.led == 1)
    watch = await server(first.store).open_dedicated_connection()
    try:
        assert not await watch.run(lambda tx: queries.take_lead(OneStatement(tx), "other", 3))  # type: ignore[arg-type]
    finally:
        await watch.close()


@pytest.mark.long
async def test_leaders_contact_with_telegram_holds_for_all(bot: Callable[..., Awaitable[Bot]]) -> None:
    first, second = await bot(), await bot()
    await first.start(first.claims.keep_lease, lambda: first.claims.run_while_leader(first.lead))
    await until(lambda: first.led)
    await second.start(second.claims.keep_lease)
    await asyncio.sleep(0.5)
    assert not second.pulse.success_count
    first.pulse.is_of_leader = False  # it asks Telegram by itself from now on
    first.pulse.record_success(time.monotonic())
    await until(lambda: second.pulse.success_count)
    assert (first.pulse.is_of_leader, second.pulse.is_of_leader) == (False, True)


@pytest.mark.long
@pytest.mark.usefixtures("_brief")
async def test_bot_deletes_no_others_right_after_an_outage(bot: Callable[..., Awaitable[Bot]]) -> None:
    """Where the database was away, all of them fell silent, and none of them is dead."""
    first, second = await bot(), await bot()
    for each in (first, second):
        await each.start()
    await second.inbox.accept([said(1)])
    await until(lambda: first.claims.owns(GROUP) or second.claims.owns(GROUP))
    buried = MetricCounter("takeovers_total", of="bot")
    await first.freeze()
    await second.freeze()
    over = text("SELECT count(*) FROM replicas WHERE until < extract(epoch FROM clock_timestamp())")
    await until_so(lambda: first.store.read(lambda tx: tx.scalar(over) == 2))
    await asyncio.sleep(0.2)  # longer than MARGIN, too
    for each in (first, second):
        each.running.append(asyncio.ensure_future(each.claims.keep_lease()))
    await until_so(lambda: first.store.read(lambda tx: tx.scalar(over) == 0))
    assert buried.increase == 0
    assert first.claims.owns(GROUP) is not second.claims.owns(GROUP)


async def test_outage_of_the_database_is_logged_once(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, asked = await bot(), list[int]()
    whole = first.store.shared_server and first.store.shared_server.open_dedicated_connection

    async def away() -> Any:
        asked.append(1)
        raise SQLAlchemyError("timeout")

    def told() -> int:
        return sum("can't be told" in record.message for record in caplog.records)

    for times in (1, 2):
        monkeypatch.setattr(server(first.store), "open_dedicated_connection", away)
        await first.freeze()
        await first.start(first.claims.keep_lease)
        asked.clear()
        await until(lambda: len(asked) > 4)
        assert told() == times
        monkeypatch.setattr(server(first.store), "open_dedicated_connection", whole)
        lasts = first.claims._valid_until  # no other sign of a beat
        await until(lambda lasts=lasts: first.claims._valid_until > lasts)  # type: ignore[misc]


@pytest.mark.long
async def test_outdated_tables_are_logged_once(
    bot: Callable[..., Awaitable[Bot]], url: URL, caplog: pytest.LogCaptureFixture
) -> None:
    """As a restore of an older copy leaves them, which knows nobody of those that run."""
    first = await bot()
    await first.start()
    older = ("ALTER TABLE replicas DROP COLUMN told", "UPDATE alembic_version SET version_num = '0099'")
    await as_owner(url, *older, "DELETE FROM replicas")
    await until(lambda: first.claims._has_warned)
    tried = first.claims._name
    await as_owner(
        url,
        "ALTER TABLE replicas ADD COLUMN told VARCHAR",
        f"UPDATE alembic_version SET version_num = '{HEAD}'",  # noqa: S608 - our own constant
    )
    await until(lambda: not first.claims._has_warned and first.claims._name != tried)
    older_than = (
        f"the database is at revision 0099, older than this version's {HEAD}; run twentyfour-bot migrate"
    )
    said = [line for line in caplog.messages if "older" in line]
    assert said == [f"other bots can't be told that this one is there: {older_than}"]


async def test_unexpected_error_ends_the_renewal(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await bot()

    async def broken() -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(server(first.store), "open_dedicated_connection", broken)
    with pytest.raises(ZeroDivisionError):
        async with asyncio.timeout(60):
            await first.claims.keep_lease()


@pytest.mark.long
async def test_bot_with_an_uncertain_lease_leases_no_chats(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "LEASE", 0.5)
    first = await bot()
    await first.start(first.claims.take_work)
    await first.inbox.accept([said(1)])
    await until(lambda: first.claims.owns(GROUP))
    await until(lambda: not first.claims.surely_owns(GROUP))
    await first.inbox.accept([said(2, OTHER)])
    await asyncio.sleep(0.5)  # many looks
    assert not first.claims.owns(OTHER)
    first.running.append(asyncio.ensure_future(first.claims.keep_lease()))
    await until(lambda: first.claims.owns(OTHER))


async def test_posts_before_a_lease_count_for_the_pace(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, recalled = await bot(), list[list[int]]()

    def recall(_: Any, waiting: list[queues.QueuedRequest], __: float) -> None:
        if waiting:
            recalled.append([request.lane for request in waiting])

    monkeypatch.setattr(first.outbox, "restore_recent_posts", recall)
    body = {"method": "sendMessage", "params": {"chat_id": GROUP, "text": "before"}}
    await first.store.write(lambda tx: queues.insert_request(tx, GROUP, body, 0.0))
    await first.start()
    await until(lambda: first.sent == ["before"])
    assert recalled == [[GROUP]]


@pytest.mark.long
@pytest.mark.parametrize("ahead", [-90.0, 90.0])
async def test_pace_of_a_group_ignores_the_machines_clocks(
    ahead: float, bot: Callable[..., Awaitable[Bot]]
) -> None:
    first, second = await bot(), await bot()
    first.outbox._wall = lambda: time.time() + ahead
    await first.start()
    await first.inbox.accept([said(1), said(2)])
    await until(lambda: first.sent == ["1", "2"])
    await until(lambda: first.outbox.has_request(2) and not first.outbox._lanes[GROUP].waiting)
    await first.close()
    await second.start()
    await second.inbox.accept([said(3)])
    await until(lambda: second.sent == ["3"])
    now = time.monotonic()
    assert 30 < second.outbox._lanes[GROUP].posts.find_free_time(3, now) - now <= 60


def test_notification_is_faster_than_the_next_look() -> None:
    assert HINTED * 10 <= LOOKED


@pytest.mark.long
async def test_bot_with_another_token_is_refused(bot: Callable[..., Awaitable[Bot]]) -> None:
    first, second = await bot(7), await bot(8)
    await first.start()
    with pytest.raises(StoreError, match="another token"):
        await second.claims.join()
    await first.close()
    await second.claims.join()


@pytest.mark.long
async def test_one_of_two_concurrent_bots_with_different_tokens_is_refused(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    first, second = await bot(7), await bot(8)
    async with server(first.store)._aside.transaction() as sooner:
        why = await sooner.run_sync(
            lambda tx: queries.insert_replica(tx, "sooner", make_shared_settings(7, None), "", LEASE)
        )
        assert why == ""
        later = asyncio.create_task(second.claims.join())
        await asyncio.sleep(0.3)
        assert not later.done()
    with pytest.raises(StoreError, match="another token"):
        await later


HERE, ELSEWHERE = "https://bot.example/here", "https://bot.example/elsewhere"


@pytest.mark.long
@pytest.mark.parametrize(
    ("theirs", "mine", "why"),
    [(HERE, ELSEWHERE, ANOTHER_ADDRESS), (HERE, None, NO_ADDRESS), (None, HERE, OTHERS_POLL)],
)
async def test_bot_with_another_webhook_address_is_refused(
    theirs: str | None, mine: str | None, why: str, bot: Callable[..., Awaitable[Bot]]
) -> None:
    first, second, third = await bot(webhook=theirs), await bot(webhook=mine), await bot(webhook=theirs)
    await first.start()
    with pytest.raises(StoreError) as refused:
        await second.claims.join()
    assert str(refused.value) == why
    await third.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent + third.sent == ["1"])
    for each in (first, third):
        await each.close()
    await second.claims.join()


@pytest.mark.long
async def test_bot_of_an_old_version_without_webhook_digest_is_no_conflict(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    first = await bot(webhook=HERE)
    there = f"INSERT INTO replicas (name, bot_id, until, tag, lanes, pulse) VALUES ('a', 7, {SOON}, '', 0, 0)"  # noqa: S608 - our own
    await first.store.write(lambda tx: tx.execute(text(there)).rowcount)
    await first.claims.join()


@pytest.mark.long
@pytest.mark.usefixtures("_brief")
async def test_bot_waits_for_conflicting_bots_to_leave(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The row of one that was killed is there for its lease."""
    monkeypatch.setattr(replica, "JOIN_TIMEOUT", 60.0)
    first, second = await bot(webhook=HERE), await bot(webhook=ELSEWHERE)
    await first.start()
    await first.freeze()
    await second.start()
    assert caplog.text.count(ANOTHER_ADDRESS) == 1
    await second.inbox.accept([said(1)])
    await until(lambda: second.sent == ["1"])


@pytest.mark.long
async def test_rejoining_bot_ends_beside_bots_with_another_address(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    first, second = await bot(webhook=HERE), await bot(webhook=ELSEWHERE)
    await first.start()
    await first.freeze()
    await first.store.write(lambda tx: tx.execute(text("DELETE FROM replicas")).rowcount)
    await second.start()
    with pytest.raises(StoreError, match=r"^WEBHOOK_URL: "):
        await first.claims.keep_lease()


@pytest.mark.long
async def test_bots_choose_a_secret_that_all_accept(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    before = [await bot(webhook=HERE, secrets=["old"]) for _ in range(2)]
    for each in before:
        await each.claims.join()
    first, second, third = [await bot(webhook=HERE, secrets=["new", "old"]) for _ in range(3)]
    await before[0].claims.leave()
    await first.claims.join()
    assert await first.claims.choose_secret() == 1  # Telegram posts to the other one, too
    late = await bot(webhook=HERE, secrets=["new"])
    with pytest.raises(StoreError, match=r"^WEBHOOK_SECRET: "):
        await late.claims.join()
    await before[1].claims.leave()
    await second.claims.join()
    assert await first.claims.choose_secret() == await second.claims.choose_secret() == 0
    await late.claims.join()
    await third.claims.join()
    assert await third.claims.choose_secret() == await late.claims.choose_secret() == 0
    shown = await first.store.read(lambda tx: str(tx.execute(text("SELECT * FROM replicas")).all()))
    assert "'new'" not in shown
    assert "'old'" not in shown


@pytest.mark.long
async def test_rejoining_bot_must_accept_the_registered_secret(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    before = await bot(webhook=HERE, secrets=["old"])
    await before.claims.join()
    await before.claims.leave()
    after = await bot(webhook=HERE, secrets=["new", "old"])
    await after.claims.join()
    with pytest.raises(StoreError, match=r"^WEBHOOK_SECRET: Telegram was told another one"):
        await before.claims.keep_lease()


@pytest.mark.long
async def test_idle_chats_are_released(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "RELEASE_AFTER", 0.1)
    first = await bot()
    await first.start()
    await first.inbox.accept([said(1, 5)])
    await until(lambda: first.sent == ["1"])
    await until(lambda: not first.claims.owns(5))
    left = text("SELECT count(*) FROM lanes WHERE lane = 5")

    async def gone() -> bool:
        return not await first.store.read(lambda tx: tx.scalar(left))

    await until_so(gone)
    await first.inbox.accept([said(2, 5)])
    await until(lambda: first.sent == ["1", "2"])


@pytest.mark.long
async def test_updates_over_the_limit_are_dropped_by_the_owner(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """Though another bot stores it."""
    first, second = await bot(), await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    first.blocked.clear()
    await second.start()
    crowd = [said(number) for number in range(2, 200)]
    for update in crowd:
        update["message"] |= {"from": {"id": 1}}
    await second.inbox.accept(crowd)
    await until(lambda: first.inbox.waiting_count == 150)
    first.blocked.set()
    await until(lambda: len(first.handled) == 151)
    left = await first.store.read(queries.count_waiting_updates)
    assert (left, first.inbox.dropped_count, second.inbox.dropped_count) == (0, 48, 0)


async def test_burst_of_posts_is_sent_after_a_pause(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    waits = [await first.store.write(lambda tx: queries.take_post_slots(tx, 10.0, 5, 1)) for _ in range(7)]
    assert [wait > 0 for wait in waits] == [False] * 5 + [True] * 2
    assert 0 < waits[5] <= 10 < waits[6] <= 20


async def test_clock_set_back_does_not_delay_posts(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    first = await bot(pace=Pace(posts_a_second=2))
    shared = server(first.store)
    assert await shared.run_beside_writer(lambda tx: queries.take_post_slots(tx, 0.5, 1, 1)) <= 0.5
    ahead = text("UPDATE paces SET next = next + 3600")
    await first.store.write(lambda tx: tx.execute(ahead).rowcount)
    assert await shared.run_beside_writer(lambda tx: queries.take_post_slots(tx, 0.5, 1, 1)) <= 0.5
    later = text("UPDATE paces SET next = next + 5")
    await first.store.write(lambda tx: tx.execute(later).rowcount)
    assert await shared.run_beside_writer(lambda tx: queries.take_post_slots(tx, 0.5, 1, 1)) > 5


async def test_farthest_slot_grows_with_the_number_of_bots(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """Nine with thirty posts each: no booking of theirs is taken for a clock that was set back."""
    first = await bot(pace=Pace())
    shared = server(first.store)
    more = text(
        "INSERT INTO replicas (name, bot_id, tag, lanes, pulse, until)"
        " SELECT 'b' || n, 24, 'another', 0, 0, extract(epoch FROM now()) + 60"
        " FROM generate_series(1, 9) AS n"
    )
    await first.store.write(lambda tx: tx.execute(more).rowcount)
    waits = [
        await shared.run_beside_writer(lambda tx: queries.take_post_slots(tx, 1 / 25, 5, 30))
        for _ in range(12)
    ]
    assert waits == sorted(waits)
    assert 13 < waits[-1] < 15


async def test_lease_too_far_in_the_future_is_deleted(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """It died before the server's clock was set back, and would be waited for until that is where it was."""
    first = await bot()
    await first.start()
    row = "INSERT INTO replicas VALUES ('{0}', 7, extract(epoch FROM clock_timestamp()) + {1}, '{0}', 0, 0)"
    for one in (row.format("alive", LEASE - 1), row.format("dead", LEASE + 60)):
        await first.store.write(lambda tx, one=one: tx.execute(text(one)).rowcount)  # type: ignore[misc]
    names = text("SELECT name FROM replicas WHERE name IN ('alive', 'dead')")
    await until_so(lambda: first.store.read(lambda tx: list(tx.scalars(names)) == ["alive"]))


class OneStatement:
    """A transaction of which the process ends right after the first statement."""

    def __init__(self, tx: Tx) -> None:
        self._tx, self._over = tx, False

    def execute(self, *statement: Any) -> Any:
        assert not self._over
        self._over = True
        return self._tx.execute(*statement)

    scalars = scalar = execute


@pytest.mark.long
async def test_deleting_a_replica_ends_its_connections(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """Else nobody would ever end them where it dies in between: a frozen bot would go on where it stood."""
    first, frozen = await bot(), await bot()
    tag, held = server(frozen.store).application_name, await server(frozen.store).open_dedicated_connection()
    rows = "INSERT INTO replicas VALUES ('frozen', 7, 1, '{0}', 0, 0), ('lost', 7, 1, 'without any', 0, 0)"
    await first.store.write(lambda tx: tx.execute(text(rows.format(tag))).rowcount)
    connections = text("SELECT count(*) FROM pg_stat_activity WHERE application_name = :tag")

    async def ended() -> bool:
        return not await first.store.read(lambda tx: tx.scalar(connections, {"tag": tag}))

    assert not await ended()
    watch = await server(first.store).open_dedicated_connection()
    try:
        assert await watch.run(lambda tx: queries.delete_expired_replicas(OneStatement(tx), LEASE)) == 2  # type: ignore[arg-type]
        await until_so(ended)
        assert await watch.run(lambda tx: queries.delete_expired_replicas(tx, LEASE)) == 0
    finally:
        await watch.close()
        await held.close()


async def test_leased_chats_are_counted(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    there = f"INSERT INTO replicas VALUES ('a', 7, {SOON}, '', 0, 0), ('b', 7, {SOON}, '', 0, 0)"  # noqa: S608 - our own
    served = "INSERT INTO lanes VALUES (1, 'a', 1), (2, 'a', 1), (3, 'a', 1), (4, 'b', 1), (5, 'gone', 1)"
    for rows in (there, served):
        await first.store.write(lambda tx, rows=rows: tx.execute(text(rows)).rowcount)  # type: ignore[misc]
    assert await first.store.read(lambda tx: queries.count_leased_lanes(tx, "a")) == (3, 2.0)
    assert await first.store.read(lambda tx: queries.count_leased_lanes(tx, "b")) == (1, 2.0)


@pytest.mark.long
async def test_all_bots_share_one_pace(bot: Callable[..., Awaitable[Bot]]) -> None:
    pace = Pace(posts_a_second=25)  # five at once, then twenty a second
    bots = [await bot(pace=pace) for _ in range(3)]
    began = time.monotonic()
    await asyncio.gather(*(each.claims.wait_for_slot() for each in bots for _ in range(15)))
    assert 1.9 < time.monotonic() - began < 10  # forty of them wait for their twentieth of a second


MANY = 33_000  # More than a statement may have arguments


async def backlog(store: Store, chats: int, waiting: int) -> None:
    """Let so many requests wait, in turns in so many chats, each saying its place there."""
    body = """'{"method"\\: "sendMessage", "params"\\: {"chat_id"\\: ' || lane || '"""
    body += """, "text"\\: "' || turn || '"}}'"""
    turns = "SELECT -1000 - n % :chats AS lane, n / :chats AS turn FROM generate_series(0, :last) n"
    rows = f"INSERT INTO outbox (lane, body, state, at) SELECT lane, {body}, 'waiting', 0 FROM ({turns}) x"  # noqa: S608
    many = {"chats": chats, "last": waiting - 1}
    await store.write(lambda tx: tx.execute(text(rows), many).rowcount)


@pytest.mark.long
@pytest.mark.parametrize("chats", [1, MANY])
async def test_backlog_does_not_delay_the_renewal(chats: int, bot: Callable[..., Awaitable[Bot]]) -> None:
    """In one chat, or in as many; then all of it is queued before the answer."""
    first = await bot()
    await backlog(first.store, chats, MANY)
    await first.start()
    await first.inbox.accept([said(1, OTHER)])
    await until(lambda: first.handled and len(first.sent) > chats // 1000)
    await until(lambda: chats > 1 or first.of(OTHER) == ["1"])


async def test_any_number_of_chats_is_released(bot: Callable[..., Awaitable[Bot]]) -> None:
    first = await bot()
    there = f"INSERT INTO lanes SELECT n, 'a', 1 FROM generate_series(1, {MANY}) n"  # noqa: S608
    await first.store.write(lambda tx: tx.execute(text(there)).rowcount)
    await first.store.write(lambda tx: queries.release_lanes(tx, "a", range(2, MANY + 1)))
    assert await first.store.read(lambda tx: queries.load_lease_tokens(tx, "a")) == {1: 1}


async def test_backlog_of_a_takeover_is_sent_before_new_requests(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Updates run while those of a crowd that are over its share are written off."""
    first = await bot()
    take_up = first.inbox.enqueue_backlog

    async def slow(stored: Sequence[QueuedUpdate], counted: Sequence[int] = ()) -> None:
        await take_up(stored, counted)
        if stored:
            await until(lambda: first.handled)

    monkeypatch.setattr(first.inbox, "enqueue_backlog", slow)
    body = {"method": "sendMessage", "params": {"chat_id": GROUP, "text": "before"}}
    await first.store.write(lambda tx: queues.insert_request(tx, GROUP, body, 0.0))
    await first.inbox.accept([said(1)])
    await first.start()
    await until(lambda: len(first.sent) == 2)
    assert first.sent == ["before", "1"]


@pytest.mark.long
async def test_lease_with_a_lost_commit_answer_is_found(
    bot: Callable[..., Awaitable[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await bot()
    claim, fails = queries.lease_lanes, [True]

    def broken(tx: Tx, name: str, token: int, most: int) -> list[int]:
        found = claim(tx, name, token, most)
        if found and fails:
            fails.clear()
            tx.commit()
            raise ConnectionResetError("gone")
        return found

    monkeypatch.setattr(queries, "lease_lanes", broken)
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    assert not fails


@pytest.mark.long
async def test_lease_lost_in_a_server_crash_is_forgotten(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """A claim isn't synced to the disk at once; another bot may have the chat by now."""
    first = await bot()
    await first.start()
    await first.inbox.accept([said(1), said(2, OTHER)])
    await until(lambda: len(first.sent) == 2)
    await first.freeze()
    forgotten = f"DELETE FROM lanes WHERE lane = {GROUP}"  # noqa: S608 - our own
    await first.store.write(lambda tx: tx.execute(text(forgotten)).rowcount)
    assert first.claims.owns(GROUP)
    for part in (first.claims.keep_lease, first.claims.take_work):  # its connection ended with the server
        first.running.append(asyncio.ensure_future(part()))
    await until(lambda: not first.claims.owns(GROUP), 10)
    assert first.claims.owns(OTHER)
    await first.inbox.accept([said(3)])
    await until(lambda: first.of(GROUP) == ["1", "3"])


@pytest.mark.long
async def test_request_sent_by_another_bot_is_sent_once(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """A chat is lost and becomes this bot's again while a post of it waits for its time."""
    first = await bot()
    await first.start()
    await first.inbox.accept([said(1)])
    await until(lambda: first.sent == ["1"])
    first.outbox._lane(GROUP).blocked_until = time.monotonic() + 1.0
    await first.inbox.accept([said(2)])
    await until(lambda: first.handled == [1, 2])
    (waits,) = await first.store.read(queues.load_waiting_requests)
    another = text(f"UPDATE lanes SET owner = '', token = 5 WHERE lane = {GROUP}")  # noqa: S608 - our own

    def meanwhile(tx: Tx) -> None:
        queues.delete_requests(tx, [waits])
        tx.execute(another)

    await first.store.write(meanwhile)
    del first.claims._tokens[GROUP]
    await first.inbox.accept([said(3)])
    await until(lambda: "3" in first.sent)
    assert first.sent == ["1", "3"]


@pytest.mark.long
async def test_transactions_of_several_bots_are_serialized(
    bot: Callable[..., Awaitable[Bot]],
) -> None:
    """Each adds one to what it read; none is lost."""
    bots = [await bot() for _ in range(3)]
    await bots[0].store.write(lambda tx: tx.execute(text("INSERT INTO meta VALUES ('n', '0')")).rowcount)

    def add(tx: Tx) -> int:
        seen = int(tx.scalar(text("SELECT value FROM meta WHERE key = 'n'")) or 0)
        tx.execute(text("UPDATE meta SET value = :n WHERE key = 'n'"), {"n": str(seen + 1)})
        return seen

    seen = await asyncio.gather(*(each.store.write(add) for each in bots for _ in range(20)))
    assert sorted(seen) == list(range(60))


@pytest.mark.long
async def test_duplicate_row_fails_soon(bot: Callable[..., Awaitable[Bot]]) -> None:
    """It may be another's that came at the same time, so it is tried twice more, and no oftener."""
    first, tries = await bot(), list[int]()

    def add(tx: Tx) -> int:
        tries.append(1)
        return tx.execute(text("INSERT INTO meta VALUES ('n', '0')")).rowcount

    await first.store.write(add)
    with pytest.raises(IntegrityError):
        await first.store.write(add)
    assert len(tries) == 4
