"""What bots on one database tell each other of tables that changed. Skipped where no server answers."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.database import AccessMode, Store
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.replicas import notifications as module
from bot.queue.replicas.notifications import Notifications
from tests.bot.postgres import migrated_database

GROUP, OTHER, ANN = -5, -6, 1


class Server:
    """Tells whoever listens."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.listeners: list[tuple[str, Any]] = []
        self.down = False

    async def run_beside_writer(self, work: Any) -> None:
        if self.down:
            raise OSError
        work(self)

    def execute(self, _: Any, said: dict[str, str]) -> None:
        self.told.append((said["channel"], said["payload"]))
        for channel, heard in self.listeners:
            if channel == said["channel"]:
                heard(said["payload"])

    async def listen(self, channel: str, heard: Any) -> None:
        self.listeners.append((channel, heard))


async def two(server: Server) -> tuple[ChangeNotifier, ChangeNotifier]:
    made = []
    for _ in range(2):
        changes, hints = ChangeNotifier(), Notifications(server)  # type: ignore[arg-type]
        hints.forward(changes)
        await hints.listen(server)  # type: ignore[arg-type]
        made.append(changes)
    return made[0], made[1]


async def test_change_wakes_pages_of_other_bots() -> None:
    here, there = await two(server := Server())
    page, other = there.subscribe([GROUP, ANN]), there.subscribe([OTHER])
    for _ in range(5):
        here.notify_chat(GROUP)
    here.notify_chat(ANN)
    async with asyncio.timeout(60):
        await page.wait()
    assert [{*told.split(",")} for _, told in server.told] == [{str(GROUP), str(ANN)}]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await other.wait()


async def test_departures_reach_other_bots() -> None:
    """Else they would play on over that one for a minute."""
    here, there = await two(Server())
    seen, heard = list[tuple[int, int]](), asyncio.Event()

    def left(chat_id: int, player_id: int) -> None:
        seen.append((chat_id, player_id))
        if len(seen) == 301:
            heard.set()

    there.on_departure = left
    gone = [(GROUP, ANN), *((GROUP, 1000 + n) for n in range(300))]  # more than one hint names
    for one in gone:
        here.report_departure(*one)
    async with asyncio.timeout(60):
        await heard.wait()
    assert seen == gone


async def test_many_changes_are_named_in_several_notifications(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_NAMED", 1)
    here, there = await two(server := Server())
    page = there.subscribe([GROUP])
    here.notify_chat(OTHER)
    here.notify_chat(GROUP)
    async with asyncio.timeout(60):
        await page.wait()
    assert [told for _, told in server.told] == [str(OTHER), str(GROUP)]


async def test_bot_without_pages_listens_to_no_changes() -> None:
    server, hints = Server(), None
    hints = Notifications(server)  # type: ignore[arg-type]
    await hints.listen(server)  # type: ignore[arg-type]
    assert [channel for channel, _ in server.listeners] == [module.WORK_CHANNEL]


async def test_failed_notification_is_ignored() -> None:
    here, _ = await two(server := Server())
    server.down = True
    here.notify_chat(GROUP)
    await asyncio.sleep(module.MIN_PAUSE * 3)
    server.down = False
    here.notify_chat(OTHER)
    async with asyncio.timeout(60):
        while not server.told:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.001)
    assert server.told == [(module.CHANGED_CHANNEL, str(OTHER))]


@pytest.mark.long
async def test_change_wakes_pages_of_other_bots_on_a_server() -> None:
    async with migrated_database() as url, AsyncExitStack() as stack:
        made = list[ChangeNotifier]()
        for _ in range(2):
            store = await Store.open(url, AccessMode.SHARED)
            stack.push_async_callback(store.close)
            assert store.shared_server
            watch = await store.shared_server.open_dedicated_connection()
            stack.push_async_callback(watch.close)
            hints, changes = Notifications(store.shared_server), ChangeNotifier()
            hints.forward(changes)
            await hints.listen(watch)
            stack.callback(hints.stop)
            made.append(changes)
        page = made[1].subscribe([GROUP, ANN])
        made[0].notify_chat(ANN)
        async with asyncio.timeout(60):
            await page.wait()
