"""One request to Telegram as plain JSON in and out, with the library's connections, errors and retries."""

from typing import Any

from telegram import Bot


async def ask(bot: Bot, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None) -> Any:
    """The result of `method`, as Telegram sent it. Raises TelegramError.

    Requests are stored as JSON before they are sent, and an update that can't be parsed has to be kept as it
    came; so neither passes through the library's typed methods. `Bot.do_api_request` would do but for the
    warning that it prints at each call of a method that has a typed twin.
    """
    timeouts = {} if read_timeout is None else {"read_timeout": read_timeout}
    return await bot._post(method, api_kwargs=parameters, **timeouts)  # type: ignore[arg-type]
