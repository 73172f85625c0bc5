"""What people practise by themselves."""

from alembic import op
from sqlalchemy import REAL, BigInteger, Column, Double, Index, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0012"
down_revision = "0011"

metadata = MetaData()
Table(
    "practised",
    metadata,
    Column("round_id", Whole, primary_key=True, autoincrement=False),
    Column("player_id", Whole, nullable=False),
    Column("skill", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("at", Seconds, nullable=False),
    Column("seconds", Seconds),
    Column("expected", Seconds, nullable=False),
    Column("wrong", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Index("practised_by_player", "player_id", "round_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
