"""A bare python-telegram-bot that repeats every message; the baseline for the bot.

`python -m bench.echo` needs BOT_TOKEN and BOT_API_URL; it waits ECHO_SECONDS for each update.
"""

import asyncio
import os
from urllib.parse import urlsplit

from telegram import Update
from telegram.ext import ApplicationBuilder, CallbackContext, ExtBot, MessageHandler, filters

WORK = float(os.environ.get("ECHO_SECONDS", "0"))

Context = CallbackContext[ExtBot[None], dict[str, object], dict[str, object], dict[str, object]]


async def echo(update: Update, _: Context) -> None:
    if update.message is not None and update.message.text:
        await asyncio.sleep(WORK)
        await update.message.reply_text(update.message.text)


def main() -> None:
    """Receive updates, by polling or at WEBHOOK_URL, until a signal."""
    api = os.environ["BOT_API_URL"]
    builder = ApplicationBuilder().token(os.environ["BOT_TOKEN"]).base_url(f"{api}/bot")
    application = builder.build()
    application.add_handler(MessageHandler(filters.TEXT, echo))
    url = os.environ.get("WEBHOOK_URL")
    if url is None:
        application.run_polling(poll_interval=0, timeout=25)
        return
    host, _, port = os.environ["WEBHOOK_LISTEN"].rpartition(":")
    secret = os.environ["WEBHOOK_SECRET"]
    application.run_webhook(host, int(port), urlsplit(url).path, webhook_url=url, secret_token=secret)


if __name__ == "__main__":
    main()
