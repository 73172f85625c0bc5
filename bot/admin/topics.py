"""A topic in which the bot can't write any more: the group plays in any topic from then on.

Of a topic that was closed Telegram tells, and admins may still write there; of one that was deleted it tells
nobody.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, select
from telegram.error import TelegramError

from bot.admin.settings import post_hours
from bot.admin.settings import preferences as preferences
from bot.admin.settings.preferences import GENERAL_TOPIC, Preferences
from bot.database import Tx
from bot.database.schema import rounds as rounds_table
from bot.i18n import SOURCE_LANGUAGE, Html, Words, get_words
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.rules import Round
from bot.telegram.context import Context, Effect, do_nothing
from bot.telegram.messages import Request, post_message, show_round


@dataclass(frozen=True, slots=True)
class PostTarget:
    """Where and how."""

    topic: int  # The topic's thread, 0 where there is none
    language: str


LATEST = (
    select(rounds_table.c.topic, rounds_table.c.language)
    .where(rounds_table.c.chat_id == bindparam("chat"))
    .order_by(rounds_table.c.id.desc())
    .limit(1)
)


def load_post_target(tx: Tx, chat_id: int) -> PostTarget:
    """What the group chose; where it chose nothing, where and as its last hand was dealt."""
    chat = people.load_chat(tx, chat_id, "supergroup")
    last = tx.execute(LATEST, {"chat": chat_id}).first()
    chosen = preferences.read_preferences(chat)
    topic = chosen.topic or (last.topic if last else 0)
    language = (
        chat.language or (last.language if last else post_hours.read_language(chosen)) or SOURCE_LANGUAGE
    )
    return PostTarget(0 if topic == GENERAL_TOPIC else topic, language)


def leave_topic(tx: Tx, chat_id: int, topic: int) -> list[Request]:
    """Move what is played in the topic to the group itself, and show an open hand there.

    Where the group was tied to the topic, lift that, and return the message that tells the admins too.
    """
    live = rounds.load_open_round(tx, chat_id, topic)
    people.move_topic_to_chat(tx, chat_id, topic)
    shown = _show_here(tx, live) if live else []
    if preferences.read_preferences(people.load_chat(tx, chat_id, "supergroup")).topic != topic:
        return shown
    for key in ("topic", "topic_name"):
        people.store_setting(tx, chat_id, key, None)
    return [
        post_message(chat_id, render_topic_gone(get_words(load_post_target(tx, chat_id).language))),
        *shown,
    ]


def _show_here(tx: Tx, moved: Round) -> list[Request]:
    """Show a hand in a new message; one that gave way to the group's own, in the message it has."""
    if moved.message_id is None:
        return []  # it is about to be posted
    here = rounds.load_open_round(tx, moved.chat_id, 0)
    goes_on = here is not None and here.id == moved.id
    lost = goes_on and rounds.record_lost_message(tx, moved.chat_id, moved.message_id, clock_only=False)
    return [show_round(moved, new=lost)]


def render_topic_gone(words: Words) -> Html:
    """Say that the topic is closed or gone, and what follows."""
    return words.translate(
        "My topic is closed or gone, so I deal in every topic now. Admins can choose one in /settings. "
        "In a closed topic I can write only as an admin."
    )


async def leave_closed_topic(context: Context) -> Effect:
    """Leave the topic to which the chat is tied when it was closed and the bot is no admin."""
    topic, standings = context.topic or GENERAL_TOPIC, context.services.permissions
    if preferences.read_preferences(context.chat).topic != topic:
        return do_nothing
    if standings is not None and (await standings.load(context.chat.id)).is_admin:
        return do_nothing
    return lambda tx: leave_topic(tx, context.chat.id, topic)


async def leave_if_deleted(context: Context, chosen: Preferences) -> bool:
    """Whether the topic to which the chat is tied was deleted; then the chat is tied to it no more."""
    if not await is_topic_deleted(context, chosen):
        return False
    await context.services.run_effect_now(lambda tx: leave_topic(tx, context.chat.id, chosen.topic))
    return True


async def is_topic_deleted(context: Context, chosen: Preferences) -> bool:
    """Whether the topic to which the chat is tied was deleted.

    Telegram has no way to ask for a topic. But of the message that opened it, which has the topic's number,
    it says whether it is there when a bot wants to edit it. A bot that never saw that message does not know
    the topic's name.
    """
    if chosen.topic in (0, GENERAL_TOPIC) or not chosen.topic_name:
        return False
    opening = {"chat_id": context.chat.id, "message_id": chosen.topic}
    try:
        await context.call_api("editMessageReplyMarkup", **opening)
    except TelegramError as error:
        return "message to edit not found" in error.message.lower()
    return False
