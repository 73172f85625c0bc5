"""Databases for tests, which open hundreds: tables and compiled statements are made once and shared."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import Engine

from bot.database.migrations import apply_migrations
from bot.database.schema import metadata

ENGINES: list[Engine] = []  # Holds the first engine, whose dialect object all others share
COMPILED_STATEMENTS: dict[Any, Any] = {}


def write_database(path: Path) -> Path:
    """Write a SQLite file with empty tables, and its folder; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_build_migrated_file())
    return path


@cache  # Applying all migrations takes longer than most tests
def _build_migrated_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.sqlite3"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as tx:
            apply_migrations(tx)
        engine.dispose()
        return file.read_bytes()


@cache  # SQLite commits once for each table and index, and waits for the disk
def build_schema_file() -> bytes:
    """Return a SQLite file with the tables of the schema, made without migrations."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tables.sqlite3"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as tx:
            metadata.create_all(tx)
        engine.dispose()
        return file.read_bytes()


def share_compiled_statements(engine: Engine) -> Engine:
    """Return the engine with a cache of compiled statements that all engines of the process share.

    A test run starts hundreds of bots; each would compile all its statements anew.
    """
    ENGINES[1:] = []
    ENGINES.append(engine)
    sharing = engine.execution_options(compiled_cache=COMPILED_STATEMENTS)
    sharing.dialect = ENGINES[0].dialect
    return sharing
