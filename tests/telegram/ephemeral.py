"""Ephemeral messages: what one member of a group and the bot say to each other, seen by nobody else.

https://core.telegram.org/bots/api (10.2 and 10.3). How Telegram words its refusals is not documented: the
double's words are its own, and a bot that reads them is wrong.
"""

# ruff: noqa: N802 - methods bear the API's own names

from collections.abc import Iterator
from typing import Any, Final

from tests.telegram.chats import Chat, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, Writing, keyboard, written
from tests.telegram.directory import Directory
from tests.telegram.entities import length
from tests.telegram.errors import ApiError, forbidden, refused
from tests.telegram.feed import Feed
from tests.telegram.limits import Flood
from tests.telegram.presses import Presses
from tests.telegram.room import Room
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
        room: Room,
        presses: Presses,
        feed: Feed,
        flood: Flood,
    ) -> None:
        self._bot = bot
        self._ids = ids
        self._clock = clock
        self._signal = signal
        self._directory = directory
        self._room = room
        self._presses = presses
        self._feed = feed
        self._flood = flood
        self._refusals = 0
        self.old = False
        """Whether the server is older than that: it ignores the parameters that it does not know, and posts
        for all to read."""
        self.messages: list[Message] = []
        """In order, the deleted ones too."""

    def say(self, user: User, chat: Chat, text: str) -> Message:
        """A member sends an ephemeral command, from an app that knows such."""
        assert text.startswith("/"), "400 MESSAGE_NOT_COMMAND"
        message = self._message(chat, user, self._bot)
        message.set_text(text)
        self._feed.publish("message", message.json(), chat.id)
        self._signal.notify()
        return message

    def told(self, user: User, chat: Chat) -> list[Message]:
        """What the bot has told that person alone there and not deleted, oldest first."""
        return [m for m in self.messages if m.receiver is user and m.chat is chat and not m.deleted]

    def seen_by(self, user: User, chat: Chat) -> list[Message]:
        """All that the person can read in the group."""
        own = [
            m for m in self.messages if user in (m.receiver, m.sender) and m.chat is chat and not m.deleted
        ]
        return [*chat.said, *own]

    def are_meant(self, params: Params) -> bool:
        """Whether a post is to be ephemeral, by a server that knows such."""
        return RECEIVER in params and not self.old

    def unknown_here(self, params: Params) -> Params:
        """The parameters without those that this server does not know."""
        if not self.old:
            return params
        known = {name: value for name, value in params.items() if name != RECEIVER}
        if "ephemeral_message_id" in known.get("reply_parameters", {}):
            del known["reply_parameters"]
        return known

    def post(self, params: Params, words: Writing) -> Message:
        """An ephemeral message of the bot, if it may send one there now."""
        chat = self._room.chat(params)
        receiver = self._receiver(chat, params[RECEIVER].get("receiver_user_id"))
        if not (self._room.me(chat).admin or self._answers(chat, receiver, params)):
            raise self._refusal()
        self._flood.admit(chat)
        message = self._message(chat, self._bot, receiver)
        message.text, message.entities = words.text, words.entities
        message.markup, _ = keyboard(params.get("reply_markup"))
        self._signal.notify()
        return message

    def _message(self, chat: Chat, sender: User, receiver: User) -> Message:
        message = Message(chat, 0, self._clock.now, sender)
        message.receiver, message.ephemeral = receiver, FIRST + next(self._ids)
        self.messages.append(message)
        return message

    def _receiver(self, chat: Chat, number: Any) -> User:
        user = self._directory.users.get(number)
        if not chat.is_group or user is None or user.is_bot or not chat.member(user).present:
            raise self._refusal()
        return user

    def _answers(self, chat: Chat, receiver: User, params: Params) -> bool:
        """Whether the receiver has just pressed what is named, or sent it."""
        press = self._presses.known(params[RECEIVER].get("callback_query_id", ""))
        if press is not None:
            return press.user is receiver and press.message.chat is chat and self._is_recent(press.at)
        number = params.get("reply_parameters", {}).get("ephemeral_message_id")
        said = (m for m in self.messages if m.sender is receiver and m.chat is chat)
        return any(m.ephemeral == number and self._is_recent(m.date) for m in said)

    def _is_recent(self, at: float) -> bool:
        return self._clock() - at <= WINDOW

    def _refusal(self) -> ApiError:
        """One of two, in turn: nobody knows which it is."""
        self._refusals += 1
        if self._refusals % 2:
            return refused("the double would rather not say that here")
        return forbidden("the double has its reasons")

    def _own(self, params: Params) -> Message:
        chat = self._room.chat(params, posting=False)
        number = params["ephemeral_message_id"]
        mine = (m for m in self.messages if m.sender is self._bot and m.chat is chat and not m.deleted)
        for message in mine:
            receiver = message.receiver.id if message.receiver else 0
            if (receiver, message.ephemeral) == (params["receiver_user_id"], number):
                return message
        raise self._refusal()

    def editEphemeralMessageText(self, params: Params, files: Files) -> bool:
        message, words = self._own(params), written(params)
        if length(words.text) > MOST_CAPTION:
            raise refused("MEDIA_CAPTION_TOO_LONG")
        message.edits.append((message.text, message.markup))
        message.text, message.entities = words.text, words.entities
        return self.editEphemeralMessageReplyMarkup(params, files)

    def editEphemeralMessageReplyMarkup(self, params: Params, files: Files) -> bool:
        message = self._own(params)
        message.markup, _ = keyboard(params.get("reply_markup"))
        self._signal.notify()
        return True

    def deleteEphemeralMessage(self, params: Params, files: Files) -> bool:
        self._own(params).deleted = True
        self._signal.notify()
        return True
