"""Answer the bot's requests as Telegram would, and show them on the screen."""

import json
import re
import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from telegram import Chat, InlineKeyboardMarkup, Message, MessageEntity, User
from telegram.request import BaseRequest, RequestData

from bot.console.screen import RECEIVER, Screen, differs_only_in_time

GROUP_ID = -24  # the chat's id
HOST = "Player"  # the first speaker, and the group's admin
VALID_USERNAME = re.compile(r"\w{1,64}")
BOT_USER = User(
    24,
    "Twenty-Four",
    is_bot=True,
    username="TwentyFourBot",
    can_join_groups=True,
    can_read_all_group_messages=True,
    supports_inline_queries=False,
)
GIVE_UP_PREFIX = "s:"  # of the data of the button that only a live deal has
RETRY_LATER = b'{"ok": false, "error_code": 429, "description": "later", "parameters": {"retry_after": 3600}}'


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a method's call, as far as they count here."""

    chat_id: int = 0
    user_id: int = 0
    message_id: int = 0
    receiver_id: int = 0  # The only member of a group who sees the message
    text: str = ""  # With a file's name, content and caption
    reaction: str = ""
    url: str = ""
    markup: InlineKeyboardMarkup | None = None

    @classmethod
    def parse(cls, request_data: RequestData) -> "Parameters":
        values = {key: _parse_parameter(text) for key, text in request_data.json_parameters.items()}
        for field, (filename, content, _media_type) in (request_data.multipart_data or {}).items():
            data = content if isinstance(content, bytes) else content.read()
            values[field] = f"{filename}\n{data.decode('utf-8', 'replace')}"
        parts = [values.get("text"), values.get("document"), values.get("caption")]
        markup = values.get("reply_markup")
        return cls(
            chat_id=int(values.get("chat_id", 0)),
            user_id=int(values.get("user_id", 0)),
            message_id=int(values.get("message_id", 0)),
            receiver_id=int(values.get("ephemeral_message_parameters", {}).get("receiver_user_id", 0)),
            text="\n".join(str(part) for part in parts if part),
            reaction="".join(reaction.get("emoji", "") for reaction in values.get("reaction", ())),
            url=str(values.get("url", "")),
            markup=InlineKeyboardMarkup.de_json(markup) if markup else None,
        )


