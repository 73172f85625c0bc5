"""The command that deals a contest, the button that gives a card, and those on the card."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.admin.settings import preferences as preferences
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

FAR = 20  # Messages below a contest's own after which it is posted anew, so that nobody scrolls for it
PRESSED = re.compile(rf"{view.TURN_BUTTON}:([1-9][0-9]{{0,17}}):([0-9]{{1,3}}):([0-9]{{1,2}})", re.ASCII)

Contest = ContestGame[Any, Any]


def dealing(game: Contest) -> Handler:
    """The command: solve what is given with it, else deal a contest, unless one runs here."""

    async def handler(context: Context) -> Effect:
        if (other := render_other_game_command(context.words, context.argument, game)) is not None:
            return make_notice_effect(context, other)
        above = context.message.reply_to_message if context.message else None
        try:
            given = game.parse_known_deal(context.argument, (above and (above.text or above.caption)) or "")
        except KnownDealError as error:
            return make_notice_effect(context, error.why(context.words))
        return await _deal(context, game) if given is None else await _solved(context, game, given)

    return handler


# What people know, solved


async def _solved(context: Context, game: Contest, given: Any) -> Effect:
    """The best of what was given, unless a contest runs somewhere that this would give away."""
    running = await context.services.store.read(lambda tx: _given_away(tx, game, given))
    if running:
        line = context.words.translate(
            "Those are being played just now: no peeking before that game is over!"
        )
        return make_notice_effect(context, line)
    try:
        best = await game.solve_known_deal(context.services.solver_pool, context.words, given)
    except SolvingError:
        return apologize_for_timeout(context)
    return send_only(reply(context, best))


def _given_away(tx: Tx, game: Contest, given: Any) -> bool:
    running = contests.load_running_contests(tx, game.key)
    return any(game.is_revealed_by(each.puzzle, given) for each in running)


# Dealt


async def _deal(context: Context, game: Contest) -> Effect:
    if context.player is None and context.chat.private:
        return send_only()
    live = await context.services.store.read(lambda tx: _going_on(context, tx, game))
    if live is not None:
        return lambda tx: _point(context, tx, game)
    if (why := await find_deal_restriction(context, preferences.read_preferences(context.chat))) is not None:
        return make_notice_effect(context, why)
    services = context.services
    try:
        puzzle = await game.deal(
            services.solver_pool, context.chat.settings, Options(kind=game.default_kind), services.make_seed()
        )
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    return lambda tx: _begin(context, tx, game, puzzle)


def _running(context: Context, tx: Tx, game: Contest) -> Round | None:
    return contests.load_running_contest(tx, context.chat.id, context.topic, game.key)


def _going_on(context: Context, tx: Tx, game: Contest) -> Round | None:
    """The contest that runs here, unless all who began have finished: another one may follow that."""
    live = _running(context, tx, game)
    over = live is not None and have_all_finished(
        [contests.compute_progress(live, s) for s in contests.load_cards(tx, live)]
    )
    return None if over else live


def _begin(context: Context, tx: Tx, game: Contest, puzzle: Puzzle) -> list[Request]:
    if _going_on(context, tx, game) is not None:
        return _point(context, tx, game)
    before = _running(context, tx, game)
    ended = end_contest(tx, before, context.sent_at) if before else []
    new = replace(
        make_round(context, game, puzzle, Options(kind=game.default_kind), CONTEST_LIFETIME),
        state=State.RUNNING,
    )
    opened = rounds.open_round(tx, new)
    if opened is None:
        return ended
    people.regain_budget(tx, context.chat.id)
    if not context.chat.private or context.player is None:
        return [*ended, messages.show_round(opened, new=True), *context.answer_press()]
    card_messages.open_card(tx, opened, _blank(context, game, context.player.id))
    return [*ended, card_messages.build_card_request(opened, context.player.id), *context.answer_press()]


def _blank(context: Context, game: Contest, player_id: int) -> PlayerCard:
    return PlayerCard(player_id, game.create_card(), context.sent_at, context.words.language)


def _point(context: Context, tx: Tx, game: Contest) -> list[Request]:
    """Point to the contest that runs: by a reply to its message, or by that message anew if it is far up."""
    live, message = _running(context, tx, game), context.message
    if live is None or message is None:
        return context.answer_press()
    if context.chat.private and context.player is not None:
        card = card_messages.open_card(tx, live, _blank(context, game, context.player.id))
        return card_messages.show_card_below(tx, live, card, context.sent_at, recent=0.0)
    shown = live.message_id
    if shown is None:
        return [messages.show_round(live, new=True)]
    if message.message_id - shown <= FAR:
        return make_notice(context, tx, view.render_still_running(context.words), reply_to=shown)
    pointer = messages.edit_message(live.chat_id, shown, view.render_continued_below(context.words))
    return [pointer, messages.show_round(contests.clear_message(tx, live), new=True)]


# Somebody takes a card


async def play_pressed(context: Context) -> Effect:
    """The button under a contest: a card for whoever pressed it, or theirs again."""
    pressed = await load_pressed_round(context, contest=True)
    if pressed is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    player, url = context.player, view.build_card_link(str(context.services.me.username), pressed)
    if not context.chat.private and not await context.is_member(pressed.chat_id, player.id):
        return send_only(
            *context.answer_press(context.words.translate_plain("Only members of this group can play here."))
        )

    def effect(tx: Tx) -> list[Request]:
        if context.board_press_id:
            return _card(context, tx, pressed.id)
        if not card_messages.can_show_card(tx, player.id):
            return context.answer_press(url=url)
        waits = context.words.translate_plain("Your card is waiting for you in private.")
        return [*_card(context, tx, pressed.id), *context.answer_press(waits, url=url)]

    return effect


async def entered(context: Context) -> Effect:
    """A link led here, from a contest's button: the card, for whoever is in its group."""
    number, player = context.argument, context.player
    if player is None or not context.chat.private or not re.fullmatch(r"[1-9][0-9]{0,17}", number, re.ASCII):
        return make_notice_effect(context, context.words.translate("That link leads nowhere any more."))
    chat_id = await context.services.store.read(lambda tx: _group(tx, int(number)))
    if chat_id is None or not (chat_id == player.id or await context.is_member(chat_id, player.id)):
        return make_notice_effect(context, context.words.translate("That link leads nowhere any more."))
    return lambda tx: _card(context, tx, int(number))


