"""Daily reminders of the hand, sent in private to players who turned them on, at the hour they chose.

Reminders are turned off when the player blocks the bot, or after a week without opening a hand.
"""

from typing import Any

from bot.admin.settings import post_hours
from bot.admin.settings.preferences import read_preferences
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import SOURCE_LANGUAGE, get_words
from bot.modes.daily import posts, queries, view
from bot.modes.daily.commands import render_attempt_result
from bot.modes.daily.posts import REMINDER
from bot.modes.daily.rules import AttemptState
from bot.players import queries as people
from bot.queue import scheduled_posts
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask
from bot.rounds.commands import refuse_old_button
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit_message, post_message
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

MAX_UNANSWERED = 7  # Reminders in a row without an opened hand; the last of them turns reminders off


async def _render_scheduled_reminder(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Return the body of a claimed reminder when it is sent; None if it is no longer due."""

    def render(tx: Tx, post: ScheduledPost) -> Request:
        """Render the reminder with the player's streak; the last one says that it is."""
        streak = queries.load_streak(tx, player_id=post.chat_id, day=post.period)
        chat = people.load_chat(tx, post.chat_id, kind="private")
        # Without a chosen language, that of the message in which reminders were turned on
        language = chat.language or post_hours.read_language(read_preferences(chat)) or SOURCE_LANGUAGE
        is_last = _is_last_reminder(tx, post.chat_id)
        text, keyboard = view.render_reminder(get_words(language), streak, is_last=is_last)
        return post_message(post.chat_id, text, keyboard=keyboard, about=post.about, timed=True)

    return await posts.render_if_due(store, REMINDER, body, now, render)


def _is_last_reminder(tx: Tx, player_id: int) -> bool:
    """Whether `MAX_UNANSWERED` reminders were claimed since the date of the player's last opened hand."""
    opened = queries.load_last_opened_date(tx, player_id)
    return scheduled_posts.count_later_posts(tx, player_id, REMINDER.name, opened) >= MAX_UNANSWERED


def _record_reminder(tx: Tx, reminder: DeliveredRequest) -> None:
    """Turn reminders off if the last one was delivered; allow one that failed to be sent again."""
    player_id = scheduled_posts.parse_about(reminder.about).chat_id
    if not reminder.has_arrived:
        scheduled_posts.mark_unsent(tx, reminder.about)
    elif _is_last_reminder(tx, player_id):
        people.store_setting(tx, player_id, post_hours.REMINDER_KEY, None)


async def turn_on_reminders(context: Context) -> Effect:
    """Turn reminders on at the present time of day; the button is under a solved hand."""
    day = context.button_argument
    player = context.player
    message = context.message
    refusal = refuse_old_button(context)
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return refusal

    def effect(tx: Tx) -> list[Request]:
        """Store the reminder and edit the result, without the button; refuse if the hand is not solved."""
        hand = queries.load_hand(tx, day)
        attempt = queries.load_attempt(tx, day, player.id)
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


async def turn_off_reminders(context: Context) -> Effect:
    """Turn reminders off and say so in the message; the button is under a reminder."""
    message = context.message
    if message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, None)
        text = context.words.translate("No more reminders. /settings brings them back.")
        return [edit_message(context.chat.id, message.message_id, text), *context.answer_press()]

    return effect


ROUTES = Routes(
    buttons=[
        ButtonRoute(view.TURN_ON_BUTTON, turn_on_reminders),
        ButtonRoute(view.TURN_OFF_BUTTON, turn_off_reminders),
    ],
    renderers={REMINDER.method: _render_scheduled_reminder},
    before_send_handlers={REMINDER.name: scheduled_posts.mark_sent},
    delivery_handlers={REMINDER.name: _record_reminder},
    timed_tasks=[TimedTask("reminders", MINUTE, lambda timer, _: posts.claim_due_posts(timer, REMINDER))],
)
