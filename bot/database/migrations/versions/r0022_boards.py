"""Pages on which hands are tapped: words for whoever sits there, keys used, hands of days done offline."""

from alembic import op
from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0022"
down_revision = "0021"

metadata = MetaData()
Table(
    "board_words",
    metadata,
    Column("id", Whole, primary_key=True),
    Column("player_id", Whole, nullable=False),
    Column("press", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("is_right", Integer),
    Column("at", Seconds, nullable=False),
    Index("board_word_of_player", "player_id", "id"),
    Index("board_word_at", "at"),
    sqlite_strict=True,
)
Table(
    "board_openings",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("at", Seconds, nullable=False),
    Index("board_opening_at", "at"),
    sqlite_strict=True,
)
Table(
    "board_offline",
    metadata,
    Column("day", Text, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("answer", Text, nullable=False),
    Column("claimed", Seconds, nullable=False),
    Column("received", Seconds, nullable=False),
    PrimaryKeyConstraint("day", "player_id"),
    Index("board_offline_of_player", "player_id"),
    Index("board_offline_received", "received"),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
