"""/review and the button under races, duels, runs and hands: show a player what went wrong, in private."""

from collections.abc import Sequence
from dataclasses import replace

from bot.database import Tx, parse_number
from bot.i18n import strip_tags, translate_later
from bot.modes.review import view
from bot.modes.review.queries import ReviewedHand, load_hand, load_latest_hands, load_review
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture
from bot.rounds import secrecy
from bot.rounds.commands import refuse_old_button
from bot.rounds.puzzle import parse_hand_numbers
from bot.rounds.view import REVIEW_BUTTON
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.messages import Link
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

LINK_PREFIX = "review"
REVIEW_PICTURE = "review"  # A kind of picture


async def review_latest(context: Context) -> Effect:
    """Show what went wrong where the player played last; in a group link to the private chat."""
    return await open_review(replace(context, argument=""))


async def open_review(context: Context) -> Effect:
    """Show what went wrong around the hand in the argument, else where the player played last.

    In a group link to the private chat.
    """
    words = context.words
    if not context.chat.private:
        text = words.translate("In private I show each of you what went wrong, and how it is done.")
        button = (words.translate_plain("Review"), _make_link(context, context.argument))
        return send_only(context.reply(text, keyboard=[[button]]))

    def effect(tx: Tx) -> Sequence[Response]:
        player_id = context.chat.id  # A private chat has the player's id
        keys = [context.argument] if context.argument else load_latest_hands(tx, player_id)
        reviews = {key: load_review(tx, player_id, key, context.sent_at) for key in keys}
        for hand_key, hands in reviews.items():
            if hands:
                return _show_hand(context, tx, hand_key, hands, number=1)
        return context.notify(view.render_empty(context.words, took_part=[] in reviews.values()))

    return effect


async def press_review(context: Context) -> Effect:
    """Show the review of the button's hand, or another page of it; in a group link to it in private."""
    player = context.player
    if player is None or not context.is_genuine_press:
        return refuse_old_button(context)
    hand_key, _, page = context.button_argument.partition(":")

    def effect(tx: Tx) -> Sequence[Response]:
        hands = load_review(tx, player.id, hand_key, context.sent_at)
        if not hands:
            empty = view.render_empty(context.words, took_part=hands is not None)
            return context.answer_press(strip_tags(empty), alert=True)
        if not context.chat.private:
            return context.answer_press(url=_make_link(context, hand_key))
        return _show_hand(context, tx, hand_key, hands, parse_number(page))

    return effect


def _make_link(context: Context, hand_key: str) -> Link:
    payload = f"{LINK_PREFIX}_{hand_key}" if hand_key else LINK_PREFIX
    return Link(f"https://t.me/{context.services.me.username}?start={payload}")


def _show_hand(
    context: Context, tx: Tx, hand_key: str, hands: Sequence[ReviewedHand], number: int | None
) -> Sequence[Response]:
    """Edit the pressed review to the hand with that number, from 1; with None post the first one.

    The solution is recorded as shown, or left out where it is secret.
    """
    place = min(max(1, number or 1), len(hands))
    hand = hands[place - 1]
    numbers = parse_hand_numbers(hand.round.line)
    secret = secrecy.explain_secret(context, tx, numbers)
    if secret is None:
        secrecy.record_solution_shown(tx, context.chat.id, numbers, context.sent_at)
    text = view.render_hand(context.words, hand, f"{place}/{len(hands)}", secret)
    keyboard = view.make_buttons(hand_key, place, len(hands))
    is_turned = context.is_press and number is not None
    request = context.edit(text, keyboard=keyboard) if is_turned else context.reply(text, keyboard=keyboard)
    illustrated = context.add_picture(
        request,
        REVIEW_PICTURE,
        hand=hand.round.hand_key,
        player=context.chat.id,
        shows_solution=secret is None,
    )
    is_on_board = context.submission is not None
    notice = context.words.translate_plain("The review is in the chat with the bot.") if is_on_board else ""
    return [illustrated, *context.answer_press(notice)]


def _load_picture(tx: Tx, asked: PictureRequest, _: float) -> DescribedPicture | None:
    """Load the hand and make its picture; None if the hand is deleted or its game draws none."""
    hand = load_hand(tx, asked.arguments["player"], asked.arguments["hand"])
    picture = view.make_picture(hand, shows_solution=asked.arguments["shows_solution"]) if hand else None
    return DescribedPicture(picture) if picture else None


ROUTES = Routes(
    commands=[
        CommandRoute(
            "review",
            review_latest,
            UpdateKind.QUESTION,
            translate_later("what went wrong, and how it is done"),
        )
    ],
    buttons=[ButtonRoute(REVIEW_BUTTON, press_review)],
    deep_links={LINK_PREFIX: open_review},
    picture_finders={REVIEW_PICTURE: _load_picture},
)
