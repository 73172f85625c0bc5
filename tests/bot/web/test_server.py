"""What the web server says to whoever connects, however odd."""

import asyncio
import logging
import re
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import cast

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.settings import Address
from bot.web import connection, server
from bot.web.connection import AHEAD
from bot.web.crowd import Crowd
from bot.web.guards import ALWAYS
from bot.web.server import Server, body_of

MOST = 100


class Site:
    """A server whose one page tells the length of what it was sent, once it may."""

    def __init__(self, crowd: Crowd) -> None:
        self.server = Server([Route("/length", self.length, methods=["POST"])], crowd)
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def length(self, request: Request) -> Response:
        body = await body_of(request, MOST)
        self.reached.set()
        await self.go_on.wait()
        return PlainTextResponse(f"{len(body)}\n")

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.server.port)

    async def ask(self, *lines: str, body: bytes = b"") -> str:
        """All that is said until the connection is closed from there."""
        reader, writer = await self.connect()
        writer.write("\r\n".join([*lines, "Host: x", "Connection: close", "", ""]).encode() + body)
        try:
            async with asyncio.timeout(60):
                return (await reader.read()).decode()
        finally:
            writer.close()

    async def closed(self, reader: asyncio.StreamReader) -> None:
        """It ends from there; whatever was on the way is dropped."""
        async with asyncio.timeout(60):
            with suppress(ConnectionError):
                assert await reader.read() == b""


@pytest.fixture
def most() -> int:
    """How many connections there may be."""
    return 1000


@pytest.fixture
async def site(most: int) -> AsyncIterator[Site]:
    opened = Site(Crowd(lambda: most))
    await opened.server.listen(Address("127.0.0.1", 0))
    yield opened
    await opened.server.close()


async def test_a_page_answers(site: Site) -> None:
    answer = await site.ask("POST /length?x=1 HTTP/1.1", "Content-Length: 5", body=b"hello")
    assert answer.startswith("HTTP/1.1 200 OK\r\n")
    assert answer.endswith("\r\n\r\n5\n")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("POST /length HTTP/1.1", "Content-Length: 0"), 200),
        (("POST /length HTTP/1.1", "Content-Length: x"), 400),
        (("GET /elsewhere HTTP/1.1",), 404),
        (("GET /length HTTP/1.1",), 405),
        (("POST /length HTTP/1.1", "Content-Length: 101"), 413),
    ],
)
async def test_every_answer_is_guarded(site: Site, lines: tuple[str, ...], status: int) -> None:
    answer = await site.ask(*lines)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    for name, value in ALWAYS.items():
        assert answer.count(f"\r\n{name.lower()}: {value}\r\n") == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("GET /elsewhere HTTP/1.1",),
        ("GET http://elsewhere/length HTTP/1.1",),
        ("POST /length HTTP/1.1", "Content-Length: 0"),
    ],
)
async def test_nobody_is_told_which_server_it_is(site: Site, lines: tuple[str, ...]) -> None:
    answer = await site.ask(*lines)
    assert answer.count("\r\nserver: web\r\n") == 1
    assert not re.search("uvicorn|starlette|python|date:", answer, re.IGNORECASE)


async def test_a_body_that_comes_in_parts_is_put_together(site: Site) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
    await writer.drain()
    writer.write(b"3\r\ncde\r\n0\r\n\r\n")
    assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    writer.close()


