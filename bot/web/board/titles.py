"""What groups are called, for the pages of those who sit there: asked of Telegram, and kept nowhere else."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from telegram.error import TelegramError

from bot.games.board.rules import Place

log = logging.getLogger(__name__)

KNOWN = 600.0
"""Seconds for which a title is remembered: a group seldom gets another."""
UNKNOWN = 60.0
"""Seconds for which it is remembered that Telegram did not say."""
MOST = 1000
"""Groups of which it is remembered."""
PATIENCE = 5.0
"""Seconds for Telegram to answer."""


Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Asks Telegram: by a method and its parameters."""


class Titles:
    """Titles of groups; `monotonic` is the clock."""

    def __init__(self, ask: Ask, monotonic: Callable[[], float]) -> None:
        self._ask, self._monotonic = ask, monotonic
        self._known = OrderedDict[int, tuple[str, float]]()

    def known(self, place: Place) -> str:
        """As far as it is known at this moment; empty in private, and for whoever only watches."""
        return "" if self._untold(place) else self._known.get(place.chat_id, ("", 0.0))[0]

    async def of(self, place: Place) -> str:
        """The same, asked for where it is not known."""
        if self._untold(place):
            return ""
        title, until = self._known.get(place.chat_id, ("", 0.0))
        if self._monotonic() < until:
            return title
        found = await self._asked(place.chat_id)
        lasts = UNKNOWN if found is None else KNOWN
        self._known[place.chat_id] = title if found is None else found, self._monotonic() + lasts
        self._known.move_to_end(place.chat_id)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return self._known[place.chat_id][0]

    def _untold(self, place: Place) -> bool:
        """A link to watch may lead anybody there, who need not learn whose hand it is."""
        return place.chat_id > 0 or place.watches

    async def _asked(self, chat_id: int) -> str | None:
        """What Telegram says; None where it does not."""
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._ask("getChat", {"chat_id": chat_id})
        except (TelegramError, TimeoutError) as error:
            log.info("what a group is called can't be looked up: %s", type(error).__name__)
            return None
        title = found.get("title") if isinstance(found, dict) else None
        return title if isinstance(title, str) else ""
