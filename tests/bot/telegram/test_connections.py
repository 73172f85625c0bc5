"""Requests over connections on loopback, and the delivery status after errors."""

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, cast
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Bot, InputFile
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import RequestData

from bot.queue.delivery_check import classify_error
from bot.queue.outgoing import DeliveryStatus
from bot.settings import SettingsError
from bot.telegram import api as module
from bot.telegram.api import Connections, RequestForm, call_api, encode_form, find_proxy
from tests.telegram import BotApi, World

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
TOKEN = "123456789:" + "t" * 35
BODY = '{"ok":true,"result":"😀"}'.encode()
YES = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


@contextlib.asynccontextmanager
async def run_server(serve: Serve) -> AsyncIterator[str]:
    """Serve each connection with `serve` until the block ends, and yield the address."""
    over = asyncio.Event()
    handling: set[asyncio.Task[None]] = set()

    async def handle_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handling.add(cast("asyncio.Task[None]", asyncio.current_task()))
        both = [asyncio.ensure_future(serve(reader, writer)), asyncio.ensure_future(over.wait())]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for one in both:
            one.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle_connection, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    over.set()
    await asyncio.gather(*handling)


@contextlib.asynccontextmanager
async def run_bot(serve: Serve) -> AsyncIterator[Bot]:
    """Yield a bot whose Telegram is `serve`."""
    async with run_server(serve) as root, connect_bot(root) as bot:
        yield bot


@contextlib.asynccontextmanager
async def connect_bot(root: str, token: str = TOKEN) -> AsyncIterator[Bot]:
    """Yield a bot whose Telegram is at `root`, without any request."""
    connections = Connections(root)
    async with connections:
        yield Bot(token, base_url=f"{root}/bot", request=connections, get_updates_request=connections)


