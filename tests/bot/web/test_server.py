"""The web server: bodies, refusals, headers and closing."""

import asyncio
import errno
import logging
import re
import socket
import zlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from bot import i18n
from bot.settings import Address
from bot.web import server
from bot.web.server import (
    SECURITY_HEADERS,
    SecurityHeadersMiddleware,
    Server,
    make_refusal,
    open_listening_sockets,
    read_body,
)

MOST = 100


class Site:
    """A server with one page that returns the length of the body, once `go_on` is set."""

    def __init__(self) -> None:
        self.server = Server([Route("/length", self.respond_length, methods=["POST"])])
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def respond_length(self, request: Request) -> Response:
        body = await read_body(request, MOST)
        self.reached.set()
        await self.go_on.wait()
        return PlainTextResponse(f"{len(body)}\n")

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.server.port)

    async def ask(self, *lines: str, body: bytes = b"") -> str:
        """Send a request; return all that comes until the server closes."""
        reader, writer = await self.connect()
        writer.write("\r\n".join([*lines, "Host: x", "Connection: close", "", ""]).encode() + body)
        try:
            async with asyncio.timeout(60):
                return (await reader.read()).decode()
        finally:
            writer.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    opened = Site()
    await opened.server.listen(Address("127.0.0.1", 0))
    yield opened
    await opened.server.close()


async def test_client_who_connects_before_serving_waits_for_the_routes() -> None:
    site = Site()
    site.server.bind(Address("127.0.0.1", 0))
    asking = asyncio.create_task(site.ask("GET /later HTTP/1.1"))
    await asyncio.sleep(0)  # the request is sent
    site.server.add_routes([Route("/later", lambda _: PlainTextResponse("here"))])
    await site.server.serve()
    assert (await asking).startswith("HTTP/1.1 200 OK\r\n")
    await site.server.close()


async def test_route_is_served(site: Site) -> None:
    answer = await site.ask("POST /length?x=1 HTTP/1.1", "Content-Length: 5", body=b"hello")
    assert answer.startswith("HTTP/1.1 200 OK\r\n")
    assert answer.endswith("\r\n\r\n5\n")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("POST /length HTTP/1.1", "Content-Length: 0"), 200),
        (("GET /elsewhere HTTP/1.1",), 404),
        (("GET /length HTTP/1.1",), 405),
        (("POST /length HTTP/1.1", "Content-Length: 101"), 413),
    ],
)
async def test_all_responses_have_security_headers(site: Site, lines: tuple[str, ...], status: int) -> None:
    answer = await site.ask(*lines)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    for name, value in SECURITY_HEADERS.items():
        assert answer.count(f"\r\n{name.lower()}: {value}\r\n") == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("GET /elsewhere HTTP/1.1",),
        ("GET http://elsewhere/length HTTP/1.1",),
        ("POST /length HTTP/1.1", "Content-Length: 0"),
    ],
)
async def test_server_header_hides_the_software(site: Site, lines: tuple[str, ...]) -> None:
    answer = await site.ask(*lines)
    assert answer.count("\r\nserver: web\r\n") == 1
    assert not re.search("uvicorn|starlette|python|date:", answer, re.IGNORECASE)


async def test_chunked_body_is_joined(site: Site) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
    await writer.drain()
    writer.write(b"3\r\ncde\r\n0\r\n\r\n")
    assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    writer.close()


async def test_trailing_slash_is_another_path(site: Site) -> None:
    answer = await site.ask("POST /length/ HTTP/1.1", "Content-Length: 0")
    assert answer.startswith("HTTP/1.1 404 ")


def test_client_input_is_not_logged() -> None:
    assert not any(
        logging.getLogger(name).isEnabledFor(logging.CRITICAL) for name in ("uvicorn.error", "uvicorn.access")
    )


async def test_expect_100_continue_is_answered(site: Site) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"ab")
    assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    writer.close()


async def test_disconnect_is_not_logged(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="bot")
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")  # it waits for the body
    writer.transport.abort()
    assert (await site.ask("POST /length HTTP/1.1", "Content-Length: 0")).startswith("HTTP/1.1 200 ")
    assert caplog.messages == []


