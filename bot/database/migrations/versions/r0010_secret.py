"""What is told to one person of a group, who answers a round secretly, and where ephemeral messages work."""

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

revision = "0010"
down_revision = "0009"

metadata = MetaData()
Table(
    "private_words",
    metadata,
    Column("chat_id", Whole, nullable=False),
    Column("player_id", Whole, nullable=False),
    Column("key", Text, nullable=False),
    Column("place_id", Whole),
    Column("message_id", Whole, nullable=False, server_default=text("0")),
    Column("ephemeral_id", Whole, nullable=False, server_default=text("0")),
    Column("waiting", Text),
    Column("at", Seconds, nullable=False),
    PrimaryKeyConstraint("chat_id", "player_id", "key"),
    Index("private_word_of_player", "player_id"),
    sqlite_strict=True,
)
Table(
    "ephemeral_chats",
    metadata,
    Column("chat_id", Whole, primary_key=True, autoincrement=False),
    Column("server", Text, nullable=False),
    sqlite_strict=True,
)
Table(
    "secret_doors",
    metadata,
    Column("player_id", Whole, primary_key=True, autoincrement=False),
    Column("round_id", Whole, nullable=False),
    Column("at", Seconds, nullable=False),
    Index("secret_door_of_round", "round_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
