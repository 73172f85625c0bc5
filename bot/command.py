"""Starting and stopping: settings first, then the database, Telegram and the ways in, and back again."""

import argparse
import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

from telegram import Bot
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.ext import Application, ApplicationBuilder
from telegram.request import BaseRequest, HTTPXRequest

from bot import logs
from bot.application import ALLOWED, Table, fresh_seed, set_menus
from bot.outbox import Pace
from bot.polling import PollingError, poll
from bot.settings import Settings, SettingsError, read
from bot.solving import Solving
from bot.store import Store, StoreError
from bot.timers import Timers
from bot.turn import Services
from bot.webhook import Webhook

log = logging.getLogger(__name__)

TELEGRAM_PACE = Pace()

AnyApplication = Application[Any, Any, Any, Any, Any, Any]


class StartError(Exception):
    """The bot can't start; the message is one line."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    _parser().parse_args(arguments)
    try:
        settings = read(os.environ)
    except SettingsError as error:
        return _refuse(error)
    try:
        return asyncio.run(_serve(settings))
    except (SettingsError, StoreError, StartError, PollingError) as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog="twentyfour-bot",
        description="Runs the bot. Without BOT_TOKEN in the environment a chat opens in the terminal; "
        "deploy/bot.env.example explains every variable.",
    )


def _refuse(error: Exception) -> int:
    print(f"twentyfour-bot: {error}", file=sys.stderr)
    return 2


async def _serve(settings: Settings) -> int:
    if settings.token is None:
        from bot.console import converse

        return await converse(settings)
    logs.begin(settings.log_level, settings.secrets)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        table, services = await build(settings, _request(), stack)
        await _live(settings, services, table, stop)
    return 0


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
    timers = Timers(services.store, table.act)
    await table.outbox.resume()
    await table.inbox.resume()
    tasks: list[asyncio.Task[Any]] = []
    webhook = Webhook(table.inbox, settings) if settings.webhook_url else None
    if webhook:
        try:
            await webhook.start(services.bot, ALLOWED)
        except (OSError, TelegramError) as error:
            raise StartError(f"the webhook can't be opened: {error}") from None
    else:
        with suppress(TelegramError):
            if (await services.bot.get_webhook_info()).url:
                await services.bot.delete_webhook()
        tasks.append(asyncio.create_task(poll(services.bot, table.inbox, ALLOWED), name="polling"))
    tasks.append(asyncio.create_task(timers.run(), name="timers"))
    tasks.append(asyncio.create_task(stop.wait(), name="stop"))
    menus = asyncio.create_task(set_menus(services), name="menus")
    log.info("@%s is ready, by %s", services.me.username, "webhook" if webhook else "polling")
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # a way in that ended by itself ends the process with its error
    finally:
        if webhook:
            await webhook.close()
        for task in (*tasks, menus):
            task.cancel()
        await asyncio.gather(*tasks, menus, return_exceptions=True)
        await table.inbox.close()
        await table.outbox.close()
