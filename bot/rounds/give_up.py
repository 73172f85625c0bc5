"""Give the open hand up, by /giveup or its button.

The dealer may end a hand while nobody else has answered, an admin by /giveup at any time. Where others are
trying, the button is a vote; `bot.rounds.votes` counts how many are needed.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from bot.database import Tx
from bot.i18n import Html, Words, translate_later
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import queries as rounds
from bot.rounds.answer import Ignored, NoOpenHand, OpenElsewhere
from bot.rounds.commands import (
    SEEN,
    explain_no_open_hand,
    find_meant_round,
    load_just_ended_round,
    load_pressed_round,
    make_notice,
)
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import Kind, parse_hand_numbers
from bot.rounds.round_end import RoundEnd, record_round_end, show_end_in_chat
from bot.rounds.rules import Round, State, is_in_time, mark_ended
from bot.rounds.view import SKIP_BUTTON
from bot.rounds.votes import render_counted_vote, render_only_admins
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

# Give a hand up


@dataclass(frozen=True, slots=True)
class Wish:
    """Somebody's wish to give a hand up."""

    player_id: int | None  # None for an anonymous admin, a channel or another bot
    is_admin: bool
    is_command: bool  # An admin's command needs no vote, unlike a press
    sent_at: float
    next_hand_at: float  # When the time of a race's next hand starts
    message_id: int  # 0 for a press


@dataclass(frozen=True, slots=True)
class GivenUp:
    end: RoundEnd
    loses_entry: bool  # Whether the player had sent an entry, which does not count


@dataclass(frozen=True, slots=True)
class Voted:
    """A vote was counted; more are needed."""

    round: Round
    votes: int
    needed: int


@dataclass(frozen=True, slots=True)
class NoSay:
    """The round's mode gives the player no say in giving the hand up."""

    render_reason: Callable[[Words], Html]


@dataclass(frozen=True, slots=True)
class MeantHandBefore:
    """The wish was for the hand before in the race, which is over."""


Outcome = GivenUp | Voted | NoSay | OpenElsewhere | NoOpenHand | MeantHandBefore | Ignored


def give_up(tx: Tx, round: Round | None, wish: Wish) -> Outcome:
    """End the round if the player may do so alone or has the last vote needed; else count the vote."""
    if round is None or not is_in_time(round, wish.sent_at):
        return NoOpenHand(round)
    if wish.is_command and _is_for_hand_before(tx, round, wish.sent_at):
        return MeantHandBefore()
    reason = find_mode(round).refuse_skip(tx, round, wish.player_id)
    if reason is not None:
        return NoSay(reason)
    if wish.player_id is None and not wish.is_admin:
        return Ignored()
    if not find_mode(round).may_vote(tx, round, is_admin=wish.is_admin):
        return NoSay(render_only_admins)
    if round.is_private:  # giving up shows the solution
        numbers = parse_hand_numbers(round.line)
        other = secrecy.find_open_hand(tx, wish.player_id, round.chat_id, numbers, except_round_id=round.id)
        if other is not None:
            return OpenElsewhere(other)
    if wish.player_id is not None:
        voters = attempts.vote_to_skip(tx, round.id, wish.player_id)  # which the review reads, too
        if not _may_end_alone(tx, round, wish):
            needed = round.votes_needed or find_mode(round).count_votes_needed(tx, round, voters)
            if len(voters) < needed:
                voted = replace(round, votes_needed=needed)
                rounds.update_game_state(tx, voted)
                return Voted(voted, len(voters), needed)
    entries = attempts.load_entries(tx, round) if _deletes_entries(round) else []
    loses_entry = any(entry.player_id == wish.player_id for entry in entries)
    end = end_given_up_round(tx, round, wish, attempts.load_skip_voters(tx, round.id))
    return GivenUp(end, loses_entry) if end else NoOpenHand(over=None)


NOTICE_SECONDS = 5.0  # Until everybody sees that the next hand of a race has replaced the one before


def _is_for_hand_before(tx: Tx, round: Round, sent_at: float) -> bool:
    """Whether a /giveup in a group was sent before its author could see the open hand of the race."""
    if round.race_id is None or round.is_private:
        return False
    before = rounds.load_previous_round(tx, round)
    is_same_race = before is not None and before.race_id == round.race_id
    return is_same_race and sent_at < round.opened + NOTICE_SECONDS


