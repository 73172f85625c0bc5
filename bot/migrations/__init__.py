"""Alembic revisions, and the step that brings any older database to today's tables at the start."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

HEAD = "0001"
"""The newest revision in this folder; a test holds it to Alembic's own answer."""


def bring_up_to_date(tx: Connection) -> None:
    """Run the revisions that `tx`'s database lacks. Raises StoreError for one that a newer version wrote."""
    from bot.store import StoreError

    at = None
    if inspect(tx).has_table("alembic_version"):
        at = tx.scalar(text("SELECT version_num FROM alembic_version"))
    if at == HEAD:
        return  # the usual start: Alembic is not even imported
    if at is not None and at > HEAD:
        raise StoreError(
            f"the database is at revision {at}, newer than this version's {HEAD}; upgrade the bot"
        )

    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
