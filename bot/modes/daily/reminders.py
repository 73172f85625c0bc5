"""Reminders of the daily hand, in private, for those who want them: once a day, at the hour that they chose.

They stop by themselves when the bot is blocked, and after a week in which no hand was opened.
"""

from functools import partial
from typing import Any

from bot.admin.settings import post_hours
from bot.admin.settings import preferences as preferences
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import SOURCE_LANGUAGE, get_words
from bot.modes.daily import queries as days
from bot.modes.daily import rules, subscribers
from bot.modes.daily import view as words_of
from bot.modes.daily.commands import open_todays_hand, render_attempt_result
from bot.modes.daily.rules import AttemptState
from bot.players import queries as people
from bot.queue import scheduled_posts
from bot.queue.admission import UpdateKind
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds.commands import refuse_old_button
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit_message, post_message
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

METHOD = f"{DRAWN_POST_PREFIX}daily reminder"
UNANSWERED = 7  # Reminders in a row, without a hand being opened, of which the last says so


async def _stop(running: TimerContext, _: float) -> None:
    """Send no more to those whom reminders don't reach."""
    gone = await running.store.read(subscribers.find_unreachable_players)
    if gone:
        await running.store.write(lambda tx: subscribers.delete_reminder_settings(tx, gone))


async def _look(running: TimerContext, _: float) -> bool:
    """Claim some reminders that are due by Telegram's clock; False where more may be due."""
    now = running.inbox.now()
    due = partial(subscribers.find_players_due_a_reminder, now=now)
    return await scheduled_posts.claim_batch(running, now, due, partial(_claimed, now=now))


def _claimed(tx: Tx, chat_id: int, now: float) -> list[Request]:
    day = subscribers.get_due_reminder_day(tx, chat_id, now)
    claimed = scheduled_posts.claim_post(tx, chat_id, subscribers.REMINDER_KIND, day, now) if day else None
    if claimed is None:
        return []
    opened_last = subscribers.load_last_opened_date(tx, chat_id)
    last = (
        scheduled_posts.count_later_posts(tx, chat_id, subscribers.REMINDER_KIND, opened_last) >= UNANSWERED
    )
    if last:
        people.store_setting(tx, chat_id, post_hours.REMINDER_KEY, None)
    return [claimed.make_request(METHOD, last=last)]


async def drawn(database: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The reminder as it is sent now; None where it is too late, or not wanted any more."""
    asked, last = scheduled_posts.read_post(subscribers.REMINDER_KIND, body), bool(body["params"].get("last"))

    def look(tx: Tx) -> dict[str, Any] | None:
        due = (
            last
            and asked.period == rules.format_utc_date(now)
            and now - asked.claimed_at < rules.MAX_POST_DELAY
        )
        due = due or subscribers.get_due_reminder_day(tx, asked.chat_id, now) == asked.period
        if not due or not scheduled_posts.is_waiting(tx, asked):
            return None
        row = rules.count_streak(days.load_solved_dates(tx, asked.chat_id), asked.period)
        chat = people.load_chat(tx, asked.chat_id, "private")
        text, keyboard = words_of.render_reminder(get_words(_language(chat)), row, is_last=last)
        request = post_message(asked.chat_id, text, keyboard=keyboard, about=asked.about, timed=True)
        return {**request.body, "began": True}

    found = await database.read(look)
    if found is None:
        await database.write(lambda tx: scheduled_posts.release_post(tx, asked))
    return found


def settled(tx: Tx, reminder: DeliveredRequest) -> None:
    """The reminder arrived; or it came to nothing, and may be sent again."""
    if not reminder.result:
        scheduled_posts.mark_unsent(tx, reminder.about)


def _language(chat: people.Chat) -> str:
    return chat.language or post_hours.read_language(preferences.read_preferences(chat)) or SOURCE_LANGUAGE


async def wanted(context: Context) -> Effect:
    """The button under a hand that is solved: remind whoever pressed it each day at this time."""
    player, message, day = context.player, context.message, context.button_data.partition(":")[2]
    late = refuse_old_button(context)
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return late

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = days.load_hand(tx, day), days.load_attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not AttemptState.SOLVED:
            return late(tx)
        minute = post_hours.get_local_minute(preferences.read_preferences(context.chat).zone, context.sent_at)
        people.store_setting(
            tx,
            context.chat.id,
            post_hours.REMINDER_KEY,
            post_hours.pack_reminder(minute, context.words.language),
        )
        text, keyboard = render_attempt_result(context, tx, hand, attempt, offers_reminder=False)
        told = context.words.translate_plain("I’ll remind you each day at this time. /settings changes it.")
        return [
            edit_message(context.chat.id, message.message_id, text, keyboard),
            *context.answer_press(told),
        ]

    return effect


async def opened(context: Context) -> Effect:
    """The button of a reminder: today's hand."""
    return (
        await open_todays_hand(context)
        if context.is_genuine_press and context.chat.private
        else refuse_old_button(context)
    )


async def unwanted(context: Context) -> Effect:
    """The other button of a reminder: no more of them."""
    message = context.message
    if message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, None)
        text = words_of.render_reminders_off(context.words)
        return [edit_message(context.chat.id, message.message_id, text), *context.answer_press()]

    return effect


ROUTES = Routes(
    buttons=[
        ButtonRoute("qr", wanted),
        ButtonRoute("qn", opened, UpdateKind.DEAL_PRESS),
        ButtonRoute("qs", unwanted),
    ],
    renderers={METHOD: drawn},
    before_send_handlers={subscribers.REMINDER_KIND: scheduled_posts.mark_sent},
    delivery_handlers={subscribers.REMINDER_KIND: settled},
    timed_tasks=[
        TimedTask("reminders that reach nobody", MINUTE, _stop),
        TimedTask("reminders", MINUTE, _look),
    ],
)
