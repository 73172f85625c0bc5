"""Votes to give a hand up, or to end a race, a duel or a contest: how many it takes, and their texts."""

from collections.abc import Collection
from math import ceil, sqrt

from sqlalchemy import or_, select, union

from bot.database import Tx
from bot.database.schema import awards, entries, rounds, tries, votes
from bot.durations import DAY
from bot.i18n import Html, Words
from bot.players import queries as people
from bot.players.preferences import GivingUp, read_preferences
from bot.rounds.rules import Round

RECENT_ROUNDS = 10  # Of the chat, whose players count
RECENT_SECONDS = DAY / 2  # Before the present hand was dealt; the others are those dealt since
MAX_VOTES = 5  # Needed at most


def count_votes_needed(tx: Tx, round: Round, voters: Collection[int]) -> int:
    """Return how many votes give the hand up: one where one person decides, else by the number of players.

    These are the dealer, the voters and whoever took part in the hands of the hours before.
    """
    if read_preferences(people.load_group(tx, round.chat_id)).giving_up is not GivingUp.FEW:
        return 1
    players = {round.dealer_id, *voters, *_load_recent_players(tx, round)} - {0}  # 0: anonymous
    return compute_votes_needed(len(players))


def render_only_admins(words: Words) -> Html:
    return words.translate("Only admins give up here.")


def do_admins_alone_give_up(tx: Tx, chat_id: int) -> bool:
    return read_preferences(people.load_group(tx, chat_id)).giving_up is GivingUp.ADMINS


def compute_votes_needed(players: int) -> int:
    """Return 1 for one player, 2 for up to four, 3 for up to nine, 5 for 17 and more."""
    return min(MAX_VOTES, ceil(sqrt(players)))


def _load_recent_players(tx: Tx, round: Round) -> Collection[int]:
    """Load the players who dealt, answered or voted in the latest rounds of the round's chat."""
    is_recent = (rounds.c.chat_id == round.chat_id, rounds.c.opened > round.opened - RECENT_SECONDS)
    latest = select(rounds.c.id).where(*is_recent).order_by(rounds.c.id.desc())
    recent = latest.limit(RECENT_ROUNDS).scalar_subquery()
    has_answered = or_(tries.c.wrong > 0, tries.c.misread > 0, tries.c.late > 0)  # else it is only a note
    players = union(
        select(rounds.c.dealer_id).where(rounds.c.id.in_(recent)),
        select(votes.c.player_id).where(votes.c.round_id.in_(recent)),
        select(tries.c.player_id).where(tries.c.round_id.in_(recent), has_answered),
        select(entries.c.player_id).where(entries.c.round_id.in_(recent)),
        select(awards.c.player_id).where(awards.c.round_id.in_(recent)),
    )
    return set(tx.scalars(players))


def render_button(label: str, votes: int, needed: int) -> str:
    """Return the label of the button to vote, with the number of votes once there are any."""
    return f"{label} {votes}/{needed}" if votes else label


def render_counted_vote(words: Words, votes: int, needed: int) -> str:
    """Return the alert to somebody whose vote was counted."""
    return words.translate_plural(
        "{votes} of {needed} agree: {n} more needed.",
        "{votes} of {needed} agree: {n} more needed.",
        needed - votes,
        votes=votes,
        needed=needed,
    )


def render_skip_voters(words: Words, names: Html, votes: int, needed: int) -> Html:
    """Return the line below a hand with the `names` of those who give it up."""
    who = words.translate_plural("{names} gives up.", "{names} give up.", votes, names=names)
    missing = words.translate_plural(
        "{n} more and the solution is shown.", "{n} more and the solution is shown.", needed - votes
    )
    return Html(f"🏳 {who} {missing}")


def render_end_voters(words: Words, names: Html, votes: int, needed: int, *, is_duel: bool) -> Html:
    """Return the line above a hand with the `names` of those who want to end its race or duel."""
    if is_duel:
        who = words.translate_plural(
            "{names} wants to end the duel.", "{names} want to end the duel.", votes, names=names
        )
    else:
        who = words.translate_plural(
            "{names} wants to end the race.", "{names} want to end the race.", votes, names=names
        )
    missing = words.translate_plural(
        "{n} more of {needed} must agree.",
        "{n} more of {needed} must agree.",
        needed - votes,
        needed=needed,
    )
    return Html(f"🏁 {who} {missing}")
