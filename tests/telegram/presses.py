"""Presses of buttons, and the bot's answers."""

# ruff: noqa: N802 - methods have the API's names

from dataclasses import dataclass
from random import Random
from typing import Final

from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.errors import bad_request
from tests.telegram.feed import Feed
from tests.telegram.uploads import Files, Params

CALLBACK_LIFE: Final = 150  # Seconds in which a button's press can be answered
TOO_OLD: Final = "query is too old and response timeout expired or query ID is invalid"


@dataclass(slots=True, eq=False)
class Press:
    """A press of a button (a callback query)."""

    id: str
    user: User
    message: Message
    data: str
    at: float
    answer: Json | None = None  # The parameters of `answerCallbackQuery`
    answered_at: float | None = None

    @property
    def answer_text(self) -> str:
        """Return the text of the bubble or alert; empty for a silent answer."""
        return str((self.answer or {}).get("text", ""))

    def json(self) -> Json:
        """Return the API's `CallbackQuery`; a deleted message has only chat and id."""
        message = self.message
        body: Json = {"id": self.id, "from": self.user.json(), "data": self.data}
        body["chat_instance"] = str(message.chat.id * 31 + 7)
        if message.inline_id is not None:
            return body | {"inline_message_id": message.inline_id}
        if message.deleted:
            return body | {"message": {"chat": message.chat.json(), "message_id": message.id, "date": 0}}
        return body | {"message": message.json()}


class Presses:
    """All presses."""

    def __init__(self, rng: Random, clock: Clock, feed: Feed) -> None:
        self._rng = rng
        self._clock = clock
        self._feed = feed
        self._known: dict[str, Press] = {}
        self.answered: list[Press] = []  # In the order of their answers

    def press(
        self, user: User, message: Message, which: str | int | None = None, *, data: str | None = None
    ) -> Press:
        """Press a button by its label or index; `data` sends any data, as a forger would."""
        if data is None:
            button = message.button(0 if which is None else which)
            assert "callback_data" in button, f"{button['text']!r} is no callback button"
            data = button["callback_data"]
        press = Press(str(self._rng.getrandbits(62)), user, message, data, self._clock())
        self._known[press.id] = press
        self.press_again(press)
        return press

    def find(self, number: str) -> Press | None:
        """Return the press with that id; None if there is none."""
        return self._known.get(number)

    def press_again(self, press: Press) -> None:
        """Send a press again in another update, as a retrying client does."""
        self._feed.publish("callback_query", press.json(), press.message.chat.id)

    def answerCallbackQuery(self, params: Params, files: Files) -> bool:
        press = self._known.get(params["callback_query_id"])
        now = self._clock()
        if press is None or press.answer is not None or now - press.at > CALLBACK_LIFE:
            raise bad_request(TOO_OLD)
        press.answer, press.answered_at = params, now
        self.answered.append(press)
        return True
