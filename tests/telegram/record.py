"""The bot's requests."""

from dataclasses import dataclass
from typing import Any

from tests.telegram.chats import Chat
from tests.telegram.limits import busiest


@dataclass(slots=True)
class Request:
    """A request of the bot with its parsed parameters."""

    method: str
    params: dict[str, Any]
    at: float  # Seconds on the world's clock
    status: int = 0  # HTTP status of the answer; 0 without an answer
    result: Any = None  # The result, or the error's description

    @property
    def chat(self) -> int | None:
        """Return the id in `chat_id`; None for a name or none."""
        number = self.params.get("chat_id")
        return number if isinstance(number, int) else None


class Record:
    """All requests of the bot, in order."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def calls(self, method: str) -> list[Request]:
        """Return the bot's requests of one method."""
        return [request for request in self.requests if request.method == method]

    def pace(self, chat: Chat, window: float) -> int:
        """Return the largest number of posts to a chat within that many seconds."""
        sent = (call for call in self.requests if call.method.startswith(("send", "copy", "forward")))
        done = (call for call in sent if call.status == 200 and call.method != "sendChatAction")
        return busiest((call.at for call in done if call.chat == chat.id), window)
