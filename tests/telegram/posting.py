"""Methods that send, change and delete messages."""

# ruff: noqa: N802 - methods bear the API's own names

from collections.abc import Mapping
from typing import Any

from tests.telegram.chats import Chat, Json, Message
from tests.telegram.compose import MOST_CAPTION, Writing, keyboard, size_of, upload, written
from tests.telegram.errors import Violation, refused
from tests.telegram.room import Room

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)
Params = dict[str, Any]
Files = Mapping[str, bytes]


class Posting(Room):
    """Sending, editing and deleting."""

    def post(
        self, params: Params, words: Writing, content: Json | None = None, file: bytes | None = None
    ) -> Message:
        chat = self.chat(params)
        reply = self.replied(chat, params)
        topic = self.topic(chat, params.get("message_thread_id"), reply)
        inline, other = keyboard(params.get("reply_markup"))
        self._admit(chat)
        world = self.world
        message = Message(chat, world.next_message_id(chat), world.now, world.bot, words.text, words.entities)
        message.content, message.file = content or {}, file
        message.markup, message.keyboard = inline, other
        message.topic, message.reply_to = topic, reply
        message.thread = topic.id if topic else None
        if topic is not None and reply is None:
            message.reply_to = chat.messages.get(topic.id)
        return world.add(message)

    def _admit(self, chat: Chat, *, edit: bool = False) -> None:
        limits = self.world.limits
        if limits is not None and (limits.edits or not edit):
            limits.admit(chat.id, group=chat.is_group, now=self.world.clock())

    def sendMessage(self, params: Params, files: Files) -> Json:
        return self.post(params, written(params)).json()

    def sendPhoto(self, params: Params, files: Files) -> Json:
        words = written(params, "caption", MOST_CAPTION)
        self.require_permission(self.chat(params), "can_send_photos", "photos")
        picture = upload(params["photo"], files)
        return self.post(params, words, {"photo": [self._photo(picture)]}, picture).json()

    def sendDocument(self, params: Params, files: Files) -> Json:
        words = written(params, "caption", MOST_CAPTION)
        self.require_permission(self.chat(params), "can_send_documents", "documents")
        file = upload(params["document"], files)
        return self.post(params, words, {"document": self._file(file)}, file).json()

    def sendDice(self, params: Params, files: Files) -> Json:
        emoji = params.get("emoji", "🎲")
        return self.post(
            params, Writing(), {"dice": {"emoji": emoji, "value": self.world.rng.randint(1, 6)}}
        ).json()

    def _file(self, content: bytes | None) -> Json:
        number = f"file-{self.world.fresh()}"
        self.world.files[number] = content or b""
        return {"file_id": number, "file_unique_id": f"u-{number}", "file_size": len(content or b"")}

    def _photo(self, picture: bytes | None) -> Json:
        width, height = size_of(picture or b"")
        return self._file(picture) | {"width": width, "height": height}

    def editMessageText(self, params: Params, files: Files) -> Json | bool:
        message = self.own(params)
        if message.is_media:
            raise refused("there is no text in the message to edit")
        return self._change(message, written(params), params)

    def editMessageCaption(self, params: Params, files: Files) -> Json | bool:
        message = self.own(params)
        if not message.is_media:
            raise refused("there is no caption in the message to edit")
        return self._change(message, written(params, "caption", MOST_CAPTION), params)

    def editMessageReplyMarkup(self, params: Params, files: Files) -> Json | bool:
        message = self.own(params)
        return self._change(message, Writing(message.text, message.entities), params)

    def editMessageMedia(self, params: Params, files: Files) -> Json | bool:
        message, media = self.own(params), params["media"]
        if not message.is_media and message.inline_id is None:
            raise refused("there is no media in the message to edit")
        message.file = upload(media["media"], files)
        photo = media["type"] == "photo"
        message.content = {media["type"]: [self._photo(message.file)] if photo else self._file(message.file)}
        return self._change(message, written(media, "caption", MOST_CAPTION), params, modified=True)

    def _change(
        self, message: Message, words: Writing, params: Params, *, modified: bool = False
    ) -> Json | bool:
        markup, _ = keyboard(params.get("reply_markup"))
        now = (words.text, words.entities, markup)
        if not modified and now == (message.text, message.entities, message.markup):
            raise refused(NOT_MODIFIED)
        self._admit(message.chat, edit=True)
        message.edits.append((message.text, message.markup))
        message.text, message.entities, message.markup = now
        message.edit_date = self.world.now
        self.world.signal.notify()
        return True if "inline_message_id" in params else message.json()

    def deleteMessage(self, params: Params, files: Files) -> bool:
        message = self.message(params, "delete")
        me = message.chat.member(self.world.bot)
        own = message.sender is self.world.bot or message.chat.type == "private"
        if not own and "can_delete_messages" not in me.rights:
            raise refused("message can't be deleted")
        message.deleted = True
        self.world.signal.notify()
        return True

    def deleteMessages(self, params: Params, files: Files) -> bool:
        for number in params["message_ids"]:
            if number in self.chat(params, posting=False).messages:
                self.deleteMessage({"chat_id": params["chat_id"], "message_id": number}, files)
        return True

    def pinChatMessage(self, params: Params, files: Files) -> bool:
        message = self.message(params, "pin")
        self._require_pinning(message.chat)
        message.chat.pinned.append(message.id)
        self.world.signal.notify()
        return True

    def unpinChatMessage(self, params: Params, files: Files) -> bool:
        chat = self.chat(params)
        self._require_pinning(chat)
        number = params.get("message_id", chat.pinned[-1] if chat.pinned else 0)
        if number not in chat.pinned:
            raise refused("message to unpin not found")
        chat.pinned.remove(number)
        return True

    def _require_pinning(self, chat: Chat) -> None:
        if chat.is_group and "can_pin_messages" not in chat.member(self.world.bot).rights:
            raise refused("not enough rights to manage pinned messages in the chat")

    def setMessageReaction(self, params: Params, files: Files) -> bool:
        message = self.message(params, "react")
        emoji = [reaction.get("emoji", "") for reaction in params.get("reaction", [])]
        if len(emoji) > 1:
            raise Violation("too many reactions")
        if any(each not in REACTIONS for each in emoji):
            raise Violation("REACTION_INVALID")
        message.reactions[self.world.bot.id] = emoji
        self.world.signal.notify()
        return True

    def sendChatAction(self, params: Params, files: Files) -> bool:
        self.chat(params)
        return True


REACTIONS = frozenset(
    "❤,👍,👎,🔥,🥰,👏,😁,🤔,🤯,😱,🤬,😢,🎉,🤩,🤮,💩,🙏,👌,🕊,🤡,🥱,🥴,😍,🐳,❤‍🔥,🌚,"  # noqa: SIM905
    "🌭,💯,🤣,⚡,🍌,🏆,💔,🤨,😐,🍓,🍾,💋,🖕,😈,😴,😭,🤓,👻,👨‍💻,👀,🎃,🙈,😇,😨,🤝,✍,🤗,"
    "🫡,🎅,🎄,☃,💅,🤪,🗿,🆒,💘,🙉,🦄,😘,💊,🙊,😎,👾,🤷‍♂,🤷,🤷‍♀,😡".split(",")
)
"""What bots may react with, by the description of ReactionTypeEmoji."""
