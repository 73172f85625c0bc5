"""Bots on one database have one way in and, for a webhook, a secret that all of them take."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    for name in ("way_in", "secrets", "told"):  # NULL where an older version runs: it bars nobody
        op.add_column("replicas", Column(name, Text))
