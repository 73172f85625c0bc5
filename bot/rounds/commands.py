"""Deal hands: /play, the commands of the other games, and the buttons under an ended round.

The replies that other commands share stand at the end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.database import Tx, parse_number
from bot.durations import HOUR, MINUTE
from bot.formats import format_duration
from bot.i18n import Html, RefusalError, Words, strip_tags
from bot.levels import get_easier_level, normalize_word
from bot.players import preferences
from bot.players import queries as people
from bot.players.preferences import Pictures, Preferences
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, chains, secret_answers, topics
from bot.rounds import queries as rounds
from bot.rounds.answer import SCORING_KINDS, load_private_rounds, load_replied_mode_round
from bot.rounds.chains import Chain
from bot.rounds.game import Game, pack_options
from bot.rounds.mode import MODES, find_mode, is_long_over, is_solution_secret
from bot.rounds.puzzle import (
    RUN_KINDS,
    DealtPuzzle,
    Kind,
    Options,
    Puzzle,
    UnknownWordError,
    get_recipe,
    parse_hand_numbers,
)
from bot.rounds.registry import GAMES, render_other_game_command
from bot.rounds.round_end import point_to_next_message
from bot.rounds.rules import Round, State, get_displayed_time_left, is_in_time, is_out_of_sight
from bot.rounds.topics import render_topic_link
from bot.rounds.view import NEXT_BUTTON, make_give_up_rows
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, Response, send_only
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

# Each returns the percentage of people who should find the next hand, where no level was chosen; it gets the
# chat's id, the game's key, and the id of the player who asks (0: anonymous). `bot.features` fills the list
LEVEL_CHOOSERS: list[Callable[[Tx, int, str, int], int]] = []

MAX_DRAWS = 5  # Hands drawn to find one that is not refused
LOOK_UP = "👀"  # Reaction: the hand above says why, or a reply has just said it
SEEN = "👌"  # Reaction: no words are needed


def make_deal_handler(game: Game[Any]) -> Handler:
    """Return the handler of the command that deals the game, or explains an argument that is no option."""

    async def handler(context: Context) -> Effect:
        try:
            options = game.options.parse(context.words, context.argument, game.default_kind)
        except UnknownWordError as error:
            return _explain_unknown_option(context, game, error.fragment)
        return await _deal(context, game, options)

    return handler


def _explain_unknown_option(context: Context, game: Game[Any], fragment: str) -> Effect:
    """Name the command of the game that `fragment` names, else offer to solve a puzzle, else show usage."""
    other_game = render_other_game_command(context.words, fragment, game)
    if other_game is not None:
        return make_notice_effect(context, other_game)
    typed, private = game.typed_puzzles, context.chat.private
    offer = typed.render_offer(context.words, context.argument, private=private) if typed else None
    if offer is None:
        usage = game.options.render_usage(context.words, game.command, fragment)
        return make_notice_effect(context, usage)
    text, keyboard = offer
    return send_only(context.reply(text, keyboard=keyboard))


async def deal_default_game(context: Context) -> Effect:
    return await make_deal_handler(GAMES.default)(context)


async def press_next(context: Context) -> Effect:
    """Deal the next hand, with the options of the one above unless it was a tutorial, chosen or practised."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.state is State.OPEN or context.player is None:
        return refuse_old_button(context)
    return await _deal_after(context, pressed)


async def _deal_after(context: Context, over: Round) -> Effect:
    game = GAMES[over.game]
    if over.kind not in SCORING_KINDS:
        return await _deal(context, game, Options(kind=game.default_kind))
    return await _deal(context, game, game.options.unpack(over.options, over.kind))


async def deal_next(context: Context) -> Effect:
    """Deal a hand like the last one here; with options, and without a last one, as /play."""
    place = context.chat.id, context.topic
    latest = await context.services.store.read(lambda tx: rounds.load_latest_round(tx, *place))
    if latest is None or context.argument:
        return await deal_default_game(context)
    return await _deal_after(context, latest)


