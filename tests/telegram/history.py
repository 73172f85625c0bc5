"""Messages are numbered, dated, stored in their chat, and sent to the bot if it may read them."""

from collections.abc import Iterator
from typing import Any

from tests.telegram.chats import Chat, Message, Topic, User
from tests.telegram.clock import Clock
from tests.telegram.feed import Feed
from tests.telegram.privacy import PrivacyMode
from tests.telegram.signal import Signal


class History:
    """The messages of all chats."""

    def __init__(
        self, ids: Iterator[int], clock: Clock, signal: Signal, privacy_mode: PrivacyMode, feed: Feed
    ) -> None:
        self._ids = ids
        self._clock = clock
        self._signal = signal
        self._privacy = privacy_mode
        self._feed = feed
        self._last = 0
        # Messages that were posted through inline mode with a keyboard, by `inline_message_id`.
        self.inline: dict[str, Message] = {}

    def next_id(self, chat: Chat) -> int:
        """Return the next message id; only supergroups and channels have counters of their own."""
        if chat.type in {"supergroup", "channel"}:
            chat.last_id += 1
        else:
            self._last += 1
            chat.last_id = self._last
        return chat.last_id

    def make_message(
        self,
        chat: Chat,
        sender: User | None,
        text: str,
        reply_to: Message | None = None,
        topic: Topic | None = None,
    ) -> Message:
        """Return a new message of a person with its thread, not yet in its chat."""
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
        """Add a message to its chat."""
        message.chat.messages[message.id] = message
        if message.sender is not None and message.sender.is_bot and not message.service:
            message.chat.last_bot = message.sender.id
        self._signal.notify()
        return message

    def add_inline(self, message: Message) -> None:
        """Give a message an `inline_message_id`."""
        message.inline_id = f"inline-{next(self._ids)}"
        self.inline[message.inline_id] = message

    def deliver(self, message: Message, *, hear: bool | None = None) -> Message:
        """Add a message to its chat and send it to the bot; `hear` overrides privacy mode."""
        self.add(message)
        kind = "channel_post" if message.chat.type == "channel" else "message"
        self.send_update(kind, message, hear=hear)
        return message

    def send_update(self, kind: str, message: Message, *, hear: bool | None = None) -> None:
        """Send an update about a message to the bot, if it may read it; `hear` overrides privacy mode."""
        if self._privacy.passes(message) if hear is None else hear:
            self._feed.publish(kind, message.json(), message.chat.id)

    def add_service_message(self, chat: Chat, by: User, **content: Any) -> None:
        """Add a service message, such as `new_chat_title=…`."""
        number = self.next_id(chat)
        self.deliver(Message(chat, number, self._clock.now, by, content=content, service=True))
