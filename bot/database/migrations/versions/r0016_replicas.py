"""Several bots on one database: who is there, who serves which chat, and how fast all of them may post.

What waits is looked up by its chat from now on.
"""

from alembic import op
from sqlalchemy import REAL, BigInteger, Column, Double, Index, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0016"
down_revision = "0015"

metadata = MetaData()
Table(
    "replicas",
    metadata,
    Column("name", Text, primary_key=True),
    Column("bot_id", Whole, nullable=False),
    Column("until", Seconds, nullable=False),
    Column("tag", Text, nullable=False),
    Column("lanes", Whole, nullable=False),
    Column("pulse", Seconds, nullable=False),
    sqlite_strict=True,
)
Table(
    "lanes",
    metadata,
    Column("lane", Whole, primary_key=True, autoincrement=False),
    Column("owner", Text, nullable=False),
    Column("token", Whole, nullable=False),
    Index("lane_of_owner", "owner"),
    sqlite_strict=True,
)
Table(
    "paces",
    metadata,
    Column("key", Text, primary_key=True),
    Column("next", Seconds, nullable=False),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
    op.drop_index("inbox_state", "inbox")
    op.create_index("inbox_state", "inbox", ["state", "lane", "at"])
    op.drop_index("outbox_state", "outbox")
    op.create_index("outbox_state", "outbox", ["state", "lane", "id"])
