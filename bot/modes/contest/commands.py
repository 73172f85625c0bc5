"""Deal contests, give players their cards, and play turns on them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.admin.settings import preferences
from bot.database import Tx
from bot.modes.contest import card_messages, view
from bot.modes.contest import queries as contests
from bot.modes.contest.ending import end_contest, redraw_contest
from bot.modes.contest.game import ContestGame, KnownDealError
from bot.modes.contest.rules import CONTEST_LIFETIME, PlayerCard, have_all_finished
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.commands import (
    apologize_for_timeout,
    find_deal_restriction,
    load_pressed_round,
    make_notice,
    make_notice_effect,
    make_round,
    refuse_old_button,
    reply,
)
from bot.rounds.puzzle import DealError, Options, Puzzle
from bot.rounds.registry import CONTEST_GAMES, render_other_game_command
from bot.rounds.rules import Round, State
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, is_in_chat, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError

Contest = ContestGame[Any, Any]


def make_handler(game: Contest) -> Handler:
    """Return the handler of a game's command: solve the deal that is given with it, else deal a contest."""

    async def handle(context: Context) -> Effect:
        if (other := render_other_game_command(context.words, context.argument, game)) is not None:
            return make_notice_effect(context, other)
        above = context.message.reply_to_message if context.message else None
        try:
            given = game.parse_known_deal(context.argument, (above and (above.text or above.caption)) or "")
        except KnownDealError as error:
            return make_notice_effect(context, error.render_reason(context.words))
        return await _deal(context, game) if given is None else await _solve(context, game, given)

    return handle


async def _solve(context: Context, game: Contest, given: Any) -> Effect:
    """Show the best card for a given deal, unless it reveals a running contest."""
    running = await context.services.store.read(lambda tx: contests.load_running_contests(tx, game.key))
    if any(game.is_revealed_by(round.puzzle, given) for round in running):
        refusal = context.words.translate(
            "Those are being played just now: no peeking before that game is over!"
        )
        return make_notice_effect(context, refusal)
    try:
        best = await game.solve_known_deal(context.services.solver_pool, context.words, given)
    except SolvingError:
        return apologize_for_timeout(context)
    return send_only(reply(context, best))


# Deals


async def _deal(context: Context, game: Contest) -> Effect:
    if context.player is None and context.chat.private:
        return send_only()
    if await context.services.store.read(lambda tx: _is_being_played(context, tx, game)):
        return lambda tx: _point_to_running(context, tx, game)
    settings, services = preferences.read_preferences(context.chat), context.services
    if (restriction := await find_deal_restriction(context, settings)) is not None:
        return make_notice_effect(context, restriction)
    options = Options(kind=game.default_kind)
    try:
        puzzle = await game.deal(services.solver_pool, context.chat.settings, options, services.make_seed())
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    return lambda tx: _open_contest(context, tx, game, puzzle)


def _load_running(context: Context, tx: Tx, game: Contest) -> Round | None:
    return contests.load_running_contest(tx, context.chat.id, context.topic, game.key)


def _is_being_played(context: Context, tx: Tx, game: Contest) -> bool:
    """Whether a contest runs here in which not all players who began have finished."""
    running = _load_running(context, tx, game)
    return running is not None and not have_all_finished(contests.load_progress(tx, running))


def _open_contest(context: Context, tx: Tx, game: Contest, puzzle: Puzzle) -> list[Request]:
    """Open a contest and show it, after ending the one before; point to one that was opened meanwhile."""
    if _is_being_played(context, tx, game):
        return _point_to_running(context, tx, game)
    before = _load_running(context, tx, game)
    ended = end_contest(tx, before, context.sent_at) if before else []
    new = make_round(context, game, puzzle, Options(kind=game.default_kind), CONTEST_LIFETIME)
    opened = rounds.open_round(tx, replace(new, state=State.RUNNING))
    if opened is None:
        return ended
    people.regain_budget(tx, context.chat.id)
    if not context.chat.private or context.player is None:
        return [*ended, messages.show_round(opened, new=True), *context.answer_press()]
    card_messages.open_card(tx, opened, _make_card(context, game, context.player.id))
    return [*ended, card_messages.build_card_request(opened, context.player.id), *context.answer_press()]


