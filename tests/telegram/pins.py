"""Methods for pinned messages."""

# ruff: noqa: N802 - methods have the API's names

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Chat
from tests.telegram.errors import bad_request
from tests.telegram.uploads import Files, Params


class Pins:
    """Pinned messages, each chat's in `Chat.pinned`."""

    def __init__(self, access: ChatAccess) -> None:
        self._access = access

    def pinChatMessage(self, params: Params, files: Files) -> bool:
        message = self._access.find_message(params, "pin")
        self._require_right(message.chat)
        message.chat.pinned.append(message.id)
        return True

    def unpinChatMessage(self, params: Params, files: Files) -> bool:
        chat = self._access.find_chat(params)
        self._require_right(chat)
        number = params.get("message_id", chat.pinned[-1] if chat.pinned else 0)
        if number not in chat.pinned:
            raise bad_request("message to unpin not found")
        chat.pinned.remove(number)
        return True

    def _require_right(self, chat: Chat) -> None:
        if chat.is_group and "can_pin_messages" not in self._access.own_membership(chat).rights:
            raise bad_request("not enough rights to manage pinned messages in the chat")
