"""Play the daily hand: open it with `/daily`, judge answers, show hints, give up, and make its pictures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from telegram import Message

from bot.admin.settings.pictures import attach_picture
from bot.admin.settings.post_hours import read_reminder_minute
from bot.admin.settings.preferences import Pictures, read_preferences
from bot.database import Tx
from bot.i18n import Html, get_words, strip_tags
from bot.modes.daily import group_tables, queries, rules, view
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand
from bot.queue.admission import UpdateKind
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import commands as play
from bot.rounds import secrecy
from bot.rounds.game import Game
from bot.rounds.puzzle import LEVELS, DealError, Options, VerdictKind, parse_hand_numbers
from bot.rounds.registry import DAILY_GAMES, DEFAULT_GAME, GAMES, find_game_by_name
from bot.standings.achievements import queries as achievements
from bot.standings.achievements.rules import Feat
from bot.standings.ratings import updates as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import NO_PICTURE, Keyboard, Request, edit_message
from bot.telegram.photo_messages import UNKNOWN_CONTENT, DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes
from bot.workers.pool import SolvingError

# Kinds of receipts: of a hand that starts its clock on delivery, and of a hand that was shown before
HAND_RECEIPT, REPEAT_RECEIPT = "hand", "again"
HAND_PICTURE, RESULT_PICTURE = "daily hand", "daily result"  # Kinds of pictures
SOLVED_REACTION, WRONG_REACTION = "🏆", "👎"

StartedHand = tuple[DailyHand, Attempt]


async def show_daily(context: Context) -> Effect:
    """Open today's hand in private; in a group post its table of today. Refuse an unknown game's name."""
    name = context.argument.strip()
    game = find_game_by_name(name) if name else DEFAULT_GAME
    for daily_name, daily_game in DAILY_GAMES.items():
        if daily_game is game:
            return await open_todays_hand(context, daily_name)
    return play.make_notice_effect(context, view.render_usage(context.words, context.argument))


async def open_todays_hand(context: Context, game: str) -> Effect:
    """Open today's hand of a game in private; in a group post its table of today."""
    if context.chat.private:
        return await _open_hand(context, game)
    return lambda tx: group_tables.post_table(context, tx, game)


def _make_link_handler(game: str) -> Handler:
    """Make the handler of a table's deep link: open the hand, and list members of the group in its table."""

    async def open_from_link(context: Context) -> Effect:
        """Open the hand; list the player if the payload is genuine. In a group post its own table."""
        if not context.chat.private:
            return await open_todays_hand(context, game)
        group_id = group_tables.get_group_links(context).read_payload(context.argument)
        player = context.player
        if group_id is None or player is None or not await context.is_member(group_id, player.id):
            return await _open_hand(context, game)
        return await _open_hand(context, game, group_id=group_id)

    return open_from_link


async def press_open_hand(context: Context) -> Effect:
    """Open today's hand of a game; the button is under a reminder or a result in another game."""
    game = context.button_argument
    if game not in DAILY_GAMES or not context.chat.private or not context.is_genuine_press:
        return play.refuse_old_button(context)
    return await _open_hand(context, game)


async def _open_hand(context: Context, game: str, group_id: int | None = None) -> Effect:
    """Deal today's hand if needed, open an attempt, list it in the group's table, and show hand or result."""
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    stored = await context.services.store.read(lambda tx: queries.load_hand(tx, day))
    try:
        dealt = stored or await _deal_hand(context, day, DAILY_GAMES[game])
    except (SolvingError, DealError):
        return play.apologize_for_timeout(context)

    def effect(tx: Tx) -> list[Request]:
        """Open the attempt and show it; do nothing for a sender without an account."""
        if context.player is None:
            return []
        hand = queries.insert_hand(tx, dealt)  # Another update may have stored it meanwhile
        attempt = queries.open_attempt(tx, day, context.player.id, context.sent_at)
        if group_id is not None:
            queries.add_to_table(tx, day, group_id, context.player.id)
        message = _make_attempt_message(context, tx, hand, attempt)
        return [message, *context.answer_press(), *group_tables.redraw_tables(context, tx, attempt)]

    return effect


