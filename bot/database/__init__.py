"""The door to the database: `Store` opens one, and its tables are in `schema`; the rest is inside."""

from bot.database.errors import (
    NothingTakenError,
    RightsError,
    StoreError,
    UnreachedError,
    cause,
    denied,
    is_read_only,
    storage_trouble,
)
from bot.database.migrations import behind
from bot.database.pools import Watch
from bot.database.postgresql import Postgresql, Use
from bot.database.schema import LARGEST, UNREADABLE, read_number, read_object
from bot.database.store import AGAIN, Store
from bot.database.tx import (
    CLOCK,
    Tx,
    clock,
    delete_some,
    inserting,
    latest_rows,
    new_rows,
    once_durable,
    upsert,
)

__all__ = [
    "AGAIN",
    "CLOCK",
    "LARGEST",
    "UNREADABLE",
    "NothingTakenError",
    "Postgresql",
    "RightsError",
    "Store",
    "StoreError",
    "Tx",
    "UnreachedError",
    "Use",
    "Watch",
    "behind",
    "cause",
    "clock",
    "delete_some",
    "denied",
    "inserting",
    "is_read_only",
    "latest_rows",
    "new_rows",
    "once_durable",
    "read_number",
    "read_object",
    "storage_trouble",
    "upsert",
]