def _group(tx: Tx, number: int) -> int | None:
    """The chat of that contest."""
    found = rounds.load_round(tx, number)
    return found.chat_id if found and found.game in CONTEST_GAMES else None


def _card(context: Context, tx: Tx, number: int) -> list[Request]:
    """Show somebody their card; a new one if they have none, as long as the contest runs."""
    round, player = rounds.load_round(tx, number), context.player
    if round is None or player is None:
        return []
    if round.state is not State.RUNNING:
        over = context.words.translate("That game is over.")
        return [] if context.query else make_notice(context, tx, over)
    before = contests.load_card(tx, round, player.id)
    card = card_messages.open_card(tx, round, _blank(context, CONTEST_GAMES[round.game], player.id))
    shown = card_messages.show_card_below(tx, round, card, context.sent_at)
    return [*shown, *([] if before else redraw_contest(tx, round, context.sent_at))]


# Somebody plays a turn


async def put_pressed(context: Context) -> Effect:
    """A button on somebody's card: play the turn so. Anything but their own present turn changes nothing."""
    named = PRESSED.fullmatch(context.button_data)
    player, message = context.player, context.message
    if named is None or player is None or message is None or not context.is_genuine_press:
        return refuse_old_button(context)
    if context.chat.id != card_messages.get_card_chat(player.id):
        return refuse_old_button(context)
    number, turn, choice = (int(part) for part in named.groups())
    if await _has_left(context, number, turn, player.id):
        return lambda tx: _refused(context, tx, number)
    return lambda tx: _put(context, tx, number, turn, choice)


