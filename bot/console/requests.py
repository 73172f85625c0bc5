"""The bot's requests, answered as Telegram would and shown on the screen; and who speaks there."""

import json
import re
import time
import zlib
from collections.abc import Callable
from typing import Any

from telegram.request import BaseRequest, RequestData

from bot.console.screen import Screen, is_tick

CHAT = -24
HOST = "Player"
"""Whoever speaks before anybody is named."""
FORMERLY = {"player": "you"}
"""Under which name versions before kept what somebody played, where it was another one."""
USERNAME = re.compile(r"\w{1,64}")
BOT = {
    "id": 24,
    "is_bot": True,
    "first_name": "Twenty-Four",
    "username": "TwentyFourBot",
    "can_join_groups": True,
    "can_read_all_group_messages": True,
    "supports_inline_queries": False,
}
SKIP = "s:"
"""Begins the data of the button that only a deal on the table has."""
UNSHOWN = b'{"ok": false, "error_code": 429, "description": "later", "parameters": {"retry_after": 3600}}'
"""The answer to a request that nobody saw: it stays stored and is shown at the next start."""


class ConsoleRequest(BaseRequest):
    """Answers the bot's requests as Telegram would, on the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.next_id = 1
        self.messages: dict[int, dict[str, Any]] = {}
        self.typed: dict[int, str] = {}
        """What people wrote, with their names, by message id."""
        self.people: dict[int, dict[str, Any]] = {}
        """Who has spoken, by id."""
        self.deal: int | None = None
        """The last message that shows a deal."""
        self.opened: list[str] = []
        """Addresses that presses have opened, and that nobody has followed yet."""
        self.shown: Callable[[dict[str, Any]], None] = lambda _: None
        """Told of each message that is shown or changed, but for the time left."""

    @property
    def read_timeout(self) -> float | None:
        """Nothing is ever waited for."""
        return None

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = None,
        write_timeout: object = None,
        connect_timeout: object = None,
        pool_timeout: object = None,
    ) -> tuple[int, bytes]:
        """One request of the bot."""
        name = url.rpartition("/")[2]
        parameters = {}
        if request_data is not None:
            parameters = {k: _value(v) for k, v in request_data.json_parameters.items()}
            for field, (filename, content, _) in (request_data.multipart_data or {}).items():
                text = content if isinstance(content, bytes) else content.read()
                parameters[field] = f"{filename}\n{text.decode('utf-8', 'replace')}"
        result = self.answer(name, parameters)
        if self._screen.is_lost:
            return 429, UNSHOWN
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def answer(self, name: str, parameters: dict[str, Any]) -> Any:
        """The result of a method, with what it does to the screen."""
        match name:
            case "getMe":
                return BOT
            case "sendMessage" | "sendDocument":
                return self._post(parameters)
            case "editMessageText":
                return self._edit(parameters)
            case "editEphemeralMessageText":
                self._edit({**parameters, "message_id": parameters["ephemeral_message_id"]})
            case "setMessageReaction":
                emoji = "".join(r.get("emoji", "") for r in parameters.get("reaction", ()))
                self._screen.show(f"{emoji} ← {self.typed.get(parameters['message_id'], '…')}")
            case "answerCallbackQuery":
                if parameters.get("text"):
                    self._screen.show(f"({parameters['text']})")
                if parameters.get("url"):
                    self.opened.append(parameters["url"])
            case "getChatMember":
                number = parameters["user_id"]
                unheard = {"id": number, "is_bot": False, "first_name": "?"}
                return {
                    "status": "creator" if number == player_id(HOST) else "member",
                    "user": self.people.get(number, unheard),
                    "is_anonymous": False,
                }
            case "getChat":
                return {
                    "id": CHAT,
                    "type": "group",
                    "title": self._screen.speech.plain("Terminal"),
                    "accent_color_id": 0,
                    "max_reaction_count": 1,
                    "accepted_gift_types": {},
                    "permissions": {},
                }
        return True

    def new_id(self) -> int:
        """The next message's number."""
        self.next_id += 1
        return self.next_id - 1

    def _post(self, parameters: dict[str, Any]) -> dict[str, Any]:
        parts = (parameters.get(part) for part in ("text", "document", "caption"))
        text = "\n".join(str(part) for part in parts if part)
        number = self.new_id()
        self._keep(_sent(number, text, parameters), edited=False)
        return self.message(number)

    def message(self, number: int) -> dict[str, Any]:
        """A message as Telegram describes it; one that a person alone sees has an id of another kind."""
        message = self.messages[number]
        ids = {"message_id": 0, "ephemeral_message_id": number} if "receiver_user" in message else {}
        return {**message, **ids}

    def _edit(self, parameters: dict[str, Any]) -> dict[str, Any]:
        old = self.messages.get(parameters["message_id"], {})
        message = _sent(parameters["message_id"], str(parameters["text"]), parameters)
        if {**old, "date": 0} == {**message, "date": 0}:
            return message
        if is_tick(old, message):
            self.messages[message["message_id"]] = message
            self._screen.tick(message)
            return message
        return self._keep(message, edited=True)

    def _keep(self, message: dict[str, Any], *, edited: bool) -> dict[str, Any]:
        self.messages[message["message_id"]] = message
        if message["chat"]["id"] == CHAT and any(data.startswith(SKIP) for data in _data(message)):
            self.deal = message["message_id"]
        self._screen.message(message, edited=edited, to=self._name(message))
        self.shown(message)
        return message

    def _name(self, message: dict[str, Any]) -> str:
        """Who alone reads the message; empty for one of the group, or for somebody who never spoke."""
        receiver = message.get("receiver_user", message["chat"])["id"]
        return str(self.people.get(receiver, {}).get("first_name", ""))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _chat(number: int) -> dict[str, Any]:
    if number == CHAT:
        return {"id": CHAT, "type": "group", "title": "Terminal"}
    return {"id": number, "type": "private", "first_name": "…"}


def written(number: int, sender: dict[str, Any], text: str, chat: int = CHAT) -> dict[str, Any]:
    """A message as Telegram would describe it, sent now."""
    at = int(time.time())
    return {"message_id": number, "date": at, "from": sender, "chat": _chat(chat), "text": text}


def _sent(number: int, text: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The bot's message that a request makes."""
    message = written(number, BOT, text, int(parameters["chat_id"]))
    markup = parameters.get("reply_markup")
    if receiver := _receiver(parameters):
        message["receiver_user"] = {"id": receiver, "is_bot": False, "first_name": "?"}
    return {**message, "reply_markup": markup} if markup else message


def _receiver(parameters: dict[str, Any]) -> int:
    """Who alone is to see a message of the group; 0 where all do."""
    given = parameters.get("ephemeral_message_parameters", parameters)
    return int(given.get("receiver_user_id", 0))


def _data(message: dict[str, Any]) -> list[str]:
    """What the message's buttons send."""
    rows = message.get("reply_markup", {}).get("inline_keyboard", ())
    return [str(button.get("callback_data", "")) for row in rows for button in row]


def player_id(name: str) -> int:
    """A person's id, the same whenever that name speaks."""
    folded = name.casefold()
    return 10_000 + zlib.crc32(FORMERLY.get(folded, folded).encode())


def person(name: str, language: str, shown: str = "") -> dict[str, Any]:
    """The sender of an update, as Telegram describes one; with a username where the name can be one.

    `shown` is what a person is called who is known by another name.
    """
    username = name.casefold()
    known = {"username": username} if USERNAME.fullmatch(username) else {}
    return {
        "id": player_id(name),
        "is_bot": False,
        "first_name": shown or name,
        "language_code": language,
    } | known
