"""A bot at a table of made-up people, in one process and in milliseconds."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.database import Tx, sqlite
from bot.features import FEATURES
from bot.games.twentyfour.dealing import (
    MIN_IDEAS,
    TooManyIdeasError,
    build_hand,
    draw_hand,
    draw_hand_with_all_ideas,
)
from bot.games.twentyfour.rules import MAX_IDEAS, Hand
from bot.players import queries as people
from bot.queue import retry
from bot.queue.pacing import Lane, Pace
from bot.queue.refusals import read_retry_delay
from bot.service import Service, build_service
from bot.settings import read_settings
from bot.telegram.connections import Connections
from bot.telegram.context import Handler, Services
from bot.telegram.polling import poll_updates
from bot.telegram.routes import ALLOWED_UPDATES, Routes, merge_routes
from bot.workers.pool import SolverPool
from tests.databases import share_compiled_statements, write_database
from tests.on_postgresql import ON_POSTGRESQL, drop_template, drop_test_databases, provide_database
from tests.stories.clock import Clock
from tests.stories.on_server import join_replicas, needs_file
from tests.telegram import BotApi, Chat, Message, User, World, WorldRequest
from tests.telegram.faults import Fault
from tests.telegram.record import Record, Request

# Whether the bot reaches its Telegram by HTTP on loopback, as a real one; else each request is a call.
OVER_HTTP = os.environ.get("STORIES") == "http"
# Whether chats may have pictures in stories that don't say; they take longer.
PICTURES = os.environ.get("PICTURES") == "on"
TRIES = 2 if PICTURES else 1  # How often a hand is posted that is refused: as a photo, and as text
QUICK = Pace(posts_a_minute=20, redraw_gap=0.0)
SHORTER = 1 / 20  # The part of their time that pauses after a failure last in stories


T = TypeVar("T")


@lru_cache(maxsize=1024)
def run_cached(task: Callable[..., Any], *arguments: Any) -> Any:
    """What a task of dealing gives, which never changes: hundreds of stories ask for the same few hands."""
    return task(*arguments)


class InProcessPool(SolverPool):
    """The pool's answers without its processes: a story has no arithmetic worth a worker."""

    def __init__(self) -> None:
        self.hands: list[Hand] = []
        """Hands to deal first; then the generator's."""
        self.too_many_ideas = False
        """Whether every hand has more ideas than a list holds."""
        self.recipes: list[tuple[object, ...]] = []
        """What hands were asked for: how, the count of cards, the highest, the target, the level."""

    deadline = 60.0

    async def run_task(self, task: Callable[..., T], *arguments: Any, **_: Any) -> T:
        if task in (draw_hand, draw_hand_with_all_ideas):
            recipe = arguments[1]
            self.recipes.append((task.__name__, recipe.cards, recipe.highest, recipe.target, recipe.level))
        if task is draw_hand_with_all_ideas and self.too_many_ideas:
            raise TooManyIdeasError
        while self.hands and task in (draw_hand, draw_hand_with_all_ideas):
            rigged: Any = self.hands.pop(0)
            if task is draw_hand or MIN_IDEAS <= len(rigged.ideas) < MAX_IDEAS:
                return rigged  # type: ignore[no-any-return]
        if task in (draw_hand, draw_hand_with_all_ideas):
            result: T = run_cached(task, *arguments[:2])  # for as long as it takes
            return result
        return task(*arguments)

    def close(self) -> None:
        """There is nothing to stop."""


@dataclass
class StoryTimers:
    """The bot's, but that one look waits for what it asks the poller to fetch, and then looks again."""

    service: Service

    async def run_all(self) -> None:
        inbox = self.service.inbox
        arrivals, before = inbox.watermark, inbox.watermark.requested_until
        await self.run_due()
        if arrivals.requested_until > before:
            async with asyncio.timeout(60):
                await arrivals.wait_until_received()
                await inbox.wait_until_idle()
            await self.run_due()

    async def run_due(self) -> None:
        """Look once."""
        await self.service.timers.run_due()


