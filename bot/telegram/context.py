"""The context of an update: sender, chat, time and language, and the services that handlers use."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from telegram import Bot, ChatMember, ChatMemberRestricted, User
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import TelegramError

from bot.database import Store, Tx
from bot.i18n import Html, Words, choose_language, escape_value, get_words, strip_tags
from bot.pictures.values import Picture
from bot.players import queries as people
from bot.players.preferences import Pictures, get_quiet_end, read_preferences
from bot.queue import updates
from bot.queue.admission import CommandKind
from bot.queue.bot_permissions import BotPermissionCache
from bot.queue.outgoing import Outgoing
from bot.queue.rendering import UNKNOWN_CONTENT
from bot.queue.updates import Submission, resolve_sent_time
from bot.settings import Settings
from bot.telegram import messages
from bot.telegram.api import call_api
from bot.telegram.incoming import Incoming, Message, Press, RepliedMessage
from bot.telegram.messages import Keyboard, MakeBoardUrl, make_no_board_url
from bot.workers.pool import SolverPool

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BoardReply:
    """A reply to a submission, shown on its player's pages alone; several become one."""

    text: str = ""  # HTML
    is_right: bool | None = None  # whether an answer counts; None if that is no verdict


# What a handler does about an update: a request to Telegram, or a reply on the page that it came from.
Response = Outgoing | BoardReply
# What an update changes, and the responses it causes. Committed together with marking the update done.
Effect = Callable[[Tx], Sequence[Response]]


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


PICTURES_OF_CHOICE = {
    Pictures.OFF: (),
    Pictures.CARDS: (Pictures.CARDS,),
    Pictures.ALL: (Pictures.CARDS, Pictures.ALL),
}
MAX_TRANSIT_TIME = 5.0  # seconds from a message's date after which it counts as delayed on its way


