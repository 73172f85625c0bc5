"""/daily: the hand of the day, opened in private, and followed by groups."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.admin.settings import post_hours
from bot.admin.settings import preferences as preferences
from bot.admin.settings.pictures import attach_picture
from bot.admin.settings.preferences import Pictures
from bot.database import Tx
from bot.i18n import Html, get_words, strip_tags
from bot.modes.daily import group_tables, queries, rules, view
from bot.modes.daily import queries as days
from bot.modes.daily import view as words_of
from bot.queue.admission import UpdateKind
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import secrecy
from bot.rounds.commands import (
    apologize_for_timeout,
    make_notice,
    make_notice_effect,
    react,
    refuse_old_button,
    reply,
)
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Options, VerdictKind, parse_hand_numbers
from bot.rounds.registry import DAILY_GAMES, DEFAULT_GAME, GAMES, find_game_by_name
from bot.standings.achievements import queries as achievements
from bot.standings.achievements.rules import Feat
from bot.standings.ratings import updates as ratings
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import Keyboard, Request, edit_message
from bot.telegram.photo_messages import UNKNOWN_CONTENT, DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes
from bot.workers.pool import SolvingError

HAND_RECEIPT, REPEAT_RECEIPT = "hand", "again"  # Kinds of receipts
HAND_PICTURE, RESULT_PICTURE = "daily hand", "daily result"  # Kinds of pictures


async def show_daily(context: Context) -> Effect:
    """In private: today's hand. In a group: its table of the day, and the way to the hand.

    Behind the command a game may be named.
    """
    meant = _meant(context.argument)
    if meant is None:
        return make_notice_effect(context, words_of.render_usage(context.words, context.argument))
    return await _daily(context, meant)


async def open_todays_hand(context: Context) -> Effect:
    """Today's hand in the usual game, whatever was pressed."""
    return await _daily(context, "")


async def _daily(context: Context, game: str) -> Effect:
    if context.chat.private:
        return await _open(context, game, None)
    return lambda tx: group_tables.make_table_message(context, tx, game)


def _meant(text: str) -> str | None:
    """What names the hands of the game that was asked for; None where it has none, or is none."""
    game = find_game_by_name(text.strip()) if text.strip() else DEFAULT_GAME
    return next((name for name, one in DAILY_GAMES.items() if one is game), None)


async def _entered(context: Context, game: str) -> Effect:
    """A link led here: today's hand, and a seat in the table of the group that the link is from."""
    if not context.chat.private:
        return await _daily(context, game)
    return await _open(context, game, await group_tables.find_linked_group(context))


def _door(game: str) -> Handler:
    return lambda context: _entered(context, game)


async def open_hand_of_other_game(context: Context) -> Effect:
    """The button under a result: today's hand of another game."""
    game = context.button_data.partition(":")[2]
    if game not in DAILY_GAMES or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)
    return await _open(context, game, None)


def start_clock(tx: Tx, about: str, now: float) -> bool:
    """A hand is about to be sent; whether for the first time."""
    _, day, player_id = about.split(":")
    return days.start_clock_before_sending(tx, day, int(player_id), now)


def record_first_delivery(tx: Tx, hand: DeliveredRequest) -> None:
    """A hand that left for the first time has arrived, or came to nothing."""
    _, day, player_id = hand.about.split(":")
    days.update_clock(tx, day, int(player_id), hand.delivered_at if hand.result else None)
    if hand.result:
        _placed(tx, hand, day, int(player_id))


def _placed(tx: Tx, hand: DeliveredRequest, day: str, player_id: int) -> None:
    days.update_hand_message(
        tx, day, player_id, int(hand.result["message_id"]), hand.result.get("content", "")
    )


def record_repeated_delivery(tx: Tx, hand: DeliveredRequest) -> None:
    """A hand has arrived that its player had been shown before, or so it seemed."""
    _, day, player_id = hand.about.split(":")
    attempt = days.load_attempt(tx, day, int(player_id))
    if attempt is not None and attempt.shown_at is None:
        days.update_clock(tx, day, int(player_id), hand.delivered_at)
    _placed(tx, hand, day, int(player_id))


