"""Statements that every query may use."""

import pytest
from sqlalchemy import create_engine, insert, select

from bot.database import delete_some, tx
from bot.database.schema import giveaways


def test_a_few_rows_are_deleted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tx, "DELETED_AT_ONCE", 3)
    engine = create_engine("sqlite://")
    giveaways.create(engine)
    with engine.begin() as open_one:
        rows = [{"player_id": who, "at": at} for who in range(1, 5) for at in (1.0, 5.0)]
        open_one.execute(insert(giveaways), rows)
        old = giveaways.c.at < 5.0
        assert [delete_some(open_one, giveaways, old), delete_some(open_one, giveaways, old)] == [True, False]
        left = open_one.execute(select(giveaways).order_by(giveaways.c.player_id)).all()
    assert [(row.player_id, row.at) for row in left] == [(who, 5.0) for who in range(1, 5)]
