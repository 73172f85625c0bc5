"""What the tests of queries run on."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.bot import postgres
from tests.bot.databases import DIALECTS, Database, in_file, on_server, tables_on_server


@pytest.fixture(scope="session", autouse=True)
def _templates() -> Iterator[None]:
    """Databases that are copied are dropped in the end."""
    yield
    postgres.end()


@pytest.fixture(scope="session")
def schema() -> Iterator[str]:
    """Our tables on a server: made once, since each test takes back what it wrote."""
    with tables_on_server() as name:
        yield name


@pytest.fixture(params=DIALECTS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where the database is: a folder, or a schema on a server."""
    found: str = request.getfixturevalue("schema") if request.param == "postgresql" else ""
    return found or tmp_path


@pytest.fixture
async def db(place: Path | str) -> AsyncIterator[Database]:
    """An empty database, one of each kind."""
    async with in_file(place) if isinstance(place, Path) else on_server(place) as opened:
        yield opened
