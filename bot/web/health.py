"""Serve `/healthz`, `/readyz`, `/livez`, and `/metrics` for Prometheus.

`/healthz` is 200 while Telegram has answered within the last minute (and can post, with a webhook), the
database can be written, its file is in place and its tables are not outdated, the solver answers, and this
machine's clock is right within a minute.
`/readyz` is 200 while this bot could process a posted update, whatever Telegram does: a load balancer that
took the bot away would also keep away the post that ends Telegram's trouble.
`/livez` is 200 while the process runs at all. All hold counts and states, no names, ids or secrets.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, TypeVar

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Select, Table, func, literal, select, union_all
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.database import Store, Tx, describe_error, describe_outdated_tables
from bot.database.backup import LAST_BACKUP_KEY
from bot.database.schema import chats, inbox, outbox, parse_number, players
from bot.metrics import REGISTRY, Pulse
from bot.players.queries import load_fact, store_fact
from bot.queue.inbox import Inbox
from bot.rounds import rules as rounds
from bot.rounds.queries import is_in_state
from bot.workers.pool import SolverPool, SolvingError

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DatabaseCounts:
    updates: dict[str, int]  # stored updates that are not done, by state
    requests: dict[str, int]  # requests that have not reached Telegram, by state; `wish`: to be forgotten
    oldest: dict[str, float]  # when the oldest waiting row of `updates` and `requests` was stored, if any
    open_rounds: int
    backed_up_at: float | None  # time of the last backup; -inf without one; None for database servers


UPDATE_STATES = ("waiting", "again", "dead")
REQUEST_STATES = (*UPDATE_STATES, "wish")


def _build_counts_by_state(name: str, table: Table, states: Sequence[str]) -> Select[Any]:
    columns = select(literal(name), table.c.state, func.count(), func.min(table.c.at))
    return columns.where(table.c.state.in_(states)).group_by(table.c.state)


COUNTS_BY_STATE = union_all(
    _build_counts_by_state("updates", inbox, UPDATE_STATES),
    _build_counts_by_state("requests", outbox, REQUEST_STATES),
)
OPEN_ROUNDS = select(func.count()).where(is_in_state(rounds.State.OPEN))


def count_pending_rows(tx: Tx) -> DatabaseCounts:
    """Count the updates and requests that are not done and the open rounds; load the last backup's time."""
    counts = {"updates": dict.fromkeys(UPDATE_STATES, 0), "requests": dict.fromkeys(REQUEST_STATES, 0)}
    oldest = dict[str, float]()
    for name, state, count, first_at in tx.execute(COUNTS_BY_STATE):
        counts[name][state] = count
        if state == "waiting":
            oldest[name] = float(first_at)
    backed_up_at = None
    if tx.dialect.name == "sqlite":
        stored_time = parse_number(load_fact(tx, LAST_BACKUP_KEY) or "")
        backed_up_at = -inf if stored_time is None else stored_time  # -inf for never
    return DatabaseCounts(
        updates=counts["updates"],
        requests=counts["requests"],
        oldest=oldest,
        open_rounds=tx.scalar(OPEN_ROUNDS) or 0,
        backed_up_at=backed_up_at,
    )


def count_chats_and_players(tx: Tx) -> tuple[int, int]:
    """Return the numbers of chats and of players; slow, since whole tables are counted."""
    chat_count = tx.scalar(select(func.count()).select_from(chats))
    player_count = tx.scalar(select(func.count()).select_from(players))
    return chat_count or 0, player_count or 0


DATABASE_GONE = "the database's file is gone or another one: what is written is lost with this process"
SILENCE = 60.0  # seconds without a success after which a part has a problem


