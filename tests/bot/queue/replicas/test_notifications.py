"""Notifications between bots on one database. Skipped without a PostgreSQL server."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.database import AccessMode, Store
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.replicas import replica as module
from bot.queue.replicas.replica import Notifications
from tests.bot.postgres import migrated_database

GROUP, OTHER, ANN = -5, -6, 1


class Server:
    """A server that passes notifications to its listeners."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.listeners: list[tuple[str, Any]] = []
        self.down = False

    async def run_beside_writer(self, work: Any) -> None:
        if self.down:
            raise OSError
        work(self)

    def execute(self, _: Any, values: dict[str, str]) -> None:
        self.sent.append((values["channel"], values["payload"]))
        for channel, callback in self.listeners:
            if channel == values["channel"]:
                callback(values["payload"])

    async def listen(self, channel: str, callback: Any) -> None:
        self.listeners.append((channel, callback))


async def make_two_notifiers(server: Server) -> tuple[ChangeNotifier, ChangeNotifier]:
    notifiers = []
    for _ in range(2):
        changes, notifications = ChangeNotifier(), Notifications(server)  # type: ignore[arg-type]
        notifications.forward(changes)
        await notifications.listen(server)  # type: ignore[arg-type]
        notifiers.append(changes)
    return notifiers[0], notifiers[1]


async def test_change_wakes_pages_of_other_bots() -> None:
    here, there = await make_two_notifiers(server := Server())
    page, other = there.subscribe([GROUP, ANN]), there.subscribe([OTHER])
    for _ in range(5):
        here.notify_chat(GROUP)
    here.notify_chat(ANN)
    async with asyncio.timeout(60):
        await page.wait()
    assert [{*payload.split(",")} for _, payload in server.sent] == [{str(GROUP), str(ANN)}]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await other.wait()


async def test_departures_reach_other_bots() -> None:
    """Else pages on other bots would stay open for a minute."""
    here, there = await make_two_notifiers(Server())
    seen, callback = list[tuple[int, int]](), asyncio.Event()

    def record(chat_id: int, player_id: int) -> None:
        seen.append((chat_id, player_id))
        if len(seen) == 301:
            callback.set()

    there.on_departure = record
    departures = [(GROUP, ANN), *((GROUP, 1000 + n) for n in range(300))]  # more than one notification names
    for departure in departures:
        here.report_departure(*departure)
    async with asyncio.timeout(60):
        await callback.wait()
    assert seen == departures


async def test_many_changes_are_named_in_several_notifications(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_NAMED", 1)
    here, there = await make_two_notifiers(server := Server())
    page = there.subscribe([GROUP])
    here.notify_chat(OTHER)
    here.notify_chat(GROUP)
    async with asyncio.timeout(60):
        await page.wait()
    assert [payload for _, payload in server.sent] == [str(OTHER), str(GROUP)]


async def test_bot_without_pages_listens_to_no_changes() -> None:
    server = Server()
    notifications = Notifications(server)  # type: ignore[arg-type]
    await notifications.listen(server)  # type: ignore[arg-type]
    assert [channel for channel, _ in server.listeners] == [module.WORK_CHANNEL]


async def test_failed_notification_is_ignored() -> None:
    here, _ = await make_two_notifiers(server := Server())
    server.down = True
    here.notify_chat(GROUP)
    await asyncio.sleep(module.MIN_PAUSE * 3)
    server.down = False
    here.notify_chat(OTHER)
    async with asyncio.timeout(60):
        while not server.sent:  # noqa: ASYNC110 - nothing wakes the test
            await asyncio.sleep(0.001)
    assert server.sent == [(module.CHANGED_CHANNEL, str(OTHER))]


@pytest.mark.long
async def test_change_wakes_pages_of_other_bots_on_a_server() -> None:
    async with migrated_database() as url, AsyncExitStack() as stack:
        notifiers = list[ChangeNotifier]()
        for _ in range(2):
            store = await Store.open(url, AccessMode.SHARED)
            stack.push_async_callback(store.close)
            assert store.shared_server
            watch = await store.shared_server.open_dedicated_connection()
            stack.push_async_callback(watch.close)
            notifications, changes = Notifications(store.shared_server), ChangeNotifier()
            notifications.forward(changes)
            await notifications.listen(watch)
            stack.callback(notifications.stop)
            notifiers.append(changes)
        page = notifiers[1].subscribe([GROUP, ANN])
        notifiers[0].notify_chat(ANN)
        async with asyncio.timeout(60):
            await page.wait()
