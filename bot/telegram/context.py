"""The context of an update: sender, chat, time and language, and the services that handlers use."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from telegram import Bot, CallbackQuery, Chat, ChatMember, ChatMemberRestricted, Message, Update, User
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.database import Store, Tx
from bot.i18n import Words, choose_language, clean_name, get_words
from bot.pictures.values import Picture
from bot.players import queries as people
from bot.queue import private_delivery, updates
from bot.queue.admission import CommandKind
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.updates import BOARD_KEY
from bot.queue.watermark import resolve_sent_time
from bot.settings import Settings
from bot.telegram.api import call_api
from bot.telegram.messages import (
    Keyboard,
    MakeBoardUrl,
    Request,
    answer_press,
    edit_message,
    make_no_board_url,
    post_message,
    tell_privately,
)
from bot.workers.pool import SolverPool

log = logging.getLogger(__name__)

# What an update changes, and the requests it causes. Committed together with marking the update done.
Effect = Callable[[Tx], list[Request]]


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of the bot that handlers use, built once at the start."""

    store: Store
    solver_pool: SolverPool  # in a handler: as the update's sender may use it
    bot: Bot
    me: User  # the bot itself
    settings: Settings
    make_seed: Callable[[], int]
    commands: Sequence["CommandRoute"] = ()  # in the order of the menu
    # The bot's rights in groups; None where it has no more than any member.
    permissions: BotPermissionCache | None = None
    make_board_url: MakeBoardUrl = make_no_board_url
    # Draws in advance the picture that a chat will soon be shown, in its language.
    prefetch_picture: Callable[[int, Picture, str], None] = lambda *_: None
    # Commits an effect at once, before that of the update, and sends its requests.
    run_effect_now: Callable[[Effect], Awaitable[None]] = lambda _: asyncio.sleep(0)


MAX_TRANSIT_TIME = 5.0  # seconds from a message's date after which it counts as delayed on its way


