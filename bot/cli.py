"""Starting and stopping: settings first, then the database, Telegram and the ways in, and back again."""

import argparse
import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, TypeVar

from telegram.ext import Application, ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot import logs
from bot.console.streams import OutputError, tell
from bot.database import Store, StoreError, UnreachedError, cause, storage_trouble
from bot.database.backup import BackupError, backup
from bot.delivery import dead
from bot.delivery.arrivals import uptime
from bot.delivery.inbox import Inbox
from bot.delivery.outbox import Pace
from bot.delivery.timers import Timers
from bot.pulse import Pulse
from bot.settings import Settings, SettingsError, read
from bot.supervision import kept_up, lost_task
from bot.telegram.context import Services
from bot.telegram.dispatch import ALLOWED, Table, fresh_seed, set_menus
from bot.telegram.polling import OustedError, PollingError, poll
from bot.telegram.startup import StartError, until_answered
from bot.web.health import Health
from bot.web.webhook import TakenOverError, Webhook, watch
from bot.workers.pool import Pool

log = logging.getLogger(__name__)

T = TypeVar("T")
TELEGRAM_PACE = Pace()
LONGEST_STOP = 7.0
"""Seconds after which stopping no longer waits for anything."""
LAST_WORK = 5.0
"""Seconds that a bot which another one replaces has to finish what it took in."""
UNREACHED, COMING_UP = 3.0, 60.0
"""Seconds to wait at the start for a database server that nobody reaches, and for one that is starting."""

AnyApplication = Application[Any, Any, Any, Any, Any, Any]


class EndedError(Exception):
    """A part of the bot ended by itself; the message is one line."""


OUSTED = (OustedError, TakenOverError)
"""Another bot has the token."""
REFUSALS = (SettingsError, StoreError, StartError, *OUSTED, BackupError, dead.DeadError)
"""What a person must mend: exit code 2, and nothing starts the bot again by itself."""
PASSING = (UnreachedError, PollingError, EndedError, OutputError)
"""What a new start may get over: exit code 1."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        settings = read(os.environ)
        logs.begin(settings.log_level, settings.secrets)
        return _carry_out(options, settings)
    except PASSING as error:
        return _refuse(error, 1)
    except REFUSALS as error:
        return _refuse(error, 2)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if storage_trouble(error):
            return _refuse(StoreError(f"the database failed: {cause(error)}"), 1)
        log.critical("the bot ends: something unforeseen happened", exc_info=True)
        return 1


def _carry_out(options: argparse.Namespace, settings: Settings) -> int:
    match options.what:
        case "backup":
            size = backup(settings.database, options.file)
            return tell([f"{options.file}: {size} bytes, checked"])
        case "dead":
            return tell(asyncio.run(_dead(options, settings)))
        case _:
            return asyncio.run(_serve(settings))


async def _dead(options: argparse.Namespace, settings: Settings) -> list[str]:
    store = await Store.open_beside(settings.database)
    try:
        if options.retry is not None:
            count = await store.write(lambda tx: dead.retry(tx, options.retry))
            return [f"{count} will be tried again"]
        if options.drop is not None:
            return [f"{await store.write(lambda tx: dead.drop(tx, options.drop))} dropped"]
        return await store.read(dead.listed) or ["nothing was set aside"]
    finally:
        await store.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="twentyfour-bot",
        description="Runs the bot. Without BOT_TOKEN in the environment a chat opens in the terminal; "
        "deploy/bot.env.example explains every variable.",
    )
    commands = parser.add_subparsers(dest="what", metavar="COMMAND", title="beside a running bot")
    copy = commands.add_parser("backup", help="write a checked copy of the SQLite database")
    copy.add_argument("file", type=Path, metavar="FILE")
    requests = commands.add_parser("dead", help="list what was set aside, try it again or drop it")
    which = requests.add_mutually_exclusive_group()
    which.add_argument("--retry", nargs="*", metavar="ID", help="all, unless some are named")
    which.add_argument("--drop", nargs="*", metavar="ID", help="all, unless some are named")
    return parser


def _refuse(error: Exception, code: int) -> int:
    print(f"twentyfour-bot: {error}", file=sys.stderr)
    return code


async def _serve(settings: Settings) -> int:
    if settings.token is None:
        from bot.console.chat import converse

        return await converse(settings)
    stop = asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(lost_task)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, _stopping, stop)
    async with AsyncExitStack() as stack:
        built = await _unless(stop, build(settings, _request(), stack))
        if built is not None:
            table, services = built
            services.solving.start()
            await _live(settings, services, table, stop)
    return 0


def _stopping(stop: asyncio.Event) -> None:
    stop.set()
    _end_by_force(0)


def _end_by_force(code: int) -> None:
    """Whatever hangs by then is left to the next start: all that counts is stored."""
    timer = threading.Timer(LONGEST_STOP, os._exit, [code])
    timer.daemon = True
    timer.start()


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns, or None once `stop` is set."""
    task, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return None
    return task.result()


def _request() -> tuple[BaseRequest, BaseRequest]:
    """Connections for getUpdates and for everything else."""
    polling = HTTPXRequest(connection_pool_size=2, connect_timeout=5.0, read_timeout=35.0)
    other = HTTPXRequest(connection_pool_size=40, connect_timeout=5.0, read_timeout=10.0, pool_timeout=10.0)
    return polling, other


