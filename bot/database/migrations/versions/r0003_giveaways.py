"""Hints count as shown, and who gives hands away is remembered for a while."""

from alembic import op
from sqlalchemy import REAL, BigInteger, Column, Double, Integer, MetaData, PrimaryKeyConstraint, Table, text
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0003"
down_revision = "0002"

metadata = MetaData()
giveaways = Table(
    "giveaways",
    metadata,
    Column("player_id", Whole, nullable=False),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("player_id", "at"),
    sqlite_strict=True,
)


def upgrade() -> None:
    op.add_column("reveals", Column("hints", Integer, nullable=False, server_default=text("0")))
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    metadata.drop_all(op.get_bind())
    op.drop_column("reveals", "hints")
