"""A page whose opening was answered, but not heard, may ask again: it is known by what it sent before."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.add_column("board_openings", Column("page", Text))  # NULL where an older version opened it
