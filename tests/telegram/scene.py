"""The state of a small Telegram with one bot under test: who is where, and what was said."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random
from typing import Any, Final, TypeVar

from tests.telegram.chats import Chat, Json, Member, Message, User
from tests.telegram.faults import Faults
from tests.telegram.limits import Limits, busiest
from tests.telegram.schema import Schema, bot_api
from tests.telegram.signal import Signal
from tests.telegram.updates import Updates

TOKEN: Final = "7024000024:AAF-double_of_Telegram_0123456789abc"  # noqa: S105 - opens nothing
CALLBACK_LIFE: Final = 150
"""Seconds in which a button's press can be answered."""

PATIENCE: Final = 60.0
"""Seconds for which something is waited for that happens at once on a machine with nothing else to do."""

Place = Chat | User
"""Where somebody speaks; a user stands for the private chat of that user and the bot."""
Truth = TypeVar("Truth")


@dataclass(slots=True)
class Request:
    """One request of the bot, as it was understood."""

    method: str
    params: dict[str, Any]
    at: float
    """Seconds on the world's clock."""
    status: int = 0
    """HTTP status of the answer; 0 while there's none, or if it never got one."""
    result: Any = None
    """What `result` held, or the error's description."""

    @property
    def chat(self) -> int | None:
        """The chat it's about."""
        number = self.params.get("chat_id")
        return number if isinstance(number, int) else None


@dataclass(slots=True, eq=False)
class Press:
    """A callback query: somebody pressed a button."""

    id: str
    user: User
    message: Message
    data: str
    at: float
    answer: Json | None = None
    """The parameters of `answerCallbackQuery`."""
    answered_at: float | None = None

    @property
    def answer_text(self) -> str:
        """What the player was told in the bubble or alert; empty for a silent answer."""
        return str((self.answer or {}).get("text", ""))


@dataclass(slots=True, eq=False)
class Inline:
    """An inline query: somebody typed `@bot something` in any chat."""

    id: str
    user: User
    query: str
    at: float
    results: list[Json] | None = None
    answer: Json | None = None
    """All parameters of `answerInlineQuery`."""


@dataclass(slots=True, eq=False)
class Profile:
    """What the bot says about itself, by (scope as JSON, language) or by language."""

    commands: dict[tuple[str, str], list[Json]] = field(default_factory=dict)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """By (`name`, `description` or `short_description`; language)."""
    rights: dict[bool, Json] = field(default_factory=dict)
    """Default administrator rights, by `for_channels`."""
    menu_buttons: dict[int | None, Json] = field(default_factory=dict)


