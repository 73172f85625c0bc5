"""A PostgreSQL server for one test, and a proxy to it that can be cut."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
OWNER = "postgres"  # Who runs the server where the tests run as root, which PostgreSQL refuses


@dataclass
class Server:
    """A PostgreSQL cluster in its own folder."""

    folder: Path
    port: int
    settings: str = ""  # More options of the server's

    @property
    def url(self) -> str:
        """Return the value for DATABASE_URL."""
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/postgres"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs; CalledProcessError when it fails."""
        path = PROGRAMS[-1].with_name(program)
        subprocess.run(
            [path, "-D", str(self.folder / "data"), *arguments],
            check=True,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **_owner_arguments(),
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1 {self.settings}"
        self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def restart(self) -> None:
        self.stop()
        self.start()

    def run_shell(self, command: str) -> None:
        """Run a shell command as the server's owner; CalledProcessError when it fails."""
        path = f"{PROGRAMS[-1].parent}:/usr/local/bin:/usr/bin:/bin"
        subprocess.run(
            ["sh", "-ec", command],
            check=True,
            cwd="/",
            stdin=subprocess.DEVNULL,
            env={"PATH": path},
            **_owner_arguments(),
        )

    def stop(self, how: str = "fast") -> None:
        """Stop the server: `fast` ends all connections, `immediate` is a crash."""
        self.run("pg_ctl", "-w", "-m", how, "stop")


def _owner_arguments() -> dict[str, Any]:
    return {"user": OWNER, "group": OWNER, "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def run_server(port: int, settings: str = "") -> Iterator[Server]:
    """Run a server; skip the test if PostgreSQL is not installed."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL's programs are not in /usr/lib/postgresql")
    folder = Path(tempfile.mkdtemp(prefix="twentyfour-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, OWNER, OWNER)
        made = Server(folder, port, settings)
        made.run("initdb", "-U", OWNER, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        made.start()
        try:
            yield made
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                made.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# The first byte of a client's message with a statement; messages of the login begin with other bytes.
# https://www.postgresql.org/docs/current/protocol-message-formats.html
QUERY = b"Q"


@dataclass
class Proxy:
    """A proxy in front of a server."""

    to: int
    port: int = 0
    refuses: bool = False  # Whether new connections are closed at once
    # Whether the first statement after the login ends a connection, as behind a pooler without its server.
    drops: bool = False
    _clients: list[asyncio.StreamWriter] = field(default_factory=list)
    _servers: list[asyncio.StreamWriter] = field(default_factory=list)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    _lost: list[asyncio.StreamWriter] = field(default_factory=list)

    async def connect_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect a client to the server."""
        if self.refuses:
            writer.close()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:  # the server is down
            writer.close()
            return
        self._clients.append(writer)
        self._servers.append(far_writer)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._forward_bytes(source, sink))
            self._tasks.add(task)

    async def _forward_bytes(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while chunk := await source.read(65536):
                if self.drops and chunk.startswith(QUERY):
                    break
                sink.write(chunk)
                await sink.drain()
        sink.close()

    def cut(self, *, server_knows: bool = True) -> None:
        """Close all connections; with `server_knows` false the server keeps its sides and locks."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        for writer in self._clients + (self._servers if server_knows else []):
            writer.transport.abort()
        self._clients.clear()
        if server_knows:
            self._servers.clear()

    def lose(self) -> None:
        """Stop forwarding on all connections without closing them, as a firewall that forgot them."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        self._lost += self._clients + self._servers
        self._clients.clear()
        self._servers.clear()

    def close(self) -> None:
        """Close all connections, also those that were lost."""
        self.cut()
        for writer in self._lost:
            writer.transport.abort()


@asynccontextmanager
async def run_proxy(to: int) -> AsyncIterator[Proxy]:
    """Run a proxy to the server at port `to`, on a free port."""
    made = Proxy(to)
    listening = await asyncio.start_server(made.connect_client, "127.0.0.1", 0)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        made.close()
        listening.close()
