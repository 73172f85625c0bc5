"""Being there for longer than the other parts run: from before the way in opens until all is closed."""

import asyncio
from contextlib import AsyncExitStack

from bot.queue.replicas.replica import LAST_WORD, Replica
from bot.supervision import Ends, Part, keep_running

NAME = "being there"


async def stays(claims: Replica, stack: AsyncExitStack, ends: Ends) -> dict[str, Part]:
    """Be there, and say so from now on until `stack` has closed all that is put on it after this.

    Else others would take over what it is still finishing, or bury it while it starts. Returns the part that
    ends where that does. Raises StoreError where bots are beside which this one can't run.
    """
    await claims.join()
    staying = asyncio.create_task(keep_running(NAME, claims.stay, ends))

    async def leave() -> None:
        staying.cancel()
        await asyncio.wait({staying}, timeout=LAST_WORD)
        await claims.leave()

    stack.push_async_callback(leave)
    return {NAME: lambda: asyncio.shield(staying)}
