"""Answer the bot's requests as Telegram would, and show them on the screen."""

import json
import re
import time
import zlib
from typing import Any

from telegram.request import BaseRequest, RequestData

from bot.console.screen import Message, Screen, differs_only_in_time

GROUP_ID = -24  # the chat's id
HOST = "Player"  # the first speaker, and the group's admin
VALID_USERNAME = re.compile(r"\w{1,64}")
BOT_USER = {
    "id": 24,
    "is_bot": True,
    "first_name": "Twenty-Four",
    "username": "TwentyFourBot",
    "can_join_groups": True,
    "can_read_all_group_messages": True,
    "supports_inline_queries": False,
}
GIVE_UP_PREFIX = "s:"  # of the data of the button that only a live deal has
RETRY_LATER = b'{"ok": false, "error_code": 429, "description": "later", "parameters": {"retry_after": 3600}}'


class FakeTelegram(BaseRequest):
    """Telegram with one group and a private chat for each person, all shown on one screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.next_id = 1
        self.messages: dict[int, Message] = {}  # the bot's, by id
        self.typed_lines: dict[int, str] = {}  # what people wrote, after their names, by message id
        self.people: dict[int, dict[str, Any]] = {}  # who has spoken, by id
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
        parameters = {} if request_data is None else _read_parameters(request_data)
        _path, _slash, method_name = url.rpartition("/")
        result = self.call_method(method_name, parameters)
        if self._screen.error is not None:  # nobody saw it: it stays stored and is shown at the next start
            return 429, RETRY_LATER
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def call_method(self, method: str, parameters: dict[str, Any]) -> Any:
        """Carry out a method of the Bot API and return its result; True for methods unknown here."""
        match method:
            case "getMe":
                return BOT_USER
            case "sendMessage" | "sendDocument":
                return self._send_message(parameters)
            case "editMessageText":
                return self._edit_message(parameters)
            case "setMessageReaction":
                emojis = [reaction.get("emoji", "") for reaction in parameters.get("reaction", ())]
                line = self.typed_lines.get(parameters["message_id"], "…")
                self._screen.print_paragraph(f"{''.join(emojis)} ← {line}")
            case "answerCallbackQuery":
                if parameters.get("text"):
                    self._screen.print_paragraph(f"({parameters['text']})")
                if parameters.get("url"):
                    self.opened_links.append(parameters["url"])
            case "getChatMember":
                return self._make_chat_member(parameters["user_id"])
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
        if "receiver_user" in message:
            return {**message, "message_id": 0, "ephemeral_message_id": number}
        return dict(message)

    def _send_message(self, parameters: dict[str, Any]) -> Message:
        """Keep, print and return a new message; a document counts as text."""
        parts = [parameters.get("text"), parameters.get("document"), parameters.get("caption")]
        text = "\n".join(str(part) for part in parts if part)
        number = self.take_next_id()
        self._print_message(_make_bot_message(number, text, parameters), is_edited=False)
        return self.get_message(number)

    def _edit_message(self, parameters: dict[str, Any]) -> Message:
        """Keep and return the edited message; print it, or only its time left if nothing else changed."""
        number = parameters["message_id"]
        old = self.messages.get(number, {})
        message = _make_bot_message(number, str(parameters["text"]), parameters)
        if differs_only_in_time(old, message):
            self.messages[number] = message
            self._screen.show_time_left(message)
        else:
            self._print_message(message, is_edited=True)
        return message

    def _print_message(self, message: Message, *, is_edited: bool) -> None:
        """Keep and print a message; one of the group with a button to give up becomes the last deal."""
        number = message["message_id"]
        self.messages[number] = message
        rows = message.get("reply_markup", {}).get("inline_keyboard", ())
        presses = [str(button.get("callback_data", "")) for row in rows for button in row]
        has_give_up = any(press.startswith(GIVE_UP_PREFIX) for press in presses)
        if has_give_up and message["chat"]["id"] == GROUP_ID:
            self.last_deal = number
        reader = message.get("receiver_user") or message["chat"]
        name = str(self.people.get(reader["id"], {}).get("first_name", ""))
        self._screen.print_message(message, is_edited=is_edited, to=name)

    def _make_chat_member(self, user_id: int) -> dict[str, Any]:
        """Return a member of the group: everybody is one, and the host is its creator."""
        stranger = {"id": user_id, "is_bot": False, "first_name": "?"}
        status = "creator" if user_id == compute_player_id(HOST) else "member"
        return {"status": status, "user": self.people.get(user_id, stranger), "is_anonymous": False}


def _read_parameters(request_data: RequestData) -> dict[str, Any]:
    """Return the parameters of a request; of a file its name and its content as text."""
    parameters = {key: _parse_parameter(text) for key, text in request_data.json_parameters.items()}
    for field, (filename, content, _media_type) in (request_data.multipart_data or {}).items():
        data = content if isinstance(content, bytes) else content.read()
        parameters[field] = f"{filename}\n{data.decode('utf-8', 'replace')}"
    return parameters


def _parse_parameter(text: str) -> Any:
    """Return the JSON value of a parameter; the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def make_message(message_id: int, sender: dict[str, Any], text: str, chat_id: int = GROUP_ID) -> Message:
    """Make a message that is sent now, as Telegram describes it."""
    chat = {"id": GROUP_ID, "type": "group", "title": "Terminal"}
    if chat_id != GROUP_ID:
        chat = {"id": chat_id, "type": "private", "first_name": "…"}
    return {"message_id": message_id, "date": int(time.time()), "from": sender, "chat": chat, "text": text}


def _make_bot_message(message_id: int, text: str, parameters: dict[str, Any]) -> Message:
    """Make the message of the bot that a request asks for."""
    message = make_message(message_id, BOT_USER, text, int(parameters["chat_id"]))
    ephemeral: dict[str, Any] = parameters.get("ephemeral_message_parameters", {})  # for one person alone
    receiver_id = ephemeral.get("receiver_user_id")
    if receiver_id:
        message["receiver_user"] = {"id": int(receiver_id), "is_bot": False, "first_name": "?"}
    markup = parameters.get("reply_markup")
    if markup:
        message["reply_markup"] = markup
    return message


def compute_player_id(name: str) -> int:
    """Return a person's id, which is always the same for one name, in whatever case."""
    return 10_000 + zlib.crc32(name.casefold().encode())  # positive, and not the bot's


def make_user(name: str, language: str, first_name: str = "") -> dict[str, Any]:
    """Make a user as Telegram describes one, with a username if the name is a valid one."""
    username = name.casefold()
    user = {
        "id": compute_player_id(name),
        "is_bot": False,
        "first_name": first_name or name,
        "language_code": language,
    }
    if VALID_USERNAME.fullmatch(username):
        user["username"] = username
    return user