async def press_easier(context: Context) -> Effect:
    """Handle the button under an expired round: deal a hand of the same sort, one level easier.

    The hands after it have the options of the expired one again.
    """
    pressed = await load_pressed_round(context)
    if pressed is None or context.player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    level = get_easier_level(pressed.level)
    if pressed.state is not State.EXPIRED or level is None:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    kind = pressed.kind.next_kind
    similar = game.options.find_similar(pressed.puzzle, kind)
    kept = game.options.unpack(pressed.options, kind)
    return await _deal(context, game, replace(similar, level=level), kept)


async def _deal(context: Context, game: Game[Any], options: Options, kept: Options | None = None) -> Effect:
    """Draw a hand and return the effect that deals it, or the effect that points to an open hand.

    `kept` are the options of the hands after it; by default those of this one.
    """
    refusal = await load_deal_refusal(context)
    if refusal is not None:
        return refusal
    (dealt,) = await deal_puzzles(context, game, options)
    new = make_round(context, game, dealt, kept or options, get_round_seconds(context, game))
    return lambda tx: open_and_show_round(context, tx, new)


def get_round_seconds(context: Context, game: Game[Any]) -> float:
    """Return the time limit of the game's rounds in this chat."""
    limit = game.entries.get_time_limit(context.chat.settings) if game.entries else None
    return preferences.read_preferences(context.chat).seconds if limit is None else limit


async def load_deal_refusal(context: Context, *, by_member: bool = False) -> Effect | None:
    """Return the effect that refuses a deal to a member or points to an open hand; None without either.

    `by_member`: members may deal here even if only admins begin. Raises RefusalError if a preference forbids
    a deal.
    """
    refusal = None if by_member else await load_member_refusal(context)
    if refusal is not None:
        return refusal
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, context.chat.id, context.topic)
    )
    if live is not None:
        return lambda tx: refuse_second_deal(context, tx)
    await refuse_forbidden_deal(context)
    return None


async def load_member_refusal(context: Context) -> Effect | None:
    """Return the effect that refuses a deal to a member where only admins deal; None where the sender may."""
    if not preferences.read_preferences(context.chat).admins_deal or await context.is_admin():
        return None
    if context.is_press:
        text = context.words.translate_plain("Only admins deal here: wait for one of them.")
        return send_only(*context.answer_press(text, alert=True))
    return lambda tx: _refuse_member(context, tx)


ADMINS_DEAL_TOLD_KEY = "admins_deal_told"  # A setting: when the group was last told that only admins deal


def _refuse_member(context: Context, tx: Tx) -> Sequence[Response]:
    """Say that only admins deal: in a note or in private, else in one post an hour; then only react."""
    now = int(context.sent_at)
    settings = people.load_group(tx, context.chat.id).settings
    was_told = settings.get_number(ADMINS_DEAL_TOLD_KEY, range(now - int(HOUR), now + 1)) is not None
    if was_told and not context.is_hidden and _find_noted_round(context, tx) is None:
        return context.react(LOOK_UP)
    people.store_setting(tx, context.chat.id, ADMINS_DEAL_TOLD_KEY, now)
    return make_notice(context, tx, context.words.translate("Only admins deal here: wait for one of them."))


async def refuse_forbidden_deal(context: Context) -> None:
    """Raise RefusalError if a deal is forbidden: wrong topic, quiet hours, too many an hour."""
    chosen = preferences.read_preferences(context.chat)
    is_wrong_topic = preferences.is_wrong_topic(chosen, context.topic)
    if is_wrong_topic and not await topics.leave_topic_if_deleted(context, chosen):
        link = render_topic_link(context.words, context.chat.id, chosen)
        raise RefusalError(
            lambda words: words.translate("This group plays in {topic}: see you there!", topic=link)
        )
    quiet_end = preferences.get_quiet_end(chosen, context.sent_at)
    if quiet_end is not None:
        clock = f"{datetime.fromtimestamp(quiet_end, chosen.zone):%H:%M}"
        raise RefusalError(
            lambda words: words.translate("Quiet hours here until {clock}. See you then!", clock=clock)
        )
    recent = await load_recent_deal_times(context, chosen)
    next_time = preferences.get_next_round_time(chosen, recent, context.sent_at)
    if next_time is not None:
        wait = max(MINUTE, round((next_time - context.sent_at) / MINUTE) * MINUTE)  # In whole minutes
        raise RefusalError(
            lambda words: words.translate(
                "That was plenty for one hour. The next hand in {time}.", time=format_duration(words, wait)
            )
        )


