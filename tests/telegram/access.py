"""The bot's access to chats, messages and topics."""

from collections.abc import Mapping
from typing import Any

from tests.telegram.chats import Chat, Member, Message, Topic, User
from tests.telegram.directory import Directory
from tests.telegram.errors import Violation, bad_request, forbidden
from tests.telegram.history import History


class ChatAccess:
    """Finds what a request names; raises ApiError as Telegram does if the bot has no access."""

    def __init__(self, bot: User, directory: Directory, history: History) -> None:
        self._bot = bot
        self._directory = directory
        self._history = history

    def own_membership(self, chat: Chat) -> Member:
        """Return the bot's membership in a chat."""
        return chat.member(self._bot)

    def find_chat(self, params: Mapping[str, Any], *, posting: bool = True) -> Chat:
        """Return the request's chat; ApiError if the bot can't act there, or with `posting` can't post."""
        chat = self._find_by_id(params["chat_id"])
        if chat.migrated_to is not None:
            raise bad_request(
                "group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to.id
            )
        if chat.type == "private" and not chat.messages:
            raise forbidden("bot can't initiate conversation with a user")
        self._require_membership(chat, self.own_membership(chat))
        if posting:
            self._require_posting_right(chat, self.own_membership(chat))
        return chat

    def _find_by_id(self, number: int | str) -> Chat:
        if isinstance(number, str):
            return self._find_by_name(number)
        if number in self._directory.chats:
            return self._directory.chats[number]
        if number in self._directory.users:
            raise forbidden("bot can't initiate conversation with a user")
        raise bad_request("chat not found")

    def _find_by_name(self, name: str) -> Chat:
        for chat in self._directory.chats.values():
            if chat.type != "private" and chat.username is not None and f"@{chat.username}" == name:
                return chat
        raise bad_request("chat not found")

    def _require_membership(self, chat: Chat, me: Member) -> None:
        if me.present:
            return
        if chat.type == "private":
            raise forbidden("bot was blocked by the user")
        kind = f"{chat.type} chat"
        if me.status == "kicked":
            raise forbidden(f"bot was kicked from the {kind}")
        raise forbidden(f"bot is not a member of the {kind}")

    def _require_posting_right(self, chat: Chat, me: Member) -> None:
        if chat.type == "private" or me.admin:
            return
        self.require_permission(chat, "can_send_messages", "text messages")
        if chat.type == "channel":
            raise bad_request("need administrator rights in the channel chat")

    def require_permission(self, chat: Chat, permission: str, what: str) -> None:
        """Raise ApiError if members may not send that and the bot is no administrator."""
        me = self.own_membership(chat)
        if (
            chat.is_group
            and not me.admin
            and (me.status == "restricted" or permission not in chat.permissions)
        ):
            raise bad_request(f"not enough rights to send {what} to the chat")

    def find_message(self, params: Mapping[str, Any], what: str) -> Message:
        """Return the request's message; `what` is the verb in the error: message to `what` not found."""
        if "inline_message_id" in params:
            found = self._history.inline.get(params["inline_message_id"])
            if found is None:
                raise bad_request("MESSAGE_ID_INVALID")
            return found
        if "chat_id" not in params or "message_id" not in params:
            raise Violation("message identifier is not specified")
        if params["message_id"] == 0:
            raise Violation("0 is the message_id of every ephemeral message")
        message = self.find_chat(params, posting=False).messages.get(params["message_id"])
        if message is None or message.deleted:
            raise bad_request(f"message to {what} not found")
        return message

    def find_own_message(self, params: Mapping[str, Any]) -> Message:
        """Return the request's message; ApiError if it is not the bot's own."""
        message = self.find_message(params, "edit")
        if message.sender is not self._bot and message.via_bot is not self._bot:
            raise bad_request("message can't be edited")
        return message

    def find_topic(self, chat: Chat, thread: int | None, reply: Message | None) -> Topic | None:
        """Return the topic of a post: the one named, or that of the message replied to; None for General."""
        if thread is None:
            return reply.topic if reply else None
        topic = chat.topics.get(thread)
        if topic is None:
            raise bad_request("message thread not found")
        if topic.closed and not self.own_membership(chat).admin:
            raise bad_request("TOPIC_CLOSED")
        return topic

    def find_replied_message(self, chat: Chat, params: Mapping[str, Any]) -> Message | None:
        """Return the message that a post replies to; None if it replies to none."""
        wanted = params.get("reply_parameters")
        if wanted is None:
            return None
        if wanted.get("message_id") == 0:
            raise Violation("0 is the message_id of every ephemeral message")
        home = self._find_by_id(wanted["chat_id"]) if "chat_id" in wanted else chat
        message = home.messages.get(wanted.get("message_id", 0))
        if message is not None and not message.deleted:
            return message
        if wanted.get("allow_sending_without_reply"):
            return None
        raise bad_request("message to be replied not found")
