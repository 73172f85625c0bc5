"""Routes: what each feature answers to and does by itself, merged into one list.

`bot.features` lists the features, and `bot.service` merges their routes.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from bot.database import Store, Tx, call_after_commit
from bot.queue.admission import KindRules, UpdateKind
from bot.queue.inbox import Inbox
from bot.queue.outgoing import Outgoing, PictureRequest
from bot.queue.rendering import DeliveryResult, DescribedPicture, RenderedRequest
from bot.queue.timers import TimedTask
from bot.queue.updates import normalize_command, resolve_sent_time
from bot.telegram.context import CommandRoute as CommandRoute
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import MakeBoardUrl, make_no_board_url

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
    """The handler of every private message that matches and is neither a reply nor forwarded."""

    matches: Callable[[str], bool]
    handler: Handler


class OtherUpdate(Enum):
    """Updates that features handle besides commands, buttons and matching texts."""

    INLINE_QUERY = auto()  # a query typed behind the bot's name in any chat
    BOT_MEMBERSHIP = auto()  # the bot was added to a chat, removed or blocked
    CHAT_MIGRATION = auto()  # a group has another id now
    TOPIC_CLOSED = auto()
    TEXT = auto()
    BOARD_ANSWER = auto()
    UNKNOWN_COMMAND = auto()  # sent to the bot in private or by its name
    RATE_LIMITED = auto()  # any update of somebody who sends too many


@dataclass(frozen=True, slots=True)
class DeliveredRequest:
    """A request that Telegram has answered, for the feature that made it."""

    about: str  # names its delivery handler and, after a colon, what that handler needs: `deal:7`
    delivered_at: float  # by Telegram's clock
    now: float  # by Telegram's clock
    has_arrived: bool = True  # False for a timed request that was never delivered
    message_id: int = 0  # 0 for an ephemeral message
    picture_key: str = ""  # the content key of the picture that it carried; "" for none
    # By Telegram's clock, for a request that was found in the chat after its delivery was uncertain.
    first_sent_at: float | None = None

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
# Records that a message is lost. Returns whether its content is to be posted anew; then no other is asked.
LostMessageHandler = Callable[[Tx, LostMessage], bool]


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The parts of the bot that renderers use."""

    store: Store
    now: float  # by Telegram's clock
    make_board_url: MakeBoardUrl = make_no_board_url


# Makes the request that a stored one stands for, as of now; None if it isn't wanted now.
Renderer = Callable[[RenderContext, Outgoing], Awaitable[RenderedRequest | None]]
# Finds the picture that `add_picture` asked for, as of now by Telegram's clock; None if there is none.
PictureFinder = Callable[[Tx, PictureRequest, float], DescribedPicture | None]


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
    picture_finders: Mapping[str, PictureFinder] = field(default_factory=dict)  # by kind of picture
    # By `about` up to its colon.
    delivery_handlers: Mapping[str, DeliveryHandler] = field(default_factory=dict)
    before_send_handlers: Mapping[str, BeforeSendHandler] = field(default_factory=dict)  # by the same
    lost_message_handlers: Sequence[LostMessageHandler] = ()
    timed_tasks: Sequence[TimedTask] = ()

    @property
    def kind_rules(self) -> KindRules:
        """The kind of update of each command and button."""
        commands = {command.name: command.update_kind for command in self.commands}
        presses = {button.prefix: button.update_kind for button in self.buttons}
        return KindRules(commands, presses)


def merge_routes(features: Iterable[Routes]) -> Routes:
    """Merge the routes of all features, in their order. Raises ValueError for names that collide."""
    parts = list(features)
    commands = [command for part in parts for command in part.commands]
    buttons = [button for part in parts for button in part.buttons]
    tasks = [task for part in parts for task in part.timed_tasks]
    command_names = [command.name for command in commands]
    _refuse_duplicates(command_names)
    _refuse_glued_commands(command_names)
    _refuse_duplicates([button.prefix for button in buttons])
    _refuse_duplicates([task.name for task in tasks])
    deep_links = _merge(part.deep_links.items() for part in parts)
    return Routes(
        commands=[_add_deep_links(command, deep_links) for command in commands],
        buttons=buttons,
        texts=[text for part in parts for text in part.texts],
        other_updates=_merge(part.other_updates.items() for part in parts),
        deep_links=deep_links,
        renderers=_merge(part.renderers.items() for part in parts),
        picture_finders=_merge(part.picture_finders.items() for part in parts),
        delivery_handlers=_merge(part.delivery_handlers.items() for part in parts),
        before_send_handlers=_merge(part.before_send_handlers.items() for part in parts),
        lost_message_handlers=[handler for part in parts for handler in part.lost_message_handlers],
        timed_tasks=tasks,
    )


