"""Storms and streaks, and the wrong answers that a review shows.

A database that `r0100_first` has just made has these tables already.
"""

from alembic import op

from bot.database.schema import metadata, run_hands, runs, wrong_answers

revision = "0102"
down_revision = "0101"


def upgrade() -> None:
    """Create the tables that are missing."""
    metadata.create_all(op.get_bind(), tables=[runs, run_hands, wrong_answers])
