"""What the bot asked for, in order."""

from dataclasses import dataclass
from typing import Any

from tests.telegram.chats import Chat
from tests.telegram.limits import busiest


@dataclass(slots=True)
class Request:
    """One request of the bot, as it was understood."""

    method: str
    params: dict[str, Any]
    at: float  # Seconds on the world's clock
    status: int = 0  # HTTP status of the answer; 0 while there's none, or if it never got one
    result: Any = None  # What `result` held, or the error's description

    @property
    def chat(self) -> int | None:
        """The chat it's about."""
        number = self.params.get("chat_id")
        return number if isinstance(number, int) else None


class Record:
    """All requests of the bot."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def calls(self, method: str) -> list[Request]:
        """The bot's requests of one method."""
        return [request for request in self.requests if request.method == method]

    def pace(self, chat: Chat, window: float) -> int:
        """The most posts that the bot made there within so many seconds."""
        sent = (call for call in self.requests if call.method.startswith(("send", "copy", "forward")))
        done = (call for call in sent if call.status == 200 and call.method != "sendChatAction")
        return busiest((call.at for call in done if call.chat == chat.id), window)