async def _open(context: Context, game: str, group: int | None) -> Effect:
    """Show today's hand; the player's time runs from when it first arrives. A press is answered."""
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    known = await context.services.store.read(lambda tx: days.load_hand(tx, day))
    try:
        dealt = known or await _deal(context, day, DAILY_GAMES[game])
    except (SolvingError, DealError):
        return apologize_for_timeout(context)

    def effect(tx: Tx) -> list[Request]:
        if context.player is None:
            return []
        hand = days.insert_hand(tx, dealt)
        attempt = days.open_attempt(tx, day, context.player.id, context.sent_at)
        if group is not None:
            queries.insert_seat(tx, day, group, context.player.id)
        shown = [make_attempt_message(context, tx, hand, attempt), *context.answer_press()]
        return [*shown, *group_tables.redraw_tables(context, tx, attempt)]

    return effect


async def _deal(context: Context, day: str, game: Game[Any]) -> rules.DailyHand:
    seed = rules.derive_seed(day, await context.services.store.write(days.load_or_create_key))
    options = game.get_daily_options(rules.get_day_level(day)) or Options()
    return rules.DailyHand(day, game.key, await game.deal(context.services.solver_pool, {}, options, seed))


def make_attempt_message(context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt) -> Request:
    """The hand, or what became of it."""
    if attempt.state is rules.AttemptState.OPEN and attempt.offline_answer:
        return context.reply(words_of.render_offline_hand(context.words, hand, attempt))
    if attempt.state is rules.AttemptState.OPEN:
        before = render_private_hand(context, hand, attempt)
        first = attempt.shown_at is None
        about = f"{HAND_RECEIPT if first else REPEAT_RECEIPT}:{hand.day}:{attempt.player_id}"
        request = context.reply(before[0], keyboard=before[1], about=about, timed=first)
        return attach_picture(context, request, HAND_PICTURE, required=Pictures.CARDS, day=hand.day)
    if attempt.state is rules.AttemptState.GIVEN_UP and (refused := _show_solution(context, tx, hand)):
        return refused[0]
    text, keyboard = render_attempt_result(
        context,
        tx,
        hand,
        attempt,
        offers_reminder=post_hours.read_reminder_minute(preferences.read_preferences(context.chat)) is None,
    )
    request = context.reply(text, keyboard=keyboard)
    if attempt.state is rules.AttemptState.GIVEN_UP:
        return request
    return attach_picture(context, request, RESULT_PICTURE, day=hand.day, player=attempt.player_id)


