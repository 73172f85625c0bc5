"""Open a database with `Store`; its tables are in `schema`. Other packages import the names below."""

from bot.database.errors import (
    PrivilegeError,
    StoreError,
    UnreachableError,
    WritesRefusedError,
    describe_error,
    is_database_failure,
    is_permission_denied,
    is_read_only_error,
)
from bot.database.migrations import describe_outdated_tables
from bot.database.postgresql import AccessMode, DedicatedConnection, Postgresql
from bot.database.schema import MAX_INTEGER, UNREADABLE_ERRORS, parse_number, parse_object
from bot.database.store import RETRY_SECONDS, Store
from bot.database.tx import (
    SERVER_TIME,
    Tx,
    build_insert,
    build_insert_for,
    build_insert_if_new,
    build_upsert,
    call_after_commit,
    delete_batch,
    read_server_time,
)

__all__ = [
    "MAX_INTEGER",
    "RETRY_SECONDS",
    "SERVER_TIME",
    "UNREADABLE_ERRORS",
    "AccessMode",
    "DedicatedConnection",
    "Postgresql",
    "PrivilegeError",
    "Store",
    "StoreError",
    "Tx",
    "UnreachableError",
    "WritesRefusedError",
    "build_insert",
    "build_insert_for",
    "build_insert_if_new",
    "build_upsert",
    "call_after_commit",
    "delete_batch",
    "describe_error",
    "describe_outdated_tables",
    "is_database_failure",
    "is_permission_denied",
    "is_read_only_error",
    "parse_number",
    "parse_object",
    "read_server_time",
]
