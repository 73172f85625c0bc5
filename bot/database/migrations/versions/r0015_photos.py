"""Daily hands and challenges that are photos.

What was posted until here is text, and stays so.
"""

from alembic import op
from sqlalchemy import Column, Text

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("attempts", Column("picture", Text))
    op.add_column("duels", Column("picture", Text))
