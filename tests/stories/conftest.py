"""Fixtures for stories: the bot in this process, in a small Telegram with made-up people."""

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
from sqlalchemy import select

from bot.database import Tx, sqlite
from bot.database.schema import TRANSIENT_TABLES, metadata
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
from bot.queue import inbox as inboxes
from bot.queue.inbox import Inbox
from bot.queue.pacing import Lane, Pace
from bot.queue.refusals import read_retry_delay
from bot.service import Service, build_service
from bot.settings import read_settings
from bot.telegram.api import Connections
from bot.telegram.context import Handler, Services
from bot.telegram.polling import poll_updates
from bot.telegram.routes import ALLOWED_UPDATES, Routes, merge_routes
from bot.workers.pool import SolverPool
from tests.databases import share_compiled_statements, write_database
from tests.on_postgresql import ON_POSTGRESQL, drop_template, drop_test_databases, provide_database
from tests.stories.clock import Clock
from tests.stories.on_postgresql import join_replicas, needs_file
from tests.telegram import BotApi, Chat, Message, User, World, WorldRequest
from tests.telegram.faults import Fault
from tests.telegram.record import Record, Request

# Whether the bot calls the fake Telegram over HTTP on loopback; otherwise each request is a function call.
OVER_HTTP = os.environ.get("STORIES") == "http"
# Whether chats have pictures in stories that don't choose; they take longer.
PICTURES = os.environ.get("PICTURES") == "on"
TRIES = 2 if PICTURES else 1  # Requests for a hand that is refused: as a photo, then as text
QUICK = Pace(posts_a_minute=20, redraw_gap=0.0)
PAUSE_FACTOR = 1 / 20  # Pauses after failures are shortened to this part


T = TypeVar("T")


@lru_cache(maxsize=1024)
def run_cached(task: Callable[..., Any], *arguments: Any) -> Any:
    """Run a pure task of dealing once per arguments; hundreds of stories use the same few hands."""
    return task(*arguments)


class InProcessPool(SolverPool):
    """A solver pool that runs its tasks in this process."""

    def __init__(self) -> None:
        self.hands: list[Hand] = []  # Dealt before generated ones
        self.too_many_ideas = False  # Whether every hand has more ideas than a list holds
        # Requested hands: task, count of cards, highest card, target, level
        self.recipes: list[tuple[object, ...]] = []

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
            result: T = run_cached(task, *arguments[:2])
            return result
        return task(*arguments)

    def close(self) -> None:
        """Do nothing: there are no processes."""


async def wait_until_received(inbox: Inbox) -> None:
    """Wait until updates are fetched up to every requested time."""
    while inbox.watermark.is_awaited:  # noqa: ASYNC110 - nothing but stories waits for it
        await asyncio.sleep(0.001)


@dataclass
class StoryTimers:
    """The bot's timers, with a run that waits for the updates which they request."""

    service: Service

    async def run_all(self) -> None:
        """Run due timers; if they request updates, wait for these and run the timers again."""
        inbox = self.service.inbox
        arrivals, before = inbox.watermark, inbox.watermark.requested_until
        await self.run_due()
        if arrivals.requested_until > before:
            async with asyncio.timeout(60):
                await wait_until_received(inbox)
                await inbox.wait_until_idle()
            await self.run_due()

    async def run_due(self) -> None:
        """Run due timers once."""
        await self.service.timers.run_due()


