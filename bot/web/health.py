"""Serves `/healthz`, which says whether all is well, and `/metrics` for Prometheus.

All is well when Telegram answered within the last minute, when something can be written, and when the solver
answers. Until Telegram's first answer the bot is not well: it is starting. Both pages hold counts and states;
no name, no id and no secret. The metrics are in the text format 0.0.4:
https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tornado.httpserver
import tornado.web
from tornado.netutil import bind_sockets

from bot.database import Store, cause
from bot.delivery.inbox import Inbox
from bot.people.queries import remember
from bot.pulse import Pulse
from bot.settings import Address
from bot.web.queries import Census, census
from bot.workers.pool import Pool, SolvingError

log = logging.getLogger(__name__)

ANSWERED = 2.0
"""Seconds within which the database must answer a read."""
WRITTEN = 2.0
"""Seconds within which it must commit a write."""
SILENCE = 60.0
"""Seconds without any success after which a part counts as ftrouble."""
LOOK = 10.0
"""Seconds after its last answer at which the solver is asked for one."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[dict[str, str], float]
"""Labels and a value."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of each part at one moment."""

    alive: bool
    """Whether whatever fetches updates still runs."""
    counted: Census | None
    """None: the database does not answer."""
    written: bool
    fetched: float
    """Seconds since Telegram answered last, or since the start."""
    starting: bool
    """Whether it has never answered yet."""
    worked: float
    """Seconds since the solver did something, or since the start."""
    solver: bool

    @property
    def trouble(self) -> str:
        """What is wrong, in one line for people; empty if nothing is."""
        if not self.alive:
            return "no updates come in"
        if self.fetched > SILENCE:
            return f"Telegram has not answered for {self.fetched:.0f} s"
        if self.starting:
            return "starting: Telegram has not answered yet"
        if self.counted is None:
            return "the database does not answer"
        if not self.written:
            return "the database can't be written"
        return "" if self.solver else f"the solver has not answered for {self.worked:.0f} s"


Page = tuple[str, type[tornado.web.RequestHandler], dict[str, Any]]
"""A path, who answers there, and what that is given."""


class Health:
    """The HTTP server.

    `alive` tells whether updates still come in, `unsaid` how many asides were dropped, and `fetched` when
    Telegram last answered.
    """

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        alive: Callable[[], bool],
        unsaid: Callable[[], int],
        fetched: Pulse,
        solving: Pool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._alive = alive
        self._unsaid = unsaid
        self._fetched = fetched
        self._solving = solving
        self._clock = clock
        self._written = Pulse(clock())
        self._probe: asyncio.Task[None] | None = None
        self._started = time.time()
        self.port = 0
        """Where it listens, once started."""
        self.pages: list[Page] = [
            (r"/healthz", _Healthz, {"health": self}),
            (r"/metrics", _Metrics, {"health": self}),
        ]
        """What is served, here or at the webhook's address."""
        application = tornado.web.Application(
            list(self.pages), default_handler_class=_NotFound, log_function=lambda _: None
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
        if self._probe is not None:
            self._probe.cancel()

    async def watch(self) -> None:
        """Ask the solver to answer whenever it has not done so for `LOOK` seconds."""
        while True:
            await asyncio.sleep(LOOK)
            if self._solving.worked.silent(self._clock()) >= LOOK:
                try:
                    await self._solving.look()
                except SolvingError as error:
                    log.warning("the solver does not answer: %s", cause(error))

    async def trouble(self) -> str:
        """What is wrong, in one line for people; empty if nothing is."""
        return (await self._state()).trouble

    async def metrics(self) -> str:
        """All counts and states in Prometheus's text format."""
        state = await self._state()
        return "".join(_family(*family) for family in self._families(state))

    async def _state(self) -> State:
        counted, written = await asyncio.gather(self._counted(), self._writes())
        now = self._clock()
        worked = self._solving.worked.silent(now)
        return State(
            alive=self._alive(),
            counted=counted,
            written=written,
            fetched=self._fetched.silent(now),
            starting=not self._fetched.beats,
            worked=worked,
            solver=worked <= SILENCE + self._solving.deadline,
        )

    async def _counted(self) -> Census | None:
        try:
            async with asyncio.timeout(ANSWERED):
                return await self._store.read(census)
        except Exception:  # noqa: BLE001 - whatever it is, the database does not answer
            return None

    async def _writes(self) -> bool:
        """Whether a write was committed just now. However often this is asked, one write is under way."""
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(self._write())
            self._probe.add_done_callback(lambda probe: probe.cancelled() or probe.exception())
        done, _ = await asyncio.wait([self._probe], timeout=WRITTEN)
        return bool(done) and not self._probe.cancelled() and self._probe.exception() is None

    async def _write(self) -> None:
        now = str(round(time.time()))
        await self._store.write(lambda tx: remember(tx, "health", now))
        self._written.beat(self._clock())

    def _families(self, state: State) -> Iterator[tuple[str, str, str, list[Sample]]]:
        """Name, type, help and samples of each metric."""
        counted, trouble = state.counted, state.trouble
        in_time = state.alive and not state.starting and state.fetched <= SILENCE
        yield "healthy", "gauge", "Whether /healthz answers 200.", [({}, float(not trouble))]
        yield "up", "gauge", "Whether updates come in.", [({}, float(in_time))]
        yield "fetch_age_seconds", "gauge", "Since Telegram answered last.", [({}, state.fetched)]
        yield "database_up", "gauge", "Whether the database answers.", [({}, float(counted is not None))]
        yield "database_writable", "gauge", "Whether it can be written.", [({}, float(state.written))]
        silent = self._written.silent(self._clock())
        yield "write_age_seconds", "gauge", "Since something was last written to see.", [({}, silent)]
        yield "solver_up", "gauge", "Whether the solver answers.", [({}, float(state.solver))]
        yield "solver_age_seconds", "gauge", "Since it last did.", [({}, state.worked)]
        yield "start_time_seconds", "gauge", "When the bot started, since 1970.", [({}, self._started)]
        yield "lanes_waiting", "gauge", "Updates in memory, of all chats.", [({}, self._inbox.waiting)]
        yield "updates_dropped_total", "counter", "Updates over a limit.", [({}, self._inbox.dropped)]
        yield "asides_dropped_total", "counter", "Questions that got no answer.", [({}, self._unsaid())]
        if counted is None:
            return
        yield "updates", "gauge", "Stored updates: waiting, done lately, dead.", _states(counted.updates)
        yield "letters", "gauge", "Stored requests to Telegram.", _states(counted.requests)
        yield "rounds", "gauge", "Rounds by how they stand.", _states(counted.rounds)
        yield "awards", "gauge", "Answers that scored.", [({}, counted.awards)]
        yield "chats", "gauge", "Chats that are known.", [({}, counted.chats)]
        yield "players", "gauge", "People who are known.", [({}, counted.players)]


class _NotFound(tornado.web.RequestHandler):
    """Answers every other path with 404."""

    def set_default_headers(self) -> None:
        self.clear_header("Server")

    def prepare(self) -> None:
        raise tornado.web.HTTPError(404)

    def write_error(self, status_code: int, **_: object) -> None:
        self.set_header("Content-Type", "text/plain")
        self.finish(f"{status_code}\n")

    def log_exception(self, *_: object) -> None:
        """A refused request is not logged."""


class _Answer(_NotFound):
    def initialize(self, health: Health) -> None:
        self._health = health

    def prepare(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")


class _Healthz(_Answer):
    async def get(self) -> None:
        trouble = await self._health.trouble()
        self.set_status(503 if trouble else 200)
        self.finish(f"{trouble or 'ok'}\n")


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