async def load_recent_deal_times(context: Context, chosen: Preferences) -> list[float]:
    """Return the last hour's deal times, and now for each coming hand of a race; empty without a limit."""
    limit = chosen.rounds_an_hour
    if limit is None:
        return []
    chat_id = context.chat.id

    def load(tx: Tx) -> list[float]:
        dealt = rounds.load_opening_times(tx, chat_id, context.sent_at - HOUR, limit)
        coming = sum(mode.count_hands_to_come(tx, chat_id) for mode in MODES)
        return dealt + [context.sent_at] * coming

    return await context.services.store.read(load)


async def count_rounds_left(context: Context) -> int | None:
    """Count the hands that may still be dealt here within the hour; None for no limit."""
    chosen = preferences.read_preferences(context.chat)
    recent = await load_recent_deal_times(context, chosen)
    return preferences.count_rounds_left(chosen, recent, context.sent_at)


async def deal_puzzles(
    context: Context, game: Game[Any], options: Options | Sequence[Options], count: int = 1
) -> list[DealtPuzzle]:
    """Return `count` different puzzles that are no daily hands, as far as possible; prefetch their pictures.

    A sequence of options has those of each puzzle.

    All are dealt from the next link of the chat's chain, and from the message that asks for them.
    Raises DealError if no puzzle meets the options, SolvingError if it takes too long.
    """
    if isinstance(options, Options):
        options = [await _follow_players(context, game, options)] * count
    chain = await _load_chain(context, game)
    origin = replace(chain.make_origin(await _find_asking_message(context)), ordinal=0)
    link = await asyncio.to_thread(chain.compute_link, origin.link)

    async def draw(wish: Options) -> Puzzle:
        nonlocal origin
        origin = replace(origin, ordinal=origin.ordinal + 1)
        seed = chain.derive_seed(link, origin)
        puzzle: Puzzle = await game.deal(context.services.solver_pool, context.chat.settings, wish, seed)
        return puzzle

    dealt: list[DealtPuzzle] = []

    def is_refused(tx: Tx, numbers: tuple[int, ...]) -> bool:
        is_repeated = any(parse_hand_numbers(each.puzzle.line) == numbers for each in dealt)
        return is_repeated or is_solution_secret(tx, None, numbers, now=context.sent_at)

    for wish in options:
        puzzle = await draw_puzzle(context, partial(draw, wish), is_refused)
        if wish.kind not in RUN_KINDS:  # which show no pictures
            prefetch_picture(context, game, puzzle)
        dealt.append(DealtPuzzle(puzzle, origin if get_recipe(puzzle) else None))
    return dealt


async def _follow_players(context: Context, game: Game[Any], options: Options) -> Options:
    """Return the options; if neither they nor the chat choose a level, with one that follows the players."""
    level = options.level or preferences.read_preferences(context.chat).level
    if level or options.kind is not Kind.FIRST or not game.options.takes_levels:
        return options
    asker_id = context.player.id if context.player else 0

    def choose(tx: Tx) -> Options:
        chosen = options
        for choose_solved in LEVEL_CHOOSERS:
            chosen = replace(chosen, solved=choose_solved(tx, context.chat.id, game.key, asker_id))
        return chosen

    return await context.services.store.read(choose)


async def _load_chain(context: Context, game: Game[Any]) -> Chain:
    """Return the chain of the chat and game, which is made at the first deal."""
    store, place = context.services.store, (context.chat.id, game.key)
    chain = await store.read(lambda tx: chains.load_chain(tx, *place))
    if chain is not None:
        return chain
    return await store.write(lambda tx: chains.load_or_insert_chain(tx, *place))


async def _find_asking_message(context: Context) -> int:
    """Return the message that asks for a deal or has the pressed button; on a page the last round's."""
    if context.message_id:
        return context.message_id
    place = context.chat.id, context.topic
    shown = await context.services.store.read(lambda tx: rounds.load_latest_round(tx, *place))
    return (shown.message_id if shown else None) or 0


