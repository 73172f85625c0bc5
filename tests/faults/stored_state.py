"""The rows that people's actions can change, to compare before and after an attack."""

from typing import Any

from sqlalchemy import select

from bot.database import Store, Tx
from bot.database.schema import TRANSIENT_TABLES, metadata

# Tables that any update may change: the queues, their replicas, and names of people.
CHANGED_BY_ALL = {table.name for table in TRANSIENT_TABLES} | {"inbox", "outbox", "meta", "players"}
PATIENCE = "patience"


async def read_state(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Return all rows by table, except those that every update changes."""
    return await store.read(_read_rows)


def _read_rows(tx: Tx) -> dict[str, list[dict[str, Any]]]:
    return {
        table.name: [
            {key: value for key, value in row._mapping.items() if key != PATIENCE}
            for row in tx.execute(select(table).order_by(*table.primary_key.columns))
        ]
        for table in metadata.sorted_tables
        if table.name not in CHANGED_BY_ALL
    }