async def read_request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """Read the head and the body of a request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(line for line in head.lower().splitlines() if line.startswith("content-length:"))
    return head, await reader.readexactly(int(length.partition(":")[2]))


def answer_with(answer: bytes) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(answer)

    return serve


async def answer_nothing(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def hang_up(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await read_request(reader)


async def test_request_is_sent_as_form() -> None:
    requests = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            requests.append(await read_request(reader))
            writer.write(YES)

    async with run_bot(serve) as bot:
        given = {"chat_id": -5, "text": "3×8 & 😀", "markup": {"keyboard": [["a"]]}}
        assert await call_api(bot, "sendMessage", given) == "😀"
        assert await call_api(bot, "getMe", {}) == "😀"  # over the same connection
    (head, body), (second, empty) = requests
    assert head.startswith(f"POST /bot{TOKEN}/sendMessage HTTP/1.1\r\n")
    assert "python-telegram-bot" in head
    assert "application/x-www-form-urlencoded" in head
    assert body == (
        b"chat_id=-5&text=3%C3%978+%26+%F0%9F%98%80&markup=%7B%22keyboard%22:+%5B%5B%22a%22%5D%5D%7D"
    )
    assert second.startswith(f"POST /bot{TOKEN}/getMe ")
    assert empty == b""


@pytest.mark.long
@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text()))
def test_any_text_survives_encoding(fields: dict[str, str]) -> None:
    body, headers = encode_form(cast("RequestData", RequestForm(fields)))
    assert headers == {"Content-Type": "application/x-www-form-urlencoded"}
    assert isinstance(body, bytes)
    assert dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=bool(body))) == fields


def test_lone_surrogate_is_left_out() -> None:
    """JSON can hold one, but no request can; the rest of the text is sent."""
    body, _ = encode_form(cast("RequestData", RequestForm({"text": "3\ud83d8"})))
    assert body == b"text=38"


async def test_file_is_uploaded_whole() -> None:
    world = World(seed=1)
    ann = world.user("Ann")
    world.start(ann)
    params = {"chat_id": ann.id, "document": {"name": "you.json", "text": '{"name": "Ann ✓"}'}}
    async with BotApi(world) as api, connect_bot(api.url, world.token) as bot:
        await call_api(bot, "sendDocument", params)
    (post,) = world.posts(ann)
    assert post.file == '{"name": "Ann ✓"}'.encode()


async def catch_failure(bot: Bot, **timeouts: Any) -> NetworkError:
    """Send a request that fails, and return the error."""
    with pytest.raises(NetworkError) as caught:
        await bot.request.post(f"{bot.base_url}/sendMessage", **timeouts)
    assert TOKEN not in str(caught.value)
    return caught.value


async def test_refused_connection_counts_as_unsent() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        async with connect_bot(f"http://127.0.0.1:{free.getsockname()[1]}") as bot:
            error = await catch_failure(bot)
    assert classify_error(error) is DeliveryStatus.UNSENT
    assert re.fullmatch(r"ClientConnectorError: 127\.0\.0\.1:\d+, Connection refused", error.message)


async def test_unknown_host_counts_as_unsent() -> None:
    async with connect_bot("http://nobody.invalid") as bot:
        error = await catch_failure(bot)
    assert classify_error(error) is DeliveryStatus.UNSENT


async def test_connect_timeout_counts_as_unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECT_TIMEOUT", 1e-9)
    monkeypatch.setattr(module, "POOL_TIMEOUT", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as slow:
        async with connect_bot(f"http://127.0.0.1:{slow.getsockname()[1]}") as bot:
            error = await catch_failure(bot)
    assert isinstance(error, TimedOut)
    assert classify_error(error) is DeliveryStatus.UNSENT


async def test_read_timeout_counts_as_unknown() -> None:
    async with run_bot(answer_nothing) as bot:
        error = await catch_failure(bot, read_timeout=0.05)
    assert isinstance(error, TimedOut)
    assert classify_error(error) is DeliveryStatus.UNKNOWN


async def test_endless_answer_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer_slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n")
        while True:
            writer.write(b" ")
            await asyncio.sleep(0.01)

    for name in ("CONNECT_TIMEOUT", "WRITE_TIMEOUT", "READ_TIMEOUT", "POOL_TIMEOUT"):
        monkeypatch.setattr(module, name, 0.2)
    async with run_bot(answer_slowly) as bot:
        error = await catch_failure(bot)
    assert isinstance(error, TimedOut)
    assert classify_error(error) is DeliveryStatus.UNKNOWN


@pytest.mark.parametrize(
    "serve",
    [
        hang_up,
        answer_with(b"SSH-2.0-OpenSSH_9\r\n\r\n"),
        answer_with(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
    ],
    ids=["hangs up", "no HTTP", "half an answer"],
)
async def test_broken_answer_counts_as_unknown(serve: Serve) -> None:
    async with run_bot(serve) as bot:
        error = await catch_failure(bot, read_timeout=0.2)
    assert classify_error(error) is DeliveryStatus.UNKNOWN


async def test_closed_connection_is_not_reused() -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(YES)

    async with run_bot(answer_once) as bot:
        for _ in range(3):
            assert await call_api(bot, "getMe", {}) == "😀"
            for _ in range(20):
                await asyncio.sleep(0)  # each turn of the loop looks at its sockets


async def test_redirect_is_not_followed() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    async with run_bot(answer_with(moved)) as bot:
        assert (await catch_failure(bot)).message.startswith("Found (302)")


async def test_request_on_closed_connections_is_an_error() -> None:
    connections = Connections("http://127.0.0.1:1")
    await connections.shutdown()
    with pytest.raises(NetworkError, match="not open"):
        await connections.post("http://127.0.0.1:1/bot/getMe")


async def test_error_message_does_not_hold_the_address() -> None:
    async def abort_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    file = {"document": {"name": "large", "text": "x" * 300_000}}
    async with run_bot(abort_connection) as bot:
        for _ in range(20):
            with pytest.raises(NetworkError) as caught:
                await call_api(bot, "sendDocument", file)
            assert classify_error(caught.value) is DeliveryStatus.UNKNOWN
            assert TOKEN not in repr(caught.value)
            assert "127.0.0.1" not in caught.value.message


async def test_error_message_does_not_repeat_the_request() -> None:
    given = {"caption": "secret words \ud800", "document": InputFile(b"x", filename="x.json")}
    async with run_bot(answer_nothing) as bot:
        with pytest.raises(NetworkError) as caught:
            await call_api(bot, "sendDocument", given)
    assert caught.value.message == "TypeError"


@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://127.0.0.1:1080",
        "http://127.0.0.1:port",
        "http://",
        "127.0.0.1:0",
        "http://[::1",
        "ftp://p:21",
    ],
)
def test_unusable_proxy_is_a_settings_error(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(SettingsError) as caught:
        Connections("https://api.telegram.org")
    assert str(caught.value) == "HTTPS_PROXY: no address of an HTTP proxy, such as http://host:3128"


async def test_refusing_proxy_is_in_the_error_message(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(refusal)
        await reader.read()

    monkeypatch.delenv("no_proxy", raising=False)
    async with run_server(serve) as proxy:
        monkeypatch.setenv("https_proxy", proxy)
        async with connect_bot("https://telegram.invalid") as bot:
            error = await catch_failure(bot)
    assert error.message == "ClientHttpProxyError: the proxy answers 407"


@pytest.mark.parametrize(
    ("environment", "root", "proxy"),
    [
        ({}, "https://api.telegram.org", None),
        ({"https_proxy": "http://p:3128"}, "https://api.telegram.org", "http://p:3128"),
        ({"https_proxy": "p:3128"}, "https://api.telegram.org", "http://p:3128"),
        ({"https_proxy": "http://p:3128"}, "http://127.0.0.1:8081", None),
        ({"http_proxy": "http://p:3128", "no_proxy": "127.0.0.1"}, "http://127.0.0.1:8081", None),
        ({"all_proxy": "http://u:w@p:3128"}, "https://api.telegram.org", "http://u:w@p:3128"),
    ],
)
def test_proxy_is_read_from_the_environment(
    environment: dict[str, str], root: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert find_proxy(root) == proxy


async def test_requests_go_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    requests_seen = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests_seen.append((await read_request(reader))[0].splitlines()[0])
        writer.write(YES)

    monkeypatch.delenv("no_proxy", raising=False)
    async with run_server(serve) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        async with connect_bot("http://telegram.invalid") as bot:
            assert await call_api(bot, "getMe", {}) == "😀"
    assert requests_seen == [f"POST http://telegram.invalid/bot{TOKEN}/getMe HTTP/1.1"]


@pytest.mark.parametrize(("status", "reached"), [(200, True), (429, True), (500, True), (502, False)])
async def test_connectivity_records_answers(status: int, reached: bool) -> None:
    """An answer of a gateway says nothing about Telegram."""
    answer = b"HTTP/1.1 %d Odd\r\nContent-Length: 2\r\n\r\n{}" % status
    async with run_bot(answer_with(answer)) as bot:
        assert isinstance(bot.request, Connections)
        bot.request.connectivity.record_failure(0.0)
        with contextlib.suppress(TelegramError):
            await call_api(bot, "getMe", {})
        assert (bot.request.connectivity.outage_seconds == 0.0) is reached


@pytest.mark.parametrize("serve", [hang_up, answer_nothing])
async def test_connectivity_records_the_start_of_an_outage(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_TIMEOUT", 0.05)
    async with run_bot(serve) as bot:
        assert isinstance(bot.request, Connections)
        with pytest.raises(NetworkError):
            await call_api(bot, "getMe", {})
        assert 0.0 < bot.request.connectivity.outage_seconds < 60.0