def make_aliases(features: Iterable[Routes], aliases: Mapping[str, Sequence[str]]) -> Routes:
    """Make routes for other names of the features' commands, which no menu lists."""
    by_name = dict[str, CommandRoute]()
    for feature in features:
        by_name |= {command.name: command for command in feature.commands}
    commands = list[CommandRoute]()
    for name, others in aliases.items():
        for alias in others:
            commands.append(replace(by_name[name], name=alias, menu=None, alias_of=name))
    return Routes(commands=commands)


T = TypeVar("T")


def _merge(parts: Iterable[Iterable[tuple[Any, T]]]) -> dict[Any, T]:
    """Merge the items of several mappings. Raises ValueError for a key that comes twice."""
    items = list(chain.from_iterable(parts))
    _refuse_duplicates([key for key, _value in items])
    return dict(items)


def _refuse_duplicates(keys: Sequence[Any]) -> None:
    """Raise ValueError for a key that comes twice."""
    for key, times in Counter(keys).items():
        if times > 1:
            raise ValueError(f"two features claim {key!r}")


def _refuse_glued_commands(names: Sequence[str]) -> None:
    """Raise ValueError for a name such as `play100`, which is read as `/play 100`."""
    for name in names:
        if normalize_command(f"/{name}", names) != f"/{name}":
            raise ValueError(f"the command {name!r} would be read as another one with a number")


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


# The outbox calls the handlers


@dataclass(frozen=True, slots=True)
class RouteHooks:
    """The outbox's hooks, implemented by the handlers in the routes."""

    store: Store
    routes: Routes
    get_inbox: Callable[[], Inbox]  # The queue whose clock is used is built after this object
    # Called, on any thread, with each chat of a new message
    on_change: Callable[[int], None] = lambda _: None
    make_board_url: MakeBoardUrl = make_no_board_url

    async def render(self, request: Outgoing) -> RenderedRequest | None:
        """Make the request that the stored one stands for, as of now; None if it isn't wanted any more."""
        context = RenderContext(self.store, self.get_inbox().now(), self.make_board_url)
        return await self.routes.renderers[request.method](context, request)

    def find_picture(self, tx: Tx, asked: PictureRequest) -> DescribedPicture | None:
        """Find the picture that `add_picture` asked for; None if there is none any more."""
        find = self.routes.picture_finders.get(asked.kind)
        if find is None:
            return None
        return find(tx, asked, self.get_inbox().now())

    def before_send(self, tx: Tx, about: str) -> bool:
        """Record that a timed request is about to be sent. Return whether for the first time."""
        kind, _, _ = about.partition(":")
        handle = self.routes.before_send_handlers[kind]
        return handle(tx, about, self.get_inbox().now())

    def on_delivered(self, tx: Tx, about: str, result: DeliveryResult | None) -> None:
        """Tell the feature, the watermark and the pages Telegram's result; None for a lost timed request."""
        kind, _, _ = about.partition(":")
        is_edit = kind == DRAWN_ROUND
        inbox = self.get_inbox()
        message = result.message if result else {}
        telegram_time = message.get("edit_date") if is_edit else message.get("date")
        if isinstance(telegram_time, int | float) and telegram_time:
            inbox.watermark.observe_post(float(telegram_time), inbox.read_local_time())
        handler = self.routes.delivery_handlers.get(kind)
        if handler is not None:
            handler(tx, _make_delivered_request(about, result, inbox.now()))
        if not is_edit and "chat" in message:
            chat_id = int(message["chat"]["id"])
            call_after_commit(tx, partial(self.on_change, chat_id))

    def on_message_lost(self, tx: Tx, edit: Outgoing, is_refresh: bool) -> bool:
        """Record that a message can't be edited any more. Return whether its content is to be posted anew.

        `is_refresh` says that the edit would have changed nothing but the time left.
        """
        lost = LostMessage(edit.about, edit.lane, edit.edited_id or 0, is_refresh)
        # Any True suffices: handlers after the first to return it are not called
        return any(handle(tx, lost) for handle in self.routes.lost_message_handlers)


def _make_delivered_request(about: str, result: DeliveryResult | None, now: float) -> DeliveredRequest:
    """Describe a request, delivered at the message's date, else when it was first sent, else now."""
    if result is None:
        return DeliveredRequest(about, has_arrived=False, delivered_at=now, now=now)
    delivered_at = now
    if "date" in result.message:
        delivered_at = resolve_sent_time(float(result.message["date"]), now)
    elif result.first_sent_at is not None:
        delivered_at = result.first_sent_at
    return DeliveredRequest(
        about,
        delivered_at=delivered_at,
        now=now,
        message_id=int(result.message.get("message_id", 0)),
        picture_key=result.picture_key,
        first_sent_at=result.first_sent_at,
    )
