"""A house whose board is served."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.board.house import House, house


@pytest.fixture
async def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    async with house(tmp_path, monkeypatch) as made:
        await made.open()
        yield made
