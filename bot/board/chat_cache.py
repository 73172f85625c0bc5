"""Ask Telegram for members and titles of groups, and remember the answers for a while."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from telegram import Bot
from telegram.error import BadRequest, Forbidden, TelegramError

from bot.board.rules import Place
from bot.database import Store
from bot.queue.refusals import is_refusal
from bot.rounds import ledger
from bot.telegram.context import is_in_chat
from bot.web.server import make_retry_after_header

log = logging.getLogger(__name__)

TELEGRAM_TIMEOUT = 5.0  # seconds


class Membership(NamedTuple):
    is_member: bool | None  # None if it is unknown, and Telegram may answer later
    expires_at: float  # when Telegram is asked again


MEMBER_SECONDS = 60.0
NON_MEMBER_SECONDS = 10.0  # shorter: the player may join
UNCONFIRMED_SECONDS = 5.0
MAX_MEMBERSHIPS = 10_000  # beyond which all are forgotten
# Other refusals say nothing about the player: a group may show its members to admins alone.
NO_MEMBER_MESSAGES = ("chat not found", "user not found", "member not found", "participant_id_invalid")


class MembershipCache:
    """Remembers who is a member of which group; `monotonic` is the clock."""

    def __init__(self, bot: Bot, store: Store, monotonic: Callable[[], float]) -> None:
        self._bot = bot
        self._store = store
        self._monotonic = monotonic
        self._memberships = dict[tuple[int, int], Membership]()

    async def is_member(self, chat_id: int, player_id: int) -> bool:
        """Whether the player is in the chat. Raises HTTPException 503 if that can't be known or guessed."""
        if chat_id > 0:  # a private chat
            return chat_id == player_id
        membership = self._memberships.get((chat_id, player_id))
        if membership is None or self._monotonic() >= membership.expires_at:
            membership = await self._fetch_membership(chat_id, player_id)
            if len(self._memberships) >= MAX_MEMBERSHIPS:
                self._memberships.clear()  # simpler than finding the expired ones
            self._memberships[chat_id, player_id] = membership
        if membership.is_member is None:  # it is unknown
            raise HTTPException(503, headers=make_retry_after_header(UNCONFIRMED_SECONDS))
        return membership.is_member

    def forget_member(self, chat_id: int, player_id: int) -> None:
        self._memberships.pop((chat_id, player_id), None)

    async def _fetch_membership(self, chat_id: int, player_id: int) -> Membership:
        """Ask Telegram for the membership; guess it if no answer comes, or one that does not tell it.

        An error that means that the player is not in the chat is an answer.
        """
        try:
            async with asyncio.timeout(TELEGRAM_TIMEOUT):
                member = await self._bot.get_chat_member(chat_id, player_id)
            is_member = is_in_chat(member)
        except (TelegramError, TimeoutError) as error:
            if not _says_no_member(error):
                log.info("a chat's members can't be loaded: %s", type(error).__name__)
                return await self._guess_membership(chat_id, player_id, is_refused=is_refusal(error))
            is_member = False
        seconds = MEMBER_SECONDS if is_member else NON_MEMBER_SECONDS
        return Membership(is_member, self._monotonic() + seconds)

    async def _guess_membership(self, chat_id: int, player_id: int, *, is_refused: bool) -> Membership:
        """Return what is known of the player for a short time more, else a guess.

        Who has played in the group counts as a member. For others it is unknown; if Telegram refused to
        answer (`is_refused`), they count as no members.
        """
        last = self._memberships.get((chat_id, player_id))
        is_member = last.is_member if last else None
        if is_member is None:
            has_played = await self._store.read(
                lambda tx: ledger.has_answered_in_chat(tx, player_id, chat_id)
            )
            if has_played:
                is_member = True
            elif is_refused:
                is_member = False  # else unknown: Telegram may answer later
        return Membership(is_member, self._monotonic() + UNCONFIRMED_SECONDS)


def _says_no_member(error: Exception) -> bool:
    """Whether Telegram's error means that the player, or the bot itself, is not in the chat."""
    if not is_refusal(error):
        return False
    if isinstance(error, Forbidden):  # the bot is not in the chat
        return True
    message = error.message.lower() if isinstance(error, BadRequest) else ""
    return any(part in message for part in NO_MEMBER_MESSAGES)


TITLE_SECONDS = 300.0  # until Telegram is asked again, also after a failure


class TitleCache:
    """Remembers the titles of groups; `call_api` calls a method of Telegram, `monotonic` is the clock."""

    def __init__(
        self, call_api: Callable[[str, dict[str, Any]], Awaitable[Any]], monotonic: Callable[[], float]
    ) -> None:
        self._call_api = call_api
        self._monotonic = monotonic
        self._titles = dict[int, tuple[str, float]]()  # by chat: title, and when it expires

    async def fetch_title(self, place: Place) -> str:
        """Return the title, asking Telegram again after it expires; the last known one if that fails.

        Empty in private chats, for spectators, who may be anybody, and if no title is known.
        """
        if place.chat_id > 0 or place.watch_only:
            return ""
        title, expires_at = self._titles.get(place.chat_id, ("", 0.0))
        if self._monotonic() < expires_at:
            return title
        try:
            async with asyncio.timeout(TELEGRAM_TIMEOUT):
                chat = await self._call_api("getChat", {"chat_id": place.chat_id})
            title = str(chat.get("title", ""))
        except (TelegramError, TimeoutError) as error:
            log.info("a group's title can't be loaded: %s", type(error).__name__)
        self._titles[place.chat_id] = title, self._monotonic() + TITLE_SECONDS
        return title
