"""The world without HTTP: requests of python-telegram-bot are answered in-process, with the same checks."""

import asyncio
from typing import Any
from urllib.parse import unquote, urlsplit

from telegram._utils.defaultvalue import DefaultValue
from telegram._utils.types import ODVInput
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

from tests.telegram.gate import Closed, Gate
from tests.telegram.world import World


class WorldRequest(BaseRequest):
    """A request class for `ApplicationBuilder().request(…).get_updates_request(…)`, one instance each."""

    def __init__(self, world: World, read_timeout: float | None = 5) -> None:
        self._gate = Gate(world)
        self._read_timeout = read_timeout

    @property
    def read_timeout(self) -> float | None:
        return self._read_timeout

    async def initialize(self) -> None:
        """Do nothing, since there is no connection."""

    async def shutdown(self) -> None:
        """Do nothing, since there is no connection."""

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        write_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        connect_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        pool_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Return status and body; raises TimedOut and NetworkError as over HTTP."""
        bot, _, name = unquote(urlsplit(url).path).strip("/").rpartition("/")
        params: dict[str, Any] = dict(request_data.json_parameters) if request_data else {}
        files = _uploads(request_data) if request_data else {}
        # A file may be given as the part itself instead of `attach://`.
        params |= {k: v for k, v in files.items() if not any(f"attach://{k}" in p for p in params.values())}
        seconds = self._read_timeout if isinstance(read_timeout, DefaultValue) else read_timeout
        try:
            async with asyncio.timeout(seconds):
                answer = await self._gate.answer(bot.removeprefix("bot"), name, params, files)
        except TimeoutError:
            raise TimedOut from None
        except Closed:
            raise NetworkError("httpx.ReadError: the connection was closed") from None
        return answer.status, answer.body


def _uploads(request_data: RequestData) -> dict[str, bytes]:
    parts = request_data.multipart_data or {}
    contents = ((name, part[1]) for name, part in parts.items())
    return {name: content if isinstance(content, bytes) else content.read() for name, content in contents}
