"""One update as its handler sees it: who, where, when, in which language, and what it may call on."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from telegram import Bot, CallbackQuery, ChatMember, ChatMemberRestricted, Message, Update, User
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.database import Store, Tx
from bot.delivery import typed
from bot.delivery.arrivals import when
from bot.i18n import Words, kept_name, spoken, words
from bot.people import queries as people
from bot.settings import Settings
from bot.telegram.api import ask
from bot.telegram.messages import Request, answer_press, post
from bot.workers.pool import Pool

log = logging.getLogger(__name__)

ADMINS = {ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR}

Effect = Callable[[Tx], list[Request]]
"""What an update changes, and the requests it causes. Committed together with marking the update done."""
TELEGRAM = 777_000
"""The user in whose name Telegram forwards a channel's posts to its group."""
LATE = 5.0
"""Seconds from a message's date after which it counts as delayed on its way."""


class Listed(Protocol):
    """A command as others may speak of it."""

    @property
    def name(self) -> str:
        """Without its slash."""

    @property
    def menu(self) -> Callable[[Words], str] | None:
        """Its line in the command menu; None where the menu does not list it."""

    @property
    def groups_only(self) -> bool:
        """Whether only the menu of groups lists it."""


@dataclass(frozen=True, slots=True)
class Services:
    """What is built once at the start and passed down."""

    store: Store
    solving: Pool
    """The pool as the person may use it."""
    bot: Bot
    me: User
    settings: Settings
    seed: Callable[[], int]
    """A fresh seed for each deal."""
    commands: Sequence[Listed] = ()
    """All that the bot answers to, in the order of the menu."""


