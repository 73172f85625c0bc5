"""How the bot changes and deletes messages."""

# ruff: noqa: N802 - methods bear the API's own names

from typing import Final

from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, Writing, keyboard, written
from tests.telegram.errors import refused
from tests.telegram.limits import Flood
from tests.telegram.room import Room
from tests.telegram.uploads import Files, Params, Uploads, upload

NOT_MODIFIED: Final = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)


class Edits:
    """The bot's own messages in a new form; anybody's deleted."""

    def __init__(self, bot: User, clock: Clock, room: Room, flood: Flood, uploads: Uploads) -> None:
        self._bot = bot
        self._clock = clock
        self._room = room
        self._flood = flood
        self._uploads = uploads

    def editMessageText(self, params: Params, files: Files) -> Json | bool:
        message = self._room.own(params)
        if message.is_media:
            raise refused("there is no text in the message to edit")
        return self._change(message, written(params), params)

    def editMessageCaption(self, params: Params, files: Files) -> Json | bool:
        message = self._room.own(params)
        if not message.is_media:
            raise refused("there is no caption in the message to edit")
        return self._change(message, written(params, "caption", MOST_CAPTION), params)

    def editMessageReplyMarkup(self, params: Params, files: Files) -> Json | bool:
        message = self._room.own(params)
        return self._change(message, Writing(message.text, message.entities), params)

    def editMessageMedia(self, params: Params, files: Files) -> Json | bool:
        message, media = self._room.own(params), params["media"]
        if not message.is_media and message.inline_id is None:
            raise refused("there is no media in the message to edit")
        words, before = written(media, "caption", MOST_CAPTION), message.content
        if media["type"] == "photo":
            size, message.file = self._uploads.picture(media["media"], files)
            message.content = {"photo": [size]}
        else:
            message.file = upload(media["media"], files)
            message.content = {media["type"]: self._uploads.file(message.file)}
        return self._change(message, words, params, modified=message.content != before)

    def _change(
        self, message: Message, words: Writing, params: Params, *, modified: bool = False
    ) -> Json | bool:
        markup, _ = keyboard(params.get("reply_markup"))
        now = (words.text, words.entities, markup)
        if not modified and now == (message.text, message.entities, message.markup):
            raise refused(NOT_MODIFIED)
        self._flood.admit(message.chat, edit=True)
        message.edits.append((message.text, message.markup))
        message.text, message.entities, message.markup = now
        message.edit_date = self._clock.now
        return True if "inline_message_id" in params else message.json()

    def deleteMessage(self, params: Params, files: Files) -> bool:
        message = self._room.message(params, "delete")
        own = message.sender is self._bot or message.chat.type == "private"
        if not own and "can_delete_messages" not in self._room.me(message.chat).rights:
            raise refused("message can't be deleted")
        message.deleted = True
        return True

    def deleteMessages(self, params: Params, files: Files) -> bool:
        there = self._room.chat(params, posting=False).messages
        for number in params["message_ids"]:
            if number in there:
                self.deleteMessage({"chat_id": params["chat_id"], "message_id": number}, files)
        return True
