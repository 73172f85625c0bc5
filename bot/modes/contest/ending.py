"""End a contest: by its deadline, by its button, or by /stop (see `rules` for who may).

The button tells a player with a card what a vote means, and counts it when they press again. A player without
a card votes by /stop.
"""

from dataclasses import dataclass, replace

from bot.database import Tx
from bot.i18n import get_words
from bot.modes.contest import card_messages, rules, view
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import PlayerCard
from bot.queue.outgoing import Outgoing
from bot.queue.timers import TimedTask, TimerContext
from bot.queue.updates import TRANSIT_GRACE
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.commands import load_pressed_round, make_notice, refuse_old_button
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.round_end import record_round_end
from bot.rounds.rules import VOTES_NEEDED, Round, State
from bot.rounds.votes import render_counted_vote
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.routes import ButtonRoute, Routes


def redraw_contest(tx: Tx, round: Round, now: float) -> list[Outgoing]:
    """Edit or post a group's contest message; do nothing in a private chat, which has only the card."""
    if round.is_private:
        return []
    if round.message_id is not None:
        rounds.record_redraw(tx, round.id, now)
    return [messages.show_round(round.chat_id, round.id, new=round.message_id is None)]


def end_contest(tx: Tx, round: Round, now: float) -> list[Outgoing]:
    """Close a contest, award points, rate the players and show the result; do nothing if it is closed.

    Players who were still playing see the end on their card.
    """
    over = contests.close_contest(tx, round, now)
    if over is None:
        return []
    cards = contests.load_cards(tx, over)
    game = CONTEST_GAMES[over.game]
    totals = rules.collect_totals(cards)
    points = {player_id: game.compute_points(total) for player_id, total in totals.items()}
    for award in rules.compute_awards(cards, points):
        ledger.insert_award(tx, over, award, over.message_id or 0, now)
    record_round_end(tx, over, now)
    contests.delete_alias_cards(tx, over)
    unfinished = [card for card in cards if card.total is None]
    requests = [card_messages.build_card_request(over, card.player_id) for card in unfinished]
    if over.is_private:  # its card shows the result
        return requests
    return [*requests, *_show_result(tx, over, as_new_message=bool(totals))]


def _show_result(tx: Tx, over: Round, *, as_new_message: bool) -> list[Outgoing]:
    """Show a group the result in a new message, with a pointer in the contest's, or else in the contest's."""
    if over.message_id is None or not as_new_message:
        return [messages.show_round(over.chat_id, over.id, new=over.message_id is None)]
    sentence = get_words(over.language).translate("The game is over: the result is below.")
    edit = messages.edit_message(over.chat_id, over.message_id, view.render_pointer(sentence))
    contests.clear_message(tx, over.id)
    return [edit, messages.show_round(over.chat_id, over.id, new=True)]


def end_due_contest(tx: Tx, round: Round, now: float) -> list[Outgoing]:
    """End a contest whose deadline has passed, unless that has moved meanwhile."""
    contests.update_deadline(tx, round)
    due = rounds.load_round(tx, round.id)
    if due is None or due.deadline is None or due.deadline >= now - TRANSIT_GRACE:
        return []
    return end_contest(tx, due, now)


async def _redraw_contests(timer: TimerContext, _: float) -> None:
    now = timer.inbox.now()

    def redraw_stale(tx: Tx) -> list[Outgoing]:
        stale = contests.load_stale_contests(tx, now)
        return [request for round in stale for request in redraw_contest(tx, round, now)]

    # Most of the time there is none: then nothing is written
    if await timer.store.read(lambda tx: contests.load_stale_contests(tx, now)):
        await timer.run_effect(redraw_stale)


@dataclass(frozen=True, slots=True)
class EndWish:
    round: Round
    others_playing: int  # Other players who are still playing and have not voted
    voters: frozenset[int]
    card: PlayerCard | None  # The player's


def _load_end_wish(context: Context, tx: Tx, round_id: int) -> EndWish | None:
    """Load the state that decides whether the player may end the contest; None if it is over."""
    round = rounds.load_round(tx, round_id)
    if round is None or round.state is not State.RUNNING:
        return None
    player_id = context.player.id if context.player else 0  # 0 for an anonymous admin
    # Votes for the end are stored like those to give a hand up
    voters = frozenset(attempts.load_skip_voters(tx, round_id))
    cards = {card.player_id: card for card in contests.load_cards(tx, round)}
    others_playing = {card.player_id for card in cards.values() if card.is_playing} - {*voters, player_id}
    return EndWish(round, len(others_playing), voters, card=cards.get(player_id))


