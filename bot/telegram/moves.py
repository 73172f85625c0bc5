"""A group that becomes a supergroup gets another id. Both chats report it, each in its own line."""

import asyncio

from bot.database import Store
from bot.players.queries import is_chat_known
from bot.queue.inbox import LANE_CHECK_PAUSES, Inbox
from bot.workers.slots import release_slot


async def wait_for_old_chat(store: Store, inbox: Inbox, old: int, until: float) -> None:
    """Wait until the old chat has reported it, behind all that was said there and finds its round by it.

    Where it doesn't in time, then at least until all that has come in is handled that was sent no later than
    `until`.
    """
    async with release_slot():  # the old chat needs one for its report
        for pause in LANE_CHECK_PAUSES:
            if not await store.read(lambda tx: is_chat_known(tx, old)):
                break
            await asyncio.sleep(pause)
        await inbox.wait_until_handled(old, until)