def _make_card(context: Context, game: Contest, player_id: int) -> PlayerCard:
    return PlayerCard(player_id, game.create_card(), context.sent_at, context.words.language)


MAX_MESSAGES_BELOW = 20  # With more messages below it, a contest's message is posted again


def _point_to_running(context: Context, tx: Tx, game: Contest) -> list[Request]:
    """Reply to the message of the running contest, or post it again if it is far up."""
    running, message = _load_running(context, tx, game), context.message
    if running is None or message is None:
        return context.answer_press()
    if context.chat.private and context.player is not None:
        card = card_messages.open_card(tx, running, _make_card(context, game, context.player.id))
        return card_messages.show_card_below(tx, running, card, context.sent_at, recent=0.0)
    message_id = running.message_id
    if message_id is None:
        return [messages.show_round(running, new=True)]
    if message.message_id - message_id <= MAX_MESSAGES_BELOW:
        return make_notice(context, tx, view.render_still_running(context.words), reply_to=message_id)
    pointer = messages.edit_message(running.chat_id, message_id, view.render_continued_below(context.words))
    return [pointer, messages.show_round(contests.clear_message(tx, running), new=True)]


# Cards


async def play_pressed(context: Context) -> Effect:
    """Give the player a new card of a contest, or show theirs again."""
    round, words = await load_pressed_round(context, contest=True), context.words
    if round is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    player, url = context.player, view.build_card_link(str(context.services.me.username), round)
    if not context.chat.private and not await context.is_member(round.chat_id, player.id):
        refusal = words.translate_plain("Only members of this group can play here.")
        return send_only(*context.answer_press(refusal))

    def effect(tx: Tx) -> list[Request]:
        if context.board_press_id:
            return _show_card(context, tx, round.id)
        if not card_messages.can_show_card(tx, player.id):
            return context.answer_press(url=url)
        waiting = words.translate_plain("Your card is waiting for you in private.")
        return [*_show_card(context, tx, round.id), *context.answer_press(waiting, url=url)]

    return effect


async def open_linked_card(context: Context) -> Effect:
    """Show the card of a link in private, to members of the contest's group."""
    round_id, player = context.argument, context.player
    dead_link = make_notice_effect(context, context.words.translate("That link leads nowhere any more."))
    if (
        player is None
        or not context.chat.private
        or not re.fullmatch(r"[1-9][0-9]{0,17}", round_id, re.ASCII)
    ):
        return dead_link
    chat_id = await context.services.store.read(lambda tx: _load_chat_id(tx, int(round_id)))
    if chat_id is None or not (chat_id == player.id or await context.is_member(chat_id, player.id)):
        return dead_link
    return lambda tx: _show_card(context, tx, int(round_id))


def _load_chat_id(tx: Tx, round_id: int) -> int | None:
    """Load the chat of a contest; None if there is no such contest."""
    round = rounds.load_round(tx, round_id)
    return round.chat_id if round and round.game in CONTEST_GAMES else None


def _show_card(context: Context, tx: Tx, round_id: int) -> list[Request]:
    """Show a player their card, a new one if they have none and the contest is running."""
    round, player = rounds.load_round(tx, round_id), context.player
    if round is None or player is None:
        return []
    if round.state is not State.RUNNING:
        over = context.words.translate("That game is over.")
        return [] if context.query else make_notice(context, tx, over)
    is_new = contests.load_card(tx, round, player.id) is None
    card = card_messages.open_card(tx, round, _make_card(context, CONTEST_GAMES[round.game], player.id))
    requests = card_messages.show_card_below(tx, round, card, context.sent_at)
    return [*requests, *redraw_contest(tx, round, context.sent_at)] if is_new else requests


# Turns

TURN = re.compile(rf"{view.TURN_BUTTON}:([1-9][0-9]{{0,17}}):([0-9]{{1,3}}):([0-9]{{1,2}})", re.ASCII)


async def turn_pressed(context: Context) -> Effect:
    """Play a turn on the player's own card; a press for any other turn or card changes nothing."""
    match, player = TURN.fullmatch(context.button_data), context.player
    if match is None or player is None or context.message is None or not context.is_genuine_press:
        return refuse_old_button(context)
    if context.chat.id != card_messages.get_card_chat(player.id):
        return refuse_old_button(context)
    round_id, turn, choice = (int(part) for part in match.groups())
    if await _has_left_group(context, round_id, turn, player.id):
        return lambda tx: _refuse_last_turn(context, tx, round_id)
    return lambda tx: _play_turn(context, tx, round_id, turn, choice)


