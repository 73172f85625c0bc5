"""Ephemeral messages in groups, which only one member and the bot see.

https://core.telegram.org/bots/api (10.2 and 10.3). Telegram's words for refusals are not documented; a bot
must not depend on the words used here.
"""

# ruff: noqa: N802 - methods have the API's names

from collections.abc import Iterator
from typing import Any, Final

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Chat, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, FormattedText, check_keyboard, parse_text
from tests.telegram.directory import Directory
from tests.telegram.entities import count_units
from tests.telegram.errors import ApiError, bad_request, forbidden
from tests.telegram.feed import Feed
from tests.telegram.limits import Flood
from tests.telegram.presses import Presses
from tests.telegram.signal import Signal
from tests.telegram.uploads import Files, Params

WINDOW: Final = 15  # Seconds after a press or an ephemeral command in which any bot may answer it
FIRST: Final = 29_341_834
RECEIVER: Final = "ephemeral_message_parameters"


class Ephemerals:
    """The bot's ephemeral messages and those of people, in all groups."""

    def __init__(
        self,
        bot: User,
        ids: Iterator[int],
        clock: Clock,
        signal: Signal,
        directory: Directory,
        access: ChatAccess,
        presses: Presses,
        feed: Feed,
        flood: Flood,
    ) -> None:
        self._bot = bot
        self._ids = ids
        self._clock = clock
        self._signal = signal
        self._directory = directory
        self._access = access
        self._presses = presses
        self._feed = feed
        self._flood = flood
        self._refusals = 0
        # Whether the server does not know ephemeral messages: it ignores their parameters and posts to all.
        self.old = False
        self.messages: list[Message] = []  # In order, the deleted ones too

    def say(self, user: User, chat: Chat, text: str) -> Message:
        """Send an ephemeral command of a member."""
        assert text.startswith("/"), "400 MESSAGE_NOT_COMMAND"
        message = self._add_message(chat, user, self._bot)
        message.set_text(text)
        self._feed.publish("message", message.json(), chat.id)
        self._signal.notify()
        return message

    def told(self, user: User, chat: Chat) -> list[Message]:
        """Return the bot's ephemeral messages to a person in a chat, oldest first, without deleted ones."""
        return [m for m in self.messages if m.receiver is user and m.chat is chat and not m.deleted]

    def seen_by(self, user: User, chat: Chat) -> list[Message]:
        """Return all messages that a person can read in a group."""
        own = [
            m for m in self.messages if user in (m.receiver, m.sender) and m.chat is chat and not m.deleted
        ]
        return [*chat.said, *own]

    def is_ephemeral(self, params: Params) -> bool:
        """Whether a post becomes ephemeral on this server."""
        return RECEIVER in params and not self.old

    def drop_unknown(self, params: Params) -> Params:
        """Return the parameters that this server knows."""
        if not self.old:
            return params
        known = {name: value for name, value in params.items() if name != RECEIVER}
        if "ephemeral_message_id" in known.get("reply_parameters", {}):
            del known["reply_parameters"]
        return known

    def post(self, params: Params, words: FormattedText) -> Message:
        """Post an ephemeral message of the bot; ApiError if it may not send one now."""
        chat = self._access.find_chat(params)
        receiver = self._find_receiver(chat, params[RECEIVER].get("receiver_user_id"))
        if not (self._access.own_membership(chat).admin or self._is_recent_reply(chat, receiver, params)):
            raise self._refusal()
        self._flood.admit(chat)
        message = self._add_message(chat, self._bot, receiver)
        message.text, message.entities = words.text, words.entities
        message.markup, _ = check_keyboard(params.get("reply_markup"))
        self._signal.notify()
        return message

    def _add_message(self, chat: Chat, sender: User, receiver: User) -> Message:
        message = Message(chat, 0, self._clock.now, sender)
        message.receiver, message.ephemeral = receiver, FIRST + next(self._ids)
        self.messages.append(message)
        return message

    def _find_receiver(self, chat: Chat, number: Any) -> User:
        user = self._directory.users.get(number)
        if not chat.is_group or user is None or user.is_bot or not chat.member(user).present:
            raise self._refusal()
        return user

    def _is_recent_reply(self, chat: Chat, receiver: User, params: Params) -> bool:
        """Whether the request answers a recent press or ephemeral command of the receiver."""
        press = self._presses.find(params[RECEIVER].get("callback_query_id", ""))
        if press is not None:
            return press.user is receiver and press.message.chat is chat and self._is_recent(press.at)
        number = params.get("reply_parameters", {}).get("ephemeral_message_id")
        said = (m for m in self.messages if m.sender is receiver and m.chat is chat)
        return any(m.ephemeral == number and self._is_recent(m.date) for m in said)

    def _is_recent(self, at: float) -> bool:
        return self._clock() - at <= WINDOW

    def _refusal(self) -> ApiError:
        """Return one of two errors in turn, since Telegram's own is not documented."""
        self._refusals += 1
        if self._refusals % 2:
            return bad_request("the fake refuses this message")
        return forbidden("the fake forbids this message")

    def _find_own(self, params: Params) -> Message:
        chat = self._access.find_chat(params, posting=False)
        number = params["ephemeral_message_id"]
        mine = (m for m in self.messages if m.sender is self._bot and m.chat is chat and not m.deleted)
        for message in mine:
            receiver = message.receiver.id if message.receiver else 0
            if (receiver, message.ephemeral) == (params["receiver_user_id"], number):
                return message
        raise self._refusal()

    def editEphemeralMessageText(self, params: Params, files: Files) -> bool:
        message, words = self._find_own(params), parse_text(params)
        if count_units(words.text) > MOST_CAPTION:
            raise bad_request("MEDIA_CAPTION_TOO_LONG")
        message.edits.append((message.text, message.markup))
        message.text, message.entities = words.text, words.entities
        return self.editEphemeralMessageReplyMarkup(params, files)

    def editEphemeralMessageReplyMarkup(self, params: Params, files: Files) -> bool:
        message = self._find_own(params)
        message.markup, _ = check_keyboard(params.get("reply_markup"))
        self._signal.notify()
        return True

    def deleteEphemeralMessage(self, params: Params, files: Files) -> bool:
        self._find_own(params).deleted = True
        self._signal.notify()
        return True
