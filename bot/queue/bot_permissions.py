"""Asks Telegram for the bot's own permissions in a group, and remembers them for a while."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from telegram.error import TelegramError

log = logging.getLogger(__name__)

CACHE_TIME = 600.0  # Seconds for which an answer is believed, unless Telegram reports a change
RETRY_PAUSE = 30.0  # Seconds after an error until Telegram is asked again
MAX_CHATS = 2_000  # Chats remembered; beyond that all are forgotten


@dataclass(frozen=True, slots=True)
class BotPermissions:
    is_admin: bool = False
    can_delete: bool = False  # It may delete other people's messages


class BotPermissionCache:
    """Caches `getChatMember` of the bot. `server` names the Bot API server that answers."""

    def __init__(
        self,
        call: Callable[[str, dict[str, Any]], Awaitable[Any]],
        bot_id: int,
        server: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._call = call
        self._bot_id = bot_id
        self.server = server
        self._monotonic = monotonic
        self._cached: dict[int, tuple[float, BotPermissions]] = {}  # With the time until they are believed

    async def load(self, chat_id: int) -> BotPermissions:
        """Return the bot's permissions, cached or from Telegram.

        No permission if Telegram doesn't answer, which is asked again after `RETRY_PAUSE`.
        """
        now = self._monotonic()
        valid_until, permissions = self._cached.get(chat_id, (now, BotPermissions()))
        if now < valid_until:
            return permissions
        try:
            permissions = await self._ask_telegram(chat_id)
            valid_until = now + CACHE_TIME
        except TelegramError as error:
            log.info("the bot's rights in a chat can't be loaded: %s", type(error).__name__)
            permissions = BotPermissions()
            valid_until = now + RETRY_PAUSE
        if len(self._cached) >= MAX_CHATS:
            self._cached.clear()
        self._cached[chat_id] = valid_until, permissions
        return permissions

    async def _ask_telegram(self, chat_id: int) -> BotPermissions:
        """Return the bot's permissions by `getChatMember`. Raises TelegramError."""
        member = await self._call("getChatMember", {"chat_id": chat_id, "user_id": self._bot_id})
        status = member.get("status")
        is_admin = status in ("administrator", "creator")
        may_delete = status == "creator" or member.get("can_delete_messages") is True
        return BotPermissions(is_admin, can_delete=is_admin and may_delete)

    def invalidate(self, chat_id: int) -> None:
        """Ask Telegram again next time, since something has changed in the chat."""
        self._cached.pop(chat_id, None)
