"""The bot as a whole: built and wired once, then started, supervised and stopped.

What is built first is closed last. Stopping first closes the ways in, then finishes what is being handled,
then what is being sent; the rest is stored and waits for the next start. Parts that run beside each other
are the tasks of one group: whichever ends for good ends the group, and its error is the bot's.
"""

import asyncio
import gc
import logging
import random
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from telegram import Bot
from telegram.request import BaseRequest

from bot.admin import reactions, topics
from bot.board.queries import tell
from bot.connectivity import Connectivity
from bot.database import StoreError, Use
from bot.database.store import open_when_reached
from bot.durations import DAY
from bot.features import FEATURES
from bot.ingress import OUSTED, Ingress
from bot.listening import Beforehand, Board, Listening
from bot.pictures.drawing import draw
from bot.pictures.values import Card, Deal, Picture
from bot.players import queries as people
from bot.pulse import Pulse
from bot.queue import dead
from bot.queue.arrivals import Arrivals, uptime
from bot.queue.changes import Changes
from bot.queue.claims import ALONE, Claims
from bot.queue.hooks import Hooks
from bot.queue.inbox import Hearing, Inbox
from bot.queue.intake import Intake
from bot.queue.notices import Apology
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.replicas.alike import alike
from bot.queue.replicas.contact import Contact
from bot.queue.replicas.replica import Replica
from bot.queue.replicas.staying import stays
from bot.queue.standing import Standings
from bot.queue.timers import Running, Timers
from bot.rounds.known import DEALING, looks_like_answer, may_hold_answer
from bot.settings import Settings, SettingsError
from bot.supervision import Part, Stop, end_soon, log_lost_task, run_together, run_unless
from bot.telegram.api import ask
from bot.telegram.connections import Connections
from bot.telegram.context import Services
from bot.telegram.dispatch import Dispatcher
from bot.telegram.menus import set_menus
from bot.telegram.messages import BoardAt, no_board
from bot.telegram.polling import PollingError
from bot.telegram.receipts import Receipts
from bot.telegram.routes import Routes, gathered
from bot.telegram.startup import StartError, until_answered
from bot.telegram.talk import Ear
from bot.telegram.tokens import Token
from bot.telegram.whispers import Boards
from bot.web.health import Health
from bot.workers.pool import Pool

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """Everything that is built once."""

    services: Services
    routes: Routes
    inbox: Inbox
    outbox: Outbox
    dispatcher: Dispatcher
    timers: Timers
    token: Token
    claims: Claims = ALONE
    # Wakes whoever shows tables elsewhere than in their chats.
    changes: Changes = field(default_factory=Changes)

    async def resume(self) -> None:
        """Take up what a former run left stored."""
        await self.outbox.resume()
        await self.inbox.resume()

    async def idle(self) -> None:
        """Wait until nothing is left to handle or to send."""
        await self.inbox.idle()
        await self.outbox.idle()


# Built and wired

TASKS = (*DEALING, "bot.pictures.drawing")  # modules with tasks for the solver's workers


TELEGRAM_PACE = Pace()


async def build(
    settings: Settings,
    request: BaseRequest,
    stack: AsyncExitStack,
    *,
    token: str | None = None,
    pace: Pace = TELEGRAM_PACE,
    solving: Pool | None = None,
    routes: Routes | None = None,
    wall: Callable[[], float] = time.time,
    uptime: Callable[[], float] = uptime,
    pictures: bool = True,
    use: Use = Use.SHARED,
) -> Service:
    """Open everything and wire it; `stack` closes it again in the right order.

    `request` is the way to Telegram, `wall` this machine's clock, `uptime` one that nobody sets. Without
    `pictures` every message is a text. `use` says with whom the database is shared.
    """
    arrivals = Arrivals()
    if isinstance(request, Connections):
        request.dated = lambda dated: arrivals.answered(dated, wall())
    store = await open_when_reached(settings.database, use)
    stack.push_async_callback(store.close)
    bot = _bot(settings, token or settings.token or "", request)
    stack.push_async_callback(request.shutdown)
    await until_answered(bot.initialize, "BOT_TOKEN")
    solving = solving or Pool(settings.solver_workers, settings.solver_deadline, TASKS)
    stack.callback(solving.close)
    routes = routes or gathered(FEATURES)
    standings = Standings(partial(ask, bot), bot.bot.id, settings.api_url)
    found = (store, solving, bot, bot.bot, settings, fresh_seed, routes.commands, standings)
    services = Services(*found, _addresses(settings, bot.bot.username or "", lambda: service.inbox.now()))
    await store.write(lambda tx: people.remember(tx, people.USERNAME, bot.bot.username or ""))
    mine = alike(bot.bot.id, settings.webhook_url, settings.webhook_secrets)
    claims = Replica(store.shared, mine, pace) if store.shared else ALONE
    service = wired(services, routes, pace, wall, claims, pictures=pictures)
    service.inbox.arrivals, service.inbox.uptime = arrivals, uptime
    return service