@dataclass(frozen=True, slots=True)
class HealthState:
    is_fetching: bool  # whether the task that takes updates in still runs
    counts: DatabaseCounts | None  # None if the database does not answer
    is_writable: bool
    is_in_place: bool  # False if the database's file was moved or deleted
    schema_problem: str  # that the tables are older than this version's; else empty
    pulse: Pulse  # of Telegram's answers; a failure is one to post to the webhook
    now: float  # on the monotonic clock
    solver_age: float  # seconds since the solver answered, or since the start
    is_solver_up: bool
    clock_difference: str  # between this machine's clock and Telegram's, as a sentence; else empty

    @property
    def fetch_age(self) -> float:
        """Seconds since Telegram answered this bot, or since the start."""
        return self.pulse.get_success_age(self.now)

    @property
    def problem(self) -> str:
        """The most important problem, of this bot or with Telegram, in one line; empty if there is none."""
        if not self.is_fetching or self.schema_problem:  # these explain why Telegram seems silent
            return self.readiness_problem
        return self._telegram_problem or self.readiness_problem or self.clock_difference

    @property
    def _telegram_problem(self) -> str:
        """The reason why Telegram sends no updates to this bot, in one line; empty if it does."""
        if self.pulse.is_cut_off:
            return "Telegram answers other bots, and not this one, which leaves its chats to them"
        if self.fetch_age <= SILENCE:  # it answered lately, and not with a failure
            return ""
        answer_age = self.pulse.get_news_age(self.now)
        if self.pulse.failure_reason and answer_age <= SILENCE:
            return f"Telegram can't post here: {self.pulse.failure_reason}"
        if self.pulse.is_of_leader:
            silence = f"the bot that leads has not told for {self.fetch_age:.0f} s that updates come in"
            return f"{silence}: its /healthz and its log say why"
        return f"Telegram has not answered for {answer_age:.0f} s"

    @property
    def readiness_problem(self) -> str:
        """The reason why this bot can't process updates, in one line; empty if it can."""
        if not self.is_fetching:
            return "no updates come in"
        if self.schema_problem:
            return self.schema_problem
        if not self.pulse.success_count:
            return "starting: Telegram has not answered yet"
        if self.counts is None:
            return "the database does not answer"
        if not self.is_writable:
            return "the database can't be written"
        if not self.is_in_place:
            return DATABASE_GONE
        if not self.is_solver_up:
            return f"the solver has not answered for {self.solver_age:.0f} s"
        return ""


HEALTHZ = "/healthz"
READYZ = "/readyz"
LIVEZ = "/livez"
METRICS = "/metrics"
POPULATION_SECONDS = 600.0  # seconds after which chats and players are counted again
CHECK_INTERVAL = 10.0  # seconds between checks; after as many without an answer the solver is asked for one
DATABASE_TIMEOUT = 2.0  # seconds within which the database must answer


class Health:
    """The health pages; `count_dropped` counts unanswered questions, `pulse` tells when Telegram answered."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        is_fetching: Callable[[], bool],
        count_dropped: Callable[[], int],
        pulse: Pulse,
        solver_pool: SolverPool,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._is_fetching = is_fetching
        self._count_dropped = count_dropped
        self._pulse = pulse
        self._solver_pool = solver_pool
        self._clock = clock  # monotonic
        self._wall = wall
        self._last_write = Pulse(clock())
        self._was_in_place = True
        self._last_schema_problem = ""
        self._started_at = wall()
        self._population = 0, 0  # chats and players
        self._population_counted_at = -inf  # when the population was counted, by `clock`
        self.routes = (
            Route(HEALTHZ, self._get_healthz),
            Route(READYZ, self._get_readyz),
            Route(LIVEZ, respond_alive),
            Route(METRICS, self._get_metrics),
        )

    async def watch_solver_and_database(self) -> None:
        """Log once if the database's file is gone or its tables are outdated; check a silent solver."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            await self._log_new_database_problems()
            silence = self._solver_pool.pulse.get_success_age(self._clock())
            if silence >= CHECK_INTERVAL:
                try:
                    await self._solver_pool.check_workers()
                except SolvingError as error:
                    log.warning("the solver does not answer: %s", describe_error(error))

    async def _log_new_database_problems(self) -> None:
        """Log a problem of the database's file or tables unless the last check found it as well."""
        is_in_place = self._store.is_still_in_place()
        if self._was_in_place and not is_in_place:
            log.error("%s", DATABASE_GONE)
        self._was_in_place = is_in_place
        reading = self._store.read(describe_outdated_tables)
        schema_problem = await self._await_database(reading) or ""
        if schema_problem and schema_problem != self._last_schema_problem:
            log.error("%s", schema_problem)
        self._last_schema_problem = schema_problem

    async def _get_healthz(self, _: Request) -> Response:
        state = await self._check_state()
        return _make_health_response(state.problem)

    async def _get_readyz(self, _: Request) -> Response:
        state = await self._check_state()
        return _make_health_response(state.readiness_problem)

    async def _get_metrics(self, _: Request) -> Response:
        """Respond with all counts and states in Prometheus's text format; count the population if due."""
        state = await self._check_state()
        if self._clock() - self._population_counted_at > POPULATION_SECONDS:
            population = await self._await_database(self._store.read(count_chats_and_players))
            if population:
                self._population = population
                self._population_counted_at = self._clock()
        collector = _Collector(list(self._list_metrics(state)))
        health_metrics = generate_latest(collector)
        content = health_metrics + generate_latest(REGISTRY)
        return Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _check_state(self) -> HealthState:
        """Write to the database, read its counts, and return the state of each part."""
        store_mark = partial(_store_mark, now=self._wall())
        counts, is_writable, schema_problem = await asyncio.gather(
            self._await_database(self._store.read(count_pending_rows)),
            self._await_database(self._store.write(store_mark)),
            self._await_database(self._store.read(describe_outdated_tables)),
        )
        now = self._clock()
        if is_writable:
            self._last_write.record_success(now)
        solver_age = self._solver_pool.pulse.get_success_age(now)
        return HealthState(
            is_fetching=self._is_fetching(),
            counts=counts,
            is_writable=bool(is_writable),
            is_in_place=self._store.is_still_in_place(),
            schema_problem=schema_problem or "",
            pulse=self._pulse,
            now=now,
            solver_age=solver_age,
            is_solver_up=solver_age <= SILENCE + self._solver_pool.deadline,
            clock_difference=self._inbox.watermark.clock_error,
        )

    async def _await_database(self, work: Awaitable[T]) -> T | None:
        """Return the result of the work; None if it fails or the database does not answer in time."""
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT):
                return await work
        except Exception:  # noqa: BLE001 - whatever it is, the database does not answer
            return None

    def _list_metrics(self, state: HealthState) -> Iterator[Metric]:
        """Yield the metrics of a state, and others that are read now; those of a database if it answers."""
        is_up = state.is_fetching and bool(state.pulse.success_count) and state.fetch_age <= SILENCE
        yield _make_gauge("healthy", "Whether /healthz answers 200.", not state.problem)
        yield _make_gauge("up", "Whether updates come in.", is_up)
        yield _make_gauge("fetch_age_seconds", "Seconds since Telegram last answered.", state.fetch_age)
        yield _make_gauge("database_up", "Whether the database answers.", state.counts is not None)
        yield _make_gauge("database_writable", "Whether the database can be written.", state.is_writable)
        write_age = self._last_write.get_success_age(self._clock())
        yield _make_gauge(
            "write_age_seconds", "Seconds since a write last succeeded, at least as a test.", write_age
        )
        yield _make_gauge("solver_up", "Whether the solver answers.", state.is_solver_up)
        yield _make_gauge("solver_age_seconds", "Seconds since the solver last answered.", state.solver_age)
        ahead = self._inbox.watermark.clock_ahead
        yield _make_gauge(
            "clock_ahead_seconds", "Seconds by which this machine's clock is ahead of Telegram's.", ahead
        )
        yield _make_gauge(
            "start_time_seconds", "When the bot started, in seconds since 1970.", self._started_at
        )
        yield _make_gauge(
            "lanes_waiting", "Updates that wait in memory, of all chats.", self._inbox.waiting_count
        )
        yield _make_counter(
            "updates_dropped", "Updates dropped for being over a limit.", self._inbox.dropped_count
        )
        yield _make_counter("asides_dropped", "Questions that got no answer.", self._count_dropped())
        if self._population_counted_at > -inf:
            chat_count, player_count = self._population
            yield _make_gauge("chats", "Chats that are known.", chat_count)
            yield _make_gauge("players", "People who are known.", player_count)
        if state.counts is not None:
            yield from _list_database_metrics(state.counts, self._wall())


