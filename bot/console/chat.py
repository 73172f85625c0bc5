"""Run the bot in a terminal: the same service and database, with a screen in Telegram's place."""

import asyncio
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from bot import logs
from bot.admin.settings import preferences as preferences
from bot.console.conversation import Conversation
from bot.console.fake_telegram import GROUP, FakeTelegram
from bot.console.screen import PLAIN_TERMINALS, PlainOutput, Screen
from bot.console.streams import BROKEN_PIPE, OutputError, drop_output, open_input
from bot.database import AccessMode, Tx
from bot.i18n import SOURCE_LANGUAGE, choose_language, get_words
from bot.players import queries as people
from bot.queue.pacing import Pace
from bot.queue.watermark import Watermark
from bot.service import build_service
from bot.settings import Settings
from bot.supervision import run_unless_stopped, schedule_forced_exit

TOKEN = "24:console"  # noqa: S105 - never leaves the process


async def run_console(settings: Settings, lines: AsyncIterator[str] | None = None) -> int:
    """Chat until the end of input, and return the exit code.

    `lines` replace standard input. Raises SettingsError as `open_input` does, and OutputError.
    """
    tag = detect_language(os.environ)
    stopped, speech = asyncio.Event(), get_words(choose_language(tag))
    output: PlainOutput
    read: Callable[..., AsyncIterator[str]]
    is_plain = lines is not None or os.environ.get("TERM", "") in PLAIN_TERMINALS
    if not is_plain and sys.stdin.isatty() and sys.stdout.isatty():
        from bot.console.terminal import Terminal  # here: a service doesn't need prompt_toolkit

        leave_hint = speech.translate_plain("Ctrl-C once more on an empty line leaves; so does Ctrl-D.")
        output = terminal = Terminal(sys.stdin, sys.stdout, stopped, leave_hint)
        read = terminal.read_lines
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
    telegram.next_id = await store.write(_reserve_ids)
    stack.push_async_callback(
        lambda: store.write(lambda tx: people.store_fact(tx, NEXT_ID, str(telegram.next_id)))
    )
    await store.write(enable_reading_all_messages)
    service.inbox.watermark = Watermark(math.inf)  # no line is ever on its way
    service.inbox.watermark.is_compared = True  # there is no other clock to compare with
    stack.push_async_callback(_cancel, asyncio.create_task(service.timers.run()))
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)
    from bot.console import local_board  # here: a service doesn't need it

    board = await local_board.open_board(service, GROUP)
    if board is not None:
        stack.push_async_callback(board.close)
    return Conversation(service, telegram, screen, language, board.make_link if board else None)


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
    tag = _tag(next((environment[name] for name in names if environment.get(name)), ""))
    if tag in NO_LANGUAGE:
        return SOURCE_LANGUAGE
    for wanted in map(_tag, environment.get("LANGUAGE", "").split(":")):
        if wanted not in NO_LANGUAGE and (
            wanted[:2].lower() == "en" or choose_language(wanted) != SOURCE_LANGUAGE
        ):
            return wanted
    return tag


def _tag(locale: str) -> str:
    return locale.partition(".")[0].partition("@")[0].replace("_", "-")
