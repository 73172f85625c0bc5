"""Methods by which the bot sends messages."""

# ruff: noqa: N802 - methods have the API's names

from random import Random

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, FormattedText, check_keyboard, parse_text
from tests.telegram.ephemeral import Ephemerals
from tests.telegram.history import History
from tests.telegram.limits import Flood
from tests.telegram.uploads import Files, Params, Uploads, read_upload


class Posts:
    """Messages, photos, documents and dice of the bot."""

    def __init__(
        self,
        bot: User,
        rng: Random,
        clock: Clock,
        history: History,
        access: ChatAccess,
        flood: Flood,
        uploads: Uploads,
        ephemerals: Ephemerals,
    ) -> None:
        self._bot = bot
        self._rng = rng
        self._clock = clock
        self._history = history
        self._access = access
        self._flood = flood
        self._uploads = uploads
        self._ephemerals = ephemerals

    def post(
        self, params: Params, words: FormattedText, content: Json | None = None, file: bytes | None = None
    ) -> Message:
        """Add a message to the request's chat; ApiError if the bot may not post there now."""
        chat = self._access.find_chat(params)
        reply = self._access.find_replied_message(chat, params)
        topic = self._access.find_topic(chat, params.get("message_thread_id"), reply)
        inline, other = check_keyboard(params.get("reply_markup"))
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
        if self._ephemerals.is_ephemeral(params):
            return self._ephemerals.post(params, parse_text(params)).json()
        return self.post(self._ephemerals.drop_unknown(params), parse_text(params)).json()

    def sendPhoto(self, params: Params, files: Files) -> Json:
        words = parse_text(params, "caption", MOST_CAPTION)
        self._access.require_permission(self._access.find_chat(params), "can_send_photos", "photos")
        size, picture = self._uploads.take_picture(params["photo"], files)
        return self.post(params, words, {"photo": [size]}, picture).json()

    def sendDocument(self, params: Params, files: Files) -> Json:
        words = parse_text(params, "caption", MOST_CAPTION)
        self._access.require_permission(self._access.find_chat(params), "can_send_documents", "documents")
        file = read_upload(params["document"], files)
        return self.post(params, words, {"document": self._uploads.store_file(file)}, file).json()

    def sendDice(self, params: Params, files: Files) -> Json:
        dice = {"emoji": params.get("emoji", "🎲"), "value": self._rng.randint(1, 6)}
        return self.post(params, FormattedText(), {"dice": dice}).json()

    def sendChatAction(self, params: Params, files: Files) -> bool:
        self._access.find_chat(params)
        return True
