"""Count how many players have to vote to give a hand up, or to stop a race."""

from collections.abc import Collection
from math import ceil, sqrt

from sqlalchemy import or_, select, union

from bot.database import Tx
from bot.database.schema import awards, entries, rounds, tries
from bot.i18n import Html, Words
from bot.players import queries as people
from bot.players.preferences import GivingUp, read_preferences
from bot.rounds.mode import find_mode
from bot.rounds.rules import VOTES_NEEDED, Round

RECENT_ROUNDS = 10  # Of the chat, whose players count
MAX_VOTES = 5  # Needed at most


def count_votes_needed(tx: Tx, round: Round, voters: Collection[int]) -> int:
    """Return how many votes give the hand up: one where one person decides, else by the number of players.

    The dealer and the voters count as players. A duel always takes both.
    """
    if find_mode(round).is_skipped_by_votes_alone(tx, round):
        return VOTES_NEEDED
    if read_preferences(people.load_group(tx, round.chat_id)).giving_up is not GivingUp.FEW:
        return 1
    players = {round.dealer_id, *voters, *_load_recent_players(tx, round.chat_id)} - {0}  # 0: anonymous
    return compute_votes_needed(len(players))


def render_only_admins(words: Words) -> Html:
    return words.translate("Only admins give up here.")


def may_vote(tx: Tx, round: Round, *, is_admin: bool) -> bool:
    """Whether the person has a say in giving the hand up, as both players of a duel always have."""
    if is_admin or round.is_private or find_mode(round).is_skipped_by_votes_alone(tx, round):
        return True
    return read_preferences(people.load_group(tx, round.chat_id)).giving_up is not GivingUp.ADMINS


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
