"""Achievements are kept with their dates, and what the bot posts by itself is claimed before it is posted."""

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
    text,
)
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0007"
down_revision = "0006"

metadata = MetaData()
Table(
    "achievements",
    metadata,
    Column("player_id", Whole, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("round_id", Whole),
    Column("day", Text),
    PrimaryKeyConstraint("player_id", "name"),
    Index("achievement_of_round", "round_id"),
    sqlite_strict=True,
)
Table(
    "scheduled_posts",
    metadata,
    Column("chat_id", Whole, nullable=False),
    Column("what", Text, nullable=False),
    Column("period", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("sent", Seconds),
    PrimaryKeyConstraint("chat_id", "what", "period"),
    Index("scheduled_post_of_period", "what", "period"),
    sqlite_strict=True,
)


def upgrade() -> None:
    op.add_column("players", Column("looked_back", Integer, nullable=False, server_default=text("0")))
    metadata.create_all(op.get_bind())
