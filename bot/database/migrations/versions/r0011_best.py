"""Those who play best are found by an index, and not by sorting everybody."""

from alembic import op
from sqlalchemy import text

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("rating_floor", "ratings", [text("(mu - 2.0 * sigma) DESC"), "player_id"])


def downgrade() -> None:
    op.drop_index("rating_floor", "ratings")
