"""What each feature answers to and does by itself, in lists of its own; here they become one.

Nothing in here knows a feature: `bot.features` names them, and `bot.service` passes the whole list on.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypeVar

from bot.database import Store, Tx
from bot.i18n import Words
from bot.queue.admission import CommandKind, KindRules, UpdateKind
from bot.queue.timers import TimedTask
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import MakeBoardUrl, Request
from bot.telegram.photo_messages import DescribedPicture

T = TypeVar("T")
# The kinds of updates that the bot asks Telegram for.
ALLOWED_UPDATES = ("message", "callback_query", "my_chat_member", "inline_query")
START_COMMAND = "start"  # The command that a link to the bot sends, with the link's payload behind it
DRAWN_ROUND = "drawn"  # The kind of receipt of an edit that draws something as it stands: `drawn:ROUND`


@dataclass(frozen=True, slots=True)
class CommandRoute:
    """A command and its handler."""

    name: str
    handler: Handler
    # What kind of work it is, which says where it waits; or how the words behind the command decide that.
    update_kind: CommandKind
    # Its line in the command menu; None where the menu does not list it.
    menu: Callable[[Words], str] | None = None
    groups_only: bool = False  # Whether only the menu of groups lists it


@dataclass(frozen=True, slots=True)
class ButtonRoute:
    """The handler of every button whose data begins with `prefix` and a colon."""

    prefix: str
    handler: Handler
    update_kind: UpdateKind = UpdateKind.PRESS


@dataclass(frozen=True, slots=True)
class TextRoute:
    """The handler of every message in private, other than a reply, that has some form."""

    matches: Callable[[str], bool]
    handler: Handler


class OtherUpdate(Enum):
    """Updates that are neither a command of ours nor a press."""

    INLINE_QUERY = auto()  # A query typed behind the bot's name in any chat
    BOT_MEMBERSHIP = auto()  # The bot was added to a chat, removed or blocked
    CHAT_MIGRATION = auto()  # A group has another id now
    TOPIC_CLOSED = auto()
    TEXT = auto()
    UNKNOWN_COMMAND = auto()  # A command that is none: one said to the bot, in private or by its name
    RATE_LIMITED = auto()  # Whatever somebody asks who asks for too much


@dataclass(frozen=True, slots=True)
class DeliveredRequest:
    """A request that has arrived and of which something is to be remembered."""

    about: str  # What it was about, such as `deal:7`: the kind of receipt, and what that kind knows it by
    # What Telegram returned; empty for one that was announced by `leaving` and came to nothing.
    result: dict[str, Any]
    delivered_at: float  # When it arrived, by Telegram's clock
    # When it was first sent, for one that was found in the chat after nobody knew whether it had arrived.
    first_sent_at: float | None
    now: float  # By Telegram's clock

    @property
    def about_id(self) -> int:
        """What follows the kind of receipt, where that is a number."""
        return int(self.about.partition(":")[2])


@dataclass(frozen=True, slots=True)
class LostMessage:
    """A message that can't be changed any more."""

    about: str  # What the edit was about; empty where nothing is remembered of it
    chat_id: int
    message_id: int
    is_refresh: bool  # Whether the edit was to show nothing but the time


DeliveryHandler = Callable[[Tx, DeliveredRequest], None]
# Takes note, at a time by Telegram's clock, that a timed request is about to be sent; whether for the first
# time.
BeforeSendHandler = Callable[[Tx, str, float], bool]
# What is sent instead of a request to one person whose present way failed; why: see `delivery.secret`.
FallbackHandler = Callable[[Tx, dict[str, Any], str], list[Request]]
# Takes note of a lost message; whether what it showed is to be posted anew, and then no other is asked.
LostMessageHandler = Callable[[Tx, LostMessage], bool]
# The request that a stored one stands for, as of now by Telegram's clock; None if it isn't wanted now.
Renderer = Callable[[Store, dict[str, Any], float], Awaitable[dict[str, Any] | None]]
# The same where the message leads to a page that shows the table, too.
LinkedRenderer = Callable[[Store, dict[str, Any], float, MakeBoardUrl], Awaitable[dict[str, Any] | None]]

