"""Fixture of a served board."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.board.harness import Harness, make_harness


@pytest.fixture
async def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Harness]:
    async with make_harness(tmp_path, monkeypatch) as made:
        await made.open()
        yield made
