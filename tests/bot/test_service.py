"""The service: its start, its parts and its stop."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text
from telegram import Bot

from bot import supervision as stopping
from bot.board.rules import Place
from bot.board.tokens import PlaceTokens
from bot.database import AccessMode, Store
from bot.ingress import PollingIngress
from bot.metrics import Pulse
from bot.page_server import PageServer
from bot.pictures.drawing import draw_picture
from bot.queue import dead_letters
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.replicas import replica
from bot.service import FIRST_PICTURE, build_service, draw_in_worker, run_service, warm_workers
from bot.settings import Address, Settings, read_settings
from bot.telegram.polling import PollingError, TokenLostError
from bot.telegram.startup import StartError
from bot.workers.pool import SolverPool
from tests.bot.board.signing import make_init_data
from tests.bot.postgres import migrated_database
from tests.stories.conftest import InProcessPool
from tests.telegram import World, WorldRequest

# In their order.
CLOSINGS = (
    (PageServer, "close"),
    (PollingIngress, "close"),
    (Inbox, "close"),
    (Outbox, "close"),
    (InProcessPool, "close"),
    (WorldRequest, "shutdown"),
    (Store, "close"),
)


class PulsingPool(InProcessPool):
    """The solver of the stories with a pulse."""

    def __init__(self) -> None:
        super().__init__()
        self.pulse = Pulse(0.0)

    def start(self) -> None:
        """Start nothing."""


class StoppableService:
    """A service that runs until `stop` is set."""

    def __init__(self, world: World, database: Path) -> None:
        self.world = world
        self.stop = asyncio.Event()
        self.settings = read_settings({"BOT_TOKEN": world.token, "DATABASE_URL": f"sqlite:///{database}"})

    async def run(self) -> None:
        """Run the service as a process would, without signals."""
        async with AsyncExitStack() as stack:
            service = await build_service(
                self.settings, WorldRequest(self.world), stack, solver_pool=PulsingPool()
            )
            await run_service(service, stack, self.stop)


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The exit codes with which a process that hangs would be ended."""
    codes: list[int] = []
    monkeypatch.setattr(stopping, "schedule_forced_exit", codes.append)
    return codes


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The closed parts in order."""
    order: list[str] = []

    def noted(owner: type, name: str) -> Callable[..., Any]:
        close = getattr(owner, name)

        def closing(this: object, *arguments: Any) -> Any:
            order.append(owner.__name__)
            return close(this, *arguments)

        return closing

    for owner, name in CLOSINGS:
        monkeypatch.setattr(owner, name, noted(owner, name))
    return order


@pytest.fixture
def night(tmp_path: Path) -> StoppableService:
    return StoppableService(World(), tmp_path / "games.sqlite3")


async def test_service_runs_until_stopped(
    night: StoppableService, forced: list[int], closed: list[str]
) -> None:
    world = night.world
    ann = world.user("Ann")
    playing = asyncio.create_task(night.run())
    world.say(ann, ann, "/help")
    await world.next_post(ann, "/play")
    await world.wait_until(lambda: world.profile.commands, what="menus")
    night.stop.set()
    await playing
    assert closed == [owner.__name__ for owner, _ in CLOSINGS]
    assert forced == []


async def test_start_prints_how_to_add_the_bot_to_a_group(
    night: StoppableService, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    playing = asyncio.create_task(night.run())
    await night.world.wait_until(lambda: night.world.profile.commands, what="menus")
    night.stop.set()
    await playing
    assert (
        "add @TwentyFourTestBot to a group: https://t.me/TwentyFourTestBot?startgroup=hello,"
        " then write /play there" in capfd.readouterr().err
    )


@pytest.mark.long
@pytest.mark.parametrize("what", [(PollingIngress, "open"), (Inbox, "close")])
async def test_lease_is_kept_during_start_and_stop(
    what: tuple[type, str], monkeypatch: pytest.MonkeyPatch, forced: list[int]
) -> None:
    # Otherwise other bots would take over its chats while it still works on them.
    for name, seconds in {"LEASE_SECONDS": 1.0, "RENEWAL_INTERVAL": 0.1, "LEASE_MARGIN": 0.1}.items():
        monkeypatch.setattr(replica, name, seconds)
    world, work, left, stop = World(), getattr(*what), list[float](), asyncio.Event()
    lasts = text("SELECT max(until) - extract(epoch FROM clock_timestamp()) FROM replicas")
    async with migrated_database() as url, AsyncExitStack() as looking:
        store = await Store.open(url, AccessMode.SHARED)
        looking.push_async_callback(store.close)

        async def slow(this: object, *arguments: Any) -> Any:
            await asyncio.sleep(1.5)
            left.append(float(await store.read(lambda tx: tx.scalar(lasts)) or -1))
            return await work(this, *arguments)

        monkeypatch.setattr(*what, slow)
        settings = read_settings(
            {"BOT_TOKEN": world.token, "DATABASE_URL": url.render_as_string(hide_password=False)}
        )
        async with AsyncExitStack() as stack:
            service = await build_service(settings, WorldRequest(world), stack, solver_pool=PulsingPool())
            playing = asyncio.create_task(run_service(service, stack, stop))
            await world.wait_until(lambda: world.profile.commands, what="menus")
            stop.set()
            await playing
        assert left
        assert left[0] > 0
        assert await store.read(lambda tx: tx.scalar(text("SELECT count(*) FROM replicas"))) == 0
    assert forced == []


def use_webhook(night: StoppableService, path: str = "hook", host: str = "127.0.0.1") -> Address:
    """Let Telegram post to a free port, and serve health at `host` and the same port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        where = Address("127.0.0.1", free.getsockname()[1])
    night.settings = replace(
        night.settings,
        webhook_url=f"http://127.0.0.1:{where.port}/{path}",
        webhook_secrets=("made-up",),
        webhook_listen=where,
        health_listen=replace(where, host=host),
    )
    return where


