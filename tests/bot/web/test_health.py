"""Health pages and metrics."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import insert, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from bot.database import Store
from bot.database.backup import record_backup_time
from bot.database.migrations import HEAD
from bot.database.schema import rounds
from bot.metrics import Pulse
from bot.players import queries as people
from bot.queue import queries
from bot.queue.inbox import Inbox
from bot.queue.outgoing import Outgoing
from bot.queue.updates import Watermark
from bot.settings import Address
from bot.web import health
from bot.web.health import SILENCE, Health
from bot.web.server import Server
from bot.workers.pool import SolverPool, SolvingError

LOOKED_UP = (
    *("healthy", "up", "fetch_age_seconds"),
    *("database_up", "database_writable", "write_age_seconds", "solver_up", "solver_age_seconds"),
    "clock_ahead_seconds",
    *("start_time_seconds", "lanes_waiting", "updates_dropped", "asides_dropped", "chats", "players"),
    *("inbox", "outbox", "inbox_age_seconds", "outbox_age_seconds", "live_rounds"),
    "backup_age_seconds",
)
COUNTED = (
    *("updates_handled", "handling_seconds", "update_waiting_seconds", "requests", "request_seconds"),
    *("solver_wait_seconds", "solver_seconds"),
    *("rounds_ended", "takeovers", "board_entries", "board_streams", "database_seconds"),
)


@dataclass
class FakeInbox:
    """An inbox in which three updates wait."""

    waiting_count: int = 3
    dropped_count: int = 2
    watermark: Watermark = field(default_factory=Watermark)


class FakeSolver(SolverPool):
    """A solver without processes that answers or not."""

    def __init__(self, now: float) -> None:
        self.pulse, self.deadline, self.looks = Pulse(now), 5.0, 0
        self.gone = False

    async def check_workers(self) -> None:
        self.looks += 1
        if self.gone:
            raise SolvingError("canary")


class WatchedBot:
    """A bot with health pages, and ways to break it."""

    def __init__(self, store: Store, database: URL) -> None:
        self.store, self.database, self.updates_come_in = store, database, True
        self.now, self.queue = 1000.0, FakeInbox()
        self.fetched, self.solving = Pulse(self.now), FakeSolver(self.now)
        self.health = Health(
            store,
            cast("Inbox", self.queue),
            lambda: self.updates_come_in,
            lambda: 4,
            self.fetched,
            self.solving,
            clock=lambda: self.now,
            wall=lambda: self.now,
        )
        self.server = Server(self.health.routes)
        self._client = SimpleAsyncHTTPClient(force_instance=True)

    async def get(self, path: str, **options: Any) -> tuple[int, str]:
        """Return status and body."""
        address = f"http://127.0.0.1:{self.server.port}{path}"
        answer = await self._client.fetch(address, raise_error=False, **options)
        return answer.code, answer.body.decode()

    def break_database(self, monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], Any]) -> None:
        """Replace the reads of the database."""
        monkeypatch.setattr(self.store, "read", read)

    def close(self) -> None:
        self._client.close()


@pytest.fixture
async def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WatchedBot]:
    for limit in ("DATABASE_TIMEOUT", "DATABASE_TIMEOUT"):
        monkeypatch.setattr(health, limit, 60.0)  # what this machine does beside the tests is no ailment
    database = make_url(f"sqlite:///{tmp_path / 'twentyfour.sqlite3'}")
    store = await Store.open(database)
    bot = WatchedBot(store, database)
    bot.fetched.record_success(bot.now)
    await bot.server.listen(Address("127.0.0.1", 0))
    yield bot
    bot.close()
    await bot.server.close()
    await store.close()


async def test_healthz_is_200(watched: WatchedBot) -> None:
    assert await watched.get("/healthz") == (200, "ok\n")


async def test_healthz_is_503_without_incoming_updates(watched: WatchedBot) -> None:
    watched.updates_come_in = False
    assert await watched.get("/healthz") == (503, "no updates come in\n")
    assert await watched.get("/livez") == (200, "ok\n")
    assert "twentyfour_up 0.0\n" in (await watched.get("/metrics"))[1]


async def test_healthz_is_503_with_a_failing_database(
    watched: WatchedBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> None:
        raise OperationalError("SELECT canary", {"canary": 1}, Exception("canary"))

    watched.break_database(monkeypatch, fail)
    assert await watched.get("/healthz") == (503, "the database does not answer\n")
    status, text = await watched.get("/metrics")
    assert status == 200
    assert "twentyfour_database_up 0.0\n" in text
    assert "canary" not in text


async def test_healthz_is_503_with_a_hanging_database(
    watched: WatchedBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "DATABASE_TIMEOUT", 0.02)
    watched.break_database(monkeypatch, hang)
    assert await watched.get("/healthz") == (503, "the database does not answer\n")


@pytest.mark.parametrize("how", ["removed", "another"])
async def test_healthz_is_503_without_the_database_file(
    watched: WatchedBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    how: str,
) -> None:
    # Writes go to a file without a name, and are lost when the bot ends.
    monkeypatch.setattr(health, "CHECK_INTERVAL", 0.01)
    file = tmp_path / "twentyfour.sqlite3"
    file.rename(tmp_path / "elsewhere")
    if how == "another":
        file.write_bytes((tmp_path / "elsewhere").read_bytes())
    assert await watched.get("/healthz") == (503, f"{health.DATABASE_GONE}\n")
    watching = asyncio.create_task(watched.health.watch_solver_and_database())
    async with asyncio.timeout(60):
        while health.DATABASE_GONE not in caplog.text:  # noqa: ASYNC110 - the log is written by what is watched
            await asyncio.sleep(0.01)
    (tmp_path / "elsewhere").rename(file)
    assert await watched.get("/healthz") == (200, "ok\n")
    watching.cancel()
    assert caplog.text.count(health.DATABASE_GONE) == 1


async def test_healthz_is_503_with_outdated_tables(
    watched: WatchedBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # A restore of an older copy leaves them under a running bot.
    async def set_to(revision: str) -> None:
        result = text("UPDATE alembic_version SET version_num = :at")
        await watched.store.write(lambda tx: tx.execute(result, {"at": revision}).rowcount)

    older = f"the database is at revision 0099, older than this version's {HEAD}; run twentyfour-bot migrate"
    monkeypatch.setattr(health, "CHECK_INTERVAL", 0.01)
    await set_to("0099")
    assert await watched.get("/healthz") == (503, f"{older}\n")
    looks, read = list[int](), watched.store.read

    async def counted(look: Callable[[Any], Any]) -> Any:
        looks.append(1)
        return await read(look)

    watched.break_database(monkeypatch, counted)
    watching = asyncio.create_task(watched.health.watch_solver_and_database())
    async with asyncio.timeout(60):
        while len(looks) < 4:  # noqa: ASYNC110 - the log is written by what is watched
            await asyncio.sleep(0.01)
    watching.cancel()
    assert caplog.messages.count(older) == 1
    await set_to(HEAD)
    assert await watched.get("/healthz") == (200, "ok\n")


def read_metric(text: str, name: str, **labels: str) -> float | None:
    """Return the value of a metric; None if there is none."""
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            if one.name == f"twentyfour_{name}" and one.labels == labels:
                return float(one.value)
    return None


async def test_metrics_are_valid_prometheus_text(watched: WatchedBot) -> None:
    status, text = await watched.get("/metrics")
    assert status == 200
    families = list(text_string_to_metric_families(text))
    names = [family.name.removeprefix("twentyfour_") for family in families if "twentyfour" in family.name]
    assert names == [*LOOKED_UP, *COUNTED]
    assert all(family.documentation for family in families)
    assert {"process_resident_memory_bytes", "process_open_fds"} <= {family.name for family in families}


async def test_metrics_count_waiting_rows(watched: WatchedBot) -> None:
    await watched.store.write(
        lambda tx: queries.insert_updates(tx, [queries.QueuedUpdate(1, 5, "{}")], 800.0)
    )
    await watched.store.write(
        lambda tx: [queries.insert_request(tx, Outgoing(5, "sendMessage"), at) for at in (870.0, 890.0)]
    )
    _, text = await watched.get("/metrics")
    assert read_metric(text, "inbox", state="waiting") == 1
    assert read_metric(text, "inbox_age_seconds") == 200
    assert read_metric(text, "outbox", state="waiting") == 2
    assert read_metric(text, "outbox", state="wish") == 0
    assert read_metric(text, "outbox_age_seconds") == 130
    assert read_metric(text, "live_rounds") == 0
    assert read_metric(text, "write_age_seconds") == 0
    assert read_metric(text, "lanes_waiting") == 3
    assert read_metric(text, "updates_dropped_total") == 2
    assert read_metric(text, "asides_dropped_total") == 4


async def test_backup_age_is_a_metric(watched: WatchedBot) -> None:
    assert read_metric((await watched.get("/metrics"))[1], "backup_age_seconds") == inf
    record_backup_time(watched.database, 400.0)
    assert read_metric((await watched.get("/metrics"))[1], "backup_age_seconds") == 600
    record_backup_time(watched.database, 4000.0)  # by a clock that was ahead
    assert read_metric((await watched.get("/metrics"))[1], "backup_age_seconds") == inf


@pytest.mark.long
async def test_open_rounds_are_a_metric(watched: WatchedBot) -> None:
    usual = {"kind": "first", "level": "easy", "expected": 1, "dealer_id": 1, "opened": 1}
    states = {-1: "open", -2: "won", -3: "open", -4: "skipped", -5: "open"}
    made = [{**usual, "chat_id": chat, "state": state} for chat, state in states.items()]
    await watched.store.write(lambda tx: tx.execute(insert(rounds), made).rowcount)
    assert read_metric((await watched.get("/metrics"))[1], "live_rounds") == 3


async def test_healthz_is_503_with_a_wrong_clock(watched: WatchedBot) -> None:
    watched.queue.watermark.observe_response(1000.0, 1000.0 + 400 * 86_400 + 1)
    expected = "this machine's clock is 34560000 s ahead of Telegram's"
    assert await watched.get("/healthz") == (503, f"{expected}\n")
    assert (await watched.get("/readyz"))[0] == 200, "it takes what is posted, and answers"
    assert read_metric((await watched.get("/metrics"))[1], "clock_ahead_seconds") == 400 * 86_400


async def test_write_age_is_a_metric(watched: WatchedBot, monkeypatch: pytest.MonkeyPatch) -> None:
    await watched.get("/healthz")
    watched.now += 500

    async def full(_: Any) -> Any:
        raise OSError("full")

    monkeypatch.setattr(watched.store, "write", full)
    assert read_metric((await watched.get("/metrics"))[1], "write_age_seconds") == 500
    monkeypatch.undo()
    assert read_metric((await watched.get("/metrics"))[1], "write_age_seconds") == 0


async def test_chats_and_players_are_counted_seldom(watched: WatchedBot) -> None:
    assert read_metric((await watched.get("/metrics"))[1], "chats") == 0
    await watched.store.write(lambda tx: people.load_or_insert_chat(tx, -7, "group"))
    await watched.store.write(lambda tx: people.insert_or_update_player(tx, people.Player(1, "Ann")))
    assert read_metric((await watched.get("/metrics"))[1], "chats") == 0
    watched.now += health.POPULATION_SECONDS + 1
    text = (await watched.get("/metrics"))[1]
    assert (read_metric(text, "chats"), read_metric(text, "players")) == (1, 1)


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", "/healthz/", "/readyz/", "/metrics.json", "/../etc/passwd"])
async def test_other_paths_are_404(watched: WatchedBot, path: str) -> None:
    assert (await watched.get(path))[0] == 404


async def test_posts_are_405(watched: WatchedBot) -> None:
    assert (await watched.get("/healthz", method="POST", body="x"))[0] == 405


async def test_healthz_is_503_while_starting(watched: WatchedBot) -> None:
    watched.fetched.success_count = 0
    assert await watched.get("/healthz") == (503, "starting: Telegram has not answered yet\n")
    assert "twentyfour_up 0.0\n" in (await watched.get("/metrics"))[1]
    watched.fetched.record_success(watched.now)
    assert await watched.get("/healthz") == (200, "ok\n")


@pytest.mark.long
@pytest.mark.parametrize("silence", [25.0, SILENCE])
async def test_idle_poll_is_no_problem(silence: float, watched: WatchedBot) -> None:
    watched.now += silence
    watched.solving.pulse.record_success(watched.now)
    assert await watched.get("/healthz") == (200, "ok\n")


async def test_healthz_is_503_while_telegram_is_silent(watched: WatchedBot) -> None:
    watched.now += SILENCE + 1
    watched.solving.pulse.record_success(watched.now)
    assert await watched.get("/healthz") == (503, "Telegram has not answered for 61 s\n")
    _, text = await watched.get("/metrics")
    for line in ("up 0", "healthy 0", "fetch_age_seconds 61", "solver_up 1", "database_writable 1"):
        assert f"twentyfour_{line}.0\n" in text
    watched.fetched.record_success(watched.now)
    assert await watched.get("/healthz") == (200, "ok\n")
    assert "twentyfour_healthy 1.0\n" in (await watched.get("/metrics"))[1]


async def test_healthz_shows_why_telegram_can_not_post(watched: WatchedBot) -> None:
    watched.now += SILENCE
    watched.solving.pulse.record_success(watched.now)
    watched.fetched.record_failure(watched.now, "Connection refused")
    assert await watched.get("/healthz") == (200, "ok\n"), "it may pass within the minute"
    watched.now += 1
    assert await watched.get("/healthz") == (503, "Telegram can't post here: Connection refused\n")
    assert read_metric((await watched.get("/metrics"))[1], "fetch_age_seconds") == SILENCE + 1
    watched.now += SILENCE
    assert await watched.get("/healthz") == (503, "Telegram has not answered for 61 s\n"), "nor since that"
    watched.fetched.record_success(watched.now)
    assert await watched.get("/healthz") == (200, "ok\n")


@pytest.mark.long
async def test_healthz_is_503_for_a_bot_that_is_cut_off(watched: WatchedBot) -> None:
    # It still stores posted updates for the other bots.
    watched.fetched.is_cut_off = True
    expected = "Telegram answers other bots, and not this one, which leaves its chats to them"
    assert await watched.get("/healthz") == (503, f"{expected}\n")
    assert await watched.get("/readyz") == (200, "ok\n")


@pytest.mark.long
@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize("hindrance", ["Connection refused", ""])
async def test_readyz_stays_200_while_telegram_can_not_post(
    hindrance: str, followed: bool, watched: WatchedBot
) -> None:
    watched.now += SILENCE + 1
    watched.solving.pulse.record_success(watched.now)
    watched.fetched.is_of_leader = followed
    if hindrance:
        watched.fetched.record_failure(watched.now, hindrance)
    assert (await watched.get("/healthz"))[0] == 503
    assert await watched.get("/readyz") == (200, "ok\n")


@pytest.mark.long
async def test_readyz_is_503_for_local_problems(watched: WatchedBot, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.now += SILENCE + watched.solving.deadline + 1  # Telegram is silent as well, which is none of this
    assert await watched.get("/readyz") == (503, "the solver has not answered for 66 s\n")
    watched.solving.pulse.record_success(watched.now)

    async def fail(_: object) -> None:
        raise OperationalError("canary", {}, Exception("canary"))

    with monkeypatch.context() as patched:
        patched.setattr(watched.store, "write", fail)
        assert await watched.get("/readyz") == (503, "the database can't be written\n")
        patched.setattr(watched.store, "read", fail)
        assert await watched.get("/readyz") == (503, "the database does not answer\n")
    watched.fetched.success_count = 0
    assert await watched.get("/readyz") == (503, "starting: Telegram has not answered yet\n")
    watched.updates_come_in = False
    assert await watched.get("/readyz") == (503, "no updates come in\n")


async def test_healthz_is_503_if_the_leader_reports_nothing(watched: WatchedBot) -> None:
    watched.now += SILENCE + 1
    watched.solving.pulse.record_success(watched.now)
    watched.fetched.is_of_leader = True
    expected = (
        "the bot that leads has not told for 61 s that updates come in: its /healthz and its log say why"
    )
    assert await watched.get("/healthz") == (503, f"{expected}\n")


@pytest.mark.long
async def test_healthz_is_503_without_the_solver(watched: WatchedBot) -> None:
    watched.now += SILENCE + watched.solving.deadline + 1
    watched.fetched.record_success(watched.now)
    assert await watched.get("/healthz") == (503, "the solver has not answered for 66 s\n")
    assert "twentyfour_solver_up 0.0\n" in (await watched.get("/metrics"))[1]
    watched.solving.pulse.record_success(watched.now)
    assert await watched.get("/healthz") == (200, "ok\n")


@pytest.mark.long
@pytest.mark.parametrize("gone", [True, False])
async def test_silent_solver_is_checked(
    gone: bool, watched: WatchedBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "CHECK_INTERVAL", 0.001)
    watched.solving.gone = gone
    watched.now += 1
    watch = asyncio.create_task(watched.health.watch_solver_and_database())
    async with asyncio.timeout(60):
        while watched.solving.looks < 3:  # noqa: ASYNC110 - the watch itself tells nobody
            await asyncio.sleep(0.001)
    watch.cancel()
    assert ("the solver does not answer" in caplog.text) is gone


def lock_database(file: Path) -> sqlite3.Connection:
    """Lock the database as another program."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


@pytest.mark.long
async def test_healthz_is_503_while_writes_fail(
    watched: WatchedBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "DATABASE_TIMEOUT", 0.2)
    with closing(lock_database(tmp_path / "twentyfour.sqlite3")):
        assert await watched.get("/healthz") == (503, "the database can't be written\n")
        answers = await asyncio.gather(*(watched.get("/healthz") for _ in range(5)))
        assert {status for status, _ in answers} == {503}
        assert "twentyfour_database_writable 0.0\n" in (await watched.get("/metrics"))[1]
    async with asyncio.timeout(60):
        while (await watched.get("/healthz"))[0] != 200:  # noqa: ASYNC110 - the write that waited comes first
            await asyncio.sleep(0.01)


@pytest.mark.long
@pytest.mark.parametrize("message", ["attempt to write a readonly database", "database or disk is full"])
async def test_healthz_is_503_with_a_full_or_failing_disk(
    message: str, watched: WatchedBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> None:
        raise OperationalError("INSERT canary", {}, sqlite3.OperationalError(message))

    with monkeypatch.context() as patched:
        patched.setattr(watched.store, "write", fail)
        assert await watched.get("/healthz") == (503, "the database can't be written\n")
    assert await watched.get("/healthz") == (200, "ok\n")
