"""Hints of the daily hand are counted, and the message that shows it is known, so that they stand there."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, text

Whole = BigInteger().with_variant(Integer, "sqlite")

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("attempts", Column("hints", Integer, nullable=False, server_default=text("0")))
    op.add_column("attempts", Column("message_id", Whole))
