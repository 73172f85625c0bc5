"""/play, and the button under a round that is over: a hand is dealt."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.admin import reactions, topics
from bot.admin.settings import preferences as preferences
from bot.admin.settings.preferences import Pictures, Preferences
from bot.admin.settings.view import render_plays_elsewhere
from bot.database import Tx
from bot.durations import HOUR
from bot.i18n import Html, strip_tags
from bot.modes.daily import queries as daily
from bot.modes.race import queries as races
from bot.players import queries as people
from bot.queue.admission import CommandKind, UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.game import Game
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

DRAWS = 4  # Hands that are drawn at most to get one that is no hand of the day
SEEN = "👀"


def make_deal_handler(game: Game[Any]) -> Handler:
    """The command that deals a game: as asked for, unless something is on the table."""

    async def handler(context: Context) -> Effect:
        try:
            options = game.parse_options(context.words, context.argument)
        except UnknownWordError as error:
            return _instead(context, game, error.fragment)
        return await _play(context, game, options)

    return handler


def _instead(context: Context, game: Game[Any], fragment: str) -> Effect:
    """What works, for who wrote what asks for nothing: a puzzle of their own, or `fragment`."""
    if (other := render_other_game_command(context.words, fragment, game)) is not None:
        return make_notice_effect(context, other)
    own = game.render_own_puzzle(context.words, context.argument, private=context.chat.private)
    if own is None:
        return make_notice_effect(context, game.render_usage(context.words, fragment))
    text, keyboard = own
    return send_only(context.reply(text, keyboard=keyboard))


deal_default_game = make_deal_handler(DEFAULT_GAME)


async def next_pressed(context: Context) -> Effect:
    """The button under a round that is over: deal the next hand."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.state is State.OPEN or context.player is None or context.message is None:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    if pressed.kind in (Kind.LESSON, Kind.CHOSEN, Kind.PRACTICE):
        return await _play(context, game, Options(kind=pressed.kind.next_kind))
    return await _play(context, game, game.unpack_options(pressed.options, pressed.kind))


async def easier_pressed(context: Context) -> Effect:
    """The button under a hand that nobody found in time: deal such a hand, but an easier one."""
    pressed = await load_pressed_round(context)
    level = get_easier_level(pressed.level) if pressed and context.is_genuine_press else None
    if pressed is None or pressed.state is not State.EXPIRED or level is None or context.player is None:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    return await _play(
        context, game, replace(game.get_similar_options(pressed.puzzle, pressed.kind.next_kind), level=level)
    )


async def _play(context: Context, game: Game[Any], options: Options) -> Effect:
    if (instead := await load_deal_refusal(context)) is not None:
        return instead
    try:
        puzzle = await deal_puzzle(context, game, options)
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    new = make_round(context, game, puzzle, options, get_round_seconds(context, game))
    return lambda tx: open_and_show_round(context, tx, new)


def get_round_seconds(context: Context, game: Game[Any]) -> float:
    """Seconds that a round lasts here."""
    own = game.get_time_limit(context.chat.settings)
    return preferences.read_preferences(context.chat).seconds if own is None else own


async def load_deal_refusal(context: Context) -> Effect | None:
    """What is said instead of a deal: a hand is on the table, or the chat chose to have none now."""
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    if live is not None:
        return lambda tx: point_to_open_hand(context, tx)
    why = await find_deal_restriction(context, preferences.read_preferences(context.chat))
    return None if why is None else make_notice_effect(context, why)


async def find_deal_restriction(context: Context, chosen: Preferences) -> Html | None:
    """Why no hand is dealt here and now, by what the chat chose; None where one is."""
    if preferences.is_wrong_topic(chosen, context.topic) and not await topics.leave_if_deleted(
        context, chosen
    ):
        return render_plays_elsewhere(context.words, context.chat.id, chosen)
    until = preferences.get_quiet_end(chosen, context.sent_at)
    if until is not None:
        clock = f"{datetime.fromtimestamp(until, chosen.zone):%H:%M}"
        return context.words.translate("Quiet hours here until {clock}. See you then!", clock=clock)
    free = preferences.get_next_round_time(
        chosen, await load_recent_deal_times(context, chosen), context.sent_at
    )
    if free is None:
        return None
    wait = max(1, round((free - context.sent_at) / 60))
    return context.words.translate_plural(
        "That was plenty for one hour. The next hand in {n} minute.",
        "That was plenty for one hour. The next hand in {n} minutes.",
        wait,
    )


