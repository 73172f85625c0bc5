"""Read an update from Telegram, or a submission from the board, as what handlers need of it."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import telegram
from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated, Update, User
from telegram.constants import ChatType, MessageEntityType

from bot.i18n import clean_name
from bot.players.queries import Player
from bot.queue.queries import QueuedUpdate
from bot.queue.updates import Submission, decode_update


@dataclass(frozen=True, slots=True)
class RepliedMessage:
    id: int
    text: str  # or its caption; "" without either
    author: Player | None  # None for bots and chats
    is_own: bool  # whether this bot sent it
    has_photo: bool
    topic_name: str | None  # of the topic that it created: every message in a topic replies to that one
    is_channel_post: bool  # whether it came from the group's channel: every comment replies to such a post


@dataclass(frozen=True, slots=True)
class Message:
    """A message that somebody sent, or whose button was pressed."""

    id: int  # 0 if it is ephemeral
    text: str
    thread_id: int  # of its topic or comments; 0 for neither
    has_photo: bool
    has_attachment: bool  # a photo, sticker, voice message and the like
    is_in_forum: bool
    is_copied: bool  # whether it was forwarded, or sent by way of another bot
    ephemeral_id: int  # of a message that its author and the bot alone see (Bot API 10.2); 0 for any other
    replied: RepliedMessage | None
    quote: str  # the part of the replied message that it quotes
    mentions: tuple[tuple[str, Player | None], ...]  # the words, and the people without usernames they name


@dataclass(frozen=True, slots=True)
class Press:
    id: str  # by which it is answered
    player_id: int  # also of somebody who is no player
    data: str  # of the button; anybody could forge it
    is_genuine: bool  # whether the message has such a button


@dataclass(frozen=True, slots=True)
class MembershipChange:
    """A change of the bot's own membership in a chat; a person who blocks the bot ends it."""

    was_in_chat: bool
    is_in_chat: bool
    may_write: bool


@dataclass(frozen=True, slots=True)
class Incoming:
    """An update as the bot handles it. What it lacks is 0, empty or None."""

    chat_id: int = 0  # its sender's private chat for an inline query
    chat_kind: str = ""
    topic: int = 0
    sender: Player | None = None  # None for channels, other bots and anonymous admins
    is_anonymous_admin: bool = False  # whether an admin writes as the group itself
    language: str | None = None  # the sender's, as Telegram reports it
    usernames: tuple[tuple[int, str | None], ...] = ()  # the sender's and the replied author's, by id
    sent_at: float | None = None  # the date of a new message, or of an answer on the board
    message_id: int = 0  # of the message or of that with the pressed button; 0 if it is ephemeral
    message: Message | None = None  # also None if Telegram does not show the one with the pressed button
    is_command: bool = False  # whether Telegram marks the message as a command
    press: Press | None = None
    inline_query_id: str = ""
    inline_query: str = ""
    membership: MembershipChange | None = None
    migrated_from: int = 0  # the former id of a group that became a supergroup
    migrated_to: int = 0
    is_topic_closed: bool = False
    submission: Submission | None = None  # from the board


def read_queued_update(queued: QueuedUpdate, bot_id: int) -> Incoming:
    """Read an update or a submission of the inbox. Raises various errors if it can't be read."""
    content = decode_update(queued)
    if isinstance(content, Submission):
        return read_submission(content)
    return read_update(content, bot_id)


def read_update(raw: dict[str, Any], bot_id: int) -> Incoming:
    """Read an update as Telegram sent it. Raises various errors if it is none."""
    update = Update.de_json(_remove_polls(raw), None)
    incoming = _read_chat_and_sender(update)
    if update.inline_query:
        query = update.inline_query
        return replace(incoming, inline_query_id=query.id, inline_query=query.query.strip())
    if update.callback_query:
        return _read_press(incoming, update.callback_query, bot_id)
    if update.my_chat_member:
        return replace(incoming, membership=_read_membership_change(update.my_chat_member))
    if update.message and incoming.chat_id:  # Telegram always names the chat; nonsense without one is ignored
        return _read_new_message(incoming, update.message, bot_id)
    return incoming


QUOTES = ("reply_to_message", "external_reply")  # where a message quotes another one


def _remove_polls(raw: dict[str, Any]) -> dict[str, Any]:
    """Remove polls from a raw update and return it: the library fails at those of servers before 9.6."""
    message = raw.get("message")
    if not isinstance(message, dict):
        return raw
    message.pop("poll", None)
    for key in QUOTES:
        quoted = message.get(key)
        if isinstance(quoted, dict):
            quoted.pop("poll", None)
    return raw


