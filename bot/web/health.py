"""Serves `/healthz`, which says whether all is well, `/readyz`, `/livez`, and `/metrics` for Prometheus.

All is well when Telegram answered within the last minute (and could post, by webhook), when something can be
written to tables that are not older than this version's, and when the solver answers. Until Telegram's first
answer the bot is not well: it is starting.
`/readyz` says whether this bot could take what Telegram posts, and leaves out how it goes with Telegram:
where that can't post, only a post that comes through ends it, and none would be sent to bots that say no.
`/livez` answers as long as the process does anything at all, for whoever ends one that stands still. The
pages hold counts and states; no name, no id and no secret. What is counted as it happens is in `bot.metrics`;
what is looked up when somebody asks is added here.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlalchemy import ScalarSelect, Table, func, literal, select, union_all
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.database import Store, Tx, describe_error, describe_outdated_tables
from bot.database.backup import LAST_BACKUP_KEY
from bot.database.schema import chats, inbox, outbox, parse_number, players
from bot.metrics import REGISTRY
from bot.players.queries import load_fact, store_fact
from bot.pulse import Pulse
from bot.queue.inbox import Inbox
from bot.rounds import rules as rounds
from bot.rounds.rows import is_in_state
from bot.settings import Address
from bot.web.server import Server
from bot.workers.pool import SolverPool, SolvingError

log = logging.getLogger(__name__)


# Counts in the database. Nothing here looks through a whole table.


@dataclass(frozen=True, slots=True)
class DatabaseCounts:
    """Counts of rows."""

    updates: dict[str, int]  # by state, of those that are not done
    # To Telegram, by state, of those that have not arrived; *wish*: of a wish to be forgotten.
    requests: dict[str, int]
    # When the oldest of those that wait was written, of `updates` and of `requests`, where any waits.
    oldest: dict[str, float]
    open_rounds: int  # rounds that are open
    backed_up_at: float | None  # when the last backup was made; -inf if none was; None on a server


@dataclass(frozen=True, slots=True)
class Population:
    """Counts that grow for years, and are made seldom for that."""

    chats: int
    players: int


def _oldest(table: Table) -> ScalarSelect[float]:
    return select(func.min(table.c.at)).where(table.c.state == "waiting").scalar_subquery()


UPDATES = ("waiting", "again", "dead")
REQUESTS = (*UPDATES, "wish")
BY_STATE = union_all(
    *(
        select(literal(name), table.c.state, func.count())
        .where(table.c.state.in_(states))
        .group_by(table.c.state)
        for name, table, states in (("updates", inbox, UPDATES), ("requests", outbox, REQUESTS))
    )
)
LIVE = select(func.count()).where(is_in_state(rounds.State.OPEN)).scalar_subquery()
NOW = select(_oldest(inbox).label("updates"), _oldest(outbox).label("requests"), LIVE.label("live"))


def count_pending_rows(tx: Tx) -> DatabaseCounts:
    """Count updates, requests and live rounds."""
    counts = {"updates": dict.fromkeys(UPDATES, 0), "requests": dict.fromkeys(REQUESTS, 0)}
    for name, state, count in tx.execute(BY_STATE):
        counts[name][state] = count
    now = tx.execute(NOW).one()
    oldest = {"updates": now.updates, "requests": now.requests}
    return DatabaseCounts(
        **counts,
        oldest={name: float(at) for name, at in oldest.items() if at is not None},
        open_rounds=int(now.live),
        backed_up_at=_read_backup_time(tx) if tx.dialect.name == "sqlite" else None,
    )


def _read_backup_time(tx: Tx) -> float:
    at = parse_number(load_fact(tx, LAST_BACKUP_KEY) or "")
    return -inf if at is None else at


def count_chats_and_players(tx: Tx) -> Population:
    """Count the chats and people that are known."""
    return Population(
        *(int(tx.scalar(select(func.count()).select_from(table)) or 0) for table in (chats, players))
    )


DATABASE_GONE = "the database's file is gone or another one: what is written is lost with this process"
SILENCE = 60.0  # seconds without any success after which a part counts as trouble


@dataclass(frozen=True, slots=True)
class HealthState:
    """The state of each part at one moment."""

    alive: bool  # whether whatever fetches updates still runs
    counts: DatabaseCounts | None  # none: the database does not answer
    is_writable: bool
    is_in_place: bool  # whether the database is where it was
    schema_problem: (
        str  # that its tables are older than this version's; empty where they are not, or it does not say
    )
    fetch_age: float  # seconds since Telegram answered last, or since the start
    answer_age: float  # seconds since Telegram answered anything at all, as far as this bot knows
    hindrance: str  # why it can't post here, as it said last; empty where it can, or nobody knows
    followed: bool  # whether another bot asks Telegram, for this one as well
    cut_off: bool  # whether Telegram answers others, and not this bot
    starting: bool  # whether it has never answered yet
    solver_age: float  # seconds since the solver did something, or since the start
    is_solver_up: bool
    clock_difference: str  # how far this machine's clock is from Telegram's, in words; empty where they agree

    @property
    def problem(self) -> str:
        """The first thing that is wrong, in one line; empty if nothing is."""
        if self.alive and not self.schema_problem and self.cut_off:
            return "Telegram answers other bots, and not this one, which leaves its chats to them"
        if self.alive and not self.schema_problem and self.fetch_age > SILENCE:
            return self._silence
        return self.readiness_problem or self.clock_difference

    @property
    def readiness_problem(self) -> str:
        """The reason why this bot can't take what is posted to it, in one line; empty if it can."""
        if not self.alive:
            return "no updates come in"
        if self.schema_problem:
            return self.schema_problem
        if self.starting:
            return "starting: Telegram has not answered yet"
        if self.counts is None:
            return "the database does not answer"
        if not self.is_writable:
            return "the database can't be written"
        if not self.is_in_place:
            return DATABASE_GONE
        return "" if self.is_solver_up else f"the solver has not answered for {self.solver_age:.0f} s"

    @property
    def _silence(self) -> str:
        if self.hindrance and self.answer_age <= SILENCE:
            return f"Telegram can't post here: {self.hindrance}"
        if self.followed:
            return (
                f"the bot that leads has not told for {self.fetch_age:.0f} s that updates come in:"
                " its /healthz and its log say why"
            )
        return f"Telegram has not answered for {self.answer_age:.0f} s"


