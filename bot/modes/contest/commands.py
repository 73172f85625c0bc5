"""Deal contests, give players their cards, and play turns on them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bot.database import Tx, parse_number
from bot.i18n import Html, Words
from bot.modes.contest import card_messages, view
from bot.modes.contest import queries as contests
from bot.modes.contest.ending import end_contest, end_due_contest, redraw_contest
from bot.modes.contest.rules import PlayerCard, have_all_finished
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds.contest_game import CONTEST_LIFETIME, ContestGame
from bot.rounds.mode import Mode
from bot.rounds.puzzle import DealtPuzzle, Kind, Options
from bot.rounds.registry import CONTEST_GAMES, render_other_game_command
from bot.rounds.rules import Round, State, is_out_of_sight
from bot.rounds.view import Frame, Snapshot, render_fair_link
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, Response, is_in_chat, send_only
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

Contest = ContestGame[Any, Any]


def make_handler(game: Contest) -> Handler:
    async def solve_or_deal(context: Context) -> Effect:
        """Solve the deal that the argument or the replied message gives; without one, deal a contest."""
        other_command = render_other_game_command(context.words, context.argument, game)
        if other_command is not None:
            return play.make_notice_effect(context, other_command)
        replied = context.message.replied if context.message else None
        replied_text = replied.text if replied else ""
        given = game.parse_known_deal(context.argument, replied_text)
        if given is None:
            return await _deal_contest(context, game)
        return await _solve_given_deal(context, game, given)

    return solve_or_deal


async def _solve_given_deal(context: Context, game: Contest, given: Any) -> Effect:
    """Show the best card for a given deal, unless it reveals a running contest."""
    running = await context.services.store.read(lambda tx: contests.load_running_contests(tx, game=game.key))
    if any(game.is_revealed_by(round.puzzle, given) for round in running):
        refusal = context.words.translate(
            "Those are being played just now: no peeking before that game is over!"
        )
        return play.make_notice_effect(context, refusal)
    best = await game.solve_known_deal(context.services.solver_pool, context.words, given)
    return send_only(play.reply(context, best))


async def _deal_contest(context: Context, game: Contest) -> Effect:
    """Deal a contest; point to one that is in progress. Raises RefusalError if no deal is allowed."""
    running = await context.services.store.read(lambda tx: _load_unfinished(context, tx, game))
    if running is not None:
        return lambda tx: _point_to_running(context, tx, running)
    refusal = await play.load_member_refusal(context)
    if refusal is not None:
        return refusal
    await play.refuse_forbidden_deal(context)
    options = Options(kind=game.default_kind)
    (dealt,) = await play.deal_puzzles(context, game, options)
    return lambda tx: _open_contest(context, tx, game, dealt)


def _load_unfinished(context: Context, tx: Tx, game: Contest) -> Round | None:
    """Load the contest here unless all players who began have finished; None if there is none."""
    running = contests.load_running_contest(tx, context.chat.id, context.topic, game=game.key)
    if running is None or have_all_finished(contests.load_cards(tx, running)):
        return None
    return running


def _open_contest(context: Context, tx: Tx, game: Contest, dealt: DealtPuzzle) -> Sequence[Response]:
    """End the former contest, open a new one and show it or the card; if one is in progress, point to it."""
    running = _load_unfinished(context, tx, game)
    if running is not None:
        return _point_to_running(context, tx, running)
    former = contests.load_running_contest(tx, context.chat.id, context.topic, game=game.key)
    ended = end_contest(tx, former, context.sent_at) if former else []
    new = play.make_round(context, game, dealt, Options(kind=game.default_kind), CONTEST_LIFETIME)
    opened = rounds.open_round(tx, replace(new, state=State.RUNNING))
    if opened is None:  # never, as nothing prevents a contest
        return ended
    people.regain_post_budget(tx, context.chat.id)  # as with any deal: where people play, posts are welcome
    if not context.chat.private or context.player is None:
        return [*ended, messages.show_round(opened.chat_id, opened.id, new=True), *context.answer_press()]
    card_messages.open_card(tx, opened, context.player.id, context.sent_at, context.words.language)
    return [*ended, card_messages.build_card_request(opened, context.player.id), *context.answer_press()]


def _point_to_running(context: Context, tx: Tx, running: Round) -> Sequence[Response]:
    """Reply to the contest's message, or post it again if far up or unknown; in private show the card."""
    words = context.words
    message_id = running.message_id
    if context.chat.private and context.player is not None:
        card = card_messages.open_card(tx, running, context.player.id, context.sent_at, words.language)
        return card_messages.show_card_below(tx, running, card, context.sent_at, repost_after=0.0)
    if message_id is None:
        return [messages.show_round(running.chat_id, running.id, new=True)]
    if not is_out_of_sight(message_id, context.message_id):
        notice = words.translate("This game is still on: Play gives you a card. ⬆️")
        return play.make_notice(context, tx, notice, reply_to=message_id)
    text = view.render_pointer(words.translate("The game goes on below."))
    pointer = messages.edit_message(running.chat_id, message_id, text)
    contests.clear_message(tx, running.id)
    return [pointer, messages.show_round(running.chat_id, running.id, new=True)]


