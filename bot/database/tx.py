"""A transaction, and the one statement that SQLAlchemy builds for each database by itself."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
Tx = Connection
"""An open transaction; what every query takes first."""
Work = Callable[[Tx], T]
"""A plain function of a transaction. It may be called twice, so it changes nothing but the database."""


def upsert(tx: Tx, table: Table) -> Any:
    """An INSERT into `table` that knows ON CONFLICT, for the database at hand."""
    return sqlite.insert(table) if tx.dialect.name == "sqlite" else postgresql.insert(table)
