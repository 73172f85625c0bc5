"""What the bot pins in a chat."""

# ruff: noqa: N802 - methods bear the API's own names

from tests.telegram.chats import Chat
from tests.telegram.errors import refused
from tests.telegram.room import Room
from tests.telegram.uploads import Files, Params


class Pins:
    """Pinned messages, each chat's in `Chat.pinned`."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def pinChatMessage(self, params: Params, files: Files) -> bool:
        message = self._room.message(params, "pin")
        self._require_right(message.chat)
        message.chat.pinned.append(message.id)
        return True

    def unpinChatMessage(self, params: Params, files: Files) -> bool:
        chat = self._room.chat(params)
        self._require_right(chat)
        number = params.get("message_id", chat.pinned[-1] if chat.pinned else 0)
        if number not in chat.pinned:
            raise refused("message to unpin not found")
        chat.pinned.remove(number)
        return True

    def _require_right(self, chat: Chat) -> None:
        if chat.is_group and "can_pin_messages" not in self._room.me(chat).rights:
            raise refused("not enough rights to manage pinned messages in the chat")
