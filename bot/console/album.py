"""The pictures of what the chat shows, kept as files: `python -m bot --pictures DIR`.

They are drawn by a worker and written in a thread, one after the other. A message that changes has another
picture only where there is something else to see.
"""

import asyncio
import logging
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from bot import logs
from bot.console.pictured import Pictured
from bot.console.screen import Screen
from bot.pictures.drawing import draw
from bot.pictures.values import Picture
from bot.workers.pool import Pool, SolvingError

log = logging.getLogger(__name__)

NUMBERED = re.compile(r"([0-9]{4,9})-[a-z]+\.png")

Message: TypeAlias = dict[str, Any]
"""A message as Telegram describes it."""
Look: TypeAlias = Callable[[Message], Awaitable[Pictured | None]]
"""Says which picture a message has by now."""


class FolderError(Exception):
    """Pictures can't be kept there; the message is one line."""


class Folder:
    """Where pictures are kept, in the order of their names; numbered on from those that are there."""

    def __init__(self, path: Path) -> None:
        """Make the folder if there is none. Raises FolderError where nothing can be written."""
        self._path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                names = [found[1] for each in path.iterdir() if (found := NUMBERED.fullmatch(each.name))]
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise FolderError(f"--pictures: {path} can't be used: {why}") from None
        self._last = max(map(int, names), default=0)

    def keep(self, kind: str, png: bytes) -> Path:
        """Write a picture under the next number; returns where it is. Raises OSError."""
        while True:
            self._last += 1
            path = self._path / f"{self._last:04}-{kind}.png"
            try:
                with path.open("xb") as file:
                    file.write(png)
            except FileExistsError:  # of another chat that writes here
                continue
            return path


class Album:
    """Sees what is shown, and keeps its pictures."""

    def __init__(self, folder: Folder, screen: Screen, pool: Pool, look: Look) -> None:
        self._folder = folder
        self._screen = screen
        self._pool = pool
        self._look = look
        self._waiting: asyncio.Queue[Message] = asyncio.Queue()
        self._kept: dict[int, Picture] = {}
        """By message."""

    def shown(self, message: Message) -> None:
        """A message was shown or changed."""
        self._waiting.put_nowait(message)

    async def run(self) -> None:
        """Keep one picture after the other, for as long as the chat goes on."""
        while True:
            message = await self._waiting.get()
            try:
                await self._keep(message)
            except Exception as error:  # noqa: BLE001 - the chat goes on without that picture
                logs.unforeseen(log, "a picture is left out", error)
            finally:
                self._waiting.task_done()

    async def idle(self) -> None:
        """Wait until the pictures of all that was shown are kept."""
        await self._waiting.join()

    async def _keep(self, message: Message) -> None:
        found, number = await self._look(message), int(message["message_id"])
        if found is None or self._kept.get(number) == found.picture:
            return
        try:
            png = await self._pool.ask(draw, found.picture, found.language)
            path = await asyncio.to_thread(self._folder.keep, found.kind, png)
        except (SolvingError, OSError) as error:
            log.warning("a picture is left out: %s", error)
            return
        self._kept[number] = found.picture
        self._screen.show(f"🖼 {path}\n")
