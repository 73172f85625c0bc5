"""A server that restarts is waited for at the start."""

import logging
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.database import Store, UnreachedError, Use, reached
from bot.database.reached import opened


@pytest.mark.long
@pytest.mark.parametrize("coming_up", [True, False])
async def test_a_server_that_is_back_soon_is_waited_for_and_one_that_starts_is_named(
    coming_up: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reached, "AGAIN", 0.0)
    genuine, refusals = Store.open, [UnreachedError("it starts", coming_up=coming_up)] * 2

    async def refusing(database: URL, use: Use) -> Store:
        if refusals:
            raise refusals.pop()
        return await genuine(database, use)

    monkeypatch.setattr(Store, "open", refusing)
    caplog.set_level(logging.WARNING)
    await (await opened(make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}"))).close()
    assert caplog.messages == (["it starts; waiting for it"] if coming_up else [])


async def test_it_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "AGAIN", 0.0)
    monkeypatch.setattr(reached, "UNREACHED", 0.0)

    async def refusing(*_: object) -> Store:
        raise UnreachedError("nobody answers")

    monkeypatch.setattr(Store, "open", refusing)
    with pytest.raises(UnreachedError, match="nobody answers"):
        await opened(make_url("sqlite:///unused.sqlite3"))
