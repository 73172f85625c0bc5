"""/leaderboard of the chat and /stats of the caller."""

from bot.reply import Outgoing, figures
from bot.store import Tx, boards
from bot.turn import Move, Turn, nothing


async def leaderboard(turn: Turn) -> Move:
    """Who leads in this chat."""

    def move(tx: Tx) -> list[Outgoing]:
        own = boards.standing(tx, turn.chat.id, turn.player.id) if turn.player else None
        return [turn.say(figures.leaderboard(turn.words, boards.top(tx, turn.chat.id), own))]

    return move


async def stats(turn: Turn) -> Move:
    """What the caller has done in this chat."""
    player = turn.player
    if player is None:
        return nothing

    def move(tx: Tx) -> list[Outgoing]:
        return [turn.say(figures.stats(turn.words, player.name, boards.record(tx, turn.chat.id, player.id)))]

    return move
