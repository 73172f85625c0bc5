"""Open a database with `Store`; its tables are in `schema`. Other packages import the names below."""

from bot.database.errors import INSUFFICIENT_PRIVILEGE as INSUFFICIENT_PRIVILEGE
from bot.database.errors import READ_ONLY as READ_ONLY
from bot.database.errors import PrivilegeError as PrivilegeError
from bot.database.errors import StoreError as StoreError
from bot.database.errors import UnreachableError as UnreachableError
from bot.database.errors import describe_error as describe_error
from bot.database.errors import get_error_code as get_error_code
from bot.database.errors import is_database_failure as is_database_failure
from bot.database.migrations import describe_outdated_tables as describe_outdated_tables
from bot.database.postgresql import AccessMode as AccessMode
from bot.database.postgresql import DedicatedConnection as DedicatedConnection
from bot.database.postgresql import Postgresql as Postgresql
from bot.database.schema import MAX_INTEGER as MAX_INTEGER
from bot.database.schema import UNREADABLE_ERRORS as UNREADABLE_ERRORS
from bot.database.schema import parse_number as parse_number
from bot.database.schema import parse_object as parse_object
from bot.database.store import RETRY_SECONDS as RETRY_SECONDS
from bot.database.store import Store as Store
from bot.database.tx import SERVER_TIME as SERVER_TIME
from bot.database.tx import Tx as Tx
from bot.database.tx import build_insert_for as build_insert_for
from bot.database.tx import build_insert_if_new as build_insert_if_new
from bot.database.tx import build_upsert as build_upsert
from bot.database.tx import call_after_commit as call_after_commit
from bot.database.tx import delete_batch as delete_batch
from bot.database.tx import read_server_time as read_server_time
