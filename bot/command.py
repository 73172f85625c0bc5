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

from telegram import Bot
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.ext import Application, ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot import dead, logs
from bot.application import ALLOWED, Table, fresh_seed, set_menus
from bot.backup import BackupError, backup
from bot.health import Health
from bot.outbox import Pace
from bot.polling import PollingError, poll
from bot.settings import Settings, SettingsError, read
from bot.solving import Solving
from bot.store import Store, StoreError
from bot.timers import Timers
from bot.turn import Services
from bot.webhook import Webhook

log = logging.getLogger(__name__)

T = TypeVar("T")
TELEGRAM_PACE = Pace()
LONGEST_STOP = 7.0
"""Seconds after which stopping no longer waits for anything."""
WEBHOOK_LOOK = 20.0
"""Seconds between two looks at where Telegram posts to."""

AnyApplication = Application[Any, Any, Any, Any, Any, Any]


class StartError(Exception):
    """The bot can't start; the message is one line."""


REFUSALS = (SettingsError, StoreError, StartError, PollingError, BackupError, dead.DeadError)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        settings = read(os.environ)
        logs.begin(settings.log_level, settings.secrets)
        return _carry_out(options, settings)
    except REFUSALS as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130
    except Exception:
        log.critical("the bot ends: something unforeseen happened", exc_info=True)
        return 1


def _carry_out(options: argparse.Namespace, settings: Settings) -> int:
    match options.what:
        case "backup":
            size = backup(settings.database, options.file)
            print(f"{options.file}: {size} bytes, checked")
        case "dead":
            print(*asyncio.run(_dead(options, settings)), sep="\n")
        case _:
            return asyncio.run(_serve(settings))
    return 0


async def _dead(options: argparse.Namespace, settings: Settings) -> list[str]:
    store = await Store.open(settings.database, alone=False)
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
    letters = commands.add_parser("dead", help="list what was set aside, try it again or drop it")
    which = letters.add_mutually_exclusive_group()
    which.add_argument("--retry", nargs="*", metavar="ID", help="all, unless some are named")
    which.add_argument("--drop", nargs="*", metavar="ID", help="all, unless some are named")
    return parser


def _refuse(error: Exception) -> int:
    print(f"twentyfour-bot: {error}", file=sys.stderr)
    return 2


async def _serve(settings: Settings) -> int:
    if settings.token is None:
        from bot.console import converse

        return await converse(settings)
    stop = asyncio.Event()
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
    solving: Solving | None = None,
    wall: Callable[[], float] = time.time,
) -> tuple[Table, Services]:
    """Open and wire everything; `stack` closes it again in the right order."""
    store = await Store.open(settings.database)
    stack.push_async_callback(store.close)
    builder = ApplicationBuilder().token(token or settings.token or "").updater(None)
    builder = builder.base_url(f"{settings.api_url}/bot").base_file_url(f"{settings.api_url}/file/bot")
    application: AnyApplication = builder.get_updates_request(requests[0]).request(requests[1]).build()
    await _meet(application.bot, application)
    stack.push_async_callback(application.shutdown)
    solving = solving or Solving(settings.solver_workers, settings.solver_deadline)
    stack.callback(solving.close)
    services = Services(store, solving, application.bot, application.bot.bot, settings, fresh_seed)
    return Table(services, application, pace, wall), services


async def _meet(bot: Bot, application: AnyApplication) -> None:
    """Learn who the bot is. A refused token ends the start; a network that is down is waited for."""
    pause = 0.5
    while True:
        try:
            await application.initialize()
            return
        except InvalidToken:
            raise StartError("BOT_TOKEN: Telegram refuses it") from None
        except (NetworkError, RetryAfter) as error:
            print(
                f"twentyfour-bot: Telegram can't be reached ({type(error).__name__}), trying again",
                file=sys.stderr,
            )
            await asyncio.sleep(pause)
            pause = min(15.0, pause * 2)
        except TelegramError as error:
            raise StartError(f"BOT_TOKEN: Telegram refuses it ({error.message})") from None


async def _live(settings: Settings, services: Services, table: Table, stop: asyncio.Event) -> None:
    """Take updates in until `stop` is set or a way in fails for good."""
    await table.outbox.resume()
    await table.inbox.resume()
    webhook = Webhook(table.inbox, settings) if settings.webhook_url else None
    if webhook:
        way_in = await _by_webhook(webhook, settings, services)
    else:
        way_in = await _by_polling(services, table)
    lasting = [
        way_in,
        asyncio.create_task(Timers(services.store, table.act).run(), name="timers"),
        asyncio.create_task(dead.watch(services.store, table.inbox, table.outbox), name="dead letters"),
        asyncio.create_task(stop.wait(), name="stop"),
    ]
    menus = asyncio.create_task(set_menus(services), name="menus")
    health = Health(services.store, table.inbox, lambda: not way_in.done())
    log.info("@%s is ready, by %s", services.me.username, way_in.get_name())
    try:
        _answer_for(health, settings)
        done, _ = await asyncio.wait(lasting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # a way in that ended by itself ends the process with its error
        if not stop.is_set():
            raise StartError(f"{done.pop().get_name()} ended by itself")
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


def _answer_for(health: Health, settings: Settings) -> None:
    """Let an operator's tools ask, if the settings say where."""
    if settings.health_listen is None:
        return
    try:
        health.start(settings.health_listen)
    except OSError as error:
        raise StartError(f"HEALTH_LISTEN: can't listen there: {error.strerror}") from None


async def _by_webhook(webhook: Webhook, settings: Settings, services: Services) -> "asyncio.Task[None]":
    try:
        await webhook.start(services.bot, ALLOWED)
    except (OSError, TelegramError) as error:
        raise StartError(f"WEBHOOK_URL: the webhook can't be opened: {error}") from None
    return asyncio.create_task(_still_ours(services.bot, settings.webhook_url or ""), name="webhook")


async def _still_ours(bot: Bot, url: str) -> None:
    """Look now and then whether Telegram still posts here. Raises StartError when another bot took over."""
    while True:
        await asyncio.sleep(WEBHOOK_LOOK)
        with suppress(TelegramError):
            if (await bot.get_webhook_info()).url != url:
                raise StartError("WEBHOOK_URL: Telegram posts elsewhere now: another bot uses the token")


async def _by_polling(services: Services, table: Table) -> "asyncio.Task[None]":
    with suppress(TelegramError):
        if (await services.bot.get_webhook_info()).url:
            await services.bot.delete_webhook()
    return asyncio.create_task(poll(services.bot, table.inbox, ALLOWED), name="polling")
