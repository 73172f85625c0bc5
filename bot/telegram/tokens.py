"""Whether Telegram still knows the token of a bot that runs: its end shows in requests that are refused.

Telegram says the same of a token and of a method that it does not know. So it is asked who the bot is, which
every server tells whom it knows: once for all whose requests were refused, and again only as the start does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from bot.telegram.startup import StartError, call_until_answered


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
