"""Messages that are photos, and the pictures that Telegram has.

What was posted until here is text, and stays so.
"""

from alembic import op
from sqlalchemy import REAL, Column, Double, Index, MetaData, Table, Text, text
from sqlalchemy.types import TypeEngine

Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

revision = "0014"
down_revision = "0013"

PICTURED = "picture <> '-'"
metadata = MetaData()
Table(
    "uploads",
    metadata,
    Column("content", Text, primary_key=True),
    Column("file_id", Text, nullable=False),
    Column("until", Seconds, nullable=False),
    Index("upload_until", "until"),
    sqlite_strict=True,
)


def upgrade() -> None:
    metadata.create_all(op.get_bind())
    op.add_column("rounds", Column("picture", Text))
    which = text(PICTURED)
    op.create_index("round_of_picture", "rounds", ["closed"], sqlite_where=which, postgresql_where=which)
