"""Who plays where: whoever scored, dealt, tried, voted, handed in or duelled in a chat."""

from sqlalchemy import bindparam, exists, or_, select, union

from bot.database import Tx
from bot.database.schema import BigInt, duels, rounds, tallies, votes

# Built once, since every answer may need them and building takes longer than the database does

CHAT, PLAYER = bindparam("chat", type_=BigInt), bindparam("player", type_=BigInt)
IN_CHAT = rounds.c.chat_id == CHAT
IS_IN = or_(duels.c.challenger_id == PLAYER, duels.c.opponent_id == PLAYER)
TRACES = (
    exists().where(IN_CHAT, rounds.c.dealer_id == PLAYER),
    exists().where(IN_CHAT, votes.c.round_id == rounds.c.id, votes.c.player_id == PLAYER),
    exists().where(duels.c.chat_id == CHAT, duels.c.race_id.is_not(None), IS_IN),
    exists().where(tallies.c.chat_id == CHAT, tallies.c.player_id == PLAYER),
)
PLAYS = select(or_(*TRACES))
WHERE = select(rounds.c.chat_id)
CHATS_OF_PLAYER = union(
    WHERE.where(rounds.c.dealer_id == PLAYER),
    WHERE.join(votes, votes.c.round_id == rounds.c.id).where(votes.c.player_id == PLAYER),
    select(duels.c.chat_id).where(duels.c.race_id.is_not(None), IS_IN),
    select(tallies.c.chat_id).where(tallies.c.player_id == PLAYER),
)


def has_played_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has played in that chat: scored, dealt, tried, voted or duelled there."""
    asked = {"chat": chat_id, "player": player_id}
    return chat_id == player_id or bool(tx.scalar(PLAYS, asked))
