"""Boards of single games beside those of all games, and ratings of people.

Until here there was one game, so its boards are those of all games.
"""

from alembic import op
from sqlalchemy import REAL, BigInteger, Column, Double, Integer, MetaData, Table, text
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0009"
down_revision = "0008"

metadata = MetaData()
Table(
    "ratings",
    metadata,
    Column("player_id", Whole, primary_key=True, autoincrement=False),
    Column("mu", Seconds, nullable=False),
    Column("sigma", Seconds, nullable=False),
    Column("hands", Integer, nullable=False),
    Column("at", Seconds, nullable=False),
    sqlite_strict=True,
)
TOTALS = text(
    "INSERT INTO totals (chat_id, period, player_id, points, wins)"
    " SELECT chat_id, '24 ' || period, player_id, points, wins FROM totals"
)
HISTOGRAM = text(
    "INSERT INTO histogram (chat_id, period, points, players)"
    " SELECT chat_id, '24 ' || period, points, players FROM histogram"
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
    op.execute(TOTALS)
    op.execute(HISTOGRAM)
