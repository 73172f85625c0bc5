"""A topic that was deleted, of which Telegram tells nobody: the group plays in any topic from then on."""

from telegram.error import TelegramError

from bot.database import Tx
from bot.groups.queries import usual_place
from bot.groups.settings import rules as preferences
from bot.groups.settings.rules import GENERAL, Preferences
from bot.i18n import Html, Words, words
from bot.people import queries as people
from bot.telegram.context import Context
from bot.telegram.messages import Request, post


def leave(tx: Tx, chat_id: int, topic: int) -> list[Request]:
    """Move what is played in the topic to the group itself.

    Where the group was tied to the topic, lift that, and return the message that tells the admins.
    """
    people.move_topic(tx, chat_id, topic)
    if preferences.of(people.find_chat(tx, chat_id, "supergroup")).topic != topic:
        return []
    for key in ("topic", "topic_name"):
        people.choose(tx, chat_id, key, None)
    return [post(chat_id, is_gone(words(usual_place(tx, chat_id).language)))]


def is_gone(words: Words) -> Html:
    """Say that the topic is gone, and what follows."""
    return words.say(
        "The topic I dealt in is gone, so I deal in every topic now. Admins can choose another in /settings."
    )


async def left(context: Context, chosen: Preferences) -> bool:
    """Whether the topic to which the chat is tied was deleted; then the chat is tied to it no more."""
    if not await was_deleted(context, chosen):
        return False
    await context.services.act(lambda tx: leave(tx, context.chat.id, chosen.topic))
    return True


async def was_deleted(context: Context, chosen: Preferences) -> bool:
    """Whether the topic to which the chat is tied was deleted.

    Telegram has no way to ask for a topic. But of the message that opened it, which has the topic's number,
    it says whether it is there when a bot wants to edit it. A bot that never saw that message does not know
    the topic's name.
    """
    if chosen.topic in (0, GENERAL) or not chosen.topic_name:
        return False
    opening = {"chat_id": context.chat.id, "message_id": chosen.topic}
    try:
        await context.lookup("editMessageReplyMarkup", **opening)
    except TelegramError as error:
        return "message to edit not found" in error.message.lower()
    return False
