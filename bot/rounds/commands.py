"""Deal hands: /play, the commands of the other games, and the buttons under an ended round.

The replies that other commands share stand at the end.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.admin import reactions, topics
from bot.admin.settings import preferences
from bot.admin.settings.preferences import Pictures, Preferences
from bot.admin.settings.view import render_topic_link
from bot.database import Tx
from bot.durations import HOUR, MINUTE
from bot.i18n import Html, strip_tags
from bot.modes.daily import queries as daily
from bot.modes.race import queries as races
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.game import Game
from bot.rounds.message_lines import NEXT_BUTTON
from bot.rounds.puzzle import (
    DealError,
    Kind,
    Options,
    Puzzle,
    UnknownWordError,
    get_easier_level,
    normalize_word,
    parse_hand_numbers,
)
from bot.rounds.registry import DEFAULT_GAME, GAMES, render_other_game_command
from bot.rounds.rules import Round, State, is_in_time
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError

MAX_DRAWS = 5  # Hands drawn to find one that is not secret
SEEN_REACTION = "👀"


def make_deal_handler(game: Game[Any]) -> Handler:
    """Return the handler of the command that deals the game, or explains an argument that is no option."""

    async def handler(context: Context) -> Effect:
        try:
            options = game.parse_options(context.words, context.argument)
        except UnknownWordError as error:
            return _explain_unknown_option(context, game, error.fragment)
        return await _deal(context, game, options)

    return handler


def _explain_unknown_option(context: Context, game: Game[Any], fragment: str) -> Effect:
    """Name the command of the game that `fragment` names, else offer to solve a puzzle, else show usage."""
    other_game = render_other_game_command(context.words, fragment, game)
    if other_game is not None:
        return make_notice_effect(context, other_game)
    offer = game.render_own_puzzle(context.words, context.argument, private=context.chat.private)
    if offer is None:
        return make_notice_effect(context, game.render_usage(context.words, fragment))
    text, keyboard = offer
    return send_only(context.reply(text, keyboard=keyboard))


deal_default_game = make_deal_handler(DEFAULT_GAME)


async def press_next(context: Context) -> Effect:
    """Deal the next hand, with the options of the one above unless that was a lesson, chosen or practised."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.state is State.OPEN or context.player is None or context.message is None:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    if pressed.kind in (Kind.LESSON, Kind.CHOSEN, Kind.PRACTICE):
        return await _deal(context, game, Options(kind=pressed.kind.next_kind))
    return await _deal(context, game, game.unpack_options(pressed.options, pressed.kind))


async def press_easier(context: Context) -> Effect:
    """Handle the button under an expired round: deal a hand of the same sort, one level easier."""
    pressed = await load_pressed_round(context)
    if pressed is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    level = get_easier_level(pressed.level)
    if pressed.state is not State.EXPIRED or level is None:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    similar = game.get_similar_options(pressed.puzzle, pressed.kind.next_kind)
    return await _deal(context, game, replace(similar, level=level))


async def _deal(context: Context, game: Game[Any], options: Options) -> Effect:
    """Draw a hand and return the effect that deals it, or the effect that says why none is dealt."""
    refusal = await load_deal_refusal(context)
    if refusal is not None:
        return refusal
    try:
        puzzle = await deal_puzzle(context, game, options)
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    new = make_round(context, game, puzzle, options, get_round_seconds(context, game))
    return lambda tx: open_and_show_round(context, tx, new)


def get_round_seconds(context: Context, game: Game[Any]) -> float:
    """Return the time limit of the game's rounds in this chat."""
    limit = game.get_time_limit(context.chat.settings)
    return preferences.read_preferences(context.chat).seconds if limit is None else limit


