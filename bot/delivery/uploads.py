"""The pictures that Telegram has, by what they show: queries."""

from dataclasses import dataclass

from sqlalchemy import delete, select

from bot.database import Tx, delete_some, upsert
from bot.database.schema import uploads

KEPT, PASSING = 30 * 86_400.0, 86_400.0
"""Seconds after its latest upload for which a picture is remembered, and for which one that names people."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture that Telegram has."""

    content: str
    """The hash of what the picture shows: the same for the same picture."""
    file_id: str
    """By which this bot sends it again."""
    passing: bool = False
    """Whether it names people."""


def file_id(tx: Tx, content: str) -> str | None:
    """By which id the picture is sent; None where it has to be uploaded."""
    found = tx.scalar(select(uploads.c.file_id).where(uploads.c.content == content))
    return None if found is None else str(found)


def keep(tx: Tx, upload: Upload, now: float) -> None:
    """Remember that Telegram has the picture."""
    values = {"file_id": upload.file_id, "until": now + (PASSING if upload.passing else KEPT)}
    new = upsert(tx, uploads).values(content=upload.content, **values)
    tx.execute(new.on_conflict_do_update(index_elements=["content"], set_=values))


def forget(tx: Tx, content: str) -> None:
    """Telegram doesn't know the picture by that id any more."""
    tx.execute(delete(uploads).where(uploads.c.content == content))


def sweep(tx: Tx, now: float) -> bool:
    """Forget the pictures whose time is over; whether there may be more."""
    return delete_some(tx, uploads, uploads.c.until < now)
