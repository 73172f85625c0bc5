"""One update as its handler sees it: who, where, when, in which language, and what it may call on."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from telegram import Bot, CallbackQuery, ChatMember, ChatMemberRestricted, Message, Update, User
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.database import Store, Tx
from bot.i18n import Words, choose_language, clean_name, get_words
from bot.pictures.values import Picture
from bot.players import queries as people
from bot.queue import private_delivery, updates
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.updates import BOARD_KEY
from bot.queue.watermark import resolve_sent_time
from bot.settings import Settings
from bot.telegram.api import call_api
from bot.telegram.messages import (
    EphemeralWindow,
    Keyboard,
    MakeBoardUrl,
    Request,
    answer_press,
    make_no_board_url,
    post_message,
    tell_privately,
)
from bot.workers.pool import SolverPool


class CommandInfo(Protocol):
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


def ignore_picture(_chat_id: int, _picture: Picture, _language: str) -> None:
    """Nothing is drawn."""


async def ignore_effect(_effect: Callable[[Tx], list[Request]]) -> None:
    """Nothing is changed."""


@dataclass(frozen=True, slots=True)
class Services:
    """What is built once at the start and passed down."""

    store: Store
    solver_pool: SolverPool  # The pool as the person may use it
    bot: Bot
    me: User
    settings: Settings
    make_seed: Callable[[], int]  # A fresh seed for each deal
    commands: Sequence[CommandInfo] = ()  # All that the bot answers to, in the order of the menu
    # What the bot may do in a group; None where it may do nothing more than any member.
    permissions: BotPermissionCache | None = None
    make_board_url: MakeBoardUrl = make_no_board_url  # Where the page is that shows a table to be tapped
    # Told of a picture that a chat will soon be shown, in a language: it may be drawn meanwhile.
    prefetch_picture: Callable[[int, Picture, str], None] = ignore_picture
    # Commits an effect at once, before that of the update, and sends its requests.
    run_effect_now: Callable[[Callable[[Tx], list[Request]]], Awaitable[None]] = ignore_effect


log = logging.getLogger(__name__)

ADMIN_STATUSES = {ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR}

# What an update changes, and the requests it causes. Committed together with marking the update done.
Effect = Callable[[Tx], list[Request]]
TELEGRAM_USER_ID = 777_000  # The user in whose name Telegram forwards a channel's posts to its group
MAX_TRANSIT_TIME = 5.0  # Seconds from a message's date after which it counts as delayed on its way


@dataclass(frozen=True, slots=True)
class Context:
    """An update in its chat."""

    services: Services
    update: Update
    chat: people.Chat
    # A real person, or None: channels, other bots and anonymous admins don't play.
    player: people.Player | None
    message: Message | None  # The message that was sent, or the one whose button was pressed
    query: CallbackQuery | None
    topic: int
    sent_at: float  # The message's own date; for a press, which has none, when it is handled
    handled_at: float  # When it is handled, by Telegram's clock: that may be long after it was sent
    words: Words
    argument: str  # What stands behind the command or the bot's name, or the whole text
    # Until when, by this machine's clock, a press or an ephemeral message may be answered ephemerally.
    ephemeral_until: float = 0.0
    # Whether the message is an entry that nobody else should read, and the bot may delete it.
    can_hide_message: bool = False
    # What a page of the bot's own calls the tap that this is; empty for all that comes from Telegram.
    board_press_id: str = ""
    board_round_id: int = 0  # The round that the page showed; 0 where that does not matter
    board_day: str = ""  # The day whose hand the page showed, where it was that which was tapped

    @property
    def clock_start(self) -> float:
        """When the clock of a hand starts that this shows without a post of its own.

        That is the message's date too, unless it comes so late that the hand's time would be half gone.
        """
        return self.handled_at if self.handled_at - self.sent_at > MAX_TRANSIT_TIME else self.sent_at

    @property
    def is_new_message(self) -> bool:
        """Whether it is a new message that a person wrote there and then."""
        m = self.message
        return bool(self.player and m and self.update.message and not m.forward_origin and not m.via_bot)

    @property
    def replied_bot_message(self) -> Message | None:
        """The bot's own message to which this one replies."""
        above = self.message.reply_to_message if self.message else None
        ours = above is not None and above.from_user is not None and above.from_user.id == self.services.me.id
        return above if ours else None

    @property
    def button_data(self) -> str:
        """The data of the button that was pressed; whoever wants to can make it up."""
        return self.query.data or "" if self.query and isinstance(self.query.data, str) else ""

    @property
    def is_genuine_press(self) -> bool:
        """Whether the message that a press names has such a button, so that the data was not made up.

        The page's own service lets through only what the page was shown.
        """
        if self.query and self.board_press_id:
            return True
        markup = self.message.reply_markup if self.message and self.query else None
        rows = markup.inline_keyboard if markup else ()
        return any(button.callback_data == self.button_data for row in rows for button in row)

    @property
    def ephemeral_id(self) -> int:
        """The id of a message in a group that nobody but its author and the bot sees; 0 for any other.

        Each of these has the `message_id` 0 (Bot API 10.2): none can be replied to, reacted to or told from
        others by that.
        """
        known = self.message.api_kwargs.get("ephemeral_message_id") if self.message else None
        return known if isinstance(known, int) else 0

    def reply(self, text: str, **options: Any) -> Request:
        """A reply in the chat and topic of the question; only to its author if nobody else saw that."""
        if self.board_press_id or (self.ephemeral_id and not self.query):
            options.pop("reply_to", None)
            posted = self.board_press_id and self.chat.private and "keyboard" in options  # it is for the chat
            if self.player and options.keys() <= {"keyboard"} and not posted:
                return self.tell_privately(text, **options)
            return post_message(self.chat.id, text, **{"topic": self.topic, **options})
        reply_to = (
            self.message.message_id if self.message and not self.query and not self.chat.private else None
        )
        return post_message(self.chat.id, text, topic=self.topic, **{"reply_to": reply_to, **options})

    def tell_privately(
        self,
        text: str,
        *,
        player_id: int | None = None,
        keyboard: Keyboard | None = None,
        key: str = "",
        round_id: int = 0,
        heading: str = "",
        may_wait: bool = True,
    ) -> Request:
        """Tell one person of this group something that nobody else may read; `to` is whoever asked.

        It is stored and sent like every other request, and goes the first of these ways that is open:

        1. the alert that answers this press, if it is one, for fewer than 200 characters with no `keyboard`;
        2. an ephemeral message in the group: within 15 seconds of this press or ephemeral command, or at
           any time where the bot is an administrator;
        3. the person's private chat, with the line `above` on top, which says what it is about;
        4. with `waits`, it is kept for the person, and the group sees only that a word waits: in the message
           of the round `round_id`, or in one message for each `key`, with a button to the private chat.

        A `key`, such as `card:12`, names the message for later: the next text of that key for that person
        changes the message where it stands (by editEphemeralMessageText up to 1023 characters, or by
        editMessageText in private), and is a new message where that can't be done. Where nothing can be told
        to change an ephemeral one (it may have vanished without anybody being told), let the person ask for
        a new one: `groups.privately.queries.forget_message` lets go of the one that was.

        In a private chat it is an ordinary message there; for a person of another chat than this, such as
        the group of a card that was pressed in private, use `messages.to_one` with that group's id. A press
        is answered by the alert alone: where there may be a longer text or a keyboard, add `answer()`.
        """
        who = player_id if player_id is not None else self.player.id if self.player else 0
        mine = self.player is not None and who == self.player.id
        window = self.ephemeral_window if mine else EphemeralWindow(self.ephemeral_until)
        return tell_privately(
            self.chat.id,
            who,
            text,
            window,
            language=self.words.language,
            keyboard=keyboard,
            topic=self.topic,
            key=key,
            round_id=round_id,
            heading=heading,
            may_wait=may_wait,
        )

    @property
    def ephemeral_window(self) -> EphemeralWindow:
        """What of this the bot may answer ephemerally."""
        if self.query:
            return EphemeralWindow(self.ephemeral_until, query_id=self.query.id)
        return EphemeralWindow(self.ephemeral_until, ephemeral_id=self.ephemeral_id)

    def answer_press(self, text: str = "", *, alert: bool = False, url: str = "") -> list[Request]:
        """The answer to a press; nothing for a message. `url` as in `answer_press`."""
        if self.query is None:
            return []
        lane = self.query.from_user.id
        return [answer_press(lane, self.query.id, text, alert=alert, url=url)]

    async def call_api(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What Telegram tells of a chat, as it came. Raises TelegramError.

        The library's own types refuse what another server leaves out, and can't tell a list that is missing
        from one that is empty.
        """
        result = await call_api(self.services.bot, method, parameters)
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
        return member.status in ADMIN_STATUSES

    async def is_member(self, chat_id: int, user_id: int) -> bool:
        """Whether somebody is in a chat now, asked of Telegram each time."""
        member = await self.fetch_member(chat_id, user_id)
        return member is not None and is_in_chat(member)

    async def fetch_member(self, chat_id: int, user_id: int) -> ChatMember | None:
        """How somebody stands in a chat now, asked of Telegram each time; None where it doesn't tell."""
        try:
            return await self.services.bot.get_chat_member(chat_id, user_id)
        except TelegramError as error:
            log.info("who is in a chat can't be looked up: %s", type(error).__name__)
            return None


def is_in_chat(member: ChatMember) -> bool:
    """Whether whoever stands so in a chat is in it."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status in {*ADMIN_STATUSES, ChatMemberStatus.MEMBER}


Handler = Callable[[Context], Awaitable[Effect]]  # What a feature answers an update with


def do_nothing(_: Tx) -> list[Request]:
    """The effect that changes nothing and says nothing."""
    return []


@dataclass(frozen=True, slots=True)
class SendOnly:
    """The effect that only sends requests: nothing stored is read for it, and nothing changed."""

    requests: Sequence[Request]

    def __call__(self, _: Tx) -> list[Request]:
        """The requests."""
        return list(self.requests)


def send_only(*outgoing: Request) -> Effect:
    """The effect that only sends these requests."""
    return SendOnly(outgoing)


def find_sender(update: Update) -> people.Player | None:
    """Who wrote, pressed or asked; nobody where a chat speaks, or Telegram forwards a channel's post."""
    message = None if update.callback_query or update.inline_query else update.effective_message
    if isinstance(message, Message) and (message.sender_chat or message.is_automatic_forward):
        return None
    return make_player(update.effective_user)


def make_player(user: User | None) -> people.Player | None:
    """The player behind a Telegram user; other bots are none, and neither is Telegram itself."""
    if user is None or user.is_bot or user.id == TELEGRAM_USER_ID:
        return None
    return people.Player(user.id, clean_name(user.first_name or user.username or ""), user.username)


def _place(update: Update) -> tuple[int, str] | None:
    """The chat and its kind. An inline query tells of no chat: it is asked in the person's own one."""
    if update.inline_query:
        return update.inline_query.from_user.id, "private"
    chat = update.effective_chat
    return None if chat is None or chat.type == "channel" else (chat.id, chat.type)


async def make_context(
    services: Services, update: Update, received: float, arrived: float = 0.0
) -> Context | None:
    """The context of an update that `arrived` then, by this machine's clock.

    None for one that concerns no chat that the bot plays in.
    """
    place = _place(update)
    if place is None:
        return None
    chat = await services.store.read(lambda tx: people.load_chat(tx, *place))
    message, query, user = update.effective_message, update.callback_query, update.effective_user
    sent = message if isinstance(message, Message) else None
    tap = read_board_mark(message)
    return Context(
        services,
        update,
        chat,
        find_sender(update),
        sent,
        query,
        (sent.message_thread_id or 0) if sent and sent.is_topic_message else 0,
        resolve_sent_time(sent.date.timestamp(), received) if sent and update.message else received,
        received,
        get_words(chat.language or choose_language(user.language_code if user else None)),
        _argument(update, sent, {command.name for command in services.commands}),
        ephemeral_until=_until(query, sent, arrived),
        board_press_id=str(tap.get("press", "")),
        board_round_id=int(tap.get("round", 0)),
        board_day=str(tap.get("day", "")),
    )


def read_board_mark(message: Any) -> dict[str, Any]:
    """What a message says of the tap on a page of the bot's own that it is; nothing for any other."""
    said = message.api_kwargs.get(BOARD_KEY) if isinstance(message, Message) else None
    return said if isinstance(said, dict) else {}


def _until(query: CallbackQuery | None, sent: Message | None, arrived: float) -> float:
    """As `Context.until`; for any other message, until when an administrator's word waits for its turn."""
    ephemeral = sent is not None and "ephemeral_message_id" in sent.api_kwargs
    return arrived + (
        private_delivery.EPHEMERAL_WINDOW if query or ephemeral else private_delivery.ADMIN_PATIENCE
    )


def _argument(update: Update, sent: Message | None, names: Collection[str]) -> str:
    """What stands behind the command or the bot's name, or the whole text."""
    if update.inline_query:
        return update.inline_query.query.strip()
    text = (sent.text or "").strip() if sent and not update.callback_query else ""
    if not text.startswith("/"):
        return text
    _, *behind = updates.normalize_command(text, names).split(maxsplit=1)
    return behind[0] if behind else ""
