"""Notes in order, messages of deals that are gone, when a daily hand was shown, one holder a username."""

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

revision = "0002"
down_revision = "0001"

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

metadata = MetaData()
lost_messages = Table(
    "lost_messages",
    metadata,
    Column("chat_id", Whole, nullable=False),
    Column("message_id", Whole, nullable=False),
    Column("round_id", Whole, nullable=False),
    PrimaryKeyConstraint("chat_id", "message_id"),
    Index("lost_message_of_round", "round_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    """Nobody knows any more who of several holds a username: whoever does is seen with it again."""
    op.add_column("tries", Column("noted", Integer, nullable=False, server_default=text("0")))
    op.add_column("attempts", Column("shown", Seconds))
    lost_messages.create(op.get_bind())
    op.execute(
        "UPDATE players SET username = NULL WHERE lower(username) IN (SELECT lower(username) FROM players"
        " WHERE username IS NOT NULL GROUP BY lower(username) HAVING count(*) > 1)"
    )
    op.create_index("player_of_username", "players", [text("lower(username)")])
