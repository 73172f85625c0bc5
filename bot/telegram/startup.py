"""Call Telegram until it answers, and notice when it refuses the token for good."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from telegram.error import InvalidToken, RetryAfter

from bot.queue.refusals import is_refusal, read_retry_delay
from bot.telegram.api import describe_failure

log = logging.getLogger(__name__)


class StartError(Exception):
    """The bot can't start, or go on, until a person mends something; the message is one line."""


T = TypeVar("T")
FIRST_PAUSE = 0.4  # seconds
LONGEST_PAUSE = 15.0  # seconds
# How often in a row Telegram must refuse the token before that counts: once may be its mistake.
MAX_REFUSALS = 4


async def call_until_answered(call: Callable[[], Awaitable[T]], setting: str) -> T:
    """Return the result of `call`, repeated with growing pauses until Telegram answers.

    Raises StartError if Telegram refuses the request: at once, with the name of the `setting` to blame; but
    for the token only at the `MAX_REFUSALS`-th refusal in a row.
    """
    pause = FIRST_PAUSE
    refusals = 0  # In a row
    while True:
        try:
            return await call()
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            if not is_refusal(error):
                refusals = 0
                log.warning("Telegram can't be reached, trying again: %s", describe_failure(error))
            elif not isinstance(error, InvalidToken):
                raise StartError(f"{setting}: Telegram refuses it ({describe_failure(error)})") from None
            else:  # the token, which Telegram may refuse by mistake
                refusals += 1
                if refusals >= MAX_REFUSALS:
                    raise StartError("BOT_TOKEN: Telegram refuses it") from None
            retry_delay = read_retry_delay(error) if isinstance(error, RetryAfter) else 0.0
            await asyncio.sleep(max(pause, retry_delay))
        pause = min(LONGEST_PAUSE, pause * 2)


class TokenCheck:
    """Checks whether Telegram still knows the token, after it has refused a request.

    Telegram refuses an unknown token and an unknown method with the same words. So it is asked for `getMe`,
    which every server answers: once for all requests refused meanwhile.
    """

    def __init__(self, call_api: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
        self._call_api = call_api
        self._check: asyncio.Task[bool] | None = None
        self._refusal: asyncio.Future[StartError] = asyncio.get_running_loop().create_future()

    async def is_known(self) -> bool:
        """Ask Telegram whether it knows the token; False unless it answers the first attempt, see `_ask`.

        Concurrent callers share one check. False also once Telegram has refused the token for good, and if
        `close` stops the check.
        """
        if self._refusal.done():
            return False
        check = self.begin()
        await asyncio.wait([check])  # not `await check`: a cancelled caller would cancel it for all others
        return not check.cancelled() and check.result()

    def begin(self) -> asyncio.Task[bool]:
        """Start a check, unless one is in progress; return it."""
        if self._check is None or self._check.done():
            self._check = asyncio.create_task(self._ask())
        return self._check

    async def wait_until_refused(self) -> None:
        """Wait until Telegram refuses the token for good, then raise StartError."""
        raise await asyncio.shield(self._refusal)

    async def close(self) -> None:
        """Cancel the check if it goes on."""
        if self._check is not None:
            self._check.cancel()
            await asyncio.gather(self._check, return_exceptions=True)

    async def _ask(self) -> bool:
        """Ask until Telegram answers or refuses for good. Return whether the first attempt was answered.

        A token known only at a later attempt was refused by mistake, and so were the requests meanwhile.
        """
        attempts = 0

        async def get_me() -> None:
            nonlocal attempts
            attempts += 1
            await self._call_api("getMe", {})

        try:
            await call_until_answered(get_me, "BOT_TOKEN")
        except StartError as refusal:
            if not self._refusal.done():
                self._refusal.set_result(refusal)
            return False
        return attempts == 1