def _bot(settings: Settings, token: str, request: BaseRequest) -> Bot:
    return Bot(
        token,
        base_url=f"{settings.api_url}/bot",
        base_file_url=f"{settings.api_url}/file/bot",
        request=request,
        get_updates_request=request,
    )


def wired(
    services: Services,
    routes: Routes,
    pace: Pace,
    wall: Callable[[], float],
    claims: Claims = ALONE,
    *,
    pictures: bool = True,
) -> Service:
    """Build the parts, and give each what it needs of the others."""
    inbox: Inbox
    store, me, changes = services.store, services.me, Changes()
    boards = Boards(tell, changes)
    receipts = Receipts(store, routes, lambda: inbox, changes.later, services.board)
    hooks = Hooks(
        draw=dict.fromkeys([*routes.draws, *routes.linking], receipts.draw),
        names=people.names,
        leaving=receipts.leaving,
        receipt=receipts.receipt,
        gone=receipts.lost,
        moved=boards.move,
        stays=people.knows_chat,
        falls=receipts.falls,
        reaction_forbidden=reactions.add,
        topic_gone=topics.leave,
        chat_gone=people.left,
        look=receipts.look,
    )
    painter = partial(paint, services.solving) if pictures else None
    telegram = partial(ask, services.bot)
    token, standings = Token(telegram), services.standings
    outbox = Outbox(
        *(store, telegram, hooks, pace, lambda: inbox.now(), time.monotonic),
        *(standings, painter, claims, token.is_known),
    )
    services = replace(services, foresee=outbox.photos.foresee)
    username, kinds = me.username or "", replace(routes.kinds, answer=looks_like_answer)
    ear = Ear(me.id, username, kinds.commands, may_hold_answer)
    dispatcher = Dispatcher(services, routes, outbox, ear, lambda: inbox, claims, boards)
    intake = Intake(username, kinds, pace.commands_a_minute, pace.presses_a_minute)
    key = f"press {services.settings.token or me.id}".encode()
    hearing = Hearing(dispatcher.is_talk, dispatcher.overheard, key)
    apology = Apology(store, outbox, me.id, lambda: inbox.now(), boards, claims)
    inbox = Inbox(store, dispatcher.handle, apology, wall, intake, hearing, claims)
    secret = str(services.settings.token or me.id)
    running = Running(store, dispatcher.act, inbox, username, secret, services.settings.keep_days * DAY)
    timers = Timers(routes.timed, running, inbox.now, agrees=lambda: inbox.arrivals.agrees)
    return Service(services, routes, inbox, outbox, dispatcher, timers, token, claims, changes)


def _addresses(settings: Settings, username: str, now: Callable[[], float]) -> BoardAt:
    """Return what links messages to the board; nothing without a board's address in the settings."""
    if settings.web_url is None or settings.token is None:
        return no_board
    from bot.board import board as site  # here: a start without it is quicker

    return site.link_tables(settings, username, now)


def _board(service: Service) -> Board | None:
    """Make the board; None without one in the settings."""
    services = service.services
    if services.settings.web_url is None:
        return None
    from bot.board import board as site

    asked = services.settings, services.store, services.bot
    return site.make_board(*asked, service.changes, service.inbox, service.dispatcher.answer)


def fresh_seed() -> int:
    """Return a seed that nobody can foresee."""
    return random.SystemRandom().getrandbits(128)


# Started, supervised and stopped


async def serve(settings: Settings) -> None:
    """Serve Telegram until SIGTERM or SIGINT. Raises one of `ENDS`, UnreachedError or EndedError."""
    stop = Stop()
    asyncio.get_running_loop().set_exception_handler(log_lost_task)
    async with AsyncExitStack() as stack:
        before = Beforehand(settings.health_listen)
        stack.push_async_callback(before.close)
        await before.begin()
        service = await run_unless(stop.event, build(settings, Connections(settings.api_url), stack))
        if service is not None:
            service.services.solving.start()
            _keep_what_is_built()
            await play(service, stack, stop.event, before)
    stop.log_stop()


