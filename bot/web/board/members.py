"""Who may sit at a group's table: its members, asked of Telegram, remembered for a minute."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable

from telegram import Bot
from telegram.error import TelegramError

from bot.database import Store
from bot.games.rounds import doors
from bot.telegram.context import is_present

log = logging.getLogger(__name__)

KNOWN = 60.0
"""Seconds for which it is remembered that somebody is a member."""
REFUSED = 10.0
"""Seconds for which it is remembered that somebody is none: they may join."""
MOST = 10_000
"""People in groups that are remembered."""
PATIENCE = 5.0
"""Seconds for Telegram to answer."""


class Members:
    """Whether people are in groups; `monotonic` is the clock."""

    def __init__(self, bot: Bot, store: Store, monotonic: Callable[[], float]) -> None:
        self._bot, self._store, self._monotonic = bot, store, monotonic
        self._known = OrderedDict[tuple[int, int], tuple[bool, float]]()
        self._asked = dict[tuple[int, int], asyncio.Task[bool]]()
        """Questions that are under way: whoever wants to know the same waits for the same answer."""

    async def has(self, chat_id: int, player_id: int) -> bool:
        """Whether the person may sit there: in their own private chat, or in a group of theirs."""
        if chat_id > 0:
            return chat_id == player_id
        key = chat_id, player_id
        found, until = self._known.get(key, (False, 0.0))
        if self._monotonic() < until:
            return found
        if key not in self._asked:
            self._asked[key] = asyncio.create_task(self._ask(chat_id, player_id))
        return await asyncio.shield(self._asked[key])

    async def _ask(self, chat_id: int, player_id: int) -> bool:
        key = chat_id, player_id
        try:
            found = await self._looked_up(chat_id, player_id)
            self._known[key] = found, self._monotonic() + (KNOWN if found else REFUSED)
            self._known.move_to_end(key)
        finally:
            del self._asked[key]
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found

    async def _looked_up(self, chat_id: int, player_id: int) -> bool:
        """By what Telegram says, or where it doesn't, by whether they were seen there."""
        try:
            async with asyncio.timeout(PATIENCE):
                return is_present(await self._bot.get_chat_member(chat_id, player_id))
        except (TelegramError, TimeoutError) as error:
            log.info("who is in a chat can't be looked up: %s", type(error).__name__)
            return await self._store.read(lambda tx: doors.played_there(tx, player_id, chat_id))
