"""The bot's permissions in a group are read from Telegram and cached."""

from typing import Any

import pytest
from telegram.error import NetworkError

from bot.queue.bot_permissions import CACHE_TIME, MAX_CHATS, RETRY_PAUSE, BotPermissionCache, BotPermissions


class Telegram:
    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[dict[str, Any]] = []
        self.now = 0.0
        self.permissions = BotPermissionCache(self._answer, 99, "server", lambda: self.now)

    async def _answer(self, method: str, parameters: dict[str, Any]) -> Any:
        assert method == "getChatMember"
        self.calls.append(parameters)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ({"status": "administrator", "can_delete_messages": True}, BotPermissions(True, True)),
        ({"status": "administrator", "can_delete_messages": False}, BotPermissions(True, False)),
        ({"status": "administrator"}, BotPermissions(True, False)),
        ({"status": "creator"}, BotPermissions(True, True)),
        ({"status": "member", "can_delete_messages": True}, BotPermissions()),
        ({"status": "left"}, BotPermissions()),
        ({}, BotPermissions()),
    ],
)
async def test_permissions_are_read_from_the_member(member: Any, expected: BotPermissions) -> None:
    assert await Telegram(member).permissions.load(-1) == expected


async def test_permissions_are_cached_until_they_expire_or_change() -> None:
    telegram = Telegram({"status": "creator"}, {"status": "member"}, {"status": "creator"})
    assert (await telegram.permissions.load(-1)).is_admin
    telegram.now = CACHE_TIME - 1
    assert (await telegram.permissions.load(-1)).is_admin
    assert telegram.calls == [{"chat_id": -1, "user_id": 99}]
    telegram.now = CACHE_TIME
    assert not (await telegram.permissions.load(-1)).is_admin
    telegram.permissions.invalidate(-1)
    assert (await telegram.permissions.load(-1)).is_admin


async def test_failed_call_is_repeated_after_a_pause() -> None:
    telegram = Telegram(NetworkError("gone"), {"status": "creator"})
    for telegram.now in (0.0, RETRY_PAUSE - 1):
        assert await telegram.permissions.load(-1) == BotPermissions()
    telegram.now = RETRY_PAUSE
    assert (await telegram.permissions.load(-1)).is_admin


async def test_oldest_chats_leave_the_full_cache() -> None:
    telegram = Telegram(*[{"status": "creator"}] * (MAX_CHATS + 2))
    for chat in range(MAX_CHATS + 1):
        await telegram.permissions.load(-chat)
    await telegram.permissions.load(-MAX_CHATS)
    assert len(telegram.calls) == MAX_CHATS + 1
    await telegram.permissions.load(0)
    assert len(telegram.calls) == MAX_CHATS + 2
