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

from aiohttp import web

from bot.database import Store, cause
from bot.delivery.inbox import Inbox
from bot.people.queries import remember
from bot.pulse import Pulse
from bot.settings import Address
from bot.web.queries import Census, census
from bot.web.server import Page, Refusal, Server
from bot.workers.pool import Pool, SolvingError

log = logging.getLogger(__name__)

ANSWERED = 2.0
"""Seconds within which the database must answer a read."""
WRITTEN = 2.0
"""Seconds within which it must commit a write."""
SILENCE = 60.0
"""Seconds without any success after which a part counts as trouble."""
LOOK = 10.0
"""Seconds after its last answer at which the solver is asked for one."""
GONE = "the database's file is gone or another one: what is written is lost with this process"
PLAIN = "text/plain; charset=utf-8"
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
    there: bool
    """Whether the database is where it was."""
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
        if not self.there:
            return GONE
        return "" if self.solver else f"the solver has not answered for {self.worked:.0f} s"


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
        self._missed = False
        """Whether it was said that the database's file is gone."""
        self._probe: asyncio.Task[None] | None = None
        self._started = time.time()
        self.pages: dict[str, Page] = {"/healthz": self._healthz, "/metrics": self._metrics}
        """What is served, here or at the webhook's address."""
        self._server = Server(self.pages)

    @property
    def port(self) -> int:
        """Where it listens, once it does."""
        return self._server.port

    async def start(self, listen: Address) -> None:
        """Listen. Raises OSError when the address can't be had."""
        await self._server.listen(listen)

    async def close(self) -> None:
        """Stop listening."""
        await self._server.close()
        if self._probe is not None:
            self._probe.cancel()

    async def watch(self) -> None:
        """Ask the solver to answer where it has not done so for `LOOK` seconds; say when the file is gone."""
        while True:
            await asyncio.sleep(LOOK)
            if not self._store.is_there() and not self._missed:
                log.error("%s", GONE)
            self._missed = not self._store.is_there()
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

    async def _healthz(self, request: web.BaseRequest) -> web.Response:
        trouble = await self.trouble()
        return _page(request, f"{trouble or 'ok'}\n", PLAIN, 503 if trouble else 200)

    async def _metrics(self, request: web.BaseRequest) -> web.Response:
        return _page(request, await self.metrics(), CONTENT_TYPE)

    async def _state(self) -> State:
        counted, written = await asyncio.gather(self._counted(), self._writes())
        now = self._clock()
        worked = self._solving.worked.silent(now)
        return State(
            alive=self._alive(),
            counted=counted,
            written=written,
            there=self._store.is_there(),
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


def _page(request: web.BaseRequest, text: str, content_type: str, status: int = 200) -> web.Response:
    """The page for whoever may only read it."""
    if request.method not in {"GET", "HEAD"}:
        raise Refusal(405)
    headers = {"Content-Type": content_type, "Cache-Control": "no-store"}
    return web.Response(body=text.encode(), status=status, headers=headers)


def _states(counts: dict[str, int]) -> list[Sample]:
    return [({"state": state}, count) for state, count in counts.items()]


def _family(name: str, kind: str, meaning: str, samples: list[Sample]) -> str:
    full = f"twentyfour_{name}"
    lines = [f"# HELP {full} {meaning}", f"# TYPE {full} {kind}"]
    for labels, value in samples:
        shown = ",".join(f'{key}="{text}"' for key, text in labels.items())
        lines.append(f"{full}{{{shown}}} {value:.17g}" if shown else f"{full} {value:.17g}")
    return "\n".join(lines) + "\n"