async def build(
    settings: Settings,
    requests: tuple[BaseRequest, BaseRequest],
    stack: AsyncExitStack,
    *,
    token: str | None = None,
    pace: Pace = TELEGRAM_PACE,
    solving: Pool | None = None,
    wall: Callable[[], float] = time.time,
    uptime: Callable[[], float] = uptime,
) -> tuple[Table, Services]:
    """Open and wire everything; `stack` closes it again in the right order.

    `wall` is this machine's clock, `uptime` one that nobody sets.
    """
    store = await _opened(settings)
    stack.push_async_callback(store.close)
    builder = ApplicationBuilder().token(token or settings.token or "").updater(None)
    builder = builder.base_url(f"{settings.api_url}/bot").base_file_url(f"{settings.api_url}/file/bot")
    application: AnyApplication = builder.get_updates_request(requests[0]).request(requests[1]).build()
    await until_answered(application.initialize, "BOT_TOKEN")
    stack.push_async_callback(application.shutdown)
    solving = solving or Pool(settings.solver_workers, settings.solver_deadline)
    stack.callback(solving.close)
    services = Services(store, solving, application.bot, application.bot.bot, settings, fresh_seed)
    table = Table(services, application, pace, wall)
    table.inbox.uptime = uptime
    return table, services


async def _opened(settings: Settings) -> Store:
    """The database. A server that can't be reached just now may be restarting, so it is waited for a little.

    Raises StoreError, or UnreachedError once it was waited for long enough.
    """
    began, told = time.monotonic(), False
    while True:
        try:
            return await Store.open(settings.database)
        except UnreachedError as error:
            if time.monotonic() - began > (COMING_UP if error.coming_up else UNREACHED):
                raise
            if error.coming_up and not told:
                log.warning("%s; waiting for it", error)
                told = True
        await asyncio.sleep(0.25)


async def _live(settings: Settings, services: Services, table: Table, stop: asyncio.Event) -> None:
    """Take updates in until `stop` is set or a way in fails for good."""
    await table.outbox.resume()
    await table.inbox.resume()
    pulse = Pulse(time.monotonic())
    webhook = Webhook(table.inbox, settings) if settings.webhook_url else None
    if webhook:
        arriving = _unless(stop, _by_webhook(webhook, settings, services, table.inbox, pulse))
    else:
        arriving = _unless(stop, _by_polling(services, table, pulse))
    way_in = await arriving
    if way_in is None:
        return
    health = Health(
        services.store,
        table.inbox,
        lambda: not way_in.done(),
        unsaid=lambda: table.outbox.dropped,
        fetched=pulse,
        solving=services.solving,
    )
    lasting = [way_in, *_beside(services, table, health), asyncio.create_task(stop.wait(), name="stop")]
    menus = asyncio.create_task(kept_up("setting the menus", lambda: set_menus(services)), name="menus")
    try:
        _answer_for(health, settings)
        log.info("@%s is ready, by %s", services.me.username, way_in.get_name())
        done, _ = await asyncio.wait(lasting, return_when=asyncio.FIRST_COMPLETED)
        await _look_at(done, table, stop)
    finally:
        if not stop.is_set():
            _end_by_force(1)
        await health.close()
        if webhook:
            await webhook.close()
        for task in (*lasting, menus):
            task.cancel()
        await asyncio.gather(*lasting, menus, return_exceptions=True)
        await table.inbox.close()
        await table.outbox.close()


def _beside(services: Services, table: Table, health: Health) -> "list[asyncio.Task[None]]":
    """What runs beside the way in for as long as the bot lives."""
    timers = Timers(services.store, table.act, table.inbox)
    parts: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
        "timers": timers.run,
        "dead letters": lambda: dead.watch(services.store, table.inbox, table.outbox),
        "the solver's watch": health.watch,
        "database": services.store.taken_over,
    }
    return [asyncio.create_task(kept_up(name, run, REFUSALS), name=name) for name, run in parts.items()]


async def _look_at(done: "set[asyncio.Task[Any]]", table: Table, stop: asyncio.Event) -> None:
    """Raise what ended a part of the bot, or that it ended; nothing if it was told to stop."""
    for task in done:
        if isinstance(task.exception(), OUSTED):
            await _finish(table)
        task.result()  # a part that ended for good ends the process with its error
    if not stop.is_set():
        raise EndedError(f"{done.pop().get_name()} ended by itself")


async def _finish(table: Table) -> None:
    """Answer what was taken in already: the bot that goes on knows nothing of it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORK):
            await table.inbox.idle()
            await table.outbox.idle()


def _answer_for(health: Health, settings: Settings) -> None:
    """Let an operator's tools ask, if the settings say where."""
    if settings.health_listen is None:
        return
    try:
        health.start(settings.health_listen)
    except OSError as error:
        raise StartError(f"HEALTH_LISTEN: can't listen there: {error.strerror}") from None


async def _by_webhook(
    webhook: Webhook, settings: Settings, services: Services, inbox: Inbox, pulse: Pulse
) -> "asyncio.Task[None]":
    try:
        webhook.listen()
    except OSError as error:
        raise StartError(f"WEBHOOK_LISTEN: the webhook can't be opened: {error.strerror or error}") from None
    await until_answered(lambda: webhook.register(services.bot, ALLOWED), "WEBHOOK_URL")
    pulse.beat(time.monotonic())
    url = settings.webhook_url or ""
    watching = kept_up("the webhook's watch", lambda: watch(services.bot, url, inbox, pulse), OUSTED)
    return asyncio.create_task(watching, name="webhook")


async def _by_polling(services: Services, table: Table, pulse: Pulse) -> "asyncio.Task[None]":
    async def without_webhook() -> None:
        if (await services.bot.get_webhook_info()).url:
            await services.bot.delete_webhook()

    await until_answered(without_webhook, "BOT_TOKEN")
    pulse.beat(time.monotonic())
    ends = (PollingError, OustedError)
    polling = kept_up("polling", lambda: poll(services.bot, table.inbox, ALLOWED, pulse), ends)
    return asyncio.create_task(polling, name="polling")