async def press_end(context: Context) -> Effect:
    """End the contest if the player may now; else explain what a vote means, and vote at a second press."""
    round = await load_pressed_round(context, contest=True)
    if round is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    may_end = context.player.id == round.dealer_id or await context.is_admin()
    return lambda tx: _end_or_vote(context, tx, round.id, may_end=may_end)


async def stop_contest(context: Context) -> Effect | None:
    """Return the effect that ends the contest here, votes, or ignores anonymous votes; None if none runs."""
    place = context.chat.id, context.topic
    running = await context.services.store.read(lambda tx: contests.load_running_contest(tx, *place))
    if running is None:
        return None
    is_admin = await context.is_admin()
    if context.player is None and not is_admin:
        return send_only(*context.answer_press())
    may_end = is_admin or (context.player is not None and context.player.id == running.dealer_id)
    return lambda tx: _end_or_vote(context, tx, running.id, may_end=may_end, even_if_others_play=is_admin)


COUNTED_REACTION = "👌"  # To a /stop


def _end_or_vote(
    context: Context, tx: Tx, round_id: int, *, may_end: bool, even_if_others_play: bool = False
) -> list[Response]:
    """End the contest if the sender may, else vote for its end or explain what a vote means.

    A dealer or admin (`may_end`) and a player who has finished may end it once nobody else is still playing.
    """
    wish = _load_end_wish(context, tx, round_id)
    if wish is None:
        return make_notice(context, tx, context.words.translate("That game is over."))
    has_finished = wish.card is not None and wish.card.total is not None
    if even_if_others_play or (not wish.others_playing and (may_end or has_finished)):
        return _end_by_players(context, tx, wish)
    if context.is_press:  # a first press only tells what a vote means
        explanation = _explain_uncounted_press(context, tx, wish)
        if explanation:
            return explanation
    return _vote_to_end(context, tx, wish)


def _explain_uncounted_press(context: Context, tx: Tx, wish: EndWish) -> list[Response]:
    """Answer a press that is no vote, and store a first one; an empty list for a second one: it is a vote."""
    words = context.words
    card = wish.card
    if context.player and context.player.id in wish.voters:
        return context.answer_press(render_counted_vote(words, len(wish.voters), VOTES_NEEDED))
    if card is None and not wish.others_playing:
        return context.answer_press(words.translate_plain("Finish your card first, or vote by /stop."))
    if card is None:
        hint = words.translate_plural(
            "{n} is still playing. /stop is a vote to end it for all.",
            "{n} are still playing. /stop is a vote to end it for all.",
            wish.others_playing,
        )
        return context.answer_press(hint, alert=True)
    if context.sent_at - card.warned_at <= rules.CONFIRMATION_SECONDS:
        return []
    contests.store_card(tx, wish.round, replace(card, warned_at=context.sent_at))
    confirmation = view.render_end_confirmation(words, wish.others_playing, len(wish.voters))
    return context.answer_press(confirmation, alert=True)


def _vote_to_end(context: Context, tx: Tx, wish: EndWish) -> list[Response]:
    """Store a vote and show the number of votes; with the last vote needed, end the contest."""
    # Stored like a vote to give a hand up
    votes = len(attempts.vote_to_skip(tx, wish.round.id, context.player.id if context.player else 0))
    if votes >= VOTES_NEEDED:
        return _end_by_players(context, tx, wish)
    redraw = redraw_contest(tx, wish.round, context.sent_at)
    if context.is_press:
        counted = render_counted_vote(context.words, votes, VOTES_NEEDED)
        return [*redraw, *context.answer_press(counted)]
    if not wish.others_playing:
        return [*redraw, *context.react(COUNTED_REACTION)]
    notice = view.render_vote(context.words, wish.others_playing, votes)
    return [*redraw, *make_notice(context, tx, notice)]


def _end_by_players(context: Context, tx: Tx, wish: EndWish) -> list[Response]:
    """End the contest; the sender and all voters give their cards up, full ones only if others still play."""
    players = {*wish.voters, context.player.id} if context.player else wish.voters
    contests.give_up_cards(tx, wish.round, players, full_cards_too=wish.others_playing > 0)
    confirmation = context.answer_press() if context.is_press else context.react(COUNTED_REACTION)
    return [*end_contest(tx, wish.round, context.sent_at), *confirmation]


ROUTES = Routes(
    buttons=[ButtonRoute(view.END_BUTTON, press_end)],
    timed_tasks=[TimedTask("contests", 0.0, _redraw_contests)],
)
