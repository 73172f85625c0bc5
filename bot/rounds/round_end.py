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
from bot.modes.race.rules import finish_hand
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import queries as rounds
from bot.rounds.commands import load_pressed_round, make_notice, react, refuse_late_request
from bot.rounds.puzzle import Kind, Puzzle, parse_hand_numbers
from bot.rounds.registry import GAMES, unpack_puzzle
from bot.rounds.rules import VOTES_NEEDED, Round, State, is_in_time, mark_ended
from bot.rounds.secret_answers import explain_no_open_hand
from bot.rounds.view import SEEDS_METHOD
from bot.standings.leaderboard import queries as boards
from bot.standings.ratings import updates as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.photo_messages import convert_to_caption
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

log = logging.getLogger(__name__)

VOTE_REACTION = "👌"
FAR = 20  # Messages below the race's own from which the next hand is a new post, to spare the scrolling


def end_round(tx: Tx, over: Round, now: float, ended_by: int | None = None) -> list[Request]:
    """Close a round and call `show_end_and_deal_next`; do nothing if it was closed before."""
    return show_end_and_deal_next(tx, over, now, ended_by) if rounds.close_round(tx, over) else []


def show_end_and_deal_next(tx: Tx, over: Round, now: float, ended_by: int | None = None) -> list[Request]:
    """Record the results of a closed round and show it; in a race, deal the next hand at `now`.

    `ended_by` is the message that ended the round. If it is far below the race's message, the next hand is
    shown in a new one.
    """
    if over.kind is Kind.BEST:
        award_entries(tx, over)
    if over.kind is Kind.PRACTICE:
        practices.insert_practised_hand(tx, over)
    ratings.rate_round(tx, over)
    moved = ended_by is not None and over.message_id is not None and ended_by - over.message_id > FAR
    opened = _open_next_hand(tx, over, now, moved=moved)
    if opened is None:
        return [messages.show_round(over), *_request_seeds(tx, over)]
    shown = messages.show_round(opened, new=opened.message_id is None)
    return [_point_to_next_message(tx, over), shown] if moved else [shown]


def award_entries(tx: Tx, over: Round) -> None:
    """Store the awards for the entries that were sent in time."""
    # A later one may have been handled while the round waited for earlier messages.
    entries = [
        entry
        for entry in attempts.load_entries(tx, over)
        if over.deadline is None or entry.sent_at <= over.deadline
    ]
    for number, award in enumerate(GAMES[over.game].award_entries(over, entries)):
        boards.insert_award(
            tx, over, replace(award, part=str(number)), over.message_id or 0, over.closed or 0.0
        )


def _open_next_hand(tx: Tx, over: Round, now: float, *, moved: bool) -> Round | None:
    """Open the next hand of the round's race; None if there is none, which ends the race."""
    race = races.load_race(tx, over.race_id) if over.race_id is not None else None
    if race is None or not race.is_open:
        return None
    race = finish_hand(race, tried=over.state is State.VOID or attempts.has_attempt(tx, over.id))
    dealt = _take_next_hand(tx, race.id) if race.is_open and not duels.is_duel_decided(tx, race.id) else None
    opened = None
    if dealt is not None:
        game, puzzle = dealt
        new = Round(
            id=0,
            chat_id=over.chat_id,
            topic=over.topic,
            kind=over.kind,
            game=game,
            puzzle=puzzle,
            options=over.options,
            dealer_id=race.starter_id,
            language=over.language,
            race_id=race.id,
            message_id=None if moved else over.message_id,
            asked_id=over.asked_id,
            opened=now,
            deadline=now + race.seconds,
        )
        opened = rounds.open_round(tx, new)
    races.update_race(tx, replace(race, is_open=opened is not None))
    return opened


def _take_next_hand(tx: Tx, race_id: int) -> tuple[str, Puzzle] | None:
    """Return the game and the puzzle of the race's next hand; None without one and if it can't be read."""
    try:
        stored = races.take_next_hand(tx, race_id)
        return None if stored is None else (stored["game"], unpack_puzzle(**stored))
    except Exception as error:
        if is_database_failure(error):
            raise
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def _request_seeds(tx: Tx, over: Round) -> list[Request]:
    """Request the reply with all seeds of a race; it is sent if the message is a photo without room for them.

    Empty if the message is a text: there is room. So there is in the caption of a single hand.
    """
    single = over.race_id is None and over.kind is Kind.FIRST
    if single or (over.message_id and not rounds.load_shown_picture(tx, over.chat_id, over.message_id)):
        return []
    return [Request(over.chat_id, {"method": SEEDS_METHOD, "params": {"round": over.id}})]