class Scene:
    """State and waiting; `World` adds what people do, `Methods` what the bot does."""

    def __init__(
        self,
        token: str = TOKEN,
        *,
        privacy: bool = True,
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
        validate: bool = True,
    ) -> None:
        self.token = token
        self.clock = clock
        """Unix seconds; give a function of your own to let time jump."""
        self.validate = validate
        """Check requests, results and updates against the schema; switch off for raw speed."""
        self.rng = Random(seed)
        self.schema: Schema = bot_api()
        self.signal = Signal()
        self.updates = Updates(self.signal, self.rng)
        self.faults = Faults()
        self.limits: Limits | None = None
        self.privacy = privacy
        """BotFather's privacy mode; a change holds in groups to which the bot is added afterwards."""
        self.bots_meet = False
        """Does the bot hear other bots' messages?"""
        self.bot = User(int(token.split(":")[0]), "Twenty-Four", username="TwentyFourTestBot", is_bot=True)
        self.users: dict[int, User] = {self.bot.id: self.bot}
        self.chats: dict[int, Chat] = {}
        self.requests: list[Request] = []
        self.violations: list[str] = []
        """Requests that no correct bot sends; a story asserts that there are none."""
        self.presses: dict[str, Press] = {}
        self.answered: list[Press] = []
        """Presses in the order in which they were answered."""
        self.inlines: dict[str, Inline] = {}
        self.profile = Profile()
        self.files: dict[str, bytes] = {}
        """Uploads by file id."""
        self.inline_messages: dict[str, Message] = {}
        self._ids = 0
        self._messages = 0

    @property
    def now(self) -> int:
        """Whole Unix seconds, as messages carry them."""
        return int(self.clock())

    def fresh(self) -> int:
        """A number that no id of this world has had yet."""
        self._ids += 1
        return self._ids

    def next_message_id(self, chat: Chat) -> int:
        """Supergroups and channels count for themselves, all other chats of the bot together."""
        if chat.type in {"supergroup", "channel"}:
            chat.last_id += 1
        else:
            self._messages += 1
            chat.last_id = self._messages
        return chat.last_id

    def place(self, place: Place) -> Chat:
        """The chat meant; a private one comes into being when it's first named."""
        if isinstance(place, Chat):
            return place
        if place.id not in self.chats:
            chat = Chat(place.id, "private", user=place, username=place.username)
            chat.members = {place.id: Member(place), self.bot.id: Member(self.bot)}
            self.chats[chat.id] = chat
        return self.chats[place.id]

    def add(self, message: Message) -> Message:
        """Put a message into its chat."""
        message.chat.messages[message.id] = message
        if message.sender is not None and message.sender.is_bot and not message.service:
            message.chat.last_bot = message.sender.id
        self.signal.notify()
        return message

    def publish(self, kind: str, payload: Json, lane: int) -> None:
        """Tell the bot, if it asked for this kind."""
        if not self.updates.wants(kind):
            return
        update = self.updates.publish(kind, payload, lane)
        if self.validate:
            problems = self.schema.problems("Update", update.body)
            if problems:
                self.violations.append(f"the double's own fault in an update: {problems}")

    def hears(self, message: Message) -> bool:
        """Would Telegram pass this message to the bot? https://core.telegram.org/bots/features#privacy-mode"""
        me = message.chat.member(self.bot)
        sender = message.sender
        if not me.present or sender is self.bot:
            return False
        if sender is not None and sender.is_bot and message.sender_chat is None and not self.bots_meet:
            return False
        if message.chat.type == "private" or message.service or me.reads_all or me.admin:
            return True
        return self._addressed(message)

    def _addressed(self, message: Message) -> bool:
        """What privacy mode lets through."""
        if message.via_bot is self.bot:
            return True
        if message.reply_to is not None and message.reply_to.sender is self.bot:
            return True
        commands = [entity for entity in message.entities if entity["type"] == "bot_command"]
        if not commands or commands[0]["offset"] != 0:
            return False
        _, _, bot = message.text[: commands[0]["length"]].partition("@")
        return (
            bot.lower() == str(self.bot.username).lower() if bot else self._hears_bare_commands(message.chat)
        )

    def _hears_bare_commands(self, chat: Chat) -> bool:
        bots = [member.user for member in chat.members.values() if member.present and member.user.is_bot]
        return bots == [self.bot] or chat.last_bot == self.bot.id

    # Looking and waiting

    def posts(self, place: Place) -> list[Message]:
        """What the bot has posted there and not deleted, oldest first."""
        return [m for m in self.place(place).said if m.sender is self.bot and not m.service]

    def calls(self, method: str) -> list[Request]:
        """The bot's requests of one method."""
        return [request for request in self.requests if request.method == method]

    def pace(self, place: Place, window: float = 60) -> int:
        """The most posts that the bot made there within so many seconds."""
        chat = self.place(place).id
        sent = (call for call in self.requests if call.method.startswith(("send", "copy", "forward")))
        done = (call for call in sent if call.status == 200 and call.method != "sendChatAction")
        return busiest((call.at for call in done if call.chat == chat), window)

    async def until(self, predicate: Callable[[], Truth], timeout: float = PATIENCE, what: str = "") -> Truth:  # noqa: ASYNC109
        """The predicate's first true value, tried at each change; AssertionError with a log if too late."""
        try:
            return await self.signal.until(predicate, timeout)
        except TimeoutError:
            raise AssertionError(f"{what or 'it'} did not happen in {timeout} s\n{self.log()}") from None

    async def next_post(self, place: Place, containing: str = "", *, timeout: float = PATIENCE) -> Message:  # noqa: ASYNC109
        """The bot's first post that this method hasn't given yet; posts without the words are passed over."""
        chat = self.place(place)

        def unread() -> Message | None:
            recent = takewhile(lambda message: message.id > chat.read, reversed(chat.messages.values()))
            mine = [message for message in recent if message.sender is self.bot and not message.service]
            return next((message for message in reversed(mine) if containing in message.text), None)

        message = await self.until(unread, timeout, f"a post with {containing!r} in {chat.title or chat.id}")
        assert message is not None
        chat.read = message.id
        return message

    async def answer_to(self, press: Press, *, timeout: float = PATIENCE) -> str:  # noqa: ASYNC109
        """Wait until a press is answered; what the player is told."""
        await self.until(lambda: press.answer is not None, timeout, f"an answer to {press.data!r}")
        return press.answer_text

    async def taken(self, *, timeout: float = PATIENCE) -> None:  # noqa: ASYNC109
        """Wait until the bot has taken every update (acknowledged it, that is; it may still be at work)."""
        await self.until(lambda: not self.updates.pending, timeout, "the bot taking its updates")

    def log(self, last: int = 12) -> str:
        """The last requests and messages and all violations, for people."""
        lines = [
            f"  {request.method} {request.params} -> {request.status} {request.result!r}"[:300]
            for request in self.requests[-last:]
        ]
        said = [
            f"  {message!r}"
            for chat in self.chats.values()
            for message in list(chat.messages.values())[-last:]
        ]
        waiting = [f"  {update.kind} {update.id}" for update in self.updates.pending.values()][:last]
        return "\n".join(
            ["requests:", *lines, "messages:", *said, "not taken:", *waiting, "violations:", *self.violations]
        )
