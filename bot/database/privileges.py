"""What the bot's role may do in a PostgreSQL database. What it lacks is told before any update meets it.

A file's rights are the system's: `files` looks at them.
"""

from collections.abc import Sequence

from sqlalchemy import text

from bot.database.errors import PrivilegeError
from bot.database.schema import metadata
from bot.database.tx import Tx

NAMES = [table.name for table in metadata.sorted_tables]
# Our tables that the role can't read and write, and what numbers their rows where it can't use that.
LACKING = text(
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
# Our tables that are not the role's own.
FOREIGN = text(
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY(:names)"
    " AND pg_table_is_visible(oid) AND NOT pg_has_role(relowner, 'USAGE') ORDER BY 1"
)
PLACE = text(
    "SELECT current_user AS role, current_schema() AS schema,"
    " has_schema_privilege(current_schema(), 'CREATE') AS open"
)
READ_ONLY = text("SELECT current_setting('transaction_read_only') = 'on'")


def require_table_privileges(tx: Tx) -> None:
    """Raise RightsError where the role may not read and write all that is the bot's."""
    if tx.dialect.name == "postgresql" and (lacking := tx.scalars(LACKING, {"names": NAMES}).all()):
        raise PrivilegeError(f"the role {_role(tx)!r} may not read and write {_some(lacking)}")


def require_ownership(tx: Tx) -> None:
    """Raise RightsError where the role may not make tables, or change those that are there."""
    if tx.dialect.name != "postgresql":
        return
    role, schema, is_open = tx.execute(PLACE).one()
    if schema is None:
        raise PrivilegeError(f"there is no schema that the role {role!r} may use")
    if not is_open:
        raise PrivilegeError(f"the role {role!r} may make no tables in the schema {schema!r}")
    if foreign := tx.scalars(FOREIGN, {"names": NAMES}).all():
        raise PrivilegeError(
            f"the role {role!r} can't bring up to date what it doesn't own: {_some(foreign)}"
        )


def is_database_read_only(tx: Tx) -> bool:
    """Whether nobody may write just now, as on a server that only follows another one."""
    return tx.dialect.name == "postgresql" and bool(tx.scalar(READ_ONLY))


def _role(tx: Tx) -> str:
    return str(tx.scalar(text("SELECT current_user")))


def _some(names: Sequence[str]) -> str:
    """One of the names, and how many more there are."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
