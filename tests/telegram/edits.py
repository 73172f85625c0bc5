"""Methods by which the bot changes and deletes messages."""

# ruff: noqa: N802 - methods have the API's names

from typing import Final

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, FormattedText, check_keyboard, parse_text
from tests.telegram.errors import bad_request
from tests.telegram.limits import Flood
from tests.telegram.uploads import Files, Params, Uploads, read_upload

NOT_MODIFIED: Final = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)


class Edits:
    """Edits of the bot's own messages, and deletions of any."""

    def __init__(self, bot: User, clock: Clock, access: ChatAccess, flood: Flood, uploads: Uploads) -> None:
        self._bot = bot
        self._clock = clock
        self._access = access
        self._flood = flood
        self._uploads = uploads

    def editMessageText(self, params: Params, files: Files) -> Json | bool:
        message = self._access.find_own_message(params)
        if message.is_media:
            raise bad_request("there is no text in the message to edit")
        return self._apply_edit(message, parse_text(params), params)

    def editMessageCaption(self, params: Params, files: Files) -> Json | bool:
        message = self._access.find_own_message(params)
        if not message.is_media:
            raise bad_request("there is no caption in the message to edit")
        return self._apply_edit(message, parse_text(params, "caption", MOST_CAPTION), params)

    def editMessageReplyMarkup(self, params: Params, files: Files) -> Json | bool:
        message = self._access.find_own_message(params)
        return self._apply_edit(message, FormattedText(message.text, message.entities), params)

    def editMessageMedia(self, params: Params, files: Files) -> Json | bool:
        message, media = self._access.find_own_message(params), params["media"]
        if not message.is_media and message.inline_id is None:
            raise bad_request("there is no media in the message to edit")
        words, before = parse_text(media, "caption", MOST_CAPTION), message.content
        if media["type"] == "photo":
            size, message.file = self._uploads.take_picture(media["media"], files)
            message.content = {"photo": [size]}
        else:
            message.file = read_upload(media["media"], files)
            message.content = {media["type"]: self._uploads.store_file(message.file)}
        return self._apply_edit(message, words, params, modified=message.content != before)

    def _apply_edit(
        self, message: Message, words: FormattedText, params: Params, *, modified: bool = False
    ) -> Json | bool:
        markup, _ = check_keyboard(params.get("reply_markup"))
        now = (words.text, words.entities, markup)
        if not modified and now == (message.text, message.entities, message.markup):
            raise bad_request(NOT_MODIFIED)
        self._flood.admit(message.chat, edit=True)
        message.edits.append((message.text, message.markup))
        message.text, message.entities, message.markup = now
        message.edit_date = self._clock.now
        return True if "inline_message_id" in params else message.json()

    def deleteMessage(self, params: Params, files: Files) -> bool:
        message = self._access.find_message(params, "delete")
        own = message.sender is self._bot or message.chat.type == "private"
        if not own and "can_delete_messages" not in self._access.own_membership(message.chat).rights:
            raise bad_request("message can't be deleted")
        message.deleted = True
        return True

    def deleteMessages(self, params: Params, files: Files) -> bool:
        there = self._access.find_chat(params, posting=False).messages
        for number in params["message_ids"]:
            if number in there:
                self.deleteMessage({"chat_id": params["chat_id"], "message_id": number}, files)
        return True
