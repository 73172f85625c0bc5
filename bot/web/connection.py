"""One connection to the web server, within limits that uvicorn leaves to a proxy in front of it.

A bot on a small machine has no proxy: whoever connects and says nothing, or goes on with headers for ever,
would be listened to for ever.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bot.web.crowd import CROWD, Crowd
from bot.web.guards import ALWAYS

IDLE = 120.0
"""Seconds within which a request must have come whole; of one that was answered before, the rest is read and
dropped so long, so that the answer is heard."""
HEAD = 16 * 1024
"""Bytes of a request at most beside those of its body: line, headers, what marks the body's parts."""
AHEAD = 16
"""Requests at most that wait while one is answered; a browser sends none before it has the answer."""
PIECE = 4096
"""Bytes that are looked at together."""
REFUSAL = (
    "".join(f"{name.lower()}: {value}\r\n" for name, value in ALWAYS.items())
    + "content-type: text/plain; charset=utf-8\r\ncontent-length: 4\r\nconnection: close\r\n\r\n400\n"
).encode()
"""What is said of what is no request, after the line and the server's own headers."""
ABORT = "twentyfour.abort"
"""The extension by which an answer drops a connection whose other end reads nothing any more."""
ROOM = "twentyfour.room"
"""The extension that tells whether there is room for what strangers ask, and for what goes on for long."""


class HeadError(Exception):
    """There is more than anybody needs: before the body, or of requests ahead of their time."""


class Connection(HttpToolsProtocol):
    """uvicorn's connection, which ends when a request is too long in coming or has too much around it."""

    def __init__(self, *given: Any, crowd: Crowd = CROWD, **named: Any) -> None:
        super().__init__(*given, **named)
        self._crowd = crowd
        self.access_log = False
        self._beside = 0
        """Bytes of the request that are not of its body; below 0 where the body is larger than that."""
        self._head = 0
        """Bytes of the request's line and headers so far."""
        self._extensions = dict[str, Any]()
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a request."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._wait()
        self._crowd.came(self, self.client[0] if self.client else "")

    def drop(self) -> None:
        """End it now, whatever was not read of it."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        self._crowd.left(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, piece by piece, until there is too much that is no body."""
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            self._beside += len(piece)
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._beside > HEAD:
                self.send_400_response("")
                return

    def on_message_begin(self) -> None:
        """A request begins; on a connection that is kept it is one more."""
        super().on_message_begin()
        self._extensions = {ABORT: self.transport.abort}
        self.scope["extensions"] = self._extensions
        self._beside = self._head = 0
        self._wait()

    def on_url(self, url: bytes) -> None:
        """Take a part of what is asked for."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, with what stands between it and the next one."""
        self._count(len(name) + len(value) + 4)
        super().on_header(name, value)

    def _count(self, more: int) -> None:
        """Raises HeadError, which ends the parsing: nothing is answered but that it is no request."""
        self._head += more
        if self._head > HEAD:
            raise HeadError

    def on_headers_complete(self) -> None:
        """It is known what is asked, and that is answered from now on."""
        self._crowd.works(self)
        self._extensions[ROOM] = self._crowd.room()
        super().on_headers_complete()
        if len(self.pipeline) > AHEAD:  # each keeps some kilobytes, and answers that nobody reads many more
            self.transport.abort()
            raise HeadError

    def on_response_complete(self) -> None:
        """The answer is out of hand, though perhaps not out of the machine."""
        super().on_response_complete()
        if self.cycle.response_complete:  # else the next one, asked for before, is being answered
            self._wait()  # also where it closes: that would wait without end for who reads nothing
            self._crowd.waits(self)

    def on_body(self, body: bytes) -> None:
        """Take a part of the body; the marks between many small parts may be as long as these are."""
        self._beside -= 2 * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request has come whole; how long its answer takes is its own affair."""
        self._wait_no_more()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Repeat nothing of what came, and end the connection."""
        if self.transport.is_closing():
            return
        told = b"".join(b"%s: %s\r\n" % header for header in self.server_state.default_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + told + REFUSAL)
        self.transport.close()
        self._crowd.waits(self)

    def _wait(self) -> None:
        self._wait_no_more()
        self._patience = self.loop.call_later(IDLE, self._give_up, self.transport.get_write_buffer_size())

    def _give_up(self, before: int) -> None:
        """End it; whoever still reads what was answered, however slowly, gets the rest and nothing more."""
        left = self.transport.get_write_buffer_size()
        if left and before - left >= PIECE:
            self.transport.close()
            self._wait()
        else:
            self.transport.abort()

    def _wait_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
