"""Statements shared by all queries."""

import pytest
from sqlalchemy import create_engine, insert, select

from bot.database import Tx, build_upsert, delete_batch, tx
from bot.database.schema import uploads, votes
from tests.bot.databases import Database


def test_delete_batch_deletes_a_few_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tx, "DELETED_AT_ONCE", 3)
    engine = create_engine("sqlite://")
    votes.create(engine)
    with engine.begin() as open_one:
        rows = [{"player_id": who, "round_id": number} for who in range(1, 5) for number in (1, 5)]
        open_one.execute(insert(votes), rows)
        old = votes.c.round_id < 5
        assert [delete_batch(open_one, votes, old), delete_batch(open_one, votes, old)] == [True, False]
        left = open_one.execute(select(votes).order_by(votes.c.player_id)).all()
    assert [(row.player_id, row.round_id) for row in left] == [(who, 5) for who in range(1, 5)]


async def test_upsert_updates_only_the_named_columns(db: Database) -> None:
    def story(open_one: Tx) -> None:
        known = build_upsert(open_one.dialect.name, uploads, updated=("until",))
        open_one.execute(known, [{"content": name, "file_id": "first", "until": 1.0} for name in "ab"])
        open_one.execute(known, [{"content": name, "file_id": "second", "until": 2.0} for name in "bc"])
        rows = open_one.execute(select(uploads.c.file_id, uploads.c.until).order_by(uploads.c.content)).all()
        assert [tuple(row) for row in rows] == [("first", 1.0), ("first", 2.0), ("second", 2.0)]

    await db(story)
