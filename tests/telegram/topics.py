"""A forum's topics."""

from tests.telegram.chats import Chat, Message, Topic, User
from tests.telegram.clock import Clock
from tests.telegram.history import History


class Topics:
    """People open topics, close and delete them."""

    def __init__(self, clock: Clock, history: History) -> None:
        self._clock = clock
        self._history = history

    def topic(self, chat: Chat, name: str, by: User) -> Topic:
        """A new topic of a forum. General needs none: speak without a topic."""
        message = self._service_message(chat, by)
        message.content = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        topic = chat.topics[message.id] = Topic(message.id, name)
        self._happen_in(topic, message)
        return topic

    def close_topic(self, chat: Chat, topic: Topic, by: User) -> None:
        """Only administrators may speak in it from now on."""
        message = self._service_message(chat, by)
        message.content = {"forum_topic_closed": {}}
        topic.closed = True
        self._happen_in(topic, message)

    def delete_topic(self, chat: Chat, topic: Topic) -> None:
        """The topic is gone, with every message in it; the bot isn't told."""
        del chat.topics[topic.id]
        for message in chat.messages.values():
            message.deleted |= message.topic is topic

    def _service_message(self, chat: Chat, by: User) -> Message:
        return Message(chat, self._history.next_id(chat), self._clock.now, by, service=True)

    def _happen_in(self, topic: Topic, message: Message) -> None:
        message.topic, message.thread = topic, topic.id
        self._history.happen(message)
