"""Messages, posts, edits, forwards and links of people."""

import re
from typing import Any, Final

from tests.telegram.chats import Chat, Json, Message, Topic, User
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory, Place
from tests.telegram.history import History
from tests.telegram.signal import Signal

ANONYMOUS_ADMIN: Final = User(1087968824, "Group", username="GroupAnonymousBot", is_bot=True)
CHANNEL_BOT: Final = User(136817688, "Channel", username="Channel_Bot", is_bot=True)
TELEGRAM: Final = User(777000, "Telegram")


class Talk:
    """Messages of people, in their own name, as a group or as a channel."""

    def __init__(self, clock: Clock, signal: Signal, directory: Directory, history: History) -> None:
        self._clock = clock
        self._signal = signal
        self._directory = directory
        self._history = history

    def say(
        self,
        user: User,
        place: Place,
        text: str = "",
        *,
        reply_to: Message | None = None,
        topic: Topic | None = None,
        date: int | None = None,
        via_bot: User | None = None,
        content: Json | None = None,
        hear: bool | None = None,
    ) -> Message:
        """Send a message of a person or another bot; `hear` overrides privacy mode."""
        message = self._history.make_message(self._directory.chat_of(place), user, text, reply_to, topic)
        message.date = self._clock.now if date is None else date
        message.via_bot = via_bot
        message.content = content or {}
        return self._history.deliver(message, hear=hear)

    def say_anonymously(self, chat: Chat, text: str, **more: Any) -> Message:
        """Send a message of an anonymous administrator."""
        return self._say_as(ANONYMOUS_ADMIN, chat, chat, text, **more)

    def say_as_channel(self, chat: Chat, channel: Chat, text: str, **more: Any) -> Message:
        """Send a message in the name of a channel."""
        return self._say_as(CHANNEL_BOT, chat, channel, text, **more)

    def _say_as(self, bot: User, chat: Chat, speaker: Chat, text: str, **more: Any) -> Message:
        message = self._history.make_message(chat, bot, text, more.get("reply_to"), more.get("topic"))
        message.sender_chat = speaker
        return self._history.deliver(message, hear=more.get("hear"))

    def post(self, channel: Chat, text: str) -> Message:
        """Post in a channel; Telegram forwards the post to a linked group."""
        message = self._history.make_message(channel, None, text)
        message.sender_chat = channel
        self._history.deliver(message)
        if channel.linked is not None:
            self._forward_to_group(message, channel.linked)
        return message

    def _forward_to_group(self, post: Message, group: Chat) -> None:
        copy = self._history.make_message(group, TELEGRAM, post.text)
        copy.sender_chat, copy.automatic, copy.origin = post.chat, True, _make_origin(post)
        self._history.deliver(copy)

    def edit(self, message: Message, text: str, *, hear: bool | None = None) -> Message:
        """Edit a message as its author."""
        message.edits.append((message.text, message.markup))
        message.set_text(text)
        message.edit_date = self._clock.now
        kind = "edited_channel_post" if message.chat.type == "channel" else "edited_message"
        self._history.send_update(kind, message, hear=hear)
        self._signal.notify()
        return message

    def forward(self, user: User, message: Message, place: Place, *, hear: bool | None = None) -> Message:
        """Forward a message to a place."""
        copy = self._history.make_message(self._directory.chat_of(place), user, message.text)
        copy.content = {} if message.service else dict(message.content)
        copy.origin = _make_origin(message)
        return self._history.deliver(copy, hear=hear)

    def delete(self, message: Message) -> None:
        """Delete a message; the bot gets no update."""
        message.deleted = True
        self._signal.notify()

    def start(self, user: User, payload: str = "") -> Message:
        """Open the private chat by the bot's link `t.me/bot?start=payload`."""
        assert re.fullmatch(r"[A-Za-z0-9_-]{0,64}", payload), f"{payload!r} is no start parameter"
        return self.say(user, user, f"/start {payload}".rstrip())

    def open_link(self, user: User, message: Message, which: str | int) -> Message:
        """Press a button that is a `?start=` link to the bot."""
        url = str(message.button(which)["url"])
        return self.start(user, url.partition("?start=")[2])


def _make_origin(message: Message) -> Json:
    """Return the `forward_origin` for a copy of a message."""
    if message.origin is not None:
        return message.origin
    if message.chat.type == "channel":
        chat = message.chat.json()
        return {"type": "channel", "date": message.date, "chat": chat, "message_id": message.id}
    if message.sender_chat is not None:
        return {"type": "chat", "date": message.date, "sender_chat": message.sender_chat.json()}
    assert message.sender is not None
    return {"type": "user", "date": message.date, "sender_user": message.sender.json()}