@pytest.mark.long
async def test_page_of_one_bot_shows_changes_of_another(forced: list[int]) -> None:
    world, stop = World(), asyncio.Event()
    ann, bob = world.user("Ann"), world.user("Bob")
    group = world.group("Table", ann, bob)
    ports = [use_webhook(StoppableService(world, Path("unused"))) for _ in range(2)]

    async def playing(settings: Settings) -> None:
        async with AsyncExitStack() as stack:
            service = await build_service(settings, WorldRequest(world), stack, solver_pool=PulsingPool())
            await run_service(service, stack, stop)

    async with migrated_database() as url, aiohttp.ClientSession() as http:
        given = {"BOT_TOKEN": world.token, "DATABASE_URL": url.render_as_string(hide_password=False)}
        known = read_settings(given | {"WEB_URL": "https://x.example/board"})
        bots = [asyncio.create_task(playing(replace(known, web_listen=listen))) for listen in ports]
        start = PlaceTokens(world.token.encode()).make_token(Place(group.id), time.time() + 60)
        opened = list[int]()
        async with asyncio.TaskGroup() as pages:
            for number, listen in enumerate(ports):
                person = {"id": ann.id, "first_name": "Ann"}
                raw = make_init_data(world.token, time.time(), person, query_id=str(number))
                opening = {"init_data": raw, "start": start}
                pages.create_task(wait_for_deal(http, listen.port, opening, opened))
            while len(opened) < 2:  # noqa: ASYNC110 - the world hears nothing of it
                await asyncio.sleep(0.01)
            world.say(bob, group, f"/play@{world.bot.username}")
        stop.set()
        await asyncio.gather(*bots)
    assert forced == []