async def draw_puzzle(
    context: Context, draw: Callable[[], Awaitable[Puzzle]], is_refused: Callable[..., object]
) -> Puzzle:
    """Draw up to `MAX_DRAWS` puzzles until one is not refused, and return the last one drawn, refused or not.

    `is_refused` gets a transaction and the puzzle's `numbers`.
    """
    for _ in range(MAX_DRAWS):
        puzzle = await draw()
        check_numbers = partial(is_refused, numbers=parse_hand_numbers(puzzle.line))
        if not await context.services.store.read(check_numbers):
            break
    return puzzle


def prefetch_picture(context: Context, game: Game[Any], puzzle: Puzzle) -> None:
    """Start to draw the picture of a deal if the chat shows pictures."""
    picture = game.pictures.make_deal_picture(puzzle)
    if picture and preferences.read_preferences(context.chat).pictures is not Pictures.OFF:
        context.services.prefetch_picture(context.chat.id, picture, context.words.language)


def make_round(
    context: Context, game: Game[Any], dealt: DealtPuzzle, options: Options, limit: float | None
) -> Round:
    """Make an open round for the chat, topic and player; its `limit` is in seconds, None for no clock."""
    message = context.message
    # Outside topics a thread holds the comments on a post; the deal belongs there too.
    is_comment = message and message.thread_id and not context.topic
    return Round(
        id=0,  # until it is stored
        chat_id=context.chat.id,
        topic=context.topic,
        kind=options.kind,
        game=game.key,
        puzzle=dealt.puzzle,
        origin=dealt.origin,
        options=pack_options(options),
        dealer_id=context.player.id if context.player else 0,  # 0: anonymous
        language=context.words.language,
        opened=context.sent_at,
        deadline=None if limit is None else context.sent_at + limit,
        asked_id=(context.message_id or None) if is_comment else None,
    )


def open_and_show_round(context: Context, tx: Tx, new: Round) -> Sequence[Response]:
    """Store a new round, raise the chat's budget for posts, show the round; or only point to an open one."""
    opened = rounds.open_round(tx, new)
    if opened is None:
        return refuse_second_deal(context, tx)
    people.regain_post_budget(tx, context.chat.id)
    return [messages.show_round(opened.chat_id, opened.id, new=True), *context.answer_press()]


FRESH_SECONDS = 10.0  # After a deal, in which several people ask for the same hand


def refuse_second_deal(context: Context, tx: Tx) -> Sequence[Response]:
    """Point to the open hand; a group's fresh one needs no words while it is in sight."""
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    is_public = not (context.is_press or context.chat.private or context.is_hidden)
    is_fresh = live is not None and context.sent_at < live.opened + FRESH_SECONDS
    if live and is_fresh and is_public and not is_out_of_sight(live.message_id, context.message_id):
        return context.react(SEEN)
    return point_to_open_hand(context, tx)


def point_to_open_hand(context: Context, tx: Tx) -> Sequence[Response]:
    """Say that a hand is open here, and show it below if it is out of sight; or that its time is up.

    In private the reply has the buttons to give the hand up.
    """
    words = context.words
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if live is None:
        return make_notice(context, tx, _render_none_open(context, words.translate("That hand is over.")))
    if not is_in_time(live, context.clock_start):
        return refuse_late_request(context, tx)
    progress = _describe_progress(context, tx, live)
    if context.is_press:
        on_table = words.translate("A hand is on the table: {line}", line=live.line)
        return context.answer_press(strip_tags(progress or on_table))
    if not context.chat.private and is_out_of_sight(live.message_id, context.message_id):
        shown_below = _show_below(tx, live)
        if shown_below:
            return shown_below
    is_single = live.race_id is None and live.kind not in RUN_KINDS
    if context.chat.private and is_single and not context.submission:
        text = progress or words.translate("This hand is still open.")
        return [context.reply(text, reply_to=live.message_id, keyboard=make_give_up_rows(live, words))]
    text = progress or words.translate("This hand is still open.")
    return make_notice(context, tx, text, reply_to=live.message_id)


def _describe_progress(context: Context, tx: Tx, live: Round) -> Html | None:
    """Say how far the race of the open hand is, or how long a hand runs that ends by the clock; else None."""
    player_id = context.player.id if context.player else 0  # 0 is nobody
    progress = find_mode(live).describe_progress(tx, live, player_id, context.words)
    left = get_displayed_time_left(live.deadline, context.clock_start)
    if progress is not None or live.kind is not Kind.BEST or left is None:
        return progress
    time = format_duration(context.words, left)
    return context.words.translate("Still running, {time} left.", time=time)


