"""Chats that chose posts, a reminder or secret answers are found by that, and not among all chats."""

from alembic import op
from sqlalchemy import text

revision = "0019"
down_revision = "0018"

CHOSEN = {
    "chat_that_chose_posts": """settings LIKE '%"posts"%'""",
    "chat_that_chose_a_reminder": """settings LIKE '%"reminder"%'""",
    "chat_that_chose_secret_answers": """settings LIKE '%"secret": true%'""",
}


def upgrade() -> None:
    for name, which in CHOSEN.items():
        where = text(which)
        op.create_index(name, "chats", ["settings"], sqlite_where=where, postgresql_where=where)
