"""What the outbox needs of Telegram and of the features, passed in by the wiring."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.database import Tx
from bot.queue.refusals import MessageGoneHook
from bot.telegram.messages import Request
from bot.telegram.photo_messages import DescribedPicture

# Sends a method with its parameters; returns Telegram's result. Raises TelegramError.
ApiCall = Callable[[str, dict[str, Any]], Awaitable[Any]]
# Makes the request that is sent of the one that is stored; None for one that isn't wanted any more.
DrawFunction = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
# What is sent instead of a request to one person whose present way failed, and why it did.
FallbackFunction = Callable[[Tx, dict[str, Any], str], list[Request]]

# What a message shows, by what was asked for as it was stored; None for nothing.
PictureLookup = Callable[[Tx, Mapping[str, Any]], DescribedPicture | None]


async def assume_token_known() -> bool:
    """Nobody doubts that Telegram knows the token."""
    return True


def choose_no_fallback(_tx: Tx, _body: dict[str, Any], _why: str) -> list[Request]:
    """Nothing is sent instead."""
    return []


def ignore(_tx: Tx, *_of: object) -> None:
    """Nothing is stored."""


def make_no_requests(_tx: Tx, _chat_id: int, _topic: int) -> list[Request]:
    """Nothing is sent."""
    return []


def find_no_picture(_tx: Tx, _asked: Mapping[str, Any]) -> None:
    """There is nothing to look at."""


class Clocks(NamedTuple):
    """The two clocks that delivery goes by, in seconds."""

    wall: Callable[[], float]  # This machine's, since 1970: it can be set
    monotonic: Callable[[], float]  # One that nobody sets


@dataclass(frozen=True, slots=True)
class OutboxHooks:
    """What features do while requests are delivered."""

    draw_by_method: Mapping[str, DrawFunction]  # By pseudo-method: what draws the request when its turn comes
    # The names of these people, put into a request when it is sent.
    load_names: Callable[[Tx, list[int]], Mapping[int, str]]
    # Told of a post from which somebody's time runs, before it is sent: the process may end before it knows
    # whether the post arrived. Where it says that this is the first time, the receipt follows, an empty one
    # if the post did not arrive.
    before_send: Callable[[Tx, str], bool]
    # Stores what came back of a request, known by its `about`.
    on_delivered: Callable[[Tx, str, dict[str, Any]], None]
    on_message_gone: MessageGoneHook  # Told of a message that was deleted
    on_chat_migrated: Callable[
        [Tx, int, int], None
    ]  # Told of a chat, by its old id, that has another one now
    # Whether anything is known of a chat by that id: nobody was told that it has another one.
    is_chat_known: Callable[[Tx, int], bool] = lambda *_: False
    find_picture: PictureLookup = find_no_picture  # Asked what a message shows beside its text
    choose_fallback: FallbackFunction = (
        choose_no_fallback  # Asked for the next way of what is told to one person
    )
    # Told of a chat and an emoji with which nobody may react there.
    on_reaction_forbidden: Callable[[Tx, int, str], None] = ignore
    # Told of a chat and its topic that was deleted or closed; returns what is to be said of it.
    on_topic_gone: Callable[[Tx, int, int], list[Request]] = make_no_requests
    on_chat_gone: Callable[[Tx, int], None] = ignore  # Told of a chat to which nothing more can be sent
