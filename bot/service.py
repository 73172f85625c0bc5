"""Build the bot from its parts, then start, supervise and stop it.

Parts are closed in the reverse order of their construction. Stopping closes the ingress, then finishes what
is being handled, then what is being sent; the rest is stored for the next start. The parts run as tasks of
one group: a fatal error of one ends the group and is the bot's.
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

from telegram import Bot
from telegram.request import BaseRequest

from bot import logs
from bot.admin import chat_migration
from bot.admin.welcome import make_group_link
from bot.board.endpoints import make_board, make_board_links
from bot.board.queries import insert_board_replies
from bot.database import AccessMode, StoreError, Tx
from bot.database.store import open_with_retries
from bot.durations import DAY
from bot.features import FEATURES
from bot.ingress import TOKEN_LOST_ERRORS, Ingress, PollingIngress
from bot.metrics import Connectivity, Pulse
from bot.page_server import PageServer, StartupResponder
from bot.pictures.drawing import draw_picture
from bot.pictures.values import Card, HandPicture, Picture
from bot.players import queries as people
from bot.queue import dead_letters
from bot.queue.admission import Admission
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.inbox import Inbox, InboxHooks
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import SINGLE_BOT, Leases
from bot.queue.rendering import OutboxHooks
from bot.queue.replicas.replica import Replica, keep_lease_until_closed
from bot.queue.replicas.settings_comparison import make_shared_settings
from bot.queue.replicas.telegram_contact import TelegramContact
from bot.queue.timers import TimerContext, Timers
from bot.queue.updates import Watermark, read_uptime
from bot.rounds import topics
from bot.rounds.commands import make_notice
from bot.rounds.phrases import may_be_for_bot
from bot.rounds.registry import list_solver_modules, looks_like_answer
from bot.settings import Settings, SettingsError
from bot.supervision import (
    Part,
    StopSignal,
    log_lost_task,
    run_parts,
    run_unless_stopped,
    schedule_failure_exit,
)
from bot.telegram.api import Connections, call_api
from bot.telegram.context import Services
from bot.telegram.dispatch import BoardNotifier, Dispatcher, MessageFilter
from bot.telegram.error_replies import ErrorReplies
from bot.telegram.menus import set_command_menus
from bot.telegram.messages import MakeBoardUrl, make_no_board_url
from bot.telegram.polling import PollingError
from bot.telegram.private_replies import make_fallback_requests
from bot.telegram.routes import RouteHooks, Routes, merge_routes
from bot.telegram.startup import StartError, TokenCheck, call_until_answered
from bot.web.health import Health
from bot.web.webhook import Webhook
from bot.workers.pool import SolverPool

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of the bot."""

    services: Services
    routes: Routes
    inbox: Inbox
    outbox: Outbox
    dispatcher: Dispatcher
    timers: Timers
    token_check: TokenCheck
    leases: Leases = SINGLE_BOT
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)  # wakes the board's pages

    async def load_backlog(self) -> None:
        """Queue what a former run left stored."""
        await self.outbox.resume()
        await self.inbox.resume()

    async def wait_until_idle(self) -> None:
        """Wait until nothing is left to handle or to send."""
        await self.inbox.wait_until_idle()
        await self.outbox.wait_until_idle()


WORKER_MODULES = (*list_solver_modules(), "bot.pictures.drawing")  # with tasks for the solver's workers
TELEGRAM_PACE = Pace()


