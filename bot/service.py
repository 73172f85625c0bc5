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
from bot.board.queries import insert_board_reply
from bot.database import AccessMode, StoreError
from bot.database.store import open_with_retries
from bot.durations import DAY
from bot.features import FEATURES
from bot.ingress import TOKEN_LOST_ERRORS, Ingress
from bot.page_server import BoardSite, PageServer, StartupResponder
from bot.pictures.drawing import draw_picture
from bot.pictures.values import Card, HandPicture, Picture
from bot.players import queries as people
from bot.pulse import Connectivity, Pulse
from bot.queue import dead_letters
from bot.queue.admission import Admission
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.error_replies import ErrorReplies
from bot.queue.hooks import OutboxHooks
from bot.queue.inbox import Inbox, InboxHooks
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.replicas.replica import Replica, keep_lease_until_closed
from bot.queue.replicas.settings_comparison import make_shared_settings
from bot.queue.replicas.telegram_contact import TelegramContact
from bot.queue.timers import TimerContext, Timers
from bot.queue.watermark import Watermark, read_uptime
from bot.rounds.registry import SOLVER_MODULES, looks_like_answer, may_contain_answer
from bot.settings import Settings, SettingsError
from bot.supervision import (
    Part,
    StopSignal,
    log_lost_task,
    run_parts,
    run_unless_stopped,
    schedule_failure_exit,
)
from bot.telegram.api import call_api
from bot.telegram.board_replies import BoardNotifier
from bot.telegram.connections import Connections
from bot.telegram.context import Services
from bot.telegram.dispatch import Dispatcher
from bot.telegram.menus import set_command_menus
from bot.telegram.message_filter import MessageFilter
from bot.telegram.messages import MakeBoardUrl, make_no_board_url
from bot.telegram.polling import PollingError
from bot.telegram.route_hooks import RouteHooks
from bot.telegram.routes import Routes, merge_routes
from bot.telegram.startup import StartError, TokenCheck, call_until_answered
from bot.web.health import Health
from bot.workers.pool import SolverPool

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
    token_check: TokenCheck
    leases: Leases = SINGLE_BOT
    # Wakes whoever shows tables elsewhere than in their chats.
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)

    async def load_backlog(self) -> None:
        """Take up what a former run left stored."""
        await self.outbox.resume()
        await self.inbox.resume()

    async def wait_until_idle(self) -> None:
        """Wait until nothing is left to handle or to send."""
        await self.inbox.wait_until_idle()
        await self.outbox.wait_until_idle()


# Built and wired

TASKS = (*SOLVER_MODULES, "bot.pictures.drawing")  # modules with tasks for the solver's workers


TELEGRAM_PACE = Pace()


async def build_service(
    settings: Settings,
    request: BaseRequest,
    stack: AsyncExitStack,
    *,
    token: str | None = None,
    pace: Pace = TELEGRAM_PACE,
    solving: SolverPool | None = None,
    routes: Routes | None = None,
    wall: Callable[[], float] = time.time,
    uptime: Callable[[], float] = read_uptime,
    pictures: bool = True,
    use: AccessMode = AccessMode.SHARED,
) -> Service:
    """Open everything and wire it; `stack` closes it again in the right order.

    `request` is the way to Telegram, `wall` this machine's clock, `uptime` one that nobody sets. Without
    `pictures` every message is a text. `use` says with whom the database is shared.
    """
    arrivals = Watermark()
    if isinstance(request, Connections):
        request.on_server_date = lambda dated: arrivals.observe_response(dated, wall())
    store = await open_with_retries(settings.database, use)
    stack.push_async_callback(store.close)
    bot = _bot(settings, token or settings.token or "", request)
    stack.push_async_callback(request.shutdown)
    await call_until_answered(bot.initialize, "BOT_TOKEN")
    solving = solving or SolverPool(settings.solver_workers, settings.solver_deadline, TASKS)
    stack.callback(solving.close)
    routes = routes or merge_routes(FEATURES)
    standings = BotPermissionCache(partial(call_api, bot), bot.bot.id, settings.api_url)
    found = (store, solving, bot, bot.bot, settings, make_seed, routes.commands, standings)
    services = Services(*found, _addresses(settings, bot.bot.username or "", lambda: service.inbox.now()))
    await store.write(lambda tx: people.store_fact(tx, people.USERNAME_FACT, bot.bot.username or ""))
    mine = make_shared_settings(bot.bot.id, settings.webhook_url, settings.webhook_secrets)
    claims = Replica(store.shared_server, mine, pace) if store.shared_server else SINGLE_BOT
    service = wire_service(services, routes, pace, wall, claims, pictures=pictures)
    service.inbox.watermark, service.inbox.read_uptime = arrivals, uptime
    return service


