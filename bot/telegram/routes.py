"""Routes: what each feature answers to and does by itself, merged into one list.

`bot.features` lists the features, and `bot.service` merges their routes.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypeVar

from bot.database import Store, Tx
from bot.queue.admission import KindRules, UpdateKind
from bot.queue.timers import TimedTask
from bot.telegram.context import CommandRoute as CommandRoute
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import MakeBoardUrl, Request
from bot.telegram.photo_messages import DescribedPicture

# The kinds of updates that the bot asks Telegram for.
ALLOWED_UPDATES = ("message", "callback_query", "my_chat_member", "inline_query")


@dataclass(frozen=True, slots=True)
class ButtonRoute:
    """The handler of every button whose data begins with `prefix` and a colon."""

    prefix: str
    handler: Handler
    update_kind: UpdateKind = UpdateKind.PRESS


@dataclass(frozen=True, slots=True)
class TextRoute:
    """The handler of every private message that matches and is no reply."""

    matches: Callable[[str], bool]
    handler: Handler


class OtherUpdate(Enum):
    """Updates that are neither a known command nor a press."""

    INLINE_QUERY = auto()  # a query typed behind the bot's name in any chat
    BOT_MEMBERSHIP = auto()  # the bot was added to a chat, removed or blocked
    CHAT_MIGRATION = auto()  # a group has another id now
    TOPIC_CLOSED = auto()
    TEXT = auto()
    UNKNOWN_COMMAND = auto()  # sent to the bot in private or by its name
    RATE_LIMITED = auto()  # any update of somebody who sends too many


@dataclass(frozen=True, slots=True)
class DeliveredRequest:
    """A request that Telegram has answered, for the feature that made it."""

    about: str  # names its delivery handler and, after a colon, what that handler needs: `deal:7`
    result: dict[str, Any]  # Telegram's; empty for a timed request that was never delivered
    delivered_at: float  # by Telegram's clock
    # By Telegram's clock, for a request that was found in the chat after its delivery was uncertain.
    first_sent_at: float | None
    now: float  # by Telegram's clock

    @property
    def has_arrived(self) -> bool:
        return bool(self.result)

    @property
    def about_id(self) -> int:
        """The number after the colon of `about`."""
        return int(self.about.partition(":")[2])


@dataclass(frozen=True, slots=True)
class LostMessage:
    """A message that can't be edited any more."""

    about: str  # of the edit; "" if it has no delivery handler
    chat_id: int
    message_id: int
    is_refresh: bool  # whether the edit would have changed nothing but the time left


DRAWN_ROUND = "drawn"  # the `about` of an edit that draws a round: `drawn:ROUND`

DeliveryHandler = Callable[[Tx, DeliveredRequest], None]
# Records, with the time by Telegram's clock, that a timed request with this `about` is about to be sent.
# Returns whether for the first time.
BeforeSendHandler = Callable[[Tx, str, float], bool]
# Makes what is sent instead of a private request whose present way failed, from its body and the reason.
FallbackHandler = Callable[[Tx, dict[str, Any], str], list[Request]]
# Records that a message is lost. Returns whether its content is to be posted anew; then no other is asked.
LostMessageHandler = Callable[[Tx, LostMessage], bool]
# Makes the request that a stored one stands for, as of now by Telegram's clock; None if it isn't wanted now.
Renderer = Callable[[Store, dict[str, Any], float], Awaitable[dict[str, Any] | None]]
# A renderer of messages that link to the board.
LinkedRenderer = Callable[[Store, dict[str, Any], float, MakeBoardUrl], Awaitable[dict[str, Any] | None]]
# Finds the picture of a message from the arguments of `add_picture`, as of now by Telegram's clock; or None.
PictureFinder = Callable[[Tx, Mapping[str, Any], float], DescribedPicture | None]


