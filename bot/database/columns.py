"""What all tables are made of: whole numbers of 64 bits, seconds, flags, and strict tables."""

from typing import Any

from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    ColumnElement,
    Double,
    Integer,
    MetaData,
    Table,
    and_,
    or_,
    text,
)
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

AGES = 2.0**36
"""Seconds that are no moment since 1970 and no time that anything took, but a broken row."""
NOBODY = 0
"""Stands in a row for whoever was forgotten."""

metadata = MetaData()


def table(name: str, *parts: Any) -> Table:
    """A table of this database."""
    return Table(name, metadata, *parts, sqlite_strict=True)


def sound(*seconds: ColumnElement[float]) -> ColumnElement[bool]:
    """The condition that what is stored as moments or times is such."""
    return and_(*(each.between(0.0, AGES) for each in seconds))


def one_of(column: ColumnElement[str], *values: str) -> ColumnElement[bool]:
    """The condition that a column holds one of values that never change.

    An IN, whose list may be longer the next time, is written anew whenever its statement is run.
    """
    return or_(*(column == value for value in values))


def flag(name: str, default: int = 0) -> Column[Any]:
    """A column that is 0 or 1."""
    return Column(name, Integer, nullable=False, server_default=text(str(default)))