def _keep_what_is_built() -> None:
    """Collect garbage now, and leave out what is built from then on: it would delay all answers."""
    gc.collect()
    gc.freeze()


# Errors that end a part for good, and the bot with it. After any other the part is started anew.
ENDS = (SettingsError, StoreError, StartError, PollingError, dead.DeadError, *OUSTED)


async def play(
    service: Service, stack: AsyncExitStack, stop: asyncio.Event, before: Beforehand | None = None
) -> None:
    """Take up what is stored, open the way in, and keep all parts running until `stop` is set.

    Raises what ends a part for good. `stack` closes the parts in the right order; what answered `before`
    gives way to health's pages.
    """
    await service.resume()
    pulse, being_there = Pulse(time.monotonic()), dict[str, Part]()
    if isinstance(service.claims, Replica):
        bot = service.services.bot
        reach = bot.request.reach if isinstance(bot.request, Connections) else Connectivity()
        service.claims.serve(service.inbox, service.outbox, Contact(pulse, reach, bot.get_me))
        if service.services.settings.web_url:
            service.claims.hints.boards.serve(service.changes)
        there = await run_unless(stop, stays(service.claims, stack, ENDS))
        if there is None:
            return
        being_there = there
    stack.push_async_callback(service.token.close)
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)
    settings = service.services.settings
    agreed = service.claims.agreed if isinstance(service.claims, Replica) else None
    store = service.services.store
    ingress = Ingress(
        *(service.services.bot, service.inbox, pulse, settings, service.idle, ENDS, agreed),
        is_new=lambda: store.write(people.first_hook),
    )
    stack.push_async_callback(ingress.way_in.close)
    health = _health(service, pulse, ingress)
    if before is not None:
        await before.close()
    pages = Listening(settings, health, _board(service))
    stack.push_async_callback(pages.close)
    await pages.begin(ingress.way_in)
    if not await run_unless(stop, ingress.way_in.open()):
        return
    pulse.beat(time.monotonic())
    stack.callback(end_soon, stop)
    log.info("@%s is ready, by %s", service.services.me.username, ingress.way_in.name)
    await run_together(_parts(service, ingress, health) | being_there, _once(service), stop, ENDS)


def _parts(service: Service, ingress: Ingress, health: Health) -> dict[str, Part]:
    """Return what runs for as long as the bot does; of several bots on one database, some in one alone."""
    claims, store = service.claims, service.services.store
    parts: dict[str, Part] = {
        ingress.way_in.name: lambda: claims.leading(ingress.run),
        "timers": lambda: claims.leading(service.timers.run),
        "dead letters": lambda: claims.leading(lambda: dead.watch(store, service.inbox, service.outbox)),
        "the token": service.token.watch,
        "the solver's watch": health.watch,
        "database": store.taken_over,
    }
    if isinstance(claims, Replica):
        parts["claims"] = claims.work
        if service.services.settings.web_url:
            parts["boards"] = service.changes.run
    return parts


def _once(service: Service) -> dict[str, Part]:
    """Return what is done once beside that."""
    services, commands = service.services, service.routes.commands
    return {
        "setting the menus": lambda: service.claims.leading(lambda: set_menus(services, commands)),
        "warming the pictures": lambda: warm_workers(services.solving, services.settings.solver_workers),
    }


def _health(service: Service, pulse: Pulse, ingress: Ingress) -> Health:
    return Health(
        service.services.store,
        service.inbox,
        lambda: ingress.goes_on,
        unsaid=lambda: service.outbox.dropped,
        fetched=pulse,
        solving=service.services.solving,
        wall=service.inbox.now,
    )


# Pictures

# Seconds for a picture to be drawn, and as many to wait for a worker: what is late serves a redraw.
DRAWING_DEADLINE = 3.0


async def paint(pool: Pool, picture: Picture, language: str) -> bytes:
    """Draw a picture in a worker, and return its PNG. Raises SolvingError."""
    return await pool.ask(draw, picture, language, deadline=DRAWING_DEADLINE, patience=DRAWING_DEADLINE)


# What each worker draws at the start, so that no deal waits until it has read cards and typefaces.
FIRST_PICTURE = Deal((Card(1, "♠"), Card(13, "♥"), Card(24, "♦")), 24)


async def warm_workers(pool: Pool, workers: int) -> None:
    """Let each worker draw once; one that can't now draws later."""
    once = (paint(pool, FIRST_PICTURE, "en") for _ in range(workers))
    await asyncio.gather(*once, return_exceptions=True)
