"""What an operator's tools are told."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from bot import health
from bot.health import Health
from bot.settings import Address
from bot.store import Store, mail

SAMPLE = re.compile(r'twentyfour_[a-z_]+(\{state="[a-z]+"\})? [0-9.e+-]+')


@dataclass
class Queue:
    """Three updates wait."""

    waiting: int = 3
    dropped: int = 2


class Watched:
    """A bot to ask about, that can be made ill."""

    def __init__(self, store: Store) -> None:
        self.store, self.updates_come_in = store, True
        self.health = Health(store, Queue(), lambda: self.updates_come_in)
        self._client = SimpleAsyncHTTPClient(force_instance=True)

    async def get(self, path: str, **options: Any) -> tuple[int, str]:
        """Status and body."""
        address = f"http://127.0.0.1:{self.health.port}{path}"
        answer = await self._client.fetch(address, raise_error=False, **options)
        return answer.code, answer.body.decode()

    def break_database(self, monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], Any]) -> None:
        """From now on the database is read like this."""
        monkeypatch.setattr(self.store, "read", read)

    def close(self) -> None:
        """Hang up."""
        self._client.close()


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    store = await Store.open(make_url(f"sqlite:///{tmp_path / 'twentyfour.sqlite3'}"))
    bot = Watched(store)
    bot.health.start(Address("127.0.0.1", 0))
    yield bot
    bot.close()
    await bot.health.close()
    await store.close()


async def test_all_is_well(watched: Watched) -> None:
    assert await watched.get("/healthz") == (200, "ok\n")


async def test_no_updates_come_in(watched: Watched) -> None:
    watched.updates_come_in = False
    assert await watched.get("/healthz") == (503, "no updates come in\n")
    assert "twentyfour_up 0\n" in (await watched.get("/metrics"))[1]


async def test_the_database_fails(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: object) -> None:
        raise OperationalError("SELECT canary", {"canary": 1}, Exception("canary"))

    watched.break_database(monkeypatch, fail)
    assert await watched.get("/healthz") == (503, "the database does not answer\n")
    status, text = await watched.get("/metrics")
    assert status == 200
    assert "twentyfour_database_up 0\n" in text
    assert "canary" not in text


async def test_the_database_hangs(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(health, "PATIENCE", 0.02)
    watched.break_database(monkeypatch, hang)
    assert await watched.get("/healthz") == (503, "the database does not answer\n")


async def test_metrics_are_what_prometheus_reads(watched: Watched) -> None:
    status, text = await watched.get("/metrics")
    assert status == 200
    lines = text.splitlines()
    assert text.endswith("\n")
    for line in lines:
        assert line.startswith(("# HELP twentyfour_", "# TYPE twentyfour_")) or SAMPLE.fullmatch(line), line
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
    assert {f"twentyfour_{name}" for name in ("updates", "letters", "rounds", "players")} <= set(names)


async def test_metrics_count_what_waits(watched: Watched) -> None:
    await watched.store.write(lambda tx: mail.accept(tx, [mail.Incoming(1, 5, "{}")], 0.0))
    await watched.store.write(lambda tx: [mail.post(tx, 5, {}, 0.0), mail.post(tx, 5, {}, 0.0)])
    _, text = await watched.get("/metrics")
    assert 'twentyfour_updates{state="waiting"} 1\n' in text
    assert 'twentyfour_letters{state="waiting"} 2\n' in text
    assert 'twentyfour_rounds{state="open"} 0\n' in text
    assert "twentyfour_lanes_waiting 3\n" in text
    assert "twentyfour_updates_dropped_total 2\n" in text


@pytest.mark.parametrize("path", ["/", "/healthz/", "/metrics.json", "/../etc/passwd"])
async def test_nothing_else_is_there(watched: Watched, path: str) -> None:
    assert (await watched.get(path))[0] == 404


async def test_nothing_can_be_posted(watched: Watched) -> None:
    assert (await watched.get("/healthz", method="POST", body="x"))[0] == 405
