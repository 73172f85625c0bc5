"""Of bots on one database one that doesn't reach Telegram learns whether another one does."""

from alembic import op
from sqlalchemy import REAL, Column, Double
from sqlalchemy.types import TypeEngine

Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.add_column("replicas", Column("reaches", Seconds))  # NULL where an older version runs: it doesn't tell
