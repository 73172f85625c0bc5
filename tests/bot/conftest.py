"""What the tests of queries run on."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.databases import DIALECTS, Database, database


@pytest.fixture(params=DIALECTS)
async def db(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database, one of each kind."""
    async with database(request.param, tmp_path) as empty:
        yield empty