async def wait_for_deal(
    http: aiohttp.ClientSession, port: int, opening: dict[str, str], opened: list[int]
) -> None:
    """Open the page as soon as the bot listens, and wait for an open hand."""
    root, answered = f"http://127.0.0.1:{port}/board", None
    while answered is None:
        with suppress(aiohttp.ClientConnectionError):
            async with http.post(f"{root}/open", json=opening) as answer:
                assert answer.status == 200
                answered = await answer.json()
        await asyncio.sleep(0.02)
    known = {"Authorization": f"Bearer {answered['session']}"}
    async with http.get(f"{root}/events", headers=known) as events, asyncio.timeout(60):
        while b'"round": null' not in await events.content.readline():
            pass
        opened.append(port)
        while b'"state": "open"' not in await events.content.readline():
            pass


def make_failing(error: Exception) -> Callable[..., Awaitable[None]]:
    async def poll(*_: object) -> None:
        raise error

    return poll


@pytest.mark.parametrize("error", [TokenLostError("another bot"), PollingError("stands still")], ids=repr)
async def test_fatal_error_of_the_ingress_ends_the_bot(
    error: Exception,
    night: StoppableService,
    forced: list[int],
    closed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.ingress.poll_updates", make_failing(error))
    with pytest.raises(type(error), match=str(error)):
        await night.run()
    assert closed == [owner.__name__ for owner, _ in CLOSINGS]
    assert forced == [1], "a bot that hangs then is ended"


async def test_requests_survive_a_rotated_token(
    night: StoppableService,
    tmp_path: Path,
    forced: list[int],
    closed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.telegram.startup.FIRST_PAUSE", 0.0)
    world = night.world
    ann = world.user("Ann")
    slow = world.faults.add("sendMessage", retry_after=1, count=1)
    playing = asyncio.create_task(night.run())
    world.say(ann, ann, "/help")
    await world.wait_until(lambda: slow.hits, what="a request that waits")
    world.rotate()
    with pytest.raises(StartError, match=r"^BOT_TOKEN: Telegram refuses it$"):
        await playing
    assert closed == [owner.__name__ for owner, _ in CLOSINGS]
    assert forced == [1], "a bot that hangs then is ended"
    assert world.posts(ann) == []
    after = StoppableService(world, tmp_path / "games.sqlite3")
    playing = asyncio.create_task(after.run())
    await world.next_post(ann, "/play")
    after.stop.set()
    await playing
    store = await Store.open(after.settings.database)
    assert await store.read(dead_letters.list_dead_letters) == []
    await store.close()


async def test_replaced_bot_finishes_what_it_received(
    night: StoppableService, forced: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = night.world.user("Ann")
    result = night.world.say(ann, ann, "/help", hear=False).json()

    async def last(_: Bot, inbox: Inbox, *__: object) -> None:
        await inbox.accept([{"update_id": 1, "message": result}])
        raise TokenLostError("another bot")

    monkeypatch.setattr("bot.ingress.poll_updates", last)
    with pytest.raises(TokenLostError):
        await night.run()
    (post,) = night.world.posts(ann)
    assert post.text.partition("\n")[0] == "Twenty-Four: I deal four numbers."
    assert forced == [1]


async def test_stop_does_not_wait_for_telegram(
    night: StoppableService, forced: list[int], closed: list[str]
) -> None:
    # Neither for its first answer nor for its permission to poll.
    asked = night.world.faults.add("getWebhookInfo", status=502)
    playing = asyncio.create_task(night.run())
    await night.world.wait_until(lambda: asked.hits)
    night.stop.set()
    await playing
    assert closed == [owner.__name__ for owner, _ in CLOSINGS]
    assert forced == []


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_worker_draws_the_same_picture() -> None:
    pool = SolverPool(2, 30.0)
    try:
        await warm_workers(pool, 2)
        assert await draw_in_worker(pool, FIRST_PICTURE, "en") == draw_picture(FIRST_PICTURE, "en")
    finally:
        pool.close()