async def build_service(
    settings: Settings,
    request: BaseRequest,
    stack: AsyncExitStack,
    *,
    token: str | None = None,
    pace: Pace = TELEGRAM_PACE,
    solver_pool: SolverPool | None = None,
    routes: Routes | None = None,
    wall: Callable[[], float] = time.time,
    uptime: Callable[[], float] = read_uptime,
    pictures: bool = True,
    mode: AccessMode = AccessMode.SHARED,
) -> Service:
    """Connect to the database and Telegram, and build all parts; `stack` closes them in the right order.

    `stack` closes a given `solver_pool`, too. `token` takes the place of the settings' one. `request` sends
    requests to Telegram, `wall` is this machine's clock, `uptime` one that is never set.
    Without `pictures` every message is a text. `mode` says with whom the database is shared. Raises
    StartError, StoreError or SettingsError.
    """
    watermark = Watermark()
    if isinstance(request, Connections):
        request.on_server_date = lambda date: watermark.observe_response(date, wall())
    store = await open_with_retries(settings.database, mode)
    stack.push_async_callback(store.close)
    bot = await _connect_bot(settings, token or settings.token or "", request, stack)
    me = bot.bot
    if solver_pool is None:
        solver_pool = SolverPool(settings.solver_workers, settings.solver_deadline, WORKER_MODULES)
    stack.callback(solver_pool.close)
    routes = routes or merge_routes(FEATURES)
    services = Services(
        store,
        solver_pool,
        bot,
        me,
        settings,
        make_seed,
        routes.commands,
        permissions=BotPermissionCache(partial(call_api, bot), me.id, settings.api_url),
        make_board_url=_get_board_url_maker(settings, me.username or "", lambda: service.inbox.now()),
    )  # the lambda needs `service`, which is made below, only later
    await store.write(lambda tx: people.store_fact(tx, people.USERNAME_FACT, me.username or ""))
    leases: Leases = SINGLE_BOT
    if store.shared_server:
        shared = make_shared_settings(me.id, settings.webhook_url, settings.webhook_secrets)
        leases = Replica(store.shared_server, shared)
    service = wire_service(services, routes, pace, wall, leases, pictures=pictures)
    service.inbox.watermark = watermark
    service.inbox.read_uptime = uptime
    return service


async def _connect_bot(settings: Settings, token: str, request: BaseRequest, stack: AsyncExitStack) -> Bot:
    """Make the bot and ask Telegram for its name; `stack` closes its connections. Raises StartError."""
    bot = Bot(
        token,
        base_url=f"{settings.api_url}/bot",
        base_file_url=f"{settings.api_url}/file/bot",
        request=request,
        get_updates_request=request,
    )
    stack.push_async_callback(request.shutdown)
    await call_until_answered(bot.initialize, "BOT_TOKEN")
    return bot


def wire_service(
    services: Services,
    routes: Routes,
    pace: Pace,
    wall: Callable[[], float],
    leases: Leases = SINGLE_BOT,
    *,
    pictures: bool = True,
) -> Service:
    """Build the parts, and pass to each the others that it needs. Nothing is started or sent yet."""
    inbox: Inbox  # built last: the parts before it get a lambda, which returns it later
    store, me, settings = services.store, services.me, services.settings
    changes = ChangeNotifier()
    board = BoardNotifier(insert_board_replies, changes)
    route_hooks = RouteHooks(
        store, routes, lambda: inbox, changes.notify_chat_threadsafe, services.make_board_url
    )
    hooks = _make_outbox_hooks(routes, route_hooks, board)
    painter = partial(draw_in_worker, services.solver_pool) if pictures else None
    api = partial(call_api, services.bot)
    token_check = TokenCheck(api)
    outbox = Outbox(
        store,
        api,
        hooks,
        pace,
        wall=lambda: inbox.now(),
        permissions=services.permissions,
        painter=painter,
        leases=leases,
        is_token_known=token_check.is_known,
    )
    services = replace(services, prefetch_picture=outbox.photos.prefetch)
    username = me.username or ""
    kind_rules = replace(routes.kind_rules, may_be_answer=looks_like_answer)
    message_filter = MessageFilter(me.id, username, kind_rules.commands, may_be_for_bot)
    dispatcher = Dispatcher(
        services, routes, outbox, message_filter, lambda: inbox, leases, board, make_notice
    )
    secret = str(settings.token or me.id)  # in the keys of hashes; the terminal has no token
    inbox = Inbox(
        store,
        dispatcher.handle,
        ErrorReplies(store, outbox, me.id, lambda: inbox.now(), board, leases),
        wall,
        Admission(username, kind_rules, pace.commands_a_minute, pace.presses_a_minute),
        InboxHooks(dispatcher.record_talk, dispatcher.note_talk, press_key=f"press {secret}".encode()),
        leases,
    )
    context = TimerContext(store, dispatcher.run_effect, inbox, username, secret, settings.keep_days * DAY)
    timers = Timers(
        routes.timed_tasks, context, inbox.now, is_clock_right=lambda: inbox.watermark.is_clock_right
    )
    return Service(services, routes, inbox, outbox, dispatcher, timers, token_check, leases, changes)