@dataclass
class LiveBot:
    """A world with the bot playing in it."""

    world: World
    service: Service
    services: Services
    solving: InProcessPool
    timers: StoryTimers
    chats: list[Chat] = field(default_factory=list)

    async def settle(self) -> None:
        """Wait until every update is taken, handled and answered."""
        await self.world.wait_until_taken()
        await self.service.wait_until_idle()

    def rig(self, *numbers: int, target: int = 24) -> None:
        """Let the next deal be this hand."""
        self.solving.hands.append(run_cached(build_hand, numbers, target))

    async def deal(self, user: User, chat: Chat, *numbers: int, target: int = 24) -> Message:
        """`user` asks for a hand in `chat` and gets it (these numbers, if any are given)."""
        if numbers:
            self.rig(*numbers, target=target)
        self.world.say(user, chat, f"/play@{self.world.bot.username}")
        deal = await self.world.next_post(chat, f"→ {target}")
        await self.service.outbox.wait_until_idle()  # it is known by its message from here on
        return deal

    async def say(self, user: User, chat: Chat, text: str, reply_to: Message | None = None) -> Message:
        """`user` says `text`, and the bot has dealt with it."""
        message = self.world.say(user, chat, text, reply_to=reply_to)
        await self.settle()
        return message

    async def run_timers(self) -> None:
        """The timers have looked, and what they did is shown."""
        await self.timers.run_all()
        await self.settle()

    async def choose(self, chat: Chat, key: str, value: object) -> None:
        """Store a setting of `chat`, as its admins would choose it."""

        def choice(tx: Tx) -> None:
            people.load_or_insert_chat(tx, chat.id, chat.type)
            people.store_setting(tx, chat.id, key, value)

        await self.services.store.write(choice)


# What stands for a method of text where chats have pictures.
AS_TEXT = {
    "sendPhoto": "sendMessage",
    "editMessageCaption": "editMessageText",
    "editMessageMedia": "editMessageText",
}