async def _has_left(context: Context, number: int, turn: int, player_id: int) -> bool:
    """Whether a card is not to be finished: this is its last turn, and its player is in its group no more."""
    group = await context.services.store.read(lambda tx: _group(tx, number))
    if group is None or group > 0 or not any(turn == game.turn_count - 1 for game in CONTEST_GAMES.values()):
        return False
    member = await context.fetch_member(group, player_id)
    return member is not None and not is_in_chat(member)


def _refused(context: Context, tx: Tx, number: int) -> list[Request]:
    """The card is not waited for any more, until its player is back."""
    told = context.answer_press(context.words.translate_plain("Only members of this group can play here."))
    round, player = rounds.load_round(tx, number), context.player
    card = contests.load_card(tx, round, player.id) if round and player else None
    if round is None or card is None or round.state is not State.RUNNING or card.has_left:
        return told
    if CONTEST_GAMES[round.game].count_turns_played(card.card) != CONTEST_GAMES[round.game].turn_count - 1:
        return told
    contests.store_card(tx, round, replace(card, has_left=True, changed_at=context.sent_at))
    contests.update_deadline(tx, round)
    return [*redraw_contest(tx, round, context.sent_at), *told]


def _put(context: Context, tx: Tx, number: int, turn: int, choice: int) -> list[Request]:
    round, player = rounds.load_round(tx, number), context.player
    card = (
        contests.load_card(tx, round, player.id) if round and player and round.game in CONTEST_GAMES else None
    )
    if round is None or card is None:
        return refuse_old_button(context)(tx)
    card, strays = _seen(context, card)
    if round.state is not State.RUNNING:
        over = context.words.translate_plain("That game is over.")
        return [*strays, card_messages.build_card_request(round, card.player_id), *context.answer_press(over)]
    after = CONTEST_GAMES[round.game].play_turn(card.card, turn, choice)
    if after is None:
        contests.store_card(tx, round, card)
        done = context.words.translate_plain("That is done already: here is your card as it stands.")
        return [*strays, card_messages.build_card_request(round, card.player_id), *context.answer_press(done)]
    played = replace(
        card, card=after, changed_at=context.sent_at, language=context.words.language, has_left=False
    )
    contests.store_card(tx, round, played)
    return [*strays, *_played(context, tx, round, played)]


def _seen(context: Context, card: PlayerCard) -> tuple[PlayerCard, list[Request]]:
    """The card with the message that shows it, and what is done to another copy that was pressed."""
    pressed = context.message.message_id if context.message and not context.board_press_id else None
    if pressed is None or pressed == card.message_id:
        return card, []
    if card.message_id is None:
        return replace(card, message_id=pressed, posted_at=context.sent_at), []
    return card, [card_messages.build_moved_edit(card, pressed)]


def _played(context: Context, tx: Tx, round: Round, card: PlayerCard) -> list[Request]:
    """What follows a turn: the next one, or the end of the card, which may end it all."""
    game = CONTEST_GAMES[round.game]
    told = context.answer_press(game.render_played_turn(context.words, round.puzzle, card.card))
    shown = [card_messages.build_card_request(round, card.player_id), *told]
    if game.count_turns_played(card.card) < game.turn_count:
        return shown
    contests.update_deadline(tx, round)
    if round.chat_id > 0:
        return [*shown, *end_contest(tx, round, context.sent_at)]
    return [*shown, *redraw_contest(tx, round, context.sent_at)]


def _work(words: Sequence[str]) -> UpdateKind:
    """A deal, or a search for the best of what stands behind the command."""
    return UpdateKind.SEARCH if words else UpdateKind.DEAL


ROUTES = Routes(
    commands=[
        *(
            CommandRoute(game.command, dealing(game), _work, game.render_menu_line)
            for game in CONTEST_GAMES.values()
        ),
        *(
            CommandRoute(name, dealing(game), _work)
            for game in CONTEST_GAMES.values()
            for name in game.aliases
        ),
    ],
    buttons=[ButtonRoute(view.PLAY_BUTTON, play_pressed), ButtonRoute(view.TURN_BUTTON, put_pressed)],
    deep_links={view.CARD_LINK: entered},
)
