"""Where the bot stands in a chat: may it come in, may it speak, which message is meant."""

from collections.abc import Mapping
from typing import Any

from tests.telegram.chats import Chat, Member, Message, Topic, User
from tests.telegram.directory import Directory
from tests.telegram.errors import Violation, forbidden, refused
from tests.telegram.history import History


class Room:
    """The bot's way into chats; each door raises ApiError with Telegram's words when it's shut."""

    def __init__(self, bot: User, directory: Directory, history: History) -> None:
        self._bot = bot
        self._directory = directory
        self._history = history

    def me(self, chat: Chat) -> Member:
        """How the bot stands there."""
        return chat.member(self._bot)

    def chat(self, params: Mapping[str, Any], *, posting: bool = True) -> Chat:
        """The chat named in the request; ApiError when the bot can't act there."""
        chat = self._find(params["chat_id"])
        if chat.migrated_to is not None:
            raise refused(
                "group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to.id
            )
        if chat.type == "private" and not chat.messages:
            raise forbidden("bot can't initiate conversation with a user")
        self._require_entry(chat, self.me(chat))
        if posting:
            self._require_voice(chat, self.me(chat))
        return chat

    def _find(self, number: int | str) -> Chat:
        if isinstance(number, str):
            return self._public(number)
        if number in self._directory.chats:
            return self._directory.chats[number]
        if number in self._directory.users:
            raise forbidden("bot can't initiate conversation with a user")
        raise refused("chat not found")

    def _public(self, name: str) -> Chat:
        for chat in self._directory.chats.values():
            if chat.type != "private" and chat.username is not None and f"@{chat.username}" == name:
                return chat
        raise refused("chat not found")

    def _require_entry(self, chat: Chat, me: Member) -> None:
        if me.present:
            return
        if chat.type == "private":
            raise forbidden("bot was blocked by the user")
        kind = f"{chat.type} chat"
        if me.status == "kicked":
            raise forbidden(f"bot was kicked from the {kind}")
        raise forbidden(f"bot is not a member of the {kind}")

    def _require_voice(self, chat: Chat, me: Member) -> None:
        if chat.type == "private" or me.admin:
            return
        self.require_permission(chat, "can_send_messages", "text messages")
        if chat.type == "channel":
            raise refused("need administrator rights in the channel chat")

    def require_permission(self, chat: Chat, permission: str, what: str) -> None:
        """What members may send binds a bot that is no administrator."""
        me = self.me(chat)
        if (
            chat.is_group
            and not me.admin
            and (me.status == "restricted" or permission not in chat.permissions)
        ):
            raise refused(f"not enough rights to send {what} to the chat")

    def message(self, params: Mapping[str, Any], what: str) -> Message:
        """The message named in the request; `what` goes into the error: message to `what` not found."""
        if "inline_message_id" in params:
            found = self._history.inline.get(params["inline_message_id"])
            if found is None:
                raise refused("MESSAGE_ID_INVALID")
            return found
        if "chat_id" not in params or "message_id" not in params:
            raise Violation("message identifier is not specified")
        if params["message_id"] == 0:
            raise Violation("0 is the message_id of every ephemeral message")
        message = self.chat(params, posting=False).messages.get(params["message_id"])
        if message is None or message.deleted:
            raise refused(f"message to {what} not found")
        return message

    def own(self, params: Mapping[str, Any]) -> Message:
        """A message that the bot may edit."""
        message = self.message(params, "edit")
        if message.sender is not self._bot and message.via_bot is not self._bot:
            raise refused("message can't be edited")
        return message

    def topic(self, chat: Chat, thread: int | None, reply: Message | None) -> Topic | None:
        """Where a post goes: the thread named, else the topic of what it replies to; General has no id."""
        if thread is None:
            return reply.topic if reply else None
        topic = chat.topics.get(thread)
        if topic is None:
            raise refused("message thread not found")
        if topic.closed and not self.me(chat).admin:
            raise refused("TOPIC_CLOSED")
        return topic

    def replied(self, chat: Chat, params: Mapping[str, Any]) -> Message | None:
        """What the post replies to."""
        wanted = params.get("reply_parameters")
        if wanted is None:
            return None
        if wanted.get("message_id") == 0:
            raise Violation("0 is the message_id of every ephemeral message")
        home = self._find(wanted["chat_id"]) if "chat_id" in wanted else chat
        message = home.messages.get(wanted.get("message_id", 0))
        if message is not None and not message.deleted:
            return message
        if wanted.get("allow_sending_without_reply"):
            return None
        raise refused("message to be replied not found")