async def _has_left_group(context: Context, round_id: int, turn: int, player_id: int) -> bool:
    """Whether this is a card's last turn and its player is no longer in the group."""
    group = await context.services.store.read(lambda tx: _load_chat_id(tx, round_id))
    if group is None or group > 0 or all(turn != game.turn_count - 1 for game in CONTEST_GAMES.values()):
        return False
    member = await context.fetch_member(group, player_id)
    return member is not None and not is_in_chat(member)


def _refuse_last_turn(context: Context, tx: Tx, round_id: int) -> list[Request]:
    """Refuse the turn, and stop waiting for the card until its player is back."""
    answer = context.answer_press(context.words.translate_plain("Only members of this group can play here."))
    round, player = rounds.load_round(tx, round_id), context.player
    card = contests.load_card(tx, round, player.id) if round and player else None
    if round is None or card is None or round.state is not State.RUNNING or card.has_left:
        return answer
    game = CONTEST_GAMES[round.game]
    if game.count_turns_played(card.card) != game.turn_count - 1:
        return answer
    contests.store_card(tx, round, replace(card, has_left=True, changed_at=context.sent_at))
    contests.update_deadline(tx, round)
    return [*redraw_contest(tx, round, context.sent_at), *answer]


def _play_turn(context: Context, tx: Tx, round_id: int, turn: int, choice: int) -> list[Request]:
    """Play the turn and show the card; with the last turn, update or end the contest."""
    round, player = rounds.load_round(tx, round_id), context.player
    is_contest = round is not None and round.game in CONTEST_GAMES
    card = contests.load_card(tx, round, player.id) if round and player and is_contest else None
    if round is None or card is None:
        return refuse_old_button(context)(tx)
    game, words = CONTEST_GAMES[round.game], context.words
    card, edits = _adopt_pressed_message(context, card)
    requests = [*edits, card_messages.build_card_request(round, card.player_id)]
    if round.state is not State.RUNNING:
        return [*requests, *context.answer_press(words.translate_plain("That game is over."))]
    after = game.play_turn(card.card, turn, choice)
    if after is None:
        contests.store_card(tx, round, card)
        done = words.translate_plain("That is done already: here is your card as it stands.")
        return [*requests, *context.answer_press(done)]
    card = replace(card, card=after, changed_at=context.sent_at, language=words.language, has_left=False)
    contests.store_card(tx, round, card)
    requests += context.answer_press(game.render_played_turn(words, round.puzzle, after))
    if game.count_turns_played(after) < game.turn_count:
        return requests
    contests.update_deadline(tx, round)
    if round.chat_id > 0:
        return [*requests, *end_contest(tx, round, context.sent_at)]
    return [*requests, *redraw_contest(tx, round, context.sent_at)]


def _adopt_pressed_message(context: Context, card: PlayerCard) -> tuple[PlayerCard, list[Request]]:
    """Take the pressed message as the card's if it has none; otherwise disable it if it is another one."""
    pressed = context.message.message_id if context.message and not context.board_press_id else None
    if pressed is None or pressed == card.message_id:
        return card, []
    if card.message_id is None:
        return replace(card, message_id=pressed, posted_at=context.sent_at), []
    return card, [card_messages.build_moved_edit(card, pressed)]


def _choose_update_kind(words: Sequence[str]) -> UpdateKind:
    """Return SEARCH for a deal that is given to be solved, else DEAL."""
    return UpdateKind.SEARCH if words else UpdateKind.DEAL


ROUTES = Routes(
    commands=[
        CommandRoute(name, make_handler(game), _choose_update_kind, menu)
        for game in CONTEST_GAMES.values()
        for name, menu in [(game.command, game.render_menu_line), *((alias, None) for alias in game.aliases)]
    ],
    buttons=[ButtonRoute(view.PLAY_BUTTON, play_pressed), ButtonRoute(view.TURN_BUTTON, turn_pressed)],
    deep_links={view.CARD_LINK: open_linked_card},
)
