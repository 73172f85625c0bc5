"""Topics of forums."""

from tests.telegram.chats import Chat, Message, Topic, User
from tests.telegram.clock import Clock
from tests.telegram.history import History


class Topics:
    """Actions of people on topics."""

    def __init__(self, clock: Clock, history: History) -> None:
        self._clock = clock
        self._history = history

    def topic(self, chat: Chat, name: str, by: User) -> Topic:
        """Open a topic; messages in General have none."""
        message = self._make_service_message(chat, by)
        message.content = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        topic = chat.topics[message.id] = Topic(message.id, name)
        self._deliver_to_topic(topic, message)
        return topic

    def close_topic(self, chat: Chat, topic: Topic, by: User) -> None:
        """Close a topic to all but administrators."""
        message = self._make_service_message(chat, by)
        message.content = {"forum_topic_closed": {}}
        topic.closed = True
        self._deliver_to_topic(topic, message)

    def delete_topic(self, chat: Chat, topic: Topic) -> None:
        """Delete a topic with its messages; the bot gets no update."""
        del chat.topics[topic.id]
        for message in chat.messages.values():
            message.deleted |= message.topic is topic

    def _make_service_message(self, chat: Chat, by: User) -> Message:
        return Message(chat, self._history.next_id(chat), self._clock.now, by, service=True)

    def _deliver_to_topic(self, topic: Topic, message: Message) -> None:
        message.topic, message.thread = topic, topic.id
        self._history.deliver(message)
