"""Daily reminders of the hand, sent in private to players who turned them on, at the hour they chose.

Reminders are turned off when the player blocks the bot, or after a week without opening a hand.
"""

from functools import partial
from typing import Any

from bot.admin.settings import post_hours
from bot.admin.settings.preferences import read_preferences
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import SOURCE_LANGUAGE, get_words
from bot.modes.daily import queries, rules, subscribers, view
from bot.modes.daily.commands import open_todays_hand, render_attempt_result
from bot.modes.daily.rules import AttemptState
from bot.modes.daily.subscribers import REMINDER_KIND
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
MAX_UNANSWERED = 7  # Reminders in a row without an opened hand; the last of them turns reminders off


async def _turn_off_unreachable(timer: TimerContext, _: float) -> None:
    players = await timer.store.read(subscribers.find_unreachable_players)
    if players:
        await timer.store.write(lambda tx: subscribers.delete_reminder_settings(tx, players))


async def _claim_due_reminders(timer: TimerContext, _: float) -> bool:
    """Claim the reminders of a batch of players; False if there may be more."""
    now = timer.inbox.now()
    find_due = partial(subscribers.find_players_due_a_reminder, now=now)
    return await scheduled_posts.claim_batch(timer, now, find_due, partial(_claim_reminder, now=now))


def _claim_reminder(tx: Tx, chat_id: int, now: float) -> list[Request]:
    day = subscribers.get_due_reminder_day(tx, chat_id, now)
    post = scheduled_posts.claim_post(tx, chat_id, REMINDER_KIND, day, now) if day else None
    if post is None:
        return []
    opened = subscribers.load_last_opened_date(tx, chat_id)
    is_last = scheduled_posts.count_later_posts(tx, chat_id, REMINDER_KIND, opened) >= MAX_UNANSWERED
    if is_last:
        people.store_setting(tx, chat_id, post_hours.REMINDER_KEY, None)
    return [post.make_request(METHOD, last=is_last)]


async def _render_scheduled_reminder(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Render a claimed reminder when it is sent; release the claim and return None if it is no longer due."""
    post, is_last = scheduled_posts.read_post(REMINDER_KIND, body), bool(body["params"].get("last"))

    def render_if_due(tx: Tx) -> dict[str, Any] | None:
        if is_last:  # the setting that makes reminders due has been deleted
            is_today = post.period == rules.format_utc_date(now)
            is_due = is_today and now - post.claimed_at < rules.MAX_POST_DELAY
        else:
            is_due = subscribers.get_due_reminder_day(tx, post.chat_id, now) == post.period
        if not is_due or not scheduled_posts.is_waiting(tx, post):
            return None
        streak = rules.count_streak(queries.load_solved_dates(tx, post.chat_id), post.period)
        chat = people.load_chat(tx, post.chat_id, "private")
        language = chat.language or post_hours.read_language(read_preferences(chat)) or SOURCE_LANGUAGE
        text, keyboard = view.render_reminder(get_words(language), streak, is_last=is_last)
        request = post_message(post.chat_id, text, keyboard=keyboard, about=post.about, timed=True)
        return {**request.body, "is_first_send": True}

    rendered = await store.read(render_if_due)
    if rendered is None:
        await store.write(lambda tx: scheduled_posts.release_post(tx, post))
    return rendered


def _allow_failed_reminder_again(tx: Tx, reminder: DeliveredRequest) -> None:
    if not reminder.result:
        scheduled_posts.mark_unsent(tx, reminder.about)


# Buttons


async def turn_on_reminders(context: Context) -> Effect:
    """Turn reminders on at the present time of day; the button is under a solved hand."""
    player, message, day = context.player, context.message, context.button_data.partition(":")[2]
    refusal = refuse_old_button(context)
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return refusal

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = queries.load_hand(tx, day), queries.load_attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not AttemptState.SOLVED:
            return refusal(tx)
        minute = post_hours.get_local_minute(read_preferences(context.chat).zone, context.sent_at)
        reminder = post_hours.pack_reminder(minute, context.words.language)
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, reminder)
        text, keyboard = render_attempt_result(context, tx, hand, attempt, offers_reminder=False)
        alert = context.words.translate_plain("I’ll remind you each day at this time. /settings changes it.")
        edit = edit_message(context.chat.id, message.message_id, text, keyboard)
        return [edit, *context.answer_press(alert)]

    return effect


async def open_hand_from_reminder(context: Context) -> Effect:
    """Open today's hand."""
    if not context.is_genuine_press or not context.chat.private:
        return refuse_old_button(context)
    return await open_todays_hand(context)


async def turn_off_reminders(context: Context) -> Effect:
    """Turn reminders off; the button is under a reminder."""
    message = context.message
    if message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, None)
        text = view.render_reminders_off(context.words)
        return [edit_message(context.chat.id, message.message_id, text), *context.answer_press()]

    return effect


ROUTES = Routes(
    buttons=[
        ButtonRoute("qr", turn_on_reminders),
        ButtonRoute("qn", open_hand_from_reminder, UpdateKind.DEAL_PRESS),
        ButtonRoute("qs", turn_off_reminders),
    ],
    renderers={METHOD: _render_scheduled_reminder},
    before_send_handlers={REMINDER_KIND: scheduled_posts.mark_sent},
    delivery_handlers={REMINDER_KIND: _allow_failed_reminder_again},
    timed_tasks=[
        TimedTask("reminders that reach nobody", MINUTE, _turn_off_unreachable),
        TimedTask("reminders", MINUTE, _claim_due_reminders),
    ],
)