def _read_chat_and_sender(update: Update) -> Incoming:
    """Read what updates of all kinds have."""
    user = update.effective_user
    sender = make_player(user)
    users = [user] if user else []
    topic = 0
    message = update.effective_message
    if isinstance(message, telegram.Message):  # else Telegram does not show it
        is_in_name_of_chat = message.sender_chat or message.is_automatic_forward
        if is_in_name_of_chat and not update.callback_query:
            sender = None
        if message.reply_to_message and message.reply_to_message.from_user:
            users.append(message.reply_to_message.from_user)
        if message.is_topic_message:  # an ordinary thread of replies also has an id
            topic = message.message_thread_id or 0
    chat = update.effective_chat
    chat_id = chat.id if chat else 0
    chat_kind = str(chat.type) if chat else ""
    if update.inline_query and user:  # it belongs to its sender's private chat
        chat_id = user.id
        chat_kind = ChatType.PRIVATE
    return Incoming(
        chat_id,
        chat_kind,
        topic=topic,
        sender=sender,
        language=user.language_code if user else None,
        usernames=tuple((each.id, each.username) for each in users),
        message_id=message.message_id if message else 0,
    )


TELEGRAM_USER_ID = 777_000  # the user in whose name Telegram forwards a channel's posts to its group


def make_player(user: User | None) -> Player | None:
    """Return a Telegram user as a player; None for bots and for Telegram itself."""
    if user is None or user.is_bot or user.id == TELEGRAM_USER_ID:
        return None
    name = clean_name(user.first_name or user.username or "")
    return Player(user.id, name, user.username)


def _read_press(incoming: Incoming, query: telegram.CallbackQuery, bot_id: int) -> Incoming:
    data = query.data or ""
    shown = query.message if isinstance(query.message, telegram.Message) else None
    rows = shown.reply_markup.inline_keyboard if shown and shown.reply_markup else ()
    buttons = chain.from_iterable(rows)
    is_genuine = any(button.callback_data == data for button in buttons)
    press = Press(query.id, query.from_user.id, data, is_genuine)
    message = _read_message(shown, bot_id) if shown else None
    return replace(incoming, press=press, message=message)


def _read_membership_change(change: ChatMemberUpdated) -> MembershipChange:
    absent = {ChatMember.LEFT, ChatMember.BANNED}
    member = change.new_chat_member
    return MembershipChange(
        was_in_chat=change.old_chat_member.status not in absent,
        is_in_chat=member.status not in absent,
        may_write=not isinstance(member, ChatMemberRestricted) or member.can_send_messages,
    )


def _read_new_message(incoming: Incoming, message: telegram.Message, bot_id: int) -> Incoming:
    is_command = False
    if message.entities:
        first = message.entities[0]
        is_command = first.type == MessageEntityType.BOT_COMMAND and first.offset == 0
    return replace(
        incoming,
        is_anonymous_admin=message.sender_chat is not None and message.sender_chat.id == message.chat.id,
        sent_at=message.date.timestamp(),
        message=_read_message(message, bot_id),
        is_command=is_command,
        migrated_from=message.migrate_from_chat_id or 0,
        migrated_to=message.migrate_to_chat_id or 0,
        is_topic_closed=message.forum_topic_closed is not None,
    )


def _read_message(message: telegram.Message, bot_id: int) -> Message:
    ephemeral_id = message.api_kwargs.get("ephemeral_message_id")
    replied = message.reply_to_message
    mentions = message.parse_entities([MessageEntityType.TEXT_MENTION])
    return Message(
        message.message_id,
        text=message.text or "",
        thread_id=message.message_thread_id or 0,
        has_photo=bool(message.photo),
        has_attachment=bool(message.effective_attachment),
        is_in_forum=bool(message.chat.is_forum),
        is_copied=bool(message.forward_origin or message.via_bot),
        ephemeral_id=ephemeral_id if isinstance(ephemeral_id, int) else 0,
        replied=_read_replied_message(replied, bot_id) if replied else None,
        quote=message.quote.text if message.quote else "",
        mentions=tuple((words, make_player(entity.user)) for entity, words in mentions.items()),
    )


def _read_replied_message(message: telegram.Message, bot_id: int) -> RepliedMessage:
    user = message.from_user
    return RepliedMessage(
        message.message_id,
        text=message.text or message.caption or "",
        author=None if message.sender_chat else make_player(user),
        is_own=user is not None and user.id == bot_id,
        has_photo=bool(message.photo),
        topic_name=message.forum_topic_created.name if message.forum_topic_created else None,
        is_channel_post=bool(message.is_automatic_forward),
    )


def read_submission(submission: Submission) -> Incoming:
    """Read an answer, or a press on a button that the page showed."""
    player = Player(submission.player_id, clean_name(submission.name), submission.username)
    press = None
    if submission.button:
        press = Press(submission.press_id, player.id, submission.button, is_genuine=True)
    return Incoming(
        submission.chat_id,
        submission.chat_kind,
        topic=submission.topic,
        sender=player,
        language=submission.language,
        usernames=((player.id, player.username),),
        sent_at=None if press else submission.sent_at,
        press=press,
        submission=submission,
    )
