"""The copy that somebody is sent, and what follows once it has arrived."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.players import queries as people
from bot.players.privacy import commands, farewells
from bot.queue import queries
from bot.telegram.routes import Delivered

ANN = 5_000_000_001


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    yield opened
    await opened.close()


def asked(tx: Tx) -> dict[str, Any]:
    """Ann is known and wants to be forgotten; the request that brings her copy."""
    people.chat(tx, ANN, "private")
    people.saw(tx, people.Player(ANN, "Ann"))
    return queries.enqueue(tx, ANN, farewells.request(ANN, "es"), 1.0).body


@pytest.mark.parametrize("changed", [False, True])
async def test_an_arrival_that_is_written_twice_comes_to_the_same(store: Store, changed: bool) -> None:
    """What is kept may have changed while the copy was under way: then another one follows."""
    copy = await commands.copy(store, await store.write(asked), 2.0)
    assert copy
    file = Delivered(copy["about"], {"message_id": 7}, at=3.0, since=None, now=3.0)

    def arrives(tx: Tx, *, fails: bool) -> None:
        commands.arrived(tx, file)
        if fails:
            raise ZeroDivisionError

    if changed:
        await store.write(lambda tx: people.choose_language(tx, ANN, "de"))
    with pytest.raises(ZeroDivisionError):
        await store.write(lambda tx: arrives(tx, fails=True))
    await store.write(lambda tx: arrives(tx, fails=False))
    assert await store.read(lambda tx: ANN in people.names(tx, [ANN])) is changed
    again = await store.read(queries.asked_again)
    assert again is changed
    if changed:
        _, requests = await store.write(queries.requeue)
        assert requests[-1].body == farewells.request(ANN, "es")


async def test_no_copy_is_made_for_somebody_who_wants_none(store: Store) -> None:
    assert await commands.copy(store, farewells.request(ANN, "en"), 2.0) is None