@dataclass(frozen=True, slots=True)
class Context:
    """An update, or a submission from the board, as its handler sees it."""

    services: Services
    incoming: Incoming
    chat: people.Chat
    player: people.Player | None  # None for channels, other bots and anonymous admins
    topic: int
    message: Message | None  # the one that was sent, or whose button was pressed; None from the board
    message_id: int  # 0 without one in the chat, and for an ephemeral one
    press: Press | None
    submission: Submission | None  # from the board; None for everything from Telegram
    sent_at: float  # the message's date, by Telegram's clock; for a press, which has none, `handled_at`
    handled_at: float  # by Telegram's clock; may be long after the message was sent
    words: Words  # in the chat's language, or its sender's
    argument: str  # the text after the command or the bot's name, or the whole text
    # Until when a press or an ephemeral message may be answered ephemerally, by Telegram's clock.
    ephemeral_until: float = 0.0
    # Whether the message is an entry that nobody else should read, and the bot may delete it.
    can_hide_message: bool = False

    @property
    def clock_start(self) -> float:
        """The start of the time for a hand that this update shows without a new post.

        That is the message's date, unless it was delayed so long that much of the time would be over.
        """
        is_delayed = self.handled_at - self.sent_at > MAX_TRANSIT_TIME
        return self.handled_at if is_delayed else self.sent_at

    @property
    def is_new_message(self) -> bool:
        """Whether a person wrote it just now: no press, forward or other bot's text."""
        is_copied = self.message is not None and self.message.is_copied
        return self.player is not None and self.incoming.sent_at is not None and not is_copied

    @property
    def is_command(self) -> bool:
        """Whether the message begins with a slash; also True for an answer on the board."""
        if self.is_press:
            return False
        has_slash = self.message is not None and self.message.text.startswith("/")
        return has_slash or self.submission is not None

    @property
    def replied_bot_message(self) -> RepliedMessage | None:
        """The bot's own message to which this one replies; None if it does not."""
        if self.message and self.message.replied and self.message.replied.is_own:
            return self.message.replied
        return None

    @property
    def is_press(self) -> bool:
        return self.press is not None

    @property
    def button_data(self) -> str:
        """The data of the pressed button, which anybody could forge; "" if no button was pressed."""
        return self.press.data if self.press else ""

    @property
    def button_argument(self) -> str:
        """The data of the pressed button after its key and a colon; "" if there is none."""
        return self.button_data.partition(":")[2]

    @property
    def is_genuine_press(self) -> bool:
        """Whether the pressed message has a button with this data, so it is no forgery; True on the board."""
        return self.press is not None and self.press.is_genuine

    @property
    def is_hidden(self) -> bool:
        """Whether nobody else in a group sees the message: it is ephemeral, or an answer on the board."""
        if self.is_press:
            return False
        is_ephemeral = self.message is not None and self.message.ephemeral_id != 0
        is_on_group_board = self.submission is not None and not self.chat.private
        return is_ephemeral or is_on_group_board

    @property
    def is_in_quiet_hours(self) -> bool:
        """Whether the group has quiet hours now: replies make no sound, typing errors get none."""
        return get_quiet_end(read_preferences(self.chat), self.sent_at) is not None

    def reply(self, text: str, **options: Any) -> Response:
        """Request a message in the chat and topic of this one, in a group as a reply to it.

        Others don't see an ephemeral message or an entry on the board. So its author alone gets the reply if
        `options` (those of `post_message`) hold at most a keyboard. But in the private chat of an entry on
        the board a reply with a keyboard is posted.
        """
        if self.submission or self.is_hidden:
            return self._reply_to_unseen_message(text, **options)
        options.setdefault("topic", self.topic)
        if self.message and not self.is_press and not self.chat.private:
            options.setdefault("reply_to", self.message_id)
        return messages.post_message(self.chat.id, text, silent=self.is_in_quiet_hours, **options)

    def _reply_to_unseen_message(self, text: str, **options: Any) -> Response:
        """Reply to a message that only its author sees: to the author alone or to all; see `reply`."""
        options.pop("reply_to", None)
        needs_chat = self.submission and self.chat.private and "keyboard" in options  # a page has no buttons
        can_be_private = options.keys() <= {"keyboard"}
        if self.player and can_be_private and not needs_chat:
            return self.tell_privately(text, **options)
        options.setdefault("topic", self.topic)
        return messages.post_message(self.chat.id, text, **options)

    def edit(self, text: str, *, keyboard: Keyboard | None = None) -> Outgoing:
        """Request that the message be replaced whose button was pressed."""
        return messages.edit_message(self.chat.id, self.message_id, text, keyboard)

    def tell_privately(
        self,
        text: str,
        *,
        keyboard: Keyboard | None = None,
        round_id: int = 0,
        heading: str = "",
        may_wait: bool = True,
    ) -> Response:
        """Request that the sender, a member of this group, be told what nobody else may read.

        The text goes the first `Way` that is open when it is sent: the alert for fewer than 200 characters
        without a `keyboard`; the private chat with `heading` above it; the last one, to wait, only with
        `may_wait`, and shown in the message of the round `round_id` or, without one, in a message of its own.
        In a private chat this posts an ordinary message. The alert alone answers the press: where the text
        may be longer or has a keyboard, add `answer_press()`.
        """
        if self.submission:
            return BoardReply(text)
        query_id = ""
        ephemeral_id = 0
        if self.press:
            query_id = self.press.id if self.player else ""
        elif self.message:
            ephemeral_id = self.message.ephemeral_id
        return messages.tell_privately(
            self.chat.id,
            self.player.id if self.player else 0,
            text,
            self.ephemeral_until,
            language=self.words.language,
            query_id=query_id,
            ephemeral_id=ephemeral_id,
            keyboard=keyboard,
            topic=self.topic,
            round_id=round_id,
            heading=heading,
            may_wait=may_wait,
        )

    def answer_press(self, text: str = "", *, alert: bool = False, url: str = "") -> list[Response]:
        """Request the answer to a press, as `messages.answer_press`; an empty list for a message.

        On the board the text is a reply, and without a text the list is empty.
        """
        if self.press is None:
            return []
        if self.submission:
            return [BoardReply(escape_value(text))] if text else []
        return [messages.answer_press(self.press.player_id, self.press.id, text, alert=alert, url=url)]

    def notify(self, text: Html, reply_to: int | None = None) -> list[Response]:
        """Answer a press with the text, or reply with it to the message or to `reply_to`.

        Empty for other updates, which nobody waits for.
        """
        if self.is_press:
            return self.answer_press(strip_tags(text))
        if self.message is None and self.submission is None:
            return []
        return [self.reply(text, reply_to=reply_to or self.message_id)]

    def react(self, emoji: str, fallback: Response | None = None) -> list[Response]:
        """React to the message, or return `fallback` if the chat forbids that reaction.

        Empty without a message in the chat: for an ephemeral one, and on the board.
        """
        if not self.message_id:
            return []
        if people.is_reaction_forbidden(self.chat, emoji):
            return [fallback] if fallback else []
        instead = fallback if isinstance(fallback, Outgoing) else None
        return [messages.react_to_message(self.chat.id, self.message_id, emoji, instead)]

    def add_picture(
        self, request: Response, kind: str, *, required: Pictures = Pictures.ALL, **arguments: Any
    ) -> Response:
        """Add a picture if the chat allows the `required` ones; to an edit, only if the message has a photo.

        A reply on the board is returned unchanged.
        """
        if isinstance(request, BoardReply):
            return request
        shown_key = ""
        if request.method.startswith("edit"):
            if not (self.message and self.message.has_photo):
                return request
            shown_key = UNKNOWN_CONTENT
        elif required not in PICTURES_OF_CHOICE[read_preferences(self.chat).pictures]:
            return request
        return messages.add_picture(request, kind, self.words.language, shown_key=shown_key, **arguments)

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
        if self.incoming.is_anonymous_admin:
            return True
        if self.player is None:
            return False
        member = await self.fetch_member(self.chat.id, self.player.id)
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
            log.info("a chat's members can't be loaded: %s", type(error).__name__)
            return None