def _may_end_alone(tx: Tx, round: Round, wish: Wish) -> bool:
    """Whether the player needs no second vote: always in private, and as an admin by command; the dealer and
    an admin also while nobody else has answered.
    """
    if find_mode(round).is_skipped_by_votes_alone(tx, round):
        return False
    if round.is_private or (wish.is_admin and wish.is_command):
        return True
    may_if_alone = wish.is_admin or wish.player_id == round.dealer_id
    return may_if_alone and not attempts.has_attempt(tx, round.id, except_player_id=wish.player_id)


def end_given_up_round(tx: Tx, round: Round, wish: Wish, voters: Collection[int] = ()) -> RoundEnd | None:
    """End the round without the entries of the voters and the player, who is shown its solution.

    None if it was closed before.
    """
    skipped = mark_ended(round, State.SKIPPED, wish.sent_at)
    if not rounds.close_round(tx, skipped):
        return None
    skippers = {*voters}
    if wish.player_id is not None:
        skippers.add(wish.player_id)
        secrecy.record_solution_shown(tx, wish.player_id, parse_hand_numbers(round.line), wish.sent_at)
    if _deletes_entries(round):
        attempts.delete_entries(tx, round.id, skippers)
    return record_round_end(tx, skipped, wish.next_hand_at, wish.message_id)


def _deletes_entries(round: Round) -> bool:
    """Whether who gives the round up loses their entry, or whoever is ahead would end it."""
    return round.kind is Kind.BEST and not round.is_private  # in a private chat nobody is beaten by that


# Say what happened


def render_outcome(context: Context, tx: Tx, outcome: Outcome) -> Sequence[Response]:
    """Return the message that shows the end or the new vote, or the reply that says why there is none."""
    words = context.words
    match outcome:
        case GivenUp(end, loses_entry):
            text = words.translate_plain("Given up: what you handed in doesn’t count.") if loses_entry else ""
            return [*show_end_in_chat(context, tx, end), *context.answer_press(text)]
        case Voted(round, votes, needed):
            text = render_counted_vote(words, votes, needed)
            confirmation = context.answer_press(text) or context.react(SEEN)  # to a command
            return [messages.show_round(round.chat_id, round.id), *confirmation]
        case NoSay(render_reason):
            return make_notice(context, tx, render_reason(words))
        case OpenElsewhere(chat_id):
            return secrecy.refuse_solution(context, secrecy.render_open_hand(context, chat_id))
        case NoOpenHand(over):
            return _explain_no_open_hand(context, tx, over)
        case MeantHandBefore():
            return context.react(SEEN)
    return context.answer_press()


def _explain_no_open_hand(context: Context, tx: Tx, meant: Round | None) -> list[Response]:
    """Say that no hand is open; only react to a /giveup that comes just after the end of a group's hand."""
    is_public = not (context.is_press or context.chat.private or context.is_hidden)
    if is_public and load_just_ended_round(context, tx) is not None:
        return context.react(SEEN)
    return explain_no_open_hand(context, tx, meant)


# Handlers


async def skip(context: Context) -> Effect:
    """Give up the round above the pressed button or the one that /giveup means; ask first for a daily one."""
    if context.is_press:
        round = await load_pressed_round(context)
    else:
        round = await context.services.store.read(lambda tx: find_meant_round(context, tx))
    if round is None or round.state is not State.OPEN:
        return lambda tx: _explain_no_open_hand(context, tx, round)
    wish = await load_wish(context)

    def effect(tx: Tx) -> Sequence[Response]:
        question = find_mode(round).ask_to_give_up(context, tx, round)
        # Loaded again, since it may have changed
        return question or render_outcome(context, tx, give_up(tx, rounds.load_round(tx, round.id), wish))

    return effect


async def load_wish(context: Context) -> Wish:
    """Return the sender's wish for `give_up`."""
    return replace(make_wish(context), is_admin=await context.is_admin())


def make_wish(context: Context) -> Wish:
    """Return the sender's wish for `end_given_up_round`."""
    return Wish(
        player_id=context.player.id if context.player else None,
        is_admin=False,
        is_command=not context.is_press,
        sent_at=context.sent_at,
        next_hand_at=context.clock_start,
        message_id=0 if context.is_press else context.message_id,
    )


ROUTES = Routes(
    commands=[
        CommandRoute("giveup", skip, UpdateKind.COMMAND, translate_later("give up and see how it is done")),
    ],
    buttons=[ButtonRoute(SKIP_BUTTON, skip, UpdateKind.DEAL_PRESS)],
)
