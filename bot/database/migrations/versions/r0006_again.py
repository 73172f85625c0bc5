"""A round keeps what was asked of its deal; votes to end a race; duels."""

from alembic import op
from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    Double,
    ForeignKey,
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

revision = "0006"
down_revision = "0005"

metadata = MetaData()
Table("races", metadata, Column("id", Whole, primary_key=True))
stops = Table(
    "stops",
    metadata,
    Column("race_id", Whole, ForeignKey("races.id", ondelete="CASCADE"), nullable=False),
    Column("player_id", Whole, nullable=False),
    PrimaryKeyConstraint("race_id", "player_id"),
    Index("stop_of_player", "player_id"),
    sqlite_strict=True,
)
duels = Table(
    "duels",
    metadata,
    Column("id", Whole, primary_key=True),
    Column("chat_id", Whole, nullable=False),
    Column("topic", Whole, nullable=False, server_default=text("0")),
    Column("challenger_id", Whole, nullable=False),
    Column("opponent_id", Whole),
    Column("opponent", Text, nullable=False, server_default=text("''")),
    Column("state", Text, nullable=False),
    Column("language", Text, nullable=False, server_default=text("'en'")),
    Column("game", Text, nullable=False),
    Column("options", Text, nullable=False, server_default=text("'{}'")),
    Column("message_id", Whole),
    Column("until", Seconds, nullable=False),
    Column("race_id", Whole),
    Column("winner_id", Whole),
    Index("duel_of_chat", "chat_id"),
    Index("duel_lapsing", "state", "until"),
    Index("duel_of_race", "race_id"),
    Index("duel_of_challenger", "challenger_id"),
    Index("duel_of_opponent", "opponent_id"),
    sqlite_strict=True,
)


def upgrade() -> None:
    op.add_column("rounds", Column("options", Text, nullable=False, server_default=text("'{}'")))
    metadata.create_all(op.get_bind(), tables=[stops, duels])
