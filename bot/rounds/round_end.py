"""End rounds: /skip and its button, and everything that follows the end of a round.

The dealer may end a hand while nobody else has answered, an admin by /skip at any time. Where others are
trying, the button is a vote.
"""

import logging
from collections.abc import Collection
from dataclasses import replace

from bot.database import Tx, is_database_failure
from bot.i18n import get_words
from bot.modes.duel import queries as duels
from bot.modes.practice import queries as practices
from bot.modes.race import queries as races
from bot.modes.race.rules import Race, finish_hand
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import queries as rounds
from bot.rounds.commands import load_pressed_round, make_notice, react, refuse_late_request
from bot.rounds.message_lines import SKIP_BUTTON
from bot.rounds.puzzle import Kind, Puzzle, parse_hand_numbers
from bot.rounds.registry import GAMES, unpack_puzzle
from bot.rounds.rules import VOTES_NEEDED, Round, State, is_in_time, mark_ended
from bot.rounds.secret_answers import explain_no_open_hand
from bot.rounds.view import PROOFS_METHOD
from bot.standings.leaderboard import queries as boards
from bot.standings.ratings import updates as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.photo_messages import convert_to_caption
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

log = logging.getLogger(__name__)

VOTE_REACTION = "👌"
MAX_MESSAGES_BELOW = 20  # With more below the race's message the next hand is posted anew, to spare scrolling


