"""From when on what a revision brought may be relied on: once no version before it can be at work any more.

Where several bots share a database, one of a version before may still run beside this one while it takes its
place, and its operator may go back to it for some days.
"""

from sqlalchemy import select

from bot.database.migrations import need_versions_from
from bot.database.schema import meta, read_number
from bot.database.tx import Tx, latest_rows

GRACE = 7 * 86_400.0
"""Seconds after the first start of a version from which on none before it is needed any more."""
SINCE = "0"
"""What the fact says from then on."""


def all_know(tx: Tx, fact: str) -> bool:
    """Whether it is so by now, as the fact of that name has it."""
    return _told(tx, fact) == SINCE


def come_to_know(tx: Tx, now: float, fact: str, revision: str) -> bool:
    """The same. The first time that this is asked the fact is noted, and when it is so no version from before
    the revision can start on the database any more. A time that a clock noted which was ahead counts as none.
    """
    begins = read_number(_told(tx, fact))
    if begins is None or begins > now + GRACE + 1:  # it was rounded
        _note(tx, fact, str(round(now + GRACE)))
        return False
    if now < begins:
        return False
    if begins:
        need_versions_from(tx, revision)
        _note(tx, fact, SINCE)
    return True


def _told(tx: Tx, fact: str) -> str:
    return str(tx.scalar(select(meta.c.value).where(meta.c.key == fact)) or "")


def _note(tx: Tx, fact: str, value: str) -> None:
    tx.execute(latest_rows(tx.dialect.name, meta, "value"), {"key": fact, "value": value})
