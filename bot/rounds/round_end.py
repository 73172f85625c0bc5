"""/skip and the button under a deal give a hand up, and what follows whenever a round is over.

Whoever dealt a hand may end it as long as nobody else has answered, and an admin by /skip at any time. Where
others are trying, the button is a vote, whoever presses it.
"""

import logging
from collections.abc import Collection
from dataclasses import replace

from bot.database import Tx, is_database_failure
from bot.i18n import get_words
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import Duel
from bot.modes.practice import queries as practices
from bot.modes.race import queries as races
from bot.modes.race.rules import Race, finish_hand
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, queries, secrecy
from bot.rounds import attempts as handing
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
# Messages below the race's own after which the next hand is a new post, so that nobody scrolls for it.
FAR = 20


def end_round(tx: Tx, over: Round, now: float, ended_by: int | None = None) -> list[Request]:
    """Close a round, unless another transaction did, and let follow what `follow` says."""
    return show_end_and_deal_next(tx, over, now, ended_by) if rounds.close_round(tx, over) else []


def show_end_and_deal_next(tx: Tx, over: Round, now: float, ended_by: int | None = None) -> list[Request]:
    """Show the round that is just `over`; in a race, deal the next hand, whose clock starts at `now`.

    `ended_by` is the message that ended it, if one did: where that stands far below the race's own message,
    the next hand is shown in a new one.
    """
    if over.kind is Kind.BEST:
        award_entries(tx, over)
    if over.kind is Kind.PRACTICE:
        practices.insert_practised_hand(tx, over)
    ratings.rate_round(tx, over)
    present = races.load_race(tx, over.race_id) if over.race_id is not None else None
    if present is None or not present.open:
        return [messages.show_round(over), *_seeds(tx, over)]
    after = finish_hand(present, tried=over.state is State.VOID or attempts.has_any_attempt(tx, over.id))
    if duels.is_duel_decided(tx, present.id):
        after = replace(after, open=False)
    hand = _taken(tx, present.id) if after.open else None
    after = replace(after, open=hand is not None)
    races.update_race(tx, after)
    if hand is None:
        return [messages.show_round(over), *_seeds(tx, over)]
    moved = ended_by is not None and over.message_id is not None and ended_by - over.message_id > FAR
    opened = rounds.open_round(tx, _next_round(after, over, hand, now, moved=moved))
    if opened is None:
        races.update_race(tx, replace(after, open=False))
        return [messages.show_round(over), *_seeds(tx, over)]
    duel = duels.load_duel_of_race(tx, present.id) if moved else None
    return [
        *_pointer(tx, over, duel, moved=moved),
        messages.show_round(opened, new=opened.message_id is None),
    ]


def _seeds(tx: Tx, over: Round) -> list[Request]:
    """The request for the reply that tells all seeds, if the message that shows them is a photo without room.

    Whether it is one is known when its turn comes; of one hand alone there is always room.
    """
    alone = over.race_id is None and over.kind is Kind.FIRST
    if alone or (over.message_id and not queries.load_shown_picture(tx, over.chat_id, over.message_id)):
        return []
    return [Request(over.chat_id, {"method": SEEDS_METHOD, "params": {"round": over.id}})]


def award_entries(tx: Tx, over: Round) -> None:
    """What was handed in in time earns what its game says, once the round is over.

    What was sent after that may have been heard of first.
    """
    entries = [
        e for e in handing.load_entries(tx, over) if over.deadline is None or e.sent_at <= over.deadline
    ]
    awards = GAMES[over.game].award_entries(over, entries)
    for number, award in enumerate(awards):
        boards.insert_award(
            tx, over, replace(award, part=str(number)), over.message_id or 0, over.closed or 0.0
        )


