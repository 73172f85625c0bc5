"""Daily reminders of the hand, sent in private to players who turned them on, at the hour they chose.

Reminders are turned off when the player blocks the bot, or after a week without opening a hand.
"""

from collections.abc import Sequence

from bot.database import Tx
from bot.durations import MINUTE
from bot.i18n import SOURCE_LANGUAGE, get_words
from bot.modes.daily import posts, queries, view
from bot.modes.daily.commands import render_attempt
from bot.modes.daily.posts import REMINDER
from bot.players import post_hours
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue import scheduled_posts
from bot.queue.outgoing import Outgoing
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask
from bot.rounds.commands import refuse_old_button
from bot.rounds.rules import State
from bot.telegram.context import Context, Effect, Response
from bot.telegram.messages import post_message
from bot.telegram.routes import ButtonRoute, DeliveredRequest, Routes

MAX_UNANSWERED = 7  # Reminders in a row without an opened hand; the last of them turns reminders off


def _render_scheduled_reminder(tx: Tx, post: ScheduledPost, _: Outgoing, __: float) -> Outgoing:
    """Render a reminder with the player's streak; the last one says that it is."""
    streak = queries.load_streak(tx, player_id=post.chat_id, day=post.period)
    chat = people.load_chat(tx, post.chat_id, kind="private")
    # Without a chosen language, that of the message in which reminders were turned on
    language = chat.language or post_hours.read_language(read_preferences(chat)) or SOURCE_LANGUAGE
    is_last = _is_last_reminder(tx, post.chat_id)
    text, keyboard = view.render_reminder(get_words(language), streak, is_last=is_last)
    return post_message(post.chat_id, text, keyboard=keyboard, about=post.about, timed=True)


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
        people.store_setting(tx, player_id, post_hours.REMINDER_KEY, value=None)


async def turn_on_reminders(context: Context) -> Effect:
    """Turn reminders on at the present time of day; the button is under a solved hand."""
    day = context.button_argument
    player = context.player
    message = context.message
    refusal = refuse_old_button(context)
    if player is None or message is None or not context.chat.private or not context.is_genuine_press:
        return refusal

    def effect(tx: Tx) -> Sequence[Response]:
        attempt = queries.load_attempt(tx, day, player.id)
        if attempt is None or attempt.state is not State.WON:
            return refusal(tx)
        minute = post_hours.get_local_minute(read_preferences(context.chat).zone, context.sent_at)
        reminder = post_hours.pack_reminder(minute, context.words.language)
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, reminder)
        text, keyboard = render_attempt(context, tx, attempt, offers_reminder=False)
        alert = context.words.translate_plain("I’ll remind you each day at this time. /settings changes it.")
        return [context.edit(text, keyboard=keyboard), *context.answer_press(alert)]

    return effect


async def turn_off_reminders(context: Context) -> Effect:
    """Turn reminders off and say so in the message; the button is under a reminder."""
    if context.message is None or not context.chat.private or not context.is_genuine_press:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Response]:
        people.store_setting(tx, context.chat.id, post_hours.REMINDER_KEY, value=None)
        text = context.words.translate("No more reminders. /settings brings them back.")
        return [context.edit(text), *context.answer_press()]

    return effect


ROUTES = Routes(
    buttons=[
        ButtonRoute(view.TURN_ON_BUTTON, turn_on_reminders),
        ButtonRoute(view.TURN_OFF_BUTTON, turn_off_reminders),
    ],
    renderers={REMINDER.method: posts.make_renderer(REMINDER, _render_scheduled_reminder)},
    before_send_handlers={REMINDER.name: scheduled_posts.mark_sent},
    delivery_handlers={REMINDER.name: _record_reminder},
    timed_tasks=[TimedTask("reminders", MINUTE, lambda timer, _: posts.claim_due_posts(timer, REMINDER))],
)
