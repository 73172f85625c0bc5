"""Classes: their pupils, lessons, hands and mistakes.

A database that `r0100_first` has just made has these tables already.
"""

from alembic import op

from bot.database.schema import class_hands, classes, lessons, metadata, mistakes, pupils

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Create the tables that are missing."""
    metadata.create_all(op.get_bind(), tables=[classes, pupils, lessons, class_hands, mistakes])