async def load_recent_deal_times(context: Context, chosen: Preferences) -> list[float]:
    """When the hands of the last hour were dealt, where their number is limited.

    Those that a race under way will still deal count as dealt now.
    """
    most = chosen.rounds_an_hour
    if most is None:
        return []
    since, chat_id = context.sent_at - HOUR, context.chat.id
    return await context.services.store.read(
        lambda tx: (
            rounds.load_opening_times(tx, chat_id, since, most)
            + [context.sent_at] * races.count_hands_to_come(tx, chat_id)
        )
    )


async def deal_puzzle(context: Context, game: Game[Any], options: Options) -> Puzzle:
    """A puzzle that is no hand of the day, as long as there is another.

    Raises SolvingError when it can't be had in time, DealError if there is none.
    """
    services = context.services
    for _ in range(DRAWS):
        puzzle: Puzzle = await game.deal(
            services.solver_pool, context.chat.settings, options, services.make_seed()
        )
        if not await _is_daily(context, puzzle):
            break
    prefetch_picture(context, game, puzzle)
    return puzzle


def prefetch_picture(context: Context, game: Game[Any], puzzle: Puzzle) -> None:
    """Have the picture of a puzzle drawn while the rest is done, where the chat sees such."""
    table = game.make_deal_picture(puzzle)
    if table and preferences.read_preferences(context.chat).pictures is not Pictures.OFF:
        context.services.prefetch_picture(context.chat.id, table, context.words.language)


async def _is_daily(context: Context, puzzle: Puzzle) -> bool:
    numbers = parse_hand_numbers(puzzle.line)
    return await context.services.store.read(
        lambda tx: daily.is_solution_secret(tx, None, numbers, context.sent_at)
    )


def make_round(context: Context, game: Game[Any], puzzle: Puzzle, options: Options, limit: float) -> Round:
    """A round with that puzzle, dealt by those options where they were asked for, for `limit` seconds."""
    message = context.message
    threaded = (
        message is not None and message.message_thread_id and not (context.topic or context.ephemeral_id)
    )
    in_thread = message if threaded else None
    return Round(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        kind=options.kind,
        game=game.key,
        puzzle=puzzle,
        options=game.pack_options(options),
        dealer_id=context.player.id if context.player else 0,
        language=context.words.language,
        opened=context.sent_at,
        deadline=context.sent_at + limit,
        asked_id=in_thread.message_id if in_thread else None,
    )


