"""Open a database with `Store`; its tables are in `schema`. Other packages import the names below."""

from bot.database.errors import (
    INSUFFICIENT_PRIVILEGE,
    READ_ONLY,
    PrivilegeError,
    StoreError,
    UnreachableError,
    WritesRefusedError,
    describe_error,
    get_error_code,
    is_database_failure,
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
    "INSUFFICIENT_PRIVILEGE",
    "MAX_INTEGER",
    "READ_ONLY",
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
    "get_error_code",
    "is_database_failure",
    "parse_number",
    "parse_object",
    "read_server_time",
]
