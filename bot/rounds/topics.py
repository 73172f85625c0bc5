"""Topics of a group: where the bot posts, and what happens once it can't write in a topic any more.

Telegram tells of a topic that was closed, in which admins may still write, but not of one that was deleted.
"""

from dataclasses import dataclass

from sqlalchemy import select
from telegram.error import TelegramError

from bot.database import Tx
from bot.database.schema import rounds as rounds_table
from bot.i18n import SOURCE_LANGUAGE, Html, Words, escape_value, format_name, get_words
from bot.players import post_hours
from bot.players import queries as people
from bot.players.preferences import GENERAL_TOPIC, Preferences, read_preferences
from bot.queue.outgoing import Outgoing
from bot.rounds import queries as rounds
from bot.telegram.context import Context, Effect, do_nothing
from bot.telegram.messages import post_message, show_round


@dataclass(frozen=True, slots=True)
class PostTarget:
    """The topic and language of a scheduled post."""

    topic: int  # The topic's thread; 0 if there is none
    language: str


def load_post_target(tx: Tx, chat_id: int) -> PostTarget:
    """Return the topic and language that the group chose, else those of its latest round.

    Without a round: the language in which the group turned its posts on, else English. The topic is 0 for the
    General topic and where the group has none.
    """
    chat = people.load_group(tx, chat_id)
    preferences = read_preferences(chat)
    in_chat = select(rounds_table.c.topic, rounds_table.c.language).where(rounds_table.c.chat_id == chat_id)
    latest = tx.execute(in_chat.order_by(rounds_table.c.id.desc()).limit(1)).first()
    topic = preferences.topic or (latest.topic if latest else 0)
    language = chat.language or (latest.language if latest else post_hours.read_language(preferences))
    is_general = topic == GENERAL_TOPIC  # Messages there name no thread
    return PostTarget(0 if is_general else topic, language or SOURCE_LANGUAGE)


def leave_topic(tx: Tx, chat_id: int, topic: int) -> list[Outgoing]:
    """Move what is played in the topic to the group itself, and return requests to show an open hand there.

    If the group plays in this topic only, delete that choice and return a message that says so too.
    """
    round = rounds.load_open_round(tx, chat_id, topic)
    people.move_topic_to_chat(tx, chat_id, topic)
    requests = list[Outgoing]()
    if round is not None and round.message_id is not None:
        open_round = rounds.load_open_round(tx, chat_id, topic=0)
        # The round ended if the group had an open one; then its old message shows that
        is_open = open_round is not None and open_round.id == round.id
        needs_new_message = False
        if is_open:
            needs_new_message = rounds.record_lost_message(tx, chat_id, round.message_id, clock_only=False)
        requests = [show_round(round.chat_id, round.id, new=needs_new_message)]
    if read_preferences(people.load_group(tx, chat_id)).topic != topic:
        return requests
    for key in ("topic", "topic_name"):
        people.store_setting(tx, chat_id, key, value=None)
    words = get_words(load_post_target(tx, chat_id).language)
    return [post_message(chat_id, render_topic_gone(words)), *requests]


def render_topic_gone(words: Words) -> Html:
    return words.translate(
        "My topic is closed or gone, so I deal in every topic now. Admins can choose one in /settings. "
        "In a closed topic I can write only as an admin."
    )


async def leave_closed_topic(context: Context) -> Effect:
    """Leave the group's only topic if it was closed and the bot is no admin."""
    topic = context.topic or GENERAL_TOPIC
    permissions = context.services.permissions
    if read_preferences(context.chat).topic != topic:
        return do_nothing
    if permissions is not None and (await permissions.load(context.chat.id)).is_admin:
        return do_nothing
    return lambda tx: leave_topic(tx, context.chat.id, topic)


async def leave_topic_if_deleted(context: Context, preferences: Preferences) -> bool:
    """Leave the group's only topic at once if it was deleted, see `leave_topic`; return whether it was."""
    if not await is_topic_deleted(context, preferences):
        return False
    await context.services.run_effect_now(lambda tx: leave_topic(tx, context.chat.id, preferences.topic))
    return True


async def is_topic_deleted(context: Context, preferences: Preferences) -> bool:
    """Whether the group's only topic was deleted; False if the bot has never seen the topic's first message.
    Telegram has no method for it. But the message that opened a topic has the topic's number, and an attempt
    to edit it says whether it exists.
    """
    if preferences.topic in (0, GENERAL_TOPIC) or not preferences.topic_name:
        return False
    first_message = {"chat_id": context.chat.id, "message_id": preferences.topic}
    try:
        await context.call_api("editMessageReplyMarkup", **first_message)
    except TelegramError as error:
        return "message to edit not found" in error.message.lower()
    return False


SUPERGROUP_OFFSET = 10**12  # A supergroup's id is minus the sum of this and the number in its links


def render_topic_link(words: Words, chat_id: int, preferences: Preferences) -> Html:
    """Render a link to the only topic in which a chat plays; just its name if the chat has no links."""
    name = words.translate("that topic")
    if preferences.topic_name:
        name = format_name(preferences.topic_name)
    elif preferences.topic == GENERAL_TOPIC:
        name = words.translate("General")
    number = -chat_id - SUPERGROUP_OFFSET
    if number <= 0:
        return name
    return Html(f'<a href="https://t.me/c/{number}/{preferences.topic}">{escape_value(name)}</a>')
