"""The pictures that Telegram has, by what they show: queries."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, select

from bot.database import Tx, delete_batch, build_insert_for
from bot.database.schema import uploads

# Seconds after its latest upload for which a picture is remembered, and for which one that names people.
KEPT, PASSING = 30 * 86_400.0, 86_400.0

# Built once, since every picture needs them and building takes longer than the database does

FILE_ID = select(uploads.c.file_id).where(uploads.c.content == bindparam("shown"))
FORGET = delete(uploads).where(uploads.c.content == bindparam("shown"))


@cache
def _keeping(dialect: str) -> Any:
    """An INSERT of a picture that Telegram has, again or for the first time."""
    statement = build_insert_for(dialect, uploads)
    latest = {name: statement.excluded[name] for name in ("file_id", "until")}
    return statement.on_conflict_do_update(index_elements=["content"], set_=latest)


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture that Telegram has."""

    content: str  # The hash of what the picture shows: the same for the same picture
    file_id: str  # By which this bot sends it again
    passing: bool = False  # Whether it names people


def load_file_id(tx: Tx, content: str) -> str | None:
    """By which id the picture is sent; None where it has to be uploaded."""
    found = tx.scalar(FILE_ID, {"shown": content})
    return None if found is None else str(found)


def keep(tx: Tx, upload: Upload, now: float) -> None:
    """Remember that Telegram has the picture."""
    until = now + (PASSING if upload.passing else KEPT)
    row = {"content": upload.content, "file_id": upload.file_id, "until": until}
    tx.execute(_keeping(tx.dialect.name), row)


def forget(tx: Tx, content: str) -> None:
    """Telegram doesn't know the picture by that id any more."""
    tx.execute(FORGET, {"shown": content})


def delete_expired_uploads(tx: Tx, now: float) -> bool:
    """Forget the pictures whose time is over; whether there may be more."""
    return delete_batch(tx, uploads, uploads.c.until < now)