def _make_outbox_hooks(routes: Routes, route_hooks: RouteHooks, board: BoardNotifier) -> OutboxHooks:
    """Make the functions that the outbox calls: the routes' own, and some of players and chats."""

    def move_chat(tx: Tx, old: int, new: int) -> None:
        chat_migration.move_chat(tx, old, new)
        board.notify_migration(tx, old)

    return OutboxHooks(
        renderers=dict.fromkeys(routes.renderers, route_hooks.render),
        load_names=people.load_names,
        before_send=route_hooks.before_send,
        on_delivered=route_hooks.on_delivered,
        on_message_gone=route_hooks.on_message_lost,
        on_chat_migrated=move_chat,
        is_chat_known=people.is_chat_known,
        choose_fallback=lambda tx, request, is_server_too_old: make_fallback_requests(
            tx, request, is_server_too_old, route_hooks.get_inbox().now()
        ),
        on_reaction_forbidden=people.add_forbidden_reaction,
        on_topic_gone=topics.leave_topic,
        on_chat_gone=people.mark_chat_gone,
        find_picture=route_hooks.find_picture,
    )


def _get_board_url_maker(settings: Settings, username: str, now: Callable[[], float]) -> MakeBoardUrl:
    """Return the function that makes links to the board; without a board or a token one that makes none."""
    if settings.web_url is None or settings.token is None:
        return make_no_board_url
    links = make_board_links(settings, username)
    return lambda chat_id, topic, round_id: links.make_round_link(chat_id, topic, round_id, now())


def make_seed() -> int:
    """Return a random seed that nobody can foresee."""
    return random.SystemRandom().getrandbits(128)


async def serve_telegram(settings: Settings) -> None:
    """Serve Telegram until SIGTERM or SIGINT. Raises a fatal error, UnreachableError or PartEndedError."""
    stop = StopSignal()
    asyncio.get_running_loop().set_exception_handler(log_lost_task)
    async with AsyncExitStack() as stack:
        responder = StartupResponder(settings.health_listen)
        stack.push_async_callback(responder.close)
        await responder.start()
        building = build_service(settings, Connections(settings.api_url), stack)
        service = await run_unless_stopped(stop.event, building)
        if service is not None:
            service.services.solver_pool.start()
            gc.collect()
            gc.freeze()  # later collections skip what was built, which would delay answers
            await run_service(service, stack, stop.event, responder)
    stop.log_stop()


# Errors that end the bot; after any other a part is restarted.
FATAL_ERRORS = (
    SettingsError,
    StoreError,
    StartError,
    PollingError,
    dead_letters.DeadLetterError,
    *TOKEN_LOST_ERRORS,
)


async def run_service(
    service: Service, stack: AsyncExitStack, stop: asyncio.Event, responder: StartupResponder | None = None
) -> None:
    """Queue what is stored, open the ingress, and keep all parts running until `stop` is set.

    Returns early if `stop` is set before all is open. Raises the first fatal error. `stack` closes the parts
    in the right order; `responder` is closed before health's pages are served.
    """
    await service.load_backlog()
    settings = service.services.settings
    pulse = Pulse(time.monotonic())
    lease_parts = await _start_replica(service, pulse, stack, stop)
    if lease_parts is None:  # `stop` is set
        return
    for part in (service.token_check, service.outbox, service.inbox):
        stack.push_async_callback(part.close)
    source = _make_source(service, pulse)
    ingress = Ingress(source, service.wait_until_idle, FATAL_ERRORS)
    stack.push_async_callback(source.close)
    health = _make_health(service, pulse, ingress)
    if responder is not None:
        await responder.close()
    board = make_board(service.services, service.changes, service.inbox, service.dispatcher.run_transaction)
    pages = PageServer(settings, health, board)
    stack.push_async_callback(pages.close)
    await pages.start(source)
    if not await run_unless_stopped(stop, source.open()):
        return
    pulse.record_success(time.monotonic())
    stack.callback(schedule_failure_exit, stop)  # called first, in case that another callback hangs
    username = str(service.services.me.username)
    log.info("@%s is ready, by %s", username, source.name)
    if log.isEnabledFor(logging.INFO):
        logs.print_line(
            logging.INFO,
            f"add @{username} to a group: {make_group_link(username)}, then write /play there, or to the bot"
            " alone; Ctrl-C stops it",
        )
    parts = _list_parts(service, ingress, health) | lease_parts
    await run_parts(parts, _list_startup_tasks(service), stop, FATAL_ERRORS)


