"""What is over is found by when, and records by themselves, and not by looking through all that is kept."""

from alembic import op
from sqlalchemy import text

revision = "0018"
down_revision = "0017"

BY_TIME = {
    "giveaway_at": "giveaways",
    "scheduled_post_at": "scheduled_posts",
    "private_word_at": "private_words",
    "secret_door_at": "secret_doors",
}
IN_A_ROW, PART = text("state = 'won' AND streak > 1"), text("idea <> ''")
COUNTED, EMPTY = text("counted = 1"), text("players = 0")


def upgrade() -> None:
    for index, table in BY_TIME.items():
        op.create_index(index, table, ["at"])
    op.create_index(
        "chat_that_counts", "chats", ["counted_until"], sqlite_where=COUNTED, postgresql_where=COUNTED
    )
    op.create_index("award_by_seconds", "awards", ["chat_id", "level", "seconds", "id"])
    op.create_index("award_of_part", "awards", ["chat_id"], sqlite_where=PART, postgresql_where=PART)
    op.create_index(
        "row_of_wins", "rounds", ["chat_id", "streak"], sqlite_where=IN_A_ROW, postgresql_where=IN_A_ROW
    )
    op.create_index("empty_bar", "histogram", ["chat_id"], sqlite_where=EMPTY, postgresql_where=EMPTY)
