"""What the bot may do in a group: asked once, believed for a while."""

from typing import Any

import pytest
from telegram.error import NetworkError

from bot.queue.bot_permissions import CACHE_TIME, MAX_CHATS, RETRY_PAUSE, BotPermissionCache, BotPermissions


class Telegram:
    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []
        self.at = 0.0
        self.standings = BotPermissionCache(self._ask, 99, "server", lambda: self.at)

    async def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        assert method == "getChatMember"
        self.asked.append(parameters)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("member", "standing"),
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
async def test_rights_are_read(member: Any, standing: BotPermissions) -> None:
    assert await Telegram(member).standings.load(-1) == standing


async def test_an_answer_is_believed_until_it_is_old_or_something_changed() -> None:
    telegram = Telegram({"status": "creator"}, {"status": "member"}, {"status": "creator"})
    assert (await telegram.standings.load(-1)).is_admin
    telegram.at = CACHE_TIME - 1
    assert (await telegram.standings.load(-1)).is_admin
    assert telegram.asked == [{"chat_id": -1, "user_id": 99}]
    telegram.at = CACHE_TIME
    assert not (await telegram.standings.load(-1)).is_admin
    telegram.standings.invalidate(-1)
    assert (await telegram.standings.load(-1)).is_admin


async def test_what_telegram_does_not_tell_is_asked_again_a_little_later() -> None:
    telegram = Telegram(NetworkError("gone"), {"status": "creator"})
    for telegram.at in (0.0, RETRY_PAUSE - 1):
        assert await telegram.standings.load(-1) == BotPermissions()
    telegram.at = RETRY_PAUSE
    assert (await telegram.standings.load(-1)).is_admin


async def test_not_all_chats_are_remembered() -> None:
    telegram = Telegram(*[{"status": "creator"}] * (MAX_CHATS + 2))
    for chat in range(MAX_CHATS + 1):
        await telegram.standings.load(-chat)
    await telegram.standings.load(-MAX_CHATS)
    assert len(telegram.asked) == MAX_CHATS + 1
    await telegram.standings.load(0)
    assert len(telegram.asked) == MAX_CHATS + 2
