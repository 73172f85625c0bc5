"""A refused token is checked once for all callers, and ends the bot."""

import asyncio
from typing import Any

import pytest
from telegram.error import BadRequest, InvalidToken, NetworkError, TelegramError

from bot.telegram.startup import MAX_REFUSALS, StartError, TokenCheck
from tests.fake_time import START, advance_time, now, with_fake_time

REFUSAL = InvalidToken("Unauthorized")


class Telegram:
    """Answers each `getMe` after 0.1 s: with the given errors, and then with a bot."""

    def __init__(self, *answers: TelegramError) -> None:
        self.answers = list(answers)
        self.calls: list[str] = []

    async def __call__(self, method: str, parameters: dict[str, Any]) -> Any:
        self.calls.append(method)
        await asyncio.sleep(0.1)
        if self.answers:
            raise self.answers.pop(0)
        return {"id": 1}


@with_fake_time
async def test_concurrent_callers_share_one_check() -> None:
    telegram = Telegram()
    token = TokenCheck(telegram)
    assert await asyncio.gather(*(token.is_known() for _ in range(30))) == [True] * 30
    assert telegram.calls == ["getMe"]
    assert await token.is_known(), "the token may have changed since"
    assert telegram.calls == ["getMe"] * 2


@with_fake_time
async def test_repeatedly_refused_token_ends_the_bot() -> None:
    telegram = Telegram(*[REFUSAL] * MAX_REFUSALS)
    token = TokenCheck(telegram)
    waiting_for_refusal = asyncio.create_task(token.wait_until_refused())
    assert await asyncio.gather(*(token.is_known() for _ in range(30))) == [False] * 30
    with pytest.raises(StartError, match=r"^BOT_TOKEN: Telegram refuses it$"):
        await waiting_for_refusal
    assert not await token.is_known()
    assert telegram.calls == ["getMe"] * MAX_REFUSALS, "nothing more is asked"
    assert now() - START < 4.0


@with_fake_time
async def test_logged_out_bot_ends() -> None:
    token = TokenCheck(Telegram(BadRequest("Logged out")))
    assert not await token.is_known()
    with pytest.raises(StartError, match=r"^BOT_TOKEN: Telegram refuses it \(BadRequest: Logged out\)$"):
        await token.wait_until_refused()


@pytest.mark.parametrize("error", [REFUSAL, NetworkError("Bad Gateway")])
@with_fake_time
async def test_token_known_at_a_later_attempt_is_not_yet_known(
    error: TelegramError,
) -> None:
    """So the refused request may be repeated."""
    token = TokenCheck(Telegram(error))
    waiting_for_refusal = asyncio.create_task(token.wait_until_refused())
    assert not await token.is_known()
    assert await token.is_known()
    assert not waiting_for_refusal.done()
    waiting_for_refusal.cancel()


@with_fake_time
async def test_cancelled_caller_does_not_cancel_the_check() -> None:
    token = TokenCheck(Telegram())
    first, second = (asyncio.create_task(token.is_known()) for _ in range(2))
    await advance_time()
    first.cancel()
    assert await second
    assert first.cancelled()


@with_fake_time
async def test_close_cancels_the_check() -> None:
    token = TokenCheck(Telegram())
    checking = asyncio.create_task(token.is_known())
    await advance_time()
    await token.close()
    assert not await checking
    await token.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
