"""Wait for the database on behalf of a request, and refuse the request if it fails."""

import logging
from collections.abc import Awaitable
from typing import Any

from starlette.exceptions import HTTPException

from bot.database import describe_error, is_database_failure
from bot.queue.inbox import InboxFullError
from bot.web.server import make_retry_after_header

log = logging.getLogger(__name__)


async def await_database(work: Awaitable[Any]) -> Any:
    """Return the result of the work. Raises HTTPException 503 if the database fails or the inbox is full."""
    try:
        return await work
    except InboxFullError:
        raise HTTPException(503, headers=make_retry_after_header(seconds=1)) from None
    except Exception as error:
        if not is_database_failure(error):
            raise
        log.warning("a board can't be served, it will ask again: %s", describe_error(error))
        raise HTTPException(503, headers=make_retry_after_header(seconds=1)) from None
