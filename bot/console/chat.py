"""Run the bot in a terminal: the same service and database, with a screen in Telegram's place."""

import asyncio
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from bot import logs
from bot.admin.settings import preferences as preferences
from bot.console import guide
from bot.console.conversation import Conversation
from bot.console.fake_telegram import GROUP, FakeTelegram
from bot.console.screen import PLAIN_TERMINALS, PlainOutput, Screen
from bot.console.streams import BROKEN_PIPE, OutputError, drop_output, open_input
from bot.database import AccessMode, Store, Tx
from bot.i18n import SOURCE_LANGUAGE, choose_language, get_words
from bot.players import queries as people
from bot.queue.pacing import Pace
from bot.queue.watermark import Watermark
from bot.service import Service, build_service
from bot.settings import Settings
from bot.supervision import run_unless_stopped, schedule_forced_exit

if TYPE_CHECKING:
    from bot.console.terminal import Terminal

TOKEN = "24:console"  # noqa: S105 - never leaves the process


async def run_console(settings: Settings, lines: AsyncIterator[str] | None = None) -> int:
    """Chat until the end of input, and return the exit code.

    `lines` replace standard input. Raises SettingsError as `open_input` does, and OutputError.
    """
    tag = detect_language(os.environ)
    stopped, speech = asyncio.Event(), get_words(choose_language(tag))
    output: PlainOutput
    if lines is None and (terminal := _open_terminal(stopped, guide.render_leave_hint(speech))) is not None:
        output, read = terminal, terminal.read_lines
    else:
        piped = lines or await open_input(settings)
        output, read = PlainOutput(sys.stdout), lambda *_: piped
    screen = Screen(output, speech, stopped)
    async with AsyncExitStack() as stack:
        stack.enter_context(_stop_on_signals(stopped))
        stack.enter_context(output.open())
        logs.configure_logging(
            "WARNING" if settings.log_level == "INFO" else settings.log_level, settings.secrets
        )
        conversation = await _open_conversation(settings, screen, stack, tag)
        await run_unless_stopped(
            stopped, conversation.run(read(conversation.get_prompt, conversation.get_completions))
        )
    if screen.error is None:
        return 0
    drop_output()
    if isinstance(screen.error, BrokenPipeError):
        return BROKEN_PIPE
    raise OutputError(screen.error)


def _open_terminal(stopped: asyncio.Event, leave_hint: str) -> "Terminal | None":
    """Open the terminal at which somebody types; None for a pipe, a file, or a terminal without a cursor."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "") in PLAIN_TERMINALS:
        return None
    from bot.console.terminal import Terminal  # here: a service doesn't need prompt_toolkit

    return Terminal(sys.stdin, sys.stdout, stopped, leave_hint)


@contextmanager
def _stop_on_signals(stopped: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stopped.set()
        schedule_forced_exit(0)

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.remove_signal_handler(number)


async def _open_conversation(
    settings: Settings, screen: Screen, stack: AsyncExitStack, language: str
) -> Conversation:
    """Start the service behind the screen, with its timers and the board; `stack` closes all of it."""
    telegram = FakeTelegram(screen)
    pace = Pace(posts_a_minute=10_000, redraw_gap=0.0)
    service = await build_service(
        settings, telegram, stack, token=TOKEN, pace=pace, pictures=False, mode=AccessMode.EXCLUSIVE
    )
    store = service.services.store
    stack.push_async_callback(_store_next_id, store, telegram)
    telegram.next_id = await store.write(_reserve_ids)
    await store.write(enable_reading_all_messages)
    service.inbox.watermark = Watermark(math.inf)  # no line is ever on its way
    service.inbox.watermark.is_compared = True  # there is no other clock to compare with
    stack.push_async_callback(_cancel, asyncio.create_task(service.timers.run()))
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)
    board = await _open_board(service, stack)
    return Conversation(service, telegram, screen, language, board.make_link if board else None)


async def _open_board(service: Service, stack: AsyncExitStack) -> Any:
    """Serve a board beside the terminal; None if no port is free."""
    from bot.console import local_board  # here: a service doesn't need it

    services = service.services
    board = await local_board.open_board(
        services.store,
        services.bot,
        service.changes,
        service.inbox,
        service.dispatcher.run_transaction,
        GROUP,
    )
    if board is not None:
        stack.push_async_callback(board.close)
    return board


def enable_reading_all_messages(tx: Tx) -> None:
    """Let the bot read every line of the group, as without privacy mode."""
    people.load_or_insert_chat(tx, GROUP, "group")
    people.store_setting(tx, GROUP, preferences.HEARS_ALL_KEY, True)


NEXT_ID = "console.next"  # the key of the next message id
RESERVED_IDS = 100_000  # reserved at the start, so that no id is used twice even after a kill


def _reserve_ids(tx: Tx) -> int:
    """Return the first message id for this run, and reserve some behind it."""
    first = int(people.load_fact(tx, NEXT_ID) or 1)
    people.store_fact(tx, NEXT_ID, str(first + RESERVED_IDS))
    return first


async def _store_next_id(store: Store, telegram: FakeTelegram) -> None:
    await store.write(lambda tx: people.store_fact(tx, NEXT_ID, str(telegram.next_id)))


async def _cancel(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


NO_LANGUAGE = {"", "C", "POSIX"}


def detect_language(environment: Mapping[str, str]) -> str:
    """Return the language that gettext would choose, as a tag such as zh-CN; English if none is set.

    LC_ALL overrides LC_MESSAGES, and that LANG; LANGUAGE, a list in order of preference, overrides all of
    them unless they ask for no language.
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    if _tag(locale) in NO_LANGUAGE:
        return SOURCE_LANGUAGE
    wanted = [_tag(each) for each in environment.get("LANGUAGE", "").split(":")]
    return next((tag for tag in wanted if _is_spoken(tag)), _tag(locale))


def _tag(locale: str) -> str:
    return locale.partition(".")[0].partition("@")[0].replace("_", "-")


def _is_spoken(tag: str) -> bool:
    return tag not in NO_LANGUAGE and (
        choose_language(tag) != SOURCE_LANGUAGE or tag.lower().partition("-")[0] == SOURCE_LANGUAGE
    )