async def _deal_hand(context: Context, day: str, game: Game[Any]) -> DailyHand:
    """Deal the hand that the day and the secret key determine. Raises SolvingError or DealError."""
    secret_key = await context.services.store.write(queries.load_or_create_key)
    seed = rules.derive_seed(day, secret_key)
    options = game.get_daily_options(rules.get_day_level(day)) or Options()
    # No chat's settings, since the hand is the same for all
    puzzle = await game.deal(context.services.solver_pool, settings={}, options=options, seed=seed)
    return DailyHand(day, game.key, puzzle)


def _make_attempt_message(context: Context, tx: Tx, hand: DailyHand, attempt: Attempt) -> Request:
    """Make the message with the open hand or the result; refuse a solution while an open round hides it."""
    if not attempt.is_over:
        return _make_hand_message(context, hand, attempt, is_first=attempt.shown_at is None)
    if attempt.state is AttemptState.OPEN:  # solved offline
        return context.reply(view.render_offline_hand(context.words, hand, attempt))
    if attempt.state is AttemptState.GIVEN_UP:
        refusal = _record_solution_unless_secret(context, tx, hand)
        if refusal:
            return refusal[0]
        return context.reply(view.render_given_up(context.words, hand))
    offers_reminder = read_reminder_minute(read_preferences(context.chat)) is None
    text, keyboard = render_attempt_result(context, tx, hand, attempt, offers_reminder=offers_reminder)
    request = context.reply(text, keyboard=keyboard)
    return attach_picture(context, request, RESULT_PICTURE, day=hand.day, player=attempt.player_id)


def _make_hand_message(context: Context, hand: DailyHand, attempt: Attempt, *, is_first: bool) -> Request:
    """Make a message with the open hand; delivering the first one starts the attempt's clock."""
    text, keyboard = _render_hand(context, hand, attempt)
    receipt = HAND_RECEIPT if is_first else REPEAT_RECEIPT
    about = f"{receipt}:{hand.day}:{attempt.player_id}"
    request = context.reply(text, keyboard=keyboard, about=about, timed=is_first)
    return attach_picture(context, request, HAND_PICTURE, required=Pictures.CARDS, day=hand.day)


def _render_hand(context: Context, hand: DailyHand, attempt: Attempt) -> tuple[Html, Keyboard]:
    return view.render_hand(context.words, hand, attempt, offers_hints=read_preferences(context.chat).hints)


def render_attempt_result(
    context: Context, tx: Tx, hand: DailyHand, attempt: Attempt, *, offers_reminder: bool
) -> tuple[Html, Keyboard]:
    """Render the result of a solved attempt with its streak and achievements."""
    return view.render_result(
        context.words,
        hand,
        attempt,
        queries.load_streak(tx, attempt.player_id, attempt.day),
        str(context.services.me.username),
        achievements.load_daily_achievements(tx, attempt.day, attempt.player_id),
        offers_reminder=offers_reminder,
        # Only then is the result a picture
        covers_answer=read_preferences(context.chat).pictures is Pictures.ALL,
    )


def _start_clock(tx: Tx, about: str, now: float) -> bool:
    """Start the clock of the hand that is about to be sent; False if it was started before."""
    _, day, player_id = about.split(":")
    return queries.start_clock_before_sending(tx, day, int(player_id), now)


def _record_delivery(tx: Tx, request: DeliveredRequest) -> None:
    """Store which message shows a hand; set the clock of a first one, or clear it if it did not arrive."""
    receipt, day, player_id = request.about.split(":")
    if receipt == HAND_RECEIPT:
        shown_at = request.delivered_at if request.has_arrived else None
        queries.update_clock(tx, day, int(player_id), shown_at)
    if request.has_arrived:
        photo = request.result.get("content", "")
        queries.update_hand_message(tx, day, int(player_id), request.result["message_id"], photo)


