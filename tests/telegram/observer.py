"""The bot's posts, and waiting for them without sleeping."""

from collections.abc import Callable
from itertools import takewhile
from typing import Final, TypeVar

from tests.telegram.chats import Message, User
from tests.telegram.checks import Checks
from tests.telegram.directory import Directory, Place
from tests.telegram.presses import Press
from tests.telegram.record import Record
from tests.telegram.signal import Signal
from tests.telegram.updates import Updates

# Seconds to wait for an event that comes at once on an idle machine.
PATIENCE: Final = 60.0

Truth = TypeVar("Truth")


class Observer:
    """Reads the bot's posts and answers, and waits for them."""

    def __init__(
        self,
        bot: User,
        signal: Signal,
        directory: Directory,
        updates: Updates,
        record: Record,
        checks: Checks,
    ) -> None:
        self._bot = bot
        self._signal = signal
        self._directory = directory
        self._updates = updates
        self._record = record
        self._checks = checks

    def posts(self, place: Place, *, since: int = 0) -> list[Message]:
        """Return the bot's posts from message `since` on, oldest first, without deleted ones.

        Use `since` in conditions that are tested often: all posts are read again each time.
        """
        messages = reversed(self._directory.chat_of(place).messages.values())
        later = takewhile(lambda message: message.id >= since, messages)
        return [message for message in later if self._is_post(message) and not message.deleted][::-1]

    def _is_post(self, message: Message) -> bool:
        return message.sender is self._bot and not message.service

    def pace(self, place: Place, window: float = 60) -> int:
        """Return the largest number of the bot's posts within that many seconds."""
        return self._record.pace(self._directory.chat_of(place), window)

    async def wait_until(
        self, predicate: Callable[[], Truth], timeout: float = PATIENCE, what: str = ""
    ) -> Truth:
        """Return the predicate's first true value, tested at each change; AssertionError with a log."""
        try:
            return await self._signal.wait_until(predicate, timeout)
        except TimeoutError:
            raise AssertionError(f"{what or 'it'} did not happen in {timeout} s\n{self.log()}") from None

    async def next_post(self, place: Place, containing: str = "", *, timeout: float = PATIENCE) -> Message:
        """Wait for the bot's next post that contains the words and was not returned before; skip others."""
        chat = self._directory.chat_of(place)

        def unread() -> Message | None:
            recent = takewhile(lambda message: message.id > chat.read, reversed(chat.messages.values()))
            mine = [message for message in recent if self._is_post(message)]
            return next((message for message in reversed(mine) if containing in message.text), None)

        message = await self.wait_until(
            unread, timeout, f"a post with {containing!r} in {chat.title or chat.id}"
        )
        assert message is not None
        chat.read = message.id
        return message

    async def answer_to(self, press: Press, *, timeout: float = PATIENCE) -> str:
        """Wait until a press is answered, and return the answer's text."""
        await self.wait_until(lambda: press.answer is not None, timeout, f"an answer to {press.data!r}")
        return press.answer_text

    async def wait_until_taken(self, *, timeout: float = PATIENCE) -> None:
        """Wait until the bot has acknowledged all updates; it may still be handling them."""
        await self.wait_until(lambda: not self._updates.pending, timeout, "the bot taking its updates")

    def log(self, last: int = 12) -> str:
        """Return the last requests and messages, waiting updates and violations as text."""
        lines = [
            f"  {request.method} {request.params} -> {request.status} {request.result!r}"[:300]
            for request in self._record.requests[-last:]
        ]
        said = [
            f"  {message!r}"
            for chat in self._directory.chats.values()
            for message in list(chat.messages.values())[-last:]
        ]
        waiting = [f"  {update.kind} {update.id}" for update in self._updates.pending.values()][:last]
        parts = {"requests": lines, "messages": said, "not taken": waiting}
        parts["violations"] = self._checks.violations
        return "\n".join(line for name, found in parts.items() for line in (f"{name}:", *found))
