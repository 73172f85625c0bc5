"""The context of an update: sender, chat, time and language, and the services that handlers use."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from telegram import Bot, CallbackQuery, Chat, ChatMember, ChatMemberRestricted, Message, Update, User
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


class CommandInfo(Protocol):
    """A command's line in menus and help."""

    @property
    def name(self) -> str:
        """The command without its slash."""

    @property
    def menu(self) -> Callable[[Words], str] | None:
        """Translates its line in the command menu; None if it is not listed."""

    @property
    def groups_only(self) -> bool:
        """Whether only the menu of groups lists it."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of the bot that handlers use, built once at the start."""

    store: Store
    solver_pool: SolverPool  # in a handler: as the update's sender may use it
    bot: Bot
    me: User  # the bot itself
    settings: Settings
    make_seed: Callable[[], int]
    commands: Sequence[CommandInfo] = ()  # in the order of the menu
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
        return self.handled_at if self.handled_at - self.sent_at > MAX_TRANSIT_TIME else self.sent_at

    @property
    def is_new_message(self) -> bool:
        """Whether a person wrote the message just now: no press, forward or other bot's text."""
        m = self.message
        return bool(self.player and m and self.update.message and not m.forward_origin and not m.via_bot)

    @property
    def replied_bot_message(self) -> Message | None:
        """The bot's own message to which this one replies; None if it does not."""
        above = self.message.reply_to_message if self.message else None
        ours = above is not None and above.from_user is not None and above.from_user.id == self.services.me.id
        return above if ours else None

    @property
    def button_data(self) -> str:
        """The data of the pressed button, which anybody could forge; "" if no button was pressed."""
        return self.query.data or "" if self.query and isinstance(self.query.data, str) else ""

    @property
    def is_genuine_press(self) -> bool:
        """Whether the pressed message has a button with this data; if not, the data was forged.

        The board lets through only the buttons that it showed.
        """
        if self.query and self.board_press_id:
            return True
        markup = self.message.reply_markup if self.message and self.query else None
        buttons = [button for row in (markup.inline_keyboard if markup else ()) for button in row]
        return any(button.callback_data == self.button_data for button in buttons)

    @property
    def ephemeral_id(self) -> int:
        """The id of a message in a group that only its author and the bot see; 0 for any other.

        The `message_id` of all ephemeral messages is 0 (Bot API 10.2).
        """
        number = self.message.api_kwargs.get("ephemeral_message_id") if self.message else None
        return number if isinstance(number, int) else 0

    def reply(self, text: str, **options: Any) -> Request:
        """Request a reply in the chat and topic of the message; to its author alone if only they see it."""
        if not self.board_press_id and (self.query or not self.ephemeral_id):
            replies = self.message and not self.query and not self.chat.private
            reply_to = self.message.message_id if self.message and replies else None
            return post_message(self.chat.id, text, topic=self.topic, **{"reply_to": reply_to, **options})
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
        player_id: int | None = None,
        keyboard: Keyboard | None = None,
        key: str = "",
        round_id: int = 0,
        heading: str = "",
        may_wait: bool = True,
    ) -> Request:
        """Request that one person of this group, by default the sender, be told what nobody else may read.

        The text goes the first of these ways that is open when it is sent:

        1. the alert that answers this press, for fewer than 200 characters without `keyboard` and `key`;
        2. an ephemeral message in the group: within 15 seconds of this press or ephemeral command, or at any
           time where the bot is an administrator;
        3. the person's private chat, with `heading` above it;
        4. with `may_wait`, it is stored until the person asks for it, and the group sees only that a message
           waits: in the message of the round `round_id`, or in one message for each `key`.

        A `key`, such as `card:12`, names the message: the next text of that key for that person edits it, or
        is a new message where that is impossible. An ephemeral message may vanish unnoticed, so let people
        ask for a new one, after `delete_sent_reply` of `private_replies.queries`.

        In a private chat this posts an ordinary message. The alert alone answers the press: where the text
        may be longer or has a keyboard, add `answer_press()`.
        """
        who = player_id if player_id is not None else self.player.id if self.player else 0
        mine = self.player is not None and who == self.player.id
        return tell_privately(
            self.chat.id,
            who,
            text,
            self.ephemeral_until,
            language=self.words.language,
            query_id=self.query.id if mine and self.query else "",
            ephemeral_id=self.ephemeral_id if mine and not self.query else 0,
            keyboard=keyboard,
            topic=self.topic,
            key=key,
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
        """Whether the sender is an administrator of the chat, as Telegram says now; True in private chats."""
        if self.chat.private:
            return True
        if self.message and self.message.sender_chat and self.message.sender_chat.id == self.chat.id:
            return self.query is None  # an anonymous admin writes as the chat itself
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
    message, query, user = update.effective_message, update.callback_query, update.effective_user
    sent = message if isinstance(message, Message) else None
    place = update.effective_chat
    if update.inline_query and user:  # it belongs to its sender's private chat
        place = Chat(user.id, Chat.PRIVATE)
    if place is None or place.type == Chat.CHANNEL:
        return None
    chat = await services.store.read(lambda tx: people.load_chat(tx, place.id, place.type))
    is_ephemeral = query is not None or (sent is not None and "ephemeral_message_id" in sent.api_kwargs)
    # An administrator bot's private text for an ordinary message may wait this long for its turn
    patience = private_delivery.EPHEMERAL_WINDOW if is_ephemeral else private_delivery.ADMIN_PATIENCE
    mark = read_board_mark(message)
    return Context(
        services,
        update,
        chat,
        find_sender(update),
        sent,
        query,
        (sent.message_thread_id or 0) if sent and sent.is_topic_message else 0,
        resolve_sent_time(sent.date.timestamp(), handled_at) if sent and update.message else handled_at,
        handled_at,
        get_words(chat.language or choose_language(user.language_code if user else None)),
        _find_argument(update, sent, {command.name for command in services.commands}),
        ephemeral_until=received_at + patience,
        board_press_id=str(mark.get("press", "")),
        board_round_id=int(mark.get("round", 0)),
        board_day=str(mark.get("day", "")),
    )


def _find_argument(update: Update, sent: Message | None, commands: Collection[str]) -> str:
    if update.inline_query:
        return update.inline_query.query.strip()
    text = (sent.text or "").strip() if sent and not update.callback_query else ""
    if not text.startswith("/"):
        return text
    _, *rest = updates.normalize_command(text, commands).split(maxsplit=1)
    return rest[0] if rest else ""


def read_board_mark(message: Any) -> dict[str, Any]:
    """Return what the board wrote into a message that it made up; {} for any other message."""
    mark = message.api_kwargs.get(BOARD_KEY) if isinstance(message, Message) else None
    return mark if isinstance(mark, dict) else {}