# What a message shows, by what was asked for as it was stored (`messages.pictured`), as of now by Telegram's
# clock; None where there is nothing to look at.
PictureFinder = Callable[[Tx, Mapping[str, Any], float], DescribedPicture | None]


@dataclass(frozen=True, slots=True)
class Routes:
    """What one feature has to offer, or all of them together."""

    commands: Sequence[CommandRoute] = ()  # In the order of the menu
    buttons: Sequence[ButtonRoute] = ()
    # The first that matches a message gets it; what none of them matches is `Other.TEXT`.
    texts: Sequence[TextRoute] = ()
    other_updates: Mapping[OtherUpdate, Handler] = field(default_factory=dict)
    # Where `t.me/bot?start=PAYLOAD` leads, by the payload up to its first underscore; what follows that is
    # the handler's argument.
    deep_links: Mapping[str, Handler] = field(default_factory=dict)
    # By method of the stored requests that are made when their turn comes.
    renderers: Mapping[str, Renderer] = field(default_factory=dict)
    # As `draws`, of messages that lead to a page.
    linked_renderers: Mapping[str, LinkedRenderer] = field(default_factory=dict)
    # What finds the picture of a message when it is sent, by the kind of picture.
    picture_finders: Mapping[str, PictureFinder] = field(default_factory=dict)
    # What follows when a message has arrived, by what its request is `about`, up to the first colon.
    delivery_handlers: Mapping[str, DeliveryHandler] = field(default_factory=dict)
    # What is written before a message with such a receipt leaves.
    before_send_handlers: Mapping[str, BeforeSendHandler] = field(default_factory=dict)
    lost_message_handlers: Sequence[LostMessageHandler] = ()
    fallback_handlers: Sequence[FallbackHandler] = ()
    timed_tasks: Sequence[TimedTask] = ()

    @property
    def kind_rules(self) -> KindRules:
        """What kind of work each command and each press is."""
        return KindRules(
            {c.name: c.update_kind for c in self.commands}, {b.prefix: b.update_kind for b in self.buttons}
        )


def merge_routes(features: Iterable[Routes]) -> Routes:
    """All features' routes as one, in their order. Raises ValueError when two claim the same name."""
    parts = list(features)
    whole = Routes(
        commands=[command for part in parts for command in part.commands],
        buttons=[button for part in parts for button in part.buttons],
        texts=[text for part in parts for text in part.texts],
        other_updates=_joined(part.other_updates.items() for part in parts),
        deep_links=_joined(part.deep_links.items() for part in parts),
        renderers=_joined(part.renderers.items() for part in parts),
        linked_renderers=_joined(part.linked_renderers.items() for part in parts),
        picture_finders=_joined(part.picture_finders.items() for part in parts),
        delivery_handlers=_joined(part.delivery_handlers.items() for part in parts),
        before_send_handlers=_joined(part.before_send_handlers.items() for part in parts),
        lost_message_handlers=[losing for part in parts for losing in part.lost_message_handlers],
        fallback_handlers=[each for part in parts for each in part.fallback_handlers],
        timed_tasks=[work for part in parts for work in part.timed_tasks],
    )
    for names in ([c.name for c in whole.commands], [b.prefix for b in whole.buttons]):
        _joined([[(name, None) for name in names]])
    _joined([[(work.name, None) for work in whole.timed_tasks]])
    return replace(whole, commands=[_with_doors(command, whole.deep_links) for command in whole.commands])


def _joined(parts: Iterable[Iterable[tuple[Any, T]]]) -> dict[Any, T]:
    joined: dict[Any, T] = {}
    for key, value in (item for part in parts for item in part):
        if key in joined:
            raise ValueError(f"two features claim {key!r}")
        joined[key] = value
    return joined


def _with_doors(command: CommandRoute, doors: Mapping[str, Handler]) -> CommandRoute:
    """The command; /start leads first to where a link's payload points."""
    if command.name != START_COMMAND:
        return command

    async def start(context: Context) -> Effect:
        door, _, rest = context.argument.partition("_")
        if door in doors:
            return await doors[door](replace(context, argument=rest))
        return await command.handler(context)

    return replace(command, handler=start)
