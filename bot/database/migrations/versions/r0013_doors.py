"""Several rounds that a person may answer from the private chat at a time."""

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
    text,
)
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0013"
down_revision = "0012"

metadata = MetaData()
doors = Table(
    "secret_doors",
    metadata,
    Column("player_id", Whole, nullable=False),
    Column("round_id", Whole, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("player_id", "round_id"),
    Index("secret_door_of_round", "round_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    connection = op.get_bind()
    known = connection.execute(text("SELECT player_id, round_id, at FROM secret_doors")).mappings().all()
    op.drop_table("secret_doors")
    metadata.create_all(connection)
    if known:
        connection.execute(doors.insert(), [dict(row) for row in known])