@pytest.mark.parametrize(("size", "status"), [(12_000, 200), (16_000, 200), (17_000, 400), (30_000, 400)])
async def test_a_request_has_so_much_beside_its_body_at_most(site: Site, size: int, status: int) -> None:
    padding = [f"X-{n}: {'x' * 990}" for n in range(size // 1000)]
    answer = await site.ask("POST /length HTTP/1.1", "Content-Length: 0", *padding)
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert site.reached.is_set() is (status == 200)


async def test_a_large_body_is_nothing_beside_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bot.web.test_server.MOST", 100_000)
    answer = await site.ask("POST /length HTTP/1.1", "Content-Length: 60000", body=b"x" * 60_000)
    assert answer.endswith("\r\n\r\n60000\n")


async def test_a_path_with_a_slash_more_is_another_one(site: Site) -> None:
    answer = await site.ask("POST /length/ HTTP/1.1", "Content-Length: 0")
    assert answer.startswith("HTTP/1.1 404 ")


def test_what_strangers_write_is_in_no_log_of_the_servers() -> None:
    assert not any(
        logging.getLogger(name).isEnabledFor(logging.CRITICAL) for name in ("uvicorn.error", "uvicorn.access")
    )


async def test_who_asks_whether_to_send_is_told_to_go_on(site: Site) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"ab")
    assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    writer.close()


async def test_who_hangs_up_in_the_midst_leaves_no_word_in_the_log(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="bot")
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")  # it waits for the body
    writer.transport.abort()
    assert (await site.ask("POST /length HTTP/1.1", "Content-Length: 0")).startswith("HTTP/1.1 200 ")
    assert caplog.messages == []


async def test_a_body_that_never_ends_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.01)
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
    assert await reader.readline() == b"HTTP/1.1 408 Request Timeout\r\n"
    writer.close()


@pytest.mark.parametrize("beginning", [b"", b"POST /length HT"])
async def test_a_connection_on_which_nothing_is_asked_is_closed(
    site: Site, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    monkeypatch.setattr(connection, "IDLE", 0.01)
    reader, writer = await site.connect()
    with suppress(ConnectionResetError):  # closed before anything could be written
        writer.write(beginning)
        assert await reader.read() == b""
    writer.close()


async def test_what_was_asked_behind_another_is_answered_however_long_it_takes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "IDLE", 0.05)
    site.go_on.clear()
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" * 2)
    await site.reached.wait()
    site.reached.clear()
    site.go_on.set()
    site.go_on.clear()
    await site.reached.wait()
    await asyncio.sleep(connection.IDLE * 3)
    site.go_on.set()
    for _ in range(2):
        assert (await reader.readuntil(b"\r\n\r\n0\n")).startswith(b"HTTP/1.1 200 ")
    writer.close()


class Unread:
    """A transport whose other end has taken some of what is left whenever that is looked at."""

    def __init__(self, *left: int) -> None:
        self.left, self.done, self.over = list(left), list[str](), asyncio.Event()

    def get_write_buffer_size(self) -> int:
        return self.left.pop(0) if self.left else 0

    def close(self) -> None:
        self.done.append("close")

    def abort(self) -> None:
        self.done.append("abort")
        self.over.set()

    def is_closing(self) -> bool:
        return bool(self.done)


@pytest.mark.parametrize(
    ("left", "done"),
    [
        ((0, 0), ["abort"]),
        ((60_000, 60_000), ["abort"]),
        ((60_000, 59_999), ["abort"]),
        ((60_000, 50_000, 50_000, 40_000, 40_000, 40_000), ["close", "close", "abort"]),
    ],
)
async def test_an_answer_that_is_read_slowly_but_surely_is_not_cut_off(
    site: Site, monkeypatch: pytest.MonkeyPatch, left: tuple[int, ...], done: list[str]
) -> None:
    monkeypatch.setattr(connection, "IDLE", 0.01)
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n0\n")
    assert site.server._server
    (one,) = site.server._server.server_state.connections
    assert isinstance(one, connection.Connection)
    real, unread = one.transport, Unread(*left)
    one.transport = cast("asyncio.Transport", unread)
    one._wait()
    async with asyncio.timeout(60):
        await unread.over.wait()
    assert unread.done == done
    real.abort()
    writer.close()


