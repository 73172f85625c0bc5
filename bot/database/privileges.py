"""Check at the start what the bot's role may do in a PostgreSQL database."""

from collections.abc import Sequence

from sqlalchemy import text

from bot.database.errors import PrivilegeError
from bot.database.schema import metadata
from bot.database.tx import Tx

TABLE_NAMES = [table.name for table in metadata.sorted_tables]
# The bot's tables that the role can't read and write, and the sequences of their ids that it can't use
SELECT_INACCESSIBLE = text(
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY(:names)"
    " AND pg_table_is_visible(oid)"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))"
    " UNION ALL SELECT numbers.relname FROM pg_class numbers"
    " JOIN pg_depend ON objid = numbers.oid AND deptype = 'a' JOIN pg_class ON refobjid = pg_class.oid"
    " WHERE pg_class.relname = ANY(:names) AND pg_table_is_visible(pg_class.oid)"
    " AND CASE numbers.relkind WHEN 'S' THEN NOT has_sequence_privilege(numbers.oid, 'USAGE') ELSE false END"
    " ORDER BY 1"
)


def require_table_privileges(tx: Tx) -> None:
    """Raise PrivilegeError if the role may not read and write all tables of the bot; never for a file."""
    if tx.dialect.name != "postgresql":
        return
    inaccessible = tx.scalars(SELECT_INACCESSIBLE, {"names": TABLE_NAMES}).all()
    if inaccessible:
        role = tx.scalar(text("SELECT current_user"))
        raise PrivilegeError(f"the role {role!r} may not read and write {_list_briefly(inaccessible)}")


SELECT_ROLE_AND_SCHEMA = text(
    "SELECT current_user AS role, current_schema() AS schema,"
    " has_schema_privilege(current_schema(), 'CREATE') AS may_create"
)
# The bot's tables that belong to another role
SELECT_FOREIGN = text(
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY(:names)"
    " AND pg_table_is_visible(oid) AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1"
)


def require_ownership(tx: Tx) -> None:
    """Raise PrivilegeError if the role may not create tables, or change the bot's; never for a file."""
    if tx.dialect.name != "postgresql":
        return
    role, schema, may_create = tx.execute(SELECT_ROLE_AND_SCHEMA).one()
    if schema is None:
        raise PrivilegeError(f"there is no schema that the role {role!r} may use")
    if not may_create:
        raise PrivilegeError(f"the role {role!r} may make no tables in the schema {schema!r}")
    foreign = tx.scalars(SELECT_FOREIGN, {"names": TABLE_NAMES}).all()
    if foreign:
        tables = _list_briefly(foreign)
        raise PrivilegeError(f"the role {role!r} can't bring up to date what it doesn't own: {tables}")


def is_database_read_only(tx: Tx) -> bool:
    """Whether nobody may write now, as on a standby server; False for a file."""
    if tx.dialect.name != "postgresql":
        return False
    return bool(tx.scalar(text("SELECT current_setting('transaction_read_only') = 'on'")))


def _list_briefly(names: Sequence[str]) -> str:
    """Return the first name, and the number of the others."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} and {len(names) - 1} more"