def _load_hand_picture(tx: Tx, params: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """Load a day's hand and make its picture; None without such a hand or if its game draws none."""
    hand = queries.load_hand(tx, params["day"])
    picture = GAMES[hand.game].make_deal_picture(hand.puzzle) if hand else None
    return DescribedPicture(picture) if picture else None


def _load_result_picture(tx: Tx, params: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """Load a player's attempt and make its picture; None without that hand or attempt."""
    hand = queries.load_hand(tx, params["day"])
    attempt = queries.load_attempt(tx, params["day"], params["player"])
    if hand is None or attempt is None:
        return None
    words = get_words(params["language"])
    streak = queries.load_streak(tx, attempt.player_id, attempt.day)
    description = []
    if attempt.wrong_answers:
        wrong = words.translate_plural("{n} wrong answer", "{n} wrong answers", attempt.wrong_answers)
        description.append(wrong)
    return DescribedPicture(view.make_result_picture(words, hand, attempt, streak), description)


def load_unfinished_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """Load the daily hands that the player can still solve in this private chat, the latest first."""
    return [(hand, attempt) for hand, attempt in load_started_hands(context, tx) if not attempt.is_over]


def load_started_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """Load the unfinished daily hands and those solved offline; an empty list outside private chats."""
    if not context.chat.private or context.player is None:
        return []
    return queries.load_open_attempts(tx, context.player.id, context.sent_at)


def is_answer_to(hand: DailyHand, text: str) -> bool:
    """Whether the text is an expression over the hand's numbers, right or wrong."""
    return GAMES[hand.game].check_daily(hand.puzzle, text).kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def load_replied_hand(context: Context, tx: Tx) -> DailyHand | None:
    """Load the hand whose message or result this message replies to; None outside private chats."""
    replied = context.replied_bot_message
    if replied is None or not context.chat.private:
        return None
    day = view.parse_day_in_title(replied.text or replied.caption or "")
    return queries.load_hand(tx, day) if day else None


def judge_reply(context: Context, tx: Tx) -> list[Request] | None:
    """Judge a reply to a daily hand, ignoring talk; None if the message replies to something else."""
    hand = load_replied_hand(context, tx)
    if hand is None or context.player is None:
        return None
    if GAMES[hand.game].check_daily(hand.puzzle, context.argument).kind is VerdictKind.TALK:
        return []
    return _judge_if_open(context, tx, hand, context.player.id)


def judge_board_answer(context: Context, tx: Tx) -> list[Request] | None:
    """Judge a board's answer to a daily hand, ignoring a missing hand; None if it is for something else."""
    if not context.board_day or context.player is None:
        return None
    hand = queries.load_hand(tx, context.board_day)
    if hand is None:
        return []
    return _judge_if_open(context, tx, hand, context.player.id)


def _judge_if_open(context: Context, tx: Tx, hand: DailyHand, player_id: int) -> list[Request]:
    """Judge the message as an answer; reply why not if the attempt is over or was never opened."""
    attempt = queries.load_attempt(tx, hand.day, player_id)
    if attempt is None or not rules.is_attempt_open(attempt, context.sent_at):
        return [play.reply(context, view.render_too_late(context.words, attempt))]
    return judge_answer(context, tx, (hand, attempt))


def judge_answer(context: Context, tx: Tx, started: StartedHand) -> list[Request]:
    """Judge an answer, count it if wrong or finish the attempt, and reply. Ignore talk that is no command."""
    hand, attempt = started
    verdict = GAMES[hand.game].check_daily(hand.puzzle, context.argument)
    is_command = bool(context.message and (context.message.text or "").startswith("/"))  # Such as /a
    if context.player is None or (verdict.kind is VerdictKind.TALK and not is_command):
        return []
    if attempt.offline_answer:
        return [play.reply(context, view.render_too_late(context.words, attempt))]
    # A player who was forgotten meanwhile has the attempt under an alias
    queries.restore_attempts_from_alias(tx, context.player.id)
    attempt = replace(attempt, player_id=context.player.id)
    if verdict.kind is VerdictKind.RIGHT:
        return _finish_solved(context, tx, hand, attempt, verdict.answer)
    if verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS):
        queries.update_open_attempt(tx, replace(attempt, wrong_answers=attempt.wrong_answers + 1))
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    return [*play.react(context, WRONG_REACTION), play.reply(context, reason)]


def _finish_solved(context: Context, tx: Tx, hand: DailyHand, attempt: Attempt, answer: str) -> list[Request]:
    """Store a solved attempt, its rating and achievements; show the result. Do nothing if it has ended."""
    attempt = replace(attempt, state=AttemptState.SOLVED, closed=context.sent_at, answer=answer)
    if not queries.update_open_attempt(tx, attempt):
        return []
    ratings.rate_daily_attempt(tx, hand, attempt)
    streak = queries.load_streak(tx, attempt.player_id, attempt.day)
    if hand.game == DEFAULT_GAME.key:
        _insert_achievements(context, tx, hand, attempt, streak)
    requests = play.react(context, SOLVED_REACTION)
    if context.board_press_id:  # the board shows two lines; the whole result is posted in the chat
        lines = view.render_time_and_streak(context.words, attempt, streak)
        requests.append(context.reply(Html("\n".join(lines))))
    requests.append(_make_attempt_message(context, tx, hand, attempt))
    return [*requests, *group_tables.redraw_tables(context, tx, attempt)]


def _insert_achievements(context: Context, tx: Tx, hand: DailyHand, attempt: Attempt, streak: int) -> None:
    """Store the achievements that the solved attempt earns."""
    feat = Feat(
        is_fiendish=hand.puzzle.level == LEVELS[-1],
        seconds=attempt.seconds,
        wrong_answers=attempt.wrong_answers,
        hour=achievements.load_local_hour(tx, context.chat.id, context.sent_at),
        daily_streak=streak,
    )
    achievements.insert_daily_achievements(tx, attempt.player_id, attempt.day, feat, context.sent_at)


async def give_up_hand(context: Context) -> Effect:
    """Give the attempt up and show the solutions in the hand's message; the button is under the hand."""
    player = context.player
    message = context.message
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return play.refuse_old_button(context)
    day = context.button_argument
    return lambda tx: _give_up_if_open(context, tx, day, player.id, message.message_id)


def _give_up_if_open(context: Context, tx: Tx, day: str, player_id: int, message_id: int) -> list[Request]:
    """Give an open attempt up, rate it, and show solutions in its message; refuse while they are secret."""
    hand = queries.load_hand(tx, day)
    attempt = queries.load_attempt(tx, day, player_id)
    if hand is None or attempt is None or attempt.state is not AttemptState.OPEN:
        return play.refuse_old_button(context)(tx)

    def replace_hand(text: Html) -> Request:
        """Replace the text of the hand's message, and its buttons and picture by nothing."""
        return attach_picture(context, edit_message(context.chat.id, message_id, text), NO_PICTURE)

    if attempt.offline_answer:
        alert = strip_tags(view.render_too_late(context.words, attempt))
        offline = view.render_offline_hand(context.words, hand, attempt)
        return [replace_hand(offline), *context.answer_press(alert)]
    refusal = _record_solution_unless_secret(context, tx, hand)
    if refusal:
        return refusal
    given_up = replace(attempt, state=AttemptState.GIVEN_UP, closed=context.sent_at)
    if queries.update_open_attempt(tx, given_up):
        ratings.rate_daily_attempt(tx, hand, given_up)
    edits = group_tables.redraw_tables(context, tx, given_up)
    return [replace_hand(view.render_given_up(context.words, hand)), *context.answer_press(), *edits]


def _record_solution_unless_secret(context: Context, tx: Tx, hand: DailyHand) -> list[Request]:
    """Record that the player is shown the solution; if an open round keeps it secret, return the refusal."""
    numbers = parse_hand_numbers(hand.puzzle.line)
    refusal = secrecy.refuse_open_hand(context, tx, numbers)
    if refusal is not None:
        return refusal
    if context.player is not None:
        secrecy.record_solution_shown(tx, context.player.id, numbers, context.sent_at)
    return []


def show_hint(context: Context, tx: Tx, *, use_latest: bool) -> list[Request] | None:
    """Show a hint for the daily hand that `/hint` replies to, or say that it is over; None for no such reply.

    With `use_latest`, a `/hint` without such a reply is for the player's latest unfinished hand.
    """
    replied = load_replied_hand(context, tx)
    unfinished = load_unfinished_hands(context, tx)
    if replied is None:
        if not use_latest or not unfinished:
            return None
        latest_hand, latest_attempt = unfinished[0]
        return _show_next_hint(context, tx, latest_hand, latest_attempt, message=None)
    for hand, attempt in unfinished:
        if hand.day == replied.day:
            return _show_next_hint(context, tx, hand, attempt, context.replied_bot_message)
    over = queries.load_attempt(tx, replied.day, context.player.id) if context.player else None
    return play.make_notice(context, tx, view.render_too_late(context.words, over))


async def show_hint_pressed(context: Context) -> Effect:
    """Show a hint in the hand's message; the button is under the hand."""
    day = context.button_argument
    message = context.message
    refuse = play.refuse_old_button(context)
    if message is None or not context.is_genuine_press:
        return refuse

    def effect(tx: Tx) -> list[Request]:
        """Show a hint of the hand of that day; refuse if the player can no longer solve it."""
        for hand, attempt in load_unfinished_hands(context, tx):
            if hand.day == day:
                return _show_next_hint(context, tx, hand, attempt, message)
        return refuse(tx)

    return effect


def _show_next_hint(
    context: Context, tx: Tx, hand: DailyHand, attempt: Attempt, message: Message | None
) -> list[Request]:
    """Show one more hint, or refuse it, in `message`, else in the latest with the hand, else in a new one."""
    refusal = _refuse_hint(context, tx, hand, attempt)
    if refusal is not None:
        return refusal
    hinted = replace(attempt, hints=attempt.hints + 1)
    queries.update_open_attempt(tx, hinted)
    message_id = attempt.message_id
    photo = attempt.photo
    if message is not None:
        message_id = message.message_id
        photo = UNKNOWN_CONTENT if message.photo else ""
    if message_id is None:
        return [_make_hand_message(context, hand, hinted, is_first=False)]
    edit = edit_message(context.chat.id, message_id, *_render_hand(context, hand, hinted))
    if photo:
        language = context.words.language
        edit = messages.add_picture(edit, HAND_PICTURE, language, shown_key=photo, day=hand.day)
    return [edit, *context.answer_press()]


def _refuse_hint(context: Context, tx: Tx, hand: DailyHand, attempt: Attempt) -> list[Request] | None:
    """Return the refusal if hints are off here, none is left, or an open round keeps the hand secret."""
    words = context.words
    if not read_preferences(context.chat).hints:
        return play.make_notice(context, tx, words.translate("This chat plays without hints."))
    available = GAMES[hand.game].count_hints(hand.puzzle)
    if not available:
        return play.make_notice(context, tx, words.translate("There are no hints for this one."), quiet=True)
    if attempt.hints >= available:
        return play.make_notice(
            context, tx, words.translate("There are no more hints for this hand."), quiet=True
        )
    return secrecy.refuse_open_hand(context, tx, parse_hand_numbers(hand.puzzle.line))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "daily",
            show_daily,
            UpdateKind.QUESTION,
            lambda words: words.translate_plain("the hand of the day"),
        )
    ],
    buttons=[
        ButtonRoute(view.GIVE_UP_BUTTON, give_up_hand),
        ButtonRoute(view.HINT_BUTTON, show_hint_pressed),
        ButtonRoute(view.OTHER_GAME_BUTTON, press_open_hand, UpdateKind.DEAL_PRESS),
        ButtonRoute(view.TODAY_BUTTON, press_open_hand, UpdateKind.DEAL_PRESS),
    ],
    deep_links={view.get_link_prefix(game): _make_link_handler(game) for game in DAILY_GAMES},
    delivery_handlers=dict.fromkeys((HAND_RECEIPT, REPEAT_RECEIPT), _record_delivery),
    picture_finders={HAND_PICTURE: _load_hand_picture, RESULT_PICTURE: _load_result_picture},
    before_send_handlers={HAND_RECEIPT: _start_clock},
    timed_tasks=[
        make_hourly_cleanup("hands of the day long ago", queries.delete_old_alias_attempts),
        make_hourly_cleanup("tables of the day long ago", queries.delete_old_tables),
    ],
)
