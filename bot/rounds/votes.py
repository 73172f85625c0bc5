"""Count how many players have to vote to give a hand up, or to stop a race."""

from collections.abc import Collection
from math import ceil, sqrt

from sqlalchemy import or_, select, union

from bot.database import Tx
from bot.database.schema import awards, entries, rounds, tries
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.rounds.mode import find_mode
from bot.rounds.rules import VOTES_NEEDED, Round

RECENT_ROUNDS = 10  # Of the chat, whose players count
MAX_VOTES = 5  # Needed at most, unless an admin chooses more


def count_votes_needed(tx: Tx, round: Round, voters: Collection[int]) -> int:
    """Return how many votes give the hand up: as an admin chose, else by the number of recent players.

    The dealer and the voters count as players. A duel always takes both.
    """
    if find_mode(round).is_skipped_by_votes_alone(tx, round):
        return VOTES_NEEDED
    chosen = read_preferences(people.load_group(tx, round.chat_id)).votes_needed
    if chosen is not None:
        return chosen
    players = {round.dealer_id, *voters, *_load_recent_players(tx, round.chat_id)} - {0}  # 0: anonymous
    return compute_votes_needed(len(players))


def compute_votes_needed(players: int) -> int:
    """Return 1 for one player, 2 for up to four, 3 for up to nine, 5 for 17 and more."""
    return min(MAX_VOTES, ceil(sqrt(players)))


def _load_recent_players(tx: Tx, chat_id: int) -> Collection[int]:
    """Load the players who answered in the chat's latest rounds, right or wrong."""
    latest = select(rounds.c.id).where(rounds.c.chat_id == chat_id).order_by(rounds.c.id.desc())
    recent = latest.limit(RECENT_ROUNDS).scalar_subquery()
    has_answered = or_(tries.c.wrong > 0, tries.c.misread > 0, tries.c.late > 0)  # else it is only a note
    players = union(
        select(tries.c.player_id).where(tries.c.round_id.in_(recent), has_answered),
        select(entries.c.player_id).where(entries.c.round_id.in_(recent)),
        select(awards.c.player_id).where(awards.c.round_id.in_(recent)),
    )
    return set(tx.scalars(players))
