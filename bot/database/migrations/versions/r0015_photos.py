"""Daily hands and challenges that are photos; which of two entries of one second was heard first.

What was posted until here is text, and stays so.
"""

from alembic import op
from sqlalchemy import Column, Integer, Text, text

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("attempts", Column("picture", Text))
    op.add_column("duels", Column("picture", Text))
    op.add_column("entries", Column("heard", Integer, nullable=False, server_default=text("0")))
