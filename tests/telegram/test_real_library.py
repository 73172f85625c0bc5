"""The fake Telegram with python-telegram-bot: an echo bot by polling, webhook and in-process."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.ext import (
    Application,
    ApplicationBuilder,
    CallbackQueryHandler,
    ContextTypes,
    MessageHandler,
    filters,
)

from tests.telegram import BotApi, Delivery, World, WorldRequest

Echo = Application[Any, Any, Any, Any, Any, Any]
SECRET = "a-secret_of-ours"  # noqa: S105 - opens nothing


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.effective_message is not None
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Again", callback_data="again")]])
    words = update.effective_message.text_html
    await update.effective_message.reply_text(f"<b>{words}</b>", parse_mode="HTML", reply_markup=keyboard)


async def handle_press(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    assert update.callback_query is not None
    await update.callback_query.answer("once more")
    await update.callback_query.edit_message_text("edited")


def build_echo_bot(builder: ApplicationBuilder[Any, Any, Any, Any, Any, Any], world: World) -> Echo:
    application: Echo = builder.token(world.token).build()
    application.add_handler(MessageHandler(filters.TEXT, echo))
    application.add_handler(CallbackQueryHandler(handle_press))
    return application


@contextlib.asynccontextmanager
async def run_application(application: Echo, **webhook: Any) -> AsyncIterator[None]:
    async with application:
        await application.start()
        assert application.updater is not None
        if webhook:
            await application.updater.start_webhook(**webhook)
        else:
            await application.updater.start_polling(poll_interval=0, timeout=2)
        try:
            yield
        finally:
            await application.updater.stop()
            await application.stop()


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def talk_to_bot(world: World) -> None:
    """Send a message and press its button; the bot echoes the text, answers and edits."""
    ann = world.user("Ann <3", language_code="en")
    world.say(ann, ann, "1 < 2 & 3")
    reply = await world.next_post(ann)
    assert reply.text == "1 < 2 & 3"
    assert reply.entities == [{"type": "bold", "offset": 0, "length": 9}]
    press = world.press(ann, reply, "Again")
    assert await world.answer_to(press) == "once more"
    await world.wait_until(lambda: reply.text == "edited")
    assert [text for text, _ in reply.edits] == ["1 < 2 & 3"]
    await world.wait_until_taken()
    assert world.violations == []


async def test_echo_bot_by_polling() -> None:
    world = World(seed=1)
    async with BotApi(world) as api:
        async with run_application(build_echo_bot(ApplicationBuilder().base_url(api.base_url), world)):
            await talk_to_bot(world)
        assert world.updates.conflicts == 0


async def test_echo_bot_by_webhook_with_copies_and_a_secret() -> None:
    world = World(seed=1)
    delivery = Delivery(copies=2)
    port = find_free_port()
    async with BotApi(world, delivery=delivery) as api:
        application = build_echo_bot(ApplicationBuilder().base_url(api.base_url), world)
        hook = f"http://127.0.0.1:{port}/hook"
        async with run_application(
            application, listen="127.0.0.1", port=port, url_path="hook", webhook_url=hook, secret_token=SECRET
        ):
            ann = world.user("Ann")
            world.say(ann, ann, "hello")
            assert [(await world.next_post(ann)).text for _ in range(2)] == ["hello", "hello"]
            await world.wait_until_taken()
            assert set(delivery.statuses) == {200}
            assert set(world.updates.deliveries.values()) == {2}


async def test_echo_bot_in_process() -> None:
    world = World(seed=1)
    builder = ApplicationBuilder().request(WorldRequest(world)).get_updates_request(WorldRequest(world))
    async with run_application(build_echo_bot(builder, world)):
        await talk_to_bot(world)


@pytest.mark.parametrize("http", [True, False])
async def test_faults_become_the_librarys_errors(http: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # the library warns about the type of retry_after otherwise
    world = World(seed=1)
    ann = world.user("Ann")
    world.start(ann)
    async with contextlib.AsyncExitStack() as stack:
        builder = ApplicationBuilder().token(world.token)
        if http:
            api = await stack.enter_async_context(BotApi(world))
            builder = builder.base_url(api.base_url)
        else:
            builder = builder.request(WorldRequest(world)).get_updates_request(WorldRequest(world))
        bot = (await stack.enter_async_context(builder.build())).bot
        world.faults.add("sendMessage", retry_after=7, count=1)
        with pytest.raises(RetryAfter) as flood:
            await bot.send_message(ann.id, "one")
        assert flood.value.retry_after == timedelta(seconds=7)
        world.faults.add("sendMessage", close=True, effect=True, count=1)
        with pytest.raises(NetworkError):
            await bot.send_message(ann.id, "two")
        world.faults.add("sendMessage", body=b"<html>", count=1)
        with pytest.raises(TelegramError, match="Invalid server response"):
            await bot.send_message(ann.id, "three")
        world.faults.add("sendMessage", hang=30, count=1)
        with pytest.raises(TimedOut):
            await bot.send_message(ann.id, "four", read_timeout=0.05)
        with pytest.raises(BadRequest, match="Chat not found"):
            await bot.send_message(12, "five")
        assert [post.text for post in world.posts(ann)] == ["two"]
        assert world.faults.rules == []


async def test_upload_is_stored() -> None:
    world = World(seed=1)
    ann = world.user("Ann")
    world.start(ann)
    async with contextlib.AsyncExitStack() as stack:
        api = await stack.enter_async_context(BotApi(world))
        builder = ApplicationBuilder().token(world.token).base_url(api.base_url)
        application = await stack.enter_async_context(builder.build())
        png = b"\x89PNG\r\n\x1a\n" + bytes(8) + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
        sent = await application.bot.send_photo(ann.id, png, caption="<i>cards</i>", parse_mode="HTML")
    (post,) = world.posts(ann)
    assert (sent.photo[0].width, sent.photo[0].height, post.text, post.file) == (640, 480, "cards", png)
    assert world.violations == []


BOT_THAT_DIES = """
import os, sys
from telegram.ext import ApplicationBuilder, MessageHandler, filters

async def echo(update, context):
    if update.message.text == "die":
        os.kill(os.getpid(), 9)
    await update.message.reply_text(update.message.text)

application = ApplicationBuilder().token(sys.argv[1]).base_url(sys.argv[2]).build()
application.add_handler(MessageHandler(filters.TEXT, echo))
application.run_polling(poll_interval=0, timeout=5)
"""


@pytest.mark.faults
async def test_killed_bot_process_is_started_again() -> None:
    world = World(seed=1)
    ann = world.user("Ann")
    async with BotApi(world) as api:
        command = [sys.executable, "-c", BOT_THAT_DIES, world.token, api.base_url]
        first = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
        world.say(ann, ann, "one")
        await world.next_post(ann, "one")
        world.say(ann, ann, "die")
        assert await first.wait() == -9
        # Whether "die" was acknowledged is a race; the second process is not to die of it.
        world.updates.drop_all()
        world.say(ann, ann, "two")
        second = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
        await world.next_post(ann, "two")
        second.terminate()
        assert await second.wait() == 0
        assert world.updates.conflicts == 0


async def test_second_poller_ends_the_first() -> None:
    world = World()
    first = asyncio.create_task(world.updates.poll(0, 100, 5))
    await asyncio.sleep(0)
    second = asyncio.create_task(world.updates.poll(0, 100, 5))
    with pytest.raises(Exception, match="terminated by other getUpdates"):
        await first
    world.start(world.user("Ann"))
    (update,) = await second
    assert update["message"]["text"] == "/start"
