"""Delivery of a player's copy before forgetting."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from bot.admin.privacy import commands
from bot.database import Store, Tx
from bot.players import queries as people
from bot.queue import queries
from bot.queue.outgoing import Outgoing
from bot.telegram.routes import DeliveredRequest, RenderContext

ANN = 5_000_000_001


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    yield opened
    await opened.close()


def insert_copy_request(tx: Tx) -> Outgoing:
    """Store Ann's wish to be forgotten; return the request of her copy."""
    people.load_or_insert_chat(tx, ANN, "private")
    people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
    return queries.insert_request(tx, commands.make_copy_request(ANN, "es"), 1.0).outgoing


async def test_delivery_may_be_recorded_again_after_a_failure(store: Store) -> None:
    copy = await commands.render_copy(RenderContext(store, 2.0), await store.write(insert_copy_request))
    assert copy
    file = DeliveredRequest(copy.outgoing.about, delivered_at=3.0, now=3.0, message_id=7)

    def arrives(tx: Tx, *, fails: bool) -> None:
        commands.record_delivery(tx, file)
        if fails:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.write(lambda tx: arrives(tx, fails=True))
    await store.write(lambda tx: arrives(tx, fails=False))
    assert await store.read(lambda tx: ANN not in people.load_names(tx, [ANN]))


async def test_unwanted_copy_is_not_rendered(store: Store) -> None:
    request = commands.make_copy_request(ANN, "en")
    assert await commands.render_copy(RenderContext(store, 2.0), request) is None
