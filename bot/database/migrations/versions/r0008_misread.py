"""What can't be read is counted apart from wrong answers, so that it takes no reason away from them."""

from alembic import op
from sqlalchemy import Column, Integer, text

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("tries", Column("misread", Integer, nullable=False, server_default=text("0")))


def downgrade() -> None:
    op.drop_column("tries", "misread")
