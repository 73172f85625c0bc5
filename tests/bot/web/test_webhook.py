"""The webhook: accepted and refused posts, and the watch over Telegram's queue."""

import asyncio
import hmac
import json
import logging
import math
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from sqlalchemy.exc import OperationalError
from telegram import Bot, WebhookInfo
from telegram.error import InvalidToken

from bot.logs import RedactingFormatter
from bot.metrics import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.updates import Watermark
from bot.settings import read_settings
from bot.telegram.startup import MAX_REFUSALS, StartError
from bot.web.webhook import (
    EMPTY_SECONDS,
    MAX_BACKLOG_WAIT,
    MAX_FAILURE_WAIT,
    MAX_POST_BYTES,
    SECRET_HEADER,
    TakenOverError,
    Webhook,
    describe_delivery_failure,
    watch_webhook,
)

SECRET = "canary_Secret-0123456789"  # noqa: S105 - opens nothing
NEW = "canary_Secret_of_today"
UPDATE = {"update_id": 7, "message": {"message_id": 1, "date": 0, "chat": {"id": 1, "type": "private"}}}
ENVIRONMENT = {
    "BOT_TOKEN": "123456:abc",
    "DATABASE_URL": "sqlite:///unused.sqlite3",
    "WEBHOOK_URL": "https://bot.example/hook",
    "WEBHOOK_LISTEN": "127.0.0.1:0",
    "WEBHOOK_SECRET": SECRET,
}


class ListInbox(Inbox):
    """An inbox that keeps a list or raises its failure."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.last_accepted_at = 0.0
        self.failure: Exception | None = None

    async def accept(self, updates: Sequence[Any]) -> None:
        if self.failure:
            raise self.failure
        self.updates += updates


class FakeTelegram:
    """A Bot API that records setWebhook."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}

    async def set_webhook(self, url: str, **more: Any) -> bool:
        self.told = {"url": url, **more}
        return True


