"""Databases that tests open by the hundred: their tables and their statements are made once."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import Engine

from bot.database.migrations import apply_migrations
from bot.database.schema import metadata

ENGINES: list[Engine] = []  # The first one that was made, if any was: all others speak its dialect
COMPILED: dict[Any, Any] = {}


def empty(path: Path) -> Path:
    """An empty database with today's tables in a file at `path`, whose folder is made.

    Walking the revisions takes longer than most of what is tested then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_migrated())
    return path


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.sqlite3"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as tx:
            apply_migrations(tx)
        engine.dispose()
        return file.read_bytes()


@cache
def tables() -> bytes:
    """A file with today's tables as the schema has them, without the walk through the revisions.

    A file is committed, and waited for, once for each table and index.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tables.sqlite3"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as tx:
            metadata.create_all(tx)
        engine.dispose()
        return file.read_bytes()


def compiling_once(engine: Engine) -> Engine:
    """The engine, with statements that another one has compiled in this process.

    A bot compiles each of its statements once in its life, in tests hundreds of bots live one after another.
    """
    ENGINES[1:] = []
    ENGINES.append(engine)
    sharing = engine.execution_options(compiled_cache=COMPILED)
    sharing.dialect = ENGINES[0].dialect
    return sharing
