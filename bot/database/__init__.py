"""The door to the database: `Store` opens one, and its tables are in `schema`; the rest is inside."""

from bot.database.errors import StoreError, UnreachedError, cause, storage_trouble
from bot.database.store import AGAIN, Store
from bot.database.tx import Tx, new_rows, upsert

__all__ = [
    "AGAIN",
    "Store",
    "StoreError",
    "Tx",
    "UnreachedError",
    "cause",
    "new_rows",
    "storage_trouble",
    "upsert",
]