@dataclass(frozen=True, slots=True)
class Routes:
    """The handlers of one feature, or of all features together."""

    commands: Sequence[CommandRoute] = ()  # in the order of the menu
    buttons: Sequence[ButtonRoute] = ()
    texts: Sequence[TextRoute] = ()  # the first that matches; a text that matches none is `OtherUpdate.TEXT`
    other_updates: Mapping[OtherUpdate, Handler] = field(default_factory=dict)
    # By the payload of `t.me/bot?start=PAYLOAD` up to its first underscore; the rest is the argument.
    deep_links: Mapping[str, Handler] = field(default_factory=dict)
    renderers: Mapping[str, Renderer] = field(default_factory=dict)  # by method of the stored request
    linked_renderers: Mapping[str, LinkedRenderer] = field(default_factory=dict)  # by method, too
    picture_finders: Mapping[str, PictureFinder] = field(default_factory=dict)  # by kind of picture
    # By `about` up to its colon.
    delivery_handlers: Mapping[str, DeliveryHandler] = field(default_factory=dict)
    before_send_handlers: Mapping[str, BeforeSendHandler] = field(default_factory=dict)  # by the same
    lost_message_handlers: Sequence[LostMessageHandler] = ()
    fallback_handlers: Sequence[FallbackHandler] = ()
    timed_tasks: Sequence[TimedTask] = ()

    @property
    def kind_rules(self) -> KindRules:
        """The kind of update of each command and button."""
        commands = {command.name: command.update_kind for command in self.commands}
        return KindRules(commands, {button.prefix: button.update_kind for button in self.buttons})


def merge_routes(features: Iterable[Routes]) -> Routes:
    """Merge the routes of all features, in their order. Raises ValueError when two use the same name."""
    parts = list(features)
    commands = [command for part in parts for command in part.commands]
    buttons = [button for part in parts for button in part.buttons]
    tasks = [task for part in parts for task in part.timed_tasks]
    for names in ([c.name for c in commands], [b.prefix for b in buttons], [t.name for t in tasks]):
        _refuse_duplicates(names)
    deep_links = _merge(part.deep_links.items() for part in parts)
    return Routes(
        commands=[_add_deep_links(command, deep_links) for command in commands],
        buttons=buttons,
        texts=[text for part in parts for text in part.texts],
        other_updates=_merge(part.other_updates.items() for part in parts),
        deep_links=deep_links,
        renderers=_merge(part.renderers.items() for part in parts),
        linked_renderers=_merge(part.linked_renderers.items() for part in parts),
        picture_finders=_merge(part.picture_finders.items() for part in parts),
        delivery_handlers=_merge(part.delivery_handlers.items() for part in parts),
        before_send_handlers=_merge(part.before_send_handlers.items() for part in parts),
        lost_message_handlers=[handler for part in parts for handler in part.lost_message_handlers],
        fallback_handlers=[handler for part in parts for handler in part.fallback_handlers],
        timed_tasks=tasks,
    )


T = TypeVar("T")


def _merge(parts: Iterable[Iterable[tuple[Any, T]]]) -> dict[Any, T]:
    """Merge the items of several mappings. Raises ValueError for a key that comes twice."""
    items = [item for part in parts for item in part]
    _refuse_duplicates([key for key, _value in items])
    return dict(items)


def _refuse_duplicates(keys: Sequence[Any]) -> None:
    """Raise ValueError for a key that comes twice."""
    for key, times in Counter(keys).items():
        if times > 1:
            raise ValueError(f"two features claim {key!r}")


START_COMMAND = "start"  # sent by a link to the bot, with the link's payload as its argument


def _add_deep_links(command: CommandRoute, deep_links: Mapping[str, Handler]) -> CommandRoute:
    """Return the command; /start with a link's payload as one that calls the link's handler."""
    if command.name != START_COMMAND:
        return command

    async def start(context: Context) -> Effect:
        """Call the link's handler with the rest of the payload, or the command's without a known link."""
        link, _, rest = context.argument.partition("_")
        if link in deep_links:
            return await deep_links[link](replace(context, argument=rest))
        return await command.handler(context)

    return replace(command, handler=start)
