"""All tables.

Freeze this file when 1.0 is tagged: from then on it must make the tables of 1.0, whatever `schema` says, and
each change of `schema` is a revision of its own.
"""

from alembic import op

from bot.database.schema import metadata

revision = "0100"
down_revision = None

BUSY_TABLES = ("inbox", "outbox", "lanes", "replicas")  # rows are added, changed and deleted often
TUNE_BUSY_TABLES = tuple(
    f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)"
    for table in BUSY_TABLES
)
# Room to update a row within its page (https://www.postgresql.org/docs/current/storage-hot.html)
TUNE_HISTOGRAM = "ALTER TABLE histogram SET (fillfactor = 70)"


def upgrade() -> None:
    """Create all tables; on PostgreSQL also tune some of them."""
    metadata.create_all(op.get_bind(), checkfirst=False)
    if op.get_bind().dialect.name == "postgresql":
        for statement in (*TUNE_BUSY_TABLES, TUNE_HISTOGRAM):
            op.execute(statement)