def _list_database_metrics(counts: DatabaseCounts, now: float) -> Iterator[Metric]:
    """Yield the counts, the waiting times of the oldest rows, 0 if none waits, and the age of the backup."""
    yield _make_gauge_by_state("inbox", "Stored updates that are not done.", counts.updates)
    yield _make_gauge_by_state("outbox", "Requests to Telegram that have not arrived.", counts.requests)
    for name, stored in (("inbox", "updates"), ("outbox", "requests")):
        oldest_at = counts.oldest.get(stored, now)  # now, for an age of 0, if none waits
        age = max(0.0, now - oldest_at)
        yield _make_gauge(f"{name}_age_seconds", "Seconds since the oldest one that waits was stored.", age)
    yield _make_gauge("live_rounds", "Rounds that are open.", counts.open_rounds)
    if counts.backed_up_at is not None:  # None for database servers; -inf without a backup: age is +Inf
        age = now - counts.backed_up_at
        if age < 0:  # a clock was wrong
            age = inf
        yield _make_gauge("backup_age_seconds", "Seconds since the last backup; +Inf if there is none.", age)


class _Collector(Collector):
    """Hands metrics over to the Prometheus library."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        return self._metrics


def _store_mark(tx: Tx, now: float) -> bool:
    """Store the time; return True, by which the caller knows that the write succeeded."""
    store_fact(tx, "health", str(round(now)))
    return True


def _make_health_response(problem: str) -> Response:
    """Return 503 with the problem, or 200 if it is empty."""
    if problem:
        return PlainTextResponse(f"{problem}\n", 503)
    return PlainTextResponse("ok\n")


async def respond_alive(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def _make_gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"twentyfour_{name}", meaning, value=float(value))


def _make_counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(f"twentyfour_{name}", meaning, value=float(value))


def _make_gauge_by_state(name: str, meaning: str, counts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(f"twentyfour_{name}", meaning, labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family
