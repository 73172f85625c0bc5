"""What is summed up of rounds and boards of long ago, so that they need not be kept for ever.

The queues are small tables in which every row changes or goes: PostgreSQL is to look after them sooner.
"""

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

revision = "0017"
down_revision = "0016"

BUSY = ("inbox", "outbox", "lanes", "replicas", "paces")
"""Tables in which rows come, change and go all the time."""
LOOKED_AFTER = tuple(
    f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)"
    for table in BUSY
)

metadata = MetaData()
Table(
    "past",
    metadata,
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("game", Text, nullable=False),
    Column("unpaid", Integer, nullable=False, server_default=text("0")),
    Column("streak", Integer, nullable=False, server_default=text("0")),
    Column("streak_at", Seconds, nullable=False, server_default=text("0")),
    Column("mornings", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("chat_id", "player_id", "game"),
    Index("past_of_player", "player_id"),
    sqlite_strict=True,
)
Table(
    "best_days",
    metadata,
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("points", Whole, nullable=False),
    Column("day", Text, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id"),
    Index("best_day_of_player", "player_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
    for column in ("game", "kind"):
        op.add_column("awards", Column(column, Text, nullable=False, server_default=text("''")))
    op.add_column("achievements", Column("chat_id", Whole))
    op.create_index("private_word_of_key", "private_words", ["chat_id", "key"])
    op.create_index("achievement_of_chat", "achievements", ["chat_id"])
    if op.get_bind().dialect.name == "postgresql":
        for statement in LOOKED_AFTER:
            op.execute(statement)