def _show_below(tx: Tx, live: Round) -> list[Response]:
    """Show an open hand in a new message, to which its former one points; [] if that was done too often."""
    pointer = point_to_next_message(tx, live)
    if not rounds.record_lost_message(tx, live.chat_id, live.message_id or 0, clock_only=False):
        return []
    return [pointer, messages.show_round(live.chat_id, live.id, new=True)]


def make_notice(
    context: Context, tx: Tx, text: Html, reply_to: int | None = None, *, emoji: str = LOOK_UP
) -> list[Response]:
    """Say why something is refused: in an alert to a press, in private in a reply, in a group in a note.

    The note stands below the hand that is open or has just ended. Where that is out of sight, or there is
    none, reply to the message or to `reply_to`, as long as the budget for posts lasts. Then only the note is
    left, or nothing.
    """
    if context.is_press or context.chat.private or context.is_hidden:
        return context.notify(text, reply_to)
    noted = _find_noted_round(context, tx)
    if noted is not None and not is_out_of_sight(noted.message_id, context.message_id):
        return write_note(context, tx, noted, emoji, text)
    if people.spend_budget(tx, context.chat.id):
        return context.notify(text, reply_to)
    return write_note(context, tx, noted, emoji, text) if noted else []


def _find_noted_round(context: Context, tx: Tx) -> Round | None:
    """Return the hand here that is open or has just ended; None if it is not shown or nobody can be named."""
    place = context.chat.id, context.topic
    found = rounds.load_open_round(tx, *place) or rounds.load_latest_round(tx, *place)
    if found is None or found.message_id is None or context.player is None:
        return None
    return None if is_long_over(found, context.sent_at) else found


def load_just_ended_round(context: Context, tx: Tx) -> Round | None:
    """Return the hand here that was dealt last if it is over, but not for long; else None."""
    latest = rounds.load_latest_round(tx, context.chat.id, context.topic)
    if latest is None or latest.state is State.OPEN or is_long_over(latest, context.sent_at):
        return None
    return latest


def write_note(context: Context, tx: Tx, round: Round, emoji: str, text: Html) -> list[Response]:
    """Show the emoji, the sender's name and the text below the hand, in a race below its last one.

    The reaction to the message only points there: it is never given without a note.
    """
    player_id = context.player.id if context.player else 0
    shown_rounds = find_mode(round).load_frame(tx, round).shown_rounds or [round]
    attempts.set_note(tx, shown_rounds[-1].id, player_id, f"{emoji} {text.rstrip('.。')}")
    return [*context.react(emoji), messages.show_round(round.chat_id, round.id)]


def make_notice_effect(context: Context, text: Html) -> Effect:
    return send_only(*context.notify(text))


def reply(context: Context, text: Html) -> Response:
    """Reply to the message itself, also in private."""
    return context.reply(text, reply_to=context.message_id or None)


def refuse_old_button(context: Context) -> Effect:
    """Answer the press of a button that is out of date or forged."""
    return send_only(*context.answer_press(context.words.translate_plain("That button is out of date.")))


def refuse_late_request(context: Context, tx: Tx) -> list[Response]:
    """Say that the hand's time is up, while answers sent in time may still arrive."""
    text = context.words.translate("Time’s up! I only wait for answers that were sent in time.")
    return make_notice(context, tx, text)


def reply_no_open_hand(context: Context, tx: Tx) -> list[Response]:
    """Say that no hand is open here, or to a press that the hand is over."""
    if context.is_press:
        return context.answer_press(context.words.translate_plain("That hand is over."))
    text = _render_none_open(context, context.words.translate("No hand is on the table."))
    return make_notice(context, tx, text)


def _render_none_open(context: Context, sentence: Html) -> Html:
    admins_deal = preferences.read_preferences(context.chat).admins_deal
    return Html(f"{sentence} {explain_deal(context.words, admins_deal=admins_deal)}")