def open_and_show_round(context: Context, tx: Tx, new: Round) -> list[Request]:
    """Put a new round on its table and show it."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return point_to_open_hand(context, tx)
    people.regain_budget(tx, context.chat.id)
    return [messages.show_round(opened, new=opened.message_id is None), *context.answer_press()]


def point_to_open_hand(context: Context, tx: Tx, *, quiet: bool = False) -> list[Request]:
    """Point to the hand that is on the table. `quiet` as in `aside`."""
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if live is None:
        return make_notice(
            context, tx, context.words.translate("That hand is over. /play deals the next."), quiet=quiet
        )
    if not is_in_time(live, context.clock_start):
        return refuse_late_request(context, tx)
    if context.query:
        return context.answer_press(
            context.words.translate_plain("A hand is on the table: {line}", line=live.line)
        )
    text = context.words.translate("This hand is still open:\n{line}\n/skip gives it up.", line=live.line)
    return make_notice(context, tx, text, reply_to=live.message_id, quiet=quiet)


def make_notice(
    context: Context, tx: Tx, text: Html, reply_to: int | None = None, *, quiet: bool = False
) -> list[Request]:
    """Answer a wish that changes nothing. `quiet`: by a mere look where the chat bears no other post now."""
    if context.query:
        return context.answer_press(strip_tags(text))
    if context.message is None:
        return []
    if context.chat.private or context.ephemeral_id or not quiet or people.spend_budget(tx, context.chat.id):
        return [context.reply(text, reply_to=reply_to or context.message.message_id)]
    return react(context, SEEN, reply(context, text))


def make_notice_effect(context: Context, text: Html) -> Effect:
    """The effect of `aside`."""
    return lambda tx: make_notice(context, tx, text)


def react(context: Context, emoji: str, instead: Request | None = None) -> list[Request]:
    """React to the message, or send `instead` where the chat forbids that reaction.

    There is no reaction to an ephemeral message, and to a tap it is a mark on its page.
    """
    if context.board_press_id and context.player is not None:
        return [messages.react_on_board(context.player.id, emoji)]
    sent = None if context.ephemeral_id else context.message
    if sent is None:
        return []
    if reactions.is_reaction_forbidden(context.chat, emoji):
        return [instead] if instead else []
    return [messages.react_to_message(context.chat.id, sent.message_id, emoji, instead)]


def reply(context: Context, text: Html) -> Request:
    """Say it to the message, also in private."""
    return context.reply(text, reply_to=context.message.message_id if context.message else None)


def refuse_old_button(context: Context) -> Effect:
    """When a button was pressed that the bot offers no more, or never did."""
    return send_only(*context.answer_press(context.words.translate_plain("That button is out of date.")))


def refuse_late_request(context: Context, tx: Tx) -> list[Request]:
    """When a hand's time is over, and answers that were sent in time may still be on their way."""
    text = context.words.translate("Time’s up! I only wait for answers that were sent in time.")
    return make_notice(context, tx, text, quiet=True)


def reply_no_open_hand(context: Context, tx: Tx) -> list[Request]:
    """When there is no hand to do something with."""
    if context.query:
        return context.answer_press(context.words.translate_plain("That hand is over."))
    return make_notice(
        context, tx, context.words.translate("No hand is on the table. /play deals one."), quiet=True
    )


async def load_pressed_round(context: Context, *, contest: bool = False) -> Round | None:
    """The round that a button's data names, if it belongs to the chat and message where it was pressed.

    `contest` says which kind of round has such buttons: contests, or those that are on a table.

    Callback data is public: whoever makes it up or presses an old one gets None.
    """
    number = context.button_data.partition(":")[2]
    above = context.query.message.message_id if context.query and context.query.message else 0
    if not (above or context.board_press_id) or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None

    def look(tx: Tx) -> Round | None:
        found = rounds.load_round(tx, int(number))
        if found is None or found.chat_id != context.chat.id or (found.kind is Kind.CONTEST) is not contest:
            return None
        unrecorded = found.message_id is None and context.is_genuine_press
        shown = unrecorded or context.board_press_id or rounds.was_shown_in_message(tx, found, above)
        return found if shown else None

    return await context.services.store.read(look)


def apologize_for_timeout(context: Context) -> Effect:
    """When the solver could not help in time."""
    text = context.words.translate("Sorry, that took too long. Please try again.")
    return send_only(context.reply(text), *context.answer_press())


def _work(game: Game[Any]) -> CommandKind:
    """A deal; a wish where other words stand behind it than those with which a puzzle is found at once."""
    return lambda words: (
        UpdateKind.DEAL
        if set(game.get_quick_words()).issuperset(map(normalize_word, words))
        else UpdateKind.RARE_DEAL
    )


# The games that are dealt on the table.
TABLED = [game for game in GAMES.values() if game.default_kind is not Kind.CONTEST]

ROUTES = Routes(
    commands=[
        *(
            CommandRoute(game.command, make_deal_handler(game), _work(game), game.render_menu_line)
            for game in TABLED
        ),
        *(
            CommandRoute(name, make_deal_handler(game), _work(game))
            for game in TABLED
            for name in game.aliases
        ),
    ],
    buttons=[
        ButtonRoute("n", next_pressed, UpdateKind.DEAL_PRESS),
        ButtonRoute("e", easier_pressed, UpdateKind.DEAL_PRESS),
    ],
    deep_links={"play": deal_default_game},
)