class WebhookClient:
    """A webhook, and raw requests to it."""

    def __init__(self, **more: str) -> None:
        self.inbox, self.telegram = ListInbox(), FakeTelegram()
        settings = read_settings(ENVIRONMENT | more)
        self.webhook = Webhook(cast("Bot", self.telegram), self.inbox, Pulse(0.0), settings)

    async def ask(self, body: bytes, *headers: str, method: str = "POST", path: str = "/hook") -> int:
        """Send a request; return the status, or 0 without an answer."""
        lines = [f"{method} {path} HTTP/1.1", "Host: bot.example", *headers]
        if not any(h.lower().startswith(("content-length", "transfer-encoding")) for h in headers):
            lines.append(f"Content-Length: {len(body)}")
        reader, writer = await asyncio.open_connection("127.0.0.1", self.webhook.server.port)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            async with asyncio.timeout(60):
                head = await reader.readline()
        finally:
            writer.close()
        return int(head.split()[1]) if head else 0

    async def post(self, body: bytes | object, secret: str | None = SECRET) -> int:
        """Post the body with this secret; return the status."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.ask(raw, *([f"{SECRET_HEADER}: {secret}"] if secret is not None else []))


@pytest.fixture
async def client() -> AsyncIterator[WebhookClient]:
    opened = WebhookClient()
    await opened.webhook.open()
    yield opened
    await opened.webhook.close()


async def test_update_with_the_secret_is_accepted(client: WebhookClient) -> None:
    assert await client.post(UPDATE) == 200
    assert client.inbox.updates == [UPDATE]


@pytest.mark.parametrize(
    ("secret", "status"),
    [(None, 401), ("", 403), ("x", 403), (SECRET[:-1], 403), (SECRET + "x", 403), (SECRET.lower(), 403)],
)
async def test_wrong_secrets_are_refused_and_logged(
    client: WebhookClient, secret: str | None, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert await client.post(UPDATE, secret) == status
    assert not client.inbox.updates
    assert [message[:55] for message in caplog.messages] == [
        "a post with a wrong secret, or none, was refused: where"
    ]


async def test_secret_given_twice_is_refused(client: WebhookClient) -> None:
    header = f"{SECRET_HEADER}: {SECRET}"
    assert await client.ask(json.dumps(UPDATE).encode(), header, header) == 403


@pytest.fixture
async def changing_client() -> AsyncIterator[WebhookClient]:
    """A webhook during a change of secrets."""
    opened = WebhookClient(WEBHOOK_SECRET=f"{NEW},{SECRET}")
    await opened.webhook.open()
    yield opened
    await opened.webhook.close()


async def test_both_secrets_are_accepted_during_a_change(
    changing_client: WebhookClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert changing_client.telegram.told["secret_token"] == NEW
    assert [await changing_client.post(UPDATE, secret) for secret in (NEW, SECRET)] == [200, 200]
    compared, genuine = list[bytes](), hmac.compare_digest

    def compare(given: bytes, wanted: bytes) -> bool:
        compared.append(wanted)
        return genuine(given, wanted)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    for secret, status in ((NEW, 200), (f"{NEW},{SECRET}", 403), ("", 403)):
        compared.clear()
        assert await changing_client.post(UPDATE, secret) == status
        assert compared == [NEW.encode(), SECRET.encode()], "a guess that is right takes as long"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"x"',
        b"\xff\xfe\xfd",
        b"{}",
        b'{"update_id": "7"}',
        b'{"update_id": true}',
        b'{"update_id": 7.0}',
        b'{"update_id": null}',
        b'{"update_id": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"update_id": 7, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=lambda body: body[:24].decode("latin1"),
)
async def test_malformed_updates_are_refused(client: WebhookClient, body: bytes) -> None:
    assert await client.post(body) == 400
    assert not client.inbox.updates


@pytest.mark.parametrize(
    ("header", "body"),
    [
        (f"Content-Length: {MAX_POST_BYTES + 1}", b" " * (MAX_POST_BYTES + 1)),
        ("Transfer-Encoding: chunked", b"110000\r\n" + b" " * 0x110000 + b"\r\n0\r\n\r\n"),
        (f"Content-Length: {10**15}", b"{}"),
    ],
    ids=["announced", "chunked", "huge"],
)
async def test_large_bodies_are_refused(client: WebhookClient, header: str, body: bytes) -> None:
    assert await client.ask(body, f"{SECRET_HEADER}: {SECRET}", header) == 413
    assert not client.inbox.updates


async def test_expect_100_continue_with_a_large_body_is_refused(client: WebhookClient) -> None:
    headers = (f"{SECRET_HEADER}: {SECRET}", "Expect: 100-continue", f"Content-Length: {MAX_POST_BYTES + 1}")
    assert await client.ask(b"", *headers) == 413


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_other_methods_are_refused(client: WebhookClient, method: str) -> None:
    assert await client.ask(b"{}", f"{SECRET_HEADER}: {SECRET}", method=method) == 405
    assert await client.ask(b"{}", method=method) == 405


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", "/hook/x", "/hooks", "/HOOK", "//hook", "/hook%2fx", "/hook//"])
async def test_other_paths_are_refused(client: WebhookClient, path: str) -> None:
    body = json.dumps(UPDATE).encode()
    assert await client.ask(body, f"{SECRET_HEADER}: {SECRET}", path=path) == 404


async def test_failed_storage_gives_503(client: WebhookClient) -> None:
    client.inbox.failure = InboxFullError("20000 updates wait")
    assert await client.post(UPDATE) == 503
    client.inbox.failure = OperationalError("INSERT", {}, Exception("disk is full"))
    assert await client.post(UPDATE) == 503


async def test_refused_requests_are_not_quoted_in_the_log(
    client: WebhookClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client.inbox.failure = RuntimeError(f"something with {SECRET}")
    assert await client.post(UPDATE) == 500
    assert await client.post({"update_id": 1, "a": "stranger's words"}, "stranger's secret") == 403
    assert await client.post(b"stranger's words") == 400
    assert "stranger" not in caplog.text
    assert SECRET not in caplog.text


class FakeQueue:
    """Telegram's answers to getWebhookInfo, one for each call."""

    def __init__(self, *infos: WebhookInfo) -> None:
        self._infos = list(infos)

    async def get_webhook_info(self) -> WebhookInfo:
        if not self._infos:
            await asyncio.Event().wait()
        return self._infos.pop(0)


def make_info(
    count: int, error: float | None = None, url: str = "https://bot.example/hook", why: str | None = None
) -> WebhookInfo:
    date = None if error is None else datetime.fromtimestamp(error, UTC)
    return WebhookInfo(url, False, count, last_error_date=date, last_error_message=why)