def _bot(settings: Settings, token: str, request: BaseRequest) -> Bot:
    return Bot(
        token,
        base_url=f"{settings.api_url}/bot",
        base_file_url=f"{settings.api_url}/file/bot",
        request=request,
        get_updates_request=request,
    )


def wire_service(
    services: Services,
    routes: Routes,
    pace: Pace,
    wall: Callable[[], float],
    claims: Leases = SINGLE_BOT,
    *,
    pictures: bool = True,
) -> Service:
    """Build the parts, and give each what it needs of the others."""
    inbox: Inbox
    store, me, changes = services.store, services.me, ChangeNotifier()
    boards = BoardNotifier(insert_board_reply, changes)
    receipts = RouteHooks(
        store, routes, lambda: inbox, changes.notify_chat_threadsafe, services.make_board_url
    )
    hooks = OutboxHooks(
        draw_by_method=dict.fromkeys([*routes.renderers, *routes.linked_renderers], receipts.render),
        load_names=people.load_names,
        before_send=receipts.before_send,
        on_delivered=receipts.on_delivered,
        on_message_gone=receipts.on_message_lost,
        on_chat_migrated=boards.move_chat,
        is_chat_known=people.is_chat_known,
        choose_fallback=receipts.choose_fallback,
        on_reaction_forbidden=reactions.add_forbidden_reaction,
        on_topic_gone=topics.leave_topic,
        on_chat_gone=people.mark_chat_gone,
        find_picture=receipts.find_picture,
    )
    painter = partial(draw_in_worker, services.solver_pool) if pictures else None
    telegram = partial(call_api, services.bot)
    token, standings = TokenCheck(telegram), services.permissions
    outbox = Outbox(
        *(store, telegram, hooks, pace, lambda: inbox.now(), time.monotonic),
        *(standings, painter, claims, token.is_known),
    )
    services = replace(services, prefetch_picture=outbox.photos.prefetch)
    username, kinds = me.username or "", replace(routes.kind_rules, may_be_answer=looks_like_answer)
    ear = MessageFilter(me.id, username, kinds.commands, may_contain_answer)
    dispatcher = Dispatcher(services, routes, outbox, ear, lambda: inbox, claims, boards)
    intake = Admission(username, kinds, pace.commands_a_minute, pace.presses_a_minute)
    key = f"press {services.settings.token or me.id}".encode()
    hearing = InboxHooks(dispatcher.is_talk, dispatcher.note_talk, key)
    apology = ErrorReplies(store, outbox, me.id, lambda: inbox.now(), boards, claims)
    inbox = Inbox(store, dispatcher.handle, apology, wall, intake, hearing, claims)
    secret = str(services.settings.token or me.id)
    running = TimerContext(
        store, dispatcher.run_effect, inbox, username, secret, services.settings.keep_days * DAY
    )
    timers = Timers(routes.timed_tasks, running, inbox.now, agrees=lambda: inbox.watermark.is_clock_right)
    return Service(services, routes, inbox, outbox, dispatcher, timers, token, claims, changes)


def _addresses(settings: Settings, username: str, now: Callable[[], float]) -> MakeBoardUrl:
    """Return what links messages to the board; nothing without a board's address in the settings."""
    if settings.web_url is None or settings.token is None:
        return make_no_board_url
    from bot.board import endpoints as site  # here: a start without it is quicker

    return site.make_round_linker(settings, username, now)


def _board(service: Service) -> BoardSite | None:
    """Make the board; None without one in the settings."""
    services = service.services
    if services.settings.web_url is None:
        return None
    from bot.board import endpoints as site

    asked = services.settings, services.store, services.bot
    return site.make_board(*asked, service.changes, service.inbox, service.dispatcher.run_transaction)


def make_seed() -> int:
    """Return a seed that nobody can foresee."""
    return random.SystemRandom().getrandbits(128)


# Started, supervised and stopped


async def serve_telegram(settings: Settings) -> None:
    """Serve Telegram until SIGTERM or SIGINT. Raises one of `ENDS`, UnreachedError or EndedError."""
    stop = StopSignal()
    asyncio.get_running_loop().set_exception_handler(log_lost_task)
    async with AsyncExitStack() as stack:
        before = StartupResponder(settings.health_listen)
        stack.push_async_callback(before.close)
        await before.start()
        service = await run_unless_stopped(
            stop.event, build_service(settings, Connections(settings.api_url), stack)
        )
        if service is not None:
            service.services.solver_pool.start()
            _keep_what_is_built()
            await run_service(service, stack, stop.event, before)
    stop.log_stop()


def _keep_what_is_built() -> None:
    """Collect garbage now, and leave out what is built from then on: it would delay all answers."""
    gc.collect()
    gc.freeze()


