"""Who plays where: whoever scored, dealt, tried, voted, handed in or duelled in a chat."""

from sqlalchemy import ColumnElement, Subquery, exists, or_, select, union

from bot.database import Tx
from bot.database.schema import awards, duels, entries, past, rounds, totals, tries, votes


def plays(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has played in that chat: scored, dealt, tried, voted or duelled there."""
    here = (rounds.c.chat_id == chat_id,)
    traces = (
        exists().where(totals.c.chat_id == chat_id, totals.c.player_id == player_id),
        exists().where(*here, rounds.c.dealer_id == player_id),
        exists().where(*here, tries.c.round_id == rounds.c.id, tries.c.player_id == player_id),
        exists().where(*here, votes.c.round_id == rounds.c.id, votes.c.player_id == player_id),
        exists().where(*here, entries.c.round_id == rounds.c.id, entries.c.player_id == player_id),
        exists().where(duels.c.chat_id == chat_id, duels.c.race_id.is_not(None), _duels(player_id)),
        exists().where(past.c.chat_id == chat_id, past.c.player_id == player_id),
    )
    return chat_id == player_id or bool(tx.scalar(select(or_(*traces))))


def players(chat_id: int) -> Subquery:
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
    mine = select(rounds.c.chat_id).distinct()
    found = (
        select(awards.c.chat_id).where(awards.c.player_id == player_id).distinct(),
        mine.where(rounds.c.dealer_id == player_id),
        mine.join(tries, tries.c.round_id == rounds.c.id).where(tries.c.player_id == player_id),
        mine.join(votes, votes.c.round_id == rounds.c.id).where(votes.c.player_id == player_id),
        mine.join(entries, entries.c.round_id == rounds.c.id).where(entries.c.player_id == player_id),
        select(duels.c.chat_id).where(duels.c.race_id.is_not(None), _duels(player_id)).distinct(),
        select(past.c.chat_id).where(past.c.player_id == player_id).distinct(),
    )
    return {chat_id for places in found for chat_id in tx.scalars(places)}


def _duels(player_id: int) -> ColumnElement[bool]:
    return or_(duels.c.challenger_id == player_id, duels.c.opponent_id == player_id)
