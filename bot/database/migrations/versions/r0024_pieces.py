"""A chat that begins to count in the boards of all chats, or ceases to, does so piece by piece.

A bot of the version before does all of it at once. It does not know of pieces: none are begun before such
bots are gone (see `database.known`).
"""

from alembic import op
from sqlalchemy import Column, Text, text

revision = "0024"
down_revision = "0023"

SWITCHING = text("switching IS NOT NULL")


def upgrade() -> None:
    op.add_column("chats", Column("switching", Text))
    op.create_index("chat_that_switches", "chats", ["id"], sqlite_where=SWITCHING, postgresql_where=SWITCHING)
