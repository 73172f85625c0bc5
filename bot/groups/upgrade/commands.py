"""A group that becomes a supergroup gets another id: everything of the chat follows."""

from bot.database import Tx
from bot.games.rounds import queries as rounds
from bot.people import queries as people
from bot.telegram.context import Context, Effect, nothing
from bot.telegram.messages import Request, show
from bot.telegram.routes import Other, Routes


async def migrated(context: Context) -> Effect:
    """Move scores, settings and the live round to the new id, and deal that round there once more.

    Both chats report the change, in either order; the second report finds nothing left to do.
    """
    message = context.message
    if message is None:
        return nothing
    old = message.migrate_from_chat_id or context.chat.id
    new = message.migrate_to_chat_id or context.chat.id

    def effect(tx: Tx) -> list[Request]:
        people.move_chat(tx, old, new)
        return [show(round, new=True) for round in rounds.live_in_chat(tx, new) if round.message_id is None]

    return effect


ROUTES = Routes(others={Other.UPGRADE: migrated})
