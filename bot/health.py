"""What an operator's tools ask: `/healthz`, whether all is well, and `/metrics` for Prometheus.

Both say counts and yes or no; no name, no id and no secret passes through here. The metrics are in the text
format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Protocol

import tornado.httpserver
import tornado.web
from tornado.netutil import bind_sockets

from bot.settings import Address
from bot.store import Store
from bot.store.census import Census, census

PATIENCE = 2.0
"""Seconds within which the database must answer."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[dict[str, str], float]
"""Labels and a value."""


class Queue(Protocol):
    """What is asked of the inbox."""

    dropped: int
    """Updates refused because their chat was over its limit."""

    @property
    def waiting(self) -> int:
        """How many updates wait."""
        ...


class Health:
    """The HTTP server. `alive` tells whether updates still come in."""

    def __init__(self, store: Store, inbox: Queue, alive: Callable[[], bool]) -> None:
        self._store = store
        self._inbox = inbox
        self._alive = alive
        self._started = time.time()
        self.port = 0
        """Where it listens, once started."""
        routes = [(r"/healthz", _Healthz, {"health": self}), (r"/metrics", _Metrics, {"health": self})]
        application = tornado.web.Application(
            routes, default_handler_class=_Nothing, log_function=lambda _: None
        )
        self._server = tornado.httpserver.HTTPServer(
            application, max_body_size=1024, idle_connection_timeout=60, body_timeout=5
        )

    def start(self, listen: Address) -> None:
        """Listen. Raises OSError when the address can't be had."""
        sockets = bind_sockets(listen.port, listen.host)
        self.port = sockets[0].getsockname()[1]
        self._server.add_sockets(sockets)

    async def close(self) -> None:
        """Stop listening."""
        self._server.stop()
        await self._server.close_all_connections()

    async def ailing(self) -> str:
        """What is wrong, in a word for people; empty if nothing is."""
        if not self._alive():
            return "no updates come in"
        return "" if await self._counted() else "the database does not answer"

    async def metrics(self) -> str:
        """Everything countable in Prometheus's text format."""
        counted = await self._counted()
        return "".join(_family(*family) for family in self._families(counted))

    async def _counted(self) -> Census | None:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._store.read(census)
        except Exception:  # noqa: BLE001 - whatever it is, the database does not answer
            return None

    def _families(self, counted: Census | None) -> Iterator[tuple[str, str, str, list[Sample]]]:
        """Name, type, help and samples of each metric."""
        yield "up", "gauge", "Whether updates come in.", [({}, float(self._alive()))]
        yield "database_up", "gauge", "Whether the database answers.", [({}, float(counted is not None))]
        yield "start_time_seconds", "gauge", "When the bot started, since 1970.", [({}, self._started)]
        yield "lanes_waiting", "gauge", "Updates in memory, of all chats.", [({}, self._inbox.waiting)]
        yield "updates_dropped_total", "counter", "Updates over a limit.", [({}, self._inbox.dropped)]
        if counted is None:
            return
        yield "updates", "gauge", "Stored updates: waiting, done lately, dead.", _states(counted.updates)
        yield "letters", "gauge", "Stored requests to Telegram.", _states(counted.letters)
        yield "rounds", "gauge", "Rounds by how they stand.", _states(counted.rounds)
        yield "awards", "gauge", "Answers that scored.", [({}, counted.awards)]
        yield "chats", "gauge", "Chats that are known.", [({}, counted.chats)]
        yield "players", "gauge", "People who are known.", [({}, counted.players)]


class _Nothing(tornado.web.RequestHandler):
    """Every other path."""

    def set_default_headers(self) -> None:
        self.clear_header("Server")

    def prepare(self) -> None:
        raise tornado.web.HTTPError(404)

    def write_error(self, status_code: int, **_: object) -> None:
        self.set_header("Content-Type", "text/plain")
        self.finish(f"{status_code}\n")

    def log_exception(self, *_: object) -> None:
        """Who asks for nonsense fills no log."""


class _Answer(_Nothing):
    def initialize(self, health: Health) -> None:
        self._health = health

    def prepare(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")


class _Healthz(_Answer):
    async def get(self) -> None:
        ailing = await self._health.ailing()
        self.set_status(503 if ailing else 200)
        self.finish(f"{ailing or 'ok'}\n")


class _Metrics(_Answer):
    async def get(self) -> None:
        self.set_header("Content-Type", CONTENT_TYPE)
        self.finish(await self._health.metrics())


def _states(counts: dict[str, int]) -> list[Sample]:
    return [({"state": state}, count) for state, count in counts.items()]


def _family(name: str, kind: str, meaning: str, samples: list[Sample]) -> str:
    full = f"twentyfour_{name}"
    lines = [f"# HELP {full} {meaning}", f"# TYPE {full} {kind}"]
    for labels, value in samples:
        shown = ",".join(f'{key}="{text}"' for key, text in labels.items())
        lines.append(f"{full}{{{shown}}} {value:.17g}" if shown else f"{full} {value:.17g}")
    return "\n".join(lines) + "\n"
