"""Delivery of a player's copy before forgetting."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.players import queries as people
from bot.players.privacy import commands, deletion_requests
from bot.queue import queries
from bot.telegram.routes import DeliveredRequest

ANN = 5_000_000_001


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(make_url(f"sqlite:///{tmp_path}/a.sqlite3"))
    yield opened
    await opened.close()


def insert_copy_request(tx: Tx) -> dict[str, Any]:
    """Store Ann's wish to be forgotten; return the request of her copy."""
    people.load_or_insert_chat(tx, ANN, "private")
    people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
    return queries.insert_request(tx, ANN, deletion_requests.make_copy_request(ANN, "es"), 1.0).body


@pytest.mark.parametrize("changed", [False, True])
async def test_delivery_may_be_recorded_again_after_a_failure(store: Store, changed: bool) -> None:
    # If something was stored while the copy was under way, another copy follows.
    copy = await commands.render_copy(store, await store.write(insert_copy_request), 2.0)
    assert copy
    file = DeliveredRequest(copy["about"], {"message_id": 7}, delivered_at=3.0, first_sent_at=None, now=3.0)

    def arrives(tx: Tx, *, fails: bool) -> None:
        commands.record_delivery(tx, file)
        if fails:
            raise ZeroDivisionError

    if changed:
        await store.write(lambda tx: people.store_language(tx, ANN, "de"))
    with pytest.raises(ZeroDivisionError):
        await store.write(lambda tx: arrives(tx, fails=True))
    await store.write(lambda tx: arrives(tx, fails=False))
    assert await store.read(lambda tx: ANN in people.load_names(tx, [ANN])) is changed
    again = await store.read(queries.has_marked_for_retry)
    assert again is changed
    if changed:
        _, requests = await store.write(queries.requeue_marked)
        assert requests[-1].body == deletion_requests.make_copy_request(ANN, "es")


async def test_unwanted_copy_is_not_rendered(store: Store) -> None:
    assert await commands.render_copy(store, deletion_requests.make_copy_request(ANN, "en"), 2.0) is None
