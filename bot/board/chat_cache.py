"""Ask Telegram who is in a group and what it is called, and remember that for a while."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from telegram import Bot
from telegram.error import BadRequest, Forbidden, TelegramError

from bot.board.rules import Place
from bot.database import Store
from bot.rounds import answer_links
from bot.telegram.api import is_refusal
from bot.telegram.context import is_in_chat
from bot.web.server import make_retry_after_header

log = logging.getLogger(__name__)


class Membership(NamedTuple):
    """Whether a person is in a group, as far as is known."""

    is_member: bool | None  # None where nobody knows, and Telegram may tell yet
    expires_at: float  # when Telegram is asked anew
    is_confirmed: bool  # whether Telegram ever said so; else it is a guess


MEMBER_SECONDS = 60.0  # seconds for which it is remembered that somebody is a member
NON_MEMBER_SECONDS = 10.0  # seconds for which it is remembered that somebody is none: they may join
UNCONFIRMED_SECONDS = 5.0  # seconds after which Telegram is asked again where it did not tell
MAX_MEMBERSHIPS = 10_000  # people in groups that are remembered


TELEGRAM_TIMEOUT = 5.0  # seconds for Telegram to answer


class MembershipCache:
    """Whether people are in groups; `monotonic` is the clock."""

    def __init__(self, bot: Bot, store: Store, monotonic: Callable[[], float]) -> None:
        self._bot, self._store, self._monotonic = bot, store, monotonic
        self._known = OrderedDict[tuple[int, int], Membership]()
        # Questions that are under way: whoever wants to know the same waits for the same answer.
        self._asked = dict[tuple[int, int], asyncio.Task[None]]()

    async def is_member(self, chat_id: int, player_id: int) -> bool:
        """Whether the person is a member; a private chat has its own person alone.

        Raises HTTPException 503 if that is not known now, but may be later.
        """
        if chat_id > 0:
            return chat_id == player_id
        key = chat_id, player_id
        while (known := self._known.get(key)) is None or self._monotonic() >= known.expires_at:
            if key not in self._asked:
                self._asked[key] = asyncio.create_task(self._ask(chat_id, player_id))
            await asyncio.shield(self._asked[key])
        if known.is_member is None:
            raise HTTPException(503, headers=make_retry_after_header(UNCONFIRMED_SECONDS))
        return known.is_member

    def forget_member(self, chat_id: int, player_id: int) -> None:
        """Forget what is known of a person who left the group, and the answer to a question under way."""
        self._known.pop((chat_id, player_id), None)
        self._asked.pop((chat_id, player_id), None)

    async def _ask(self, chat_id: int, player_id: int) -> None:
        key, own = (chat_id, player_id), asyncio.current_task()
        try:
            known = await self._ask_telegram(chat_id, player_id)
            if self._asked.get(key) is own:
                self._known[key] = known
                self._known.move_to_end(key)
        finally:
            if self._asked.get(key) is own:
                del self._asked[key]
        while len(self._known) > MAX_MEMBERSHIPS:
            self._known.popitem(last=False)

    async def _ask_telegram(self, chat_id: int, player_id: int) -> Membership:
        """Ask Telegram for the membership; guess it if there is no answer."""
        try:
            async with asyncio.timeout(TELEGRAM_TIMEOUT):
                found = is_in_chat(await self._bot.get_chat_member(chat_id, player_id))
        except (TelegramError, TimeoutError) as error:
            for_good = is_refusal(error)
            if not (for_good and _is_unknown(error)):
                log.info("who is in a chat can't be looked up: %s", type(error).__name__)
                return await self._guess(chat_id, player_id, for_good=for_good)
            found = False
        return Membership(
            found, self._monotonic() + (MEMBER_SECONDS if found else NON_MEMBER_SECONDS), is_confirmed=True
        )

    async def _guess(self, chat_id: int, player_id: int, *, for_good: bool) -> Membership:
        """Return what Telegram said last, else whether the person has played there.

        That is a guess: who was thrown out has played there, too. Of anybody else nothing is known, unless
        Telegram refuses `for_good`: then they count as no members.
        """
        until = self._monotonic() + UNCONFIRMED_SECONDS
        known = self._known.get((chat_id, player_id))
        if known and known.is_confirmed:
            return Membership(known.is_member, until, is_confirmed=True)
        seen = await self._store.read(lambda tx: answer_links.has_answered_in_chat(tx, player_id, chat_id))
        return Membership(seen or (False if for_good else None), until, is_confirmed=False)


# What it says of who is in no group that the bot is in. Other refusals tell nothing of the person, such as
# that of a group which shows its members to admins alone.
NOBODY = ("chat not found", "user not found", "member not found", "participant_id_invalid")


def _is_unknown(error: Exception) -> bool:
    said = error.message.lower() if isinstance(error, BadRequest) else ""
    return isinstance(error, Forbidden) or any(one in said for one in NOBODY)


TITLE_SECONDS = 600.0  # seconds for which a title is remembered: a group seldom gets another
UNKNOWN_TITLE_SECONDS = 60.0  # seconds for which it is remembered that Telegram did not say
MAX_TITLES = 1000  # groups of which it is remembered
AskTelegram = Callable[[str, dict[str, Any]], Awaitable[Any]]  # asks Telegram: by a method and its parameters


class TitleCache:
    """Titles of groups; `monotonic` is the clock."""

    def __init__(self, ask: AskTelegram, monotonic: Callable[[], float]) -> None:
        self._ask, self._monotonic = ask, monotonic
        self._known = OrderedDict[int, tuple[str, float]]()

    def get_cached_title(self, place: Place) -> str:
        """Return the title as far as it is known now; empty in private, and for whoever only watches."""
        return "" if self._is_secret(place) else self._known.get(place.chat_id, ("", 0.0))[0]

    async def fetch_title(self, place: Place) -> str:
        """Return the title, asking Telegram if it is not known; empty as in `find_known`."""
        if self._is_secret(place):
            return ""
        title, until = self._known.get(place.chat_id, ("", 0.0))
        if self._monotonic() < until:
            return title
        found = await self._ask_telegram(place.chat_id)
        lasts = UNKNOWN_TITLE_SECONDS if found is None else TITLE_SECONDS
        self._known[place.chat_id] = title if found is None else found, self._monotonic() + lasts
        self._known.move_to_end(place.chat_id)
        while len(self._known) > MAX_TITLES:
            self._known.popitem(last=False)
        return self._known[place.chat_id][0]

    def _is_secret(self, place: Place) -> bool:
        """Whether no title is shown: a link to watch may lead anybody there."""
        return place.chat_id > 0 or place.watch_only

    async def _ask_telegram(self, chat_id: int) -> str | None:
        """Return the title; None if Telegram does not answer."""
        try:
            async with asyncio.timeout(TELEGRAM_TIMEOUT):
                found = await self._ask("getChat", {"chat_id": chat_id})
        except (TelegramError, TimeoutError) as error:
            log.info("what a group is called can't be looked up: %s", type(error).__name__)
            return None
        title = found.get("title") if isinstance(found, dict) else None
        return title if isinstance(title, str) else ""
