"""A group that becomes a supergroup gets another id: everything of the chat follows."""

from bot.reply import Outgoing, show
from bot.store import Tx, people, rounds
from bot.turn import Move, Turn, nothing


async def migrated(turn: Turn) -> Move:
    """Move scores, settings and the live round to the new id, and deal that round there once more.

    Both chats report the change, in either order; the second report finds nothing left to do.
    """
    message = turn.message
    if message is None:
        return nothing
    old = message.migrate_from_chat_id or turn.chat.id
    new = message.migrate_to_chat_id or turn.chat.id

    def move(tx: Tx) -> list[Outgoing]:
        people.move_chat(tx, old, new)
        return [show(round, new=True) for round in rounds.live_in_chat(tx, new) if round.message_id is None]

    return move
