"""Fixtures for tests of queries."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.database import migrations
from tests.bot import postgres
from tests.bot.databases import (
    DIALECTS,
    Database,
    ServerTables,
    create_server_tables,
    open_file_database,
    open_server_database,
)


@pytest.fixture(scope="session", autouse=True)
def _templates() -> Iterator[None]:
    """Drop the template databases at the end."""
    yield
    postgres.drop_templates()


@pytest.fixture(scope="session")
def tables() -> Iterator[ServerTables]:
    """Tables on a server, made once; each test rolls back its changes."""
    with create_server_tables() as made:
        yield made


@pytest.fixture(params=DIALECTS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | ServerTables:
    """The folder or the server of the database."""
    if request.param != "postgresql":
        return tmp_path
    found: ServerTables = request.getfixturevalue("tables")
    return found


@pytest.fixture
async def db(place: Path | ServerTables) -> AsyncIterator[Database]:
    """An empty database, of each dialect."""
    async with (
        open_file_database(place) if isinstance(place, Path) else open_server_database(place) as opened
    ):
        yield opened


@pytest.fixture
def _earlier_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let revision 0099 belong to an earlier release, which can be upgraded."""
    monkeypatch.setattr(migrations, "FIRST_RELEASED", "0099")