async def press_play(context: Context) -> Effect:
    """Show a member their card, or a new one, in private; link to that chat if they never opened it."""
    round = await play.load_pressed_round(context, contest=True)
    words = context.words
    if round is None or context.player is None or not context.is_genuine_press:
        return play.refuse_old_button(context)
    player = context.player
    url = f"https://t.me/{context.services.me.username}?start={view.CARD_LINK}_{round.id}"
    if not context.chat.private and not await context.is_member(round.chat_id, player.id):
        refusal = words.translate_plain("Only members of this group can play here.")
        return send_only(*context.answer_press(refusal))

    def effect(tx: Tx) -> Sequence[Response]:
        """Show the card and link to it; only link without a private chat, only show it to a board."""
        if context.submission:
            return _show_card(context, tx, round.id)
        if not people.can_write_to_player(tx, player.id):
            return context.answer_press(url=url)
        waiting = words.translate_plain("Your card is waiting for you in private.")
        return [*_show_card(context, tx, round.id), *context.answer_press(waiting, url=url)]

    return effect


async def open_linked_card(context: Context) -> Effect:
    """Show the player's card in the contest that a link names; only in private, to members of its group."""
    round_id = parse_number(context.argument)
    player = context.player
    dead_link = play.make_notice_effect(context, context.words.translate("That link no longer works."))
    if player is None or not context.chat.private or round_id is None:
        return dead_link
    chat_id = await context.services.store.read(lambda tx: _load_chat_id(tx, round_id))
    if chat_id is None:
        return dead_link
    # In the player's own private chat there is no membership to ask for
    if chat_id != player.id and not await context.is_member(chat_id, player.id):
        return dead_link
    return lambda tx: _show_card(context, tx, round_id)


def _load_chat_id(tx: Tx, round_id: int) -> int | None:
    """Load the chat of a contest; None if there is no such contest."""
    round = rounds.load_round(tx, round_id)
    return round.chat_id if round and round.game in CONTEST_GAMES else None


def _show_card(context: Context, tx: Tx, round_id: int) -> Sequence[Response]:
    """Show a player their card, or a new one. After the end say so in reply to a message; ignore a press."""
    round = rounds.load_round(tx, round_id)
    player = context.player
    if round is None or player is None:
        return []
    if round.state is not State.RUNNING:
        over = context.words.translate("That game is over.")
        return [] if context.is_press else play.make_notice(context, tx, over)
    is_new = contests.load_card(tx, round, player.id) is None
    card = card_messages.open_card(tx, round, player.id, context.sent_at, context.words.language)
    requests = card_messages.show_card_below(tx, round, card, context.sent_at)
    return [*requests, *redraw_contest(tx, round, context.sent_at)] if is_new else requests


TURN_DATA = re.compile(rf"{view.TURN_BUTTON}:([1-9][0-9]{{0,17}}):([0-9]{{1,3}}):([0-9]{{1,2}})", re.ASCII)


async def press_turn(context: Context) -> Effect:
    """Play the present turn of the player's own card; refuse the last one to a player who left the group."""
    match = TURN_DATA.fullmatch(context.button_data)
    player = context.player
    if match is None or player is None or not context.is_genuine_press:
        return play.refuse_old_button(context)
    if context.chat.id != player.id:  # cards are in their players' private chats
        return play.refuse_old_button(context)
    round_id, turn, choice = (int(part) for part in match.groups())
    group = await context.services.store.read(lambda tx: _load_chat_id(tx, round_id))
    # The game is not known yet: `_refuse_last_turn` checks that the turn is its last
    may_be_last = turn in {game.turn_count - 1 for game in CONTEST_GAMES.values()}
    if group is not None and group < 0 and may_be_last:  # a negative id: no private chat
        member = await context.fetch_member(group, player.id)
        if member is not None and not is_in_chat(member):  # None if Telegram does not answer
            return lambda tx: _refuse_last_turn(context, tx, round_id)
    return lambda tx: _play_turn(context, tx, round_id, turn, choice)