def _point_to_next_message(tx: Tx, over: Round) -> Request:
    """Edit the race's former message to point to the new one below."""
    words, message_id = get_words(over.language), over.message_id or 0
    is_duel = duels.load_duel_of_race(tx, over.race_id) is not None
    duel, race = words.translate("The duel goes on below."), words.translate("The race goes on below.")
    edit = messages.edit_message(over.chat_id, message_id, f"⚔️ {duel} ⬇️" if is_duel else f"🏁 {race} ⬇️")
    if rounds.load_shown_picture(tx, over.chat_id, message_id):
        return Request(over.chat_id, convert_to_caption(edit.body, None))
    return edit


def withdraw_entries_on_give_up(tx: Tx, round: Round, voters: Collection[int], player_id: int | None) -> None:
    """Delete the entries of the voters and the player who give up a round of the kind *best* in a group.

    Else whoever is ahead would end the round. In a private chat nobody is beaten by that.
    """
    if round.kind is Kind.BEST and round.chat_id < 0:
        attempts.delete_entries(tx, round.id, [*voters, *([player_id] if player_id is not None else [])])


async def skip_hand(context: Context) -> Effect:
    """Handle /skip: give up the open round here."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    return await _skip(context, live)


async def skip_pressed(context: Context) -> Effect:
    """Handle the button: give up the round above it."""
    return await _skip(context, await load_pressed_round(context))


async def _skip(context: Context, round: Round | None) -> Effect:
    """End the round, or count the player's vote where others have to agree; of a duel, the two alone vote."""
    if round is None or round.state is not State.OPEN:
        return lambda tx: explain_no_open_hand(context, tx)
    player = context.player
    duel = await context.services.store.read(lambda tx: duels.load_duel_of_race(tx, round.race_id))
    if duel is not None:
        if player is not None and player.id in duel.player_ids:
            return lambda tx: _end_or_vote(context, tx, round.id, at_once=False)
        text = context.words.translate(
            "Only the two who duel can give this hand up. /stop votes to end the duel."
        )
        return lambda tx: make_notice(context, tx, text, quiet=True)
    is_admin = await context.is_admin()
    if player is None and not is_admin:
        return send_only(*context.answer_press())
    may_end = context.chat.private or (is_admin and not context.query)
    may_end_alone = is_admin or (player is not None and player.id == round.dealer_id)

    def effect(tx: Tx) -> list[Request]:
        alone = player is None or not attempts.has_attempt(tx, round.id, except_player_id=player.id)
        return _end_or_vote(context, tx, round.id, at_once=may_end or (may_end_alone and alone))

    return effect


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, at_once: bool) -> list[Request]:
    round, player, words = rounds.load_round(tx, round_id), context.player, context.words
    if round is None or round.state is not State.OPEN:
        return explain_no_open_hand(context, tx)
    if not is_in_time(round, context.sent_at):
        return refuse_late_request(context, tx)
    answer = ""
    if not at_once and player is not None:
        counts = {"votes": attempts.vote_to_skip(tx, round_id, player.id), "needed": VOTES_NEEDED}
        if counts["votes"] < VOTES_NEEDED:
            waits = words.translate_plain("Give up {votes}/{needed}: somebody else has to agree.", **counts)
            answered = context.answer_press(waits)
            return [messages.show_round(round), *(answered or react(context, VOTE_REACTION))]
        answer = words.translate_plain("Give up {votes}/{needed}", **counts)
    entrants = {entry.player_id for entry in attempts.load_entries(tx, round)}
    if round.kind is Kind.BEST and round.chat_id < 0 and player is not None and player.id in entrants:
        answer = words.translate_plain("Given up: what you handed in doesn’t count.")
    return [*_end_skipped(context, tx, round), *context.answer_press(answer)]


def _end_skipped(context: Context, tx: Tx, round: Round) -> list[Request]:
    player_id = context.player.id if context.player else None
    withdraw_entries_on_give_up(tx, round, attempts.load_skip_voters(tx, round.id), player_id)
    skipped = mark_ended(round, State.SKIPPED, context.sent_at)
    if not rounds.close_round(tx, skipped):
        return []
    if player_id is not None:
        secrecy.record_solution_shown(tx, player_id, parse_hand_numbers(round.line), context.sent_at)
    ended_by = context.message.message_id if context.message and not context.query else None
    return show_end_and_deal_next(tx, skipped, context.clock_start, ended_by)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "skip",
            skip_hand,
            UpdateKind.COMMAND,
            lambda words: words.translate_plain("give up and see how it is done"),
        )
    ],
    buttons=[ButtonRoute("s", skip_pressed, UpdateKind.DEAL_PRESS)],
)
