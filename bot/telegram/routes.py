"""What each feature answers to and does by itself, in lists of its own; here they become one.

Nothing in here knows a feature: `bot.features` names them, and `bot.service` passes the whole list on.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypeVar

from bot.database import Store, Tx
from bot.i18n import Words
from bot.queue.intake import Kinds, Sorting, Work
from bot.queue.timers import TimedWork
from bot.telegram.captions import Seen
from bot.telegram.context import Context, Effect, Handler
from bot.telegram.messages import BoardAt, Request

T = TypeVar("T")
# The kinds of updates that the bot asks Telegram for.
ALLOWED = ("message", "callback_query", "my_chat_member", "inline_query")
START = "start"  # The command that a link to the bot sends, with the link's payload behind it
DRAWN = "drawn"  # The kind of receipt of an edit that draws something as it stands: `drawn:ROUND`


@dataclass(frozen=True, slots=True)
class Command:
    """A command and its handler."""

    name: str
    handler: Handler
    # What kind of work it is, which says where it waits; or how the words behind the command decide that.
    work: Sorting
    # Its line in the command menu; None where the menu does not list it.
    menu: Callable[[Words], str] | None = None
    groups_only: bool = False  # Whether only the menu of groups lists it


@dataclass(frozen=True, slots=True)
class Button:
    """The handler of every button whose data begins with `prefix` and a colon."""

    prefix: str
    handler: Handler
    work: Work = Work.PRESS


@dataclass(frozen=True, slots=True)
class Text:
    """The handler of every message in private, other than a reply, that has some form."""

    matches: Callable[[str], bool]
    handler: Handler


class Other(Enum):
    """Updates that are neither a command of ours nor a press."""

    INLINE = auto()  # A query typed behind the bot's name in any chat
    MEMBERSHIP = auto()  # The bot was added to a chat, removed or blocked
    UPGRADE = auto()  # A group has another id now
    TOPIC_CLOSED = auto()
    TEXT = auto()
    UNKNOWN = auto()  # A command that is none: one said to the bot, in private or by its name
    REFUSED = auto()  # Whatever somebody asks who asks for too much


@dataclass(frozen=True, slots=True)
class Delivered:
    """A request that has arrived and of which something is to be remembered."""

    about: str  # What it was about, such as `deal:7`: the kind of receipt, and what that kind knows it by
    # What Telegram returned; empty for one that was announced by `leaving` and came to nothing.
    result: dict[str, Any]
    at: float  # When it arrived, by Telegram's clock
    # When it was first sent, for one that was found in the chat after nobody knew whether it had arrived.
    since: float | None
    now: float  # By Telegram's clock

    @property
    def number(self) -> int:
        """What follows the kind of receipt, where that is a number."""
        return int(self.about.partition(":")[2])


@dataclass(frozen=True, slots=True)
class Lost:
    """A message that can't be changed any more."""

    about: str  # What the edit was about; empty where nothing is remembered of it
    chat_id: int
    message_id: int
    unasked: bool  # Whether the edit was to show nothing but the time


Receipt = Callable[[Tx, Delivered], None]
# Takes note, at a time by Telegram's clock, that a timed request is about to be sent; whether for the first
# time.
Leaving = Callable[[Tx, str, float], bool]
# What is sent instead of a request to one person whose present way failed; why: see `delivery.secret`.
Falling = Callable[[Tx, dict[str, Any], str], list[Request]]
# Takes note of a lost message; whether what it showed is to be posted anew, and then no other is asked.
Losing = Callable[[Tx, Lost], bool]
# The request that a stored one stands for, as of now by Telegram's clock; None if it isn't wanted now.
Draw = Callable[[Store, dict[str, Any], float], Awaitable[dict[str, Any] | None]]
# The same where the message leads to a page that shows the table, too.
LinkingDraw = Callable[[Store, dict[str, Any], float, BoardAt], Awaitable[dict[str, Any] | None]]

# What a message shows, by what was asked for as it was stored (`messages.pictured`), as of now by Telegram's
# clock; None where there is nothing to look at.
Look = Callable[[Tx, Mapping[str, Any], float], Seen | None]


@dataclass(frozen=True, slots=True)
class Routes:
    """What one feature has to offer, or all of them together."""

    commands: Sequence[Command] = ()  # In the order of the menu
    buttons: Sequence[Button] = ()
    # The first that matches a message gets it; what none of them matches is `Other.TEXT`.
    texts: Sequence[Text] = ()
    others: Mapping[Other, Handler] = field(default_factory=dict)
    # Where `t.me/bot?start=PAYLOAD` leads, by the payload up to its first underscore; what follows that is
    # the handler's argument.
    doors: Mapping[str, Handler] = field(default_factory=dict)
    # By method of the stored requests that are made when their turn comes.
    draws: Mapping[str, Draw] = field(default_factory=dict)
    # As `draws`, of messages that lead to a page.
    linking: Mapping[str, LinkingDraw] = field(default_factory=dict)
    # What finds the picture of a message when it is sent, by the kind of picture.
    looks: Mapping[str, Look] = field(default_factory=dict)
    # What follows when a message has arrived, by what its request is `about`, up to the first colon.
    receipts: Mapping[str, Receipt] = field(default_factory=dict)
    # What is written before a message with such a receipt leaves.
    leaving: Mapping[str, Leaving] = field(default_factory=dict)
    losing: Sequence[Losing] = ()
    falling: Sequence[Falling] = ()
    timed: Sequence[TimedWork] = ()

    @property
    def kinds(self) -> Kinds:
        """What kind of work each command and each press is."""
        return Kinds({c.name: c.work for c in self.commands}, {b.prefix: b.work for b in self.buttons})


def gathered(features: Iterable[Routes]) -> Routes:
    """All features' routes as one, in their order. Raises ValueError when two claim the same name."""
    parts = list(features)
    whole = Routes(
        commands=[command for part in parts for command in part.commands],
        buttons=[button for part in parts for button in part.buttons],
        texts=[text for part in parts for text in part.texts],
        others=_joined(part.others.items() for part in parts),
        doors=_joined(part.doors.items() for part in parts),
        draws=_joined(part.draws.items() for part in parts),
        linking=_joined(part.linking.items() for part in parts),
        looks=_joined(part.looks.items() for part in parts),
        receipts=_joined(part.receipts.items() for part in parts),
        leaving=_joined(part.leaving.items() for part in parts),
        losing=[losing for part in parts for losing in part.losing],
        falling=[each for part in parts for each in part.falling],
        timed=[work for part in parts for work in part.timed],
    )
    for names in ([c.name for c in whole.commands], [b.prefix for b in whole.buttons]):
        _joined([[(name, None) for name in names]])
    _joined([[(work.name, None) for work in whole.timed]])
    return replace(whole, commands=[_with_doors(command, whole.doors) for command in whole.commands])


def _joined(parts: Iterable[Iterable[tuple[Any, T]]]) -> dict[Any, T]:
    joined: dict[Any, T] = {}
    for key, value in (item for part in parts for item in part):
        if key in joined:
            raise ValueError(f"two features claim {key!r}")
        joined[key] = value
    return joined


def _with_doors(command: Command, doors: Mapping[str, Handler]) -> Command:
    """The command; /start leads first to where a link's payload points."""
    if command.name != START:
        return command

    async def start(context: Context) -> Effect:
        door, _, rest = context.argument.partition("_")
        if door in doors:
            return await doors[door](replace(context, argument=rest))
        return await command.handler(context)

    return replace(command, handler=start)
