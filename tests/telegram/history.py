"""How a message comes into its chat: numbered, dated, kept, and passed on to the bot if it may hear it."""

from collections.abc import Iterator
from typing import Any

from tests.telegram.chats import Chat, Message, Topic, User
from tests.telegram.clock import Clock
from tests.telegram.feed import Feed
from tests.telegram.hearing import Hearing
from tests.telegram.signal import Signal


class History:
    """Everything that was said, by whomever."""

    def __init__(
        self, ids: Iterator[int], clock: Clock, signal: Signal, hearing: Hearing, feed: Feed
    ) -> None:
        self._ids = ids
        self._clock = clock
        self._signal = signal
        self._hearing = hearing
        self._feed = feed
        self._last = 0
        self.inline: dict[str, Message] = {}
        """Messages that came through inline mode with a keyboard, by `inline_message_id`."""

    def next_id(self, chat: Chat) -> int:
        """Supergroups and channels count for themselves, all other chats of the bot together."""
        if chat.type in {"supergroup", "channel"}:
            chat.last_id += 1
        else:
            self._last += 1
            chat.last_id = self._last
        return chat.last_id

    def write(
        self,
        chat: Chat,
        sender: User | None,
        text: str,
        reply_to: Message | None = None,
        topic: Topic | None = None,
    ) -> Message:
        """A message of a person, in the thread where Telegram puts it, but not in the chat yet."""
        message = Message(chat, self.next_id(chat), self._clock.now, sender)
        message.set_text(text)
        message.reply_to = reply_to
        message.topic = topic or (reply_to.topic if reply_to else None)
        if message.topic is not None:
            message.thread = message.topic.id
            # Whatever is said in a topic replies at least to the message that opened it.
            message.reply_to = reply_to or chat.messages.get(message.topic.id)
        elif reply_to is not None and chat.type == "supergroup":
            message.thread = reply_to.thread or reply_to.id
        return message

    def add(self, message: Message) -> Message:
        """Put a message into its chat."""
        message.chat.messages[message.id] = message
        if message.sender is not None and message.sender.is_bot and not message.service:
            message.chat.last_bot = message.sender.id
        self._signal.notify()
        return message

    def add_inline(self, message: Message) -> None:
        """Name a message as the bot will know it that sees no chat."""
        message.inline_id = f"inline-{next(self._ids)}"
        self.inline[message.inline_id] = message

    def happen(self, message: Message, *, hear: bool | None = None) -> Message:
        """Put it into its chat and tell the bot; `hear` overrules what privacy mode says."""
        self.add(message)
        kind = "channel_post" if message.chat.type == "channel" else "message"
        self.tell(kind, message, hear=hear)
        return message

    def tell(self, kind: str, message: Message, *, hear: bool | None = None) -> None:
        """Tell the bot of a message, if it may hear it."""
        if self._hearing.hears(message) if hear is None else hear:
            self._feed.publish(kind, message.json(), message.chat.id)

    def announce(self, chat: Chat, by: User, **content: Any) -> None:
        """A service message, such as `new_chat_title=…`."""
        number = self.next_id(chat)
        self.happen(Message(chat, number, self._clock.now, by, content=content, service=True))