def _parse_parameter(text: str) -> Any:
    """Return the JSON value of a parameter; the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


class FakeTelegram(BaseRequest):
    """Telegram with one group and a private chat for each person, all shown on one screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.next_id = 1
        self.messages: dict[int, Message] = {}  # the bot's, by id
        self.typed_lines: dict[int, str] = {}  # what people wrote, after their names, by message id
        self.people: dict[int, User] = {}  # who has spoken, by id
        self.last_deal: int | None = None  # id of the last message with a live deal in the group
        self.opened_links: list[str] = []  # opened by presses, until the conversation follows them

    @property
    def read_timeout(self) -> float | None:
        return None

    async def initialize(self) -> None:
        pass

    async def shutdown(self) -> None:
        pass

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: object, **__: object
    ) -> tuple[int, bytes]:
        """Call the method at the end of `url`; return status 200, or 429 if the screen can't be written."""
        parameters = Parameters.parse(request_data) if request_data else Parameters()
        _path, _slash, method_name = url.rpartition("/")
        result = self.call_method(method_name, parameters)
        if self._screen.error is not None:  # nobody saw it: it stays stored and is shown at the next start
            return 429, RETRY_LATER
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def call_method(self, method: str, parameters: Parameters) -> object:
        """Carry out a method of the Bot API and return its result as JSON; True for methods unknown here."""
        match method:
            case "getMe":
                return BOT_USER.to_dict()
            case "sendMessage" | "sendDocument":
                return self._send_message(parameters).to_dict()
            case "editMessageText":
                return self._edit_message(parameters).to_dict()
            case "setMessageReaction":
                line = self.typed_lines.get(parameters.message_id, "…")
                self._screen.print_paragraph(f"{parameters.reaction} ← {line}")
            case "answerCallbackQuery":
                if parameters.text:
                    self._screen.print_paragraph(f"({parameters.text})")
                if parameters.url:
                    self.opened_links.append(parameters.url)
            case "getChatMember":
                # Everybody is a member of the group, and the host is its creator
                status = "creator" if parameters.user_id == compute_player_id(HOST) else "member"
                user = self.people.get(parameters.user_id) or _make_stranger(parameters.user_id)
                return {"status": status, "user": user.to_dict(), "is_anonymous": False}
            case "getChat":
                return {
                    "id": GROUP_ID,
                    "type": "group",
                    "title": self._screen.speech.translate_plain("Terminal"),
                    "accent_color_id": 0,
                    "max_reaction_count": 1,
                    "accepted_gift_types": {},
                    "permissions": {},
                }
        return True

    def take_next_id(self) -> int:
        taken_id = self.next_id
        self.next_id += 1
        return taken_id

    def get_message(self, number: int) -> Message:
        """Return a kept message; one that a single person sees has an ephemeral id. Raises KeyError."""
        message = self.messages[number]
        if RECEIVER not in message.api_kwargs:
            return message
        return Message.de_json({**message.to_dict(), "message_id": 0, "ephemeral_message_id": number})

    def find_reader(self, message: Message) -> User | None:
        """Return the only person who sees a message; None for one that the group sees."""
        receiver = message.api_kwargs.get(RECEIVER)
        return self.people.get(receiver["id"] if receiver else message.chat.id)

    def _send_message(self, parameters: Parameters) -> Message:
        """Keep, print and return a new message; a document counts as text."""
        number = self.take_next_id()
        self._print_message(_make_bot_message(number, parameters), is_edited=False)
        return self.get_message(number)

    def _edit_message(self, parameters: Parameters) -> Message:
        """Keep and return the edited message; print it, or only its time left if nothing else changed."""
        number = parameters.message_id
        old = self.messages.get(number)
        message = _make_bot_message(number, parameters)
        if old is not None and differs_only_in_time(old, message):
            self.messages[number] = message
            self._screen.show_time_left(message)
        else:
            self._print_message(message, is_edited=True)
        return message

    def _print_message(self, message: Message, *, is_edited: bool) -> None:
        """Keep and print a message; one of the group with a button to give up becomes the last deal."""
        self.messages[message.message_id] = message
        rows = message.reply_markup.inline_keyboard if message.reply_markup else ()
        presses = [str(button.callback_data or "") for row in rows for button in row]
        has_give_up = any(press.startswith(GIVE_UP_PREFIX) for press in presses)
        if has_give_up and message.chat.id == GROUP_ID:
            self.last_deal = message.message_id
        reader = self.find_reader(message)
        self._screen.print_message(message, is_edited=is_edited, to=reader.first_name if reader else "")


def make_message(
    message_id: int,
    sender: User,
    text: str,
    chat_id: int = GROUP_ID,
    *,
    reply_to: Message | None = None,
    command_length: int = 0,
) -> Message:
    """Make a message that is sent now; it begins with a command of that length, if with one."""
    chat = Chat(chat_id, "private", first_name="…")
    if chat_id == GROUP_ID:
        chat = Chat(GROUP_ID, "group", title="Terminal")
    return Message(
        message_id,
        datetime.fromtimestamp(time.time(), UTC),
        chat,
        from_user=sender,
        text=text,
        entities=[MessageEntity("bot_command", 0, command_length)] if command_length else (),
        reply_to_message=reply_to,
    )


def _make_bot_message(message_id: int, parameters: Parameters) -> Message:
    """Make the message of the bot that a request asks for."""
    # By way of JSON, since the library can't make a message with the receiver of an ephemeral one
    message = make_message(message_id, BOT_USER, parameters.text, parameters.chat_id).to_dict()
    if parameters.receiver_id:
        message[RECEIVER] = _make_stranger(parameters.receiver_id).to_dict()
    if parameters.markup and parameters.markup.inline_keyboard:  # an empty one takes the buttons away
        message["reply_markup"] = parameters.markup.to_dict()
    return Message.de_json(message)


def _make_stranger(user_id: int) -> User:
    return User(user_id, "?", is_bot=False)


def compute_player_id(name: str) -> int:
    """Return a person's id, which is always the same for one name, in whatever case."""
    return 10_000 + zlib.crc32(name.casefold().encode())  # positive, and not the bot's


def make_user(name: str, language: str, first_name: str = "") -> User:
    """Make a user, with a username if the name is a valid one."""
    username = name.casefold()
    return User(
        compute_player_id(name),
        first_name or name,
        is_bot=False,
        language_code=language,
        username=username if VALID_USERNAME.fullmatch(username) else None,
    )