@pytest.mark.parametrize(
    ("lines", "body", "status"),
    [
        (("POST /length HTTP/1.1", "Transfer-Encoding: chunked"), b"zz\r\n", 400),
        (("POST /length HTTP/1.1", "Transfer-Encoding: chunked"), b"2\r\nab\r\nzz\r\n", 400),
        (("POST /length HTTP/1.1", "Content-Length: x"), b"", 400),
        (("POST /length HTTP/1.1", "Content-Length: 1", "Content-Length: 2"), b"ab", 400),
        (("POST /length HTTP/1.1", f"X: {'x' * 100_000}"), b"", 400),
        (
            ("POST /length HTTP/1.1", "Transfer-Encoding: chunked"),
            b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n",
            413,
        ),
    ],
)
async def test_what_is_no_request_is_refused(
    site: Site, lines: tuple[str, ...], body: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answer = await site.ask(*lines, body=body)
    assert answer.split()[1] == str(status)
    assert answer.endswith(f"\r\n\r\n{status}\n")
    assert not re.search("uvicorn|starlette|python", answer, re.IGNORECASE)
    assert not [r for r in caplog.records if r.name.startswith("bot")]


async def test_what_is_packed_is_not_unpacked(site: Site) -> None:
    packed = zlib.compress(b" " * 1_000_000)
    lines = ("POST /length HTTP/1.1", "Content-Encoding: deflate", f"Content-Length: {len(packed)}")
    assert (await site.ask(*lines, body=packed)).startswith("HTTP/1.1 413 ")


async def test_what_is_being_answered_when_the_server_closes_is_answered(site: Site) -> None:
    site.go_on.clear()
    asking = asyncio.create_task(site.ask("POST /length HTTP/1.1", "Content-Length: 0"))
    await site.reached.wait()
    closing = asyncio.create_task(site.server.close())
    await asyncio.sleep(0)
    site.go_on.set()
    assert (await asking).startswith("HTTP/1.1 200 ")
    await closing


async def test_a_connection_that_waits_does_not_hold_up_the_end(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = await site.connect()
    writer.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    await site.server.close()
    await reader.read()
    writer.close()


async def test_an_answer_in_two_parts_comes_at_once(site: Site) -> None:
    """Head and body are two small writes: the second is not held until the first has come."""
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


@pytest.mark.parametrize("most", [4])
async def test_whoever_only_holds_a_connection_makes_room(site: Site) -> None:
    silent = [await site.connect() for _ in range(12)]
    answer = await site.ask("POST /length HTTP/1.1", "Content-Length: 2", body=b"ab")
    assert answer.startswith("HTTP/1.1 200 ")
    for reader, _ in silent[:9]:
        await site.closed(reader)
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize("most", [2])
async def test_what_is_being_answered_is_not_closed_for_others(site: Site) -> None:
    site.go_on.clear()
    asking = asyncio.create_task(site.ask("POST /length HTTP/1.1", "Content-Length: 0"))
    await site.reached.wait()
    silent = [await site.connect() for _ in range(5)]
    for reader, _ in silent[:4]:
        await site.closed(reader)
    site.go_on.set()
    assert (await asking).startswith("HTTP/1.1 200 ")
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize("most", [2])
async def test_a_connection_that_was_answered_waits_from_then_on(site: Site) -> None:
    (first, asks), (second, silent) = await site.connect(), await site.connect()
    asks.write(b"POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    await first.readuntil(b"\r\n\r\n0\n")
    _, third = await site.connect()
    await site.closed(second)
    _, fourth = await site.connect()
    await site.closed(first)
    for writer in (asks, silent, third, fourth):
        writer.close()


async def test_a_burst_is_taken_some_at_a_time(site: Site) -> None:
    """All that come are not taken before the first of them makes room: each is a file until it is closed."""
    listening = site.server._server
    assert listening
    assert listening.config.backlog == server.AT_ONCE


async def test_who_asks_ever_more_without_waiting_for_answers_is_cut_off(site: Site) -> None:
    """Each of them would be kept, and each answer that nobody reads."""
    reader, writer = await site.connect()
    asked = b"GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n"
    answered = 0
    with suppress(ConnectionError):
        for _ in range(500):
            writer.write(asked * 100)
            await writer.drain()
        answered = (await reader.read()).count(b"HTTP/1.1 404")
    assert answered < 1000
    writer.close()


async def test_a_few_asked_ahead_are_answered(site: Site) -> None:
    reader, writer = await site.connect()
    writer.write(b"GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n" * AHEAD)
    for _ in range(AHEAD):
        assert await reader.readline() == b"HTTP/1.1 404 Not Found\r\n"
        await reader.readuntil(b"\r\n\r\n404\n")
    writer.close()