@pytest.mark.parametrize(
    ("infos", "step", "through"),
    [
        ([make_info(0)], EMPTY_SECONDS, None),  # a post may be under way
        ([make_info(0), make_info(0)], EMPTY_SECONDS, 1000.0 + EMPTY_SECONDS),
        ([make_info(0), make_info(1), make_info(0)], EMPTY_SECONDS, None),
        ([make_info(3), make_info(3), make_info(0), make_info(0)], EMPTY_SECONDS, 1000.0 + 3 * EMPTY_SECONDS),
        (
            [make_info(3), make_info(3)],
            MAX_BACKLOG_WAIT + 1,
            1000.0 + 2 * (MAX_BACKLOG_WAIT + 1),
        ),  # newer ones, posted without trouble
        ([make_info(3), make_info(3), make_info(3, 995.0)], 1.0, None),
        ([make_info(3, 995.0), make_info(3, 995.0)], MAX_BACKLOG_WAIT + 1, None),  # Telegram will try again
        (
            [make_info(3, 995.0), make_info(3, 995.0)],
            MAX_FAILURE_WAIT + 1,
            1000.0 + 2 * (MAX_FAILURE_WAIT + 1),
        ),
    ],
)
async def test_deadlines_wait_for_updates_held_by_telegram(
    infos: list[WebhookInfo], step: float, through: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.webhook.BUSY_INTERVAL", 0.0)
    inbox, clock = ListInbox(), [1000.0]

    def wall() -> float:
        clock[0] += step
        return clock[0]

    inbox.wall, inbox.watermark = wall, Watermark()
    inbox.watermark.request_until(1000.5)
    telegram = FakeQueue(*infos)
    watching = asyncio.create_task(watch_webhook(telegram, "https://bot.example/hook", inbox, Pulse(0.0)))  # type: ignore[arg-type]
    for _ in range(20):
        await asyncio.sleep(0)
    watching.cancel()
    assert inbox.watermark.is_awaited == (through is None)
    assert inbox.watermark.received_until == (-math.inf if through is None else through)


async def test_telegram_is_asked_seldom_without_waiting_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.webhook.BUSY_INTERVAL", 0.0)
    inbox = ListInbox()
    inbox.wall, inbox.watermark = (lambda: 1000.0), Watermark()
    watching = asyncio.create_task(watch_webhook(FakeQueue(), "https://bot.example/hook", inbox, Pulse(0.0)))  # type: ignore[arg-type]
    telegram = FakeQueue(make_info(0))
    watching.cancel()
    watching = asyncio.create_task(watch_webhook(telegram, "https://bot.example/hook", inbox, Pulse(0.0)))  # type: ignore[arg-type]
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(telegram._infos) == 1
    inbox.watermark.request_until(1000.5)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not telegram._infos
    watching.cancel()


async def test_watch_ends_when_another_bot_takes_the_webhook() -> None:
    inbox = ListInbox()
    inbox.wall, inbox.watermark = (lambda: 1000.0), Watermark()
    inbox.watermark.request_until(1000.0)
    elsewhere = FakeQueue(make_info(0, url="https://other.example/"))
    with pytest.raises(TakenOverError, match="posts elsewhere"):
        await watch_webhook(elsewhere, "https://bot.example/hook", inbox, Pulse(0.0))  # type: ignore[arg-type]


async def test_delivery_failure_is_recorded_and_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.web.webhook.BUSY_INTERVAL", 0.0)
    caplog.set_level(logging.INFO)
    inbox, pulse, known = ListInbox(), Pulse(0.0, is_of_leader=True), list[str]()
    inbox.wall, inbox.watermark, inbox.last_accepted_at = (lambda: 1000.0), Watermark(), 900.0
    inbox.watermark.request_until(1000.5)
    stays = make_info(3, 995.0, why=f"Connection refused by {SECRET}")

    class Known(FakeQueue):
        async def get_webhook_info(self) -> WebhookInfo:
            known.append(pulse.failure_reason)
            return await super().get_webhook_info()

    telegram = Known(make_info(0), stays, stays, make_info(0), make_info(0))
    clean = RedactingFormatter([SECRET]).redact
    watching = asyncio.create_task(watch_webhook(telegram, "https://bot.example/hook", inbox, pulse, clean))  # type: ignore[arg-type]
    for _ in range(40):
        await asyncio.sleep(0)
    watching.cancel()
    why = "Connection refused by [secret]"
    assert known == ["", "", why, why, "", ""]
    assert (pulse.success_count, pulse.is_of_leader) == (3, False)
    assert caplog.messages == [
        f"Telegram can't post updates here: {why}",
        "Telegram can post updates here again",
    ]


class RefusingTelegram(FakeQueue):
    """A Bot API that refuses the token at the first look and at so many checks."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times, self.looks, self.asked = times, 0, 0

    async def get_webhook_info(self) -> WebhookInfo:
        self.looks += 1
        if self.looks > 1:
            return await super().get_webhook_info()
        raise InvalidToken("Unauthorized")

    async def get_me(self) -> object:
        self.asked += 1
        if self.asked <= self.times:
            raise InvalidToken("Unauthorized")
        return object()


@pytest.mark.parametrize(("times", "ends"), [(MAX_REFUSALS, True), (MAX_REFUSALS - 1, False), (0, False)])
async def test_watch_ends_when_the_token_is_refused(
    times: int, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.webhook.BUSY_INTERVAL", 0.0)
    monkeypatch.setattr("bot.telegram.startup.FIRST_PAUSE", 0.0)
    inbox, telegram = ListInbox(), RefusingTelegram(times)
    inbox.wall, inbox.watermark = (lambda: 1000.0), Watermark()
    inbox.watermark.request_until(1000.5)
    watching = asyncio.create_task(watch_webhook(telegram, "https://bot.example/hook", inbox, Pulse(0.0)))  # type: ignore[arg-type]
    for _ in range(40):
        await asyncio.sleep(0)
    assert (watching.done(), telegram.looks) == ((True, 1) if ends else (False, 2))
    watching.cancel()
    if ends:
        with pytest.raises(StartError, match=r"^BOT_TOKEN: Telegram refuses it$"):
            await watching


@pytest.mark.parametrize(
    ("info", "accepted", "expected"),
    [
        (make_info(0, 995.0), 900.0, False),  # what failed has come since
        (make_info(3), 900.0, False),
        (make_info(3, 995.0), 900.0, True),
        (make_info(3, 995.0), 996.0, False),
    ],
)
def test_delivery_failure_is_recognised(info: WebhookInfo, accepted: float, expected: bool) -> None:
    assert bool(describe_delivery_failure(info, accepted, str)) is expected
