"""What a test sees of a world, and how it waits for it: never by sleeping."""

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

# Seconds for which something is waited for that happens at once on a machine with nothing else to do.
PATIENCE: Final = 60.0

Truth = TypeVar("Truth")


class Watching:
    """Looks at what the bot did, and waits until it did it."""

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
        """What the bot has posted there and not deleted, oldest first; since that message alone.

        Whoever looks after each change of a long evening asks for the newest ones: all of them are read anew
        for each look.
        """
        messages = reversed(self._directory.chat_of(place).messages.values())
        later = takewhile(lambda message: message.id >= since, messages)
        return [message for message in later if self._is_post(message) and not message.deleted][::-1]

    def _is_post(self, message: Message) -> bool:
        return message.sender is self._bot and not message.service

    def pace(self, place: Place, window: float = 60) -> int:
        """The most posts that the bot made there within so many seconds."""
        return self._record.pace(self._directory.chat_of(place), window)

    async def wait_until(
        self, predicate: Callable[[], Truth], timeout: float = PATIENCE, what: str = ""
    ) -> Truth:
        """The predicate's first true value, tried at each change; AssertionError with a log if too late."""
        try:
            return await self._signal.wait_until(predicate, timeout)
        except TimeoutError:
            raise AssertionError(f"{what or 'it'} did not happen in {timeout} s\n{self.log()}") from None

    async def next_post(self, place: Place, containing: str = "", *, timeout: float = PATIENCE) -> Message:
        """The bot's first post that this method hasn't given yet; posts without the words are passed over."""
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
        """Wait until a press is answered; what the player is told."""
        await self.wait_until(lambda: press.answer is not None, timeout, f"an answer to {press.data!r}")
        return press.answer_text

    async def wait_until_taken(self, *, timeout: float = PATIENCE) -> None:
        """Wait until the bot has taken every update (acknowledged it, that is; it may still be at work)."""
        await self.wait_until(lambda: not self._updates.pending, timeout, "the bot taking its updates")

    def log(self, last: int = 12) -> str:
        """The last requests and messages and all violations, for people."""
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
