"""Opening the database at the start, where its server may be restarting just then."""

import asyncio
import logging
import time
from collections.abc import Callable

from sqlalchemy.engine import URL

from bot.database.errors import UnreachedError
from bot.database.postgresql import Use
from bot.database.store import Store

log = logging.getLogger(__name__)

UNREACHED, COMING_UP = 3.0, 60.0
"""Seconds to wait at the start for a database server that nobody reaches, and for one that is starting."""
AGAIN = 0.25
"""Seconds until it is tried again."""


async def opened(
    database: URL, use: Use = Use.SHARED, monotonic: Callable[[], float] = time.monotonic
) -> Store:
    """The database. A server that can't be reached just now may be restarting, so it is waited for a little.

    Raises StoreError, or UnreachedError once it was waited for long enough.
    """
    began, told = monotonic(), False
    while True:
        try:
            return await Store.open(database, use)
        except UnreachedError as error:
            if monotonic() - began > (COMING_UP if error.coming_up else UNREACHED):
                raise
            if error.coming_up and not told:
                log.warning("%s; waiting for it", error)
                told = True
        await asyncio.sleep(AGAIN)
