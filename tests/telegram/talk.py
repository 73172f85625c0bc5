"""What people say: messages, posts, edits, forwards, links; at once, and the bot is told what it may hear."""

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
    """People speak, in their own name, as a group or as a channel."""

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
        """A person (or another bot) sends a message; `hear` overrules what privacy mode says."""
        message = self._history.write(self._directory.chat_of(place), user, text, reply_to, topic)
        message.date = self._clock.now if date is None else date
        message.via_bot = via_bot
        message.content = content or {}
        return self._history.happen(message, hear=hear)

    def say_anonymously(self, chat: Chat, text: str, **more: Any) -> Message:
        """An administrator who stays anonymous: the group itself speaks."""
        return self._say_as(ANONYMOUS_ADMIN, chat, chat, text, **more)

    def say_as_channel(self, chat: Chat, channel: Chat, text: str, **more: Any) -> Message:
        """Somebody speaks in the name of a channel."""
        return self._say_as(CHANNEL_BOT, chat, channel, text, **more)

    def _say_as(self, bot: User, chat: Chat, speaker: Chat, text: str, **more: Any) -> Message:
        message = self._history.write(chat, bot, text, more.get("reply_to"), more.get("topic"))
        message.sender_chat = speaker
        return self._history.happen(message, hear=more.get("hear"))

    def post(self, channel: Chat, text: str) -> Message:
        """A post in a channel; a linked group gets it forwarded by Telegram."""
        message = self._history.write(channel, None, text)
        message.sender_chat = channel
        self._history.happen(message)
        if channel.linked is not None:
            self._forward_to_group(message, channel.linked)
        return message

    def _forward_to_group(self, post: Message, group: Chat) -> None:
        copy = self._history.write(group, TELEGRAM, post.text)
        copy.sender_chat, copy.automatic, copy.origin = post.chat, True, _origin(post)
        self._history.happen(copy)

    def edit(self, message: Message, text: str, *, hear: bool | None = None) -> Message:
        """The author changes a message."""
        message.edits.append((message.text, message.markup))
        message.set_text(text)
        message.edit_date = self._clock.now
        kind = "edited_channel_post" if message.chat.type == "channel" else "edited_message"
        self._history.tell(kind, message, hear=hear)
        self._signal.notify()
        return message

    def forward(self, user: User, message: Message, place: Place, *, hear: bool | None = None) -> Message:
        """A person forwards a message."""
        copy = self._history.write(self._directory.chat_of(place), user, message.text)
        copy.content = {} if message.service else dict(message.content)
        copy.origin = _origin(message)
        return self._history.happen(copy, hear=hear)

    def delete(self, message: Message) -> None:
        """The author or an administrator deletes a message; the bot isn't told."""
        message.deleted = True
        self._signal.notify()

    def start(self, user: User, payload: str = "") -> Message:
        """Open the private chat through the bot's link, `t.me/bot?start=payload`."""
        assert re.fullmatch(r"[A-Za-z0-9_-]{0,64}", payload), f"{payload!r} is no start parameter"
        return self.say(user, user, f"/start {payload}".rstrip())

    def open_link(self, user: User, message: Message, which: str | int) -> Message:
        """Press a button that is a `?start=` link to the bot."""
        url = str(message.button(which)["url"])
        return self.start(user, url.partition("?start=")[2])


def _origin(message: Message) -> Json:
    """`forward_origin` of a copy of this message."""
    if message.origin is not None:
        return message.origin
    if message.chat.type == "channel":
        chat = message.chat.json()
        return {"type": "channel", "date": message.date, "chat": chat, "message_id": message.id}
    if message.sender_chat is not None:
        return {"type": "chat", "date": message.date, "sender_chat": message.sender_chat.json()}
    assert message.sender is not None
    return {"type": "user", "date": message.date, "sender_user": message.sender.json()}