async def load_deal_refusal(context: Context) -> Effect | None:
    """Return the effect that refuses a deal: a hand is open or a preference forbids it; None if allowed."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    if live is not None:
        return lambda tx: point_to_open_hand(context, tx)
    reason = await find_deal_restriction(context, preferences.read_preferences(context.chat))
    return None if reason is None else make_notice_effect(context, reason)


async def find_deal_restriction(context: Context, chosen: Preferences) -> Html | None:
    """Explain why a deal is forbidden: wrong topic, quiet hours, too many an hour; None if it is allowed."""
    is_wrong_topic = preferences.is_wrong_topic(chosen, context.topic)
    if is_wrong_topic and not await topics.leave_topic_if_deleted(context, chosen):
        link = render_topic_link(context.words, context.chat.id, chosen)
        return context.words.translate("This group plays in {topic}: see you there!", topic=link)
    quiet_end = preferences.get_quiet_end(chosen, context.sent_at)
    if quiet_end is not None:
        clock = f"{datetime.fromtimestamp(quiet_end, chosen.zone):%H:%M}"
        return context.words.translate("Quiet hours here until {clock}. See you then!", clock=clock)
    recent = await load_recent_deal_times(context, chosen)
    next_time = preferences.get_next_round_time(chosen, recent, context.sent_at)
    if next_time is None:
        return None
    return context.words.translate_plural(
        "That was plenty for one hour. The next hand in {n} minute.",
        "That was plenty for one hour. The next hand in {n} minutes.",
        max(1, round((next_time - context.sent_at) / MINUTE)),  # never "in 0 minutes"
    )


async def load_recent_deal_times(context: Context, chosen: Preferences) -> list[float]:
    """Return the last hour's deal times, and now for each coming hand of a race; empty without a limit."""
    limit = chosen.rounds_an_hour
    if limit is None:
        return []
    chat_id = context.chat.id

    def load(tx: Tx) -> list[float]:
        dealt = rounds.load_opening_times(tx, chat_id, context.sent_at - HOUR, limit)
        coming = [context.sent_at] * races.count_hands_to_come(tx, chat_id)
        return dealt + coming

    return await context.services.store.read(load)


async def count_rounds_left(context: Context) -> int | None:
    """Count the hands that may still be dealt here within the hour; None for no limit."""
    chosen = preferences.read_preferences(context.chat)
    recent = await load_recent_deal_times(context, chosen)
    return preferences.count_rounds_left(chosen, recent, context.sent_at)


async def deal_puzzle(context: Context, game: Game[Any], options: Options) -> Puzzle:
    """Return a puzzle that is not a daily hand, if there is another, and prefetch its picture.

    Raises DealError if no puzzle meets the options, SolvingError if it takes too long.
    """
    services = context.services
    puzzle = await draw_puzzle(
        context,
        lambda: game.deal(services.solver_pool, context.chat.settings, options, services.make_seed()),
        lambda tx, numbers: daily.is_solution_secret(
            tx, player_id=None, numbers=numbers, now=context.sent_at
        ),
    )
    prefetch_picture(context, game, puzzle)
    return puzzle


async def draw_puzzle(
    context: Context, draw: Callable[[], Awaitable[Puzzle]], is_secret: Callable[..., object]
) -> Puzzle:
    """Draw up to `MAX_DRAWS` puzzles until one is not secret, and return the last one drawn, secret or not.

    `is_secret` gets a transaction and the puzzle's `numbers`.
    """
    for _ in range(MAX_DRAWS):
        puzzle = await draw()
        check_numbers = partial(is_secret, numbers=parse_hand_numbers(puzzle.line))
        if not await context.services.store.read(check_numbers):
            break
    return puzzle


def prefetch_picture(context: Context, game: Game[Any], puzzle: Puzzle) -> None:
    """Start to draw the picture of a deal if the chat shows pictures."""
    picture = game.make_deal_picture(puzzle)
    if picture and preferences.read_preferences(context.chat).pictures is not Pictures.OFF:
        context.services.prefetch_picture(context.chat.id, picture, context.words.language)


def make_round(context: Context, game: Game[Any], puzzle: Puzzle, options: Options, limit: float) -> Round:
    """Make an open round of `limit` seconds for the chat, topic and player of the context."""
    message = context.message
    # Outside topics a thread holds the comments on a post; the deal belongs there too.
    is_comment = message and message.message_thread_id and not (context.topic or context.ephemeral_id)
    return Round(
        id=0,  # until it is stored
        chat_id=context.chat.id,
        topic=context.topic,
        kind=options.kind,
        game=game.key,
        puzzle=puzzle,
        options=game.pack_options(options),
        dealer_id=context.player.id if context.player else 0,  # 0: anonymous
        language=context.words.language,
        opened=context.sent_at,
        deadline=context.sent_at + limit,
        asked_id=message.message_id if message and is_comment else None,
    )