async def _start_replica(
    service: Service, pulse: Pulse, stack: AsyncExitStack, stop: asyncio.Event
) -> dict[str, Part] | None:
    """Connect this replica to the queues, to Telegram's answers and to the board's pages, and take its lease.

    Returns the parts that run with the lease, none for a single bot; None if `stop` is set before.
    """
    replica = service.leases
    if not isinstance(replica, Replica):
        return {}
    bot = service.services.bot
    connectivity = bot.request.connectivity if isinstance(bot.request, Connections) else Connectivity()
    replica.connect(service.inbox, service.outbox, TelegramContact(pulse, connectivity, bot.get_me))
    if service.services.settings.web_url:
        replica.notifications.forward(service.changes)  # to the pages that other replicas serve
    return await run_unless_stopped(stop, keep_lease_until_closed(replica, stack, FATAL_ERRORS))


def _make_source(service: Service, pulse: Pulse) -> PollingIngress | Webhook:
    """Make the source of updates: a webhook if the settings name its address, else polling."""
    services, leases = service.services, service.leases
    if services.settings.webhook_url is None:
        return PollingIngress(services.bot, service.inbox, pulse, service.token_check.begin)
    load_secret_index = leases.load_secret_index if isinstance(leases, Replica) else None
    is_new = partial(services.store.write, people.record_webhook_setup)  # whether the database is new
    return Webhook(services.bot, service.inbox, pulse, services.settings, load_secret_index, is_new)


def _list_parts(service: Service, ingress: Ingress, health: Health) -> dict[str, Part]:
    """Return the parts that run as long as the bot; of several replicas some run in the leader alone."""
    leases, store = service.leases, service.services.store
    watch_dead_letters = partial(dead_letters.watch_dead_letters, store, service.inbox, service.outbox)
    parts: dict[str, Part] = {
        ingress.source.name: lambda: leases.run_while_leader(ingress.run),
        "timers": lambda: leases.run_while_leader(service.timers.run),
        "dead letters": lambda: leases.run_while_leader(watch_dead_letters),
        "the token": service.token_check.wait_until_refused,
        "the solver's watch": health.watch_solver_and_database,
        "database": store.wait_until_taken_over,
    }
    if isinstance(leases, Replica):
        parts["claims"] = leases.take_work
        if service.services.settings.web_url:
            parts["boards"] = service.changes.run
    return parts


def _list_startup_tasks(service: Service) -> dict[str, Part]:
    """Return the parts that run once after the start; only the leader sets the menus."""
    services = service.services
    set_menus = partial(set_command_menus, services, service.routes.commands)
    return {
        "setting the menus": lambda: service.leases.run_while_leader(set_menus),
        "warming the pictures": lambda: warm_workers(services.solver_pool, services.settings.solver_workers),
    }


def _make_health(service: Service, pulse: Pulse, ingress: Ingress) -> Health:
    """Make the health pages, which tell of the other parts."""
    return Health(
        service.services.store,
        service.inbox,
        lambda: ingress.is_open,
        count_dropped=lambda: service.outbox.dropped_count,
        pulse=pulse,
        solver_pool=service.services.solver_pool,
        wall=service.inbox.now,
    )


# Seconds for a picture to be drawn, and as many to wait for a worker: a late one is shown by the next edit.
DRAWING_DEADLINE = 3.0


async def draw_in_worker(pool: SolverPool, picture: Picture, language: str) -> bytes:
    """Draw a picture in a worker, and return its PNG. Raises SolvingError."""
    return await pool.run_task(
        draw_picture, picture, language, deadline=DRAWING_DEADLINE, queue_timeout=DRAWING_DEADLINE
    )


# Drawn by each worker at the start, so that no deal waits until it has read cards and typefaces.
FIRST_PICTURE = HandPicture((Card(1, "♠"), Card(13, "♥"), Card(24, "♦")), 24)


async def warm_workers(pool: SolverPool, workers: int) -> None:
    """Let each worker draw `FIRST_PICTURE` once; ignore those that fail."""
    once = (draw_in_worker(pool, FIRST_PICTURE, "en") for _ in range(workers))
    await asyncio.gather(*once, return_exceptions=True)