def explain_deal(words: Words, *, admins_deal: bool, game: str = "") -> Html:
    """Say who deals a hand of the game, by default the default one, and by which command."""
    command = GAMES[game].command if game else GAMES.default.command
    if admins_deal:
        return words.translate("An admin deals with /{command}.", command=command)
    if command == GAMES.default.command:
        return words.translate("/play deals a hand.")
    return words.translate("/{command} begins a game.", command=command)


def explain_no_open_hand(context: Context, tx: Tx, meant: Round | None = None) -> list[Response]:
    """Say that no hand is open here, that its time is up, or that it is open in the group of a linked round.

    `meant` is the round that the player meant: its mode may say why that takes nothing more.
    """
    if meant is not None and meant.state is State.OPEN:
        return refuse_late_request(context, tx)
    explanation = find_mode(meant).explain_end(meant, context.words) if meant else None
    if explanation is not None:
        return make_notice(context, tx, explanation)
    if context.chat.private and not context.is_press and context.player is not None:
        linked = secret_answers.load_linked_rounds(tx, context.player.id)
        if any(is_in_time(round, context.sent_at) for round in linked):
            text = context.words.translate(
                "The hand that you answer here is on its group’s table: hints and giving up are there."
            )
            return [reply(context, text)]
    return reply_no_open_hand(context, tx)


def find_meant_round(context: Context, tx: Tx) -> Round | None:
    """Return the open hand that a command is about; None if none is open.

    In private that is the daily one that the command replies to, else the one that was opened last.
    """
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if not context.chat.private or context.player is None:
        return live
    player_id, now = context.player.id, context.sent_at
    replied = load_replied_mode_round(tx, player_id, context.replied_bot_message, now)
    unfinished = [round for round in load_private_rounds(tx, player_id, now) if round.state is State.OPEN]
    open_rounds = [live, *unfinished] if live else unfinished
    return replied or max(open_rounds, key=lambda round: round.opened, default=None)


async def load_pressed_round(context: Context, *, contest: bool = False) -> Round | None:
    """Return the round of a pressed button; None if it does not belong to the chat and message of the press.

    With `contest` it must be a contest, else it must be none. Callback data can be forged.
    """
    round_id = parse_number(context.button_argument)
    if not context.is_press or round_id is None:
        return None

    def load(tx: Tx) -> Round | None:
        round = rounds.load_round(tx, round_id)
        if round is None or round.chat_id != context.chat.id:
            return None
        is_contest = round.kind is Kind.CONTEST
        if is_contest != contest:
            return None
        if context.is_genuine_press:  # also where the message of its deal is not recorded yet
            return round
        return round if rounds.was_shown_in_message(tx, round, context.message_id) else None

    return await context.services.store.read(load)


def _choose_kind(game: Game[Any], words: Sequence[str]) -> UpdateKind:
    """Return the kind of a deal: a word that needs a long search makes it a rare one."""
    quick_words = game.options.get_quick_words()
    is_quick = all(normalize_word(word) in quick_words for word in words)
    return UpdateKind.DEAL if is_quick else UpdateKind.RARE_DEAL


def make_command_routes(
    game: Game[Any], handler: Handler, choose_kind: Callable[[Sequence[str]], UpdateKind]
) -> list[CommandRoute]:
    """Return the routes of the game's command and its aliases, which are in no menu."""
    command = CommandRoute(game.command, handler, choose_kind, game.render_menu_line)
    aliases = [replace(command, name=alias, menu=None, alias_of=game.command) for alias in game.aliases]
    return [command, *aliases]


def make_routes(games: Iterable[Game[Any]]) -> Routes:
    """Return the commands that deal these games; contests have their own."""
    commands = list[CommandRoute]()
    for game in games:
        if game.default_kind is not Kind.CONTEST:
            commands += make_command_routes(game, make_deal_handler(game), partial(_choose_kind, game))
    return Routes(commands=commands)


ROUTES = Routes(
    commands=[CommandRoute("next", deal_next, lambda words: _choose_kind(GAMES.default, words))],
    buttons=[
        ButtonRoute(NEXT_BUTTON, press_next, UpdateKind.DEAL_PRESS),
        ButtonRoute("e", press_easier, UpdateKind.DEAL_PRESS),
    ],
    deep_links={"play": deal_default_game},
)