@dataclass(frozen=True, slots=True)
class Context:
    """An update as its handler sees it."""

    services: Services
    update: Update
    chat: people.Chat
    player: people.Player | None  # None for channels, other bots and anonymous admins
    message: Message | None  # the message that was sent, or the one whose button was pressed
    query: CallbackQuery | None  # of a press
    topic: int
    sent_at: float  # the message's date, by Telegram's clock; for a press, which has none, `handled_at`
    handled_at: float  # by Telegram's clock; may be long after the message was sent
    words: Words  # in the chat's language, or its sender's
    argument: str  # the text after the command or the bot's name, or the whole text
    # Until when a press or an ephemeral message may be answered ephemerally, by this machine's clock.
    ephemeral_until: float = 0.0
    # Whether the message is an entry that nobody else should read, and the bot may delete it.
    can_hide_message: bool = False
    board_press_id: str = ""  # the board's id of the entry or press; "" for everything from Telegram
    board_round_id: int = 0  # the round that the board showed; 0 where that does not matter
    board_day: str = ""  # the day whose hand the board showed, for an answer to that hand

    @property
    def clock_start(self) -> float:
        """The start of the time for a hand that this update shows without a new post.

        That is the message's date, unless it was delayed so long that much of the time would be over.
        """
        is_delayed = self.handled_at - self.sent_at > MAX_TRANSIT_TIME
        return self.handled_at if is_delayed else self.sent_at

    @property
    def is_new_message(self) -> bool:
        """Whether a person wrote the message just now: no press, forward or other bot's text."""
        if self.player is None or self.message is None or self.update.message is None:
            return False
        return not self.message.forward_origin and not self.message.via_bot

    @property
    def replied_bot_message(self) -> Message | None:
        """The bot's own message to which this one replies; None if it does not."""
        replied = self.message.reply_to_message if self.message else None
        author = replied.from_user if replied else None
        if author is None or author.id != self.services.me.id:
            return None
        return replied

    @property
    def is_press(self) -> bool:
        """Whether the update is a press on a button."""
        return self.query is not None

    @property
    def button_data(self) -> str:
        """The data of the pressed button, which anybody could forge; "" if no button was pressed."""
        data = self.query.data if self.query else None
        return data if isinstance(data, str) else ""

    @property
    def button_argument(self) -> str:
        """The data of the pressed button after its key and a colon; "" if there is none."""
        return self.button_data.partition(":")[2]

    @property
    def is_genuine_press(self) -> bool:
        """Whether the pressed message has a button with this data, so it is no forgery; True on the board."""
        if self.query is None:
            return False
        if self.board_press_id:
            return True
        markup = self.message.reply_markup if self.message else None
        if markup is None:
            return False
        buttons = [button for row in markup.inline_keyboard for button in row]
        return any(button.callback_data == self.button_data for button in buttons)

    @property
    def ephemeral_id(self) -> int:
        """The id of an ephemeral message, whose `message_id` is 0 (Bot API 10.2); 0 for any other."""
        number = self.message.api_kwargs.get("ephemeral_message_id") if self.message else None
        return number if isinstance(number, int) else 0

    def reply(self, text: str, **options: Any) -> Request:
        """Request a message in the chat and topic of this one, in a group as a reply to it.

        Others don't see an ephemeral message or an entry on the board. So its author alone gets the reply if
        `options` (those of `post_message`) hold at most a keyboard. But in the private chat of an entry on
        the board a reply with a keyboard is posted.
        """
        is_ephemeral = self.ephemeral_id != 0 and self.query is None
        if self.board_press_id or is_ephemeral:
            return self._reply_to_unseen_message(text, **options)
        if self.message and not self.query and not self.chat.private:
            options = {"reply_to": self.message.message_id, **options}
        return post_message(self.chat.id, text, **{"topic": self.topic, **options})

    def _reply_to_unseen_message(self, text: str, **options: Any) -> Request:
        """Reply to a message that only its author sees: to the author alone or to all; see `reply`."""
        options.pop("reply_to", None)
        is_for_chat = self.board_press_id and self.chat.private and "keyboard" in options
        if self.player and options.keys() <= {"keyboard"} and not is_for_chat:
            return self.tell_privately(text, **options)
        return post_message(self.chat.id, text, **{"topic": self.topic, **options})

    def edit(self, text: str, *, keyboard: Keyboard | None = None) -> Request:
        """Request that the message be replaced whose button was pressed."""
        return edit_message(self.chat.id, self.message.message_id if self.message else 0, text, keyboard)

    def tell_privately(
        self,
        text: str,
        *,
        keyboard: Keyboard | None = None,
        round_id: int = 0,
        heading: str = "",
        may_wait: bool = True,
    ) -> Request:
        """Request that the sender, a member of this group, be told what nobody else may read.

        The text goes the first of these ways that is open when it is sent:

        1. the alert that answers this press, for fewer than 200 characters without a `keyboard`;
        2. an ephemeral message in the group: within 15 seconds of this press or ephemeral command, or at any
           time where the bot is an administrator;
        3. the person's private chat, with `heading` above it;
        4. with `may_wait`, it is stored until the person asks for it, and the group sees only that a message
           waits: in the message of the round `round_id`, or without one in a message of its own.

        In a private chat this posts an ordinary message. The alert alone answers the press: where the text
        may be longer or has a keyboard, add `answer_press()`.
        """
        return tell_privately(
            self.chat.id,
            self.player.id if self.player else 0,
            text,
            self.ephemeral_until,
            language=self.words.language,
            query_id=self.query.id if self.player and self.query else "",
            ephemeral_id=self.ephemeral_id if self.player and not self.query else 0,
            keyboard=keyboard,
            topic=self.topic,
            round_id=round_id,
            heading=heading,
            may_wait=may_wait,
        )

    def answer_press(self, text: str = "", *, alert: bool = False, url: str = "") -> list[Request]:
        """Request the answer to a press, as `messages.answer_press`; an empty list for a message."""
        if self.query is None:
            return []
        lane = self.query.from_user.id
        return [answer_press(lane, self.query.id, text, alert=alert, url=url)]

    async def call_api(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of Telegram's, and return its result as JSON; {} if it is no object.

        Raises TelegramError. The library's typed methods fail where another Bot API server leaves fields out,
        and can't tell a missing list from an empty one.
        """
        result = await call_api(self.services.bot, method, parameters)
        return result if isinstance(result, dict) else {}

    async def is_admin(self) -> bool:
        """Whether the sender is an admin, as Telegram says now; True in private, False without answer."""
        if self.chat.private:
            return True
        if self.message and self.message.sender_chat and self.message.sender_chat.id == self.chat.id:
            # An anonymous admin writes as the chat itself; whoever presses a button below does not
            return self.query is None
        member = await self.fetch_member(self.chat.id, self.player.id) if self.player else None
        return member is not None and member.status in ADMIN_STATUSES

    async def is_member(self, chat_id: int, user_id: int) -> bool:
        """Whether somebody is in a chat, as Telegram says now; False if it does not answer."""
        member = await self.fetch_member(chat_id, user_id)
        return member is not None and is_in_chat(member)

    async def fetch_member(self, chat_id: int, user_id: int) -> ChatMember | None:
        """Return somebody's membership in a chat, as Telegram says now; None if it does not answer."""
        try:
            return await self.services.bot.get_chat_member(chat_id, user_id)
        except TelegramError as error:
            log.info("who is in a chat can't be looked up: %s", type(error).__name__)
            return None


Handler = Callable[[Context], Awaitable[Effect]]


@dataclass(frozen=True, slots=True)
class CommandRoute:
    """A command and its handler."""

    name: str
    handler: Handler
    update_kind: CommandKind  # decides in which queue it waits; may be computed from the command's arguments
    menu: Callable[[Words], str] | None = None  # translates its line in the menu; None if it is not listed
    groups_only: bool = False  # whether only the menu of groups lists it


ADMIN_STATUSES = {ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR}


def is_in_chat(member: ChatMember) -> bool:
    """Whether a membership means that the person is in the chat, and has not left or been removed."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status in {*ADMIN_STATUSES, ChatMemberStatus.MEMBER}


def do_nothing(_: Tx) -> list[Request]:
    """Change and send nothing: an effect."""
    return []


@dataclass(frozen=True, slots=True)
class SendOnly:
    """An effect that only sends requests, and neither reads nor changes what is stored."""

    requests: Sequence[Request]

    def __call__(self, _: Tx) -> list[Request]:
        return list(self.requests)


def send_only(*requests: Request) -> Effect:
    """Return the effect that sends these requests and does nothing else."""
    return SendOnly(requests)


def find_sender(update: Update) -> people.Player | None:
    """Return the player who wrote or pressed; None for a chat that writes itself or a channel's post."""
    message = None if update.callback_query or update.inline_query else update.effective_message
    if isinstance(message, Message) and (message.sender_chat or message.is_automatic_forward):
        return None
    return make_player(update.effective_user)


TELEGRAM_USER_ID = 777_000  # the user in whose name Telegram forwards a channel's posts to its group


def make_player(user: User | None) -> people.Player | None:
    """Return a Telegram user as a player; None for bots and for Telegram itself."""
    if user is None or user.is_bot or user.id == TELEGRAM_USER_ID:
        return None
    return people.Player(user.id, clean_name(user.first_name or user.username or ""), user.username)


async def make_context(
    services: Services, update: Update, handled_at: float, received_at: float = 0.0
) -> Context | None:
    """Build the context of an update, with its chat as stored; None if it concerns no chat for players.

    `handled_at` is by Telegram's clock, `received_at` by this machine's.
    """
    user = update.effective_user
    place = update.effective_chat
    if update.inline_query and user:  # it belongs to its sender's private chat
        place = Chat(user.id, Chat.PRIVATE)
    if place is None or place.type == Chat.CHANNEL:  # channels have no players
        return None
    chat = await services.store.read(lambda tx: people.load_chat(tx, place.id, place.type))
    query = update.callback_query
    message = update.effective_message if isinstance(update.effective_message, Message) else None
    sent_at = handled_at  # Also of a press, whose message may be old
    if message is not None and update.message is not None:
        sent_at = resolve_sent_time(message.date.timestamp(), handled_at)
    mark = read_board_mark(message)
    return Context(
        services,
        update,
        chat,
        player=find_sender(update),
        message=message,
        query=query,
        topic=_get_topic(message),
        sent_at=sent_at,
        handled_at=handled_at,
        words=get_words(chat.language or choose_language(user.language_code if user else None)),
        argument=_find_argument(update, message, {command.name for command in services.commands}),
        ephemeral_until=received_at + _get_patience(query, message),
        board_press_id=str(mark.get("press", "")),
        board_round_id=int(mark.get("round", 0)),
        board_day=str(mark.get("day", "")),
    )


def _get_topic(message: Message | None) -> int:
    """Return the thread of the message's topic; 0 if it is in none."""
    if message is None or not message.is_topic_message:  # An ordinary thread of replies also has an id
        return 0
    return message.message_thread_id or 0


def _get_patience(query: CallbackQuery | None, message: Message | None) -> float:
    """Return for how many seconds an ephemeral answer to a press or message may be sent."""
    if query is not None or (message is not None and "ephemeral_message_id" in message.api_kwargs):
        return private_delivery.EPHEMERAL_WINDOW
    return private_delivery.ADMIN_PATIENCE  # Only an administrator bot can send one then


def _find_argument(update: Update, message: Message | None, commands: Collection[str]) -> str:
    """Return the text of a message, of a command only what follows it, or an inline query; "" for a press."""
    if update.inline_query:
        return update.inline_query.query.strip()
    if message is None or update.callback_query:
        return ""
    text = (message.text or "").strip()
    if not text.startswith("/"):
        return text
    _command, *rest = updates.normalize_command(text, commands).split(maxsplit=1)
    return rest[0] if rest else ""


def read_board_mark(message: Any) -> dict[str, Any]:
    """Return what the board wrote into a message that it made up; {} for any other message."""
    mark = message.api_kwargs.get(BOARD_KEY) if isinstance(message, Message) else None
    return mark if isinstance(mark, dict) else {}