@dataclass
class LiveBot:
    """The running bot and its world."""

    world: World
    service: Service
    services: Services
    solving: InProcessPool
    timers: StoryTimers
    chats: list[Chat] = field(default_factory=list)

    async def settle(self) -> None:
        """Wait until every update is fetched, handled and answered."""
        await self.world.wait_until_taken()
        await self.service.wait_until_idle()

    async def wait_until_received(self) -> None:
        """Wait until updates are fetched up to every requested time."""
        await wait_until_received(self.service.inbox)

    def rig(self, *numbers: int, target: int = 24) -> None:
        """Make this hand the next one to be dealt."""
        self.solving.hands.append(run_cached(build_hand, numbers, target))

    async def deal(self, user: User, chat: Chat, *numbers: int, target: int = 24) -> Message:
        """Send /play as `user`; return the deal, which has these numbers if any are given."""
        if numbers:
            self.rig(*numbers, target=target)
        self.world.say(user, chat, f"/play@{self.world.bot.username}")
        deal = await self.world.next_post(chat, f"→ {target}")
        await self.service.outbox.wait_until_idle()  # So that replies to it are recognised
        return deal

    async def say(self, user: User, chat: Chat, text: str, reply_to: Message | None = None) -> Message:
        """Send `text` as `user`, wait until the bot has answered, and return the sent message."""
        message = self.world.say(user, chat, text, reply_to=reply_to)
        await self.settle()
        return message

    async def run_timers(self) -> None:
        """Run due timers and wait until their requests are sent."""
        await self.timers.run_all()
        await self.settle()

    async def choose(self, chat: Chat, key: str, value: object) -> None:
        """Store a setting of `chat`."""

        def store_choice(tx: Tx) -> None:
            people.load_or_insert_chat(tx, chat.id, chat.type)
            people.store_setting(tx, chat.id, key, value)

        await self.services.store.write(store_choice)


# The text method that corresponds to a photo method
AS_TEXT = {
    "sendPhoto": "sendMessage",
    "editMessageCaption": "editMessageText",
    "editMessageMedia": "editMessageText",
}


@pytest.fixture(autouse=True)
def _treat_photos_like_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply faults for text methods to photo methods, and count both, where chats have pictures."""
    if not PICTURES:
        return
    matches, calls = Fault.matches, Record.calls

    def match_photos(rule: Fault, method: str, chat: int | None) -> bool:
        return matches(rule, method, chat) or matches(rule, AS_TEXT.get(method, method), chat)

    def list_calls(record: Record, method: str) -> list[Request]:
        if method not in AS_TEXT.values():
            return calls(record, method)
        return [r for r in record.requests if AS_TEXT.get(r.method, r.method) == method]

    monkeypatch.setattr(Fault, "matches", match_photos)
    monkeypatch.setattr(Record, "calls", list_calls)


@pytest.fixture(autouse=True)
def _fix_seeds_and_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal the same hands in every run, and raise time limits for slow machines."""
    seeds = count(24)
    monkeypatch.setattr("bot.service.make_seed", seeds.__next__)
    monkeypatch.setattr("bot.rounds.chains.derive_seed", lambda *_: next(seeds))
    monkeypatch.setattr("bot.queue.admission.MAX_SEARCH_WAIT", 60.0)
    monkeypatch.setattr("bot.games.twentyfour.dealing.MAX_LISTING_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def _skip_disk_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never wait for the disk; tests/faults cover power cuts."""
    quick = [pragma.replace("synchronous=FULL", "synchronous=OFF") for pragma in sqlite.PRAGMAS]
    monkeypatch.setattr(sqlite, "PRAGMAS", quick)


@pytest.fixture(autouse=True)
def _compile_statements_once(monkeypatch: pytest.MonkeyPatch) -> None:
    make = sqlite._make_engine
    monkeypatch.setattr(sqlite, "_make_engine", lambda url: share_compiled_statements(make(url)))


@pytest.fixture(autouse=True)
def _shorten_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry failures soon; tests of the modules cover the real pauses."""
    back_off = Lane.back_off

    def back_off_briefly(lane: Lane, now: float) -> None:
        back_off(lane, now)
        lane.blocked_until = now + (lane.blocked_until - now) * PAUSE_FACTOR

    monkeypatch.setattr(Lane, "back_off", back_off_briefly)
    monkeypatch.setattr(
        "bot.queue.sender.read_retry_delay", lambda error: read_retry_delay(error) * PAUSE_FACTOR
    )
    monkeypatch.setattr(inboxes, "FIRST_PAUSE", inboxes.FIRST_PAUSE * PAUSE_FACTOR)


def read_reactions(message: Message) -> str:
    """Return all reactions to a message, joined."""
    return "".join(each for given in message.reactions.values() for each in given)


def dump_tables(tx: Tx) -> str:
    """Return every value of every table that lasts, as one text."""
    lasting = [table for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
    return repr([list(tx.execute(select(table))) for table in lasting])


def replace_command(name: str, handler: Handler) -> Routes:
    """Return the bot's routes with another handler for this command."""
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
    web_url: str = "",
) -> AsyncIterator[LiveBot]:
    """Run the bot in `world` with its data in a file or at a database URL; stop it cleanly at the end.

    Stories about texts run faster without `pictures`. Messages have links to the board at `web_url`.
    Raises AssertionError at the end if the bot has sent a malformed request."""
    address = database if isinstance(database, str) else await _get_database_url(database)
    own = {"BOT_TOKEN": world.token, "DATABASE_URL": address}
    if web_url:
        own["WEB_URL"] = web_url
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
        stack.push_async_callback(_cancel, polling)
        stack.push_async_callback(service.outbox.close)
        stack.push_async_callback(service.inbox.close)
        yield LiveBot(world, service, service.services, solving, StoryTimers(service))
    assert not world.violations