def end_round(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> list[Request]:
    """Store the end of a round and call `show_end_and_deal_next`; do nothing if it was closed before."""
    if not rounds.close_round(tx, over):
        return []
    return show_end_and_deal_next(tx, over, now, ending_message_id)


def show_end_and_deal_next(tx: Tx, over: Round, now: float, ending_message_id: int = 0) -> list[Request]:
    """Record the results of a closed round and show it; in a race, deal the next hand at `now`.

    The results are awards for entries, a practised hand, and ratings. `ending_message_id` is the
    message that ended the round, 0 if none here did. If it is far below the race's message, the next hand is
    shown in a new one.
    """
    if over.kind is Kind.BEST:
        award_entries(tx, over)
    if over.kind is Kind.PRACTICE:
        practices.insert_practised_hand(tx, over)
    ratings.rate_round(tx, over)
    messages_below = 0 if over.message_id is None else ending_message_id - over.message_id
    is_far = messages_below > MAX_MESSAGES_BELOW
    opened = _open_next_hand(tx, over, now, in_new_message=is_far)
    if opened is None:
        return [messages.show_round(over), *_request_proofs(tx, over)]
    # The next hand's message, the same one unless it is far above, shows the end of this one too.
    shown = messages.show_round(opened, new=opened.message_id is None)
    return [_point_to_next_message(tx, over), shown] if is_far else [shown]


def award_entries(tx: Tx, over: Round) -> None:
    """Store the awards for the entries that were sent in time."""
    # A later one may have been handled while the round waited for earlier messages.
    entries = [
        entry
        for entry in attempts.load_entries(tx, over)
        if over.deadline is None or entry.sent_at <= over.deadline
    ]
    message_id = over.message_id or 0
    closed = over.closed or 0.0  # a round that is over has a time
    for number, award in enumerate(GAMES[over.game].award_entries(over, entries)):
        # The number keeps awards apart: a round gives one award for each part.
        boards.insert_award(tx, over, replace(award, part=str(number)), message_id, closed)


def _open_next_hand(tx: Tx, over: Round, now: float, *, in_new_message: bool) -> Round | None:
    """Store the race's next hand and its state, and return the hand; None if there is none: the race ends."""
    race = races.load_race(tx, over.race_id) if over.race_id is not None else None
    if race is None or not race.is_open:
        return None
    race = finish_hand(race, tried=over.state is State.VOID or attempts.has_attempt(tx, over.id))
    dealt = None
    if race.is_open and not duels.is_duel_decided(tx, race.id):
        dealt = _take_next_hand(tx, race.id)
    opened = None
    if dealt is not None:
        game, puzzle = dealt
        new = _make_next_round(over, race, game, puzzle, now)
        if in_new_message:
            new = replace(new, message_id=None)
        opened = rounds.open_round(tx, new)
    races.update_race(tx, replace(race, is_open=opened is not None))
    return opened


def _make_next_round(over: Round, race: Race, game: str, puzzle: Puzzle, now: float) -> Round:
    return Round(
        id=0,  # until it is stored
        chat_id=over.chat_id,
        topic=over.topic,
        kind=over.kind,
        game=game,
        puzzle=puzzle,
        options=over.options,
        dealer_id=race.starter_id,
        language=over.language,
        race_id=race.id,
        message_id=over.message_id,
        asked_id=over.asked_id,
        opened=now,
        deadline=now + race.seconds,
    )


def _take_next_hand(tx: Tx, race_id: int) -> tuple[str, Puzzle] | None:
    """Remove the next hand from the race; return its game and puzzle, None if none is left or readable."""
    try:
        stored = races.take_next_hand(tx, race_id)  # as `pack_puzzle` made it
        if stored is None:
            return None
        return stored["game"], unpack_puzzle(**stored)
    except Exception as error:
        if is_database_failure(error):
            raise
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def _request_proofs(tx: Tx, over: Round) -> list[Request]:
    """Request the reply with a race's proofs, which goes below a photo; empty for a text or a single hand."""
    if over.race_id is None and over.kind is Kind.FIRST:
        return []
    # Without a message id the message is still to be sent: whether it has a photo shows when it is.
    if over.message_id and not rounds.load_shown_picture(tx, over.chat_id, over.message_id):
        return []  # a text has room for them
    return [Request(over.chat_id, {"method": PROOFS_METHOD, "params": {"round": over.id}})]


def _point_to_next_message(tx: Tx, over: Round) -> Request:
    """Return the edit that makes the race's former message, a text or a photo, point to the new one below."""
    words = get_words(over.language)
    message_id = over.message_id or 0
    text = f"🏁 {words.translate('The race goes on below.')} ⬇️"
    if duels.load_duel_of_race(tx, over.race_id) is not None:
        text = f"⚔️ {words.translate('The duel goes on below.')} ⬇️"
    edit = messages.edit_message(over.chat_id, message_id, text)
    if rounds.load_shown_picture(tx, over.chat_id, message_id):
        return Request(over.chat_id, convert_to_caption(edit.body, photo=None))
    return edit


def delete_entries_of_skippers(tx: Tx, round: Round, voters: Collection[int], player_id: int | None) -> None:
    """Delete the entries of the voters and the player who end a round of the kind *best* in a group."""
    # Else whoever is ahead would end the round. In a private chat nobody is beaten by that.
    if round.kind is not Kind.BEST or round.is_private:
        return
    skippers = list(voters) if player_id is None else [*voters, player_id]
    attempts.delete_entries(tx, round.id, skippers)


def _has_entry_to_lose(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether `delete_entries_of_skippers` would delete an entry of the player."""
    if round.kind is not Kind.BEST or round.is_private:
        return False
    return any(entry.player_id == player_id for entry in attempts.load_entries(tx, round))


async def skip_hand(context: Context) -> Effect:
    """Handle /skip: end the open round here, or vote for it."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    return await _skip(context, live)


async def press_skip(context: Context) -> Effect:
    """Handle the button: end the round above it, or vote for it."""
    return await _skip(context, await load_pressed_round(context))


async def _skip(context: Context, round: Round | None) -> Effect:
    """Return the effect that ends the round if the player may do so alone, else counts a vote.

    A duel's hand is given up only by the votes of both its players; others are refused.
    """
    if round is None or round.state is not State.OPEN:
        return lambda tx: explain_no_open_hand(context, tx)
    player = context.player
    duel = await context.services.store.read(lambda tx: duels.load_duel_of_race(tx, round.race_id))
    if duel is not None:
        if player is not None and player.id in duel.player_ids:
            return lambda tx: _skip_or_vote(context, tx, round.id, needs_votes=True)
        text = context.words.translate(
            "Only the two who duel can give this hand up. /stop votes to end the duel."
        )
        return lambda tx: make_notice(context, tx, text, quiet=True)
    is_admin = await context.is_admin()
    if player is None and not is_admin:
        return send_only(*context.answer_press())
    may_always_skip = context.chat.private or (is_admin and not context.is_press)  # not by the button
    may_skip_if_alone = is_admin or (player is not None and player.id == round.dealer_id)

    def effect(tx: Tx) -> list[Request]:
        """End the round; by vote if others have answered, or if the player is neither dealer nor admin."""
        is_alone = player is None or not attempts.has_attempt(tx, round.id, except_player_id=player.id)
        may_skip = may_always_skip or (may_skip_if_alone and is_alone)
        return _skip_or_vote(context, tx, round.id, needs_votes=not may_skip)

    return effect


def _skip_or_vote(context: Context, tx: Tx, round_id: int, *, needs_votes: bool) -> list[Request]:
    """End an open round, with `needs_votes` only by the last vote; refuse a request after the deadline."""
    round = rounds.load_round(tx, round_id)
    player = context.player
    words = context.words
    if round is None or round.state is not State.OPEN:
        return explain_no_open_hand(context, tx)
    if not is_in_time(round, context.sent_at):
        return refuse_late_request(context, tx)
    press_text = ""
    if needs_votes and player is not None:
        votes = attempts.vote_to_skip(tx, round_id, player.id)
        counts = {"votes": votes, "needed": VOTES_NEEDED}
        if votes < VOTES_NEEDED:
            text = words.translate_plain("Give up {votes}/{needed}: somebody else has to agree.", **counts)
            confirmation = context.answer_press(text)
            if not confirmation:  # for a command
                confirmation = react(context, VOTE_REACTION)
            return [messages.show_round(round), *confirmation]
        press_text = words.translate_plain("Give up {votes}/{needed}", **counts)
    if player is not None and _has_entry_to_lose(tx, round, player.id):  # more important than the votes
        press_text = words.translate_plain("Given up: what you handed in doesn’t count.")
    return [*_close_skipped_round(context, tx, round), *context.answer_press(press_text)]


def _close_skipped_round(context: Context, tx: Tx, round: Round) -> list[Request]:
    """End the round without its skippers' entries, record its solution as shown, and deal the next hand."""
    player_id = context.player.id if context.player else None
    delete_entries_of_skippers(tx, round, attempts.load_skip_voters(tx, round.id), player_id)
    skipped = mark_ended(round, State.SKIPPED, context.sent_at)
    if not rounds.close_round(tx, skipped):
        return []
    if player_id is not None:
        secrecy.record_solution_shown(tx, player_id, parse_hand_numbers(round.line), context.sent_at)
    ending_message_id = context.message.message_id if context.message and not context.is_press else 0
    return show_end_and_deal_next(tx, skipped, context.clock_start, ending_message_id)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "skip",
            skip_hand,
            UpdateKind.COMMAND,
            lambda words: words.translate_plain("give up and see how it is done"),
        )
    ],
    buttons=[ButtonRoute(SKIP_BUTTON, press_skip, UpdateKind.DEAL_PRESS)],
)