# Errors that end a part for good, and the bot with it. After any other the part is started anew.
FATAL_ERRORS = (
    SettingsError,
    StoreError,
    StartError,
    PollingError,
    dead_letters.DeadLetterError,
    *TOKEN_LOST_ERRORS,
)


async def run_service(
    service: Service, stack: AsyncExitStack, stop: asyncio.Event, before: StartupResponder | None = None
) -> None:
    """Take up what is stored, open the way in, and keep all parts running until `stop` is set.

    Raises what ends a part for good. `stack` closes the parts in the right order; what answered `before`
    gives way to health's pages.
    """
    await service.load_backlog()
    pulse, being_there = Pulse(time.monotonic()), dict[str, Part]()
    if isinstance(service.leases, Replica):
        bot = service.services.bot
        reach = bot.request.connectivity if isinstance(bot.request, Connections) else Connectivity()
        service.leases.connect(service.inbox, service.outbox, TelegramContact(pulse, reach, bot.get_me))
        if service.services.settings.web_url:
            service.leases.notifications.boards.start(service.changes)
        there = await run_unless_stopped(stop, keep_lease_until_closed(service.leases, stack, FATAL_ERRORS))
        if there is None:
            return
        being_there = there
    stack.push_async_callback(service.token_check.close)
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)
    settings = service.services.settings
    agreed = service.leases.choose_secret if isinstance(service.leases, Replica) else None
    store = service.services.store
    ingress = Ingress(
        *(
            service.services.bot,
            service.inbox,
            pulse,
            settings,
            service.wait_until_idle,
            FATAL_ERRORS,
            agreed,
        ),
        is_new=lambda: store.write(people.record_webhook_setup),
    )
    stack.push_async_callback(ingress.source.close)
    health = _health(service, pulse, ingress)
    if before is not None:
        await before.close()
    pages = PageServer(settings, health, _board(service))
    stack.push_async_callback(pages.close)
    await pages.start(ingress.source)
    if not await run_unless_stopped(stop, ingress.source.open()):
        return
    pulse.record_success(time.monotonic())
    stack.callback(schedule_failure_exit, stop)
    log.info("@%s is ready, by %s", service.services.me.username, ingress.source.name)
    await run_parts(_parts(service, ingress, health) | being_there, _once(service), stop, FATAL_ERRORS)


def _parts(service: Service, ingress: Ingress, health: Health) -> dict[str, Part]:
    """Return what runs for as long as the bot does; of several bots on one database, some in one alone."""
    claims, store = service.leases, service.services.store
    parts: dict[str, Part] = {
        ingress.source.name: lambda: claims.run_while_leader(ingress.run),
        "timers": lambda: claims.run_while_leader(service.timers.run),
        "dead letters": lambda: claims.run_while_leader(
            lambda: dead_letters.watch_dead_letters(store, service.inbox, service.outbox)
        ),
        "the token": service.token_check.wait_until_refused,
        "the solver's watch": health.watch_solver_and_database,
        "database": store.wait_until_taken_over,
    }
    if isinstance(claims, Replica):
        parts["claims"] = claims.take_work
        if service.services.settings.web_url:
            parts["boards"] = service.changes.run
    return parts


def _once(service: Service) -> dict[str, Part]:
    """Return what is done once beside that."""
    services, commands = service.services, service.routes.commands
    return {
        "setting the menus": lambda: service.leases.run_while_leader(
            lambda: set_command_menus(services, commands)
        ),
        "warming the pictures": lambda: warm_workers(services.solver_pool, services.settings.solver_workers),
    }


def _health(service: Service, pulse: Pulse, ingress: Ingress) -> Health:
    return Health(
        service.services.store,
        service.inbox,
        lambda: ingress.is_open,
        unsaid=lambda: service.outbox.dropped_count,
        fetched=pulse,
        solving=service.services.solver_pool,
        wall=service.inbox.now,
    )


# Pictures

# Seconds for a picture to be drawn, and as many to wait for a worker: what is late serves a redraw.
DRAWING_DEADLINE = 3.0


async def draw_in_worker(pool: SolverPool, picture: Picture, language: str) -> bytes:
    """Draw a picture in a worker, and return its PNG. Raises SolvingError."""
    return await pool.run_task(
        draw_picture, picture, language, deadline=DRAWING_DEADLINE, queue_timeout=DRAWING_DEADLINE
    )


# What each worker draws at the start, so that no deal waits until it has read cards and typefaces.
FIRST_PICTURE = HandPicture((Card(1, "♠"), Card(13, "♥"), Card(24, "♦")), 24)


async def warm_workers(pool: SolverPool, workers: int) -> None:
    """Let each worker draw once; one that can't now draws later."""
    once = (draw_in_worker(pool, FIRST_PICTURE, "en") for _ in range(workers))
    await asyncio.gather(*once, return_exceptions=True)
