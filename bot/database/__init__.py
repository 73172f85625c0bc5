"""The door to the database: `Store` opens one, and its tables are in `schema`; the rest is inside."""

from bot.database.errors import (
    WritesRefusedError,
    PrivilegeError,
    StoreError,
    UnreachableError,
    describe_error,
    is_permission_denied,
    is_read_only_error,
    is_database_failure,
)
from bot.database.migrations import describe_outdated_tables
from bot.database.pools import DedicatedConnection
from bot.database.postgresql import Postgresql, AccessMode
from bot.database.schema import MAX_INTEGER, UNREADABLE_ERRORS, parse_number, parse_object
from bot.database.store import RETRY_SECONDS, Store
from bot.database.tx import (
    SERVER_TIME,
    Tx,
    read_server_time,
    delete_batch,
    build_insert_for,
    build_upsert,
    build_insert_if_new,
    call_after_commit,
    build_insert,
)

__all__ = [
    "RETRY_SECONDS",
    "SERVER_TIME",
    "MAX_INTEGER",
    "UNREADABLE_ERRORS",
    "WritesRefusedError",
    "Postgresql",
    "PrivilegeError",
    "Store",
    "StoreError",
    "Tx",
    "UnreachableError",
    "AccessMode",
    "DedicatedConnection",
    "describe_outdated_tables",
    "describe_error",
    "read_server_time",
    "delete_batch",
    "is_permission_denied",
    "build_insert_for",
    "is_read_only_error",
    "build_upsert",
    "build_insert_if_new",
    "call_after_commit",
    "parse_number",
    "parse_object",
    "is_database_failure",
    "build_insert",
]