@pytest.fixture(autouse=True)
def _photos_meet_what_texts_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stories are told with pictures, what befalls texts befalls photos, and they count as such."""
    if not PICTURES:
        return
    matches, calls = Fault.matches, Record.calls

    def matched(rule: Fault, method: str, chat: int | None) -> bool:
        return matches(rule, method, chat) or matches(rule, AS_TEXT.get(method, method), chat)

    def called(record: Record, method: str) -> list[Request]:
        if method not in AS_TEXT.values():
            return calls(record, method)
        return [r for r in record.requests if AS_TEXT.get(r.method, r.method) == method]

    monkeypatch.setattr(Fault, "matches", matched)
    monkeypatch.setattr(Record, "calls", called)


@pytest.fixture(autouse=True)
def _neither_luck_nor_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same hands in every run, and nothing turned away or cut because this machine is slow."""
    monkeypatch.setattr("bot.service.make_seed", count(24).__next__)
    monkeypatch.setattr("bot.queue.admission.MAX_SEARCH_WAIT", 60.0)
    monkeypatch.setattr("bot.games.twentyfour.dealing.MAX_LISTING_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def _no_power_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for the disk: what a cut loses is for tests of real processes, in tests/faults."""
    quick = [pragma.replace("synchronous=FULL", "synchronous=OFF") for pragma in sqlite.PRAGMAS]
    monkeypatch.setattr(sqlite, "PRAGMAS", quick)


@pytest.fixture(autouse=True)
def _statements_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    make = sqlite._engine
    monkeypatch.setattr(sqlite, "_engine", lambda url: share_compiled_statements(make(url)))


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is tried again soon: how long the pauses really are is for the modules' own tests."""
    back_off = Lane.back_off

    def sooner(lane: Lane, now: float) -> None:
        back_off(lane, now)
        lane.blocked_until = now + (lane.blocked_until - now) * SHORTER

    monkeypatch.setattr(Lane, "back_off", sooner)
    monkeypatch.setattr(
        "bot.queue.error_policy.read_retry_delay", lambda error: read_retry_delay(error) * SHORTER
    )
    monkeypatch.setattr(retry, "FIRST_PAUSE", retry.FIRST_PAUSE * SHORTER)


def read_reactions(message: Message) -> str:
    """What stands on the message as reactions."""
    return "".join(each for given in message.reactions.values() for each in given)


def replace_command(name: str, handler: Handler) -> Routes:
    """The bot's routes, but that `handler` answers this command."""
    routes = merge_routes(FEATURES)
    answered = [replace(c, handler=handler) if c.name == name else c for c in routes.commands]
    return replace(routes, commands=answered)


@asynccontextmanager
async def run_bot(
    world: World,
    database: Path | str,
    pace: Pace = QUICK,
    routes: Routes | None = None,
    *,
    pictures: bool = PICTURES,
) -> AsyncIterator[LiveBot]:
    """The bot, playing in `world` with its data in the file, or at the address; leaving is a clean stop.

    Most stories are about words and go quicker without `pictures`.
    AssertionError then if it has sent what Telegram would refuse as malformed."""
    address = database if isinstance(database, str) else await _address(database)
    own = {"BOT_TOKEN": world.token, "DATABASE_URL": address}
    solving = InProcessPool()
    async with AsyncExitStack() as stack:
        if OVER_HTTP:
            own["BOT_API_URL"] = (await stack.enter_async_context(BotApi(world))).url
        settings = read_settings(own)
        service = await build_service(
            settings,
            Connections(settings.api_url) if OVER_HTTP else WorldRequest(world),
            stack,
            pace=pace,
            solver_pool=solving,
            routes=routes,
            wall=world.clock,
            uptime=world.clock,
            pictures=pictures,
        )
        service.inbox.watermark.observe_response(world.clock(), world.clock())
        await service.load_backlog()
        if address.startswith("postgresql"):
            await stack.enter_async_context(join_replicas(service))
        polling = asyncio.create_task(poll_updates(service.services.bot, service.inbox, ALLOWED_UPDATES))
        stack.push_async_callback(_stopped, polling)
        stack.push_async_callback(service.outbox.close)
        stack.push_async_callback(service.inbox.close)
        yield LiveBot(world, service, service.services, solving, StoryTimers(service))
    assert not world.violations


async def _address(file: Path) -> str:
    return await provide_database(file) if ON_POSTGRESQL else f"sqlite:///{file}"


async def _stopped(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(scope="session", autouse=True)
def _their_pattern_goes() -> Iterator[None]:
    """What their databases on a server were made from goes with the last story."""
    yield
    drop_template()


@pytest.fixture(autouse=True)
def _databases_go(_their_pattern_goes: None) -> Iterator[None]:
    """What a story had on a server goes with it."""
    yield
    drop_test_databases()


@pytest.fixture(autouse=True)
def _files_are_no_servers(request: pytest.FixtureRequest) -> None:
    """Some stories break a file by hand, or begin with one of a version before."""
    if ON_POSTGRESQL and needs_file(request.module, request.function.__name__):
        pytest.skip("it changes a file by hand, and this run is on a server")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A fresh database's file."""
    return write_database(tmp_path / "twentyfour.sqlite3")


OpenBot = Callable[[World], Awaitable[LiveBot]]


@pytest.fixture
def pictures() -> bool:
    """Whether chats may have pictures; stories about them say so."""
    return PICTURES


@pytest.fixture
async def open_bot(database: Path, pictures: bool) -> AsyncIterator[OpenBot]:
    """Opens the bot in a world; closed at the test's end."""
    async with AsyncExitStack() as stack:

        async def start(world: World) -> LiveBot:
            return await stack.enter_async_context(run_bot(world, database, pictures=pictures))

        yield start


RestartBot = Callable[[World], Awaitable[LiveBot]]


@pytest.fixture
async def restart_bot(database: Path, pictures: bool) -> AsyncIterator[RestartBot]:
    """Opens the bot, and each time after that stops it first."""
    async with AsyncExitStack() as last:
        stack = await last.enter_async_context(AsyncExitStack())

        async def again(world: World) -> LiveBot:
            await stack.aclose()
            return await stack.enter_async_context(run_bot(world, database, pictures=pictures))

        yield again


# What most stories open with: Ann, Bob and the bot in a group, and a clock that stands until it is moved.


@pytest.fixture
def clock() -> Clock:
    """What time it is."""
    return Clock()


@pytest.fixture
def privacy() -> bool:
    """Whether privacy mode keeps talk from the bot; a story that is parametrized with False has none."""
    return True


@pytest.fixture
def language() -> str | None:
    """Ann's and Bob's; a story that is parametrized with languages is told in each."""
    return None


@pytest.fixture
def world(clock: Clock, privacy: bool) -> World:
    """A Telegram in which nothing has happened yet."""
    return World(clock=clock, privacy=privacy)


@pytest.fixture
def ann(world: World, language: str | None) -> User:
    """Who made the family's group."""
    return world.user("Ann", language_code=language)


@pytest.fixture
def bob(world: World, language: str | None) -> User:
    """The other one in it."""
    return world.user("Bob", language_code=language)


@pytest.fixture
def family(world: World, ann: User, bob: User) -> Chat:
    """A group of Ann, Bob and the bot."""
    return world.group("Family", ann, bob)


@pytest.fixture
async def bot(world: World, open_bot: OpenBot) -> LiveBot:
    """The bot, playing in the world."""
    return await open_bot(world)
