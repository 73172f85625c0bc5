"""Who may sit at a group's table: its members, asked of Telegram, remembered for a minute."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from starlette.exceptions import HTTPException
from telegram import Bot
from telegram.error import BadRequest, Forbidden, TelegramError

from bot.database import Store
from bot.games.rounds import doors
from bot.telegram.api import refused
from bot.telegram.context import is_present
from bot.web.board.limits import retry_after

log = logging.getLogger(__name__)

KNOWN = 60.0
"""Seconds for which it is remembered that somebody is a member."""
REFUSED = 10.0
"""Seconds for which it is remembered that somebody is none: they may join."""
UNTOLD = 5.0
"""Seconds after which Telegram is asked again where it did not tell."""
MOST = 10_000
"""People in groups that are remembered."""
PATIENCE = 5.0
"""Seconds for Telegram to answer."""
NOBODY = ("chat not found", "user not found", "member not found", "participant_id_invalid")
"""What it says of who is in no group that the bot is in. Other refusals tell nothing of the person, such as
that of a group which shows its members to admins alone.
"""


class Known(NamedTuple):
    """What is known of a person in a group."""

    found: bool | None
    """None where nobody knows, and Telegram may tell yet."""
    until: float
    """When Telegram is asked anew."""
    told: bool
    """Whether Telegram ever said so; else it is a guess."""


class Members:
    """Whether people are in groups; `monotonic` is the clock."""

    def __init__(self, bot: Bot, store: Store, monotonic: Callable[[], float]) -> None:
        self._bot, self._store, self._monotonic = bot, store, monotonic
        self._known = OrderedDict[tuple[int, int], Known]()
        self._asked = dict[tuple[int, int], asyncio.Task[None]]()
        """Questions that are under way: whoever wants to know the same waits for the same answer."""

    async def has(self, chat_id: int, player_id: int) -> bool:
        """Whether the person may sit there: in their own private chat, or in a group of theirs.

        Raises HTTPException: 503 where that is not known now, but may be later.
        """
        if chat_id > 0:
            return chat_id == player_id
        key = chat_id, player_id
        while (known := self._known.get(key)) is None or self._monotonic() >= known.until:
            if key not in self._asked:
                self._asked[key] = asyncio.create_task(self._ask(chat_id, player_id))
            await asyncio.shield(self._asked[key])
        if known.found is None:
            raise HTTPException(503, headers=retry_after(UNTOLD))
        return known.found

    def left(self, chat_id: int, player_id: int) -> None:
        """The person has left the group, or was thrown out: what was known of them there counts no more, and
        neither does the answer to a question from before that.
        """
        self._known.pop((chat_id, player_id), None)
        self._asked.pop((chat_id, player_id), None)

    async def _ask(self, chat_id: int, player_id: int) -> None:
        key, own = (chat_id, player_id), asyncio.current_task()
        try:
            known = await self._told(chat_id, player_id)
            if self._asked.get(key) is own:
                self._known[key] = known
                self._known.move_to_end(key)
        finally:
            if self._asked.get(key) is own:
                del self._asked[key]
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    async def _told(self, chat_id: int, player_id: int) -> Known:
        """What Telegram says; what can be guessed where it doesn't."""
        try:
            async with asyncio.timeout(PATIENCE):
                found = is_present(await self._bot.get_chat_member(chat_id, player_id))
        except (TelegramError, TimeoutError) as error:
            for_good = refused(error)
            if not (for_good and _of_nobody(error)):
                log.info("who is in a chat can't be looked up: %s", type(error).__name__)
                return await self._guessed(chat_id, player_id, for_good=for_good)
            found = False
        return Known(found, self._monotonic() + (KNOWN if found else REFUSED), told=True)

    async def _guessed(self, chat_id: int, player_id: int, *, for_good: bool) -> Known:
        """What Telegram said last. Where it never did, whoever was seen there is a member: a guess, since who
        was thrown out was seen too. Of anybody else nothing is known; they are none where it won't tell ever.
        """
        until = self._monotonic() + UNTOLD
        known = self._known.get((chat_id, player_id))
        if known and known.told:
            return Known(known.found, until, told=True)
        seen = await self._store.read(lambda tx: doors.played_there(tx, player_id, chat_id))
        return Known(seen or (False if for_good else None), until, told=False)


def _of_nobody(error: Exception) -> bool:
    said = error.message.lower() if isinstance(error, BadRequest) else ""
    return isinstance(error, Forbidden) or any(one in said for one in NOBODY)
