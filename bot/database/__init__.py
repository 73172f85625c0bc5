"""The door to the database: `Store` opens one, and its tables are in `schema`; the rest is inside."""

from bot.database.errors import StoreError, UnreachedError, cause, storage_trouble
from bot.database.store import AGAIN, Store
from bot.database.stored import LARGEST, UNREADABLE, read_number, read_object
from bot.database.tx import Tx, new_rows, upsert

__all__ = [
    "AGAIN",
    "LARGEST",
    "UNREADABLE",
    "Store",
    "StoreError",
    "Tx",
    "UnreachedError",
    "cause",
    "new_rows",
    "read_number",
    "read_object",
    "storage_trouble",
    "upsert",
]