def open_and_show_round(context: Context, tx: Tx, new: Round) -> list[Request]:
    """Store a new round, raise the chat's budget for posts, show the round; or only point to an open one."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return point_to_open_hand(context, tx)
    people.regain_post_budget(tx, context.chat.id)
    return [messages.show_round(opened, new=opened.message_id is None), *context.answer_press()]


def point_to_open_hand(context: Context, tx: Tx, *, quiet: bool = False) -> list[Request]:
    """Point to the open hand here, or say that its time is up or none is open; `quiet` as `make_notice`."""
    words = context.words
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if live is None:
        over = words.translate("That hand is over. /play deals the next.")
        return make_notice(context, tx, over, quiet=quiet)
    if not is_in_time(live, context.clock_start):
        return refuse_late_request(context, tx)
    if context.is_press:
        return context.answer_press(words.translate_plain("A hand is on the table: {line}", line=live.line))
    text = words.translate("This hand is still open:\n{line}\n/skip gives it up.", line=live.line)
    return make_notice(context, tx, text, reply_to=live.message_id, quiet=quiet)


def make_notice(
    context: Context, tx: Tx, text: Html, reply_to: int | None = None, *, quiet: bool = False
) -> list[Request]:
    """Answer a press with the text, or reply with it to the message or to `reply_to`.

    `quiet`: takes the reply from a group's budget for posts, and only reacts if that is used up.
    """
    if context.is_press:
        return context.answer_press(strip_tags(text))
    if context.message is None:
        return []
    is_free = not quiet or context.chat.private or context.ephemeral_id
    if is_free or people.spend_budget(tx, context.chat.id):
        return [context.reply(text, reply_to=reply_to or context.message.message_id)]
    return react(context, SEEN_REACTION, fallback=reply(context, text))


def make_notice_effect(context: Context, text: Html) -> Effect:
    return lambda tx: make_notice(context, tx, text)


def react(context: Context, emoji: str, fallback: Request | None = None) -> list[Request]:
    """React to the message, or return `fallback` if the chat forbids that reaction.

    For an answer from the board, request that its page show the emoji. Empty for an ephemeral message.
    """
    if context.board_press_id and context.player is not None:
        return [messages.react_on_board(context.player.id, emoji)]
    if context.ephemeral_id or context.message is None:
        return []
    if reactions.is_reaction_forbidden(context.chat, emoji):
        return [fallback] if fallback else []
    return [messages.react_to_message(context.chat.id, context.message.message_id, emoji, fallback)]


def reply(context: Context, text: Html) -> Request:
    """Reply to the message itself, also in private."""
    return context.reply(text, reply_to=context.message.message_id if context.message else None)


def refuse_old_button(context: Context) -> Effect:
    """Answer the press of a button that is out of date or forged."""
    return send_only(*context.answer_press(context.words.translate_plain("That button is out of date.")))


def refuse_late_request(context: Context, tx: Tx) -> list[Request]:
    """Say quietly that the hand's time is up, while answers sent in time may still arrive."""
    text = context.words.translate("Time’s up! I only wait for answers that were sent in time.")
    return make_notice(context, tx, text, quiet=True)


def reply_no_open_hand(context: Context, tx: Tx) -> list[Request]:
    """Say quietly that no hand is open here, or to a press that the hand is over."""
    if context.is_press:
        return context.answer_press(context.words.translate_plain("That hand is over."))
    text = context.words.translate("No hand is on the table. /play deals one.")
    return make_notice(context, tx, text, quiet=True)


async def load_pressed_round(context: Context, *, contest: bool = False) -> Round | None:
    """Return the round of a pressed button; None if it does not belong to the chat and message of the press.

    With `contest` it must be a contest, else it must be none. Callback data can be forged.
    """
    number = context.button_argument
    message_id = context.query.message.message_id if context.query and context.query.message else 0
    is_press = message_id or context.board_press_id
    if not is_press or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None

    def load(tx: Tx) -> Round | None:
        round = rounds.load_round(tx, int(number))
        if round is None or round.chat_id != context.chat.id:
            return None
        is_contest = round.kind is Kind.CONTEST
        if is_contest != contest:
            return None
        if context.board_press_id:
            return round  # the board names it
        if round.message_id is None and context.is_genuine_press:
            return round  # the message of its deal may be unrecorded yet
        return round if rounds.was_shown_in_message(tx, round, message_id) else None

    return await context.services.store.read(load)


def apologize_for_timeout(context: Context) -> Effect:
    text = context.words.translate("Sorry, that took too long. Please try again.")
    return send_only(context.reply(text), *context.answer_press())


def _make_route(game: Game[Any], command: str) -> CommandRoute:
    """Return the route of a command that deals the game; an alias is in no menu."""

    def choose_kind(words: Sequence[str]) -> UpdateKind:
        # A word that needs a long search makes the deal a rare one, of which fewer are admitted.
        is_quick = set(game.get_quick_words()).issuperset(map(normalize_word, words))
        return UpdateKind.DEAL if is_quick else UpdateKind.RARE_DEAL

    menu_line = game.render_menu_line if command == game.command else None
    return CommandRoute(command, make_deal_handler(game), choose_kind, menu_line)


ROUTES = Routes(
    commands=[
        _make_route(game, command)
        for game in GAMES.values()
        if game.default_kind is not Kind.CONTEST
        for command in (game.command, *game.aliases)
    ],
    buttons=[
        ButtonRoute(NEXT_BUTTON, press_next, UpdateKind.DEAL_PRESS),
        ButtonRoute("e", press_easier, UpdateKind.DEAL_PRESS),
    ],
    deep_links={"play": deal_default_game},
)
