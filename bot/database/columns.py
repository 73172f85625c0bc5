"""What all tables are made of: whole numbers of 64 bits, seconds, flags, and strict tables."""

from typing import Any

from sqlalchemy import REAL, BigInteger, Column, Double, Integer, MetaData, Table, text
from sqlalchemy.types import TypeEngine

Whole = BigInteger().with_variant(Integer, "sqlite")
Seconds: TypeEngine[float] = Double().with_variant(REAL, "sqlite")

metadata = MetaData()


def table(name: str, *parts: Any) -> Table:
    """A table of this database."""
    return Table(name, metadata, *parts, sqlite_strict=True)


def flag(name: str, default: int = 0) -> Column[Any]:
    """A column that is 0 or 1."""
    return Column(name, Integer, nullable=False, server_default=text(str(default)))
