"""A load balancer in front of several bots: each connection goes to the next bot."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Balancer:
    """A server at `port` that forwards connections to bots in turn and skips those that refuse."""

    to: Sequence[int]
    port: int = 0
    _next: int = 0
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def connect_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect a client to the next bot that answers; close the connection if none does."""
        for _ in self.to:
            self._next = (self._next + 1) % len(self.to)
            with contextlib.suppress(OSError):
                far = await asyncio.open_connection("127.0.0.1", self.to[self._next])
                break
        else:
            writer.close()
            return
        for source, sink in ((reader, far[1]), (far[0], writer)):
            task = asyncio.create_task(_forward_bytes(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _forward_bytes(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        with contextlib.suppress(OSError):
            while chunk := await source.read(65536):
                sink.write(chunk)
                await sink.drain()
    finally:  # also when the balancer is closed
        sink.close()


@asynccontextmanager
async def run_balancer(to: Sequence[int], port: int = 0) -> AsyncIterator[Balancer]:
    """Run a balancer in front of the bots at the ports `to`; it listens on a free port if none is given."""
    made = Balancer(to)
    listening = await asyncio.start_server(made.connect_client, "127.0.0.1", port)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        await made.close()
