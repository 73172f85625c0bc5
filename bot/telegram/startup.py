"""What must be answered for the bot to play. What passes is waited out; what does not ends it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from telegram.error import InvalidToken, RetryAfter

from bot.telegram.api import describe_failure, is_refusal

log = logging.getLogger(__name__)

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.4, 15.0
# Times in a row that Telegram must refuse the token before that counts: a single one may be its mistake.
MAX_REFUSALS = 4


class StartError(Exception):
    """The bot can't start, or go on, for a reason that a person must mend; the message is one line."""


async def call_until_answered(ask: Callable[[], Awaitable[T]], key: str) -> T:
    """What `ask` returns, asked again until Telegram answers.

    Raises StartError, which names the setting `key`, when Telegram itself refuses what is asked.
    """
    pause, refusals = FIRST_PAUSE, 0
    while True:
        try:
            return await ask()
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            refusals = refusals + 1 if is_refusal(error) else 0
            if refusals and (refusals >= MAX_REFUSALS or not isinstance(error, InvalidToken)):
                raise StartError(_refusal(error, key)) from None
            if not refusals:
                log.warning("Telegram can't be reached, trying again: %s", describe_failure(error))
            await asyncio.sleep(max(pause, _asked_to_wait(error)))
        pause = min(LONGEST_PAUSE, pause * 2)


def _refusal(error: Exception, key: str) -> str:
    if isinstance(error, InvalidToken):
        return "BOT_TOKEN: Telegram refuses it"
    return f"{key}: Telegram refuses it ({describe_failure(error)})"


def _asked_to_wait(error: Exception) -> float:
    if not isinstance(error, RetryAfter):
        return 0.0
    seconds = error.retry_after
    return seconds if isinstance(seconds, int | float) else seconds.total_seconds()


class TokenCheck:
    """What is known of it, asked by `ask`."""

    def __init__(self, ask: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
        self._ask = ask
        self._asking: asyncio.Task[bool] | None = None
        self._refusal: StartError | None = None
        self._over = asyncio.Event()

    async def is_known(self) -> bool:
        """Whether Telegram knows it without a doubt. All who ask meanwhile get the same answer."""
        if self._refusal is not None:
            return False
        asking = self._asking
        if asking is None or asking.done():
            asking = self._asking = asyncio.create_task(self._inquire())
        await asyncio.wait([asking])
        return not asking.cancelled() and asking.result()

    async def wait_until_refused(self) -> None:
        """Wait until Telegram refuses it for good. Raises StartError."""
        await self._over.wait()
        if self._refusal is not None:
            raise self._refusal

    async def close(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _inquire(self) -> bool:
        """Ask until Telegram answers or refuses for good; only its first answer says that all is well.

        What it refused while it made mistakes may be right, and is to be asked again.
        """
        asked = 0

        async def who() -> None:
            nonlocal asked
            asked += 1
            await self._ask("getMe", {})

        try:
            await call_until_answered(who, "BOT_TOKEN")
        except StartError as refusal:
            self._refusal = refusal
            self._over.set()
            return False
        return asked == 1
