"""The README's picture of a round in the terminal: `python -m docs.exchange` draws it again.

The lines typed, the hand and the clock are fixed; everything else is what the bot answers. A test compares.
"""

import asyncio
import io
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.console import fake_telegram
from bot.console.chat import TOKEN, enable_reading_all_messages
from bot.console.conversation import Conversation
from bot.console.screen import PlainOutput, Screen
from bot.games.twentyfour.dealing import build_hand, draw_hand
from bot.i18n import get_words
from bot.queue.pacing import Pace
from bot.service import build_service
from bot.settings import read_settings
from bot.workers.pool import SolverPool

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "exchange.svg"
DEALT = (3, 8, 3, 8)
SAID = (
    (0, "@ann /play"),
    (8, "@bob 8*3-8/3"),
    (6, "@ann /hint"),
    (9, "@bob 8/(3-8/3)"),
    (3, "@ann /leaderboard"),
)
"""Seconds since the line before, and the line."""
START = 1_767_225_600.0
ROW, COLUMN, EDGE = 20, 8.43, 24
"""Height of a line, width of a character and the margin of the picture, in its own units."""


class _OneHand(SolverPool):
    """Deals the hand of the README; nothing in it is worth a process."""

    def __init__(self) -> None:
        """Nothing to start."""

    deadline = 60.0

    async def run_task(self, task: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        return build_hand(DEALT, 24) if task is draw_hand else task(*arguments)

    def close(self) -> None:
        """Nothing to stop."""


async def exchange() -> str:
    """What the terminal shows, with people's lines after a prompt."""
    shown = io.StringIO()
    screen = Screen(PlainOutput(shown), get_words("en"), asyncio.Event())
    telegram = fake_telegram.FakeTelegram(screen)
    with _clock() as clock, tempfile.TemporaryDirectory() as folder:
        settings = read_settings({"DATABASE_URL": f"sqlite:///{folder}/exchange.sqlite3"})
        async with AsyncExitStack() as stack:
            service = await build_service(
                settings,
                telegram,
                stack,
                token=TOKEN,
                pace=Pace(posts_a_minute=10_000, redraw_gap=0.0),
                solver_pool=_OneHand(),
                wall=clock.time,
                pictures=False,
            )
            stack.push_async_callback(service.outbox.close)
            stack.push_async_callback(service.inbox.close)
            await service.services.store.write(enable_reading_all_messages)
            talk = Conversation(service, telegram, screen, "en")
            for pause, line in SAID:
                clock.now += pause
                print(f"> {line}", file=shown)
                await talk.handle_line(line)
    return re.sub("[\u2068\u2069]", "", shown.getvalue()).rstrip() + "\n"


@contextmanager
def _clock() -> Iterator[SimpleNamespace]:
    """The console's clock, to be turned by hand."""
    clock = SimpleNamespace(now=START)
    clock.time = lambda: clock.now
    with mock.patch.object(fake_telegram, "time", clock):
        yield clock


def picture(text: str) -> str:
    """The exchange as an SVG: people's lines stand out, the bot's are plain."""
    lines = text.splitlines()
    width = round(2 * EDGE + COLUMN * max(map(len, lines)))
    height = 2 * EDGE + ROW * len(lines)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="A round of 24 in the terminal">'
        f'<rect width="{width}" height="{height}" rx="12" fill="#f6f4ee"/>'
        '<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#2b2b2b">'
    )
    rows = [_row(EDGE + ROW * (i + 1) - 6, line) for i, line in enumerate(lines) if line]
    return "\n".join([head, *rows, "</g></svg>", ""])


def _row(y: int, line: str) -> str:
    style = ""
    if line.startswith(">"):
        style = ' fill="#0b57a4" font-weight="600"'
    elif line.startswith("—"):
        style = ' fill="#8a8577"'
    return f'<text x="{EDGE}" y="{y}" xml:space="preserve"{style}>{escape(line, quote=False)}</text>'


def main() -> None:
    """Draw the exchange."""
    PICTURE.write_text(picture(asyncio.run(exchange())), "utf-8")


if __name__ == "__main__":
    main()
