"""Run the bot in a terminal: the same service and database, with a screen in Telegram's place."""

import asyncio
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from telegram.request import BaseRequest

from bot import logs
from bot.console import local_board
from bot.console.conversation import Conversation
from bot.console.fake_telegram import GROUP_ID, FakeTelegram
from bot.console.screen import PLAIN_TERMINALS, PlainOutput, Screen
from bot.console.streams import BROKEN_PIPE_EXIT_CODE, OutputError, drop_output, open_input
from bot.database import AccessMode, Tx
from bot.i18n import SOURCE_LANGUAGE, Words, choose_language, get_words
from bot.players import preferences as preferences
from bot.players import queries as people
from bot.queue.pacing import Pace
from bot.queue.updates import Watermark
from bot.service import Service, build_service
from bot.settings import Settings
from bot.supervision import run_unless_stopped, schedule_forced_exit

CONSOLE_TOKEN = "24:console"  # noqa: S105 - never leaves the process


async def run_console(settings: Settings, lines: AsyncIterator[str] | None = None) -> int:
    """Chat until the end of input or a signal, and return the exit code.

    `lines` replace standard input. Raises SettingsError as `open_input` does, and OutputError.
    """
    tag = detect_language(os.environ)
    speech = get_words(choose_language(tag))
    stopped = asyncio.Event()
    output, read_lines = await _open_terminal(settings, speech, stopped, lines)
    screen = Screen(output, speech, stopped)
    async with AsyncExitStack() as stack:
        stack.enter_context(_stop_on_signals(stopped))
        stack.enter_context(output.open())
        # The default, INFO, would mix the log of each step into the chat.
        log_level = "WARNING" if settings.log_level == "INFO" else settings.log_level
        logs.configure_logging(log_level, settings.secrets)
        conversation = await _open_conversation(settings, screen, stack, tag)
        typed_lines = read_lines(conversation.get_prompt, conversation.get_completions)
        await run_unless_stopped(stopped, conversation.run(typed_lines))
    if screen.error is None:
        return 0
    drop_output()
    if isinstance(screen.error, BrokenPipeError):
        return BROKEN_PIPE_EXIT_CODE
    raise OutputError(screen.error)


# Takes functions that return the prompt, and the words that can be completed.
LineReader = Callable[[Callable[[], str], Callable[[], Mapping[str, str]]], AsyncIterator[str]]


async def _open_terminal(
    settings: Settings, speech: Words, stopped: asyncio.Event, lines: AsyncIterator[str] | None
) -> tuple[PlainOutput, LineReader]:
    """Return the output, and a function that yields lines; both edit lines if a person types.

    `lines` replace standard input. Raises SettingsError as `open_input` does.
    """
    is_plain = lines is not None or os.environ.get("TERM", "") in PLAIN_TERMINALS
    if not is_plain and sys.stdin.isatty() and sys.stdout.isatty():
        from bot.console.terminal import Terminal  # here: a service doesn't need prompt_toolkit

        leave_hint = speech.translate_plain("Ctrl-C once more on an empty line leaves; so does Ctrl-D.")
        terminal = Terminal(sys.stdin, sys.stdout, stopped, leave_hint)
        return terminal, terminal.read_lines
    piped_lines = lines or await open_input(settings)
    return PlainOutput(sys.stdout), lambda _prompt, _completions: piped_lines


@contextmanager
def _stop_on_signals(stopped: asyncio.Event) -> Iterator[None]:
    """Let SIGTERM and SIGHUP set `stopped`, and end the process if that takes too long."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stopped.set()
        schedule_forced_exit(code=0)

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
    """Start the service, its timers and the board; `stack` closes all of it."""
    telegram = FakeTelegram(screen)
    service = await build_offline_service(settings, telegram, stack)
    store = service.services.store
    telegram.next_id = await store.write(_reserve_ids)
    stack.push_async_callback(  # the reserved ids that were not used may be used by the next run
        lambda: store.write(lambda tx: people.store_fact(tx, NEXT_ID, str(telegram.next_id)))
    )
    await store.write(enable_reading_all_messages)
    run_offline_service(service, stack)
    board = await local_board.open_board(service, GROUP_ID)
    stack.push_async_callback(board.close)
    return Conversation(service, telegram, screen, language, board.make_link)


async def build_offline_service(settings: Settings, telegram: BaseRequest, stack: AsyncExitStack) -> Service:
    """Build a service whose messages go to `telegram`, which takes the real one's place."""
    pace = Pace(posts_a_minute=10_000, redraw_gap=0.0)  # nobody sets limits here
    service = await build_service(
        settings, telegram, stack, token=CONSOLE_TOKEN, pace=pace, pictures=False, mode=AccessMode.EXCLUSIVE
    )
    service.inbox.watermark = Watermark(math.inf)  # nothing is ever on its way
    service.inbox.watermark.is_compared = True  # there is no other clock to compare with
    return service


def run_offline_service(service: Service, stack: AsyncExitStack) -> None:
    """Start the timers; `stack` closes all that was started."""
    stack.push_async_callback(_cancel_and_wait, asyncio.create_task(service.timers.run()))
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)


def enable_reading_all_messages(tx: Tx) -> None:
    """Store in the group's settings that the bot reads every line, as without privacy mode."""
    people.load_or_insert_chat(tx, GROUP_ID, "group")
    people.store_setting(tx, GROUP_ID, preferences.HEARS_ALL_KEY, value=True)


NEXT_ID = "console.next"  # the key of the next message id
RESERVED_IDS = 100_000  # reserved at the start, so that no id is used twice even after a kill


def _reserve_ids(tx: Tx) -> int:
    """Return the first message id for this run, and reserve some behind it."""
    first_id = int(people.load_fact(tx, NEXT_ID) or 1)
    people.store_fact(tx, NEXT_ID, str(first_id + RESERVED_IDS))
    return first_id


async def _cancel_and_wait(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


NO_LANGUAGE_TAGS = {"", "C", "POSIX"}  # locales without a language


def detect_language(environment: Mapping[str, str]) -> str:
    """Return the language that gettext would choose among the bot's, as a tag; English if none is set.

    LC_ALL overrides LC_MESSAGES, and that LANG; LANGUAGE, a list in order of preference, overrides all of
    them unless they ask for no language.
    """
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG", "")
    tag = _make_language_tag(locale)
    if tag in NO_LANGUAGE_TAGS:
        return SOURCE_LANGUAGE
    preferred = map(_make_language_tag, environment.get("LANGUAGE", "").split(":"))
    return next(filter(_is_spoken, preferred), tag)


def _make_language_tag(locale: str) -> str:
    """Return a locale such as zh_CN.UTF-8@stroke as a tag, zh-CN."""
    return locale.partition(".")[0].partition("@")[0].replace("_", "-")


def _is_spoken(tag: str) -> bool:
    # English is also chosen for languages that the bot does not speak, and for no language.
    return tag[:2].lower() == "en" or choose_language(tag) != SOURCE_LANGUAGE