async def test_slow_body_gives_408(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_TIMEOUT", 0.01)
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
    assert await reader.readline() == b"HTTP/1.1 408 Request Timeout\r\n"
    writer.close()


@pytest.mark.parametrize(
    ("lines", "body", "status"),
    [
        (("POST /length HTTP/1.1", "Transfer-Encoding: chunked"), b"zz\r\n", 400),
        (("POST /length HTTP/1.1", "Transfer-Encoding: chunked"), b"2\r\nab\r\nzz\r\n", 400),
        (("POST /length HTTP/1.1", "Content-Length: x"), b"", 400),
        (("POST /length HTTP/1.1", "Content-Length: 1", "Content-Length: 2"), b"ab", 400),
        (
            ("POST /length HTTP/1.1", "Transfer-Encoding: chunked"),
            b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n",
            413,
        ),
    ],
)
async def test_malformed_requests_are_refused(
    site: Site, lines: tuple[str, ...], body: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answer = await site.ask(*lines, body=body)
    assert answer.split()[1] == str(status)
    assert not re.search("uvicorn|starlette|python", answer, re.IGNORECASE)
    assert not [r for r in caplog.records if r.name.startswith("bot")]


async def test_compressed_bodies_are_not_decompressed(site: Site) -> None:
    packed = zlib.compress(b" " * 1_000_000)
    lines = ("POST /length HTTP/1.1", "Content-Encoding: deflate", f"Content-Length: {len(packed)}")
    assert (await site.ask(*lines, body=packed)).startswith("HTTP/1.1 413 ")


async def test_open_request_is_finished_on_close(site: Site) -> None:
    site.go_on.clear()
    asking = asyncio.create_task(site.ask("POST /length HTTP/1.1", "Content-Length: 0"))
    await site.reached.wait()
    closing = asyncio.create_task(site.server.close())
    await asyncio.sleep(0)
    site.go_on.set()
    assert (await asking).startswith("HTTP/1.1 200 ")
    await closing


async def test_idle_connection_does_not_delay_close(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    await site.server.close()
    await reader.read()
    writer.close()


async def test_two_part_response_is_not_delayed(site: Site) -> None:
    # Head and body are two small writes; the second must not wait for the first's acknowledgement.
    reader, writer = await site.connect()
    loop, took = asyncio.get_running_loop(), []
    for _ in range(10):
        began = loop.time()
        writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
        while await reader.readline() != b"1\n":
            pass
        took.append(loop.time() - began)
    writer.close()
    assert sorted(took)[5] < 0.03, "a word that something has come may take 40 ms"


def test_taken_port_raises() -> None:
    (taken,) = open_listening_sockets(Address("127.0.0.1", 0))
    with taken, pytest.raises(OSError, match="in use") as raised:
        open_listening_sockets(Address("127.0.0.1", taken.getsockname()[1]))
    assert raised.value.errno == errno.EADDRINUSE


def test_host_with_two_addresses_listens_at_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _resolve_two_addresses)
    sockets = open_listening_sockets(Address("localhost", 0))
    assert len({s.getsockname()[:2] for s in sockets}) == len(sockets)
    assert len({s.getsockname()[1] for s in sockets}) == 1
    for one in sockets:
        one.close()


def test_unsupported_address_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _resolve_two_addresses)
    genuine = socket.create_server

    def create(address: tuple[str, int], *, family: int) -> socket.socket:
        if address[0] == "127.0.0.2":
            raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
        return genuine(address, family=family)

    monkeypatch.setattr(socket, "create_server", create)
    (one,) = open_listening_sockets(Address("localhost", 0))
    assert one.getsockname()[0] == "127.0.0.1"
    one.close()


def test_unknown_address_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(*_: object, **__: object) -> socket.socket:
        raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")

    monkeypatch.setattr(socket, "create_server", create)
    with pytest.raises(OSError, match="Cannot assign requested address"):
        open_listening_sockets(Address("127.0.0.1", 0))


def _resolve_two_addresses(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    return [(*kind, (host, 0)) for host in ("127.0.0.1", "127.0.0.2", "127.0.0.1")]


async def send_headers(answer: Response) -> list[tuple[str, str]]:
    """Return the headers of a sent response."""
    sent = list[Message]()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(scope, receive, send)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await SecurityHeadersMiddleware(application)({"type": "http", "method": "GET"}, receive, send)
    return [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


async def test_default_security_headers_are_added() -> None:
    result = dict(await send_headers(Response("x", 404)))
    assert {name: result[name.lower()] for name in SECURITY_HEADERS} == SECURITY_HEADERS


@pytest.mark.parametrize("name", SECURITY_HEADERS)
async def test_own_headers_are_kept(name: str) -> None:
    result = await send_headers(Response("x", headers={name: "other"}))
    assert [value for each, value in result if each == name.lower()] == ["other"]
    assert len(result) == len(dict(result))


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HERE = "Nothing opens at this address. Use the link just as you were given it."
LATER = "This can’t be shown just now. Try again in a moment."


def make_request(accept: str = BROWSER, language: str = "", method: str = "GET") -> Request:
    headers = [(b"accept", accept.encode()), (b"accept-language", language.encode())]
    scope: dict[str, Any] = {"type": "http", "method": method, "path": "/secret", "headers": headers}
    return Request(scope)


@pytest.mark.parametrize("status", [401, 403, 404, 405])
def test_browser_refusal_has_a_sentence(status: int) -> None:
    answer = make_refusal(make_request(), status)
    assert (answer.status_code, bytes(answer.body).decode()) == (status, f"{HERE}\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Vary"] == "Accept, Accept-Language"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_browser_refusal_asks_to_try_again(status: int) -> None:
    answer = make_refusal(make_request(), status, {"Retry-After": "5"})
    assert bytes(answer.body).decode() == f"{LATER}\n"
    assert answer.headers["Retry-After"] == "5"


@pytest.mark.parametrize("language", i18n.list_languages())
def test_browser_refusal_is_in_its_first_language(language: str) -> None:
    tag = language.replace("_", "-")
    answer = make_refusal(make_request(language=f"{tag},de;q=0.9"), 404)
    assert bytes(answer.body).decode() == f"{i18n.get_words(language).translate_plain(HERE)}\n"


@pytest.mark.parametrize(
    "request_",
    [make_request("*/*"), make_request("application/json"), make_request(""), make_request(method="POST")],
    ids=["anything", "json", "nothing", "post"],
)
def test_program_refusal_is_the_status(request_: Request) -> None:
    answer = make_refusal(request_, 404)
    assert (answer.body, "Vary" in answer.headers) == (b"404\n", False)