Handler = Callable[[Context], Awaitable[Effect]]


@dataclass(frozen=True, slots=True)
class CommandRoute:
    name: str
    handler: Handler
    update_kind: CommandKind  # decides in which queue it waits; may be computed from the command's arguments
    menu: Callable[[Words], str] | None = None  # translates its line in the menu; None if it is not listed
    groups_only: bool = False  # whether only the menu of groups lists it
    alias_of: str = ""  # the command that this name stands for; "" unless it is an alias


ADMIN_STATUSES = {ChatMemberStatus.OWNER, ChatMemberStatus.ADMINISTRATOR}


def is_in_chat(member: ChatMember) -> bool:
    """Whether a membership means that the person is in the chat, and has not left or been removed."""
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status in {*ADMIN_STATUSES, ChatMemberStatus.MEMBER}


def do_nothing(_: Tx) -> list[Response]:
    """Change and send nothing: an effect."""
    return []


@dataclass(frozen=True, slots=True)
class SendOnly:
    """An effect that only responds, and neither reads nor changes what is stored."""

    responses: Sequence[Response]

    def __call__(self, _: Tx) -> Sequence[Response]:
        return self.responses


def send_only(*responses: Response) -> Effect:
    """Return the effect that responds with these and does nothing else."""
    return SendOnly(responses)


async def make_context(
    services: Services, incoming: Incoming, handled_at: float, received_at: float = 0.0
) -> Context | None:
    """Build the context of an update, with its chat as stored; None if it concerns no chat for players.

    `handled_at` and `received_at` are by Telegram's clock.
    """
    if not incoming.chat_id or incoming.chat_kind == ChatType.CHANNEL:  # channels have no players
        return None
    chat = await services.store.read(lambda tx: people.load_chat(tx, incoming.chat_id, incoming.chat_kind))
    sent_at = handled_at if incoming.sent_at is None else resolve_sent_time(incoming.sent_at, handled_at)
    command_names = {command.name for command in services.commands}
    return Context(
        services,
        incoming,
        chat,
        player=incoming.sender,
        topic=incoming.topic,
        message=incoming.message,
        message_id=incoming.message_id,
        press=incoming.press,
        submission=incoming.submission,
        sent_at=sent_at,
        handled_at=handled_at,
        words=get_words(chat.language or choose_language(incoming.language)),
        argument=_find_argument(incoming, command_names),
        ephemeral_until=received_at + _get_patience(incoming),
    )


EPHEMERAL_WINDOW = 12.0  # Seconds for which a press or ephemeral command can be answered: 15, with 3 to spare
ADMIN_PATIENCE = 30.0  # Seconds for which an administrator's ephemeral message waits for its turn


def _get_patience(incoming: Incoming) -> float:
    """Return for how many seconds an ephemeral answer to a press or message may be sent."""
    is_ephemeral = incoming.message and incoming.message.ephemeral_id
    if incoming.press or is_ephemeral:
        return EPHEMERAL_WINDOW
    return ADMIN_PATIENCE  # Only an administrator bot can send one then


def _find_argument(incoming: Incoming, commands: Collection[str]) -> str:
    """Return an answer on the board, an inline query, or the text of a message: for a command only what
    follows its name. "" for a press.
    """
    if incoming.submission:
        return incoming.submission.answer
    if incoming.press:
        return ""
    if incoming.message is None:
        return incoming.inline_query
    text = incoming.message.text.strip()
    if not text.startswith("/"):
        return text
    words = updates.normalize_command(text, commands).split(maxsplit=1)
    return words[1] if len(words) > 1 else ""
