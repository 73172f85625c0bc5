"""The tables of the day of one group, and who sits there, are found by it: all groups have many of them."""

from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_index("seat_of_chat", "seats", ["chat_id"])
    op.create_index("daily_table_of_chat", "daily_tables", ["chat_id"])
