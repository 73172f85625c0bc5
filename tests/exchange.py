"""Talk with the bot in the terminal, with fixed hands and a fixed clock, for examples in the manual."""

import asyncio
import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.console import fake_telegram
from bot.console.chat import CONSOLE_TOKEN, enable_reading_all_messages
from bot.console.conversation import Conversation
from bot.console.screen import PlainOutput, Screen
from bot.games.countdown.rules import deal_draw, deal_draw_of_level
from bot.games.twentyfour.dealing import draw_hand, draw_hand_with_all_ideas
from bot.i18n import get_words
from bot.queue.pacing import Pace
from bot.rounds.puzzle import Puzzle
from bot.service import build_service
from bot.settings import read_settings
from bot.workers.pool import SolverPool

START = 1_767_225_600.0
DEALING = (draw_hand, draw_hand_with_all_ideas, deal_draw, deal_draw_of_level)  # Tasks of `SolverPool`


class _FixedPool(SolverPool):
    """A pool without processes that deals one puzzle only."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle

    deadline = 60.0

    async def run_task(self, task: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        return self._puzzle if task in DEALING else task(*arguments)

    def close(self) -> None:
        pass


async def record_exchange(typed_lines: Iterable[tuple[float, str]], puzzle: Puzzle) -> str:
    """Return the text on the terminal, with the typed lines after a prompt.

    A typed line stands behind the seconds since the one before. Each deal is `puzzle`. `![LABEL]` in a
    typed line presses the latest button with that label.
    """
    output = io.StringIO()
    screen = Screen(PlainOutput(output), get_words("en"), asyncio.Event())
    telegram = fake_telegram.FakeTelegram(screen)
    with _patch_clock() as clock, tempfile.TemporaryDirectory() as folder:
        settings = read_settings({"DATABASE_URL": f"sqlite:///{folder}/exchange.sqlite3"})
        async with AsyncExitStack() as stack:
            service = await build_service(
                settings,
                telegram,
                stack,
                token=CONSOLE_TOKEN,
                pace=Pace(posts_a_minute=10_000, redraw_gap=0.0),
                solver_pool=_FixedPool(puzzle),
                wall=clock.time,
                pictures=False,
            )
            stack.push_async_callback(service.outbox.close)
            stack.push_async_callback(service.inbox.close)
            await service.services.store.write(enable_reading_all_messages)
            talk = Conversation(service, telegram, screen, "en", lambda _user, _is_private: "")
            for pause, line in typed_lines:
                clock.now += pause
                print(f"> {line}", file=output)
                await talk.handle_line(_resolve_button(line, output.getvalue()))
    return re.sub("[\u2068\u2069]", "", output.getvalue()).rstrip() + "\n"


def _resolve_button(line: str, shown: str) -> str:
    """Replace a button's label in `line` by the number of the latest button with that label in `shown`."""
    speaker, press, label = line.partition("![")
    if not press:
        return line
    numbers = re.findall(rf"\[!(\d+)\] {re.escape(label[:-1])}(?=   |\n)", shown)
    return f"{speaker}!{numbers[-1]}"


@contextmanager
def _patch_clock() -> Iterator[SimpleNamespace]:
    """Replace the console's clock by one that the caller sets."""
    clock = SimpleNamespace(now=START)
    clock.time = lambda: clock.now
    with mock.patch.object(fake_telegram, "time", clock):
        yield clock