UNCACHED = {"Cache-Control": "no-store"}
HEALTH_PATHS = HEALTHZ, READYZ, LIVEZ, METRICS = "/healthz", "/readyz", "/livez", "/metrics"
POPULATION_SECONDS = 600.0  # seconds after which it is counted anew how many chats and people are known
LOOK = 10.0  # seconds after its last answer at which the solver is asked for one
WRITE_TIMEOUT = 2.0  # seconds within which it must commit a write
READ_TIMEOUT = 2.0  # seconds within which the database must answer a read


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
        solving: SolverPool,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._alive = alive
        self._unsaid = unsaid
        self._fetched = fetched
        self._solving = solving
        self._clock, self._wall = clock, wall
        self._written = Pulse(clock())
        self._missed = False  # whether it was said that the database's file is gone
        self._older = ""  # what was said last of older tables
        self._probe: asyncio.Task[None] | None = None
        self._started = wall()
        # When chats and people were counted last, and how many there were.
        self._known: tuple[float, Population] | None = None
        # What is served, here or at the webhook's address.
        self.routes = (
            Route(HEALTHZ, self._healthz),
            Route(READYZ, self._readyz),
            Route(LIVEZ, respond_alive),
            Route(METRICS, self._metrics),
        )
        self._server = Server(self.routes)

    @property
    def port(self) -> int:
        """Where it listens, once it does."""
        return self._server.port

    async def start(self, listen: Address) -> None:
        """Listen. Raises OSError when the address can't be had."""
        await self._server.listen(listen)

    def add_routes(self, routes: Iterable[BaseRoute]) -> None:
        """Serve these at the same address."""
        self._server.add_routes(routes)

    async def close(self) -> None:
        """Stop listening."""
        await self._server.close()
        if self._probe is not None:
            self._probe.cancel()

    async def watch_solver_and_database(self) -> None:
        """Ask the solver if it was silent for `LOOK` seconds; log a lost file, or older tables, once."""
        while True:
            await asyncio.sleep(LOOK)
            if not self._store.is_still_in_place() and not self._missed:
                log.error("%s", DATABASE_GONE)
            self._missed = not self._store.is_still_in_place()
            await self._say_older()
            if self._solving.pulse.get_success_age(self._clock()) >= LOOK:
                try:
                    await self._solving.check_workers()
                except SolvingError as error:
                    log.warning("the solver does not answer: %s", describe_error(error))

    async def _say_older(self) -> None:
        older = await self._behind()
        if older and older != self._older:
            log.error("%s", older)
        self._older = older

    async def find_problem(self) -> str:
        """Return the first thing that is wrong, in one line; empty if nothing is."""
        return (await self._state()).problem

    async def render_metrics(self) -> str:
        """Return all counts and states in Prometheus's text format."""
        state, many = await self._state(), await self._many()
        looked_up = CollectorRegistry()
        looked_up.register(_Now(list(self._families(state, many))))
        return (generate_latest(looked_up) + generate_latest(REGISTRY)).decode()

    async def _healthz(self, _: Request) -> Response:
        return _told(await self.find_problem())

    async def _readyz(self, _: Request) -> Response:
        return _told((await self._state()).readiness_problem)

    async def _metrics(self, _: Request) -> Response:
        return Response(
            await self.render_metrics(), headers={"Content-Type": CONTENT_TYPE_LATEST, **UNCACHED}
        )

    async def _state(self) -> HealthState:
        counted, written, older = await asyncio.gather(self._counted(), self._writes(), self._behind())
        now = self._clock()
        worked = self._solving.pulse.get_success_age(now)
        return HealthState(
            alive=self._alive(),
            counts=counted,
            is_writable=written,
            is_in_place=self._store.is_still_in_place(),
            schema_problem=older,
            fetch_age=self._fetched.get_success_age(now),
            answer_age=self._fetched.get_news_age(now),
            hindrance=self._fetched.failure_reason,
            followed=self._fetched.is_of_leader,
            cut_off=self._fetched.is_cut_off,
            starting=not self._fetched.success_count,
            solver_age=worked,
            is_solver_up=worked <= SILENCE + self._solving.deadline,
            clock_difference=self._inbox.watermark.clock_error,
        )

    async def _counted(self) -> DatabaseCounts | None:
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                return await self._store.read(count_pending_rows)
        except Exception:  # noqa: BLE001 - whatever it is, the database does not answer
            return None

    async def _behind(self) -> str:
        """Return a sentence if the tables are older than this version's; else empty."""
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                return await self._store.read(describe_outdated_tables)
        except Exception:  # noqa: BLE001 - what is wrong then is told by what else is asked
            return ""

    async def _many(self) -> Population | None:
        now = self._clock()
        if self._known is None or now - self._known[0] > POPULATION_SECONDS:
            try:
                async with asyncio.timeout(READ_TIMEOUT):
                    self._known = now, await self._store.read(count_chats_and_players)
            except Exception:  # noqa: BLE001 - the next one who asks may be told
                return None
        return self._known[1]

    async def _writes(self) -> bool:
        """Whether a write was committed just now. However often this is asked, one write is under way."""
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(self._write())
            self._probe.add_done_callback(lambda probe: probe.cancelled() or probe.exception())
        done, _ = await asyncio.wait([self._probe], timeout=WRITE_TIMEOUT)
        return bool(done) and not self._probe.cancelled() and self._probe.exception() is None

    async def _write(self) -> None:
        now = str(round(self._wall()))
        await self._store.write(lambda tx: store_fact(tx, "health", now))
        self._written.record_success(self._clock())

    def _families(self, state: HealthState, many: Population | None) -> Iterator[Metric]:
        """Yield what is looked up, not counted as it happens."""
        counted, trouble = state.counts, state.problem
        in_time = state.alive and not state.starting and state.fetch_age <= SILENCE
        yield _gauge("healthy", "Whether /healthz answers 200.", not trouble)
        yield _gauge("up", "Whether updates come in.", in_time)
        yield _gauge("fetch_age_seconds", "Since Telegram answered last.", state.fetch_age)
        yield _gauge("database_up", "Whether the database answers.", counted is not None)
        yield _gauge("database_writable", "Whether it can be written.", state.is_writable)
        silent = self._written.get_success_age(self._clock())
        yield _gauge("write_age_seconds", "Since something was last written to see.", silent)
        yield _gauge("solver_up", "Whether the solver answers.", state.is_solver_up)
        yield _gauge("solver_age_seconds", "Since it last did.", state.solver_age)
        ahead = self._inbox.watermark.clock_ahead
        yield _gauge("clock_ahead_seconds", "Of this machine's clock before Telegram's.", ahead)
        yield _gauge("start_time_seconds", "When the bot started, since 1970.", self._started)
        yield _gauge("lanes_waiting", "Updates in memory, of all chats.", self._inbox.waiting_count)
        yield _counter("updates_dropped", "Updates over a limit.", self._inbox.dropped_count)
        yield _counter("asides_dropped", "Questions that got no answer.", self._unsaid())
        if many is not None:
            yield _gauge("chats", "Chats that are known.", many.chats)
            yield _gauge("players", "People who are known.", many.players)
        if counted is None:
            return
        now = self._wall()
        yield _by_state("inbox", "Stored updates that are not done.", counted.updates)
        yield _by_state("outbox", "Requests to Telegram that have not arrived.", counted.requests)
        for name, stored in (("inbox", "updates"), ("outbox", "requests")):
            age = max(0.0, now - counted.oldest.get(stored, now))
            yield _gauge(f"{name}_age_seconds", "Since the oldest that waits there was stored.", age)
        yield _gauge("live_rounds", "Rounds that are open.", counted.open_rounds)
        if counted.backed_up_at is not None:
            age = now - counted.backed_up_at if counted.backed_up_at <= now else inf  # a clock was wrong
            yield _gauge("backup_age_seconds", "Since the last backup; +Inf if there is none.", age)


class _Now:
    """Metrics that were looked up, as the library collects them."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        """Return all of them."""
        return self._families


def _told(trouble: str) -> Response:
    return PlainTextResponse(f"{trouble or 'ok'}\n", 503 if trouble else 200, UNCACHED)


async def respond_alive(_: Request) -> Response:
    """Answer that the process is alive."""
    return PlainTextResponse("ok\n", headers=UNCACHED)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"twentyfour_{name}", meaning, value=float(value))


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(f"twentyfour_{name}", meaning, value=float(value))


def _by_state(name: str, meaning: str, counts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(f"twentyfour_{name}", meaning, labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family
