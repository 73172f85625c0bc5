"""The lines that people type, or that come in by a pipe."""

import sys
from collections.abc import AsyncIterator

from bot.console.streams import Lines
from bot.settings import Settings, SettingsError

NOBODY = (
    "BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather"
    " (not set at all, a chat opens in the terminal)"
)
AT_ONCE = 1.0
"""Seconds within which a file or a closed pipe shows that nobody is there."""
PATIENCE = 20.0
"""Seconds without a first line after which a pipe that stays open counts as nobody."""


async def heard(settings: Settings) -> AsyncIterator[str]:
    """The lines to come, from a terminal or a pipe.

    Raises SettingsError where BOT_TOKEN was left empty and nobody is there to type: a service is not to sit
    and wait for lines that never come.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _typed()
    lines = Lines(sys.stdin)
    if not settings.token_left_empty or sys.stdin.isatty():
        return _piped(lines, None)
    try:
        first = await lines.next(AT_ONCE)
    except TimeoutError:
        return _piped(lines, PATIENCE)
    if first is None:
        raise SettingsError(NOBODY)
    return _piped(lines, None, first)


async def _piped(lines: Lines, patience: float | None, first: str | None = None) -> AsyncIterator[str]:
    """Lines from a pipe; the first must come within `patience` seconds, if there is such a limit."""
    try:
        line = first if first is not None else await lines.next(patience)
    except TimeoutError:
        line = None
    if line is None and patience is not None:
        raise SettingsError(NOBODY)
    while line is not None:
        yield line
        line = await lines.next()


async def _typed() -> AsyncIterator[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    session: PromptSession[str] = PromptSession("> ")
    with patch_stdout(raw=True):
        while True:
            try:
                yield await session.prompt_async()
            except (EOFError, KeyboardInterrupt):
                return
