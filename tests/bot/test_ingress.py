"""Opening the way in for updates, by polling or a webhook."""

import json
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
from telegram import Bot

from bot.ingress import PollingIngress
from bot.metrics import Pulse
from bot.queue.inbox import Inbox
from bot.settings import Settings, read_settings
from bot.telegram.startup import StartError
from bot.web.webhook import Webhook
from tests.telegram import World, WorldRequest

NOBODY = cast("Inbox", Mock())


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def bot(world: World) -> Bot:
    return Bot(world.token, request=WorldRequest(world), get_updates_request=WorldRequest(world))


MADE_UP = "made-up_0123456789"


def make_settings(tmp_path: Path, secret: str = MADE_UP) -> Settings:
    return read_settings(
        {
            "BOT_TOKEN": "1:x",
            "DATABASE_URL": f"sqlite:///{tmp_path}/a.sqlite3",
            "WEBHOOK_URL": "http://127.0.0.1:8443/u",
            "WEBHOOK_LISTEN": "127.0.0.1:0",
            "WEBHOOK_SECRET": secret,
        }
    )


@pytest.mark.parametrize("hooked", [True, False])
async def test_old_webhook_is_deleted_before_polling(hooked: bool, bot: Bot, world: World) -> None:
    if hooked:
        await bot.set_webhook("http://127.0.0.1:8443/u")
    assert await PollingIngress(bot, NOBODY, Pulse(0.0), lambda: None).open() is True
    assert len(world.calls("deleteWebhook")) == hooked
    assert (await bot.get_webhook_info()).url == ""


async def test_webhook_is_registered_with_secret_and_allowed_updates(
    bot: Bot, world: World, tmp_path: Path
) -> None:
    way_in = Webhook(bot, NOBODY, Pulse(0.0), make_settings(tmp_path))
    try:
        assert await way_in.open() is True
        (call,) = world.calls("setWebhook")
        given: dict[str, Any] = call.params
        assert (given["url"], given["secret_token"]) == ("http://127.0.0.1:8443/u", MADE_UP)
        allowed = given["allowed_updates"]
        kinds = json.loads(allowed) if isinstance(allowed, str) else allowed
        assert set(kinds) == {"message", "callback_query", "my_chat_member", "inline_query"}
    finally:
        await way_in.close()


async def test_webhook_is_registered_again_if_the_chosen_secret_changes(
    bot: Bot, world: World, tmp_path: Path
) -> None:
    # A bot that starts meanwhile may accept only the secret before.
    meanwhile, secrets = [0, 1, 1], ["the-new-one-of-today", "the-one-of-yesterday"]

    async def agreed() -> int:
        return meanwhile.pop(0)

    way_in = Webhook(bot, NOBODY, Pulse(0.0), make_settings(tmp_path, ",".join(secrets)), agreed)
    try:
        await way_in.open()
    finally:
        await way_in.close()
    assert [call.params["secret_token"] for call in world.calls("setWebhook")] == secrets


@pytest.mark.parametrize("odd", ["x", None, False, {}])
async def test_odd_answers_at_the_start_are_retried(
    odd: object, bot: Bot, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise the bot would wait for updates that go elsewhere.
    monkeypatch.setattr("bot.telegram.startup.FIRST_PAUSE", 0.0)
    body = json.dumps({"ok": True, "result": odd}).encode()
    await bot.set_webhook("http://127.0.0.1:8443/before")
    world.faults.add("deleteWebhook", body=body, count=2)
    await PollingIngress(bot, NOBODY, Pulse(0.0), lambda: None).open()
    assert (await bot.get_webhook_info()).url == ""
    world.faults.add("setWebhook", body=body, count=2)
    way_in = Webhook(bot, NOBODY, Pulse(0.0), make_settings(tmp_path))
    try:
        await way_in.open()
        assert (await bot.get_webhook_info()).url == "http://127.0.0.1:8443/u"
    finally:
        await way_in.close()


async def test_taken_address_raises_start_error(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr("bot.web.webhook.Server.listen", refuse)
    with pytest.raises(
        StartError, match=r"^WEBHOOK_LISTEN: the webhook can't be opened: Address already in use$"
    ):
        await Webhook(bot, NOBODY, Pulse(0.0), make_settings(tmp_path)).open()


@pytest.mark.parametrize(
    ("new", "address", "expected"), [(True, "u", True), (True, "v", False), (False, "u", False)]
)
async def test_new_database_behind_a_used_webhook_is_warned_of(
    bot: Bot, tmp_path: Path, caplog: pytest.LogCaptureFixture, new: bool, address: str, expected: bool
) -> None:
    # Each bot would play games of its own, and nothing else would show it.
    await bot.set_webhook(f"http://127.0.0.1:8443/{address}")

    async def is_new() -> bool:
        return new

    way_in = Webhook(bot, NOBODY, Pulse(0.0), make_settings(tmp_path), is_new=is_new)
    await way_in.open()
    await way_in.close()
    assert any("this database is new" in line for line in caplog.messages) is expected
