"""Reminders of the daily hand, in private, for those who want them: once a day, at the hour that they chose.

They stop by themselves when the bot is blocked, and after a week in which no hand was opened.
"""

from functools import partial
from typing import Any

from bot.admin.settings import hours
from bot.admin.settings import rules as preferences
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import SOURCE, words
from bot.modes.daily import queries as days
from bot.modes.daily import rules, unasked
from bot.modes.daily import view as words_of
from bot.modes.daily.commands import result, todays
from bot.modes.daily.rules import Progress
from bot.players import queries as people
from bot.queue import scheduled
from bot.queue.intake import Work
from bot.queue.queries import DRAWN_POST
from bot.queue.timers import Running, TimedWork
from bot.rounds.commands import out_of_date
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit, post
from bot.telegram.routes import Button, Delivered, Routes

METHOD = f"{DRAWN_POST}daily reminder"
UNANSWERED = 7  # Reminders in a row, without a hand being opened, of which the last says so


async def _stop(running: Running, _: float) -> None:
    """Send no more to those whom reminders don't reach."""
    gone = await running.store.read(unasked.unreachable)
    if gone:
        await running.store.write(lambda tx: unasked.stop_reminders(tx, gone))


async def _look(running: Running, _: float) -> bool:
    """Claim some reminders that are due by Telegram's clock; False where more may be due."""
    now = running.inbox.now()
    due = partial(unasked.reminders_due, now=now)
    return await scheduled.claim_some(running, now, due, partial(_claimed, now=now))


def _claimed(tx: Tx, chat_id: int, now: float) -> list[Request]:
    day = unasked.reminder_due(tx, chat_id, now)
    claimed = scheduled.claim(tx, chat_id, unasked.REMINDER, day, now) if day else None
    if claimed is None:
        return []
    opened_last = unasked.last_day(tx, chat_id)
    last = scheduled.claims_after(tx, chat_id, unasked.REMINDER, opened_last) >= UNANSWERED
    if last:
        people.choose(tx, chat_id, hours.ALONE, None)
    return [claimed.request(METHOD, last=last)]


async def drawn(database: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The reminder as it is sent now; None where it is too late, or not wanted any more."""
    asked, last = scheduled.asked(unasked.REMINDER, body), bool(body["params"].get("last"))

    def look(tx: Tx) -> dict[str, Any] | None:
        due = last and asked.period == rules.day_of(now) and now - asked.at < rules.LATE
        due = due or unasked.reminder_due(tx, asked.chat_id, now) == asked.period
        if not due or not scheduled.waits(tx, asked):
            return None
        row = rules.streak(days.solved_days(tx, asked.chat_id), asked.period)
        chat = people.find_chat(tx, asked.chat_id, "private")
        text, keyboard = words_of.reminder(words(_language(chat)), row, last=last)
        request = post(asked.chat_id, text, keyboard=keyboard, about=asked.about, timed=True)
        return {**request.body, "began": True}

    found = await database.read(look)
    if found is None:
        await database.write(lambda tx: scheduled.release(tx, asked))
    return found


def settled(tx: Tx, reminder: Delivered) -> None:
    """The reminder arrived; or it came to nothing, and may be sent again."""
    if not reminder.result:
        scheduled.came_to_nothing(tx, reminder.about)


def _language(chat: people.Chat) -> str:
    return chat.language or hours.language(preferences.of(chat)) or SOURCE


async def wanted(context: Context) -> Effect:
    """The button under a hand that is solved: remind whoever pressed it each day at this time."""
    player, message, day = context.player, context.message, context.pressed.partition(":")[2]
    late = out_of_date(context)
    if player is None or message is None or not context.chat.private or not context.offered:
        return late

    def effect(tx: Tx) -> list[Request]:
        hand, attempt = days.hand(tx, day), days.attempt(tx, day, player.id)
        if hand is None or attempt is None or attempt.state is not Progress.SOLVED:
            return late(tx)
        minute = hours.local_minute(preferences.of(context.chat).zone, context.now)
        people.choose(tx, context.chat.id, hours.ALONE, hours.packed(minute, context.words.language))
        text, keyboard = result(context, tx, hand, attempt, remind=False)
        told = context.words.plain("I’ll remind you each day at this time. /settings changes it.")
        return [edit(context.chat.id, message.message_id, text, keyboard), *context.answer(told)]

    return effect


async def opened(context: Context) -> Effect:
    """The button of a reminder: today's hand."""
    return await todays(context) if context.offered and context.chat.private else out_of_date(context)


async def unwanted(context: Context) -> Effect:
    """The other button of a reminder: no more of them."""
    message = context.message
    if message is None or not context.chat.private or not context.offered:
        return out_of_date(context)

    def effect(tx: Tx) -> list[Request]:
        people.choose(tx, context.chat.id, hours.ALONE, None)
        text = words_of.no_reminders(context.words)
        return [edit(context.chat.id, message.message_id, text), *context.answer()]

    return effect


ROUTES = Routes(
    buttons=[Button("qr", wanted), Button("qn", opened, Work.DEALING), Button("qs", unwanted)],
    draws={METHOD: drawn},
    leaving={unasked.REMINDER: scheduled.leaving},
    receipts={unasked.REMINDER: settled},
    timed=[TimedWork("reminders that reach nobody", MINUTE, _stop), TimedWork("reminders", MINUTE, _look)],
)