@dataclass(frozen=True, slots=True)
class Context:
    """An update in its chat."""

    services: Services
    update: Update
    chat: people.Chat
    player: people.Player | None
    """A real person, or None: channels, other bots and anonymous admins don't play."""
    message: Message | None
    """The message that was sent, or the one whose button was pressed."""
    query: CallbackQuery | None
    topic: int
    now: float
    """The message's own date; for a press, the time it was taken in."""
    received: float
    """When it is handled, which may be long after it was sent."""
    words: Words
    argument: str
    """What stands behind the command or the bot's name, or the whole text."""
    telling: bool = False
    """Whether the message seems to give the hand on the table away."""
    spare: Any = None
    """Another puzzle, at the ready for that; None without one."""

    @property
    def begins(self) -> float:
        """When the clock of a hand starts that this shows without a post of its own.

        That is the message's date too, unless it comes so late that the hand's time would be half gone.
        """
        return self.received if self.received - self.now > LATE else self.now

    @property
    def fresh(self) -> bool:
        """Whether it is a new message that a person wrote there and then."""
        m = self.message
        return bool(self.player and m and self.update.message and not m.forward_origin and not m.via_bot)

    @property
    def replied(self) -> Message | None:
        """The bot's own message to which this one replies."""
        above = self.message.reply_to_message if self.message else None
        ours = above is not None and above.from_user is not None and above.from_user.id == self.services.me.id
        return above if ours else None

    @property
    def pressed(self) -> str:
        """The data of the button that was pressed; whoever wants to can make it up."""
        return self.query.data or "" if self.query and isinstance(self.query.data, str) else ""

    @property
    def offered(self) -> bool:
        """Whether the message that a press names has such a button, so that the data was not made up."""
        markup = self.message.reply_markup if self.message and self.query else None
        rows = markup.inline_keyboard if markup else ()
        return any(button.callback_data == self.pressed for row in rows for button in row)

    def say(self, text: str, **options: Any) -> Request:
        """A reply in the chat and topic of the question."""
        reply_to = (
            self.message.message_id if self.message and not self.query and not self.chat.private else None
        )
        return post(self.chat.id, text, topic=self.topic, **{"reply_to": reply_to, **options})

    def answer(self, text: str = "", *, alert: bool = False, url: str = "") -> list[Request]:
        """The answer to a press; nothing for a message. `url` as in `answer_press`."""
        if self.query is None:
            return []
        lane = self.query.from_user.id
        return [answer_press(lane, self.query.id, text, alert=alert, url=url)]

    async def lookup(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What Telegram tells of a chat, as it came. Raises TelegramError.

        The library's own types refuse what another server leaves out, and can't tell a list that is missing
        from one that is empty.
        """
        result = await ask(self.services.bot, method, parameters)
        return result if isinstance(result, dict) else {}

    async def is_admin(self) -> bool:
        """Whether the person runs the chat now, asked of Telegram each time. In private everybody does."""
        if self.chat.private:
            return True
        if self.message and self.message.sender_chat and self.message.sender_chat.id == self.chat.id:
            return self.query is None  # an anonymous admin writes as the chat itself
        if self.player is None:
            return False
        try:
            member = await self.services.bot.get_chat_member(self.chat.id, self.player.id)
        except TelegramError as error:
            log.info("rights in a chat can't be looked up: %s", type(error).__name__)
            return False
        return member.status in ADMINS

    async def is_member(self, chat_id: int, user_id: int) -> bool:
        """Whether somebody is in a chat now, asked of Telegram each time."""
        member = await self.member(chat_id, user_id)
        return member is not None and is_present(member)

    async def member(self, chat_id: int, user_id: int) -> ChatMember | None:
        """How somebody stands in a chat now, asked of Telegram each time; None where it doesn't tell."""
        try:
            return await self.services.bot.get_chat_member(chat_id, user_id)
        except TelegramError as error:
            log.info("who is in a chat can't be looked up: %s", type(error).__name__)
            return None


def is_present(member: ChatMember) -> bool:
    """Whether whoever stands so in a chat is in it."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status in {*ADMINS, ChatMemberStatus.MEMBER}


Handler = Callable[[Context], Awaitable[Effect]]
"""What a feature answers an update with."""


def nothing(_: Tx) -> list[Request]:
    """The effect that changes nothing and says nothing."""
    return []


@dataclass(frozen=True, slots=True)
class Saying:
    """The effect that only sends requests: nothing stored is read for it, and nothing changed."""

    requests: Sequence[Request]

    def __call__(self, _: Tx) -> list[Request]:
        """The requests."""
        return list(self.requests)


def saying(*outgoing: Request) -> Effect:
    """The effect that only sends these requests."""
    return Saying(outgoing)


def asker(update: Update) -> people.Player | None:
    """Who wrote, pressed or asked; nobody where a chat speaks, or Telegram forwards a channel's post."""
    message = None if update.callback_query or update.inline_query else update.effective_message
    if isinstance(message, Message) and (message.sender_chat or message.is_automatic_forward):
        return None
    return person(update.effective_user)


def person(user: User | None) -> people.Player | None:
    """The player behind a Telegram user; other bots are none, and neither is Telegram itself."""
    if user is None or user.is_bot or user.id == TELEGRAM:
        return None
    return people.Player(user.id, kept_name(user.first_name or user.username or ""), user.username)


def _place(update: Update) -> tuple[int, str] | None:
    """The chat and its kind. An inline query tells of no chat: it is asked in the person's own one."""
    if update.inline_query:
        return update.inline_query.from_user.id, "private"
    chat = update.effective_chat
    return None if chat is None or chat.type == "channel" else (chat.id, chat.type)


async def context_of(services: Services, update: Update, received: float) -> Context | None:
    """The context of an update; None for one that concerns no chat that the bot plays in."""
    place = _place(update)
    if place is None:
        return None
    chat = await services.store.read(lambda tx: people.find_chat(tx, *place))
    message, query, user = update.effective_message, update.callback_query, update.effective_user
    sent = message if isinstance(message, Message) else None
    return Context(
        services,
        update,
        chat,
        asker(update),
        sent,
        query,
        (sent.message_thread_id or 0) if sent and sent.is_topic_message else 0,
        when(sent.date.timestamp(), received) if sent and update.message else received,
        received,
        words(chat.language or spoken(user.language_code if user else None)),
        _argument(update, sent, {command.name for command in services.commands}),
    )


def _argument(update: Update, sent: Message | None, names: Collection[str]) -> str:
    """What stands behind the command or the bot's name, or the whole text."""
    if update.inline_query:
        return update.inline_query.query.strip()
    text = (sent.text or "").strip() if sent and not update.callback_query else ""
    if not text.startswith("/"):
        return text
    _, *behind = typed.command(text, names).split(maxsplit=1)
    return behind[0] if behind else ""