async def _get_database_url(file: Path) -> str:
    return await provide_database(file) if ON_POSTGRESQL else f"sqlite:///{file}"


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(scope="session", autouse=True)
def _drop_template_database() -> Iterator[None]:
    """Drop the template of the stories' databases on a server after the last story."""
    yield
    drop_template()


@pytest.fixture(autouse=True)
def _drop_databases(_drop_template_database: None) -> Iterator[None]:
    """Drop a story's database on a server at its end."""
    yield
    drop_test_databases()


@pytest.fixture(autouse=True)
def _skip_file_stories_on_server(request: pytest.FixtureRequest) -> None:
    """Skip stories that change a database file by hand if this run uses a server."""
    if ON_POSTGRESQL and needs_file(request.module, request.function.__name__):
        pytest.skip("changes a database file by hand, but this run uses a server")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The file of a fresh database."""
    return write_database(tmp_path / "twentyfour.sqlite3")


OpenBot = Callable[[World], Awaitable[LiveBot]]


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> bool:
    """Whether chats have pictures, never in stories marked `texts`; stories about pictures override it."""
    return PICTURES and request.node.get_closest_marker("texts") is None


@pytest.fixture
async def open_bot(database: Path, pictures: bool) -> AsyncIterator[OpenBot]:
    """Start the bot in a world; it stops at the end of the test."""
    async with AsyncExitStack() as stack:

        async def start(world: World) -> LiveBot:
            return await stack.enter_async_context(run_bot(world, database, pictures=pictures))

        yield start


RestartBot = Callable[[World], Awaitable[LiveBot]]


@pytest.fixture
async def restart_bot(database: Path, pictures: bool) -> AsyncIterator[RestartBot]:
    """Start the bot; each further call stops it first."""
    async with AsyncExitStack() as last:
        stack = await last.enter_async_context(AsyncExitStack())

        async def restart(world: World) -> LiveBot:
            await stack.aclose()
            return await stack.enter_async_context(run_bot(world, database, pictures=pictures))

        yield restart


# Most stories use Ann, Bob and the bot in a group, and a clock that only the story advances.


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def privacy() -> bool:
    """Whether the bot is in privacy mode; a story can be parametrized with False."""
    return True


@pytest.fixture
def language() -> str | None:
    """Language of Ann and Bob; a story can be parametrized with several."""
    return None


@pytest.fixture
def world(clock: Clock, privacy: bool) -> World:
    """A Telegram without chats."""
    return World(clock=clock, privacy=privacy)


@pytest.fixture
def ann(world: World, language: str | None) -> User:
    """The admin of the family's group."""
    return world.user("Ann", language_code=language)


@pytest.fixture
def bob(world: World, language: str | None) -> User:
    return world.user("Bob", language_code=language)


@pytest.fixture
def family(world: World, ann: User, bob: User) -> Chat:
    """A group of Ann, Bob and the bot."""
    return world.group("Family", ann, bob)


@pytest.fixture
async def bot(world: World, open_bot: OpenBot) -> LiveBot:
    return await open_bot(world)
