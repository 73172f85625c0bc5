"""Hints of the daily hand: they stand in its message, and its result says how many there were."""

from bot.admin.settings import rules as preferences
from bot.admin.settings.photos import pictured
from bot.admin.settings.rules import Pictures
from bot.database import Tx
from bot.modes.daily import answers, rules
from bot.modes.daily import commands as daily
from bot.modes.daily import queries as days
from bot.modes.daily import view as words_of
from bot.rounds import secrecy
from bot.rounds.commands import aside, out_of_date
from bot.rounds.known import GAMES
from bot.rounds.puzzle import numbers_of
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit
from bot.telegram.routes import Button, Routes


def asked(context: Context, tx: Tx, *, instead: bool) -> list[Request] | None:
    """What /hint does for the hand of a day to which it replies; `instead` of a round's, for the latest open.

    None where there is none.
    """
    replied, waiting = answers.replied_hand(context, tx), answers.waiting(context, tx)
    if replied is None:
        return _hint(context, tx, waiting[0], waiting[0][1].message_id) if instead and waiting else None
    above = context.replied.message_id if context.replied else None
    meant = next((one for one in waiting if one[0].day == replied.day), None)
    if meant is None:
        mine = days.attempt(tx, replied.day, context.player.id) if context.player else None
        return aside(context, tx, words_of.too_late(context.words, mine))
    return _hint(context, tx, meant, above)


async def pressed(context: Context) -> Effect:
    """The button under one's own hand."""
    day, late = context.pressed.partition(":")[2], out_of_date(context)
    message = context.message
    if message is None or not context.offered:
        return late

    def effect(tx: Tx) -> list[Request]:
        meant = next((one for one in answers.waiting(context, tx) if one[0].day == day), None)
        return late(tx) if meant is None else _hint(context, tx, meant, message.message_id)

    return effect


def _hint(context: Context, tx: Tx, one: answers.Waiting, message_id: int | None) -> list[Request]:
    """Show one more hint in the hand's message, or in a new one where that isn't known."""
    hand, attempt = one
    if not preferences.of(context.chat).hints:
        return aside(context, tx, context.words.say("This chat plays without hints."))
    count = GAMES[hand.game].hints(hand.puzzle)
    if not count:
        return aside(context, tx, context.words.say("There are no hints for this one."), quiet=True)
    more = rules.hinted(attempt, count, context.now)
    if more == attempt:
        return aside(context, tx, context.words.say("There are no more hints for this hand."), quiet=True)
    if (open_elsewhere := secrecy.refuse_open_hand(context, tx, numbers_of(hand.line))) is not None:
        return open_elsewhere
    days.keep(tx, more)
    text, keyboard = daily.drawn(context, hand, more)
    if message_id is None:
        request = context.say(text, keyboard=keyboard, about=f"{daily.AGAIN}:{hand.day}:{more.player_id}")
        return [pictured(context, request, daily.HAND_SEEN, least=Pictures.CARDS, day=hand.day)]
    changed, photo = (
        edit(context.chat.id, message_id, text, keyboard),
        daily.photo(context, attempt, message_id),
    )
    if photo:
        changed = messages.pictured(
            changed, daily.HAND_SEEN, context.words.language, shown=photo, day=hand.day
        )
    return [changed, *context.answer()]


ROUTES = Routes(buttons=[Button("dh", pressed)])
