"""Being there for longer than the other parts run: from before the way in opens until all is closed."""

import asyncio
from contextlib import AsyncExitStack

from bot.queue.replicas.replica import LEAVE_TIMEOUT, Replica
from bot.supervision import FatalErrors, Part, keep_running

RENEWAL_PART = "being there"


async def keep_lease_until_closed(claims: Replica, stack: AsyncExitStack, ends: FatalErrors) -> dict[str, Part]:
    """Be there, and say so from now on until `stack` has closed all that is put on it after this.

    Else others would take over what it is still finishing, or bury it while it starts. Returns the part that
    ends where that does. Raises StoreError where bots are beside which this one can't run.
    """
    await claims.join()
    staying = asyncio.create_task(keep_running(RENEWAL_PART, claims.keep_lease, ends))

    async def leave() -> None:
        staying.cancel()
        await asyncio.wait({staying}, timeout=LEAVE_TIMEOUT)
        await claims.leave()

    stack.push_async_callback(leave)
    return {RENEWAL_PART: lambda: asyncio.shield(staying)}
