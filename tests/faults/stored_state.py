"""All that people may have changed, to compare before and after an attack."""

from typing import Any

from sqlalchemy import select

from bot.database import Store, Tx
from bot.database.schema import TRANSIENT_TABLES, metadata

# Tables that any update may touch: the queues, who serves them, and the names of who was seen.
TOUCHED = {table.name for table in TRANSIENT_TABLES} | {"inbox", "outbox", "meta", "players"}
PATIENCE = "patience"


async def state(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Every row that is not touched by any update, by table."""
    return await store.read(_rows)


def _rows(tx: Tx) -> dict[str, list[dict[str, Any]]]:
    return {
        table.name: [
            {key: value for key, value in row._mapping.items() if key != PATIENCE}
            for row in tx.execute(select(table).order_by(*table.primary_key.columns))
        ]
        for table in metadata.sorted_tables
        if table.name not in TOUCHED
    }
