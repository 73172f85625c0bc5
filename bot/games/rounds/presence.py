"""Who plays where: whoever scored, dealt, tried, voted, handed in or duelled in a chat."""

from sqlalchemy import BindParameter, Subquery, bindparam, exists, or_, select, union

from bot.database import Tx
from bot.database.schema import Whole, awards, duels, entries, past, rounds, totals, tries, votes

# Built once, since every answer may need them and building takes longer than the database does

CHAT, PLAYER = bindparam("chat", type_=Whole), bindparam("player", type_=Whole)
HERE = rounds.c.chat_id == CHAT
IS_IN = or_(duels.c.challenger_id == PLAYER, duels.c.opponent_id == PLAYER)
TRACES = (
    exists().where(totals.c.chat_id == CHAT, totals.c.player_id == PLAYER),
    exists().where(HERE, rounds.c.dealer_id == PLAYER),
    exists().where(HERE, tries.c.round_id == rounds.c.id, tries.c.player_id == PLAYER),
    exists().where(HERE, votes.c.round_id == rounds.c.id, votes.c.player_id == PLAYER),
    exists().where(HERE, entries.c.round_id == rounds.c.id, entries.c.player_id == PLAYER),
    exists().where(duels.c.chat_id == CHAT, duels.c.race_id.is_not(None), IS_IN),
    exists().where(past.c.chat_id == CHAT, past.c.player_id == PLAYER),
)
PLAYS = select(or_(*TRACES))
WHERE = select(rounds.c.chat_id)
PLACES = union(
    select(awards.c.chat_id).where(awards.c.player_id == PLAYER),
    WHERE.where(rounds.c.dealer_id == PLAYER),
    WHERE.join(tries, tries.c.round_id == rounds.c.id).where(tries.c.player_id == PLAYER),
    WHERE.join(votes, votes.c.round_id == rounds.c.id).where(votes.c.player_id == PLAYER),
    WHERE.join(entries, entries.c.round_id == rounds.c.id).where(entries.c.player_id == PLAYER),
    select(duels.c.chat_id).where(duels.c.race_id.is_not(None), IS_IN),
    select(past.c.chat_id).where(past.c.player_id == PLAYER),
)


def plays(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has played in that chat: scored, dealt, tried, voted or duelled there."""
    asked = {"chat": chat_id, "player": player_id}
    return chat_id == player_id or bool(tx.scalar(PLAYS, asked))


def players(chat_id: int | BindParameter[int]) -> Subquery:
    """Everybody who `plays` in a chat."""
    here, dealt = rounds.c.chat_id == chat_id, rounds.c.id
    duelled = (duels.c.chat_id == chat_id, duels.c.race_id.is_not(None))
    return union(
        select(totals.c.player_id.label("who")).where(totals.c.chat_id == chat_id),
        select(rounds.c.dealer_id).where(here, rounds.c.dealer_id > 0),
        *(
            select(table.c.player_id)
            .join(rounds, table.c.round_id == dealt)
            .where(here, table.c.player_id > 0)
            for table in (tries, votes, entries)
        ),
        select(past.c.player_id).where(past.c.chat_id == chat_id),
        select(duels.c.challenger_id).where(*duelled),
        select(duels.c.opponent_id).where(*duelled, duels.c.opponent_id.is_not(None)),
    ).subquery()


def places(tx: Tx, player_id: int) -> set[int]:
    """The chats in which a person plays."""
    return set(tx.scalars(PLACES, {"player": player_id}))