def _taken(tx: Tx, race_id: int) -> tuple[str, Puzzle] | None:
    """The race's next puzzle and its game, read back from how it was stored; None if none can be read."""
    try:
        kept = races.take_next_hand(tx, race_id)
        return None if kept is None else (kept["game"], unpack_puzzle(**kept))
    except Exception as error:
        if is_database_failure(error):
            raise
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def _next_round(race: Race, over: Round, dealt: tuple[str, Puzzle], now: float, *, moved: bool) -> Round:
    game, puzzle = dealt
    return Round(
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


def _pointer(tx: Tx, over: Round, duel: Duel | None, *, moved: bool) -> list[Request]:
    """What the race's former message says once the race has moved on."""
    if not moved or over.message_id is None:
        return []
    speech = get_words(over.language)
    text = (
        f"⚔️ {speech.translate('The duel goes on below.')}"
        if duel
        else f"🏁 {speech.translate('The race goes on below.')}"
    )
    pointer = messages.edit_message(over.chat_id, over.message_id, f"{text} ⬇️")
    if queries.load_shown_picture(tx, over.chat_id, over.message_id):
        pointer = Request(over.chat_id, convert_to_caption(pointer.body, None))
    return [pointer]


def _taken_back(context: Context, present: Round) -> str:
    """What is told of that; nothing where nothing is taken back."""
    if present.kind is not Kind.BEST or present.chat_id > 0:
        return ""
    return context.words.translate_plain("Given up: what you handed in doesn’t count.")


def _is_in(tx: Tx, present: Round, player_id: int) -> bool:
    """Whether the person has handed something in."""
    return any(entry.player_id == player_id for entry in handing.load_entries(tx, present))


def withdraw_entries_on_give_up(tx: Tx, present: Round, voters: Collection[int], who: int | None) -> None:
    """Who ends a round before its time takes back what they handed in: else whoever is ahead would end it.

    Alone with the bot nobody is beaten by that.
    """
    if present.kind is Kind.BEST and present.chat_id < 0:
        handing.delete_entries(tx, present.id, [*voters, *([who] if who is not None else [])])


async def skip_hand(context: Context) -> Effect:
    """/skip: end the live round and show its solutions."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    return await _skip(context, live)


async def skip_pressed(context: Context) -> Effect:
    """The button: end the round above it, if it is still the live one."""
    return await _skip(context, await load_pressed_round(context))


async def _skip(context: Context, round: Round | None) -> Effect:
    if round is None or round.state is not State.OPEN:
        return lambda tx: explain_no_open_hand(context, tx)
    number = round.race_id
    duel = await context.services.store.read(lambda tx: duels.load_duel_of_race(tx, number))
    if duel is not None:
        return _skip_in_duel(context, round, duel)
    dealt = context.player is not None and context.player.id == round.dealer_id
    admin = await context.is_admin()
    if context.player is None and not admin:
        return send_only(*context.answer_press())
    sure = context.chat.private or (admin and not context.query)

    def effect(tx: Tx) -> list[Request]:
        alone = (dealt or admin) and not _others_try(context, tx, round)
        return _end_or_vote(context, tx, round.id, at_once=sure or alone)

    return effect


def _others_try(context: Context, tx: Tx, round: Round) -> bool:
    return context.player is not None and attempts.has_attempt_by_others(tx, round.id, context.player.id)


def _skip_in_duel(context: Context, round: Round, duel: Duel) -> Effect:
    """A hand of a duel is given up when both of the two want that; nobody else has a say in it."""
    if context.player is None or context.player.id not in duel.player_ids:
        line = context.words.translate(
            "Only the two who duel can give this hand up. /stop votes to end the duel."
        )
        return lambda tx: make_notice(context, tx, line, quiet=True)
    return lambda tx: _end_or_vote(context, tx, round.id, at_once=False)


def _end_or_vote(context: Context, tx: Tx, round_id: int, *, at_once: bool) -> list[Request]:
    present = rounds.load_round(tx, round_id)
    if present is None or present.state is not State.OPEN:
        return explain_no_open_hand(context, tx)
    if not is_in_time(present, context.sent_at):
        return refuse_late_request(context, tx)
    if at_once or context.player is None:
        return [*_end(context, tx, present), *context.answer_press(_taken_back(context, present))]
    votes = attempts.vote_to_skip(tx, round_id, context.player.id)
    counted = {"votes": votes, "needed": VOTES_NEEDED}
    if votes >= VOTES_NEEDED:
        told = _taken_back(context, present) if _is_in(tx, present, context.player.id) else ""
        votes_cast = context.words.translate_plain("Give up {votes}/{needed}", **counted)
        return [*_end(context, tx, present), *context.answer_press(told or votes_cast)]
    if context.query or context.message is None:
        waits = context.words.translate_plain(
            "Give up {votes}/{needed}: somebody else has to agree.", **counted
        )
        return [messages.show_round(present), *context.answer_press(waits)]
    return [messages.show_round(present), *react(context, VOTE_REACTION)]


def _end(context: Context, tx: Tx, present: Round) -> list[Request]:
    withdraw_entries_on_give_up(
        tx, present, attempts.load_skip_voters(tx, present.id), context.player.id if context.player else None
    )
    skipped = mark_ended(present, State.SKIPPED, context.sent_at)
    ended_by = context.message.message_id if context.message and not context.query else None
    if not rounds.close_round(tx, skipped):
        return []
    if context.player:
        secrecy.record_solution_shown(
            tx, context.player.id, parse_hand_numbers(present.line), context.sent_at
        )
    return show_end_and_deal_next(tx, skipped, context.clock_start, ended_by)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "skip",
            skip_hand,
            UpdateKind.COMMAND,
            lambda speech: speech.translate_plain("give up and see how it is done"),
        )
    ],
    buttons=[ButtonRoute("s", skip_pressed, UpdateKind.DEAL_PRESS)],
)
