"""A round belongs to a game, which keeps what only it understands as JSON."""

import json
from typing import Any

from alembic import op
from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    TextClause,
    text,
)
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0004"
down_revision = "0003"

metadata = MetaData()
Table("rounds", metadata, Column("id", Whole, primary_key=True))
entries = Table(
    "entries",
    metadata,
    Column("round_id", Whole, ForeignKey("rounds.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("answer", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("round_id", "player_id"),
    Index("entry_of_player", "player_id"),
    sqlite_strict=True,
)
ROUNDS = text(
    "UPDATE rounds SET line = numbers || ' → ' || target,"
    """ standing = '{"hints": ' || hints || '}',"""
    """ puzzle = '{"v": 1, "numbers": [' || replace(numbers, ' ', ', ') || '], "target": ' || target"""
    """ || ', "ideas": ' || ideas || ', "hints": ' || hint_values || '}'"""
)
DAILIES = text(
    "UPDATE dailies SET"
    """ puzzle = '{"v": 1, "numbers": [' || replace(numbers, ' ', ', ') || '], "target": ' || target"""
    """ || ', "ideas": ' || ideas || ', "hints": []}'"""
)
"""Hands as JSON. A row in which something is none stays unreadable: it costs its own round, as before."""


def upgrade() -> None:
    for table in ("rounds", "dailies"):
        op.add_column(table, _text("game", text("'24'")))
        op.add_column(table, _text("puzzle", text("'{}'")))
    op.add_column("rounds", _text("line", text("''")))
    op.add_column("rounds", _text("standing", text("'{}'")))
    op.execute(ROUNDS)
    op.execute(DAILIES)
    _repack_races(op.get_bind())
    for column in ("numbers", "target", "ideas", "hint_values", "hints"):
        op.drop_column("rounds", column)
    for column in ("numbers", "target", "ideas"):
        op.drop_column("dailies", column)
    metadata.create_all(op.get_bind(), tables=[entries])


def _text(name: str, default: TextClause) -> Column[Any]:
    return Column(name, Text, nullable=False, server_default=default)


def _repack_races(tx: Connection) -> None:
    """Pack the hands that races will still deal; a pile that can't be read ends its race, as before."""
    for row in tx.execute(text("SELECT id, hands FROM races WHERE hands <> '[]'")).all():
        try:
            piled = [_repacked(dict(hand)) for hand in json.loads(row.hands)]
        except (ValueError, TypeError, LookupError, AttributeError):
            continue
        tx.execute(
            text("UPDATE races SET hands = :hands WHERE id = :id"), {"hands": json.dumps(piled), "id": row.id}
        )


def _repacked(hand: dict[str, Any]) -> dict[str, Any]:
    level, expected = hand.pop("level"), hand.pop("expected")
    return {"game": "24", "puzzle": {"v": 1, **hand}, "level": level, "expected": expected}
