"""How the bot itself stands in a group: asked of Telegram, and remembered for a while."""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from telegram.error import TelegramError

log = logging.getLogger(__name__)

CACHE_TIME = (
    600.0  # Seconds for which an answer is believed; a change that Telegram reports ends that at once
)
RETRY_PAUSE = 30.0  # Seconds until it is asked again where Telegram did not tell
MAX_CHATS = 2_000  # Chats remembered before all are forgotten


@dataclass(frozen=True, slots=True)
class BotPermissions:
    """The bot's own rights in a chat, as far as they matter."""

    is_admin: bool = False
    can_delete: bool = False  # Whether it may delete what others wrote


class BotPermissionCache:
    """Asks `getChatMember` of the bot `me`; `server` names the Bot API server that answers."""

    def __init__(
        self,
        ask: Callable[[str, dict[str, Any]], Awaitable[Any]],
        me: int,
        server: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._me = me
        self.server = server
        self._monotonic = monotonic
        self._known: dict[int, tuple[float, BotPermissions]] = {}

    async def load(self, chat_id: int) -> BotPermissions:
        """How the bot stands there; where Telegram doesn't tell, as one that may do nothing."""
        now = self._monotonic()
        at, known = self._known.get(chat_id, (-CACHE_TIME, BotPermissions()))
        if now - at < CACHE_TIME:
            return known
        try:
            member = await self._ask("getChatMember", {"chat_id": chat_id, "user_id": self._me})
        except TelegramError as error:
            log.info("the bot's rights in a chat can't be looked up: %s", type(error).__name__)
            return self._keep(chat_id, now - CACHE_TIME + RETRY_PAUSE, BotPermissions())
        return self._keep(chat_id, now, _read(member))

    def _keep(self, chat_id: int, at: float, standing: BotPermissions) -> BotPermissions:
        if len(self._known) >= MAX_CHATS:
            self._known.clear()
        self._known[chat_id] = at, standing
        return standing

    def invalidate(self, chat_id: int) -> None:
        """Telegram says that something changed there."""
        self._known.pop(chat_id, None)


def _read(member: Any) -> BotPermissions:
    status = member.get("status") if isinstance(member, dict) else None
    admin = status in ("administrator", "creator")
    return BotPermissions(admin, admin and (status == "creator" or member.get("can_delete_messages") is True))
