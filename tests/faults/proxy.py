"""A proxy as one stands before a service of several bots: each connection goes to the next of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """Takes connections at `port` and hands them on; who refuses one is passed over."""

    to: Sequence[int]
    port: int = 0
    _next: int = 0
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Join a client to the next bot that answers."""
        for _ in self.to:
            self._next = (self._next + 1) % len(self.to)
            with contextlib.suppress(OSError):
                far = await asyncio.open_connection("127.0.0.1", self.to[self._next])
                break
        else:
            writer.close()
            return
        for source, sink in ((reader, far[1]), (far[0], writer)):
            task = asyncio.create_task(_pass_on(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await source.read(65536):
            sink.write(chunk)
            await sink.drain()
    sink.close()


@asynccontextmanager
async def proxy(to: Sequence[int], port: int = 0) -> AsyncIterator[Proxy]:
    """A proxy on that port, or on one of its own."""
    made = Proxy(to)
    listening = await asyncio.start_server(made.take, "127.0.0.1", port)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        await made.close()
