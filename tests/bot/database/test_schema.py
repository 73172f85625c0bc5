"""Constraints of the tables, and stored values that can't be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import CheckConstraint, Connection, create_engine, insert
from sqlalchemy.exc import IntegrityError

from bot.database import parse_number, parse_object, schema

AWARD = {
    "round_id": 1,
    "idea": "",
    "chat_id": -1,
    "player_id": 5_000_000_001,
    "points": 3,
    "seconds": 9.5,
    "level": "hard",
    "expected": 12.0,
    "expression": "3*8",
    "message_id": 7,
    "at": 1_767_225_600.0,
    "game": "24",
    "kind": "first",
}
ROUND = {
    "chat_id": -1,
    "topic": 0,
    "kind": "first",
    "numbers": "3 8 3 8",
    "target": 24,
    "level": "fiendish",
    "expected": 60.0,
    "ideas": "[]",
    "state": "open",
    "dealer_id": 1,
    "opened": 1.0,
}


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    schema.metadata.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def test_round_has_one_winner(tx: Connection) -> None:
    tx.execute(insert(schema.awards), [AWARD])
    with pytest.raises(IntegrityError):
        tx.execute(insert(schema.awards), [AWARD | {"player_id": 2}])


def test_each_idea_of_a_round_scores_once(tx: Connection) -> None:
    tx.execute(insert(schema.awards), [AWARD | {"idea": "a"}, AWARD | {"idea": "b"}])
    with pytest.raises(IntegrityError):
        tx.execute(insert(schema.awards), [AWARD | {"idea": "a", "player_id": 2}])


def test_topic_has_one_live_round(tx: Connection) -> None:
    tx.execute(insert(schema.rounds), [ROUND, ROUND | {"topic": 4}, ROUND | {"chat_id": -2}])
    tx.execute(insert(schema.rounds), [ROUND | {"state": "won"}, ROUND | {"state": "won"}])
    with pytest.raises(IntegrityError):
        tx.execute(insert(schema.rounds), [ROUND])


def test_column_of_numbers_refuses_text(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    schema.metadata.create_all(engine)
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "x.sqlite3")) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO inbox (update_id, lane, body, state, at) VALUES ('one', 1, '', 'waiting', 0)")


def test_every_table_has_a_key_and_no_check_constraints() -> None:
    for table in schema.metadata.sorted_tables:
        assert table.primary_key.columns, table.name
        assert table.dialect_options["sqlite"]["strict"], table.name
        assert not [c for c in table.constraints if isinstance(c, CheckConstraint)], table.name


def test_no_index_prevents_updates_of_the_histogram_in_place() -> None:
    # An index's condition counts too: https://www.postgresql.org/docs/current/storage-hot.html
    held = {column.name for index in schema.histogram.indexes for column in index.columns}
    assert "players" not in held
    assert [
        i.name for i in schema.histogram.indexes if i.dialect_options["postgresql"]["where"] is not None
    ] == []
    assert "players" not in schema.histogram.primary_key.columns


@pytest.mark.parametrize(
    "text", [None, "", "{", "nonsense", "null", "5", "[1]", '"a"', "[" * 60_000, "9" * 5000]
)
def test_invalid_json_is_read_as_an_empty_object(text: str | None) -> None:
    assert parse_object(text) == {}


def test_stored_object_is_read() -> None:
    assert parse_object('{"a": [1, null], "b": {"c": "é"}}') == {"a": [1, None], "b": {"c": "é"}}


@pytest.mark.parametrize(
    "text", ["", "x", "{", "-1", "1.5", " 1", "1_0", "٣", "²", str(2**63), "1" + "0" * 19, "9" * 5000]
)
def test_invalid_number_is_none(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", None), (str(2**63 - 1), 2**63 - 1)])
def test_stored_number_is_read(text: str, number: int) -> None:
    assert parse_number(text) == number