def _load_own_card(context: Context, tx: Tx, round_id: int) -> tuple[Round | None, PlayerCard | None]:
    """Load a contest and the player's card in it; None for what there is not."""
    round = rounds.load_round(tx, round_id)
    player = context.player
    if round is None or player is None or round.game not in CONTEST_GAMES:
        return None, None
    return round, contests.load_card(tx, round, player.id)


def _refuse_last_turn(context: Context, tx: Tx, round_id: int) -> list[Response]:
    """Refuse the turn; if it is the card's last, store that its player left, so that nobody waits for it."""
    answer = context.answer_press(context.words.translate_plain("Only members of this group can play here."))
    round, card = _load_own_card(context, tx, round_id)
    if round is None or card is None or round.state is not State.RUNNING or card.has_left:
        return answer
    if card.turns_played != CONTEST_GAMES[round.game].turn_count - 1:
        return answer
    contests.store_card(tx, round, replace(card, has_left=True, changed_at=context.sent_at))
    contests.update_deadline(tx, round)
    return [*redraw_contest(tx, round, context.sent_at), *answer]


def _play_turn(context: Context, tx: Tx, round_id: int, turn: int, choice: int) -> Sequence[Response]:
    """Play the turn and show the card. If the contest is over or it is another turn, say so with the card."""
    round, card = _load_own_card(context, tx, round_id)
    if round is None or card is None:
        return play.refuse_old_button(context)(tx)
    game = CONTEST_GAMES[round.game]
    words = context.words
    card, edits = _adopt_pressed_message(context, card)
    requests: list[Response] = [*edits, card_messages.build_card_request(round, card.player_id)]
    if round.state is not State.RUNNING:
        return [*requests, *context.answer_press(words.translate_plain("That game is over."))]
    after = game.play_turn(card.card, turn, choice)
    if after is None:  # not the present turn
        contests.store_card(tx, round, card)
        done = words.translate_plain("That is done already: here is your card as it stands.")
        return [*requests, *context.answer_press(done)]
    card = replace(card, card=after, changed_at=context.sent_at, language=words.language, has_left=False)
    contests.store_card(tx, round, card)
    requests += context.answer_press(game.render_played_turn(words, round.puzzle, after))
    if game.count_turns_played(after) == game.turn_count:
        contests.update_deadline(tx, round)
        finish = end_contest if round.is_private else redraw_contest
        requests += finish(tx, round, context.sent_at)
    return requests


def _adopt_pressed_message(context: Context, card: PlayerCard) -> tuple[PlayerCard, list[Outgoing]]:
    """Return the card, with the pressed message if it had none, and an edit of any other to a pointer."""
    pressed = context.message_id or None
    if pressed is None or pressed == card.message_id:
        return card, []
    if card.message_id is None:
        return replace(card, message_id=pressed, posted_at=context.sent_at), []
    return card, [card_messages.build_pointer_edit(card, pressed)]


class ContestFrame(Frame):
    def render_message(self, round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
        """Return the contest with its cards and votes to end it, and the link to verify it."""
        cards = contests.read_cards(round, snapshot.entries)
        text, keyboard = view.render_contest(words, round, cards, snapshot.names, len(snapshot.skip_voters))
        return Html("\n".join([text, *render_fair_link(words, snapshot)])), keyboard


class ContestMode(Mode):
    kind = Kind.CONTEST

    def end_due_round(self, tx: Tx, round: Round, now: float) -> list[Outgoing]:
        return end_due_contest(tx, round, now)

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        return ContestFrame()


def make_routes(games: Iterable[Contest]) -> Routes:
    commands = list[CommandRoute]()
    for game in games:
        # With words behind it, the command solves the deal that they are
        commands += play.make_command_routes(
            game, make_handler(game), lambda words: UpdateKind.SEARCH if words else UpdateKind.DEAL
        )
    return Routes(
        commands=commands,
        buttons=[ButtonRoute(view.PLAY_BUTTON, press_play), ButtonRoute(view.TURN_BUTTON, press_turn)],
        deep_links={view.CARD_LINK: open_linked_card},
    )
