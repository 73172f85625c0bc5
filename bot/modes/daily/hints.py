"""Hints of the daily hand: they stand in its message, and its result says how many there were."""

from bot.admin.settings import rules as preferences
from bot.admin.settings.photos import attach_picture
from bot.admin.settings.rules import Pictures
from bot.database import Tx
from bot.modes.daily import answers, rules
from bot.modes.daily import commands as daily
from bot.modes.daily import queries as days
from bot.modes.daily import view as words_of
from bot.rounds import secrecy
from bot.rounds.commands import make_notice, refuse_old_button
from bot.rounds.known import GAMES
from bot.rounds.puzzle import parse_hand_numbers
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit_message
from bot.telegram.routes import ButtonRoute, Routes


def show_hint(context: Context, tx: Tx, *, use_latest: bool) -> list[Request] | None:
    """What /hint does for the hand of a day to which it replies; `instead` of a round's, for the latest open.

    None where there is none.
    """
    replied, waiting = answers.load_replied_hand(context, tx), answers.load_unfinished_hands(context, tx)
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
        meant = next((one for one in answers.load_unfinished_hands(context, tx) if one[0].day == day), None)
        return late(tx) if meant is None else _hint(context, tx, meant, message.message_id)

    return effect


def _hint(context: Context, tx: Tx, one: answers.StartedHand, message_id: int | None) -> list[Request]:
    """Show one more hint in the hand's message, or in a new one where that isn't known."""
    hand, attempt = one
    if not preferences.read_preferences(context.chat).hints:
        return make_notice(context, tx, context.words.translate("This chat plays without hints."))
    count = GAMES[hand.game].count_hints(hand.puzzle)
    if not count:
        return make_notice(context, tx, context.words.translate("There are no hints for this one."), quiet=True)
    more = rules.add_hint(attempt, count, context.sent_at)
    if more == attempt:
        return make_notice(context, tx, context.words.translate("There are no more hints for this hand."), quiet=True)
    if (open_elsewhere := secrecy.refuse_open_hand(context, tx, parse_hand_numbers(hand.line))) is not None:
        return open_elsewhere
    days.update_open_attempt(tx, more)
    text, keyboard = daily.render_private_hand(context, hand, more)
    if message_id is None:
        request = context.reply(text, keyboard=keyboard, about=f"{daily.REPEAT_RECEIPT}:{hand.day}:{more.player_id}")
        return [attach_picture(context, request, daily.HAND_PICTURE, required=Pictures.CARDS, day=hand.day)]
    changed, photo = (
        edit_message(context.chat.id, message_id, text, keyboard),
        daily.find_photo(context, attempt, message_id),
    )
    if photo:
        changed = messages.add_picture(
            changed, daily.HAND_PICTURE, context.words.language, shown_key=photo, day=hand.day
        )
    return [changed, *context.answer_press()]


HINT_ROUTES = Routes(buttons=[ButtonRoute("dh", show_hint_pressed)])
