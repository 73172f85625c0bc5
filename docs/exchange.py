"""The picture of a round in the terminal, for the README: `python -m docs.exchange` draws it again.

The typed lines, the hand and the clock are fixed; the rest is the bot's output. A test compares
the file with it.
"""

import asyncio
import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from bot.console import fake_telegram
from bot.console.chat import CONSOLE_TOKEN, enable_reading_all_messages
from bot.console.conversation import Conversation
from bot.console.screen import PlainOutput, Screen
from bot.games.countdown.rules import deal_draw, deal_draw_of_level
from bot.games.twentyfour.dealing import build_hand, draw_hand, draw_hand_with_all_ideas
from bot.i18n import get_words
from bot.queue.pacing import Pace
from bot.rounds.puzzle import Puzzle
from bot.service import build_service
from bot.settings import read_settings
from bot.workers.pool import SolverPool

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "exchange.svg"
NUMBERS = (3, 8, 3, 8)
# Seconds since the line before, and the line.
TYPED_LINES = (
    (0, "@ann /play"),
    (8, "@bob 8*3-8/3"),
    (6, "@ann /hint"),
    (9, "@bob 8/(3-8/3)"),
    (3, "@ann /leaderboard"),
)
START = 1_767_225_600.0
# Height of a line, width of a character and margin of the picture, in units of the SVG.
ROW, COLUMN, EDGE = 20, 8.43, 24


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


async def record_exchange(
    typed_lines: Iterable[tuple[float, str]] = TYPED_LINES, puzzle: Puzzle | None = None
) -> str:
    """Return the text on the terminal, with the typed lines after a prompt.

    Each deal is `puzzle`, by default the hand of the README. `![LABEL]` in a typed line presses the latest
    button with that label.
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
                solver_pool=_FixedPool(puzzle or build_hand(NUMBERS, 24)),
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


def draw_exchange(text: str) -> str:
    """Return the exchange as an SVG in which the typed lines stand out."""
    lines = text.splitlines()
    width = round(2 * EDGE + COLUMN * max(map(len, lines)))
    height = 2 * EDGE + ROW * len(lines)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="A round of 24 in the terminal">'
        f'<rect width="{width}" height="{height}" rx="12" fill="#f6f4ee"/>'
        '<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#2b2b2b">'
    )
    rows = [_draw_line(EDGE + ROW * (i + 1) - 6, line) for i, line in enumerate(lines) if line]
    return "\n".join([head, *rows, "</g></svg>", ""])


def _draw_line(y: int, line: str) -> str:
    style = ""
    if line.startswith(">"):
        style = ' fill="#0b57a4" font-weight="600"'
    elif line.startswith("—"):
        style = ' fill="#8a8577"'
    return f'<text x="{EDGE}" y="{y}" xml:space="preserve"{style}>{escape(line, quote=False)}</text>'


def main() -> None:
    PICTURE.write_text(draw_exchange(asyncio.run(record_exchange())), "utf-8")


if __name__ == "__main__":
    main()