def load_hand_picture(tx: Tx, asked: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """The picture of a hand of a day; None where its game has none."""
    hand = days.load_hand(tx, asked["day"])
    table = GAMES[hand.game].make_deal_picture(hand.puzzle) if hand else None
    return DescribedPicture(table) if table else None


def load_result_picture(tx: Tx, asked: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """The picture of a result, and how often it went wrong before."""
    hand, attempt = days.load_hand(tx, asked["day"]), days.load_attempt(tx, asked["day"], asked["player"])
    if hand is None or attempt is None or attempt.state is not rules.AttemptState.SOLVED:
        return None
    speech, row = get_words(asked["language"]), days.load_streak(tx, attempt.player_id, attempt.day)
    return DescribedPicture(
        view.make_result_picture(speech, hand, attempt, row), [words_of.render_wrong_count(speech, attempt)]
    )


def find_photo(context: Context, attempt: rules.Attempt, message_id: int) -> str:
    """What names the picture in a message that shows somebody's hand; empty for a text."""
    seen = next(
        (m for m in (context.message, context.replied_bot_message) if m and m.message_id == message_id), None
    )
    if seen is not None:
        return UNKNOWN_CONTENT if seen.photo else ""
    return attempt.photo if message_id == attempt.message_id else ""


def render_attempt_result(
    context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt, *, offers_reminder: bool
) -> tuple[Html, Keyboard | None]:
    """What became of an attempt, with what that earned; `remind` offers a reminder of the next ones."""
    row = days.load_streak(tx, attempt.player_id, attempt.day)
    honours = achievements.load_daily_achievements(tx, attempt.day, attempt.player_id)
    username = str(context.services.me.username)
    veiled = preferences.read_preferences(context.chat).pictures is Pictures.ALL
    return words_of.render_result(
        context.words, hand, attempt, row, username, honours, offers_reminder=offers_reminder, spoiler=veiled
    )


def render_private_hand(
    context: Context, hand: rules.DailyHand, attempt: rules.Attempt
) -> tuple[Html, Keyboard]:
    """The hand as its player has it before them."""
    return words_of.render_hand(
        context.words, hand, attempt, offers_hints=preferences.read_preferences(context.chat).hints
    )


def _show_solution(context: Context, tx: Tx, hand: rules.DailyHand) -> list[Request]:
    """Refuse the solution of a hand that is also open in a chat where the person plays; else remember it."""
    numbers = parse_hand_numbers(hand.line)
    refused = secrecy.refuse_open_hand(context, tx, numbers)
    if refused is None and context.player is not None:
        secrecy.record_solution_shown(tx, context.player.id, numbers, context.sent_at)
    return refused or []


async def give_up_hand(context: Context) -> Effect:
    """The button under one's own hand: see how it is done."""
    day = context.button_data.partition(":")[2]
    late = refuse_old_button(context)
    player, message = context.player, context.message
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return late

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = days.load_hand(tx, day), days.load_attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not rules.AttemptState.OPEN:
            return late(tx)
        if attempt.offline_answer:
            text = words_of.render_offline_hand(context.words, hand, attempt)
            told = strip_tags(words_of.render_too_late(context.words, attempt))
            return [_in_place(context, message.message_id, text), *context.answer_press(told)]
        if refused := _show_solution(context, tx, hand):
            return refused
        after = rules.mark_given_up(attempt, context.sent_at)
        if days.update_open_attempt(tx, after):
            ratings.rate_daily_attempt(tx, hand, after)
        text, keyboard = words_of.render_result(
            context.words, hand, after, 0, str(context.services.me.username)
        )
        ended = _in_place(context, message.message_id, text, keyboard)
        return [ended, *context.answer_press(), *group_tables.redraw_tables(context, tx, after)]

    return effect


def _in_place(context: Context, message_id: int, text: Html, keyboard: Keyboard | None = None) -> Request:
    """What takes the place of a hand in its message, with no picture of it any more."""
    return attach_picture(context, edit_message(context.chat.id, message_id, text, keyboard), "")


ROUTES = Routes(
    commands=[
        CommandRoute(
            "daily",
            show_daily,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("the hand of the day"),
        )
    ],
    buttons=[
        ButtonRoute("dg", give_up_hand),
        ButtonRoute("do", open_hand_of_other_game, UpdateKind.DEAL_PRESS),
    ],
    deep_links={words_of.get_link_prefix(game): _door(game) for game in DAILY_GAMES},
    delivery_handlers={HAND_RECEIPT: record_first_delivery, REPEAT_RECEIPT: record_repeated_delivery},
    picture_finders={HAND_PICTURE: load_hand_picture, RESULT_PICTURE: load_result_picture},
    before_send_handlers={HAND_RECEIPT: start_clock},
    timed_tasks=[
        make_hourly_cleanup("hands of the day long ago", days.delete_old_alias_attempts),
        make_hourly_cleanup("tables of the day long ago", queries.delete_old_tables),
    ],
)


SOLVED_REACTION, WRONG_REACTION = "🏆", "👎"

StartedHand = tuple[rules.DailyHand, rules.Attempt]  # A hand of a day, and the attempt at it


def load_unfinished_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """The hands of days that the person has before them in private, the latest first."""
    return [one for one in load_started_hands(context, tx) if not one[1].is_over]


def load_started_hands(context: Context, tx: Tx) -> list[StartedHand]:
    """The same with those that the person has solved offline: an answer to one is told that."""
    if not context.chat.private or context.player is None:
        return []
    return days.load_open_attempts(tx, context.player.id, context.sent_at)


def is_answer_to(hand: rules.DailyHand, text: str) -> bool:
    """Whether a text is made of that hand's numbers."""
    return GAMES[hand.game].check_daily(hand.puzzle, text).kind in (VerdictKind.RIGHT, VerdictKind.WRONG)


def judge_reply(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on a reply to a hand of a day; None where it replies to something else."""
    hand = load_replied_hand(context, tx)
    if hand is None or context.player is None:
        return None
    if GAMES[hand.game].check_daily(hand.puzzle, context.argument).kind is VerdictKind.TALK:
        return []
    return _in_time(context, tx, hand, context.player.id)


def judge_board_answer(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on what was tapped on a page for the hand of a day; None for what was not."""
    if not context.board_day or context.player is None:
        return None
    hand = days.load_hand(tx, context.board_day)
    return [] if hand is None else _in_time(context, tx, hand, context.player.id)


def _in_time(context: Context, tx: Tx, hand: rules.DailyHand, player_id: int) -> list[Request]:
    """The verdict by that hand, or that it can't be solved any more."""
    days.restore_attempts_from_alias(tx, player_id)
    attempt = days.load_attempt(tx, hand.day, player_id)
    if attempt is None or not rules.is_attempt_open(attempt, context.sent_at):
        return [reply(context, words_of.render_too_late(context.words, attempt))]
    return judge_answer(context, tx, (hand, attempt))


def load_replied_hand(context: Context, tx: Tx) -> rules.DailyHand | None:
    """The hand to whose message, or result, this is a reply in private."""
    above = context.replied_bot_message if context.chat.private else None
    day = words_of.parse_day_in_title(above.text or above.caption or "") if above else None
    return days.load_hand(tx, day) if day else None


def judge_answer(context: Context, tx: Tx, one: StartedHand) -> list[Request]:
    """The verdict on a text as an answer to that hand. Talk has none, unless it came by a command."""
    hand, attempt = one
    verdict = GAMES[hand.game].check_daily(hand.puzzle, context.argument)
    by_command = bool(context.message and (context.message.text or "").startswith("/"))
    if context.player is None or (verdict.kind is VerdictKind.TALK and not by_command):
        return []
    if attempt.offline_answer:
        return [reply(context, words_of.render_too_late(context.words, attempt))]
    days.restore_attempts_from_alias(tx, context.player.id)
    attempt = replace(attempt, player_id=context.player.id)
    if verdict.kind is VerdictKind.RIGHT:
        return _solved(context, tx, hand, rules.mark_solved(attempt, verdict.answer, context.sent_at))
    if verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS):
        days.update_open_attempt(tx, rules.add_wrong_answer(attempt, context.sent_at))
    reason = verdict.render_reason(context.words) if verdict.render_reason else Html("")
    return [*react(context, WRONG_REACTION), reply(context, reason)]


def _solved(context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt) -> list[Request]:
    if not days.update_open_attempt(tx, attempt):
        return []
    ratings.rate_daily_attempt(tx, hand, attempt)
    if hand.game == DEFAULT_GAME.key:  # what is quick, and what a row of days is, is told by its hands
        feat = _feat(context, tx, hand, attempt)
        achievements.insert_daily_achievements(tx, attempt.player_id, attempt.day, feat, context.sent_at)
    return [
        *react(context, SOLVED_REACTION),
        *_told(context, tx, attempt),
        make_attempt_message(context, tx, hand, attempt),
        *group_tables.redraw_tables(context, tx, attempt),
    ]


def _told(context: Context, tx: Tx, attempt: rules.Attempt) -> list[Request]:
    """On a page the result in two lines: all of it is posted in the chat, which may not be in sight."""
    if not context.board_press_id:
        return []
    row = days.load_streak(tx, attempt.player_id, attempt.day)
    return [context.reply(Html("\n".join(words_of.render_time_and_streak(context.words, attempt, row))))]


def _feat(context: Context, tx: Tx, hand: rules.DailyHand, attempt: rules.Attempt) -> Feat:
    """What it is to have solved it, for whoever did."""
    return Feat(
        is_fiendish=hand.puzzle.level == achievements.FIENDISH,
        seconds=attempt.seconds,
        wrong_answers=attempt.wrong_answers,
        hour=achievements.load_local_hour(tx, context.chat.id, context.sent_at),
        daily_streak=days.load_streak(tx, attempt.player_id, attempt.day),
    )


def show_hint(context: Context, tx: Tx, *, use_latest: bool) -> list[Request] | None:
    """What /hint does for the hand of a day to which it replies; `instead` of a round's, for the latest open.

    None where there is none.
    """
    replied, waiting = load_replied_hand(context, tx), load_unfinished_hands(context, tx)
    if replied is None:
        return _hint(context, tx, waiting[0], waiting[0][1].message_id) if use_latest and waiting else None
    above = context.replied_bot_message.message_id if context.replied_bot_message else None
    meant = next((one for one in waiting if one[0].day == replied.day), None)
    if meant is None:
        mine = days.load_attempt(tx, replied.day, context.player.id) if context.player else None
        return make_notice(context, tx, words_of.render_too_late(context.words, mine))
    return _hint(context, tx, meant, above)


async def show_hint_pressed(context: Context) -> Effect:
    """The button under one's own hand."""
    day, late = context.button_data.partition(":")[2], refuse_old_button(context)
    message = context.message
    if message is None or not context.is_genuine_press:
        return late

    def effect(tx: Tx) -> list[Request]:
        meant = next((one for one in load_unfinished_hands(context, tx) if one[0].day == day), None)
        return late(tx) if meant is None else _hint(context, tx, meant, message.message_id)

    return effect


def _hint(context: Context, tx: Tx, one: StartedHand, message_id: int | None) -> list[Request]:
    """Show one more hint in the hand's message, or in a new one where that isn't known."""
    hand, attempt = one
    if not preferences.read_preferences(context.chat).hints:
        return make_notice(context, tx, context.words.translate("This chat plays without hints."))
    count = GAMES[hand.game].count_hints(hand.puzzle)
    if not count:
        return make_notice(
            context, tx, context.words.translate("There are no hints for this one."), quiet=True
        )
    more = rules.add_hint(attempt, count, context.sent_at)
    if more == attempt:
        return make_notice(
            context, tx, context.words.translate("There are no more hints for this hand."), quiet=True
        )
    if (open_elsewhere := secrecy.refuse_open_hand(context, tx, parse_hand_numbers(hand.line))) is not None:
        return open_elsewhere
    days.update_open_attempt(tx, more)
    text, keyboard = render_private_hand(context, hand, more)
    if message_id is None:
        request = context.reply(
            text, keyboard=keyboard, about=f"{REPEAT_RECEIPT}:{hand.day}:{more.player_id}"
        )
        return [attach_picture(context, request, HAND_PICTURE, required=Pictures.CARDS, day=hand.day)]
    changed, photo = (
        edit_message(context.chat.id, message_id, text, keyboard),
        find_photo(context, attempt, message_id),
    )
    if photo:
        changed = messages.add_picture(
            changed, HAND_PICTURE, context.words.language, shown_key=photo, day=hand.day
        )
    return [changed, *context.answer_press()]


HINT_ROUTES = Routes(buttons=[ButtonRoute("dh", show_hint_pressed)])
