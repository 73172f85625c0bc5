"""What the tests of queries run on."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.bot import postgres
from tests.bot.databases import DIALECTS, Database, Server, in_file, on_server, tables_on_server


@pytest.fixture(scope="session", autouse=True)
def _templates() -> Iterator[None]:
    """Databases that are copied are dropped in the end."""
    yield
    postgres.end()


@pytest.fixture(scope="session")
def tables() -> Iterator[Server]:
    """Our tables on a server: made once, since each test takes back what it wrote."""
    with tables_on_server() as made:
        yield made


@pytest.fixture(params=DIALECTS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | Server:
    """Where the database is: in a folder, or on a server."""
    if request.param != "postgresql":
        return tmp_path
    found: Server = request.getfixturevalue("tables")
    return found


@pytest.fixture
async def db(place: Path | Server) -> AsyncIterator[Database]:
    """An empty database, one of each kind."""
    async with in_file(place) if isinstance(place, Path) else on_server(place) as opened:
        yield opened
