"""What the bot sends."""

# ruff: noqa: N802 - methods bear the API's own names

from random import Random

from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, Writing, keyboard, written
from tests.telegram.ephemeral import Ephemerals
from tests.telegram.history import History
from tests.telegram.limits import Flood
from tests.telegram.room import Room
from tests.telegram.uploads import Files, Params, Uploads, upload


class Posts:
    """Messages, photos, documents and dice of the bot."""

    def __init__(
        self,
        bot: User,
        rng: Random,
        clock: Clock,
        history: History,
        room: Room,
        flood: Flood,
        uploads: Uploads,
        ephemerals: Ephemerals,
    ) -> None:
        self._bot = bot
        self._rng = rng
        self._clock = clock
        self._history = history
        self._room = room
        self._flood = flood
        self._uploads = uploads
        self._ephemerals = ephemerals

    def post(
        self, params: Params, words: Writing, content: Json | None = None, file: bytes | None = None
    ) -> Message:
        """Put a message where the request says, if the bot may speak there now."""
        chat = self._room.chat(params)
        reply = self._room.replied(chat, params)
        topic = self._room.topic(chat, params.get("message_thread_id"), reply)
        inline, other = keyboard(params.get("reply_markup"))
        self._flood.admit(chat)
        number = self._history.next_id(chat)
        message = Message(chat, number, self._clock.now, self._bot, words.text, words.entities)
        message.content, message.file = content or {}, file
        message.markup, message.keyboard = inline, other
        message.topic, message.reply_to = topic, reply
        if topic is not None:
            message.thread = topic.id
            message.reply_to = reply or chat.messages.get(topic.id)
        return self._history.add(message)

    def sendMessage(self, params: Params, files: Files) -> Json:
        if self._ephemerals.are_meant(params):
            return self._ephemerals.post(params, written(params)).json()
        return self.post(self._ephemerals.unknown_here(params), written(params)).json()

    def sendPhoto(self, params: Params, files: Files) -> Json:
        words = written(params, "caption", MOST_CAPTION)
        self._room.require_permission(self._room.chat(params), "can_send_photos", "photos")
        size, picture = self._uploads.picture(params["photo"], files)
        return self.post(params, words, {"photo": [size]}, picture).json()

    def sendDocument(self, params: Params, files: Files) -> Json:
        words = written(params, "caption", MOST_CAPTION)
        self._room.require_permission(self._room.chat(params), "can_send_documents", "documents")
        file = upload(params["document"], files)
        return self.post(params, words, {"document": self._uploads.file(file)}, file).json()

    def sendDice(self, params: Params, files: Files) -> Json:
        dice = {"emoji": params.get("emoji", "🎲"), "value": self._rng.randint(1, 6)}
        return self.post(params, Writing(), {"dice": dice}).json()

    def sendChatAction(self, params: Params, files: Files) -> bool:
        self._room.chat(params)
        return True
